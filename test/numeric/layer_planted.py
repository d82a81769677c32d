"""The oracle of layers with one error planted: what the cases of layers have to notice.

`PLANTED` maps an error's name to a function of the keyword arguments of `layer_oracle.layer`.
"""

from unittest import mock

import numpy as np

import layer_oracle

append_key = layer_oracle.append_key
first_position = layer_oracle.first_position
sees = layer_oracle.sees


def replacing(name, formula):
    """The oracle with its function `name` replaced."""

    def wrong(options):
        with mock.patch.object(layer_oracle, name, formula):
            return layer_oracle.layer(**options)

    return wrong


def giving(name, change):
    """The oracle with another operand `name`, where it has one."""

    def wrong(options):
        given = options.get(name)
        return layer_oracle.layer(**options if given is None else options | {name: change(given)})

    return wrong


def without(name):
    return giving(name, lambda given: None)


def aligned(change):
    return replacing("first_position", lambda *where: first_position(*change(*where)))


def seeing(change):
    return replacing("sees", lambda *where: sees(*change(*where)))


def swapped(one, other):
    names = {one: other, other: one}
    return aligned(lambda align, *rest: (names.get(align, align), *rest))


def packed_as(order):
    def parts(whole, sizes):
        of = np.split(whole, np.cumsum(sizes)[:2])
        return [of[n] if len(of[n]) == size else own for n, size, own in zip(order, sizes, of)]

    return replacing("unpacked", parts)


def interleaved(array, heads):
    return np.stack([array[:, :, h::heads] for h in range(heads)], axis=1)


def joined_interleaved(array):
    batch, heads, queries, depth = array.shape
    return array.transpose(0, 2, 3, 1).reshape(batch, queries, heads * depth)


def in_turns(array, heads):
    return np.stack([array[:, h % array.shape[1]] for h in range(heads)], axis=1)


def hidden_as_the_last_key(k, v, added, key, value):
    result = append_key(k, v, added, key, value)
    last = added[..., -1:] if added.shape[3] else 0.0
    return *result[:2], np.concatenate([added, last + result[2][..., -1:]], axis=3)


def in_place_of_the_last(k, v, added, key, value):
    """An added key in the place of the last one."""
    return append_key(k[:, :, :-1], v[:, :, :-1], added[..., :-1], key, value)


def biased(options):
    """The extra key gets the bias of the others."""
    both = options.get("extra_key") is not None and options.get("b_k") is not None
    more = dict(extra_key=options["extra_key"] + options["b_k"]) if both else {}
    return layer_oracle.layer(**options | more)


def gated_behind(options):
    """The gate of batch b is that of batch b + 1."""
    gate = options.get("head_gate")
    more = dict(head_gate=np.roll(gate, 1, axis=0)) if gate is not None and gate.ndim == 2 else {}
    return layer_oracle.layer(**options | more)


def of_the_key(options):
    """Values are projected from the keys, where they could be."""
    key, value = options.get("key"), options.get("value")
    same = key is not None and value is not None and key.shape == value.shape
    return layer_oracle.layer(**options | (dict(value=key) if same else {}))


def numbers_only(change):
    """Changes masks of numbers."""
    return lambda mask: mask if mask.dtype == bool else change(mask)


def inverted(mask):
    return ~mask if mask.dtype == bool else mask


def part(axis):
    """The first place of an axis for all, in what has all four."""
    return lambda mask: mask.take([0], axis=axis) if mask.ndim == 4 else mask


def rolled(axis):
    return lambda array: np.roll(array, 1, axis=axis)


PLANTED = {
    "heads_interleaved": replacing("split_heads", interleaved),
    "heads_joined_interleaved": replacing("join_heads", joined_interleaved),
    "key_heads_in_turns": replacing("repeat_heads", in_turns),
    "packed_as_kqv": packed_as((1, 0, 2)),
    "packed_as_qvk": packed_as((0, 2, 1)),
    "packed_bias_is_none": without("b_qkv"),
    "scale_of_the_width": replacing("default_scale", lambda depth: (6 * depth) ** -0.5),
    "scale_is_default": without("scale"),
    "extra_key_is_hidden": replacing("append_key", hidden_as_the_last_key),
    "extra_key_in_place_of_another": replacing("append_key", in_place_of_the_last),
    "extra_key_is_biased": biased,
    "extra_value_of_another_head": giving("extra_value", lambda x: np.roll(x, len(x) // 2)),
    "extra_value_is_zero": giving("extra_value", np.zeros_like),
    "no_zero_attn": without("zero_attn"),
    "top_left_is_bottom_right": swapped("top_left", "bottom_right"),
    "explicit_is_end": swapped("explicit", "end"),
    "end_is_bottom_right": aligned(lambda align, *rest: ("bottom_right" if align == "end" else align, *rest)),
    "added_keys_count": aligned(lambda align, length, n, offset: (align, length + 1, n, offset)),
    "positions_of_the_longest": aligned(lambda align, length, n, offset: (align, 11, n, offset)),
    "offset_of_one_batch_for_all": giving("offset", lambda offset: np.ravel(offset)[:1]),
    "causal_without_the_own_key": seeing(lambda p, j, n, causal, window: (p - causal, j, n, causal, window)),
    "causal_is_forgotten": seeing(lambda p, j, n, causal, window: (p, j, n, False, window)),
    "window_is_forgotten": seeing(lambda p, j, n, causal, window: (p, j, n, causal, None)),
    "window_one_longer_left": giving("window", lambda window: (window[0] + 1, window[1])),
    "window_one_longer_right": giving("window", lambda window: (window[0], window[1] + 1)),
    "lengths_are_forgotten": without("lengths"),
    "length_one_longer": giving("lengths", lambda lengths: lengths + 1),
    "lengths_are_not_clamped": replacing("valid_keys", lambda length, keys: length),
    "dense_mask_is_forgotten": without("dense_mask"),
    "dense_mask_inverted": giving("dense_mask", inverted),
    "dense_mask_hides_only": giving("dense_mask", numbers_only(lambda x: np.where(x == -np.inf, x, 0))),
    "dense_mask_never_hides": giving("dense_mask", numbers_only(lambda x: np.maximum(x, -9))),
    "dense_mask_is_scaled": giving("dense_mask", numbers_only(lambda x: x / 3)),
    "dense_mask_of_head_0": giving("dense_mask", part(axis=1)),
    "dense_mask_of_batch_0": giving("dense_mask", part(axis=0)),
    "padding_polarity": giving("padding", lambda padding: dict(hidden="visible", visible="hidden").get(padding)),
    "padding_is_forgotten": without("key_padding"),
    "padding_of_another_batch": giving("key_padding", rolled(axis=0)),
    "padding_hides_only": giving("key_padding", numbers_only(lambda x: np.where(x == -np.inf, x, 0))),
    "gate_is_forgotten": without("head_gate"),
    "gate_of_another_head": giving("head_gate", rolled(axis=-1)),
    "gate_of_another_batch": gated_behind,
    "gate_inverted": giving("head_gate", inverted),
    "residual_is_forgotten": without("residual"),
    "residual_of_another_query": giving("residual", rolled(axis=1)),
    "output_bias_is_forgotten": without("b_o"),
    "query_bias_is_forgotten": without("b_q"),
    "key_bias_is_forgotten": without("b_k"),
    "value_bias_is_forgotten": without("b_v"),
    "value_is_the_key": of_the_key,
}
