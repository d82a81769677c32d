"""Scaled dot-product attention in float64 NumPy, written from its formulas.

This file judges the compiler, so it imports NumPy alone, is slow on purpose, and has its own
tests (`test_oracle.py`). `attention` is the oracle: three passes over whole arrays (scores,
softmax, weighted sum). `attention_by_loops` says the same a second time, one query row after
another in plain Python floats; the two share no line.

Letters: B batch, Hq query heads, Hkv key/value heads, G = Hq / Hkv, Sq queries, Sk keys,
D query/key head size, Dv value head size. All arrays are in the order (B, H, S, D).
"""

import math
from typing import NamedTuple

import numpy as np


class Result(NamedTuple):
    output: np.ndarray  # (B, Hq, Sq, Dv) float64
    lse: np.ndarray  # (B, Hq, Sq) float64, natural logarithm, scale included
    largest_logit: float  # max |logit| over finite logits of visible keys, 0 if there is none
    largest_value: float  # max |V| over finite values at visible keys, 0 if there is none


def attention(
    query,
    key,
    value,
    *,
    scale=None,
    causal=False,
    window=None,
    align=None,
    offset=0,
    lengths=None,
):
    """Attention of every query row over the keys that it sees.

    Parameters
    ----------
    query : (B, Hq, Sq, D) float
    key : (B, Hkv, Sk, D) float
    value : (B, Hkv, Sk, Dv) float
        Query head h reads key/value head h // G.
    scale : float, optional
        Multiplies query . key. Default 1 / sqrt(D).
    causal : bool
        Key j is visible when j <= p(b, i), the position of query i.
    window : (int, int), optional
        (l, r): key j is visible when p - l <= j <= p + r; both ends inclusive.
    align : {"top_left", "bottom_right", "explicit", "end"}, optional
        p(b, i) = start + i with start 0, length(b) - Sq, offset(b), length(b) + offset(b).
        May be left out only where no mask asks for a position, or where Sq = Sk and there are
        no lengths (all four agree then). Causal with Sq = 2, Sk = 4 (x is visible)::

            top_left    x . . .      bottom_right    x x x .
                        x x . .                      x x x x
    offset : int or (B,) int
        Of `explicit` and `end`; may be negative.
    lengths : (B,) int, optional
        Valid keys of each batch, clamped to 0..Sk. Default Sk.

    Returns
    -------
    Result
        A row with no visible key has output 0 and lse -inf. K and V at keys that a row does not
        see never reach that row, NaN and inf included; a NaN that a row does see makes the row
        NaN.

    Notes
    -----
    A key whose score is -inf is hidden. Everything is float64.
    """
    query, key, value = (np.asarray(x, np.float64) for x in (query, key, value))
    batch, query_heads, queries, depth = query.shape
    key_heads, keys = key.shape[1:3]

    length = key_lengths(lengths, batch, keys)
    position = query_positions(align, offset, length, queries)
    head = key_head_of(query_heads, key_heads)
    with np.errstate(all="ignore"):
        factor = default_scale(depth) if scale is None else scale
        score = scores(query, key[:, head], factor)
        seen = visible(position, length, keys, causal, window)[:, None] & (score != -np.inf)
        weight, lse = softmax(score, seen)
        output = weighted_sum(weight, seen, value[:, head])
    return Result(output, lse, *largest(score, seen, value[:, head]))


def key_lengths(lengths, batch, keys):
    """length(b), (B,)."""
    if lengths is None:
        return np.full(batch, keys)
    return np.clip(np.asarray(lengths, np.int64), 0, keys)


def query_positions(align, offset, length, queries):
    """p(b, i), (B, Sq)."""
    start = {
        None: 0 * length,
        "top_left": 0 * length,
        "bottom_right": length - queries,
        "explicit": 0 * length + offset,
        "end": length + offset,
    }[align]
    return start[:, None] + np.arange(queries)[None, :]


