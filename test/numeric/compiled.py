"""Compiles a program to a shared object and calls it through its C interface, without `mha-run`.

The interface is that of docs/Conventions.md, "Compiled functions". Arrays are passed where they
are, with their offset and strides; `scattered` puts one into memory of an unusual layout.
"""

import ctypes
import os
import platform
import re
import subprocess

import numpy as np

from runner import BUILD, SECONDS

# What a compiled program needs from the one that loads it. Fresh memory is all NaN, not zero.
MEMORY = """
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static int64_t live;
int64_t live_allocations(void) { return live; }
static void *filled(void *memory, uint64_t size) {
  if (!memory) abort();
  ++live;
  return memset(memory, 0xff, size);
}
void *_mlir_memref_to_llvm_alloc(uint64_t size) { return filled(malloc(size + 1), size); }
void *_mlir_memref_to_llvm_aligned_alloc(uint64_t alignment, uint64_t size) {
  return filled(aligned_alloc(alignment, (size / alignment + 1) * alignment), size);
}
void _mlir_memref_to_llvm_free(void *memory) {
  live -= memory != NULL;
  free(memory);
}
// Threads of our own, one after the other: the last item first, and every worker has a turn.
void mha_parallel_for(int64_t items, int32_t threads,
                      void (*body)(void *, int64_t, int32_t), void *context) {
  for (int64_t item = items; item-- > 0;) body(context, item, item * 5 % threads);
}
"""

GUARD = 64  # bytes behind a workspace
MARGIN = 2000  # elements around an array: a stray write is to be noticed, not to crash


def llvm_tool(name):
    site = (BUILD / "test" / "lit.site.cfg.py").read_text()
    return re.search(r'config\.llvm_tools_dir = r"(.+)"', site)[1] + f"/{name}"


def lower(program, cpu="x86-64-v3", options=""):
    """The text `program` in the LLVM dialect, for the CPU that LLVM calls `cpu`."""
    pipeline = f"--mha-cpu-pipeline=cpu={cpu} {options}".rstrip()
    return step([BUILD / "bin" / "mha-opt", pipeline], program.encode())


def compile_object(program, path, cpu="x86-64-v3", options=""):
    """The text `program` as an object whose instructions are those of the least CPU of this architecture.

    But for conversions of f16, which the lowering has left to instructions unless `cpu` has none.
    """
    ir = step([llvm_tool("mlir-translate"), "--mlir-to-llvmir"], lower(program, cpu, options))
    half = [] if cpu == "x86-64" or platform.machine() != "x86_64" else ["-mattr=+f16c"]
    step([llvm_tool("llc"), "-O1", "-filetype=obj", "-relocation-model=pic", *half, "-o", path], ir)
    return path


def compile_program(program, folder, **options):
    """The text `program` as a loaded library."""
    return load(compile_object(program, folder / "program.o", **options), folder)


def load(code, folder):
    """C or object code, together with the functions for memory, as a loaded library."""
    memory, library = folder / "memory.c", folder / "program.so"
    memory.write_text(MEMORY)
    # Nothing may be missing but these functions and the mathematical library.
    link = ["-shared", "-fPIC", "-Wl,-z,defs", "-o", library, code, memory, "-lm"]
    step([os.environ.get("CC", "cc"), *link])
    return ctypes.CDLL(str(library))


def step(command, text=b""):
    done = subprocess.run(command, input=text, capture_output=True, timeout=SECONDS)
    said = f"{' '.join(map(str, command))}\n{done.stderr.decode()}"
    assert done.returncode == 0, f"exit status {done.returncode} of {said}"
    return done.stdout


def poison(dtype):
    """What must neither be read nor written."""
    return {"f": np.nan, "i": -(2**62), "u": 0xFFFF, "b": True}[np.dtype(dtype).kind]


def scattered(array, rng):
    """`array` in other memory: axes in any order, gaps, negative strides, poison in between."""
    array = np.asarray(array)
    order = rng.permutation(array.ndim)
    steps = rng.integers(1, 4, array.ndim)
    grid = [array.shape[axis] * step + rng.integers(0, 2) for axis, step in zip(order, steps)]
    before, behind = MARGIN + rng.integers(0, 6, 2)
    memory = np.full(int(before + np.prod(grid) + behind), poison(array.dtype), array.dtype)
    view = memory[before : memory.size - behind].reshape(grid)
    view = view[(..., *(slice(0, array.shape[a] * s, s) for a, s in zip(order, steps)))]
    view = view[(..., *(slice(None, None, rng.choice([-1, 1])) for _ in order))]
    view = view.transpose(np.argsort(order))
    view[...] = array
    return view


