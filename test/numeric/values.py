"""Values of the operands of a case, each named after what it provokes.

Each function takes (case, rng, query, key, value) and returns the three arrays.
"""

import numpy as np


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


def poison_unseen(case, rng, q, k, v):
    """NaN, inf and -inf in K and V wherever no query looks."""
    unseen = ~case.visible().any(axis=1)
    poison = np.resize([np.nan, np.inf, -np.inf], case.keys)[:, None]
    for b in range(case.batch):
        k[b] = np.where(unseen[b][:, None], poison, k[b])
        v[b] = np.where(unseen[b][:, None], poison[::-1], v[b])
    return q, k, v


def _last_seen_key(case):
    return int(np.flatnonzero(case.visible().any(axis=(0, 1)))[-1])


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


VALUES = {
    f.__name__: f
    for f in (
        normal, peaked, flat, nearly_flat, huge, all_large_negative, all_large_positive, rising,
        falling, subnormal, tiny_queries, signed_zeros, large_values, mixed_magnitudes, encoded,
        ones, one_hot, poison_unseen, nan_value_seen_by_some, inf_value_seen_by_some,
        opposite_infinities, nan_key_seen_by_some, nan_query_row, nan_first_query_row,
        minus_inf_score, all_minus_inf_scores, plus_inf_score,
    )
}
