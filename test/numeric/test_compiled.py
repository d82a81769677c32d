"""The checks that `compiled.py` makes at every call, with errors planted in functions in C."""

import numpy as np
import pytest

from compiled import Function, load

PLANTED = """
#include <stdint.h>
typedef struct { float *allocated, *aligned; int64_t offset, sizes[1], strides[1]; } vector;
void *_mlir_memref_to_llvm_alloc(uint64_t size);
static float *at(vector *x, int64_t i) { return &x->aligned[x->offset + i * x->strides[0]]; }
static void copy(vector *x, vector *y) {
  for (int64_t i = 0; i < x->sizes[0]; ++i) *at(y, i) = *at(x, i);
}
#define FUNCTION(NAME, STATEMENT) \\
  int64_t _mlir_ciface_##NAME##_workspace(int64_t size, int32_t threads) { return 8; } \\
  int32_t _mlir_ciface_##NAME(vector *x, vector *y, char *workspace, int64_t bytes, \
                               int32_t threads) { \\
    copy(x, y); \\
    STATEMENT; \\
    return 0; \\
  }
FUNCTION(right, workspace[7] = 1)
FUNCTION(writes_argument, *at(x, 0) = 7)
FUNCTION(writes_before, *at(y, -1) = 7)
FUNCTION(writes_behind, *at(y, 3) = 7)
FUNCTION(writes_between, y->aligned[y->offset + 1] = 7)
FUNCTION(overruns_workspace, workspace[8] = 1)
FUNCTION(leaks, _mlir_memref_to_llvm_alloc(8))
FUNCTION(writes_and_fails, return 1)
"""

MESSAGES = {
    "writes_argument": "an argument was written",
    "writes_before": "stray write",
    "writes_behind": "stray write",
    "writes_between": "stray write",
    "overruns_workspace": "written behind the workspace",
    "leaks": "not everything was freed",
    "writes_and_fails": "stray write",
}


@pytest.fixture
def planted(tmp_path):
    source = tmp_path / "planted.c"
    source.write_text(PLANTED)
    return load(source, tmp_path)


def call_planted(planted, name):
    x, memory = np.arange(3, dtype=np.float32), np.full(9, np.nan, np.float32)
    return Function(planted, name)([x], [memory[2:8:2]])


def test_calls_that_do_nothing_wrong_pass(planted):
    status, (result,) = call_planted(planted, "right")
    assert status == 0 and result.tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", MESSAGES)
def test_each_planted_error_is_noticed(name, planted):
    with pytest.raises(AssertionError, match=MESSAGES[name]):
        call_planted(planted, name)
