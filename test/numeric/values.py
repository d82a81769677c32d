"""Values of the operands of a case, each named after what it provokes."""

import numpy as np


# ---- Query, key and value: (case, rng, query, key, value) to the three arrays.


def normal(case, rng, q, k, v):
    return q, k, v


def peaked(case, rng, q, k, v):
    """Logits near +-60: one key has nearly all the weight of its row."""
    return 6 * q, 6 * k, v


def flat(case, rng, q, k, v):
    """Equal logits: the output is the mean of the visible values."""
    return np.zeros_like(q), k, v


def nearly_flat(case, rng, q, k, v):
    return 1e-3 * q, 1e-3 * k, v


def huge(case, rng, q, k, v):
    """Logits near +-1e20: exp overflows unless the row's maximum is subtracted."""
    return 1e10 * q, 1e10 * k, v


def all_large_negative(case, rng, q, k, v):
    """Every logit is below -1000: exp underflows unless the row's maximum is subtracted."""
    return 30 * (1 + np.abs(q)), -30 * (1 + np.abs(k)), v


def all_large_positive(case, rng, q, k, v):
    return 30 * (1 + np.abs(q)), 30 * (1 + np.abs(k)), v


def rising(case, rng, q, k, v):
    """Logits grow with the key index: the running maximum changes at every key."""
    ramp = np.linspace(0.5, 4, max(case.keys, 1))[: case.keys, None]
    return 1 + np.abs(q), ramp + 0 * k, v


def falling(case, rng, q, k, v):
    q, k, v = rising(case, rng, q, k, v)
    return q, k[:, :, ::-1], v


def subnormal(case, rng, q, k, v):
    """Values around the smallest normal float32, many of them below it."""
    return q, k, 3e-38 * v


def tiny_queries(case, rng, q, k, v):
    """Products of query and key that are subnormal in float32."""
    return 1e-25 * q, 1e-15 * k, v


def signed_zeros(case, rng, q, k, v):
    def zeros(x):
        return np.where(x < 0, -0.0, 0.0)

    return zeros(q), zeros(k), zeros(v)


def large_values(case, rng, q, k, v):
    return q, k, 1e30 * v


def mixed_magnitudes(case, rng, q, k, v):
    return q, k, v * 10.0 ** rng.integers(-6, 7, v.shape)


def encoded(case, rng, q, k, v):
    """Each value says where it stands: 1000 b + 100 h + s + n / 16."""
    b, h, s, n = np.indices(v.shape)
    return q, k, 1000 * b + 100 * h + s + n / 16


def ones(case, rng, q, k, v):
    return q, k, np.ones_like(v)


def one_hot(case, rng, q, k, v):
    """Column n is 1 at the keys with j mod Dv = n: the output shows sums of weights."""
    return q, k, np.broadcast_to(
        np.arange(case.keys)[:, None] % case.value_depth == np.arange(case.value_depth),
        v.shape,
    ).astype(float)


def _unseen(case):
    """(B, Hkv, Sk, 1), B of the key: the keys that no query of the group looks at."""
    seen = case.visible().any(axis=2)
    seen = seen.reshape(case.batch, case.key_heads, -1, case.keys).any(axis=2)
    return ~(seen.any(axis=0, keepdims=True) if case.shared_keys else seen)[..., None]


def _poison(case):
    return np.resize([np.nan, np.inf, -np.inf], case.keys)[:, None]


def poison_unseen(case, rng, q, k, v):
    """NaN, inf and -inf in K and V wherever no query looks."""
    unseen, poison = _unseen(case), _poison(case)
    return q, np.where(unseen, poison, k), np.where(unseen, poison[::-1], v)


def large_unseen(case, rng, q, k, v):
    """Finite numbers, of which some would be the largest logit and value if somebody looked."""
    return q, np.where(_unseen(case), 1e20 * k, k), np.where(_unseen(case), 1e30 * v, v)


def poison_unseen_values(case, rng, q, k, v):
    return q, k, np.where(_unseen(case), _poison(case), v)


def _last_seen_key(case):
    return int(np.flatnonzero(case.visible().any(axis=(0, 1, 2)))[-1])


def nan_value_seen_by_some(case, rng, q, k, v):
    v[:, :, _last_seen_key(case)] = np.nan
    return q, k, v


def inf_value_seen_by_some(case, rng, q, k, v):
    v[:, 0, _last_seen_key(case), 0] = np.inf
    v[:, -1, _last_seen_key(case), -1] = -np.inf
    return q, k, v


def opposite_infinities(case, rng, q, k, v):
    """inf - inf in one column of one head; the other columns stay finite."""
    v[-1, 0, 1, 0], v[-1, 0, 2, 0] = np.inf, -np.inf
    return q, k, v


def nan_key_seen_by_some(case, rng, q, k, v):
    k[:, 0, _last_seen_key(case), 0] = np.nan
    return q, k, v


