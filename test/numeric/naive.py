"""Attention in single precision, as a plain program on stored numbers would compute it.

A yardstick and no judge: `tolerance.acceptance` allows a result twice the error that this has.
Operands are in their stored types, products and sums in float32, the weights are rounded to the
type of the values before the weighted sum, and the output is rounded once, to the query's type.
Sums are taken in order: NumPy adds in pairs or in lanes, which is more exact than a plain program.
"""

import numpy as np

import oracle
from storage import stored


def attention(case, query, key, value):
    """(output, lse) of a case whose query is not f64."""
    options = case.options()
    batch, heads, queries, depth = query.shape
    keys = key.shape[2]
    head = oracle.key_head_of(heads, key.shape[1])
    length = oracle.key_lengths(options["lengths"], batch, keys)
    position = oracle.query_positions(options["align"], options["offset"], length, queries)
    seen = oracle.visible(position, length, keys, options["causal"], options["window"])[:, None]
    ahead = np.arange(keys)[None, None, None] - position[:, None, :, None]

    q, k, v = single(query), single(key[:, head]), single(value[:, head])
    with np.errstate(all="ignore"):
        scale = oracle.default_scale(depth) if options["scale"] is None else options["scale"]
        logit = in_order(q[:, :, :, None, :] * k[:, :, None, :, :], axis=4) * single(scale)
        if options["softcap"] is not None:
            logit = oracle.capped(logit, single(options["softcap"]))
        if options["bias"] == "relative":
            table = single(options["table"])
            column = oracle.table_column(ahead, options["origin"], table.shape[1])
            logit = logit + table[np.arange(heads)[:, None, None], column]
        elif options["bias"] is not None:
            far = ahead if options["bias"] == "alibi" else -np.abs(ahead)
            logit = logit + single(options["slopes"])[:, None, None] * single(far)
        added, allowed = oracle.dense_mask(options["mask"], logit.shape)
        logit = logit + single(added)
        seen = seen & allowed & (logit != -np.inf)
        weight, lse = softmax(logit, seen, options["sink"])
        weight = single(stored(weight, case.type_of("value")))
        terms = np.where(seen[..., None], weight[..., None] * v[:, :, None], single(0))
        return stored(in_order(terms, axis=3), case.dtype), lse


def in_order(terms, axis):
    """The sum along an axis, from its first element on."""
    if terms.shape[axis] == 0:
        return terms.sum(axis=axis)
    return np.take(np.cumsum(terms, axis=axis), -1, axis=axis)


def single(numbers):
    return np.asarray(numbers, np.float32)


def softmax(logit, seen, sink):
    if sink is None:
        sink = np.full(logit.shape[1], -np.inf)
    sink = np.broadcast_to(single(sink)[:, None, None], (*logit.shape[:3], 1))
    column = np.ones(sink.shape, bool)
    logit = np.concatenate([logit, sink], axis=3)
    seen = np.concatenate([np.broadcast_to(seen, (*sink.shape[:3], seen.shape[3])), column], axis=3)
    top = np.max(np.where(seen, logit, single(-np.inf)), axis=3, keepdims=True)
    weight = np.where(seen & (logit != -np.inf), np.exp(logit - top), single(0))
    total = in_order(weight, axis=3)[..., None]
    lse = np.where(top == -np.inf, single(-np.inf), top + np.log(total))
    weight = np.where(total == 0, single(0), weight / total)
    return weight[..., :-1], lse[..., 0]
