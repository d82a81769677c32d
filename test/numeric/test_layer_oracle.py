"""The oracle of layers by what is known by hand, its yardstick, and planted errors."""

import math

import numpy as np
import pytest

import layer_naive
import layer_oracle
import oracle
import tolerance
from layer_cases import CASES, PAIRWISE
from layer_planted import PLANTED
from storage import stored

SINGLE = [case for case in CASES if case.dtype == "f32" and not case.is_low()]
BELOW_DOUBLE = [case for case in CASES if case.dtype != "f64"]


def by_name(cases):
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.name)


B, HQ, HKV, SQ, SK, D, DV, E, EO = 2, 6, 3, 7, 11, 5, 4, 13, 9


def normal(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


def operands(hq=HQ, hkv=HKV, d=D, dv=DV):
    """Three inputs of one width, and weights."""
    return dict(
        query=normal(1, B, SQ, E),
        key=normal(2, B, SK, E),
        value=normal(3, B, SK, E),
        heads=hq,
        kv_heads=hkv,
        w_q=(normal(4, hq * d, E) / 3, "oe"),
        w_k=(normal(5, hkv * d, E) / 3, "oe"),
        w_v=(normal(6, hkv * dv, E) / 3, "oe"),
        w_o=(normal(7, EO, hq * dv), "oe"),
    )


def biases(hq=HQ, hkv=HKV, d=D, dv=DV):
    return dict(b_q=normal(8, hq * d), b_k=normal(9, hkv * d), b_v=normal(10, hkv * dv))


def output(*changes, **options):
    for change in changes:
        options = change | options
    return layer_oracle.layer(**options).output


def identities(query, key, value, heads=1, kv_heads=None):
    """A layer whose projections change nothing: (B, S, H * D) is what the heads get and give."""
    of = dict(query=query, key=key, value=value, heads=heads, kv_heads=kv_heads)
    group = heads // (kv_heads or heads)
    weights = {f"w_{name[0]}": (np.eye(of[name].shape[2]), "oe") for name in ("query", "key", "value")}
    return of | weights | dict(w_o=(np.eye(group * value.shape[2]), "oe"))


def no_scores(queries, keys, **options):
    """One head whose scores are 0, with unit vectors as values: what it gives are its weights."""
    return output(identities(np.zeros((1, queries, 1)), np.zeros((1, keys, 1)), np.eye(keys)[None]), **options)[0]


def near(actual, expected):
    return tolerance.difference(actual, expected, 1e-12) is None


def test_logits_zero_and_ln_three():
    """Weights 1/4 and 3/4 of 8 and 16, then doubled, then one more."""
    of = identities(np.ones((1, 1, 1)), np.array([[[0.0], [math.log(3)]]]), np.array([[[8.0], [16.0]]]))
    assert near(output(of, w_o=(np.array([[2.0]]), "oe"), b_o=np.ones(1)), [[[29.0]]])


def test_scale_is_of_the_head_size_of_keys():
    """D = 4, Dv = 1: the logit 2 * ln 3 becomes ln 3."""
    key = np.zeros((1, 2, 4))
    key[0, 1, 0] = 2 * math.log(3)
    of = identities(np.eye(4)[None, :1], key, np.array([[[8.0], [16.0]]]))
    assert near(output(of), [[[14.0]]])
    assert near(output(of, scale=0.5), [[[14.0]]]) and near(output(of, scale=0.0), [[[12.0]]])


def test_query_is_key_and_key_is_value_where_they_are_absent():
    of = operands()
    for key, value in ((None, None), (of["key"], None), (None, of["query"] + 1)):
        written = of | dict(key=of["query"] if key is None else key)
        written["value"] = written["key"] if value is None else value
        assert (output(of | dict(key=key, value=value)) == output(written)).all()


def test_without_weights_the_biases_are_left():
    of = operands() | dict(w_q=(np.zeros((HQ * D, E)), "oe"))
    assert near(output(of, w_o=(np.zeros((EO, HQ * DV)), "oe"), b_o=np.arange(EO)), np.tile(np.arange(EO), (B, SQ, 1)))
    one_value = np.repeat(np.arange(HKV * DV).reshape(HKV, DV), HQ // HKV, axis=0).ravel()
    found = output(of, w_v=(np.zeros((HKV * DV, E)), "oe"), b_v=np.arange(HKV * DV))
    assert near(found, np.tile(of["w_o"][0] @ one_value, (B, SQ, 1)))


def test_channels_of_a_head_are_neighbours_and_heads_share_in_runs():
    """One key: each head gives the value of its key/value head."""
    of = identities(np.ones((1, 1, 8)), np.ones((1, 1, 4)), np.array([[[10.0, 11, 20, 21]]]), heads=4, kv_heads=2)
    assert output(of).tolist() == [[[10, 11, 10, 11, 20, 21, 20, 21]]]


def test_heads_do_not_mix():
    """Scores of head 0 come from the first half of the channels alone."""
    query = np.array([[[1.0, 0.0]]])
    key = np.array([[[0.0, 5.0], [math.log(3), -7.0]]])
    of = identities(query, key, np.array([[[8.0, 80.0], [16.0, 160.0]]]), heads=2)
    assert near(output(of), [[[14.0, 120.0]]])


STRUCTURES = [
    dict(),
    dict(causal=True, align="top_left"),
    dict(causal=True, align="bottom_right", lengths=[7, 0]),
    dict(window=(2, 1), align="explicit", offset=[3, -2]),
    dict(causal=True, window=(3, 9), align="end", offset=-5, lengths=[20, 6]),
    dict(window=(0, 2), align="bottom_right", scale=0.3),
]


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("shape", [(SK,), (SQ, SK), (HQ, 1, SK), (B, 1, SQ, SK)])
def test_layer_that_projects_nothing_is_attention(shape, structure):
    """With each mask, in booleans and numbers."""
    q, k, v = normal(1, B, HQ, SQ, D), normal(2, B, HKV, SK, D), normal(3, B, HKV, SK, DV)
    joined = (x.transpose(0, 2, 1, 3).reshape(B, x.shape[2], -1) for x in (q, k, v))
    of = identities(*joined, heads=HQ, kv_heads=HKV)
    shown = normal(4, *shape) < 0.4
    for mask in (None, shown, np.where(shown, normal(5, *shape), -np.inf)):
        expected = oracle.attention(q, k, v, mask=mask, **structure)
        found = output(of, dense_mask=mask, **structure).reshape(B, SQ, HQ, DV).transpose(0, 2, 1, 3)
        bound = tolerance.agreement(expected.largest_logit, expected.largest_value)
        assert tolerance.difference(found, expected.output, bound) is None


def test_projections_are_linear():
    """x W^T + b, as one more channel of ones has it."""
    of, with_ = operands(), biases()
    ones = {name: np.pad(of[name], [(0, 0), (0, 0), (0, 1)], constant_values=1) for name in ("query", "key", "value")}
    wide = {f"w_{x}": (np.column_stack([of[f"w_{x}"][0], with_[f"b_{x}"]]), "oe") for x in "qkv"}
    assert near(output(of, **with_), output(of | ones | wide))


def test_layouts_of_weights():
    of = operands()
    turned = {name: (of[name][0].T, "eo") for name in ("w_q", "w_k", "w_v", "w_o")}
    for names in (("w_q",), ("w_k", "w_o"), tuple(turned)):
        assert near(output(of | {name: turned[name] for name in names}), output(of))


def test_packed_weights_and_biases_are_those_one_after_another():
    of, with_ = operands(dv=D), biases(dv=D)
    weight = np.concatenate([of[name][0] for name in ("w_q", "w_k", "w_v")])
    bias = dict(b_qkv=np.concatenate(list(with_.values())))
    packed = of | dict(w_q=None, w_k=None, w_v=None)
    for w_qkv in ((weight, "oe"), (weight.T, "eo")):
        assert near(output(packed, w_qkv=w_qkv), output(of))
        assert near(output(packed, w_qkv=w_qkv, **bias), output(of, **with_))
        assert near(output(packed, w_qkv=w_qkv, **with_), output(of, **with_))
    other, with_ = operands(), biases()
    assert near(output(other, b_qkv=np.concatenate(list(with_.values()))), output(other, **with_))


def test_key_bias_alone_changes_nothing():
    """It adds the same to all scores of a row; to those of an extra key and of zeros it does not."""
    of, bias = operands(), dict(b_k=biases()["b_k"])
    assert near(output(of, **bias), output(of))
    assert not near(output(of, zero_attn=True, **bias), output(of, zero_attn=True))


def test_order_of_the_keys_does_not_matter():
    of = operands()
    order = np.random.default_rng(5).permutation(SK)
    moved = {name: of[name][:, order] for name in ("key", "value")}
    more = dict(zero_attn=True, extra_key=normal(8, HKV * D), extra_value=normal(9, HKV * DV))
    for options in (dict(), more):
        assert near(output(of | moved, **options), output(of, **options))
    padding = normal(10, B, SK)
    assert near(output(of | moved, key_padding=padding[:, order]), output(of, key_padding=padding))


def test_grouped_heads_are_repeated_heads():
    of, group = operands(), HQ // HKV
    repeated = {
        name: (np.repeat(of[name][0].reshape(HKV, -1, E), group, axis=0).reshape(-1, E), "oe")
        for name in ("w_k", "w_v")
    }
    assert near(output(of | repeated | dict(kv_heads=HQ)), output(of))
    assert near(output(of | repeated | dict(kv_heads=None)), output(of))


def test_zero_attn_is_a_key_of_zeros():
    of = operands()
    zeros = {name: np.pad(of[name], [(0, 0), (0, 1), (0, 0)]) for name in ("key", "value")}
    assert near(output(of, zero_attn=True), output(of | zeros))
    assert near(no_scores(1, 3, zero_attn=True), np.full((1, 3), 1 / 4))
    assert near(output(of, zero_attn=True), output(of, extra_key=np.zeros(HKV * D), extra_value=np.zeros(HKV * DV)))


def test_zero_attn_is_not_biased():
    assert not near(output(operands(), zero_attn=True, **biases()), output(operands(), **biases()))
    of = identities(np.zeros((1, 1, 1)), np.zeros((1, 1, 1)), np.zeros((1, 1, 1)))
    assert near(output(of, zero_attn=True, b_v=np.array([8.0])), [[[4.0]]])


def test_extra_key_is_one_more_that_is_not_projected():
    """Where nothing is projected it might as well be an input; it has its score, and its scale."""
    of = identities(normal(1, B, SQ, 6), normal(2, B, SK, 6), normal(3, B, SK, 4), heads=2)
    extra = dict(extra_key=normal(4, 6), extra_value=normal(5, 4))
    more = {name: np.tile(extra[f"extra_{name}"], (B, 1, 1)) for name in ("key", "value")}
    appended = {name: np.concatenate([of[name], more[name]], axis=1) for name in more}
    for scale in (None, 0.7):
        assert near(output(of, scale=scale, **extra), output(of | appended, scale=scale))
    of = identities(np.ones((1, 1, 1)), np.zeros((1, 1, 1)), np.array([[[8.0]]]))
    of |= dict(w_k=(np.array([[9.0]]), "oe"), w_v=(np.array([[2.0]]), "oe"))
    assert near(output(of, extra_key=np.array([math.log(3)]), extra_value=np.array([4.0])), [[[7.0]]])


HIDE_ALL = [
    dict(lengths=[0, 0]),
    dict(dense_mask=np.zeros((1, 1), bool)),
    dict(dense_mask=np.full(SK, -np.inf)),
    dict(key_padding=np.zeros((B, SK), bool), padding="visible"),
    dict(key_padding=np.full((B, SK), -np.inf)),
    dict(causal=True, align="explicit", offset=-SQ),
    dict(window=(0, 0), align="explicit", offset=[SK, -SQ]),
]


@pytest.mark.parametrize("mask", HIDE_ALL)
def test_no_mask_is_about_the_keys_that_are_added(mask):
    of = operands()
    nothing = output(of, b_o=np.arange(EO), residual=np.ones((B, SQ, EO)), **mask)
    assert near(nothing, np.tile(np.arange(EO) + 1.0, (B, SQ, 1)))
    extra = dict(extra_key=normal(8, HKV * D), extra_value=normal(9, HKV * DV))
    one = np.repeat(extra["extra_value"].reshape(HKV, DV), HQ // HKV, axis=0).ravel()
    assert near(output(of, **extra, **mask), np.tile(of["w_o"][0] @ one, (B, SQ, 1)))
    assert not output(of, zero_attn=True, **mask).any()
    without_keys = of | {name: of[name][:, :0] for name in ("key", "value")}
    both = dict(extra, zero_attn=True)
    assert near(output(of, **both, **mask), output(without_keys, **both))


def test_added_keys_do_not_move_the_queries():
    """Causal at the bottom right, with weights of the two added keys: the last row sees all keys."""
    found = no_scores(2, 3, causal=True, align="bottom_right", zero_attn=True, extra_key=[0.0], extra_value=np.zeros(3))
    assert near(found, [[1 / 4, 1 / 4, 0], [1 / 5, 1 / 5, 1 / 5]])


def test_polarities_of_padding():
    of = operands()
    hidden = normal(8, B, SK) < 0
    found = output(of, key_padding=hidden, padding="hidden")
    assert near(found, output(of, key_padding=~hidden, padding="visible"))
    assert near(found, output(of, key_padding=np.where(hidden, -np.inf, 0)))
    assert near(found, output(of, dense_mask=~hidden[:, None, None, :]))
    assert near(no_scores(1, 3, key_padding=np.array([[True, False, False]]), padding="hidden"), [[0, 0.5, 0.5]])
    assert near(no_scores(1, 2, key_padding=np.log([[1.0, 3.0]])), [[0.25, 0.75]])


def test_padding_at_the_end_is_a_length():
    of, lengths = operands(), np.array([4, 9])
    beyond = np.arange(SK) >= lengths[:, None]
    assert near(output(of, key_padding=beyond, padding="hidden"), output(of, lengths=lengths))


def test_masks_add_up():
    """Numbers are added, and what any of them hides is hidden."""
    numbers = dict(dense_mask=np.log([[1.0, 2.0, 3.0, 5.0]]), key_padding=np.log([[7.0, 1.0, 2.0, 9.0]]))
    assert near(no_scores(1, 4, lengths=[3], **numbers), [[7 / 15, 2 / 15, 6 / 15, 0]])
    shown = dict(dense_mask=np.array([[True, True, False, True]]), key_padding=np.array([[True, False, True, True]]))
    causal = dict(causal=True, align="explicit", offset=3)
    assert near(no_scores(1, 4, padding="visible", **causal, **shown), [[0.5, 0, 0, 0.5]])
    assert near(no_scores(1, 4, padding="hidden", **causal, **shown), [[0, 1, 0, 0]])


def test_a_mask_is_not_scaled():
    assert near(no_scores(1, 2, scale=9.0, dense_mask=np.log([1.0, 3.0])), [[0.25, 0.75]])


def test_what_is_hidden_has_no_influence():
    of = operands()
    expected = output(of, lengths=[4, 9])
    for name, poison in (("key", np.nan), ("value", np.inf)):
        of[name] = of[name].copy()
        of[name][0, 4:], of[name][1, 9:] = poison, poison
    assert (output(of, lengths=[4, 9]) == expected).all()


def test_gates():
    of = operands()
    of.update(b_o=np.arange(EO), residual=normal(8, B, SQ, EO))
    for closed in (np.zeros(HQ), np.zeros((B, HQ), bool)):
        assert near(output(of, head_gate=closed), of["b_o"] + of["residual"])
    for open_ in (np.ones((B, HQ)), np.ones(HQ, bool)):
        assert near(output(of, head_gate=open_), output(of))
    gate = normal(9, B, HQ)
    assert near(output(of, head_gate=gate > 0), output(of, head_gate=1.0 * (gate > 0)))
    for b in range(B):
        weight = of["w_o"][0] * np.repeat(gate[b], DV)
        expected = output(of | dict(w_o=(weight, "oe")))[b]
        assert near(output(of, head_gate=gate)[b], expected)
        assert near(output(of, head_gate=gate[b])[b], expected)


def test_a_gate_that_is_false_stops_nan():
    of = operands()
    of["query"] = of["query"].copy()
    of["query"][0, 2] = np.nan
    assert np.isnan(output(of)[0, 2]).all() and np.isfinite(output(of)[1]).all()
    assert not output(of, head_gate=np.zeros(HQ, bool)).any()


def test_residual_is_added():
    residual = normal(8, B, SQ, EO)
    assert near(output(operands(), residual=residual), output(operands()) + residual)


def test_sequences_first_are_batches_first_but_for_two_axes():
    """In inputs, output and residual; not in masks, padding and gates."""
    of = operands()
    inner = dict(
        dense_mask=normal(8, B, HQ, SQ, SK), key_padding=normal(9, B, SK), head_gate=normal(10, B, HQ), lengths=[6, 10],
        residual=normal(11, B, SQ, EO),
    )
    expected = output(of, **inner)
    turned = {name: (of | inner)[name].swapaxes(0, 1) for name in ("query", "key", "value", "residual")}
    found = output(of | inner | turned, sequence_first=True)
    assert found.shape == (SQ, B, EO) and (found.swapaxes(0, 1) == expected).all()


def test_sizes_without_cancellation():
    """Of numbers of one sign they are what there is; signs do not make them smaller."""
    of = identities(np.full((1, 2, 4), 3.0), np.full((1, 3, 4), 5.0), np.array([[[1.0], [2.0], [7.0]]]))
    of |= dict(b_o=np.ones(1), residual=np.full((1, 2, 1), 10.0))
    signs = dict(query=-of["query"], b_o=-of["b_o"], value=-of["value"])
    for options in (of, of | signs):
        result = layer_oracle.layer(**options)
        assert result.largest_logit == 30 and result.largest_value == 18
    result = layer_oracle.layer(**of, lengths=[2], key_padding=np.array([[3.0, -4.0, 90.0]]))
    assert result.largest_logit == 34 and result.largest_value == 13


# ---- The yardstick, and planted errors


@pytest.fixture(scope="module")
def right():
    return {case.name: case.expected() for case in CASES}


@pytest.fixture(scope="module")
def yardsticks():
    return {case.name: layer_naive.layer(case) for case in BELOW_DOUBLE}


@by_name(BELOW_DOUBLE)
def test_right_result_is_accepted(case, right, yardsticks):
    expected, yardstick = right[case.name], yardsticks[case.name]
    assert case.judge(stored(expected.output, case.dtype), expected, yardstick) is None
    assert case.judge(yardstick, expected, yardstick) is None


@by_name(SINGLE)
def test_yardstick_is_the_layer(case, right, yardsticks):
    """Where nothing is below single precision; without that its own error would excuse any."""
    expected = right[case.name]
    bound = tolerance.single(expected.largest_value)
    assert tolerance.difference(yardsticks[case.name], expected.output, bound) is None


@by_name(PAIRWISE[:10])
@pytest.mark.parametrize("wrong", ("zeros", "nan", "other_batch", "other_query", "a_tenth_more", "low", "double"))
def test_wrong_result_is_refused(case, wrong, right, yardsticks):
    expected, yardstick = right[case.name], yardsticks[case.name]
    found = stored(expected.output, case.dtype)
    made = dict(
        zeros=0 * found, nan=np.where(found == found.max(), np.nan, found), other_batch=np.roll(found, 1, axis=0),
        other_query=np.roll(found, 1, axis=1), a_tenth_more=found * np.float32(1.1), low=stored(found, "bf16"),
        double=expected.output,
    )
    assert case.judge(made[wrong], expected, yardstick) is not None


@pytest.mark.parametrize("name", PLANTED)
def test_planted_error_is_found(name, right, yardsticks):
    for case in SINGLE:
        with np.errstate(all="ignore"):
            wrong = stored(PLANTED[name](case.options()).output, case.dtype)
        if case.judge(wrong, right[case.name], yardsticks[case.name]):
            return
    pytest.fail(f"no case notices the planted error {name}")
