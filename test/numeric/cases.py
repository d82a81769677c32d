"""The attention problems that the numeric tests run. Data only: nothing is judged here.

Sizes are odd and pairwise different wherever the meaning allows it, so that a transposition or a
wrong head cannot hide; values are seeded by the case's name. A name says what is special about
the case: `causal_bottom_right_longer_keys_f32`.
"""

from dataclasses import replace
from itertools import permutations, product

import case_terms
import case_types
from case import Case

WIDE = ("f32", "f64")


def sized(name, b, hq, hkv, sq, sk, d, dv, **rest):
    return Case(name, b, hq, hkv, sq, sk, d, dv, **rest)


LONGER_KEYS = dict(queries=7, keys=11)
SQUARE = dict(queries=9, keys=9)
LONGER_QUERIES = dict(queries=13, keys=6)
RELATIONS = dict(longer_keys=LONGER_KEYS, square=SQUARE, longer_queries=LONGER_QUERIES)


def shape_classes():
    both = ("tiny", "odd", "ragged", "gqa", "mqa")
    for dtype in WIDE:
        for name, sizes in dict(
            #              B  Hq Hkv Sq   Sk   D   Dv
            tiny=(1, 1, 1, 1, 1, 1, 1),
            odd=(2, 6, 3, 7, 11, 5, 4),
            one_query_row=(3, 4, 2, 1, 33, 16, 7),
            one_key=(2, 6, 2, 5, 1, 3, 4),
            square=(3, 5, 5, 17, 17, 7, 8),
            ragged=(2, 9, 3, 33, 65, 13, 11),
            longer_keys=(1, 4, 2, 3, 127, 15, 17),
            longer_queries=(1, 4, 2, 129, 5, 3, 7),
            mha=(2, 3, 3, 15, 31, 7, 5),
            gqa=(3, 8, 2, 7, 16, 5, 9),
            mqa=(2, 7, 1, 15, 17, 3, 5),
            wide_value=(2, 3, 1, 7, 15, 4, 33),
            narrow_value=(2, 3, 1, 7, 15, 33, 1),
            one_deep=(2, 4, 2, 7, 15, 1, 3),
        ).items():
            if dtype == "f32" or name in both:
                yield sized(f"{name}_{dtype}", *sizes, dtype=dtype)


def edge_sizes():
    rows = [
        (2, 3), (3, 2), (15, 16), (16, 15), (17, 16), (16, 33), (31, 33), (63, 65), (65, 64),
        (97, 127), (127, 129), (129, 97),
    ]
    for n, (sq, sk) in enumerate(rows):
        dtype = "f32" if n % 3 else "f64"
        depth, value_depth = [(3, 8), (16, 15), (17, 31), (33, 24)][n % 4]
        yield sized(
            f"edge_{sq}x{sk}_bottom_right_{dtype}", 1 + n % 2, 2 + n % 2 * 2, 1 + n % 2,
            sq, sk, depth, value_depth, causal=True, align="bottom_right", lse=n % 2 == 0,
            dtype=dtype,
        )
    yield sized("edge_long_keys_f32", 1, 2, 1, 3, 1025, 8, 5, lse=True)
    yield sized("edge_long_queries_f32", 1, 2, 1, 1023, 7, 8, 5, causal=True, align="top_left")
    yield sized("edge_deep_f32", 1, 2, 1, 5, 17, 160, 111, lse=True)
    yield sized("edge_many_heads_f32", 1, 48, 16, 2, 3, 5, 4, lse=True)
    yield sized("edge_many_batches_f32", 33, 2, 1, 2, 3, 5, 4, lse=True)


def alignments():
    offsets = dict(explicit=2, end=-5)
    for n, ((relation, sizes), align) in enumerate(
        product(RELATIONS.items(), ("top_left", "bottom_right", "explicit", "end"))
    ):
        dtype = "f64" if n % 3 == 1 else "f32"
        yield Case(
            f"causal_{align}_{relation}_{dtype}",
            causal=True, align=align, offset=offsets.get(align), dtype=dtype,
            lse=relation != "square", **sizes,
        )
    yield Case("causal_square_no_alignment_f32", causal=True, **SQUARE)
    yield Case("window_square_no_alignment_f64", window=(2, 1), dtype="f64", **SQUARE)


