"""An attention layer in float64 NumPy: projections, heads, attention, gates, output projection, residual.

Written from what torch.nn.MultiheadAttention documents, with heads in groups; what a layer has besides is told at its
parameter. It judges the compiler, so it imports NumPy alone and has its own tests (`test_layer_oracle.py`). It says things in
another way than `oracle.py`: keys that a layer adds stand behind the others for real, heads of keys and values are
repeated, every mask is a matrix of numbers that is added, and rows are computed one after another.

Letters: B batch, Sq queries, Sk keys, Hq query heads, Hkv key/value heads, D query/key head size, Dv value head size,
Eq, Ek, Ev and Eo the widths of query, key, value and output. A head's channels are next to each other.
"""

from typing import NamedTuple

import numpy as np


class Result(NamedTuple):
    output: np.ndarray  # (B, Sq, Eo) float64, or (Sq, B, Eo)
    largest_logit: float  # how large a score is at most, if nothing in it cancels
    largest_value: float  # the same of an element of the output


def layer(
    query,
    key=None,
    value=None,
    *,
    heads,
    kv_heads=None,
    w_q=None,
    w_k=None,
    w_v=None,
    w_qkv=None,
    w_o,
    b_q=None,
    b_k=None,
    b_v=None,
    b_qkv=None,
    b_o=None,
    extra_key=None,
    extra_value=None,
    zero_attn=False,
    scale=None,
    causal=False,
    window=None,
    align=None,
    offset=0,
    lengths=None,
    dense_mask=None,
    key_padding=None,
    padding=None,
    head_gate=None,
    residual=None,
    sequence_first=False,
):
    """The output of a layer.

    Parameters
    ----------
    query : (B, Sq, Eq) float
    key : (B, Sk, Ek) float, default query
    value : (B, Sk, Ev) float, default key
    heads, kv_heads : int
        Hq and Hkv, which is Hq by default; query head h attends key/value head h // (Hq / Hkv).
    w_q, w_k, w_v, w_o : (array, layout)
        Layout "oe" is outputs x inputs, "eo" inputs x outputs. Outputs are Hq * D, Hkv * D, Hkv * Dv and Eo.
    w_qkv : (array, layout)
        In place of the first three: their outputs in this order, with Dv = D.
    b_q, b_k, b_v, b_qkv, b_o : (outputs,) float, optional
        b_qkv in place of the first three.
    extra_key, extra_value : (Hkv * D,) and (Hkv * Dv,) float, optional
        One more key and value for each batch entry, which are not projected (`add_bias_kv`).
    zero_attn : bool
        One more key and value of zeros (`add_zero_attn`). No mask and no length is about these two keys.
    scale : float, optional
        Multiplies all scores. Default 1 / sqrt(D).
    causal, window, align, offset, lengths
        As `oracle.attention` has them.
    dense_mask : bool or float, optional
        Broadcast, right-aligned, over (B, Hq, Sq, Sk). True shows a key; numbers are added, and -inf hides.
    key_padding : (B, Sk) bool or float, optional
        Of booleans `padding` says what True does, "hidden" (as in torch) or "visible". Numbers as in `dense_mask`.
    head_gate : (Hq,) or (B, Hq), float or bool, optional
        Multiplies what a head gives; False makes it 0.
    residual : like the output, optional
        Added at the end.
    sequence_first : bool
        Query, key, value, residual and output have S before B.

    Notes
    -----
    A query that sees no key gets 0 from its heads. What is not seen has no influence, NaN and inf included.
    """
    key = query if key is None else key
    value = key if value is None else value
    inputs = [batch_first(x, sequence_first) for x in (query, key, value)]
    kv_heads = heads if kv_heads is None else kv_heads
    weights = three_weights(w_q, w_k, w_v, w_qkv, heads, kv_heads)
    biases = three_biases(b_q, b_k, b_v, b_qkv, [len(weight) for weight in weights])
    out, residual = outputs_by_inputs(w_o), batch_first(residual, sequence_first)
    shape = len(inputs[0]), heads, inputs[0].shape[1], inputs[1].shape[1]
    added = structured_mask(shape, causal, window, align, offset, lengths)
    added = added + as_numbers(dense_mask, True) + padding_mask(key_padding, padding)

    def attend_with(rows, of):
        """The layer by a formula of rows, with `of` applied to each operand."""
        q, k, v = (project(of(x), of(w), of(b)) for x, w, b in zip(inputs, weights, biases))
        q, k, v = split_heads(q, heads), split_heads(k, kv_heads), split_heads(v, kv_heads)
        everywhere = added
        if extra_key is not None:
            k, v, everywhere = append_key(k, v, everywhere, of(numbers(extra_key)), of(numbers(extra_value)))
        if zero_attn:
            zeros = np.zeros(kv_heads * k.shape[3]), np.zeros(kv_heads * v.shape[3])
            k, v, everywhere = append_key(k, v, everywhere, *zeros)
        k, v = repeat_heads(k, heads), repeat_heads(v, heads)
        factor = default_scale(q.shape[3]) if scale is None else scale
        attended, largest = rows(q, k, v, everywhere, factor)
        joined = join_heads(gated(attended, head_gate, of))
        output = project(joined, of(out), of(numbers(b_o)))
        return output if residual is None else output + of(residual), largest

    with np.errstate(all="ignore"):
        output, _ = attend_with(attention_rows, lambda x: x)
        sizes, largest_logit = attend_with(largest_rows, absolute)
    largest_value = sizes[np.isfinite(sizes)].max(initial=0.0)
    return Result(batch_first(output, sequence_first), largest_logit, largest_value)


