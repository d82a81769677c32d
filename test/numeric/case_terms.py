"""Cases of what is added to, or changes, a score: dense masks, biases, soft caps, sinks, scales."""

from dataclasses import replace
from itertools import product

from case import Case

CAUSAL = dict(causal=True, align="bottom_right")
# The first of 13 queries see none of the 6 keys.
EMPTY_ROWS = dict(CAUSAL, queries=13, keys=6)


def i1(**rest):
    return dict(types=dict(mask="i1"), **rest)


def dense_masks():
    """Each way to broadcast, with each type of mask."""
    structures = (
        dict(),
        dict(CAUSAL),
        dict(lengths=(7, 2)),
        dict(window=(3, 2), align="end", offset=-8),
    )
    shapes = ("k", "qk", "1qk", "hqk", "11qk", "b11k", "bhqk", "1h1k", "b1q1", "h1k")
    for n, (axes, element) in enumerate(product(shapes, ("i1", "f32", "f16"))):
        yield Case(f"mask_{axes}_{element}", mask=axes, types=dict(mask=element), lse=n % 2 == 0,
                   **structures[n % 4])
    yield Case("mask_of_rank_0_true_f32", mask="", mask_values="shows_all", lse=True, **i1())
    yield Case("mask_of_rank_0_false_f32", mask="", mask_values="hides_all", lse=True, **i1())
    yield Case("mask_of_rank_0_added_f64", mask="", mask_values="shows_all", lse=True, dtype="f64")
    for element in ("f32", "f16"):
        yield Case(f"mask_of_rank_0_{element}", mask="", mask_values="shows_all", lse=True,
                   types=dict(mask=element), **CAUSAL)
    yield Case("mask_of_one_element_f32", mask="1", mask_values="shows_all", lse=True)
    yield Case("mask_bhqk_i1_f64", mask="bhqk", dtype="f64", lse=True, **i1(), **CAUSAL)
    yield Case("mask_hqk_f64", mask="hqk", dtype="f64", lse=True)
    yield Case("mask_square_of_all_sizes_equal_f32", mask="hqk", batch=5, query_heads=5,
               key_heads=1, queries=5, keys=5, lse=True)
    yield Case("mask_ragged_f32", mask="b1qk", batch=2, query_heads=4, key_heads=2, queries=33,
               keys=65, lse=True, **i1(), **CAUSAL)
    yield Case("mask_ragged_added_f32", mask="hqk", batch=1, query_heads=2, key_heads=1,
               queries=17, keys=129, depth=16, value_depth=15, lse=True)
    yield Case("mask_decode_f32", mask="b11k", queries=1, keys=97, lse=True, **i1())
    yield Case("mask_no_keys_f32", mask="qk", keys=0, lse=True, **i1())
    yield Case("mask_no_queries_f32", mask="bhqk", queries=0, lse=True)


def mask_values():
    for element, rows in product(("i1", "f32"), ("first_rows", "last_rows", "all", "first_keys")):
        yield Case(f"mask_hides_{rows}_{element}", mask="bhqk" if rows == "all" else "hqk",
                   mask_values=f"hides_{rows}", types=dict(mask=element), lse=True)
    yield Case("mask_hides_last_batch_f64", mask="b1qk", mask_values="hides_last_batch",
               dtype="f64", lse=True)
    yield Case("mask_shows_all_i1", mask="hqk", mask_values="shows_all", lse=True, **i1())
    yield Case("mask_low_f32", mask="bhqk", mask_values="low", lse=True)
    yield Case("mask_low_f16", mask="1qk", mask_values="low", types=dict(mask="f16"), lse=True)
    yield Case("mask_low_in_a_whole_row_f64", mask="qk", mask_values="low_last_row", dtype="f64",
               lse=True)
    yield Case("mask_low_in_a_whole_row_f16_query", mask="qk", mask_values="low_last_row",
               dtype="f16", types=dict(mask="f32"), lse=True)
    poison = dict(mask_values="poison_where_hidden", lse=True)
    yield Case("mask_poison_causal_f32", mask="qk", **poison, **CAUSAL)
    yield Case("mask_poison_lengths_f32", mask="b11k", lengths=(4, 0), **poison)
    yield Case("mask_poison_window_f64", mask="bhqk", window=(1, 0), align="end", offset=-9,
               dtype="f64", **poison)
    yield Case("mask_with_one_nan_f32", mask="hqk", mask_values="with_one_nan", lse=True, **CAUSAL)
    yield Case("mask_with_one_nan_f64", mask="bhqk", mask_values="with_one_nan", lse=True,
               dtype="f64", lengths=(3, 8))
    yield Case("mask_with_one_inf_f32", mask="b1qk", mask_values="with_one_inf", lse=True)
    first_keys = dict(mask_values="hides_first_keys", lse=True)
    for axes in ("k", "1h1k"):
        yield Case(f"poison_under_mask_{axes}_i1", mask=axes, values="poison_unseen", **first_keys,
                   **i1())
    yield Case("poison_values_under_mask_f32", mask="b11k", values="poison_unseen_values",
               **first_keys)
    yield Case("nan_key_hidden_from_some_i1", mask="qk", values="nan_key_seen_by_some", lse=True,
               **i1())
    yield Case("nan_value_hidden_from_some_f32", mask="hqk", values="nan_value_seen_by_some",
               lse=True)
    # NaN - inf is NaN, but -inf in a mask hides whatever the score is.
    yield Case("nan_key_under_minus_inf_f64", mask="qk", values="nan_key_seen_by_some", lse=True,
               dtype="f64")


