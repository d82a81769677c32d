"""The oracle against its twin, against answers known by hand, and against planted errors."""

import math

import numpy as np
import pytest

import naive
import oracle
import tolerance
from cases import CASES
from planted import PLANTED, PLANTED_BOUNDS
from storage import stored

BY_NAME = {case.name: case for case in CASES}
LOW = [c for c in CASES if c.is_low()]
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
def calls():
    """(arrays, options) by case."""
    return {c.name: (c.arrays(), c.options()) for c in CASES}


@pytest.fixture(scope="module")
def right(calls):
    return {name: oracle.attention(*arrays, **rest) for name, (arrays, rest) in calls.items()}


def test_names_are_unique():
    assert len(BY_NAME) == len(CASES) >= 400


@pytest.mark.parametrize("case", SMALL, ids=lambda case: case.name)
def test_loops_agree(case, right):
    output, lse = oracle.attention_by_loops(*case.arrays(), **case.options())
    twin = right[case.name]._replace(output=output, lse=lse)
    assert disagreement(twin, right[case.name]) is None


@pytest.mark.parametrize("name", PLANTED)
def test_planted_error_is_found(name, calls, right, record_property):
    found = [
        case
        for case, (arrays, options) in calls.items()
        if disagreement(PLANTED[name](*arrays, **options), right[case])
    ]
    record_property("found_by", found)
    assert found, f"no case notices the planted error {name}"


@pytest.mark.parametrize("name", PLANTED_BOUNDS)
def test_planted_error_of_a_bound_is_found(name, calls, right):
    """Some case within the limit of `tolerance.single` has a bound that is off by much."""
    field = "largest_value" if "value" in name else "largest_logit"
    for case, (arrays, options) in calls.items():
        if not 0 < right[case].largest_logit <= tolerance.SINGLE_LOGIT_LIMIT:
            continue
        bound = getattr(right[case], field)
        wrong = getattr(PLANTED_BOUNDS[name](*arrays, **options), field)
        if bound > 0 and not bound / 4 <= wrong <= bound * 4:
            return
    pytest.fail(f"no case notices the planted error {name}")


def not_accepted(case, actual, expected, yardstick):
    """Why a result below single precision is refused, or None."""
    return tolerance.acceptance(
        stored(actual.output, case.dtype), expected.output, yardstick[0], case.dtype
    ) or tolerance.acceptance(stored(actual.lse, "f32"), expected.lse, yardstick[1], "f32")


@pytest.fixture(scope="module")
def yardsticks(calls):
    return {case.name: naive.attention(case, *calls[case.name][0]) for case in LOW}


# What no case of low precision is about, and rounding that is allowed to them.
NOT_IN_LOW = {
    "window_right_one_long", "lengths_not_clamped", "scale_zero_means_default", "scale_zero_hides",
    "symmetric_taken_for_alibi", "symmetric_sign", "alibi_wraps_at_32_bits", "boolean_mask_adds",
    "dense_mask_left_aligned", "sink_of_minus_inf_is_zero", "nan_sink_is_none",
    "scores_in_float32",
}


@pytest.mark.parametrize("name", [name for name in PLANTED if name not in NOT_IN_LOW])
def test_planted_error_is_found_in_low_precision(name, calls, right, yardsticks):
    for case in LOW:
        arrays, options = calls[case.name]
        wrong = PLANTED[name](*arrays, **options)
        if not_accepted(case, wrong, right[case.name], yardsticks[case.name]):
            return
    pytest.fail(f"no case below single precision notices the planted error {name}")


@pytest.mark.parametrize("case", LOW, ids=lambda case: case.name)
def test_right_result_is_accepted(case, right, yardsticks):
    expected, yardstick = right[case.name], yardsticks[case.name]
    assert not_accepted(case, expected, expected, yardstick) is None
    same = expected._replace(output=yardstick[0], lse=yardstick[1])
    assert not_accepted(case, same, expected, yardstick) is None


SINGLE = [c for c in CASES if c.dtype == "f32" and not c.is_low()]


@pytest.mark.parametrize("case", SINGLE, ids=lambda case: case.name)
def test_yardstick_is_attention(case, calls, right):
    """Where nothing is below single precision, it is what is asked of a compiled program."""
    output, lse = naive.attention(case, *calls[case.name][0])
    expected = right[case.name]
    assert tolerance.difference(output, expected.output, tolerance.single_output(expected)) is None
    assert tolerance.difference(lse, expected.lse, tolerance.single_lse(expected)) is None


R = np.array([8.0, -4.0, 2.0, math.nan, math.inf, -math.inf, 1.0, 0.5])
N = R + 0.25 * (R == 1)  # right but for 0.25 at one of the five finite places