def numbers(array):
    return None if array is None else np.asarray(array, np.float64)


def absolute(array):
    return None if array is None else np.abs(array)


def batch_first(array, sequence_first):
    """(S, B, E) into (B, S, E), and back."""
    array = numbers(array)
    return array.swapaxes(0, 1) if sequence_first and array is not None else array


# ---- Projections and heads


def outputs_by_inputs(weight):
    array, layout = weight
    return numbers(array) if layout == "oe" else numbers(array).T


def three_weights(w_q, w_k, w_v, w_qkv, heads, kv_heads):
    """Those of query, key and value, outputs x inputs."""
    if w_qkv is None:
        return [outputs_by_inputs(weight) for weight in (w_q, w_k, w_v)]
    whole = outputs_by_inputs(w_qkv)
    depth = len(whole) // (heads + 2 * kv_heads)
    return unpacked(whole, [heads * depth, kv_heads * depth, kv_heads * depth])


def three_biases(b_q, b_k, b_v, b_qkv, sizes):
    """Those of query, key and value; None where there is none."""
    if b_qkv is None:
        return [numbers(bias) for bias in (b_q, b_k, b_v)]
    return unpacked(numbers(b_qkv), sizes)


def unpacked(whole, sizes):
    """The parts of query, key and value, which stand in this order."""
    q, k, v = sizes
    return [whole[:q], whole[q : q + k], whole[q + k : q + k + v]]


def project(array, weight, bias):
    """x W^T + b, W outputs x inputs."""
    result = np.einsum("bse,oe->bso", array, weight)
    return result if bias is None else result + bias


def split_heads(array, heads):
    """(B, S, H * D) into (B, H, S, D): head h has the channels from h * D on."""
    depth = array.shape[-1] // heads
    return np.stack([array[:, :, h * depth : (h + 1) * depth] for h in range(heads)], axis=1)


def join_heads(array):
    return np.concatenate([array[:, h] for h in range(array.shape[1])], axis=2)


