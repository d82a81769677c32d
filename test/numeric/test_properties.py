"""What holds for attention whatever the numbers are: no oracle is asked here.

Each test compiles one program with one or more attentions of the same operands and compares
their results with each other. Where only rounding may differ the bound is that of the element
type; where the arithmetic is the same the bits have to be.
"""

import numpy as np
import pytest

import paths
import tolerance
from runner import run
from storage import DTYPES

B, HQ, HKV, SQ, SK, D, DV = 2, 6, 3, 7, 11, 5, 4


# What holds by the rule of acceptance holds on each path of compiled code.
few_paths = pytest.mark.parametrize("path", paths.FEW)


@pytest.fixture(params=("f32", "f64"))
def dtype(request):
    return request.param


def normal(seed, dtype, *shape):
    return np.random.default_rng(seed).standard_normal(shape).astype(DTYPES[dtype])


def operands(dtype, seed=0, b=B, hq=HQ, hkv=HKV, sq=SQ, sk=SK, d=D, dv=DV):
    return dict(
        q=normal((seed, 1), dtype, b, hq, sq, d),
        k=normal((seed, 2), dtype, b, hkv, sk, d),
        v=normal((seed, 3), dtype, b, hkv, sk, dv),
    )


ELEMENTS = {"bool": "i1", "float32": "f32", "float64": "f64", "int64": "i64"}


class Program:
    """A function of named inputs that returns the results r0, r1, ... of its attentions."""

    def __init__(self, dtype, **inputs):
        self.dtype, self.inputs, self.results, self.body = dtype, inputs, [], []
        self.shapes = {name: array.shape for name, array in inputs.items()}

    def type_of(self, name):
        array = self.inputs.get(name)
        element = self.dtype if array is None else ELEMENTS[array.dtype.name]
        if not self.shapes[name]:
            return element
        return f"tensor<{'x'.join([*map(str, self.shapes[name]), element])}>"

    def operand(self, clause, name):
        return f"{clause}(%{name} : {self.type_of(name)})"

    def attention(self, q="q", k="k", v="v", clauses="", lse=False, layout="bhsd"):
        """Adds one; `clauses` stands between the operands and the results. `layout` is that of
        query and output; keys and values are bhsd.
        """
        sizes = dict(zip(layout, (*self.shapes[q][:-1], self.shapes[v][3])))
        shape = tuple(sizes.values())
        heads = sizes["k"] * sizes["g"] if "g" in sizes else sizes["h"]
        new = [f"r{len(self.results) + n}" for n in range(1 + lse)]
        self.shapes.update(zip(new, (shape, (sizes["b"], heads, sizes["s"]))))
        self.results += new
        types = [self.type_of(name) for name in new]
        self.body.append(
            f"{', '.join('%' + name for name in new)} = mha.attention "
            f"query(%{q} : {self.type_of(q)}, {layout}) key(%{k} : {self.type_of(k)}, bhsd) "
            f"value(%{v} : {self.type_of(v)}, bhsd) {clauses} -> "
            + (f"({types[0]}, lse {types[1]})" if lse else types[0])
        )
        return self

    def text(self):
        arguments = ", ".join(f"%{name}: {self.type_of(name)}" for name in self.inputs)
        names = ", ".join(f"%{name}" for name in self.results)
        types = ", ".join(self.type_of(name) for name in self.results)
        body = "\n  ".join([*self.body, f"return {names} : {types}"])
        return f"func.func @main({arguments}) -> ({types}) {{\n  {body}\n}}\n"

    def run(self, folder, *flags):
        return run(self.text(), self.inputs, len(self.results), folder, *flags)


def check(actual, expected, bound):
    wrong = tolerance.difference(actual, expected, bound)
    assert wrong is None, wrong


def rounding(dtype, largest_value, largest_logit=tolerance.SINGLE_LOGIT_LIMIT):
    """How far two orders of the same computation may be apart."""
    if dtype == "f32":
        return tolerance.single(largest_value)
    return tolerance.agreement(largest_logit, largest_value)


def bits(array):
    return array.view(np.uint32 if array.dtype == np.float32 else np.uint64)