def offsets():
    for offset_type, align, (which, value) in product(
        ("i64", "index", "tensor"),
        ("explicit", "end"),
        (("positive", 3), ("negative", -4)),
    ):
        offset = (value, -2 * value) if offset_type == "tensor" else value
        yield Case(
            f"causal_{align}_offset_{offset_type}_{which}_f32",
            causal=True, align=align, offset=offset, offset_type=offset_type, lse=True,
        )
    yield Case("causal_explicit_before_first_key_f32", causal=True, align="explicit", offset=-7,
               lse=True)
    yield Case("causal_explicit_after_last_key_f32", causal=True, align="explicit", offset=100)
    yield Case("causal_explicit_far_offset_f64", causal=True, align="explicit",
               offset=-(2**40), dtype="f64", lse=True)
    yield Case("window_explicit_after_last_key_f32", window=(3, 3), align="explicit", offset=11,
               lse=True)
    yield Case("decode_explicit_offset_f32", queries=1, keys=33, causal=True, align="explicit",
               offset=(32, 17), offset_type="tensor", lse=True)


def windows():
    for (left, right), causal in product(
        ((0, 0), (3, 0), (0, 3), (2, 4), (64, 0), (0, 64)), (False, True)
    ):
        prefix = "causal_window" if causal else "window"
        yield Case(
            f"{prefix}_{left}_{right}_f32", window=(left, right), causal=causal,
            align="bottom_right", lse=causal,
        )
    for align, offset in (("top_left", None), ("explicit", 4), ("end", -9)):
        for relation, sizes in RELATIONS.items():
            yield Case(
                f"window_2_1_{align}_{relation}_f64", window=(2, 1), align=align, offset=offset,
                dtype="f64", lse=True, **sizes,
            )
    yield Case("window_16_0_ragged_f32", queries=33, keys=65, causal=True, window=(16, 0),
               align="bottom_right")
    yield Case("window_left_of_all_keys_f32", window=(1, 1), align="explicit", offset=(-9, 9),
               offset_type="tensor", lse=True)


def lengths():
    some = dict(batch=5, lengths=(0, 11, 4, 1, 10))
    for dtype in WIDE:
        yield Case(f"lengths_{dtype}", lse=True, dtype=dtype, **some)
        yield Case(f"lengths_causal_bottom_right_{dtype}", causal=True, align="bottom_right",
                   lse=True, dtype=dtype, **some)
    yield Case("lengths_causal_top_left_f32", causal=True, align="top_left", **some)
    yield Case("lengths_causal_explicit_f32", causal=True, align="explicit",
               offset=(3, 0, -2, 9, 1), offset_type="tensor", lse=True, **some)
    yield Case("lengths_causal_end_f32", causal=True, align="end", offset=-3, lse=True, **some)
    yield Case("lengths_causal_end_per_batch_f64", causal=True, align="end", dtype="f64",
               offset=(-3, -7, 0, -1, -12), offset_type="tensor", lse=True, **some)
    yield Case("lengths_window_bottom_right_f32", window=(2, 1), align="bottom_right", **some)
    yield Case("lengths_causal_window_end_f32", causal=True, window=(4, 0), align="end",
               offset=-7, lse=True, **some)
    yield Case("lengths_square_bottom_right_f32", causal=True, align="bottom_right", batch=3,
               queries=9, keys=9, lengths=(9, 5, 2), lse=True)
    yield Case("lengths_all_zero_f32", lengths=(0, 0), lse=True)
    yield Case("lengths_all_full_f32", lengths=(11, 11))
    yield Case("lengths_longer_queries_f32", lengths=(6, 3), causal=True, align="bottom_right",
               **LONGER_QUERIES)
    yield Case("lengths_out_of_range_are_clamped_f32", batch=4, lengths=(-3, 12, 1000, 5),
               constant_lengths=True, lse=True)
    yield Case("lengths_out_of_range_move_the_end_f64", batch=3, lengths=(-3, 12, 5),
               constant_lengths=True, causal=True, align="bottom_right", lse=True,
               dtype="f64")


def scales():
    yield Case("scale_explicit_f32", scale=0.125, depth=7, value_depth=3, lse=True)
    yield Case("scale_explicit_f64", scale=0.3, depth=7, value_depth=3, dtype="f64", lse=True)
    yield Case("scale_zero_f32", scale=0.0, lse=True)
    yield Case("scale_zero_causal_f64", scale=0.0, causal=True, align="bottom_right", dtype="f64")
    yield Case("scale_one_f32", scale=1.0)
    yield Case("scale_negative_f32", scale=-0.7, causal=True, align="top_left", lse=True)
    yield Case("scale_large_f32", scale=40.0, lse=True)
    yield Case("scale_default_not_a_square_f64", depth=31, value_depth=16, dtype="f64")