def biases():
    offsets = dict(explicit=2, end=-5)
    kinds = ("alibi", "alibi_symmetric", "relative")
    for n, (bias, align) in enumerate(
        product(kinds, ("top_left", "bottom_right", "explicit", "end"))
    ):
        dtype = "f64" if n % 5 == 1 else "f32"
        yield Case(f"{bias}_{align}_{dtype}", bias=bias, align=align, offset=offsets.get(align),
                   lse=n % 3 != 0, dtype=dtype)
    for bias in kinds:
        yield Case(f"{bias}_causal_square_f32", bias=bias, causal=True, queries=9, keys=9, lse=True)
        yield Case(f"{bias}_lengths_per_batch_end_f32", bias=bias, align="end", offset=(-3, -9),
                   offset_type="tensor", lengths=(8, 3), lse=True)
    yield Case("alibi_per_batch_explicit_f64", bias="alibi", align="explicit", offset=(40, -7),
               offset_type="tensor", dtype="f64", lse=True)
    yield Case("relative_per_batch_explicit_f32", bias="relative", align="explicit",
               offset=(5, -2), offset_type="tensor", lse=True, columns=7, origin=3)
    yield Case("alibi_longer_queries_f32", bias="alibi", lse=True, **EMPTY_ROWS)
    yield Case("alibi_far_away_f64", bias="alibi", align="explicit", offset=2**33, dtype="f64",
               lse=True)
    yield Case("relative_far_away_f32", bias="relative", align="explicit", offset=-(2**33),
               lse=True)
    yield Case("alibi_48_heads_f32", bias="alibi", batch=1, query_heads=48, key_heads=16,
               queries=3, keys=5, align="bottom_right", lse=True)
    yield Case("alibi_window_ragged_f32", bias="alibi", queries=17, keys=65, window=(16, 0),
               causal=True, align="bottom_right")
    yield Case("relative_one_column_f32", bias="relative", columns=1, origin=0, align="top_left",
               lse=True)
    yield Case("relative_wide_table_f32", bias="relative", columns=31, origin=15,
               align="bottom_right", lse=True)
    yield Case("relative_negative_origin_f64", bias="relative", columns=4, origin=-2, dtype="f64",
               align="top_left", lse=True)
    yield Case("relative_origin_beyond_the_table_f32", bias="relative", columns=3, origin=9,
               align="bottom_right", lse=True, **dict(queries=13, keys=6))
    yield Case("relative_ragged_f32", bias="relative", columns=33, origin=16, queries=17, keys=65,
               align="end", offset=-40, lse=True)
    yield Case("alibi_poison_f32", bias="alibi", values="poison_unseen", lengths=(4, 0), lse=True,
               align="bottom_right")


def soft_caps():
    yield Case("softcap_f32", softcap=2.0, lse=True, **CAUSAL)
    yield Case("softcap_f64", softcap=0.7, lse=True, dtype="f64")
    yield Case("softcap_peaked_f32", softcap=20.0, values="peaked", lse=True)
    yield Case("softcap_peaked_f64", softcap=50.0, values="peaked", lse=True, dtype="f64")
    yield Case("softcap_saturated_f32", softcap=30.0, values="all_large_positive", lse=True)
    yield Case("softcap_saturated_negative_f64", softcap=30.0, values="all_large_negative",
               lse=True, dtype="f64")
    yield Case("softcap_scale_f32", softcap=1.5, scale=0.9, lse=True, lengths=(7, 0))
    yield Case("softcap_small_f32", softcap=0.01, lse=True, window=(2, 2), align="top_left")
    # tanh of inf is 1: a capped score is finite, and a hidden key needs a mask.
    yield Case("softcap_of_infinite_scores_f32", softcap=5.0, values="minus_inf_score", lse=True)
    yield Case("softcap_poison_f32", softcap=5.0, values="poison_unseen", lengths=(4, 0), lse=True)
    yield Case("softcap_alibi_f64", softcap=1.5, bias="alibi", align="top_left", dtype="f64",
               lse=True)
    yield Case("softcap_mask_f32", softcap=1.5, mask="hqk", lse=True)


