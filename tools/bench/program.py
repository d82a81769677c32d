"""A compiled program, called through the C interface of docs/Conventions.md, "Compiled functions"."""

import ctypes

import numpy as np

from compiler import BenchError


def descriptor(array):
    """The C descriptor of an array; its first pointer is not used."""
    strides = [stride // array.itemsize for stride in array.strides]
    numbers = 0, array.ctypes.data, 0, *array.shape, *strides
    return (ctypes.c_int64 * len(numbers))(*numbers)


class Program:
    """@main of a library, with its arguments."""

    def __init__(self, compiled, workload):
        self.workload, self.compiled = workload, compiled
        library = ctypes.CDLL(str(compiled.library))
        self.main, self.workspace_size = library._mlir_ciface_main, library._mlir_ciface_main_workspace
        self.main.restype, self.workspace_size.restype = ctypes.c_int32, ctypes.c_int64
        self.inputs, self.output = workload.make_inputs(), workload.make_output()
        self.descriptors = [descriptor(array) for array in (*self.inputs.values(), self.output)]

    def workspace_bytes(self, threads):
        sizes = []
        if self.workload.dynamic:
            sizes = [size for name in ("query", "key", "value")
                     for axis, size in zip(self.workload.layout, self.workload.shapes[name]) if axis != "d"]
        return self.workspace_size(*map(ctypes.c_int64, sizes), ctypes.c_int32(threads))

    def bind(self, threads):
        """A function without arguments that calls the program on this number of threads."""
        workspace = np.empty(self.workspace_bytes(threads), np.uint8)

        def call():
            # Refers to the workspace, so that it lives as long as this function.
            arguments = [ctypes.c_void_p(workspace.ctypes.data), ctypes.c_int64(workspace.size),
                         ctypes.c_int32(threads)]
            status = self.main(*self.descriptors, *arguments)
            if status:
                raise BenchError(f"{self.workload.name}: the program returned status {status}")

        return call