@pytest.mark.parametrize(
    "change",
    [
        dict(at=0, to=8.52),  # 2 * 0.25 + 2 * 8 * eps = 0.515625
        dict(at=0, to=math.nan),
        dict(at=0, to=math.inf),
        dict(at=3, to=0.0),
        dict(at=3, to=math.inf),
        dict(at=4, to=-math.inf),
        dict(at=4, to=1e30),
        dict(at=5, to=math.nan),
        dict(at=slice(0, 3), to=[8.2, -4.2, 2.2]),  # mean 0.12, allowed is 0.103
        dict(at=slice(None), to=0.0),
    ],
)
def test_acceptance_refuses(change):
    actual = R.copy()
    actual[change["at"]] = change["to"]
    assert tolerance.acceptance(actual, R, N, "f16") is not None


@pytest.mark.parametrize("at, to", [(0, 8.51), (slice(0, 3), [8.15, -4.15, 2.15])])
def test_acceptance_has_bounds(at, to):
    actual = R.copy()
    actual[at] = to
    assert tolerance.acceptance(actual, R, N, "f16") is None


@pytest.mark.parametrize("at, to", [(0, 9.01), (3, 0.0), (0, math.nan), (4, -math.inf)])
def test_acceptance_needs_a_yardstick(at, to):
    naive_result = N.copy()
    naive_result[at] = to
    assert "no yardstick" in tolerance.acceptance(R, R, naive_result, "f16")


def test_acceptance_of_what_is_nowhere_finite():
    assert tolerance.acceptance([math.nan], np.array([math.nan]), [math.nan], "f16") is None
    assert tolerance.acceptance([0.0], np.array([math.nan]), [math.nan], "f16") is not None
    assert tolerance.acceptance([], np.array([]), [], "f16") is None


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


def zero_scores(queries, keys, heads=1, **options):
    """Attention whose scores are 0, with the unit vectors as values: the output is the weights."""
    q, k = np.zeros((1, heads, queries, 1)), np.zeros((1, heads, keys, 1))
    v = np.broadcast_to(np.eye(keys), (1, heads, keys, keys))
    return oracle.attention(q, k, v, **options)


def near(actual, expected):
    return actual == pytest.approx(np.array(expected), rel=1e-15, abs=0)


LN2 = math.log(2)


def test_alibi_of_ln_two_halves_with_each_step():
    """Causal: the key of the query itself, then 1/2, 1/4, ... of it."""
    output, lse, *_ = zero_scores(
        3, 3, bias="alibi", slopes=np.array([LN2]), causal=True, align="top_left"
    )
    assert near(output[0, 0], [[1, 0, 0], [1 / 3, 2 / 3, 0], [1 / 7, 2 / 7, 4 / 7]])
    assert near(lse[0, 0, 1:], np.log([3 / 2, 7 / 4]))


@pytest.mark.parametrize(
    "bias, weights", [("alibi", [1, 2, 4, 8]), ("alibi_symmetric", [2, 4, 2, 1])]
)
def test_alibi_ahead_of_the_query(bias, weights):
    """The query stands at key 1; each head has its slope."""
    output, *_ = zero_scores(
        1, 4, heads=2, bias=bias, slopes=np.array([LN2, 2 * LN2]), align="explicit", offset=1
    )
    for head, power in enumerate((1, 2)):
        weight = np.array(weights, float) ** power
        assert near(output[0, head, 0], weight / weight.sum())


@pytest.mark.parametrize(
    "origin, columns", [(1, [0, 0, 1, 2]), (0, [0, 0, 0, 1]), (4, [2, 2, 2, 2]), (-3, [0, 0, 0, 0])]
)
def test_relative_table_is_clamped_at_both_ends(origin, columns):
    """The query stands at key 2: j - p is -2, -1, 0, 1."""
    table = np.log([[1.0, 3.0, 5.0]])
    output, *_ = zero_scores(
        1, 4, bias="relative", table=table, origin=origin, align="explicit", offset=2
    )
    weight = np.exp(table[0, columns])
    assert near(output[0, 0, 0], weight / weight.sum())


def test_softcap_saturates():
    """Scores of +-1000 are +-c, and a score of c is c * tanh(1)."""
    q, k = np.array([[[[1.0]]]]), np.array([[[[1000.0], [-1000.0], [2.0]]]])
    output, lse, *_ = oracle.attention(q, k, np.eye(3)[None, None], softcap=2.0)
    weight = np.exp([2.0, -2.0, 2.0 * math.tanh(1)])
    assert near(output[0, 0, 0], weight / weight.sum()) and near(lse, np.log([[[weight.sum()]]]))


def test_softcap_comes_before_bias_and_mask():
    """Score 1000, capped to 1, moved by ln 2 and ln 3; a mask of -inf hides what is capped."""
    q, k = np.array([[[[1.0]]]]), np.full((1, 1, 3, 1), 1000.0)
    _, lse, *_ = oracle.attention(
        q, k, np.ones((1, 1, 3, 1)), softcap=1.0, bias="alibi", slopes=np.array([LN2]),
        align="top_left", mask=np.array([math.log(3), -math.inf, -math.inf]),
    )
    assert near(lse, [[[1 + math.log(3)]]])


MASK_SHAPES = ((), (5,), (4, 5), (1, 5), (4, 1), (3, 4, 5), (3, 1, 5), (2, 3, 4, 5), (2, 1, 1, 5),
               (1, 3, 4, 1), (1, 1, 1, 1))


