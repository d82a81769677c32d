"""Calls `mha-run` on a program and NumPy arrays."""

import os
import subprocess
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("MHA_BUILD_DIR", ROOT / "build"))
MHA_RUN = BUILD / "bin" / "mha-run"

SECONDS = 120  # a call takes less than one; a hang must not stop the suite


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
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "program.mlir"
    source.write_text(program)
    command = [str(MHA_RUN), str(source), *flags]
    for name, array in inputs.items():
        path = folder / f"{name}.npy"
        np.save(path, np.asarray(array, order="C"))
        command.append(f"--input={name}=@{path}")
    outputs = [folder / f"result{n}.npy" for n in range(results)]
    command += [f"--output=@{path}" for path in outputs]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    said = f"{' '.join(command)}\n{done.stdout}{done.stderr}"
    assert done.returncode == 0, f"exit status {done.returncode} of {said}"
    if report is not None:
        report.write_text(done.stdout)
    return [np.load(path) for path in outputs]
