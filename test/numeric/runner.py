"""Calls `mha-run` on a program and NumPy arrays."""

import os
import shlex
import subprocess
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("MHA_BUILD_DIR", ROOT / "build"))
MHA_RUN = BUILD / "bin" / "mha-run"
MHA_OPT = BUILD / "bin" / "mha-opt"

SECONDS = 120  # a call takes less than one; a hang must not stop the suite


def rewrite(program, pipeline):
    """What the passes of `mha-opt` make of the text `program`."""
    command = [str(MHA_OPT), f"--pass-pipeline={pipeline}"]
    done = subprocess.run(command, input=program, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, f"exit status {done.returncode} of {' '.join(command)}\n{done.stderr}"
    return done.stdout


def run(program, inputs, results, folder, *flags, report=None):
    """Runs `@main` of the text `program` and returns the first `results` results.

    Parameters
    ----------
    inputs : dict of str to array
        By argument name.
    folder : Path
        Where the program and the arrays are written; created.
    report : Path, optional
        Where what `mha-run` prints is put.
    flags : str
        Further flags, such as "--reference". A call that fails, also in a verification, raises
        AssertionError with the command and what it said.
    """
    files, outputs = files_of(inputs, results, folder)
    call(program, folder, *flags, *files, report=report)
    return [np.load(path) for path in outputs]


def run_many(program, all_inputs, results, folder, *flags, report=None):
    """As `run`, for each of several `inputs`: a list of what that returns. Compiles once."""
    files = [files_of(inputs, results, folder / str(n)) for n, inputs in enumerate(all_inputs)]
    runs = folder / "runs.txt"
    runs.write_text("".join(shlex.join(options) + "\n" for options, _ in files))
    call(program, folder, *flags, f"--runs={runs}", report=report)
    return [[np.load(path) for path in outputs] for _, outputs in files]


def files_of(inputs, results, folder):
    """Writes the inputs; (the options that name all files, the files of the results)."""
    folder.mkdir(parents=True, exist_ok=True)
    options = []
    for name, array in inputs.items():
        path = folder / f"{name}.npy"
        np.save(path, np.asarray(array, order="C"))
        options.append(f"--input={name}=@{path}")
    outputs = [folder / f"result{n}.npy" for n in range(results)]
    return options + [f"--output=@{path}" for path in outputs], outputs


def call(program, folder, *options, report=None):
    """Calls `mha-run`; what it says when it fails is in the AssertionError."""
    source = folder / "program.mlir"
    source.write_text(program)
    command = [str(MHA_RUN), str(source), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    said = f"{' '.join(command)}\n{done.stdout}{done.stderr}"
    if report is not None:
        report.write_text(done.stdout)
    assert done.returncode == 0, f"exit status {done.returncode} of {said}"