def visible(position, length, keys, causal, window):
    """Whether mask and length let query i see key j, (B, Sq, Sk)."""
    p = position[:, :, None]
    j = np.arange(keys)[None, None, :]
    seen = (j < length[:, None, None]) & np.ones_like(p, bool)
    if causal:
        seen &= j <= p
    if window is not None:
        left, right = window
        seen &= (p - left <= j) & (j <= p + right)
    return seen


def key_head_of(query_heads, key_heads):
    """The key/value head that each query head reads, (Hq,)."""
    return np.arange(query_heads) // (query_heads // key_heads)


def default_scale(depth):
    """1 / sqrt(D), D the query and key head size; Dv has no part in it."""
    return 1.0 / np.sqrt(depth)


def scores(query, key, scale):
    """scale * query . key, (B, Hq, Sq, Sk)."""
    return scale * np.einsum("bhid,bhjd->bhij", query, key)


def softmax(score, seen):
    """Weights over the visible keys and the logarithm of their sum."""
    top = np.max(score, axis=-1, keepdims=True, initial=-np.inf, where=seen)
    weight = np.where(seen, np.exp(score - top), 0.0)
    total = weight.sum(axis=-1, keepdims=True)
    some = seen.any(axis=-1, keepdims=True)
    lse = np.where(some, top + np.log(total), -np.inf)
    return np.where(some, weight / total, 0.0), lse[..., 0]


def weighted_sum(weight, seen, value):
    """Sum of weight * value over the visible keys: chosen, not multiplied by zero."""
    terms = weight[..., None] * value[:, :, None, :, :]
    return np.where(seen[..., None], terms, 0.0).sum(axis=3)


def largest(score, seen, value):
    """The two magnitudes that the agreement rule is relative to."""
    logits = np.abs(score[seen & np.isfinite(score)])
    values = np.abs(value[seen.any(axis=2)])
    values = values[np.isfinite(values)]
    return logits.max(initial=0.0), values.max(initial=0.0)


def attention_by_loops(
    query,
    key,
    value,
    scale=None,
    causal=False,
    window=None,
    align=None,
    offset=0,
    lengths=None,
):
    """(output, lse) of `attention`, one row at a time, weights as exp(score - lse)."""
    output = np.zeros(query.shape[:3] + value.shape[3:])
    lse = np.zeros(query.shape[:3])
    group = query.shape[1] // key.shape[1]
    for b in range(query.shape[0]):
        valid = key.shape[2]
        if lengths is not None:
            valid = max(0, min(valid, int(lengths[b])))
        shift = int(offset if np.ndim(offset) == 0 else offset[b])
        for kv in range(key.shape[1]):
            keys = key[b, kv].astype(float).tolist()
            values = value[b, kv].astype(float).tolist()
            for g in range(group):
                h = kv * group + g
                for i in range(query.shape[2]):
                    row = query[b, h, i].astype(float).tolist()
                    if align == "bottom_right":
                        p = valid - (query.shape[2] - i)
                    elif align == "explicit":
                        p = shift + i
                    elif align == "end":
                        p = valid + shift + i
                    else:
                        p = i
                    output[b, h, i], lse[b, h, i] = _row(
                        row, keys[:valid], values[:valid], scale, causal, window, p
                    )
    return output, lse


def _row(row, keys, values, scale, causal, window, p):
    pairs = []
    for j, (k, v) in enumerate(zip(keys, values)):
        ahead = j - p
        if causal and ahead > 0:
            continue
        if window is not None and not -window[0] <= ahead <= window[1]:
            continue
        s = sum(x * y for x, y in zip(row, k))
        s = s / math.sqrt(len(row)) if scale is None else s * scale
        if s != -math.inf:
            pairs.append((s, v))
    if not pairs:
        return 0.0, -math.inf
    if any(math.isnan(s) or s == math.inf for s, _ in pairs):
        return math.nan, math.nan
    top = max(s for s, _ in pairs)
    lse = top + math.log(math.fsum(math.exp(s - top) for s, _ in pairs))
    columns = zip(*([math.exp(s - lse) * x for x in v] for s, v in pairs))
    return [sum(column) for column in columns], lse