MASKS = {
    "no_mask": "",
    "causal_top_left": "mask<causal> align(top_left)",
    "window_bottom_right": "mask<window<2, 1>> align(bottom_right)",
}


@few_paths
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_equal_values_come_back(mask, dtype, path, mha_run, tmp_path):
    """V = 1: the weights of a row sum to one. Every row here sees a key."""
    inputs = operands(dtype, sk=97)
    inputs["v"] = np.ones_like(inputs["v"])
    (output,) = Program(dtype, **inputs).attention(clauses=mask).run(tmp_path, *paths.flags(path))
    check(output, np.ones_like(output), tolerance.ones(DTYPES[dtype]))


@few_paths
@pytest.mark.parametrize("gain", (1, 8), ids=("flat", "peaked"))
def test_output_lies_between_the_values(gain, dtype, path, mha_run, tmp_path):
    inputs = operands(dtype, sk=65)
    inputs["q"] *= gain
    (output,) = Program(dtype, **inputs).attention().run(tmp_path, *paths.flags(path))
    v = np.repeat(inputs["v"], HQ // HKV, axis=1)
    slack = tolerance.hull(DTYPES[dtype], np.abs(v).max())
    assert (output >= v.min(axis=2, keepdims=True) - slack).all()
    assert (output <= v.max(axis=2, keepdims=True) + slack).all()


@few_paths
def test_order_of_the_keys_does_not_matter(dtype, path, mha_run, tmp_path):
    inputs = operands(dtype)
    order = np.random.default_rng(5).permutation(SK)
    inputs.update(k2=inputs["k"][:, :, order], v2=inputs["v"][:, :, order])
    program = Program(dtype, **inputs).attention(lse=True).attention(k="k2", v="v2", lse=True)
    output, lse, output2, lse2 = program.run(tmp_path, *paths.flags(path))
    check(output2, output, rounding(dtype, np.abs(inputs["v"]).max()))
    check(lse2, lse, rounding(dtype, np.abs(lse).max()))


def test_order_of_the_queries_moves_the_rows(dtype, mha_run, tmp_path):
    inputs = operands(dtype)
    order = np.random.default_rng(6).permutation(SQ)
    inputs.update(q2=inputs["q"][:, :, order])
    output, output2 = Program(dtype, **inputs).attention().attention(q="q2").run(tmp_path)
    check(output2, output[:, :, order], rounding(dtype, np.abs(inputs["v"]).max()))


@few_paths
@pytest.mark.parametrize("mask", ("", "mask<causal> align(top_left)"), ids=("no_mask", "causal"))
def test_keys_beyond_the_length_might_as_well_be_absent(mask, dtype, path, mha_run, tmp_path):
    inputs = operands(dtype)
    inputs.update(k2=inputs["k"][:, :, :8].copy(), v2=inputs["v"][:, :, :8].copy())
    inputs["length"] = np.full(B, 8)
    inputs["k"][:, :, 8:], inputs["v"][:, :, 8:] = np.nan, np.inf
    program = Program(dtype, **inputs)
    program.attention(clauses=f"{mask} lengths(%length : tensor<{B}xi64>)", lse=True)
    program.attention(k="k2", v="v2", clauses=mask, lse=True)
    output, lse, output2, lse2 = program.run(tmp_path, *paths.flags(path))
    check(output, output2, rounding(dtype, np.abs(inputs["v2"]).max()))
    check(lse, lse2, rounding(dtype, np.abs(lse2).max()))


@few_paths
@pytest.mark.parametrize("hkv", (1, 2, 3), ids=("mqa", "groups_of_3", "groups_of_2"))
def test_shared_heads_equal_repeated_heads(hkv, dtype, path, mha_run, tmp_path):
    """The group only says which head is read: bit for bit by the definition (f64); a kernel may cut the keys of a group into
    other blocks, and sums over other blocks round differently.
    """
    inputs = operands(dtype, hkv=hkv)
    for name in "kv":
        inputs[f"{name}2"] = np.repeat(inputs[name], HQ // hkv, axis=1)
    mask = "mask<causal> align(bottom_right)"
    program = Program(dtype, **inputs).attention(clauses=mask, lse=True)
    program.attention(k="k2", v="v2", clauses=mask, lse=True)
    output, lse, output2, lse2 = program.run(tmp_path, *paths.flags(path))
    if dtype == "f64":
        assert (bits(output) == bits(output2)).all() and (bits(lse) == bits(lse2)).all()
    check(output, output2, rounding(dtype, np.abs(inputs["v2"]).max()))
    check(lse, lse2, rounding(dtype, np.abs(lse2).max()))


@few_paths
def test_constant_added_to_the_logits_of_a_row_cancels(dtype, path, mha_run, tmp_path):
    """One more column: c in the query, 1 in the key. Only lse moves, by scale * c."""
    inputs = operands(dtype)
    shift = normal(7, dtype, B, HQ, SQ, 1) * 4
    inputs["q2"] = np.concatenate([inputs["q"], shift], axis=3)
    inputs["k2"] = np.concatenate([inputs["k"], np.ones_like(inputs["k"][..., :1])], axis=3)
    program = Program(dtype, **inputs).attention(clauses="scale(5.0e-01)", lse=True)
    program.attention(q="q2", k="k2", clauses="scale(5.0e-01)", lse=True)
    output, lse, output2, lse2 = program.run(tmp_path, *paths.flags(path))
    check(output2, output, rounding(dtype, np.abs(inputs["v"]).max()))
    check(lse2, lse + 0.5 * shift[..., 0], rounding(dtype, np.abs(lse2).max()))


@few_paths
@pytest.mark.parametrize("cut", (1, 4, 10))
def test_halves_of_the_keys_merge_by_their_lse(cut, dtype, path, mha_run, tmp_path):
    """Causal, so some rows see nothing of the second half: weight exp(-inf) = 0."""
    inputs = operands(dtype)
    for name in "kv":
        inputs[f"{name}1"], inputs[f"{name}2"] = np.split(inputs[name], [cut], axis=2)
    inputs |= dict(start=np.array([3, 1]), start2=np.array([3, 1]) - cut)

    def causal(offset):
        return f"mask<causal> align(explicit) query_offset(%{offset} : tensor<{B}xi64>)"

    program = Program(dtype, **inputs).attention(clauses=causal("start"), lse=True)
    program.attention(k="k1", v="v1", clauses=causal("start"), lse=True)
    program.attention(k="k2", v="v2", clauses=causal("start2"), lse=True)
    output, lse, *parts = (x.astype(np.float64) for x in program.run(tmp_path, *paths.flags(path)))
    lses = np.stack(parts[1::2])
    merged_lse = np.logaddexp.reduce(lses)
    merged = (np.exp(lses - merged_lse)[..., None] * np.stack(parts[0::2])).sum(axis=0)
    check(merged, output, rounding(dtype, np.abs(inputs["v"]).max()))
    check(merged_lse, lse, rounding(dtype, np.abs(lse).max()))


def test_one_row_at_a_time_equals_all_rows(dtype, mha_run, tmp_path):
    """Decoding: row i alone, at the position that it has in the whole."""
    inputs = operands(dtype, sq=3)
    for i in range(3):
        inputs[f"q{i}"] = inputs["q"][:, :, i : i + 1].copy()
        inputs[f"at{i}"] = np.full(B, SK - 3 + i)
    program = Program(dtype, **inputs).attention(clauses="mask<causal> align(bottom_right)")
    for i in range(3):
        at = f"query_offset(%at{i} : tensor<{B}xi64>)"
        program.attention(q=f"q{i}", clauses=f"mask<causal> align(explicit) {at}")
    output, *rows = program.run(tmp_path)
    check(np.concatenate(rows, axis=2), output, rounding(dtype, np.abs(inputs["v"]).max()))


def test_one_batch_at_a_time_equals_all_batches(dtype, mha_run, tmp_path):
    inputs = operands(dtype)
    for name in "qkv":
        for b in range(B):
            inputs[f"{name}{b}"] = inputs[name][b : b + 1].copy()
    mask = "mask<causal> align(bottom_right)"
    program = Program(dtype, **inputs).attention(clauses=mask)
    for b in range(B):
        program.attention(q=f"q{b}", k=f"k{b}", v=f"v{b}", clauses=mask)
    output, *parts = program.run(tmp_path)
    assert (bits(np.concatenate(parts)) == bits(output)).all()


def test_masks_that_hide_nothing_change_nothing(dtype, mha_run, tmp_path):
    inputs = operands(dtype)
    inputs |= dict(length=np.full(B, SK), far=np.full(B, SK))
    program = Program(dtype, **inputs).attention(lse=True)
    far = f"query_offset(%far : tensor<{B}xi64>)"
    for clauses in (
        f"lengths(%length : tensor<{B}xi64>)",
        f"mask<window<{SK}, {SK}>> align(top_left)",
        f"mask<causal> align(explicit) {far}",
        f"mask<causal, window<{3 * SK}, 0>> align(end) {far}",
    ):
        program.attention(clauses=clauses, lse=True)
    output, lse, *others = program.run(tmp_path)
    for other, other_lse in zip(others[0::2], others[1::2]):
        check(other, output, rounding(dtype, np.abs(inputs["v"]).max()))
        check(other_lse, lse, rounding(dtype, np.abs(lse).max()))


def check_pairs(dtype, inputs, results, bitwise=False):
    """Results in twos, (output, lse), all like the first two."""
    output, lse, *others = results
    for other, other_lse in zip(others[0::2], others[1::2]):
        if bitwise:
            assert (bits(other) == bits(output)).all() and (bits(other_lse) == bits(lse)).all()
        check(other, output, rounding(dtype, np.abs(inputs["v"]).max()))
        check(other_lse, lse, rounding(dtype, np.abs(lse[np.isfinite(lse)]).max()))


def random_mask(*shape):
    return np.random.default_rng(13).random(shape) < 0.6


@pytest.mark.parametrize("shape", ((SK,), (HQ, SQ, SK), (B, 1, 1, SK)), ids=("k", "hqk", "b11k"))
def test_boolean_mask_is_a_mask_of_zero_and_minus_inf(shape, dtype, mha_run, tmp_path):
    inputs = operands(dtype)
    shown = random_mask(*shape)
    if len(shape) > 1:
        shown[(0,) * (len(shape) - 1)] = False
    inputs |= dict(m=shown, added=np.where(shown, 0, -np.inf).astype(DTYPES[dtype]))
    program = Program(dtype, **inputs)
    for name in ("m", "added"):
        program.attention(clauses=program.operand("dense_mask", name), lse=True)
    # Kernels scale a score before they add to it, and a difference of scores otherwise.
    check_pairs(dtype, inputs, program.run(tmp_path), bitwise=dtype == "f64")


def test_dense_masks_that_hide_nothing_change_nothing(dtype, mha_run, tmp_path):
    inputs = operands(dtype)
    inputs |= dict(shown=np.ones((HQ, SQ, SK), bool), zero=np.zeros((SQ, SK), DTYPES[dtype]))
    program = Program(dtype, **inputs).attention(lse=True)
    for name in ("shown", "zero"):
        program.attention(clauses=program.operand("dense_mask", name), lse=True)
    check_pairs(dtype, inputs, program.run(tmp_path))


AHEAD = np.arange(SK) - (SK - SQ + np.arange(SQ)[:, None])  # j - p of bottom_right


@pytest.mark.parametrize(
    "mask, shown",
    [
        ("causal", AHEAD <= 0),
        ("window<2, 1>", (-2 <= AHEAD) & (AHEAD <= 1)),
        ("causal, window<3, 0>", (-3 <= AHEAD) & (AHEAD <= 0)),
    ],
)
def test_structured_mask_is_a_dense_mask(mask, shown, dtype, mha_run, tmp_path):
    inputs = operands(dtype) | dict(shown=shown)
    program = Program(dtype, **inputs).attention(
        clauses=f"mask<{mask}> align(bottom_right)", lse=True
    )
    program.attention(clauses=program.operand("dense_mask", "shown"), lse=True)
    check_pairs(dtype, inputs, program.run(tmp_path))


def test_lengths_are_a_dense_mask(dtype, mha_run, tmp_path):
    length = np.array([4, 0])
    shown = np.arange(SK) < length[:, None, None, None]
    inputs = operands(dtype) | dict(length=length, shown=shown)
    program = Program(dtype, **inputs)
    program.attention(clauses=program.operand("lengths", "length"), lse=True)
    program.attention(clauses=program.operand("dense_mask", "shown"), lse=True)
    check_pairs(dtype, inputs, program.run(tmp_path))


@pytest.mark.parametrize("bias", ("alibi", "alibi_symmetric", "relative, origin = 4"))
def test_bias_is_a_dense_mask(bias, dtype, mha_run, tmp_path):
    inputs = operands(dtype)
    inputs |= dict(slopes=normal(14, dtype, HQ), table=normal(15, dtype, HQ, 7))
    slope = inputs["slopes"][:, None, None]
    operand, dense = dict(
        alibi=("slopes", slope * AHEAD),
        alibi_symmetric=("slopes", -slope * np.abs(AHEAD)),
        relative=("table", inputs["table"][:, np.clip(AHEAD + 4, 0, 6)]),
    )[bias.split(",")[0]]
    inputs["dense"] = dense.astype(DTYPES[dtype])
    program = Program(dtype, **inputs)
    clause = dict(slopes="slopes", table="relative_table")[operand]
    program.attention(
        clauses=f"align(bottom_right) bias<{bias}> {program.operand(clause, operand)}", lse=True
    )
    program.attention(clauses=program.operand("dense_mask", "dense"), lse=True)
    check_pairs(dtype, inputs, program.run(tmp_path))


@pytest.mark.parametrize("bias, sign", (("alibi", 1), ("alibi_symmetric", -1)))
def test_distances_are_rounded_once(bias, sign, dtype, mha_run, tmp_path):
    """Of one key and queries of 0 the lse is the distance, of any sizes that 24 bits do not hold."""
    far = [2**power + odd for power in (23, 24, 25, 33, 40) for odd in (1, 2**power // 3 | 1)]
    offset = np.array(far + [-x for x in far])
    inputs = operands(dtype, b=len(offset), sq=37, sk=1)
    inputs["q"] *= 0
    inputs |= dict(slopes=np.ones(HQ, DTYPES[dtype]), at=offset)
    program = Program(dtype, **inputs)
    at, slopes = program.operand("query_offset", "at"), program.operand("slopes", "slopes")
    program.attention(clauses=f"align(explicit) {at} bias<{bias}> {slopes}", lse=True)
    _, lse = program.run(tmp_path, *(["--require=fused"] if dtype == "f32" else []))
    ahead = -(offset[:, None] + np.arange(37))
    expected = (ahead if sign > 0 else -np.abs(ahead)).astype(DTYPES[dtype])
    assert (lse == expected[:, None]).all()


def test_constant_in_the_mask_of_a_row_cancels(dtype, mha_run, tmp_path):
    inputs = operands(dtype) | dict(shift=normal(16, dtype, HQ, SQ, 1))
    program = Program(dtype, **inputs).attention(lse=True)
    program.attention(clauses=program.operand("dense_mask", "shift"), lse=True)
    output, lse, output2, lse2 = program.run(tmp_path)
    check_pairs(dtype, inputs, (output, lse, output2, lse2 - inputs["shift"][..., 0]))


def test_soft_cap_far_above_the_scores_changes_nothing(dtype, mha_run, tmp_path):
    inputs = operands(dtype)
    program = Program(dtype, **inputs).attention(lse=True)
    program.attention(clauses="softcap(1.0e+09)", lse=True)
    check_pairs(dtype, inputs, program.run(tmp_path))


def test_sink_of_minus_inf_is_none(dtype, mha_run, tmp_path):
    """Also for the rows that see nothing: 11 queries stand before the first of 7 keys."""
    inputs = operands(dtype, sq=SK, sk=SQ)
    inputs["sink"] = np.full(HQ, -np.inf, DTYPES[dtype])
    mask = "mask<causal> align(bottom_right)"
    program = Program(dtype, **inputs).attention(clauses=mask, lse=True)
    program.attention(clauses=f"{mask} {program.operand('sink', 'sink')}", lse=True)
    check_pairs(dtype, inputs, program.run(tmp_path))


def check_row_without_keys(folder, dtype, levels, clauses, *flags):
    """Of two batch entries with these sinks the first has no keys: output 0, and the sink as lse, NaN for inf."""
    sink = np.resize(np.array(levels, DTYPES[dtype]), HQ)
    program = Program(dtype, **operands(dtype), sink=sink, length=np.array([0, 4]))
    terms = f"{program.operand('lengths', 'length')} {program.operand('sink', 'sink')}"
    program.attention(clauses=f"{clauses} {terms}", lse=True)
    output, lse = program.run(folder, *flags)
    level = np.where(sink == np.inf, np.nan, sink)
    assert not output[0].any()
    assert np.array_equal(lse[0], np.repeat(level[:, None], SQ, axis=1), equal_nan=True)
    assert (np.isnan(output[1]) == np.isnan(level)[:, None, None]).all()


@pytest.mark.parametrize("clauses", ("", "scale(1.25e-01)"), ids=("default", "small_scale"))
@pytest.mark.parametrize("flags", ([], ["--reference"]), ids=("compiled", "reference"))
@pytest.mark.parametrize(
    "levels", ((-1e38, -3.4e38, 1e30), (np.nan, np.inf, -np.inf)), ids=("finite", "not_finite")
)
def test_row_without_keys_is_zero_whatever_its_sink(
    levels, flags, clauses, dtype, mha_run, tmp_path
):
    """Far above and far below all scores; the lowest are below those that a key may have."""
    check_row_without_keys(tmp_path, dtype, levels, clauses, *flags)


def test_sink_is_a_key_whose_value_is_zero(dtype, mha_run, tmp_path):
    """One more column, 1 in the query and 0 in the keys, gives one more key any logit."""
    inputs = operands(dtype, hkv=HQ)
    sink = normal(17, dtype, HQ)
    one, zero = np.ones_like(inputs["q"][..., :1]), np.zeros_like(inputs["k"][..., :1])
    last = np.zeros((B, HQ, 1, D + 1), DTYPES[dtype])
    last[..., D] = 2 * sink[:, None]
    inputs |= dict(
        sink=sink,
        q2=np.concatenate([inputs["q"], one], axis=3),
        k2=np.concatenate([np.concatenate([inputs["k"], zero], axis=3), last], axis=2),
        v2=np.concatenate([inputs["v"], np.zeros_like(inputs["v"][:, :, :1])], axis=2),
    )
    program = Program(dtype, **inputs)
    program.attention(clauses=f"scale(5.0e-01) {program.operand('sink', 'sink')}", lse=True)
    program.attention(q="q2", k="k2", v="v2", clauses="scale(5.0e-01)", lse=True)
    check_pairs(dtype, inputs, program.run(tmp_path))


def test_scale_may_come_with_the_data(dtype, mha_run, tmp_path):
    inputs = operands(dtype) | dict(scale=np.array(0.375, DTYPES[dtype]))
    program = Program(dtype, **inputs).attention(clauses="scale(3.75e-01)", lse=True)
    program.attention(clauses=program.operand("scale", "scale"), lse=True)
    check_pairs(dtype, inputs, program.run(tmp_path))


@pytest.mark.parametrize("hkv", (1, 3), ids=("mqa", "groups_of_2"))
def test_keys_of_one_batch_equal_repeated_keys(hkv, dtype, mha_run, tmp_path):
    """Which batch is read has no part in the arithmetic of the definition (f64)."""
    inputs = operands(dtype, b=3, hkv=hkv)
    for name in "kv":
        inputs[name] = inputs[name][:1].copy()
        inputs[f"{name}2"] = np.repeat(inputs[name], 3, axis=0)
    mask = "mask<causal> align(bottom_right)"
    program = Program(dtype, **inputs).attention(clauses=mask, lse=True)
    program.attention(k="k2", v="v2", clauses=mask, lse=True)
    check_pairs(dtype, inputs, program.run(tmp_path), bitwise=dtype == "f64")


@pytest.mark.parametrize("layout", ("bkgsd", "bskgd", "bksgd"))
def test_split_heads_equal_plain_heads(layout, dtype, mha_run, tmp_path):
    inputs = operands(dtype)
    axes = ["bkgsd".index(letter) for letter in layout]
    split = inputs["q"].reshape(B, HKV, HQ // HKV, SQ, D).transpose(axes)
    inputs["q2"] = np.ascontiguousarray(split)
    mask = "mask<causal> align(bottom_right)"
    program = Program(dtype, **inputs).attention(clauses=mask, lse=True)
    program.attention(q="q2", clauses=mask, lse=True, layout=layout)
    output, lse, output2, lse2 = program.run(tmp_path)
    output2 = np.ascontiguousarray(output2.transpose(np.argsort(axes))).reshape(output.shape)
    check_pairs(dtype, inputs, (output, lse, output2, lse2), bitwise=True)


def test_power_of_two_moves_between_query_and_scale(dtype, mha_run, tmp_path):
    """Exact: no product or sum rounds differently."""
    inputs = operands(dtype)
    inputs["q2"] = 4 * inputs["q"]
    program = Program(dtype, **inputs).attention(clauses="scale(5.0e-01)", lse=True)
    program.attention(q="q2", clauses="scale(1.25e-01)", lse=True)
    output, lse, output2, lse2 = program.run(tmp_path)
    assert (bits(output) == bits(output2)).all() and (bits(lse) == bits(lse2)).all()


@pytest.mark.parametrize("exponent", (5, 14, 56))
def test_dominant_key_gives_its_value(exponent, dtype, mha_run, tmp_path):
    """One logit of 4^exponent among zeros, up to 5e33: the row of V, and the logit as lse."""
    inputs = operands(dtype, d=SK)
    unit = (2.0**exponent * np.eye(SK)).astype(DTYPES[dtype])
    winner = np.random.default_rng(8).integers(0, SK, (B, HQ, SQ))
    inputs.update(q=unit[winner], k=np.tile(unit, (B, HKV, 1, 1)))
    program = Program(dtype, **inputs).attention(clauses="scale(1.0)", lse=True)
    output, lse = program.run(tmp_path)
    v = np.repeat(inputs["v"], HQ // HKV, axis=1)
    expected = np.take_along_axis(v, winner[..., None], axis=2)
    check(output, expected, tolerance.hull(DTYPES[dtype], np.abs(v).max()))
    check(lse, np.full_like(lse, 4.0**exponent), tolerance.hull(DTYPES[dtype], 4.0**exponent))


def test_threads_and_repetition_change_no_bit(dtype, mha_run, tmp_path):
    inputs = operands(dtype, b=3, sq=33, sk=65)
    program = Program(dtype, **inputs).attention(
        clauses="mask<causal> align(bottom_right)", lse=True
    )
    first = program.run(tmp_path / "a", "--threads=1")
    for folder, threads in (("b", 1), ("c", 3)):
        again = program.run(tmp_path / folder, f"--threads={threads}")
        assert all((bits(x) == bits(y)).all() for x, y in zip(first, again))


def test_two_attentions_keep_their_results_apart(dtype, mha_run, tmp_path):
    """Both results came out as the first one once, because they were computed in one buffer."""
    inputs = operands(dtype)
    other = normal(12, dtype, B, HQ, SQ, D)
    (first,) = Program(dtype, **inputs).attention().run(tmp_path / "first")
    (second,) = Program(dtype, **{**inputs, "q": other}).attention().run(tmp_path / "second")
    program = Program(dtype, **inputs, q2=other).attention().attention(q="q2")
    first2, second2 = program.run(tmp_path / "both")
    assert (bits(first2) == bits(first)).all() and (bits(second2) == bits(second)).all()


def test_one_attention_feeds_another(dtype, mha_run, tmp_path):
    """Self-attention of one operand, then cross attention: as the two programs in turn."""
    x = dict(x=normal(9, dtype, B, HKV, SQ, D))
    y = dict(k=normal(10, dtype, B, HKV, SK, D), v=normal(11, dtype, B, HKV, SK, DV))
    (inner,) = Program(dtype, **x).attention("x", "x", "x").run(tmp_path / "inner")
    (outer,) = Program(dtype, q=inner, **y).attention().run(tmp_path / "outer")
    program = Program(dtype, **x, **y).attention("x", "x", "x").attention("r0")
    inner2, outer2 = program.run(tmp_path / "both")
    assert (bits(inner2) == bits(inner)).all() and (bits(outer2) == bits(outer)).all()
