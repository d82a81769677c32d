"""The oracle with one error planted: what the agreement check has to notice.

`PLANTED` maps an error's name to a function with the signature of `oracle.attention`. Most
replace one of the oracle's small formulas for the length of a call, the others its inputs.
`PLANTED_BOUNDS` is the same for errors that leave output and lse right.
"""

from unittest import mock

import numpy as np

import oracle

attention = oracle.attention
query_positions = oracle.query_positions
visible = oracle.visible
logits = oracle.logits
capped = oracle.capped
positional_bias = oracle.positional_bias
dense_mask = oracle.dense_mask
softmax = oracle.softmax
largest = oracle.largest


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

    def wrong(logit, seen, sink):
        return softmax(np.where(seen, logit, number), np.ones_like(seen), sink)

    return replacing("softmax", wrong)


def multiplied_mask(logit, seen, sink):
    weight, lse = softmax(logit, np.ones_like(seen), sink)
    return weight * seen, lse


def unnormalised(logit, seen, sink):
    top = np.max(logit, axis=-1, keepdims=True, initial=-np.inf, where=seen)
    return np.where(seen, np.exp(logit - top), 0.0), softmax(logit, seen, sink)[1]


def relative_to(maximum):
    """Softmax with maximum(logit, seen, sink) subtracted; right but for rounding and range."""

    def wrong(logit, seen, sink):
        top = maximum(logit, seen, sink)
        weight = np.where(seen, np.exp(logit - top), 0.0)
        drained = np.where(sink == -np.inf, 0.0, np.exp(sink - top))
        total = weight.sum(axis=-1, keepdims=True) + drained
        return np.where(total == 0, 0.0, weight / total), (top + np.log(total))[..., 0]

    return replacing("softmax", wrong)


def maximum_of_keys(logit, seen, axis=-1):
    return np.max(logit, axis=axis, keepdims=True, initial=-np.inf, where=seen)


def lse_with(formula):
    """formula(logit, seen, lse) in place of lse; the weights stay."""

    def wrong(logit, seen, sink):
        weight, lse = softmax(logit, seen, sink)
        return weight, formula(logit, seen, lse)

    return replacing("softmax", wrong)


def empty_rows(weight_of_keys, lse_of_row):
    def wrong(logit, seen, sink):
        weight, lse = softmax(logit, seen, sink)
        none = ~seen.any(axis=-1)
        weight = np.where(none[..., None], weight_of_keys / max(1, seen.shape[-1]), weight)
        return weight, np.where(none, lse_of_row, lse)

    return wrong


def with_logits(formula):
    """formula(score, softcap, moved, added) in place of the order of cap, bias and mask."""
    return replacing("logits", formula)


def with_softcap(formula):
    """formula(score, c) in place of c * tanh(score / c)."""
    return replacing("capped", lambda score, c: score if c is None else formula(score, c))


def with_bias(formula):
    """formula(bias, ahead, slope, table, origin) in place of the bias, where there is one."""

    def wrong(bias, position, keys, query_heads, slopes, table, origin):
        right = positional_bias(bias, position, keys, query_heads, slopes, table, origin)
        if bias is None:
            return right
        ahead = np.arange(keys) - position[:, None, :, None]
        slope = None if slopes is None else slopes.astype(float)[:, None, None]
        new = formula(bias, ahead, slope, table, origin)
        return right if new is None else new

    return replacing("positional_bias", wrong)


def with_column(formula):
    """formula(ahead + origin, n) in place of the column of the relative table."""
    return replacing("table_column", lambda ahead, origin, n: formula(ahead + origin, n))


def zero_outside(column, table):
    heads = np.arange(len(table))[:, None, None]
    inside = (column >= 0) & (column < table.shape[1])
    return np.where(inside, table[heads, np.clip(column, 0, table.shape[1] - 1)], 0)


def bias_of_row_numbers(bias, position, *rest):
    """Counts from the query's number in place of its position."""
    return positional_bias(bias, np.zeros_like(position) + np.arange(position.shape[1]), *rest)


def with_mask(change):
    """change(mask, shape) in place of the dense mask, where there is one."""

    def wrong(mask, shape):
        return dense_mask(None if mask is None else change(mask, shape), shape)

    return replacing("dense_mask", wrong)


