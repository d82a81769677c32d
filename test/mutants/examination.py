"""What is asked of the tool for each mutant, and what counts as a failure."""

import itertools
import re
from pathlib import Path

import trial

TOGETHER = 100
MOST_SHOWN = 5
# What these make is valid, not only refused when it is not.
CHECKED_PASSES = ["--canonicalize", "--mha-decompose-layer", "--convert-mha-to-linalg", "--mha-promote-floats", "--mha-wrap-entry-points",
                  "--mha-assign-schedule", "--mha-convert-to-online", "--mha-tile-keys", "--mha-split-keys", "--mha-add-destinations", "--mha-place-results", "--mha-bufferize",
                  "--mha-specialize-layouts", "--mha-outline-kernels", "--mha-tile-attention", "--convert-mha-to-vector",
                  "--mha-outline-parallel", "--mha-allocate-scratch"]
PASSES = [*CHECKED_PASSES, "--mha-cpu-pipeline", "--mha-reference-pipeline"]
READER = "mlir::readBytecodeFile"
# In the libraries of MLIR only exported functions have names; a source file is named for local ones of ours.
OUR_FRAME = re.compile(r"\bmha::|/mha-[\w-]+\+0x|\w\.cpp:\d+:\d+$")


class Known:
    """What MLIR does by itself, see known_upstream_aborts.txt."""

    def __init__(self, text):
        self.functions = re.findall(r"^in (\S+) ", text, re.MULTILINE)
        self.errors = re.findall(r'^says "(.*?)" ', text, re.MULTILINE)
        self.printed = re.findall(r'^prints "(.*?)" ', text, re.MULTILINE)
        self.made = re.findall(r'^makes "(.*?)" ', text, re.MULTILINE)
        self.reader = READER in self.functions

    def aborts(self, stack):
        """Whether a function of the list is in a stack trace, and nothing of this project inside of it."""
        inner = itertools.takewhile(lambda frame: not OUR_FRAME.search(frame), trial.frames(stack))
        return any(frame.startswith(name + "(") for frame in inner for name in self.functions)

    def corrupts(self, stack):
        """Whether a process that read bytecode died without anything of this project: where the reader writes outside
        of its memory, that shows anywhere, and often at the end, in what main or a template of LLVM destroys."""
        ours = [frame for frame in trial.frames(stack)
                if OUR_FRAME.search(frame) and not re.match(r"main |llvm::(?!.*\bmha::)", frame)]
        return self.reader and not ours

    def misplaces(self, errors):
        """Whether all errors without a location are in the list."""
        return all(any(text in message for text in self.errors) for message in trial.unlocated(errors))

    def reprints(self, output):
        return any(text.encode() in output for text in self.printed)

    def makes(self, errors):
        """Whether what a pass made is refused for reasons of the list only."""
        messages = re.findall(r"\berror: (.*)", errors) or errors.splitlines()
        return bool(messages) and all(any(text in message for text in self.made) for message in messages)

    def excuses(self, data, outcome):
        if outcome.stack:
            return self.aborts(outcome.stack) or is_bytecode(data) and self.corrupts(outcome.stack)
        if outcome.problem == trial.NO_LOCATION_PROBLEM:
            return self.misplaces(outcome.errors)
        return outcome.problem == trial.NO_ERROR_PROBLEM and is_bytecode(data) and self.reader


