"""Every number that decides whether two results agree. No test states another one."""

import numpy as np

EPS64 = float(np.finfo(np.float64).eps)


def agreement(largest_logit, largest_value):
    """Allowed |a - b| between two float64 formulations of one attention.

    A logit of size L carries an absolute rounding error near L * eps, exp turns that into a
    relative error of a weight, and weights multiply values: hence (1 + max|logit|) and max|V|.
    The factor 64 covers the order of the sums.
    """
    return 64 * EPS64 * (1 + largest_logit) * largest_value


def agreement_lse(largest_logit):
    """Allowed |a - b| between two float64 log-sum-exps: as `agreement`, no value involved."""
    return agreement(largest_logit, 1.0)


# Beyond this the rounding of a float32 logit alone exceeds what `single` allows.
SINGLE_LOGIT_LIMIT = 30.0


def single(largest):
    """Allowed |o - r| of a float32 result against the float64 oracle.

    `largest` is max|V| for an output, max|lse| for a log-sum-exp. For at most 4096 keys, or
    sums that begin anew at least so often, and |logit| <= SINGLE_LOGIT_LIMIT.
    """
    return 1e-5 * max(1.0, largest)


def single_output(expected):
    """`single` of an oracle's result; for large logits no bound, only NaN and inf must agree."""
    return _single_below_the_limit(expected, expected.largest_value)


def single_lse(expected):
    """As `single_output`, of the log-sum-exp."""
    finite = expected.lse[np.isfinite(expected.lse)]
    return _single_below_the_limit(expected, np.abs(finite).max(initial=0))


def _single_below_the_limit(expected, largest):
    return single(largest) if expected.largest_logit <= SINGLE_LOGIT_LIMIT else np.inf


# The distance from 1 to the next larger number.
EPS = {"f16": 2.0**-10, "bf16": 2.0**-7, "f32": 2.0**-23, "f64": 2.0**-52}


def acceptance(actual, reference, naive, element):
    """A sentence about why a result of the type `element` is not accepted, or None.

    `reference` is the float64 oracle on the stored operands, `naive` is `naive.attention`. With
    max and mean over the places where the reference is finite::

        max|o - r|  <= 2 max|n - r| + 2 eps max|r|
        mean|o - r| <= 2 mean|n - r| + eps mean|r|

    NaN, inf and -inf stand at the same places in all three, and the yardstick is usable only if
    max|n - r| <= max|r| / 8: more would accept zeros.
    """
    wrong = difference(naive, reference)
    if wrong is not None:
        return f"no yardstick: {wrong}"
    finite = np.isfinite(reference)
    if not finite.any():
        return difference(actual, reference)
    r = reference[finite]
    off = np.abs(np.asarray(naive, np.float64)[finite] - r)
    eps, largest = EPS[element], np.abs(r).max()
    if off.max() > largest / 8:
        return f"no yardstick: it is off by {off.max():.3e}, the largest number is {largest:.3e}"
    wrong = difference(actual, reference, 2 * off.max() + 2 * eps * largest)
    if wrong is not None:
        return wrong
    mean = np.abs(np.asarray(actual, np.float64)[finite] - r).mean()
    bound = 2 * off.mean() + eps * np.abs(r).mean()
    return None if mean <= bound else f"mean error {mean:.3e}, bound {bound:.3e}"


def ones(dtype):
    """Allowed |o - 1| where every value is 1: the weights of a row sum to one."""
    return 4 * float(np.finfo(dtype).eps)


def hull(dtype, largest_value):
    """How far an output may lie outside [min V, max V]."""
    return 2 * float(np.finfo(dtype).eps) * largest_value


def difference(actual, expected, bound=np.inf):
    """A sentence about the first place where `actual` is not within `bound`, or None.

    NaN, inf and -inf must stand at the same places: a NaN never agrees with a number, and a
    place where `expected` is NaN is not excused. Without a bound this alone is compared.
    """
    actual = np.asarray(actual, np.float64)
    expected = np.asarray(expected, np.float64)
    if actual.shape != expected.shape:
        return f"shape {actual.shape}, expected {expected.shape}"
    finite = np.isfinite(expected)
    with np.errstate(invalid="ignore"):
        near = np.isfinite(actual) & (np.abs(actual - expected) <= bound)
    same = np.isnan(actual) & np.isnan(expected) | (actual == expected)
    wrong = np.where(finite, ~near, ~same)
    if not wrong.any():
        return None
    at = tuple(int(n) for n in np.argwhere(wrong)[0])
    both = finite & np.isfinite(actual)
    error = np.abs(actual[both] - expected[both]).max(initial=0.0)
    return (
        f"{int(wrong.sum())} of {wrong.size} differ, first at {at}: {float(actual[at])!r}, "
        f"expected {float(expected[at])!r}; largest error {error:.3e}, bound {bound:.3e}"
    )


def rounded_weights(element, largest_value):
    """Allowed |o - r| of an output below single precision, whose scores are exact to that type.

    Each weight and the output are rounded once, by half an eps each, relative to max|V|; as much
    again for the sums in single precision that they are rounded from.
    """
    return 2 * EPS[element] * largest_value