def left_aligned(mask, shape):
    """The mask's axes are the first ones; where they do not fit, the mask stays as it is."""
    left = mask.reshape(mask.shape + (1,) * (4 - mask.ndim))
    fits = all(n in (1, size) for n, size in zip(left.shape, shape))
    return left if fits else mask


def first_of(axis):
    """The mask at index 0 of an axis (counted from the right) for all of it."""

    def change(mask, shape):
        if mask.ndim < -axis or mask.size == 0:
            return mask
        return np.take(mask, [0], axis)

    return with_mask(change)


def multiplied_float_mask(score, softcap, moved, added):
    return (capped(score, softcap) + moved) * np.where(added == 0, 1.0, added)


def in_half_precision(mask, shape):
    return mask if mask.dtype == bool else mask.astype(np.float16)


def heads_of_the_group(numbers):
    """With G = 2: one number for each key head, read by its query heads."""
    return None if numbers is None else numbers[np.arange(len(numbers)) // 2]


def with_sink(change):
    """change(sink) in place of the sink's logits, where there is a sink."""
    return with_option(sink=lambda sink: None if sink is None else change(sink))


def scaled_sink(query, key, value, **options):
    if options["sink"] is not None:
        scale = query.shape[3] ** -0.5 if options["scale"] is None else options["scale"]
        options["sink"] = options["sink"].astype(float) * scale
    return attention(query, key, value, **options)


def capped_sink(*arrays, **options):
    if options["sink"] is not None:
        options["sink"] = capped(options["sink"].astype(float), options["softcap"])
    return attention(*arrays, **options)


def sink_only_in(output, lse):
    """The sink takes part in one of the two results."""

    def wrong(logit, seen, sink):
        none = np.full_like(sink, -np.inf)
        return (
            softmax(logit, seen, sink if output else none)[0],
            softmax(logit, seen, sink if lse else none)[1],
        )

    return replacing("softmax", wrong)


def sink_in_rows_that_see(logit, seen, sink):
    weight, lse = softmax(logit, seen, sink)
    return weight, np.where(seen.any(axis=-1), lse, -np.inf)


def sink_for_each_key(logit, seen, sink):
    """Enters with every block of keys instead of once."""
    return softmax(logit, seen, sink + np.log(max(1, logit.shape[-1])))


def one_batch_of_keys(change):
    """change(key or value, B) where a batch of one is read by several."""

    def changed(query, key, value, _):
        batch = query.shape[0]
        if key.shape[0] == batch:
            return query, key, value
        return query, change(key, batch), change(value, batch)

    return with_inputs(changed)


def first_batch_only(x, batch):
    return np.concatenate([x, np.zeros((batch - 1, *x.shape[1:]))])


def next_heads(x, batch):
    """The batch entry still moves the place that is read."""
    return np.concatenate([np.roll(x, -b, axis=1) for b in range(batch)])


def group_outside(query, key, value, options):
    """h = g * Hkv + k in place of k * G + g."""
    heads = np.arange(query.shape[1]).reshape(-1, key.shape[1]).T
    return query[:, heads.reshape(-1)], key, value


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


def in_single_precision(logit, seen, sink):
    return softmax(logit.astype(np.float32).astype(np.float64), seen, sink)


def blind_to_nan(logit, seen, sink):
    """Takes a NaN score for a hidden key."""
    return softmax(logit, seen & ~np.isnan(logit), sink)


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


def largest_of_all(arrays, where):
    return largest(arrays, np.ones_like(where))


def with_bound(name, wrong):
    """The right result with the bound `name` of wrong(query, key, value, **options)."""

    def changed(*arrays, **options):
        bound = getattr(wrong(*arrays, **options), name)
        return attention(*arrays, **options)._replace(**{name: bound})

    return changed


# In what the agreement rule is relative to: too large, and wrong results agree; too small, and right ones do not.
PLANTED_BOUNDS = {
    "largest_logit_of_hidden_keys": with_bound(
        "largest_logit", replacing("largest", largest_of_all)
    ),
    "largest_logit_without_sink": with_bound("largest_logit", with_sink(lambda sink: None)),
    "largest_logit_without_bias": with_bound("largest_logit", with_option(bias=lambda _: None)),
    "largest_value_of_hidden_keys": with_bound(
        "largest_value", replacing("largest", largest_of_all)
    ),
}

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
    "scale_zero_hides": with_scale(lambda d, dv, scale: np.nan if scale == 0 else scale),
    "scale_sign": with_scale(lambda d, dv, scale: -(d**-0.5 if scale is None else scale)),
    # Soft cap.
    "softcap_ignored": with_softcap(lambda score, c: score),
    "softcap_not_multiplied_back": with_softcap(lambda score, c: np.tanh(score / c)),
    "softcap_not_divided": with_softcap(lambda score, c: c * np.tanh(score)),
    "softcap_clips": with_softcap(lambda score, c: np.clip(score, -c, c)),
    "softcap_without_sign": with_softcap(lambda score, c: c * np.abs(np.tanh(score / c))),
    "softcap_after_bias": with_logits(
        lambda score, c, moved, added: capped(score + moved, c) + added
    ),
    "softcap_after_mask": with_logits(
        lambda score, c, moved, added: capped(score + added, c) + moved
    ),
    "softcap_of_mask_and_bias": with_logits(
        lambda score, c, moved, added: capped(score + moved + added, c)
    ),
    # Positional bias.
    "bias_ignored": with_option(bias=lambda _: None),
    "bias_sign": with_logits(lambda score, c, moved, added: capped(score, c) - moved + added),
    "bias_of_row_numbers": replacing("positional_bias", bias_of_row_numbers),
    "alibi_taken_for_symmetric": with_bias(
        lambda bias, ahead, slope, *_: -slope * np.abs(ahead) if bias == "alibi" else None
    ),
    "symmetric_taken_for_alibi": with_bias(
        lambda bias, ahead, slope, *_: slope * ahead if bias == "alibi_symmetric" else None
    ),
    "symmetric_sign": with_bias(
        lambda bias, ahead, slope, *_: slope * np.abs(ahead) if bias == "alibi_symmetric" else None
    ),
    "alibi_position_off_by_one": with_bias(
        lambda bias, ahead, slope, *_: slope * (ahead - 1) if bias == "alibi" else None
    ),
    "alibi_wraps_at_32_bits": with_bias(
        lambda bias, ahead, slope, *_: slope * ahead.astype(np.int32) if bias == "alibi" else None
    ),
    "slopes_by_key_head": with_option(slopes=heads_of_the_group),
    "slopes_reversed": with_option(slopes=lambda x: None if x is None else x[::-1]),
    "slope_of_first_head_for_all": with_option(
        slopes=lambda x: None if x is None else first_batch(x)
    ),
    "slopes_of_the_paper": with_option(
        slopes=lambda x: None if x is None else 2.0 ** (-8 * np.arange(1, len(x) + 1) / len(x))
    ),
    "table_by_key_head": with_option(table=heads_of_the_group),
    "table_of_first_head_for_all": with_option(
        table=lambda x: None if x is None else first_batch(x)
    ),
    "table_top_one_short": with_column(lambda at, n: np.clip(at, 0, max(0, n - 2))),
    "table_bottom_one_short": with_column(lambda at, n: np.clip(at, min(1, n - 1), n - 1)),
    "table_wraps_around": with_column(lambda at, n: at % n),
    "table_zero_outside": with_bias(
        lambda bias, ahead, slope, table, origin: zero_outside(ahead + origin, table)
        if bias == "relative"
        else None
    ),
    "table_origin_ignored": with_option(origin=lambda _: 0),
    "table_origin_off_by_one": with_option(origin=lambda o: o + 1),
    "table_origin_sign": with_option(origin=lambda o: -o),
    "table_reversed": with_column(lambda at, n: n - 1 - np.clip(at, 0, n - 1)),
    # Dense mask.
    "dense_mask_ignored": with_mask(lambda mask, shape: None),
    "dense_mask_polarity": with_mask(lambda mask, _: ~mask if mask.dtype == bool else mask),
    "float_mask_taken_for_boolean": with_mask(lambda mask, _: mask.astype(bool)),
    "float_mask_hides_where_not_zero": with_mask(
        lambda mask, _: mask if mask.dtype == bool else mask == 0
    ),
    "float_mask_only_hides": with_mask(
        lambda mask, _: mask if mask.dtype == bool else mask > -np.inf
    ),
    "float_mask_sign": with_mask(lambda mask, _: mask if mask.dtype == bool else -mask),
    "float_mask_multiplied": with_logits(multiplied_float_mask),
    "float_mask_scaled": with_mask(lambda mask, _: mask if mask.dtype == bool else mask / 2),
    "float_mask_in_half_precision": with_mask(in_half_precision),
    "low_float_mask_hides": with_mask(
        lambda mask, _: mask if mask.dtype == bool else np.where(mask < -1e4, -np.inf, mask)
    ),
    "boolean_mask_adds": with_mask(
        lambda mask, _: np.where(mask, 0.0, -1e4) if mask.dtype == bool else mask
    ),
    "dense_mask_left_aligned": with_mask(left_aligned),
    "dense_mask_of_first_batch": first_of(-4),
    "dense_mask_of_first_head": first_of(-3),
    "dense_mask_of_first_query": first_of(-2),
    "dense_mask_of_first_key": first_of(-1),
    # Sink.
    "sink_ignored": with_sink(lambda sink: None),
    "sink_scaled": scaled_sink,
    "sink_capped": capped_sink,
    "sink_sign": with_sink(np.negative),
    "sink_taken_for_its_exponential": with_sink(
        lambda sink: np.log(np.maximum(sink.astype(float), 1e-300))
    ),
    "sink_only_in_output": sink_only_in(True, False),
    "sink_only_in_lse": sink_only_in(False, True),
    "sink_not_in_the_maximum": relative_to(
        lambda logit, seen, sink: maximum_of_keys(logit, seen)
    ),
    "sink_only_in_rows_that_see": replacing("softmax", sink_in_rows_that_see),
    "sink_of_minus_inf_is_zero": with_sink(lambda sink: np.where(sink == -np.inf, 0, sink)),
    "sink_for_each_key": replacing("softmax", sink_for_each_key),
    "sink_by_key_head": with_option(sink=heads_of_the_group),
    "sink_of_first_head_for_all": with_sink(first_batch),
    "nan_sink_is_none": with_sink(lambda sink: np.where(np.isnan(sink), -np.inf, sink)),
    # One batch of keys for all queries; heads in two axes.
    "one_batch_of_keys_for_the_first_only": one_batch_of_keys(first_batch_only),
    "one_batch_of_keys_read_further_on": one_batch_of_keys(next_heads),
    "group_outside_of_key_heads": with_inputs(group_outside),
    # Softmax and log-sum-exp.
    "softmax_not_normalised": replacing("softmax", unnormalised),
    "softmax_without_maximum": relative_to(lambda logit, seen, sink: np.zeros((1, 1, 1, 1))),
    "softmax_with_one_maximum_per_head": relative_to(
        lambda logit, seen, sink: np.maximum(maximum_of_keys(logit, seen, (-2, -1)), sink)
    ),
    "nan_score_is_hidden": replacing("softmax", blind_to_nan),
    "nan_value_is_zero": with_inputs(lambda q, k, v, _: (q, k, np.where(np.isnan(v), 0.0, v))),
    "scores_in_float32": replacing("softmax", in_single_precision),
    "lse_in_base_two": lse_with(lambda logit, seen, lse: lse / np.log(2)),
    "lse_without_maximum": lse_with(
        lambda logit, seen, lse: lse - maximum_of_keys(logit, seen)[..., 0].clip(-1e300)
    ),
    "lse_is_the_maximum": lse_with(
        lambda logit, seen, lse: maximum_of_keys(logit, seen)[..., 0]
    ),
    "lse_of_empty_row_zero": lse_with(
        lambda logit, seen, lse: np.where(seen.any(axis=-1), lse, 0.0)
    ),
    # Rows that see nothing, keys that nobody sees.
    "empty_row_is_the_mean": empty_row(1.0, -np.inf),
    "empty_row_is_nan": empty_row(np.nan, -np.inf),
    "hidden_values_multiplied_by_zero": replacing("weighted_sum", multiplied_values),
}