class Examination:
    """Examines mutants, counts, and keeps the failures."""

    def __init__(self, tool, folder):
        self.tool = tool
        self.folder = folder
        self.known = Known((Path(__file__).parent / "known_upstream_aborts.txt").read_text())
        self.counts = {"mutants": 0, "bytecode": 0, "accepted": 0, "rejected": 0, "known": 0,
                       **{option: 0 for option in PASSES}}
        self.failures = []

    def judge(self, label, data, options, outcome):
        """Notes a failure; returns whether the module was accepted."""
        if outcome.problem and self.known.excuses(data, outcome):
            self.counts["known"] += 1
        elif outcome.problem:
            self.fail(label, data, options, outcome.problem, outcome.stack or outcome.errors)
        return outcome.accepted

    def fail(self, label, data, options, problem, detail):
        self.folder.mkdir(parents=True, exist_ok=True)
        name = re.sub(r"[^\w.-]", "_", f"{label}{''.join(options)}")
        path = self.folder / f"{name}.{'mlirbc' if is_bytecode(data) else 'mlir'}"
        path.write_bytes(data)
        # Where many fail, they rarely fail for many reasons.
        lines = [line[:160] for line in detail.splitlines() if "PLEASE submit" not in line]
        shown = "\n".join(lines[:20] if len(self.failures) < MOST_SHOWN else lines[:1])
        self.failures.append(f"{label}: {problem}\n  {' '.join(self.tool.command(options))} {path}\n{shown}")

    def examine(self, mutants, extra):
        """Reads, prints and lowers mutants, pairs of a label and the bytes. `extra` are options of all runs."""
        text = [mutant for mutant in mutants if not is_bytecode(mutant[1])]
        binary = [mutant for mutant in mutants if is_bytecode(mutant[1])]
        results = [(*mutant, outcome) for batch in batches(text)
                   for mutant, outcome in zip(batch, self.tool.run(extra, [data for _, data in batch]))]
        results += [(label, data, self.tool.run_single(extra, data)) for label, data in binary]
        self.counts["mutants"] += len(mutants)
        self.counts["bytecode"] += len(binary)

        accepted = [(label, data, outcome.output) for label, data, outcome in results
                    if self.judge(label, data, extra, outcome)]
        self.counts["accepted"] += len(accepted)
        self.counts["rejected"] += sum(not outcome.output and not outcome.problem for _, _, outcome in results)
        # What was read from bytecode goes on as text, if it is any: the reader of MLIR 22 accepts negative sizes.
        read = [output for _, data, output in accepted if is_bytecode(data)]
        valid = {output for output, outcome in zip(read, self.tool.run(extra, read)) if outcome.accepted}
        accepted = [(label, output if is_bytecode(data) else data, output) for label, data, output in accepted
                    if not is_bytecode(data) or output in valid]
        for batch in batches(accepted):
            self.check_round_trips(batch, extra)
            for option in PASSES:
                self.run_pass(batch, option, extra)

    def check_round_trips(self, batch, extra):
        """What was printed is read and printed the same, also by way of the generic form."""
        outputs = [output for _, _, output in batch]
        generic = self.tool.run([*extra, "--mlir-print-op-generic"], outputs)
        again = self.tool.run(extra, [outcome.output or output for outcome, output in zip(generic, outputs)])
        for (label, data, output), first, second in zip(batch, generic, again):
            if not first.accepted:
                self.fail(label, data, extra, "what is printed is refused: " + first.problem, first.errors)
            elif not second.accepted:
                self.fail(label, data, extra, "what is printed in generic form is refused: " + second.problem,
                          second.errors)
            elif second.output.strip() != output.strip() and not self.known.reprints(output):
                self.fail(label, data, extra, "printed another time it differs",
                          second.output.decode("utf-8", "replace"))

    def run_pass(self, batch, option, extra):
        is_checked = option in CHECKED_PASSES
        options = [*extra, option, *(["--verify-each=false"] if is_checked else [])]
        outcomes = self.tool.run(options, [data for _, data, _ in batch])
        passed = [(*mutant, outcome.output) for mutant, outcome in zip(batch, outcomes)
                  if self.judge(*mutant[:2], options, outcome)]
        self.counts[option] += len(passed)
        if not is_checked:
            return
        # What the pass has not changed has been read before.
        made = [(label, data, output) for label, data, printed, output in passed if output.strip() != printed.strip()]
        again = self.tool.run(extra, [output for _, _, output in made])
        for (label, data, _), outcome in zip(made, again):
            if outcome.accepted:
                continue
            if not outcome.problem and self.known.makes(outcome.errors):
                self.counts["known"] += 1
            else:
                self.fail(label, data, [*extra, option], "what the pass makes is refused: " + outcome.problem,
                          outcome.errors)


def is_bytecode(data):
    return data.startswith(b"ML\xefR")


def batches(items):
    return [items[first:first + TOGETHER] for first in range(0, len(items), TOGETHER)]