def nan_query_row(case, rng, q, k, v):
    q[-1, 1, case.queries // 2, 0] = np.nan
    return q, k, v


def nan_first_query_row(case, rng, q, k, v):
    """With an alignment that hides every key from row 0, the NaN has nothing to reach."""
    q[:, :, 0] = np.nan
    return q, k, v


def minus_inf_score(case, rng, q, k, v):
    """Some scores are -inf: such a key is hidden, its value does not count."""
    q[..., 0] = np.abs(q[..., 0]) + 0.1
    k[:, :, 1::3, 0] = -np.inf
    return q, k, v


def minus_inf_score_nan_value(case, rng, q, k, v):
    """Values of keys whose score is -inf, among keys that all rows see, are NaN or infinite."""
    q, k, v = minus_inf_score(case, rng, q, k, v)
    v[:, :, 1::3], v[:, :, 4::6] = np.nan, np.inf
    return q, k, v


def all_minus_inf_scores(case, rng, q, k, v):
    """Every score of the last batch is -inf: its rows see nothing."""
    q[..., 0] = np.abs(q[..., 0]) + 0.1
    k[-1, ..., 0] = -np.inf
    return q, k, v


def plus_inf_score(case, rng, q, k, v):
    """A score of inf has no softmax: NaN, in the rows that see it."""
    q[..., 0] = np.abs(q[..., 0]) + 0.1
    k[:, 0, _last_seen_key(case), 0] = np.inf
    return q, k, v


def no_weight_but_ones(case, rng, q, k, v):
    """Every row is the mean of as many equal values as there are keys."""
    return 0 * q, k, np.ones_like(v)


def one_large_number(case, rng, q, k, v):
    """133120 everywhere: its products overflow what is narrower than single precision."""
    return tuple(np.full_like(x, 133120.0) for x in (q, k, v))


def small_values(case, rng, q, k, v):
    """Many of them are subnormal in f16."""
    return q, k, 1e-5 * v


VALUES = {
    f.__name__: f
    for f in (
        normal, peaked, flat, nearly_flat, huge, all_large_negative, all_large_positive, rising,
        falling, subnormal, tiny_queries, signed_zeros, large_values, mixed_magnitudes, encoded,
        ones, one_hot, poison_unseen, large_unseen, poison_unseen_values, nan_value_seen_by_some,
        inf_value_seen_by_some, opposite_infinities, nan_key_seen_by_some, nan_query_row,
        nan_first_query_row, minus_inf_score, minus_inf_score_nan_value, all_minus_inf_scores,
        plus_inf_score,
        no_weight_but_ones, one_large_number, small_values,
    )
}


# ---- Dense masks: (case, rng, shape) to (hidden, what is added where it is not), of the shape.


def scattered(case, rng, shape):
    return rng.random(shape) < 0.35, rng.standard_normal(shape)


def shows_all(case, rng, shape):
    return np.zeros(shape, bool), rng.standard_normal(shape)


def hides_all(case, rng, shape):
    return np.ones(shape, bool), np.zeros(shape)


def hides(*where):
    """Scattered, and all of `where`."""

    def mask(case, rng, shape):
        hidden, added = scattered(case, rng, shape)
        hidden[where] = True
        return hidden, added

    return mask


def low(case, rng, shape):
    """Large negative finite numbers, which a row with another key does not notice."""
    much = -6e4 if case.type_of("mask") == "f16" else -1e9
    taken = rng.random(shape) < 0.5
    taken[..., 0] = False
    return np.zeros(shape, bool), np.where(taken, much, rng.standard_normal(shape))


def low_last_row(case, rng, shape):
    """A row of large negative finite numbers is a row like another."""
    hidden, added = shows_all(case, rng, shape)
    added[..., -1, :] -= 1e5 if case.type_of("mask") != "f16" else 6e4
    return hidden, added


def _all_where_broadcast(array, shape):
    """`array` of four axes, true where it is for all that a mask of `shape` is broadcast to."""
    axes = tuple(n for n in range(4) if n < 4 - len(shape) or shape[n - 4] == 1)
    return array.all(axis=axes, keepdims=True).reshape(shape)


def poison_where_hidden(case, rng, shape):
    """NaN and inf at the keys that length and structured mask hide."""
    hidden, added = scattered(case, rng, shape)
    unseen = _all_where_broadcast(~case.structured(), shape)
    poison = np.resize([np.nan, np.inf], shape)
    return hidden & ~unseen, np.where(unseen, poison, added)


def with_one(number):
    """Scattered, with the number at the last place that somebody sees."""

    def mask(case, rng, shape):
        hidden, added = scattered(case, rng, shape)
        seen = ~_all_where_broadcast(~case.structured(), shape)
        at = tuple(np.argwhere(seen)[-1])
        hidden[at], added[at] = False, number
        return hidden, added

    return mask


MASKS = {
    "scattered": scattered,
    "shows_all": shows_all,
    "hides_all": hides_all,
    "hides_first_rows": hides(..., slice(0, 2), slice(None)),
    "hides_last_rows": hides(..., slice(-2, None), slice(None)),
    "hides_last_batch": hides(-1),
    "hides_first_keys": hides(..., slice(0, 6)),
    "low": low,
    "low_last_row": low_last_row,
    "poison_where_hidden": poison_where_hidden,
    "with_one_nan": with_one(np.nan),
    "with_one_inf": with_one(np.inf),
}


# ---- Sinks: (rng, Hq) to one logit for each head.


def every_other(number):
    """The number for heads 0, 2, ..."""

    def sink(rng, heads):
        return np.where(np.arange(heads) % 2 == 0, number, rng.standard_normal(heads))

    return sink


SINKS = {
    "normal": lambda rng, heads: rng.standard_normal(heads),
    "dominating": every_other(25.0),
    "large": every_other(1000.0),
    "small": every_other(-1000.0),
    "beyond_all": lambda rng, heads: np.resize([1e30, -1e30, 0.5], heads),
    "minus_inf": every_other(-np.inf),
    "all_minus_inf": lambda rng, heads: np.full(heads, -np.inf),
    "one_nan": lambda rng, heads: np.where(np.arange(heads) == heads // 2, np.nan, 1.0),
}
