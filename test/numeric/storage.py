"""Element types, and what a number becomes when it is stored as one."""

import numpy as np

# The NumPy type of an array file by element type; bf16, which NumPy lacks, as float32.
DTYPES = {
    "i1": np.bool_,
    "f16": np.float16,
    "bf16": np.float32,
    "f32": np.float32,
    "f64": np.float64,
}

LOW = ("f16", "bf16")


def stored(array, element):
    """`array` with the values that the element type has for it, as it is in a file."""
    with np.errstate(over="ignore", under="ignore"):
        array = np.asarray(array).astype(DTYPES[element])
    if element != "bf16":
        return array
    # To nearest, ties to even, of the upper half of the bits. NaN has no neighbour.
    bits = array.view(np.uint32)
    upper = bits + 0x7FFF + (bits >> 16 & 1) & np.uint32(0xFFFF0000)
    return np.where(np.isnan(array), array, upper.view(np.float32))