@pytest.mark.parametrize("shape", MASK_SHAPES)
def test_mask_entry_belongs_to_its_place(shape):
    """The mask holds its own place in base 10: axes fill up from the right, 1 stands for all."""
    places = np.indices((2, 3, 4, 5))[4 - len(shape) :]
    digits = [place * (size > 1) for place, size in zip(places, shape)]
    expected = sum((10**n * digit for n, digit in enumerate(digits)), np.zeros((2, 3, 4, 5)))
    mask = sum(10**n * digit for n, digit in enumerate(np.indices(shape))) + np.zeros(shape)
    added, allowed = oracle.dense_mask(mask, (2, 3, 4, 5))
    assert (added == expected).all() and allowed.all()
    added, allowed = oracle.dense_mask(mask > 11, (2, 3, 4, 5))
    assert (allowed == (expected > 11)).all() and not added.any()


def test_mask_says_true_for_attend_and_minus_inf_for_hidden():
    shown = np.array([[True, False, True], [False, False, False]])
    expected = [[[[0.5, 0, 0.5], [0, 0, 0]]]]
    for mask in (shown, np.where(shown, 0, -math.inf)):
        output, lse, *_ = zero_scores(2, 3, mask=mask)
        assert output.tolist() == expected and lse[0, 0, 1] == -math.inf
        assert near(lse[0, 0, 0], LN2)


def test_low_mask_is_a_number():
    """A row of -1e9 is a row like another; next to a 0 it has no weight."""
    output, lse, *_ = zero_scores(2, 2, mask=np.array([[-1e9, -1e9], [0, -1e9]]))
    assert output.tolist() == [[[[0.5, 0.5], [1, 0]]]]
    assert near(lse, [[[LN2 - 1e9, 0]]])


def test_minus_inf_hides_nan_as_false_does():
    q, k = np.ones((1, 1, 1, 1)), np.array([[[[0.0], [math.nan]]]])
    for mask in (np.array([0, -math.inf]), np.array([True, False])):
        output, lse, *_ = oracle.attention(q, k, np.ones((1, 1, 2, 1)), mask=mask)
        assert output.item() == 1 and lse.item() == 0


def test_sink_of_the_lse_halves_the_output():
    for level in (math.log(3), 3 * LN2):
        output, lse, *_ = zero_scores(1, 3, sink=np.array([level]))
        share = 1 / (3 + math.exp(level))
        assert output == pytest.approx(np.full((1, 1, 1, 3), share), rel=1e-14)
        assert lse == pytest.approx(np.array([[[-math.log(share)]]]), rel=1e-14)


def test_sink_is_no_score():
    """Neither scaled nor capped, and of its own head."""
    _, lse, *_ = zero_scores(1, 1, heads=2, sink=np.array([5.0, -math.inf]), scale=9.0, softcap=0.1)
    assert near(lse, [[[math.log(1 + math.exp(5))], [0]]])


@pytest.mark.parametrize("sink", (0.0, -7.0, 1e30, -math.inf, math.nan))
def test_row_without_keys_has_the_sink_for_lse(sink):
    output, lse, *_ = zero_scores(1, 2, sink=np.array([sink]), lengths=[0])
    assert not output.any() and np.array_equal(lse, [[[sink]]], equal_nan=True)


@pytest.mark.parametrize("sink, weight, level", [(1e30, 0, 1e30), (-1e30, 1, 0), (-math.inf, 1, 0)])
def test_sink_far_from_the_scores(sink, weight, level):
    output, lse, *_ = zero_scores(1, 1, sink=np.array([sink]))
    assert output.item() == weight and lse.item() == level


def test_nan_sink_is_of_its_head():
    output, lse, *_ = zero_scores(1, 1, heads=2, sink=np.array([math.nan, 0.0]))
    assert np.isnan(output).ravel().tolist() == np.isnan(lse).ravel().tolist() == [True, False]


def test_one_batch_of_keys_is_read_by_all():
    q = np.array([0.0, math.log(3)]).reshape(2, 1, 1, 1)
    k, v = np.array([[[[0.0], [1.0]]]]), np.array([[[[8.0], [16.0]]]])
    assert near(oracle.attention(q, k, v).output.ravel(), [12.0, 14.0])


@pytest.mark.parametrize(
    "element, number, expected",
    [
        ("bf16", 1 + 2**-8, 1.0),  # halfway, to even
        ("bf16", 1 + 3 * 2**-8, 1 + 2**-6),
        ("bf16", 1 + 2**-8 + 2**-20, 1 + 2**-7),
        ("bf16", -3.4e38, -math.inf),
        ("bf16", 133120.0, 133120.0),
        ("f16", 1 + 2**-11, 1.0),
        ("f16", 65519.0, 65504.0),
        ("f16", 65520.0, math.inf),
        ("f16", 2.0**-24, 2.0**-24),
        ("f16", 2.0**-26, 0.0),
    ],
)
def test_stored_numbers(element, number, expected):
    assert stored(number, element) == expected
    assert stored(-number, element) == -expected
    assert np.isnan(stored(math.nan, element))


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
