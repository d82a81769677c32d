"""The oracle with one error planted: what the agreement check has to notice.

`PLANTED` maps an error's name to a function with the signature of `oracle.attention`. Most
replace one of the oracle's small formulas for the length of a call, the others its inputs.
"""

from unittest import mock

import numpy as np

import oracle

attention = oracle.attention
query_positions = oracle.query_positions
visible = oracle.visible
softmax = oracle.softmax


def replacing(name, formula):
    """The oracle with its function `name` replaced."""

    def wrong(*arrays, **options):
        with mock.patch.object(oracle, name, formula), np.errstate(all="ignore"):
            return attention(*arrays, **options)

    return wrong


def aligned(wrong):
    return replacing("query_positions", wrong)


def swapped(one, other):
    """Takes one alignment for the other."""
    names = {one: other, other: one}
    return aligned(lambda align, *rest: query_positions(names.get(align, align), *rest))


def causal_mask(formula):
    """formula(p, j) in place of j <= p."""

    def seen(position, length, keys, causal, window):
        shown = visible(position, length, keys, False, window)
        return shown & formula(position[:, :, None], np.arange(keys)) if causal else shown

    return replacing("visible", seen)


def window_mask(left, right):
    """A window whose ends are off by left and right."""

    def seen(position, length, keys, causal, window):
        if window is not None:
            window = (window[0] + left, window[1] + right)
        return visible(position, length, keys, causal, window)

    return replacing("visible", seen)


def inverted(position, length, keys, causal, window):
    inside = np.arange(keys)[None, None, :] < length[:, None, None]
    shown = visible(position, length, keys, causal, window)
    return shown if not causal and window is None else inside & ~shown


def either_mask(position, length, keys, causal, window):
    if causal and window is not None:
        return visible(position, length, keys, True, None) | visible(
            position, length, keys, False, window
        )
    return visible(position, length, keys, causal, window)


def without(dropped):
    """Hides the keys of the slice dropped(keys)."""

    def seen(position, length, keys, causal, window):
        shown = visible(position, length, keys, causal, window).copy()
        shown[..., dropped(keys)] = False
        return shown

    return replacing("visible", seen)


def hidden_score(number):
    """Hidden keys take part with a finite score instead of being left out."""

    def wrong(score, seen):
        return softmax(np.where(seen, score, number), np.ones_like(seen))

    return replacing("softmax", wrong)


def multiplied_mask(score, seen):
    weight, lse = softmax(score, np.ones_like(seen))
    return weight * seen, lse


def unnormalised(score, seen):
    weight, lse = softmax(score, seen)
    top = np.max(score, axis=-1, keepdims=True, initial=-np.inf, where=seen)
    return np.where(seen, np.exp(score - top), 0.0), lse


def without_maximum(score, seen):
    weight = np.where(seen, np.exp(score), 0.0)
    total = weight.sum(axis=-1, keepdims=True)
    return np.where(total > 0, weight / total, 0.0), np.log(total)[..., 0]


def single_maximum(score, seen):
    """One maximum for the whole head instead of one for each row."""
    top = np.max(score, axis=(-2, -1), keepdims=True, initial=-np.inf, where=seen)
    weight = np.where(seen, np.exp(score - top), 0.0)
    total = weight.sum(axis=-1, keepdims=True)
    return np.where(total > 0, weight / total, 0.0), (top + np.log(total))[..., 0]


def lse_with(formula):
    """formula(score, seen, lse) in place of lse; the weights stay."""

    def wrong(score, seen):
        weight, lse = softmax(score, seen)
        return weight, formula(score, seen, lse)

    return replacing("softmax", wrong)


def empty_rows(weight_of_keys, lse_of_row):
    def wrong(score, seen):
        weight, lse = softmax(score, seen)
        none = ~seen.any(axis=-1)
        weight = np.where(none[..., None], weight_of_keys / max(1, seen.shape[-1]), weight)
        return weight, np.where(none, lse_of_row, lse)

    return wrong


def multiplied_values(weight, seen, value):
    return np.einsum("bhij,bhjn->bhin", weight, value)


def empty_row(weight, lse):
    """Rows without a visible key get this weight for all keys together, and this lse."""

    def wrong(*arrays, **options):
        with mock.patch.object(oracle, "softmax", empty_rows(weight, lse)), mock.patch.object(
            oracle, "weighted_sum", multiplied_values
        ), np.errstate(all="ignore"):
            return attention(*arrays, **options)

    return wrong


def in_single_precision(score, seen):
    weight, lse = softmax(score.astype(np.float32).astype(np.float64), seen)
    return weight, lse


def blind_to_nan(score, seen):
    """Takes a NaN score for a hidden key."""
    return softmax(score, seen & ~np.isnan(score))


def with_inputs(change):
    """The right formulas on changed inputs: change(query, key, value, options)."""

    def wrong(query, key, value, **options):
        return attention(*change(query, key, value, options), **options)

    return wrong


def with_scale(formula):
    """formula(D, Dv, scale) in place of the scale."""

    def wrong(query, key, value, **options):
        options["scale"] = formula(query.shape[3], value.shape[3], options["scale"])
        return attention(query, key, value, **options)

    return wrong


def with_option(**changes):
    def wrong(*arrays, **options):
        options.update({name: change(options[name]) for name, change in changes.items()})
        return attention(*arrays, **options)

    return wrong


def with_output(change):
    def wrong(*arrays, **options):
        right = attention(*arrays, **options)
        return right._replace(output=change(right.output))

    return wrong


def reread(x, shape):
    """The bytes of x, written as (B, S, H, D), read as (B, H, S, D)."""
    return np.ascontiguousarray(np.swapaxes(x, 1, 2)).reshape(shape)


