"""Memory for what is measured."""

import numpy as np

CACHE_LINE = 64


def aligned(shape, dtype=np.float32, value=np.nan):
    """An array that begins on a cache line, full of `value`."""
    count, line = int(np.prod(shape)), CACHE_LINE // np.dtype(dtype).itemsize
    memory = np.full(count + line, value, dtype)
    start = -memory.ctypes.data % CACHE_LINE // memory.itemsize
    return memory[start : start + count].reshape(shape)