def log_sum_exps():
    yield Case("lse_f32", lse=True)
    yield Case("lse_f64", lse=True, dtype="f64")
    yield Case("lse_one_key_f32", keys=1, lse=True)
    yield Case("lse_mqa_f64", query_heads=7, key_heads=1, lse=True, dtype="f64")
    yield Case("lse_large_positive_f64", lse=True, dtype="f64", values="all_large_positive")
    yield Case("lse_large_negative_f32", lse=True, values="all_large_negative")
    yield Case("lse_flat_f32", lse=True, values="flat")


def layouts():
    """Each operand in each of the 24 orders; the strides are coprime to 24."""
    orders = ["".join(order) for order in permutations("bhsd")]
    sizes = [
        dict(query_heads=6, key_heads=3), dict(query_heads=3, key_heads=3),
        dict(query_heads=9, key_heads=3), dict(query_heads=8, key_heads=1),
    ]
    for n in range(24):
        four = tuple(orders[(m * n + start) % 24] for m, start in ((1, 0), (5, 3), (7, 2), (11, 9)))
        mask = (
            dict(),
            dict(causal=True, align="bottom_right"),
            dict(causal=True, align="top_left", lengths=(7, 2)),
        )[n % 3]
        yield Case(f"layout_{'_'.join(four)}_f32", layouts=four, lse=n % 2 == 1,
                   dynamic="all" if n % 5 == 4 else "static", **sizes[n % 4], **mask)
    for order in ("bshd", "sbhd", "bhds"):
        yield Case(f"layout_all_{order}_f64", layouts=(order,) * 4, dtype="f64", lse=True)
    yield Case("layout_output_differs_f32", layouts=("bhsd", "bhsd", "bhsd", "bshd"))
    yield Case("layout_output_differs_f64", layouts=("bshd", "bshd", "bshd", "bhsd"), dtype="f64",
               lse=True)


def dynamic_types():
    """The same numbers whether a size is in the type or comes with the data."""
    bases = (
        Case("plain", lse=True),
        Case("causal_bottom_right", causal=True, align="bottom_right"),
        Case("window_end", window=(3, 1), align="end", offset=-8, lse=True),
        Case("lengths_causal", causal=True, align="bottom_right", lengths=(3, 9), lse=True),
        Case("per_batch_offset", causal=True, align="explicit", offset=(4, -3),
             offset_type="tensor"),
        Case("mqa_bshd", query_heads=5, key_heads=1, layouts=("bshd",) * 4, lse=True),
    )
    for n, base in enumerate(bases):
        for m, dynamic in enumerate(("all", ("seq", "mixed")[n % 2])):
            dtype = "f32" if (n + m) % 3 else "f64"
            yield replace(base, name=f"dynamic_{dynamic}_{base.name}_{dtype}", dynamic=dynamic,
                          dtype=dtype)
    for dynamic in ("batch", "heads", "depth"):
        yield Case(f"dynamic_{dynamic}_f32", dynamic=dynamic, lse=True)
    yield Case("dynamic_all_square_f32", dynamic="all", causal=True, align="top_left", **SQUARE)
    yield Case("dynamic_all_ragged_f32", dynamic="all", batch=1, queries=33, keys=65, depth=17,
               value_depth=15, causal=True, align="bottom_right")
    yield Case("dynamic_seq_decode_f32", dynamic="seq", queries=1, keys=97, causal=True,
               align="bottom_right", lse=True)


def empty_sizes():
    for what, sizes in dict(
        no_queries=dict(queries=0),
        no_keys=dict(keys=0),
        no_batches=dict(batch=0),
        no_value_columns=dict(value_depth=0),
        no_queries_no_keys=dict(queries=0, keys=0),
    ).items():
        for dynamic in ("static", "all"):
            yield Case(f"empty_{what}_{dynamic}_f32", dynamic=dynamic, lse=True, **sizes)
    yield Case("empty_no_depth_f32", depth=0, scale=0.5, lse=True)
    yield Case("empty_no_keys_causal_f64", keys=0, causal=True, align="bottom_right", lse=True,
               dtype="f64")
    yield Case("empty_no_keys_lengths_f32", keys=0, lengths=(0, 0), lse=True, dynamic="seq")
    yield Case("empty_no_batches_lengths_f32", batch=0, lengths=(), lse=True, dynamic="all")
    yield Case("empty_no_queries_window_f32", queries=0, window=(3, 0), align="end", offset=0,
               dynamic="seq")


