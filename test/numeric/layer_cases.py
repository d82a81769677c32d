"""The cases of layers: every pair of values of two flags, and some that no flag makes.

A pair that nothing can have is excluded by a rule of these two axes; rules of more axes only steer which rows are made.
"""

from covering import Rule, covering
from layer_case import LayerCase

AXES = dict(
    heads=((4, 4), (6, 2), (3, 1)),
    inputs=("self", "memory", "own"),
    weights=("oe", "eo", "mixed", "packed_oe", "packed_eo"),
    w_o=("oe", "eo"),
    value_depth=("same", "other"),
    biases=("none", "separate", "packed", "some"),
    b_o=(False, True),
    extra=(False, True),
    zero_attn=(False, True),
    mask=("none", "causal", "window", "causal_window"),
    align=("none", "top_left", "bottom_right", "explicit", "end"),
    offset=("none", "i64", "tensor"),
    scale=("default", "given"),
    dense_mask=("none", "i1_qk", "f32_b1qk", "f32_bhqk"),
    padding=("none", "hidden", "visible", "float"),
    lengths=("none", "some"),
    gate=("none", "f32_h", "f32_bh", "i1_h", "i1_bh"),
    residual=(False, True),
    sequence_first=(False, True),
    dynamic=(False, True),
)


def unaligned(mask, align, *values):
    """A positional mask without an alignment, and one of the values that need it."""
    return mask != "none" and align == "none" and values[0] in ("memory", "own", "some", True)


RULES = (
    Rule("packed weights have one head size", ("weights", "value_depth"),
         lambda w, d: w.startswith("packed") and d == "other"),
    Rule("only a mask is aligned", ("mask", "align"), lambda m, a: m == "none" and a != "none"),
    Rule("only a mask is aligned", ("mask", "offset"), lambda m, o: m == "none" and o != "none"),
    Rule("an offset is that of an alignment", ("align", "offset"),
         lambda a, o: (a in ("explicit", "end")) != (o != "none")),
    *(
        Rule("may be left out only where Sq = Sk is static, without lengths", ("mask", "align", axis), unaligned)
        for axis in ("inputs", "lengths", "dynamic")
    ),
)

# Of five batches: some, none, all, more than all and less than none of the keys.
LENGTHS = (4, 0, 11, 13, -1)
OFFSETS = {
    ("explicit", "i64"): 2,
    ("explicit", "tensor"): (3, -2, 0, 9, -40),
    ("end", "i64"): -6,
    ("end", "tensor"): (-7, 1, -3, -5, 0),
}


def of_row(name, row):
    """The case of one value for each axis."""
    heads, kv_heads = row["heads"]
    mask_type, _, mask = row["dense_mask"].partition("_")
    gate_type, _, gate = row["gate"].partition("_")
    return LayerCase(
        name,
        heads=heads,
        kv_heads=None if kv_heads == heads else kv_heads,
        inputs=row["inputs"],
        weights=row["weights"],
        w_o=row["w_o"],
        value_depth=9 if row["value_depth"] == "same" else 13,
        biases=row["biases"],
        b_o=row["b_o"],
        extra=row["extra"],
        zero_attn=row["zero_attn"],
        causal="causal" in row["mask"],
        window=(3, 1) if "window" in row["mask"] else None,
        align=None if row["align"] == "none" else row["align"],
        offset=OFFSETS.get((row["align"], row["offset"])),
        scale=0.45 if row["scale"] == "given" else None,
        mask=mask or None,
        hides=mask == "bhqk",
        padding=None if row["padding"] == "none" else row["padding"],
        lengths=LENGTHS if row["lengths"] == "some" else None,
        gate=gate or None,
        residual=row["residual"],
        sequence_first=row["sequence_first"],
        dynamic=row["dynamic"],
        types=dict(dense_mask=mask_type, head_gate=gate_type),
    )


ROWS = covering(AXES, RULES, group=lambda row: {}, cost=lambda row, is_first: 0)
PAIRWISE = [of_row(f"pairs_{n}", row) for n, row in enumerate(ROWS)]

