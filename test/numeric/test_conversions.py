"""Conversions of f16 and bf16 on a CPU without instructions for them, bit for bit.

All 65536 narrow numbers are widened; numbers around every boundary of rounding are narrowed. The
judge of f16 is NumPy, that of bf16 integer arithmetic on exact fractions.
"""

from fractions import Fraction

import numpy as np
import pytest

from compiled import Function, compile_program

NAMES = {"f16": np.float16, "bf16": np.uint16, "f32": np.float32, "f64": np.float64}


def program():
    functions = []
    for narrow in ("f16", "bf16"):
        for wide in ("f32", "f64"):
            for name, op, a, b in (("widen", "extf", narrow, wide), ("narrow", "truncf", wide, narrow)):
                functions.append(
                    f"func.func @{name}_{narrow}_{wide}(%x: tensor<?x{a}>) -> tensor<?x{b}> {{\n"
                    f"  %y = arith.{op} %x : tensor<?x{a}> to tensor<?x{b}>\n"
                    f"  return %y : tensor<?x{b}>\n}}\n"
                )
    return "".join(functions)


@pytest.fixture(scope="session")
def library(mha_run, tmp_path_factory):
    return compile_program(program(), tmp_path_factory.mktemp("conversions"), cpu="x86-64")


def convert(library, name, values, result):
    """The bits of the result."""
    function = Function(library, name)
    output = np.zeros(values.shape, NAMES[result])
    status, (found,) = function([values], [output])
    assert status == 0
    return found


def all_narrow(dtype):
    return np.arange(2**16, dtype=np.uint16).view(dtype)


def widened_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def same_number(found, wanted):
    """Equal bits, or NaN in both."""
    both_nan = np.isnan(found) & np.isnan(wanted)
    bits = f"u{found.itemsize}"
    return (found.view(bits) == wanted.view(bits)) | both_nan


@pytest.mark.parametrize("wide", ("f32", "f64"))
def test_widen_f16(wide, library):
    values = all_narrow(np.float16)
    found = convert(library, f"widen_f16_{wide}", values, wide)
    assert same_number(found, values.astype(NAMES[wide])).all()


@pytest.mark.parametrize("wide", ("f32", "f64"))
def test_widen_bf16(wide, library):
    values = all_narrow(np.uint16)
    found = convert(library, f"widen_bf16_{wide}", values, wide)
    with np.errstate(invalid="ignore"):
        assert same_number(found, widened_bf16(values).astype(NAMES[wide])).all()


def near_boundaries(numbers, wide):
    """Finite narrow numbers, the middles between neighbours, and what lies next to both."""
    exact = np.unique(numbers[np.isfinite(numbers)].astype(np.float64))
    middles = (exact[1:] + exact[:-1]) / 2
    largest = exact[-1] + (exact[-1] - exact[-2]) / 2
    points = np.concatenate([exact, middles, [largest, -largest, np.inf, -np.inf, np.nan, -0.0]])
    with np.errstate(all="ignore"):
        points = points.astype(NAMES[wide])
        return np.concatenate([points, np.nextafter(points, np.inf), np.nextafter(points, -np.inf)])


@pytest.mark.parametrize("wide", ("f32", "f64"))
def test_narrow_f16(wide, library):
    values = near_boundaries(all_narrow(np.float16), wide)
    found = convert(library, f"narrow_f16_{wide}", values, "f16")
    with np.errstate(all="ignore"):
        assert same_number(found, values.astype(np.float16)).all()


def nearest_bf16(value):
    """The bits of a finite number rounded to nearest even, by exact arithmetic."""
    sign = 0x8000 if np.signbit(value) else 0
    magnitude = abs(Fraction(float(value)))
    below, above = 0, 0x7F80
    while above - below > 1:
        middle = (below + above) // 2
        is_below = Fraction(float(widened_bf16(np.uint16([middle]))[0])) <= magnitude
        below, above = (middle, above) if is_below else (below, middle)
    low = Fraction(float(widened_bf16(np.uint16([below]))[0]))
    # The number behind the largest one, if exponents went on.
    high = 2 * Fraction(2) ** 127 if above == 0x7F80 else Fraction(float(widened_bf16(np.uint16([above]))[0]))
    rest, middle = magnitude - low, (high - low) / 2
    up = rest > middle or rest == middle and below % 2 == 1
    return sign | (above if up else below)


@pytest.mark.parametrize("wide", ("f32", "f64"))
def test_narrow_bf16(wide, library):
    values = near_boundaries(widened_bf16(all_narrow(np.uint16)), wide)
    values = np.random.default_rng(5).permutation(values)[:5000]
    values = np.concatenate([values, near_boundaries(np.float32([0, 1e-40, 2e-40, 3.3895314e38]), wide)])
    found = convert(library, f"narrow_bf16_{wide}", values, "bf16")
    finite = np.isfinite(values)
    wanted = [nearest_bf16(value) for value in values[finite]]
    assert (found[finite] == wanted).all()
    assert same_number(widened_bf16(found[~finite]), values[~finite].astype(np.float32)).all()
