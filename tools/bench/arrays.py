"""Memory for what is measured."""

import numpy as np

CACHE_LINE = 64


def aligned(shape, value=np.nan):
    """An array of f32 that begins on a cache line, full of `value`."""
    count, line = int(np.prod(shape)), CACHE_LINE // 4
    memory = np.full(count + line, value, np.float32)
    start = -memory.ctypes.data % CACHE_LINE // 4
    return memory[start : start + count].reshape(shape)
