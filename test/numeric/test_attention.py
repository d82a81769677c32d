"""Every case through `mha-run`, judged by the NumPy oracle.

The float64 reference has to agree with the oracle to rounding. The compiled code has to pass
`--verify` (against that reference) and, because a mistake may be common to both, is compared
with the oracle here as well: below single precision by the rule of acceptance, whose yardstick is
`naive.py`.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import emit
import naive
import oracle
import tolerance
from cases import CASES
from runner import run
from storage import DTYPES, stored


def check(name, actual, expected, bound):
    wrong = tolerance.difference(actual, expected, bound)
    assert wrong is None, f"{name}: {wrong}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case, mha_run, tmp_path):
    arrays = case.arrays()
    call = emit.module(case), emit.inputs(case, arrays), 1 + case.lse
    with ThreadPoolExecutor() as pool:
        reference = pool.submit(run, *call, tmp_path / "reference", "--reference")
        compiled = pool.submit(run, *call, tmp_path / "compiled", "--verify")
        expected = oracle.attention(*arrays, **case.options())
    check_reference(case, expected, *reference.result())
    check_compiled(case, expected, arrays, *compiled.result())


def check_reference(case, expected, output, lse=None):
    assert output.dtype == np.float64
    bound = tolerance.agreement(expected.largest_logit, expected.largest_value)
    check("reference output", emit.from_layout(output, case.layouts[3]), expected.output, bound)
    if case.lse:
        assert lse.dtype == np.float64
        check(
            "reference lse", lse, expected.lse, tolerance.agreement_lse(expected.largest_logit)
        )


def check_compiled(case, expected, arrays, output, lse=None):
    assert output.dtype == DTYPES[case.dtype]
    assert np.array_equal(stored(output, case.dtype), output, equal_nan=True)
    output = emit.from_layout(output, case.layouts[3])
    if case.lse:
        assert lse.dtype == DTYPES[case.type_of("lse")]
    if case.is_low():
        naive_output, naive_lse = naive.attention(case, *arrays)
        accept("output", output, expected.output, naive_output, case.dtype)
        if case.lse:
            accept("lse", lse, expected.lse, naive_lse, case.type_of("lse"))
        return
    bound = tolerance.agreement(expected.largest_logit, expected.largest_value)
    if case.dtype == "f32":
        bound = tolerance.single_output(expected)
    check("compiled output", output, expected.output, bound)
    if case.lse:
        bound = tolerance.agreement_lse(expected.largest_logit)
        if case.dtype == "f32":
            bound = tolerance.single_lse(expected)
        check("compiled lse", lse, expected.lse, bound)


def accept(name, *judged):
    wrong = tolerance.acceptance(*judged)
    assert wrong is None, f"compiled {name}: {wrong}"