def sinks():
    yield Case("sink_f32", sink="normal", lse=True)
    yield Case("sink_f64", sink="normal", lse=True, dtype="f64", **CAUSAL)
    yield Case("sink_without_lse_f32", sink="normal", **CAUSAL)
    for sink in ("normal", "minus_inf", "beyond_all"):
        yield Case(f"sink_{sink}_empty_rows_f32", sink=sink, lse=True, **EMPTY_ROWS)
    yield Case("sink_empty_rows_f64", sink="normal", lse=True, dtype="f64", **EMPTY_ROWS)
    for sink in ("dominating", "large", "small", "beyond_all", "minus_inf", "all_minus_inf", "one_nan"):
        yield Case(f"sink_{sink}_f32", sink=sink, lse=True)
    yield Case("sink_large_f64", sink="large", lse=True, dtype="f64")
    yield Case("sink_lengths_f32", sink="normal", lengths=(0, 4), lse=True)
    yield Case("sink_no_keys_f32", sink="normal", keys=0, lse=True)
    yield Case("sink_mask_hides_all_f32", sink="normal", mask="qk", mask_values="hides_all",
               lse=True, **i1())
    yield Case("sink_low_logits_f64", sink="normal", values="all_large_negative", lse=True,
               dtype="f64")
    yield Case("sink_scale_f32", sink="normal", scale=2.0, softcap=3.0, lse=True)
    yield Case("sink_mqa_ragged_f32", sink="normal", query_heads=5, key_heads=1, queries=17,
               keys=65, lse=True, **CAUSAL)


def run_time_scales():
    for name, scale in dict(eighth=0.125, zero=0.0, negative=-0.7, large=40.0).items():
        yield Case(f"scale_operand_{name}_f32", scale=scale, scale_operand=True, lse=True, **CAUSAL)
    yield Case("scale_operand_f64", scale=0.3, scale_operand=True, lse=True, dtype="f64")
    yield Case("scale_operand_of_f16", scale=0.3, scale_operand=True, types=dict(scale="f16"),
               lse=True)
    yield Case("scale_operand_no_depth_f32", depth=0, scale=0.5, scale_operand=True, lse=True)


def combinations():
    most = dict(causal=True, window=(9, 0), softcap=4.0, sink="normal", lse=True)
    alibi = dict(most, align="end", offset=-9, bias="alibi", mask="hqk", lengths=(11, 6))
    relative = dict(most, align="explicit", offset=(6, 3), offset_type="tensor", mask="b1qk",
                    bias="relative", columns=7, origin=5, scale=0.4, scale_operand=True)
    for dtype in ("f32", "f64", "f16", "bf16"):
        yield Case(f"everything_alibi_{dtype}", dtype=dtype, **alibi)
        yield Case(f"everything_relative_{dtype}", dtype=dtype, **relative)
    yield Case("everything_symmetric_i1_f32", **i1(), **{**alibi, "bias": "alibi_symmetric"})
    yield Case("everything_ragged_f32", **{**alibi, "queries": 33, "keys": 65, "window": (40, 2),
                                           "lengths": (65, 50), "offset": -33, "mask": "bhqk"})
    yield Case("everything_shared_keys_split_heads_f32", shared_keys=True,
               layouts=("bskgd", "bshd", "bhds", "bksgd"), **relative)
    yield Case("everything_destination_f32", destination=True, **i1(), **alibi)


def dynamic_terms():
    """A size of 1 in a type broadcasts, a dynamic size is the whole size."""
    bases = (
        Case("mask_bhqk", mask="bhqk", types=dict(mask="i1"), lse=True),
        Case("mask_b11k", mask="b11k", lse=True, **CAUSAL),
        Case("mask_1hq1_sink", mask="1hq1", sink="normal", lse=True),
        Case("mask_qk_alibi", mask="qk", bias="alibi", align="bottom_right", lengths=(9, 4)),
        Case("relative", bias="relative", align="top_left", sink="normal", lse=True),
    )
    for n, base in enumerate(bases):
        for dynamic in ("all", ("terms", "mixed", "seq", "heads")[n % 4]):
            yield replace(base, name=f"dynamic_{dynamic}_{base.name}_f32", dynamic=dynamic)
    yield Case("dynamic_batch_mask_f32", dynamic="batch", mask="b1qk", lse=True)
    yield Case("dynamic_table_f64", dynamic="terms", bias="relative", align="end", offset=-6,
               dtype="f64")
