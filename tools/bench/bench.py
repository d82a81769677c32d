"""./dev bench: how near compiled attention comes to what this machine can do. docs/Performance.md says how."""

import argparse
import dataclasses
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import report
import timing
import workloads
from compiler import ROOT, BenchError, Compiler
from machine import Machine, pick_cpus, pin_threads, waited_seconds
from program import Program

# ---- Options


class Parser(argparse.ArgumentParser):
    """One sentence, exit status 1."""

    def error(self, message):
        raise BenchError(f"{message}; './dev help' lists what there is")


def positive(text):
    if not re.fullmatch(r"[1-9][0-9]{0,5}", text):
        raise argparse.ArgumentTypeError(f"expected a number from 1 to 999999, found '{text}'")
    return int(text)


def thread_counts(text):
    return sorted({positive(part) for part in text.split(",")})


def regular_expression(text):
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"expected a regular expression, found '{text}': {error}") from error


def parse_options(arguments):
    parser = Parser(prog="./dev bench", allow_abbrev=False, add_help=False)
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--filter", type=regular_expression, default=re.compile(""), metavar="REGEX")
    parser.add_argument("--rounds", type=positive, metavar="N")
    parser.add_argument("--threads", type=thread_counts, default=[1, 2], metavar="N,...")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args(arguments)
    options.workloads = workloads.select(options.filter)
    if not options.workloads:
        raise BenchError(f"--filter={options.filter.pattern} matches no row; ./dev bench --list shows them")
    if options.json:
        check_writable(options.json)
    return options


def check_writable(path):
    """Before minutes of measuring, not behind them. Leaves a file that is there as it is."""
    new = not path.exists()
    try:
        with path.open("a", encoding="utf-8"):
            pass
    except OSError as error:
        raise BenchError(f"--json={path}: {error.strerror}") from error
    if new:
        path.unlink()


def choose_settings(options):
    settings = timing.QUICK if options.quick else timing.THOROUGH
    return dataclasses.replace(settings, rounds=options.rounds or settings.rounds)


# ---- Running


def progress(text):
    """Beside the table, which is on standard output."""
    print(text, file=sys.stderr, flush=True)


def choose_threads(wanted, cores, openmp):
    """Those of the wanted numbers of threads that can be measured here; a sentence for each other one."""
    for count in wanted:
        if count > 1 and not openmp:
            progress(f"no rows with {count} threads: the build has no OpenMP runtime")
        elif count > cores:
            progress(f"no rows with {count} threads: the number of cores that this process may use is {cores}")
    chosen = [count for count in wanted if count == 1 or (openmp and count <= cores)]
    if not chosen:
        raise BenchError(f"--threads={','.join(map(str, wanted))}: none of these can be measured here")
    return chosen


def prepare(program, threads):
    """The rows of a program, and how wrong it is at most. Wrong numbers are not timed."""
    workload = program.workload
    rows = [timing.Row(workload, count, program.bind(count)) for count in threads]
    error = 0.0
    for row in rows:
        program.output.fill(float("nan"))
        row.call()
        error = max(error, workloads.largest_error(workload, program.inputs, program.output))
    if error > workloads.GROSS_ERROR:
        raise BenchError(f"{workload.name}: expected a relative error of at most {workloads.GROSS_ERROR}, found {error}")
    return rows, error


def measure(rows, machine, settings):
    sampler = timing.Sampler(machine, settings, waited_seconds)
    for count in machine.threads:
        machine.peak(count, settings.warm_up_seconds)
    for row in rows:
        sampler.warm_up(row)
    for number in range(1, settings.rounds + 1):
        progress(f"round {number} of {settings.rounds}")
        machine.stream()
        sampler.take_round(rows)


def revision():
    done = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)
    return done.stdout.strip() or None


def run(options, folder):
    """The whole report, as JSON."""
    settings, cpus = choose_settings(options), pick_cpus()
    compiler = Compiler(Path(os.environ.get("MHA_BUILD_DIR", ROOT / "build")), folder)
    threads = choose_threads(options.threads, len(cpus), compiler.openmp)
    compiled = []
    for workload in options.workloads:
        progress(f"compile {workload.name}")
        compiled.append(compiler.compile(workload))
    pin_threads(cpus, compiler.openmp)
    machine = Machine(compiler.compile_peak(), threads, len(cpus))
    progress("check the numbers")
    programs = [Program(*pair) for pair in zip(compiled, options.workloads)]
    prepared = [prepare(program, threads) for program in programs]
    measure([row for rows, _ in prepared for row in rows], machine, settings)
    described = [report.describe_row(row, program, error, machine.best_peak[row.threads], settings.needed)
                 for program, (rows, error) in zip(programs, prepared) for row in rows]
    report.add_speedups(described)
    return {"revision": revision(), "machine": {**machine.describe(), "llvm_cpu": compiled[0].cpu},
            "settings": {**dataclasses.asdict(settings), "quick": options.quick, "needed": settings.needed,
                         **timing.BOUNDS}, "rows": described}


def main(arguments):
    try:
        options = parse_options(arguments)
        if options.list:
            print("\n".join(workload.name for workload in options.workloads))
            return 0
        with tempfile.TemporaryDirectory() as folder:
            result = run(options, Path(folder))
    except BenchError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    rows = result["rows"]
    parts = (report.format_heading(result), report.format_table(rows), report.format_unstable(rows),
             report.format_beyond_peak(rows))
    print("\n\n".join(filter(None, parts)))
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
