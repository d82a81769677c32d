"""Runs a tool on many modules and says of each whether it behaved.

Behaving is: exit status 0 and the module printed, or exit status 1, nothing printed and an error with a location;
no signal, no hang. Many modules share a process, which is what makes thousands of them cheap; where anything about
a process is odd, its modules are halved until the odd ones are alone.
"""

import math
import os
import re
import resource
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

import originals

ERROR = re.compile(rb"^(.*?)\b(?:error|LLVM ERROR): (.*)$", re.MULTILINE)
# `FILE:LINE:COLUMN: ` or `loc(...): `; the line is that of the whole input, see Tool.run.
INPUT_LOCATION = re.compile(rb"<stdin>:(\d+):\d+: $")
ANY_LOCATION = re.compile(rb"(?:[^\s:].*:\d+:\d+|loc\(.+\)): $")
NO_LOCATION = re.compile(rb"<unknown>:0: $|loc\(unknown\): $")
# Seconds of processor time that a process with one module may use (it uses 0.1), and what each further module adds.
LIMIT_SECONDS, LIMIT_SECONDS_EACH = 3, 0.1
# Without using any it may wait this many times as long: the machine may be busy.
PATIENCE = 20
MEMORY_BYTES = 6 << 30
NO_ERROR_PROBLEM, NO_LOCATION_PROBLEM = "exit status 1 without an error", "an error without a location"
FRAME = re.compile(r"^ *#\d+ 0x[0-9a-f]+ ([^/\n].*)$", re.MULTILINE)


@dataclass
class Outcome:
    """What became of one module: `output` when it was accepted, `problem` when the tool misbehaved."""

    output: bytes = b""
    problem: str = ""
    errors: str = ""
    stack: str = ""

    @property
    def accepted(self):
        return bool(self.output) and not self.problem


@dataclass
class Finished:
    """The end of a process; the status is negative after a signal, None after the limit."""

    status: object
    out: bytes
    err: bytes


def find_symbolizer(tool):
    """The llvm-symbolizer of the LLVM that `<build>/bin/<tool>` was built with; none for a tool of another place."""
    site = Path(tool).parent.parent / "test/lit.site.cfg.py"
    if not site.exists():
        return None
    tools = re.search(r'config\.llvm_tools_dir = r"(.+)"', site.read_text())[1]
    return os.path.join(tools, "llvm-symbolizer")


class Tool:
    """A driver like mha-opt."""

    def __init__(self, path, limit=LIMIT_SECONDS):
        self.path = str(path)
        self.limit = limit
        self.symbolizer = find_symbolizer(path)
        # An instrumented program reserves far more memory than it uses.
        with open(self.path, "rb") as program:
            self.limits_memory = b"__asan_init" not in program.read()

    def command(self, options):
        return [self.path, "--mlir-disable-threading", *options]

    def start(self, options, data, limit, symbolize=False):
        env = {**os.environ, "LC_ALL": "C.UTF-8"}
        env.pop("LLVM_DISABLE_SYMBOLIZATION", None)
        if not symbolize:
            env["LLVM_DISABLE_SYMBOLIZATION"] = "1"
        elif self.symbolizer:
            # Without one, as where no LLVM is on PATH, a stack is printed in another form and local functions have no
            # name: what is ours could not be told from what is not.
            env["LLVM_SYMBOLIZER_PATH"] = self.symbolizer
        try:
            result = subprocess.run(self.command(options), input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                    env=env, timeout=PATIENCE * limit, check=False,
                                    preexec_fn=lambda: self.set_limits(limit))
        except subprocess.TimeoutExpired as expired:
            return Finished(None, expired.stdout or b"", expired.stderr or b"")
        return Finished(result.returncode, result.stdout, result.stderr)

    def set_limits(self, limit):
        """After the soft limit a tool of LLVM prints its stack, for which it gets the time up to the hard one."""
        soft = math.ceil(limit)
        resource.setrlimit(resource.RLIMIT_CPU, (soft, soft + 60))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if self.limits_memory:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))

    def run_single(self, options, data):
        """The outcome of one module in a process of its own."""
        finished = self.start(options, data, self.limit, symbolize=True)
        outcome = Outcome(finished.out, problem_of(finished), finished.err.decode("utf-8", "replace"))
        if finished.status is not None and finished.status < 0:
            outcome.stack = outcome.errors
        return outcome

    def run(self, options, modules):
        """The outcome of each of several textual modules."""
        if len(modules) <= 1:
            return [self.run_single(options, data) for data in modules]
        outcomes = self.run_together(options, modules)
        if outcomes is None:
            half = len(modules) // 2
            return self.run(options, modules[:half]) + self.run(options, modules[half:])
        return outcomes

    def run_together(self, options, modules):
        """The outcomes from one process; None when anything was odd."""
        marker = originals.MARKER.encode()
        split = [f"--split-input-file={originals.MARKER}", f"--output-split-marker={originals.MARKER}"]
        separator = b"\n" + marker + b"\n"
        limit = self.limit + LIMIT_SECONDS_EACH * len(modules)
        finished = self.start([*options, *split], separator.join(modules), limit)
        outputs = finished.out.split(marker + b"\n")
        if finished.status not in (0, 1) or len(outputs) < len(modules):
            return None
        errors = errors_by_module(finished.err, modules)
        if errors is None:
            return None
        outcomes = [Outcome(output.strip(), errors="\n".join(messages)) for output, messages in zip(outputs, errors)]
        if any(bool(outcome.output) == bool(outcome.errors) for outcome in outcomes):
            return None
        if (finished.status == 0) != all(outcome.output for outcome in outcomes):
            return None
        return outcomes


def problem_of(finished):
    """What a process with one module did wrong; empty when nothing."""
    if finished.status in (None, -signal.SIGXCPU):
        return "runs too long"
    if finished.status < 0:
        return f"ended by signal {-finished.status}"
    if finished.status not in (0, 1):
        return f"exit status {finished.status}"
    errors = list(ERROR.finditer(finished.err))
    if finished.status == 0:
        if errors:
            return "exit status 0 with an error"
        return "" if finished.out.strip() else "exit status 0 and nothing printed"
    if finished.out.strip():
        return "exit status 1 with output"
    if not errors:
        return NO_ERROR_PROBLEM
    return NO_LOCATION_PROBLEM if unlocated(finished.err.decode("utf-8", "replace")) else ""


def unlocated(text):
    """The errors without a location in what a tool wrote."""
    errors = list(ERROR.finditer(text.encode("utf-8", "replace")))
    return [error.group(2).decode("utf-8", "replace") for error in errors
            if not ANY_LOCATION.search(error.group(1)) or NO_LOCATION.search(error.group(1))]


def errors_by_module(text, modules):
    """The messages of each module, by the lines of their locations; None when one has none in the input."""
    owner = []
    for number, data in enumerate(modules):
        # The last line of a module is followed by that of the marker.
        owner += [number] * (data.count(b"\n") + 2)
    messages = [[] for _ in modules]
    for error in ERROR.finditer(text):
        place = INPUT_LOCATION.search(error.group(1))
        line = int(place.group(1)) if place else 0
        if not 0 < line <= len(owner):
            return None
        messages[owner[line - 1]].append(error.group(2).decode("utf-8", "replace"))
    return messages


def frames(stack):
    """The lines of a stack trace that have a name, innermost first, from where the signal arrived."""
    handler = re.compile(
        r"\(/|_start\b|llvm::sys::|llvm::report_|SignalHandler|_*(?:restore_rt|pthread_kill|raise|abort)\b")
    return [frame for frame in FRAME.findall(stack) if not handler.match(frame)]
