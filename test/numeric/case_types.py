"""Cases of element types below single precision, of keys that all batches share, of split heads."""

from case import Case
from storage import LOW

CAUSAL = dict(causal=True, align="bottom_right")


def low_precision():
    for dtype in LOW:
        yield Case(f"plain_{dtype}", dtype=dtype, lse=True)
        yield Case(f"tiny_{dtype}", 1, 1, 1, 1, 1, 1, 1, dtype=dtype, lse=True)
        yield Case(f"ragged_causal_{dtype}", 2, 9, 3, 33, 65, 13, 11, dtype=dtype, lse=True,
                   **CAUSAL)
        yield Case(f"mqa_lengths_{dtype}", query_heads=7, key_heads=1, lengths=(7, 0), dtype=dtype,
                   lse=True)
        yield Case(f"empty_rows_{dtype}", queries=13, keys=6, dtype=dtype, lse=True, **CAUSAL)
        yield Case(f"decode_{dtype}", 3, 4, 2, 1, 97, 16, 7, dtype=dtype, lse=True)
        yield Case(f"peaked_{dtype}", values="peaked", dtype=dtype, lse=True)
        yield Case(f"values_of_each_place_{dtype}", values="encoded", dtype=dtype)
        yield Case(f"long_flat_{dtype}", 1, 2, 1, 3, 4099, 2, 3, values="no_weight_but_ones",
                   dtype=dtype, lse=True)
        yield Case(f"long_{dtype}", 1, 2, 1, 3, 2051, 4, 3, dtype=dtype, lse=True)
        yield Case(f"poison_{dtype}", values="poison_unseen", lengths=(4, 0), dtype=dtype, lse=True)
        yield Case(f"nan_value_{dtype}", values="nan_value_seen_by_some", dtype=dtype, lse=True,
                   **CAUSAL)
        yield Case(f"nan_key_{dtype}", values="nan_key_seen_by_some", dtype=dtype, lse=True,
                   **CAUSAL)
        yield Case(f"alibi_mask_{dtype}", bias="alibi", align="bottom_right", mask="hqk",
                   dtype=dtype, types=dict(mask="i1"))
        yield Case(f"softcap_sink_{dtype}", softcap=2.0, sink="normal", dtype=dtype, lse=True)
    yield Case("scores_beyond_f16", values="all_large_positive", scale=4.0, dtype="f16", lse=True)
    yield Case("small_values_f16", values="small_values", dtype="f16", lse=True)
    yield Case("one_large_number_bf16", 1, 1, 1, 1, 1, 64, 3, values="one_large_number",
               dtype="bf16")
    yield Case("mixed_magnitudes_bf16", values="mixed_magnitudes", dtype="bf16", **CAUSAL)
    yield Case("empty_no_keys_f16", keys=0, dtype="f16", lse=True)
    yield Case("dynamic_all_f16", dynamic="all", dtype="f16", lse=True, **CAUSAL)
    yield Case("destination_bf16", destination=True, dtype="bf16", lse=True)
    yield Case("layouts_bf16", layouts=("bshd", "bhds", "sbhd", "bhsd"), dtype="bf16", lse=True)
    yield Case("scale_operand_bf16", scale=0.3, scale_operand=True, dtype="bf16", lse=True,
               types=dict(scale="bf16"))


def mixed_types():
    yield Case("mixed_f32_f16_bf16", types=dict(key="f16", value="bf16"), lse=True)
    yield Case("mixed_f16_f32_f32", dtype="f16", types=dict(key="f32", value="f32"), lse=True,
               **CAUSAL)
    yield Case("mixed_bf16_bf16_f16", dtype="bf16", types=dict(value="f16"), lse=True)
    yield Case("mixed_bf16_f32_f32_long_keys", 1, 2, 1, 5, 129, 8, 7, dtype="bf16",
               types=dict(key="f32", value="f32"), lse=True)
    yield Case("mixed_f32_values_of_f16", types=dict(value="f16"), lengths=(9, 3), lse=True)
    yield Case("mixed_terms_f32", types=dict(mask="bf16", slopes="f16", sink="bf16"), mask="b1qk",
               bias="alibi", align="bottom_right", sink="normal", lse=True)
    yield Case("mixed_terms_f16", dtype="f16", types=dict(mask="f32", table="bf16", sink="f32"),
               mask="hqk", bias="relative", align="top_left", sink="normal", lse=True)
    yield Case("mixed_terms_f64", dtype="f64", types=dict(mask="f32", slopes="f32", sink="f16"),
               mask="qk", bias="alibi", align="top_left", sink="normal", lse=True)


def shared_keys():
    shared = dict(shared_keys=True, lse=True)
    yield Case("shared_keys_f32", **shared)
    yield Case("shared_keys_f64", dtype="f64", **shared, **CAUSAL)
    yield Case("shared_keys_mqa_lengths_f32", batch=3, query_heads=5, key_heads=1,
               lengths=(4, 11, 0), **shared)
    yield Case("shared_keys_per_batch_offset_f32", causal=True, align="explicit", offset=(9, 2),
               offset_type="tensor", **shared)
    yield Case("shared_keys_ragged_f32", batch=5, queries=17, keys=65, **shared, **CAUSAL)
    yield Case("shared_keys_one_batch_f32", batch=1, **shared)
    yield Case("shared_keys_bf16", dtype="bf16", mask="b1qk", types=dict(mask="i1"), **shared)
    yield Case("shared_keys_layouts_f32", layouts=("bshd", "sbhd", "dhsb", "bhsd"), **shared)
    yield Case("shared_keys_dynamic_f32", dynamic="all", **shared)
    yield Case("shared_keys_poison_f32", values="poison_unseen", lengths=(4, 0), **shared)


def split_heads():
    pairs = (
        ("bkgsd", "bkgsd"), ("bskgd", "bskgd"), ("bksgd", "bksgd"), ("bkgsd", "bhsd"),
        ("bshd", "bskgd"), ("bksgd", "bskgd"),
    )
    for n, (query, output) in enumerate(pairs):
        dtype = "f64" if n == 2 else "f32"
        yield Case(f"split_{query}_{output}_{dtype}", layouts=(query, "bhsd", "bshd", output),
                   dtype=dtype, query_heads=6, key_heads=(2, 3)[n % 2], lse=n % 2 == 0, **CAUSAL)
    split = dict(layouts=("bskgd", "bshd", "bshd", "bskgd"), lse=True)
    yield Case("split_mqa_f32", query_heads=5, key_heads=1, **split)
    yield Case("split_mha_f32", query_heads=5, key_heads=5, **split)
    for dynamic in ("all", "heads", "group"):
        yield Case(f"split_dynamic_{dynamic}_f32", dynamic=dynamic, sink="normal", **split)
    yield Case("split_alibi_mask_bf16", bias="alibi", align="bottom_right", mask="1h1k",
               dtype="bf16", **split)
    yield Case("split_destination_f32", destination=True, query_heads=8, key_heads=2, **split)
