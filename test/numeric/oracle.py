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
    largest_logit: float  # max |x| over the finite terms x of scores that have a weight, and sinks
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
    softcap=None,
    bias=None,
    slopes=None,
    table=None,
    origin=0,
    mask=None,
    sink=None,
):
    """Attention of every query row over the keys that it sees.

    Parameters
    ----------
    query : (B, Hq, Sq, D) float
    key : (B, Hkv, Sk, D) float
    value : (B, Hkv, Sk, Dv) float
        Query head h reads key/value head h // G. Where B > 1, key and value may both have a
        batch of 1, which every batch of the query reads.
    scale : float, optional
        Multiplies query . key. Default 1 / sqrt(D).
    causal : bool
        Key j is visible when j <= p(b, i), the position of query i.
    window : (int, int), optional
        (l, r): key j is visible when p - l <= j <= p + r; both ends inclusive.
    align : {"top_left", "bottom_right", "explicit", "end"}, optional
        p(b, i) = start + i with start 0, length(b) - Sq, offset(b), length(b) + offset(b).
        May be left out only where no mask or bias asks for a position, or where Sq = Sk and
        there are no lengths (all four agree then). Causal with Sq = 2, Sk = 4 (x is visible)::

            top_left    x . . .      bottom_right    x x x .
                        x x . .                      x x x x
    offset : int or (B,) int
        Of `explicit` and `end`; may be negative.
    lengths : (B,) int, optional
        Valid keys of each batch, clamped to 0..Sk. Default Sk.
    softcap : float, optional
        c > 0: score s becomes c * tanh(s / c), before bias and mask.
    bias : {"alibi", "alibi_symmetric", "relative"}, optional
        Added to the score: slopes[h] * (j - p), -slopes[h] * |j - p|, or
        table[h, clamp(j - p + origin, 0, n - 1)].
    slopes : (Hq,) float
    table : (Hq, n) float, n >= 1
    origin : int
    mask : bool or float, of 0 to 4 axes, optional
        Broadcast, right-aligned, over (B, Hq, Sq, Sk). bool: key j is visible where it is True.
        float: added to the score.
    sink : (Hq,) float, optional
        A logit that takes part in the softmax as it is, with no key and no value: it adds
        exp(sink[h]) to the denominator. -inf is like none.

    Returns
    -------
    Result
        A row with no visible key has output 0 and lse sink, -inf without one. K, V, mask and
        bias at keys that a row does not see never reach that row, NaN and inf included; a NaN
        that a row does see makes the row NaN, as does a score of inf.

    Notes
    -----
    A key whose score is -inf, bias and mask included, is hidden. Everything is float64.
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
        moved = positional_bias(bias, position, keys, query_heads, slopes, table, origin)
        added, allowed = dense_mask(mask, score.shape)
        logit = logits(score, softcap, moved, added)
        seen = visible(position, length, keys, causal, window)[:, None]
        seen = seen & allowed & (logit != -np.inf)
        level = sink_logits(sink, query_heads)
        weight, lse = softmax(logit, seen, level)
        output = weighted_sum(weight, seen, value[:, head])
        taken = [score, moved, added, logit], seen & (weight > 0)
        drained = [level[..., 0]], np.exp(level[..., 0] - lse) > 0
        values = [value[:, head]], seen.any(axis=2)
        return Result(output, lse, max(largest(*taken), largest(*drained)), largest(*values))


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
    """Whether structured mask and length let query i see key j, (B, Sq, Sk)."""
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


def logits(score, softcap, moved, added):
    """Score, capped, then bias and mask."""
    return capped(score, softcap) + moved + added


def capped(score, softcap):
    return score if softcap is None else softcap * np.tanh(score / softcap)


def positional_bias(bias, position, keys, query_heads, slopes, table, origin):
    """What is added for where key and query stand, (B, Hq, Sq, Sk); 0 without a bias."""
    if bias is None:
        return np.zeros((1, 1, 1, 1))
    ahead = np.arange(keys) - position[:, None, :, None]
    if bias == "relative":
        table = np.asarray(table, np.float64)
        column = table_column(ahead, origin, table.shape[1])
        return table[np.arange(query_heads)[:, None, None], column]
    slope = np.asarray(slopes, np.float64)[:, None, None]
    return slope * ahead if bias == "alibi" else -slope * np.abs(ahead)


def table_column(ahead, origin, columns):
    return np.clip(ahead + origin, 0, columns - 1)


def dense_mask(mask, shape):
    """(what is added, whether the key may be seen), both of `shape`."""
    added, allowed = np.zeros(shape), np.ones(shape, bool)
    if mask is not None:
        whole = np.broadcast_to(mask, shape)
        if whole.dtype == bool:
            allowed = whole
        else:
            added, allowed = whole.astype(np.float64), whole != -np.inf
    return added, allowed


def sink_logits(sink, query_heads):
    """(Hq, 1, 1); -inf where there is none."""
    sink = np.full(query_heads, -np.inf) if sink is None else np.asarray(sink, np.float64)
    return sink[:, None, None]


def softmax(logit, seen, sink):
    """Weights over the visible keys and the logarithm of the sum of these and the sink."""
    top = np.max(logit, axis=-1, keepdims=True, initial=-np.inf, where=seen)
    top = np.maximum(top, sink)
    weight = np.where(seen, np.exp(logit - top), 0.0)
    total = weight.sum(axis=-1, keepdims=True) + np.where(sink == -np.inf, 0.0, np.exp(sink - top))
    some = seen.any(axis=-1, keepdims=True) | (sink != -np.inf)
    lse = np.where(some, top + np.log(total), -np.inf)
    return np.where(some, weight / total, 0.0), lse[..., 0]


def weighted_sum(weight, seen, value):
    """Sum of weight * value over the visible keys: chosen, not multiplied by zero.

    Keys are next to each other in memory, where NumPy adds in pairs: thousands lose no digits.
    """
    terms = weight[:, :, :, None, :] * np.swapaxes(value, 2, 3)[:, :, None]
    terms = np.where(seen[:, :, :, None, :], terms, 0.0)
    return np.ascontiguousarray(terms).sum(axis=-1)


def largest(arrays, where):
    """The largest finite magnitude, of what the agreement rule is relative to; 0 if there is none.

    A key whose weight is 0 in float64 is no part of it: no rounding of its score gives it one.
    """
    numbers = [np.broadcast_to(x, (*where.shape, *x.shape[where.ndim :]))[where] for x in arrays]
    return max(np.abs(x[np.isfinite(x)]).max(initial=0.0) for x in numbers)


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
    softcap=None,
    bias=None,
    slopes=None,
    table=None,
    origin=0,
    mask=None,
    sink=None,
):
    """(output, lse) of `attention`, one row at a time, weights as exp(score - lse)."""
    output = np.zeros(query.shape[:3] + value.shape[3:])
    lse = np.zeros(query.shape[:3])
    group = query.shape[1] // key.shape[1]
    for b in range(query.shape[0]):
        kb = b if key.shape[0] > 1 else 0
        valid = key.shape[2]
        if lengths is not None:
            valid = max(0, min(valid, int(lengths[b])))
        shift = int(offset if np.ndim(offset) == 0 else offset[b])
        for kv in range(key.shape[1]):
            keys = key[kb, kv].astype(float).tolist()
            values = value[kb, kv].astype(float).tolist()
            for g in range(group):
                h = kv * group + g
                drain = None if sink is None else float(sink[h])
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
                    pairs = []
                    for j in range(valid):
                        ahead = j - p
                        if causal and ahead > 0:
                            continue
                        if window is not None and not -window[0] <= ahead <= window[1]:
                            continue
                        s = sum(x * y for x, y in zip(row, keys[j]))
                        s = s / math.sqrt(len(row)) if scale is None else s * float(scale)
                        if softcap is not None:
                            s = math.tanh(s / softcap) * softcap
                        if bias == "alibi":
                            s += ahead * float(slopes[h])
                        elif bias == "alibi_symmetric":
                            s -= float(slopes[h]) * max(ahead, -ahead)
                        elif bias == "relative":
                            s += float(table[h][max(0, min(ahead + origin, len(table[h]) - 1))])
                        if mask is not None:
                            entry = _entry(mask, b, h, i, j)
                            if isinstance(entry, bool):
                                s = s if entry else -math.inf
                            else:
                                s = -math.inf if entry == -math.inf else s + entry
                        if s != -math.inf:
                            pairs.append((s, values[j]))
                    output[b, h, i], lse[b, h, i] = _row(pairs, drain)
    return output, lse


def _entry(mask, *place):
    """What a mask holds for (b, h, i, j): its axes are the last ones of these."""
    at = place[len(place) - np.ndim(mask) :]
    return mask[tuple(n if size > 1 else 0 for n, size in zip(at, np.shape(mask)))].item()


def _row(pairs, drain):
    """(output, lse) of the visible (score, value); `drain` is the sink."""
    scores = [s for s, _ in pairs]
    if drain is not None and drain != -math.inf:
        scores.append(drain)
    if any(math.isnan(s) or s == math.inf for s in scores):
        return math.nan if pairs else 0.0, math.nan
    if not scores:
        return 0.0, -math.inf
    top = max(scores)
    lse = top + math.log(math.fsum(math.exp(s - top) for s in scores))
    columns = zip(*([math.exp(s - lse) * x for x in v] for s, v in pairs))
    return [_sum(column) for column in columns] if pairs else 0.0, lse


def _sum(numbers):
    return math.fsum(numbers) if all(map(math.isfinite, numbers)) else sum(numbers)