def first_batch(numbers):
    return numbers if np.ndim(numbers) == 0 else np.full_like(numbers, numbers[:1])


def clamped_head(query_heads, key_heads):
    return np.minimum(np.arange(query_heads), key_heads - 1)


def longest_for_all(align, offset, length, queries):
    return query_positions(align, offset, np.full_like(length, length.max(initial=0)), queries)


PLANTED = {
    # Position.
    "bottom_right_taken_for_top_left": swapped("bottom_right", "top_left"),
    "end_taken_for_explicit": swapped("end", "explicit"),
    "offset_sign": with_option(offset=np.negative),
    "offset_ignored": with_option(offset=np.zeros_like),
    "offset_of_first_batch_for_all": with_option(offset=first_batch),
    "bottom_right_from_the_longest_batch": aligned(longest_for_all),
    "bottom_right_off_by_one": aligned(
        lambda align, *rest: query_positions(align, *rest) + (align == "bottom_right")
    ),
    # Masks and lengths.
    "mask_inverted": replacing("visible", inverted),
    "causal_ignored": with_option(causal=lambda _: False),
    "causal_strict": causal_mask(lambda p, j: j < p),
    "causal_one_ahead": causal_mask(lambda p, j: j <= p + 1),
    "causal_reversed": causal_mask(lambda p, j: j >= p),
    "window_ignored": with_option(window=lambda _: None),
    "window_left_one_short": window_mask(-1, 0),
    "window_left_one_long": window_mask(1, 0),
    "window_right_one_short": window_mask(0, -1),
    "window_right_one_long": window_mask(0, 1),
    "window_ends_swapped": with_option(window=lambda w: w and w[::-1]),
    "causal_or_window": replacing("visible", either_mask),
    "lengths_ignored": with_option(lengths=lambda _: None),
    "length_of_first_batch_for_all": with_option(
        lengths=lambda n: None if n is None else first_batch(n)
    ),
    "lengths_one_short": with_option(lengths=lambda n: None if n is None else n - 1),
    "hidden_score_minus_ten_thousand": hidden_score(-1e4),
    "hidden_score_zero": hidden_score(0.0),
    "mask_multiplies_weights": replacing("softmax", multiplied_mask),
    "lengths_not_clamped": replacing(
        "key_lengths", lambda n, batch, keys: np.full(batch, keys) if n is None else n
    ),
    # Keys left out.
    "last_key_dropped": without(lambda keys: slice(max(keys - 1, 0), None)),
    "first_key_dropped": without(lambda keys: slice(0, 1)),
    "key_block_dropped": without(lambda keys: slice(keys // 2, keys // 2 + 4)),
    # Heads and layouts.
    "head_map_modulo": replacing("key_head_of", lambda hq, hkv: np.arange(hq) % hkv),
    "head_map_clamped": replacing("key_head_of", clamped_head),
    "heads_swapped": with_output(lambda o: o[:, ::-1]),
    "key_heads_swapped": with_inputs(lambda q, k, v, _: (q, k[:, ::-1], v)),
    "value_heads_swapped": with_inputs(lambda q, k, v, _: (q, k, v[:, ::-1])),
    "batches_swapped": with_inputs(lambda q, k, v, _: (q[::-1], k, v)),
    "query_layout_misread": with_inputs(lambda q, k, v, _: (reread(q, q.shape), k, v)),
    "key_layout_misread": with_inputs(lambda q, k, v, _: (q, reread(k, k.shape), v)),
    "value_layout_misread": with_inputs(lambda q, k, v, _: (q, k, reread(v, v.shape))),
    "output_layout_misread": with_output(lambda o: reread(o, o.shape)),
    "rows_reversed": with_output(lambda o: o[:, :, ::-1]),
    "output_zero": with_output(np.zeros_like),
    # Scale.
    "scale_missing": with_scale(lambda d, dv, scale: 1.0),
    "scale_of_value_depth": with_scale(
        lambda d, dv, scale: max(1, dv) ** -0.5 if scale is None else scale
    ),
    "scale_one_over_depth": with_scale(lambda d, dv, scale: 1 / d if scale is None else scale),
    "scale_explicit_ignored": with_scale(lambda d, dv, scale: None),
    "scale_zero_means_default": with_scale(lambda d, dv, scale: scale or None),
    "scale_sign": with_scale(lambda d, dv, scale: -(d**-0.5 if scale is None else scale)),
    # Softmax and log-sum-exp.
    "softmax_not_normalised": replacing("softmax", unnormalised),
    "softmax_without_maximum": replacing("softmax", without_maximum),
    "softmax_with_one_maximum_per_head": replacing("softmax", single_maximum),
    "nan_score_is_hidden": replacing("softmax", blind_to_nan),
    "nan_value_is_zero": with_inputs(lambda q, k, v, _: (q, k, np.where(np.isnan(v), 0.0, v))),
    "scores_in_float32": replacing("softmax", in_single_precision),
    "lse_in_base_two": lse_with(lambda score, seen, lse: lse / np.log(2)),
    "lse_without_maximum": lse_with(
        lambda score, seen, lse: lse
        - np.max(score, axis=-1, initial=-np.inf, where=seen).clip(-1e300)
    ),
    "lse_is_the_maximum": lse_with(
        lambda score, seen, lse: np.max(score, axis=-1, initial=-np.inf, where=seen)
    ),
    "lse_of_empty_row_zero": lse_with(
        lambda score, seen, lse: np.where(seen.any(axis=-1), lse, 0.0)
    ),
    # Rows that see nothing, keys that nobody sees.
    "empty_row_is_the_mean": empty_row(1.0, -np.inf),
    "empty_row_is_nan": empty_row(np.nan, -np.inf),
    "hidden_values_multiplied_by_zero": replacing("weighted_sum", multiplied_values),
}