def repeat_heads(array, heads):
    """(B, Hkv, S, D) into (B, Hq, S, D)."""
    group = heads // array.shape[1]
    return np.stack([array[:, h // group] for h in range(heads)], axis=1)


def append_key(k, v, added, key, value):
    """Keys, values and masks of a problem with one more key and value, which every query sees."""
    batch, kv_heads = k.shape[:2]
    one_key, one_value = (split_heads(np.tile(x, (batch, 1, 1)), kv_heads) for x in (key, value))
    column = np.zeros((*added.shape[:3], 1))
    return (
        np.concatenate([k, one_key], axis=2),
        np.concatenate([v, one_value], axis=2),
        np.concatenate([added, column], axis=3),
    )


def gated(attended, gate, of):
    """What heads give, (B, Hq, Sq, Dv), by a gate of (Hq) or (B, Hq)."""
    if gate is None:
        return attended
    gate = np.asarray(gate)[..., None, None]
    return np.where(gate, attended, 0.0) if gate.dtype == bool else attended * of(numbers(gate))


# ---- Masks, as numbers that are added: 0 where a key is seen, -inf where it is hidden


def hiding(shown):
    return np.where(shown, 0.0, -np.inf)


def structured_mask(shape, causal, window, align, offset, lengths):
    """What position and length hide, (B, Hq, Sq, Sk)."""
    batch, _, queries, keys = shape
    result = np.zeros(shape)
    for b in range(batch):
        length = keys if lengths is None else valid_keys(int(lengths[b]), keys)
        start = first_position(align, length, queries, int(np.broadcast_to(offset, batch)[b]))
        for i in range(queries):
            result[b, :, i] = [hiding(sees(start + i, j, length, causal, window)) for j in range(keys)]
    return result


def valid_keys(length, keys):
    return min(max(length, 0), keys)


def first_position(align, length, queries, offset):
    """Where query 0 of a batch entry stands."""
    starts = {None: 0, "top_left": 0, "bottom_right": length - queries, "explicit": offset, "end": length + offset}
    return starts[align]


def sees(p, j, length, causal, window):
    """Whether a query at position p sees key j."""
    return (
        j < length
        and (not causal or j <= p)
        and (window is None or p - window[0] <= j <= p + window[1])
    )


def as_numbers(mask, shows):
    """What a mask adds; in one of booleans, those that are `shows` show."""
    if mask is None:
        return 0.0
    mask = np.asarray(mask)
    return hiding(mask == shows) if mask.dtype == bool else mask.astype(np.float64)


def padding_mask(key_padding, padding):
    """(B, 1, 1, Sk)"""
    added = as_numbers(key_padding, padding == "visible")
    return added if key_padding is None else added[:, None, None, :]


# ---- Rows


def default_scale(depth):
    return 1.0 / np.sqrt(depth)


def attention_rows(q, k, v, added, scale):
    """(what heads give, None). A row takes the keys that it sees, and has nothing to do with the others."""
    result = np.zeros((*q.shape[:3], v.shape[3]))
    for row in np.ndindex(*q.shape[:3]):
        head = row[:2]
        seen = added[row] != -np.inf
        if seen.any():
            score = scale * (k[head][seen] @ q[row]) + added[row][seen]
            weight = np.exp(score - score.max())
            result[row] = weight / weight.sum() @ v[head][seen]
    return result, None


def largest_rows(q, k, v, added, scale):
    """Of absolute operands: (the largest value that each row sees, the largest score). NaN and inf have no size."""
    result, largest = np.zeros((*q.shape[:3], v.shape[3])), 0.0
    for row in np.ndindex(*q.shape[:3]):
        head = row[:2]
        seen = added[row] != -np.inf
        score = np.abs(scale) * (k[head][seen] @ q[row]) + np.abs(added[row][seen])
        largest = max(largest, score[np.isfinite(score)].max(initial=0.0))
        values = v[head][seen]
        result[row] = np.where(np.isfinite(values), values, 0.0).max(axis=0, initial=0.0)
    return result, largest
