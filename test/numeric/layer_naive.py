"""An attention layer in single precision, as a plain program on stored numbers would compute it.

The yardstick of `tolerance.acceptance` for `layer_oracle.py`. Products and sums are in float32 and in order; Q, K and V
are rounded to the type of what they are projected from, what heads give to the query's type, and so is the output.
The heads are `naive.attention`, which gets all masks as one.
"""

import numpy as np

import naive
import oracle
from naive import in_order, single
from storage import stored


def layer(case):
    """The output of a case whose query is not f64."""
    arrays = case.arrays
    query = arrays["query"]
    key = arrays.get("key", query)
    inputs = [rows(x, case) for x in (query, key, arrays.get("value", key))]
    parts = zip(inputs, weights_of(case, arrays), biases_of(case, arrays))
    with np.errstate(all="ignore"):
        q, k, v = (project(x, weight, bias) for x, weight, bias in parts)
        sizes = (case.heads, case.depth), (case.key_heads, case.depth), (case.key_heads, case.value_depth)
        names = [name if name in arrays else case.source_of(name) for name in ("query", "key", "value")]
        q, k, v = (
            stored(split_heads(x, *size), case.type_of(name)) for x, size, name in zip((q, k, v), sizes, names)
        )
        mask = masks(case, arrays, q.shape[2], k.shape[2])
        k, v, mask = with_more_keys(case, arrays, k, v, mask, [case.type_of(name) for name in names[1:]])
        attended, _ = naive.attention(Heads(case, mask, case.type_of(names[2])), q, k, v)
        attended = stored(gated(attended, arrays.get("head_gate")), case.dtype)
        joined = attended.transpose(0, 2, 1, 3).reshape(len(q), -1, case.heads * case.value_depth)
        output = project(joined, oe(case, arrays, "w_o"), arrays.get("b_o"))
        if case.residual:
            output = output + single(rows(arrays["residual"], case))
    return rows(stored(output, case.dtype), case)


class Heads:
    """What `naive.attention` asks of a case."""

    def __init__(self, case, mask, value_type):
        self.scale, self.dtype, self.mask, self.value_type = case.scale, case.dtype, mask, value_type

    def type_of(self, name):
        return self.value_type

    def options(self):
        return dict(
            scale=self.scale, causal=False, window=None, align=None, offset=0, lengths=None, softcap=None, bias=None,
            mask=self.mask, sink=None,
        )


def rows(array, case):
    """(B, S, E) of what is stored, and back."""
    return np.moveaxis(array, 1, 0) if case.sequence_first else array


def oe(case, arrays, name):
    return single(arrays[name] if case.layout_of(name) == "oe" else np.transpose(arrays[name]))


def weights_of(case, arrays):
    if "w_qkv" in arrays:
        return np.split(oe(case, arrays, "w_qkv"), np.cumsum(case.outputs())[:2])
    return [oe(case, arrays, name) for name in ("w_q", "w_k", "w_v")]


def biases_of(case, arrays):
    if "b_qkv" in arrays:
        return np.split(arrays["b_qkv"], np.cumsum(case.outputs())[:2])
    return [arrays.get(name) for name in ("b_q", "b_k", "b_v")]


def project(array, weight, bias):
    result = in_order(single(array)[:, :, None, :] * single(weight), axis=3)
    return result if bias is None else result + single(bias)


def split_heads(array, heads, depth):
    return array.reshape(*array.shape[:2], heads, depth).transpose(0, 2, 1, 3)


def masks(case, arrays, queries, keys):
    """All of them as numbers, (B, Hq, Sq, Sk)."""
    structure = case.structure()
    length = oracle.key_lengths(structure["lengths"], case.batch, keys)
    position = oracle.query_positions(case.align, structure["offset"], length, queries)
    seen = oracle.visible(position, length, keys, case.causal, case.window)[:, None]
    result = np.zeros((case.batch, case.heads, queries, keys), np.float32)
    padding = arrays.get("key_padding")
    if padding is not None:
        padding = (~padding if case.padding == "hidden" else padding)[:, None, None, :]
    for mask in (seen, arrays.get("dense_mask"), padding):
        added, allowed = oracle.dense_mask(mask, result.shape)
        result = np.where(allowed, result + single(added), single(-np.inf))
    return result


def with_more_keys(case, arrays, k, v, mask, types):
    """With the extra key and the key of zeros, as far as the case has them."""
    more = []
    if case.extra:
        more.append([arrays["extra_key"], arrays["extra_value"]])
    if case.zero_attn:
        more.append([np.zeros(case.key_heads * size, np.float32) for size in (case.depth, case.value_depth)])
    for operands in more:
        ones = [stored(one, of).reshape(1, case.key_heads, 1, -1) for one, of in zip(operands, types)]
        k, v = (np.concatenate([x, np.repeat(one, case.batch, axis=0)], axis=2) for x, one in zip((k, v), ones))
    return k, v, np.pad(mask, [(0, 0)] * 3 + [(0, len(more))])


def gated(attended, gate):
    if gate is None:
        return attended
    gate = np.atleast_2d(gate)[:, :, None, None]
    return np.where(gate, attended, 0) if gate.dtype == bool else single(attended) * single(gate)
