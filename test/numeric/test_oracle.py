"""The oracle against its twin, against answers known by hand, and against planted errors."""

import math

import numpy as np
import pytest

import oracle
import tolerance
from cases import CASES
from planted import PLANTED

BY_NAME = {case.name: case for case in CASES}
SMALL = [c for c in CASES if c.batch * c.query_heads * c.queries * c.keys * c.depth <= 60000]


def disagreement(actual, expected):
    """The first of output and lse that is outside the agreement rule, as a sentence, or None."""
    output = tolerance.difference(
        actual.output,
        expected.output,
        tolerance.agreement(expected.largest_logit, expected.largest_value),
    )
    lse = tolerance.difference(
        actual.lse, expected.lse, tolerance.agreement_lse(expected.largest_logit)
    )
    return output and f"output: {output}" or lse and f"lse: {lse}"


@pytest.fixture(scope="module")
def right():
    return {c.name: oracle.attention(*c.arrays(), **c.options()) for c in CASES}


def test_names_are_unique():
    assert len(BY_NAME) == len(CASES) >= 100


@pytest.mark.parametrize("case", SMALL, ids=lambda case: case.name)
def test_loops_agree(case, right):
    output, lse = oracle.attention_by_loops(*case.arrays(), **case.options())
    twin = right[case.name]._replace(output=output, lse=lse)
    assert disagreement(twin, right[case.name]) is None


@pytest.mark.parametrize("name", PLANTED)
def test_planted_error_is_found(name, right, record_property):
    found = [
        case.name
        for case in CASES
        if disagreement(PLANTED[name](*case.arrays(), **case.options()), right[case.name])
    ]
    record_property("found_by", found)
    assert found, f"no case notices the planted error {name}"


def seen_by(align, queries, keys, offset=0, length=None, window=None, causal=True):
    """The drawn matrix of one batch: x visible, . hidden."""
    lengths = None if length is None else [length]
    length = oracle.key_lengths(lengths, 1, keys)
    position = oracle.query_positions(align, offset, length, queries)
    shown = oracle.visible(position, length, keys, causal, window)[0]
    return ["".join("x" if x else "." for x in row) for row in shown]


@pytest.mark.parametrize(
    "drawn, arguments",
    [
        (["x...", "xx.."], dict(align="top_left", queries=2, keys=4)),
        (["xxx.", "xxxx"], dict(align="bottom_right", queries=2, keys=4)),
        ([".." , "..", "x.", "xx"], dict(align="bottom_right", queries=4, keys=2)),
        (["x.", "xx", "xx"], dict(align="top_left", queries=3, keys=2)),
        (["xx..", "xxx."], dict(align="explicit", queries=2, keys=4, offset=1)),
        (["....", "x..."], dict(align="explicit", queries=2, keys=4, offset=-1)),
        (["xx..", "xxx."], dict(align="end", queries=2, keys=4, offset=-3)),
        (["xx..", "xxx."], dict(align="bottom_right", queries=2, keys=4, length=3)),
        (["x...", "xx.."], dict(align="top_left", queries=2, keys=4, length=3)),
        (["....", "...."], dict(align="top_left", queries=2, keys=4, length=0)),
        (["x...", "xx..", ".xx."],
         dict(align="top_left", queries=3, keys=4, window=(1, 0), causal=False)),
        (["xx..", ".xx.", "..xx"],
         dict(align="top_left", queries=3, keys=4, window=(0, 1), causal=False)),
        ([".x..", "..x."],
         dict(align="explicit", queries=2, keys=4, offset=1, window=(0, 0), causal=False)),
        (["x...", "xx.."], dict(align="top_left", queries=2, keys=4, window=(1, 1))),
        (["xxxx", "xxxx"], dict(align="top_left", queries=2, keys=4, causal=False)),
    ],
)
def test_visible_keys(drawn, arguments):
    assert seen_by(**arguments) == drawn


def test_one_key_is_its_value():
    q, k, v = np.array([[[[3.0]]]]), np.array([[[[5.0]]]]), np.array([[[[7.0, 11.0]]]])
    output, lse, *_ = oracle.attention(q, k, v)
    assert output.tolist() == [[[[7.0, 11.0]]]] and lse.tolist() == [[[15.0]]]


def test_logits_zero_and_ln_three():
    """Weights 1/4 and 3/4."""
    q, v = np.array([[[[1.0]]]]), np.array([[[[8.0], [16.0]]]])
    k = np.array([[[[0.0], [math.log(3)]]]])
    output, lse, *_ = oracle.attention(q, k, v)
    assert output.item() == pytest.approx(14.0, rel=1e-15)
    assert lse.item() == pytest.approx(math.log(4), rel=1e-15)


def test_scale_is_of_the_query_depth():
    """D = 4: the logit 2 * ln 3 becomes ln 3."""
    q, v = np.array([[[[1.0, 0, 0, 0]]]]), np.array([[[[8.0], [16.0]]]])
    k = np.array([[[[0.0] * 4, [2 * math.log(3), 0, 0, 0]]]])
    assert oracle.attention(q, k, v).output.item() == pytest.approx(14.0, rel=1e-15)


def test_query_heads_share_key_heads_in_runs():
    assert oracle.key_head_of(6, 3).tolist() == [0, 0, 1, 1, 2, 2]
    assert oracle.key_head_of(4, 1).tolist() == [0, 0, 0, 0]


def test_row_without_keys():
    q, k, v = np.full((1, 1, 1, 2), np.nan), np.full((1, 1, 3, 2), np.nan), np.ones((1, 1, 3, 2))
    output, lse, *_ = oracle.attention(q, k, v, lengths=[0])
    assert output.tolist() == [[[[0.0, 0.0]]]] and lse.tolist() == [[[-math.inf]]]


@pytest.mark.parametrize(
    "actual",
    [
        [0.0, math.nan, math.inf],
        [1.0, 2.0, math.inf],
        [1.0, math.nan, -math.inf],
        [1.0, math.nan, 1e300],
        [math.nan, math.nan, math.inf],
        [math.inf, math.nan, math.inf],
        [1.0, math.nan],
    ],
)
def test_difference_is_seen(actual):
    expected = [1.0, math.nan, math.inf]
    assert tolerance.difference(expected, expected, 0.0) is None
    assert tolerance.difference(actual, expected, 1e-3) is not None


def test_difference_without_bound_sees_inf():
    assert tolerance.difference([math.inf], [1.0]) is not None
    assert tolerance.difference([2.0], [1.0]) is None


def test_difference_at_the_bound():
    assert tolerance.difference([1.5], [1.0], 0.5) is None
    assert tolerance.difference([1.5], [1.0], 0.49) is not None
