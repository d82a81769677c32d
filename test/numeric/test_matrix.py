"""The edge matrix: each pair of values of its axes, on each path of compiled code, judged by the oracle.

`mha-run --verify` judges each run by the float64 reference; because a mistake may be common to both,
each output is compared with the NumPy oracle here as well. What the runs had is then read from the
reports of `mha-run`, and no possible pair may be missing. `MHA_MATRIX_FOLDER` keeps all files there.
"""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import matrix_coverage
from covering import covering
from matrix import Problem
from matrix_axes import axes_of, cost_of, program_of, rules_of
from runner import run_many

MOST_FAILURES = 20  # that are listed


def programs(path):
    """The problems of each program."""
    groups = {}
    for row in covering(axes_of(path), rules_of(path), program_of, cost_of):
        groups.setdefault(tuple(program_of(row).items()), []).append(Problem(path, row))
    return list(groups.values())


def run_program(problems, folder):
    """(what is wrong, what the runs had)."""
    first = problems[0]
    inputs = [problem.inputs() for problem in problems]
    flags = "--verify", "--json", "--threads=1", *first.flags()
    wrong = []
    try:
        run_many(first.program(), inputs, 1, folder, *flags, report=folder / "report.json")
    except AssertionError as error:
        said = [line for line in str(error).splitlines() if "error: " in line]
        wrong.append("\n".join([f"{folder}: {' '.join(flags)}", *said[:MOST_FAILURES]]))
    for n, problem in enumerate(problems):
        result = folder / str(n) / "result0.npy"
        said = problem.judge(np.load(result)) if result.exists() else "no result"
        if said is not None:
            wrong.append(f"{folder}/{n}: {problem.row}: {said}")
    ran = (folder / "report.json").read_text() != ""
    return wrong, matrix_coverage.measure_folder(folder) if ran else []


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    kept = os.environ.get("MHA_MATRIX_FOLDER")
    folder = Path(kept) if kept else tmp_path_factory.mktemp("matrix")
    yield folder
    if not kept:
        shutil.rmtree(folder)


@pytest.mark.parametrize("path", matrix_coverage.PATHS)
def test_each_pair_of_the_matrix(path, mha_run, folder, capsys):
    with ThreadPoolExecutor(1 + (os.cpu_count() or 1)) as pool:
        tasks = [
            pool.submit(run_program, problems, folder / path / str(n)) for n, problems in enumerate(programs(path))
        ]
    results = [task.result() for task in tasks]
    wrong = [text for texts, _ in results for text in texts]
    measured = [run for _, runs in results for run in runs]
    with capsys.disabled():
        complete = matrix_coverage.print_coverage(path, measured)
    assert not wrong, f"{len(wrong)} failures\n" + "\n\n".join(wrong[:MOST_FAILURES])
    assert complete, "pairs are missing"