CAUSAL = dict(causal=True, align="bottom_right")
# Everything that a layer has at once, as far as it goes together.
MOST = dict(
    value_depth=13, weights="mixed", w_o="eo", biases="separate", b_o=True, extra=True, zero_attn=True, causal=True,
    window=(3, 0), align="end", offset=(-7, 1, -3, -5, 0), scale=0.45, mask="bhqk", hides=True, padding="float",
    lengths=LENGTHS, gate="bh", residual=True,
)


def others():
    yield LayerCase("one_of_each_size", 1, 1, 1, 1, 1, 1, 1)
    yield LayerCase("kv_heads_that_are_all_heads", heads=4, kv_heads=4, inputs="self")
    yield LayerCase("value_beside_the_query", inputs="own_value", value_depth=13)
    yield LayerCase("decode", queries=1, keys=97, inputs="memory", **CAUSAL)
    yield LayerCase("longer_queries", queries=13, keys=6, b_o=True, residual=True, **CAUSAL)
    yield LayerCase("no_keys", keys=0, b_o=True, residual=True)
    yield LayerCase("no_keys_but_two", keys=0, extra=True, zero_attn=True, biases="packed")
    yield LayerCase("no_queries", queries=0, inputs="memory", b_o=True)
    yield LayerCase("lengths_of_none", lengths=(0,) * 5, extra=True, **CAUSAL)
    yield LayerCase("mask_of_keys", mask="k", types=dict(dense_mask="i1"), extra=True)
    equal = dict(mask="bhqk", hides=True, padding="hidden", gate="bh", extra=True, residual=True)
    yield LayerCase("all_sizes_equal", 4, 4, 4, 4, None, 4, 4, **equal)
    yield LayerCase("all_sizes_equal_sequence_first", 4, 4, 4, 4, None, 4, 4, sequence_first=True, **equal)
    poison = dict(values="poison", lengths=LENGTHS, padding="hidden", biases="some", b_o=True)
    yield LayerCase("poison", **poison)
    yield LayerCase("poison_beside_an_extra_key", extra=True, dynamic=True, sequence_first=True, **poison)
    yield LayerCase("ragged", 2, 33, 65, 6, 3, 16, 24, biases="packed", b_o=True, extra=True, zero_attn=True, **CAUSAL)
    yield LayerCase("most", **MOST)
    yield LayerCase("most_dynamic", dynamic=True, **MOST)
    yield LayerCase("most_packed_self", **MOST | dict(inputs="self", weights="packed_oe", value_depth=9,
                                                      biases="packed", lengths=(4, 0, 7, 13, -1)))


NOT_INPUTS = (
    "w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o", "extra_key", "extra_value", "dense_mask", "key_padding",
    "head_gate", "residual",
)


def low_precision():
    for dtype in ("bf16", "f16"):
        yield LayerCase(f"plain_{dtype}", dtype=dtype, biases="separate", b_o=True)
        yield LayerCase(f"most_{dtype}", dtype=dtype, **MOST)
        yield LayerCase(f"packed_self_{dtype}", dtype=dtype, inputs="self", weights="packed_eo", biases="packed",
                        residual=True, gate="h", causal=True)
    yield LayerCase("operands_of_f32_bf16", dtype="bf16", types=dict.fromkeys(NOT_INPUTS, "f32"), **MOST)
    yield LayerCase("bf16_f16_f32", dtype="bf16", types=dict(key="f16", value="f32", w_k="f32", extra_key="f32"),
                    extra=True, biases="separate", b_o=True)
    yield LayerCase("f32_of_bf16_keys", inputs="memory", extra=True, gate="h",
                    types=dict(key="bf16", w_k="bf16", w_v="f16", w_o="bf16", head_gate="f16"))


def double_precision():
    yield LayerCase("most_f64", dtype="f64", **MOST)


CASES = [*PAIRWISE, *others(), *low_precision(), *double_precision()]