def destinations():
    """The content of outs is never read."""
    causal = dict(causal=True, align="bottom_right", **LONGER_QUERIES)
    yield Case("destination_f32", destination=True)
    yield Case("destination_empty_rows_f32", destination=True, **causal)
    yield Case("destination_with_lse_f64", destination=True, dtype="f64", lse=True, **causal)
    yield Case("destination_dynamic_layout_f32", destination=True, dynamic="all",
               layouts=("bhsd", "bshd", "bhds", "sbhd"))


def adversarial_values():
    causal = dict(causal=True, align="bottom_right")
    for values in ("peaked", "flat", "nearly_flat", "huge", "rising", "falling", "encoded",
                   "ones", "one_hot", "mixed_magnitudes"):
        yield Case(f"values_{values}_f32", values=values, lse=True, **causal)
    for values in ("peaked", "huge", "encoded"):
        yield Case(f"values_{values}_f64", values=values, dtype="f64", lse=True, **causal)
    yield Case("values_all_large_negative_f64", values="all_large_negative", dtype="f64", **causal)
    yield Case("values_all_large_positive_f32", values="all_large_positive", **causal)
    for values in ("subnormal", "tiny_queries", "signed_zeros", "large_values"):
        yield Case(f"values_{values}_f32", values=values, lse=True, **causal)

    top_left = dict(causal=True, align="top_left")
    yield Case("poison_causal_top_left_f32", values="poison_unseen", lse=True, **top_left)
    yield Case("poison_causal_top_left_f64", values="poison_unseen", dtype="f64", **top_left)
    yield Case("poison_lengths_f32", values="poison_unseen", lengths=(4, 0), lse=True)
    yield Case("poison_lengths_dynamic_f64", values="poison_unseen", lengths=(0, 9), lse=True,
               dtype="f64", dynamic="all")
    yield Case("poison_window_bottom_right_f32", values="poison_unseen", window=(1, 0), queries=3,
               align="bottom_right", lse=True)
    for dtype in WIDE:
        yield Case(f"large_unseen_lengths_{dtype}", values="large_unseen", lengths=(4, 9), lse=True,
                   dtype=dtype, **causal)
    yield Case("poison_no_key_seen_f32", values="poison_unseen", causal=True, align="explicit",
               offset=-20, lse=True)
    for dtype in WIDE:
        yield Case(f"nan_value_seen_by_some_{dtype}", values="nan_value_seen_by_some",
                   dtype=dtype, lse=True, **causal)
        yield Case(f"nan_key_seen_by_some_{dtype}", values="nan_key_seen_by_some", dtype=dtype,
                   lse=True, **causal)
        yield Case(f"nan_query_row_{dtype}", values="nan_query_row", dtype=dtype, lse=True)
    yield Case("nan_query_row_that_sees_nothing_f32", values="nan_first_query_row", lse=True,
               causal=True, align="explicit", offset=-1)
    yield Case("inf_value_seen_by_some_f32", values="inf_value_seen_by_some", **causal)
    yield Case("inf_value_seen_by_some_f64", values="inf_value_seen_by_some", dtype="f64",
               **causal)
    yield Case("opposite_infinities_f32", values="opposite_infinities", lse=True)
    for dtype in WIDE:
        yield Case(f"minus_inf_score_{dtype}", values="minus_inf_score", dtype=dtype, lse=True)
        yield Case(f"minus_inf_score_nan_value_{dtype}", values="minus_inf_score_nan_value",
                   dtype=dtype, lse=True)
        yield Case(f"all_minus_inf_scores_{dtype}", values="all_minus_inf_scores", dtype=dtype,
                   lse=True)
        yield Case(f"plus_inf_score_{dtype}", values="plus_inf_score", dtype=dtype, lse=True,
                   **causal)


CASES = tuple(
    case
    for group in (
        shape_classes, edge_sizes, alignments, offsets, windows, lengths, scales, log_sum_exps,
        layouts, dynamic_types, empty_sizes, destinations, adversarial_values,
        case_terms.dense_masks, case_terms.mask_values, case_terms.biases, case_terms.soft_caps,
        case_terms.sinks, case_terms.run_time_scales, case_terms.combinations,
        case_terms.dynamic_terms, case_types.low_precision, case_types.mixed_types,
        case_types.shared_keys, case_types.split_heads,
    )
    for case in group()
)