def memory_of(array):
    """The array that owns the memory."""
    return array if array.base is None else memory_of(array.base)


def descriptor(array):
    """The C descriptor of an array: element 0 is at an offset from the start of its memory."""
    rank, memory = array.ndim, memory_of(array)
    offset = (array.ctypes.data - memory.ctypes.data) // array.itemsize
    strides = [stride // array.itemsize for stride in array.strides]
    # The first pointer is not used by the function: null.
    numbers = 0, memory.ctypes.data, offset, *array.shape, *strides
    return (ctypes.c_int64 * (3 + 2 * rank))(*numbers)


def argument(value):
    """An array by its descriptor, a NumPy scalar by its value."""
    if isinstance(value, np.ndarray):
        return ctypes.byref(descriptor(value))
    return np.ctypeslib.as_ctypes_type(value.dtype)(value.item())


class Function:
    """An entry point whose tensor arguments are all dynamic, or (`dynamic=False`) all static.

    Every call checks that arguments are left as they were, that nothing around out-parameters and
    the workspace is written, and that what was allocated is freed. `donated` are the positions of
    arguments that a call writes like an out-parameter.
    """

    def __init__(self, library, name, dynamic=True, donated=()):
        self.library, self.name, self.dynamic, self.donated = library, name, dynamic, donated

    def find(self, suffix=""):
        return getattr(self.library, f"_mlir_ciface_{self.name}{suffix}")

    def workspace(self, inputs, threads=1):
        arrays = [x for x in inputs if isinstance(x, np.ndarray) and self.dynamic]
        sizes = [ctypes.c_int64(size) for array in arrays for size in array.shape]
        function = self.find("_workspace")
        function.restype = ctypes.c_int64
        return function(*sizes, ctypes.c_int32(threads))

    def shape(self, inputs, count, rng):
        """(status, the `count` sizes); null sizes where the status is not 0."""
        sizes = scattered(np.full(count, poison(np.int64)), rng)
        status = self.run(self.find("_shape"), inputs, [sizes])
        return status, None if status else sizes.tolist()

    def __call__(self, inputs, outputs, threads=1, size=None):
        """(status, copies of the results); null results where the status is not 0.

        The results in `outputs` come first, then those in donated arguments, in the arguments' order. `size` bytes of workspace, by default what the function asks for, at an odd address and all NaN; null where it is 0.
        """
        size = self.workspace(inputs, threads) if size is None else size
        guarded = np.full(size + GUARD + 1, 0xFF, np.uint8)[1:]
        guarded[size:] = 0xA5
        scratch = ctypes.c_void_p(guarded.ctypes.data if size else None)
        more = scratch, ctypes.c_int64(size), ctypes.c_int32(threads)
        status = self.run(self.find(), inputs, outputs, *more, donated=self.donated)
        assert (guarded[size:] == 0xA5).all(), "written behind the workspace"
        places = [*outputs, *(inputs[position] for position in self.donated)]
        return status, None if status else [place.copy() for place in places]

    def run(self, function, inputs, outputs, *more, donated=()):
        kept = [x for position, x in enumerate(inputs) if position not in donated]
        read = [memory_of(x) for x in kept if isinstance(x, np.ndarray)]
        before = [memory.tobytes() for memory in read]
        for output in outputs:
            output[...] = poison(output.dtype)
        places = [*outputs, *(inputs[position] for position in donated)]
        initial = [place.copy() for place in places]
        around = [memory_of(place).tobytes() for place in places]
        status = function(*map(argument, inputs), *map(argument, outputs), *more)
        assert [memory.tobytes() for memory in read] == before, "an argument was written"
        results = [place.copy() for place in places]
        if status == 0:
            for place, value in zip(places, initial):
                place[...] = value
        assert [memory_of(place).tobytes() for place in places] == around, "stray write"
        for place, result in zip(places, results):
            place[...] = result
        assert self.library.live_allocations() == 0, "not everything was freed"
        return status
