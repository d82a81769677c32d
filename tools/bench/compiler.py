"""From the text of a program to a loaded library, with the same code as mha-run makes for this CPU."""

import json
import os
import re
import shlex
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
SECONDS = 600  # no step takes nearly as long; a hang must end


class BenchError(Exception):
    """A sentence for the user."""


@dataclass
class CompiledProgram:
    library: Path
    kernels: list  # the names of those that it calls
    cpu: str  # what passes have planned for: a CPU in LLVM's words
    seconds: float  # of all steps from the text to the object, one process each


class Compiler:
    """The tools of one build folder; what they make goes into `folder`."""

    def __init__(self, build, folder):
        self.build, self.folder = build, folder
        self.mha_opt, self.mha_run = build / "bin/mha-opt", build / "bin/mha-run"
        self.site = build / "test/lit.site.cfg.py"
        for file in (self.mha_opt, self.mha_run, self.site):
            if not file.exists():
                raise BenchError(f"'{file}' was not found: run ./dev build")
        runtime = build / "lib/libMHARuntimeOpenMP.so"
        self.openmp = runtime if runtime.exists() else None

    def compile(self, workload):
        source = self.folder / f"{workload.name}.mlir"
        source.write_text(workload.program)
        kernels, cpu = self.find_kernels(source, workload)
        triple = step([self.llvm_tool("llvm-config"), "--host-target"]).strip()
        start = time.perf_counter()
        code = self.compile_object(source, cpu, triple)
        seconds = time.perf_counter() - start
        library = source.with_suffix(".so")
        threads = self.openmp or self.build / "lib/libMHARuntimeSerial.a"
        # With the path of a shared runtime, so that it is found again.
        self.link(library, code, FOLDER / "memory.c", threads, f"-Wl,-rpath,{threads.parent}", "-Wl,-z,defs", "-lm")
        return CompiledProgram(library, kernels, cpu, seconds)

    def find_kernels(self, source, workload):
        """The kernels that the program calls, and the CPU to plan for, as mha-run says behind a run of its own.

        It refuses attention that has no kernel.
        """
        inputs = [f"--input={name}={'x'.join(map(str, shape))}x{element}=random:1"
                  for name, (shape, element) in workload.arguments.items()]
        report = json.loads(step([self.mha_run, source, "--require=fused", "--json", *inputs]))
        names = [kernel["name"] for kernel in report["attention"]["kernels"]]
        if not names:
            raise BenchError(f"{workload.name}: expected a call of a kernel, found none")
        return names, report["target"]

    def compile_object(self, source, cpu, triple):
        """The steps of mha-run as tools: its passes, LLVM's passes at -O3, its code generator at -O3."""
        lowered, ir = source.with_suffix(".llvm.mlir"), source.with_suffix(".ll")
        optimized, code = source.with_suffix(".bc"), source.with_suffix(".o")
        step([self.mha_opt, source, f"--mha-cpu-pipeline=cpu={cpu}", "-o", lowered])
        step([self.llvm_tool("mlir-translate"), "--mlir-to-llvmir", lowered, "-o", ir])
        step([self.llvm_tool("opt"), "-O3", f"-mtriple={triple}", "-mcpu=native", ir, "-o", optimized])
        step([self.llvm_tool("llc"), "-O3", "-mcpu=native", "-filetype=obj", "-relocation-model=pic", optimized,
              "-o", code])
        return code

    def compile_peak(self):
        """The loops of peak.c as a library."""
        library = self.folder / "peak.so"
        native = "-march=native" if os.uname().machine == "x86_64" else "-mcpu=native"
        self.link(library, FOLDER / "peak.c", "-O3", native, *(["-fopenmp"] if self.openmp else []))
        return library

    def link(self, library, *inputs):
        step([*shlex.split(os.environ.get("CC", "cc")), "-shared", "-fPIC", "-o", library, *inputs])

    def llvm_tool(self, name):
        """A tool of the LLVM that the build uses."""
        return Path(re.search(r'config\.llvm_tools_dir = r"(.+)"', self.site.read_text())[1], name)


def step(command):
    """What the command prints; its error as ours."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BenchError(f"{command[0]}: {error}") from error
    if done.returncode:
        said = (done.stderr or done.stdout).strip()
        raise BenchError(f"exit status {done.returncode} of {' '.join(map(str, command))}: {said}")
    return done.stdout
