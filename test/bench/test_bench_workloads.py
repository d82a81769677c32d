"""What is measured: FLOP, programs, inputs, and the check of results."""

import dataclasses

import numpy as np
import pytest

import bench
import workloads
from arrays import aligned
from compiler import BenchError
from workloads import Workload

SMALL = Workload("small", batch=2, query_heads=6, key_heads=3, query_len=5, key_len=7, head_dim=4, value_dim=3)
SHAPES = [(5, 7), (7, 5), (1, 4), (4, 1), (6, 6)]


def count_flops(workload):
    """Multiplications and additions of both products, one by one."""
    flops = 0
    for query in range(workload.query_len):
        for key in range(workload.key_len):
            position = workload.key_len - workload.query_len + query
            if workload.mask == "full" or position - (workload.window or 1000) < key <= position:
                flops += 2 * workload.head_dim + 2 * workload.value_dim
    return workload.batch * workload.query_heads * flops


@pytest.mark.parametrize("mask, window", [("full", None), ("causal", None), ("causal", 1), ("causal", 3)])
@pytest.mark.parametrize("query_len, key_len", SHAPES)
def test_flops_are_those_of_visible_pairs(mask, window, query_len, key_len):
    workload = dataclasses.replace(SMALL, mask=mask, window=window, query_len=query_len, key_len=key_len)
    assert workload.flops == count_flops(workload)


def test_flops_of_the_usual_formula():
    full = workloads.square(512, 4, 64, "full", batch=3)
    assert full.flops == 4 * 3 * 4 * 512 * 512 * 64
    causal = workloads.square(512, 4, 64, "causal", batch=3)
    assert causal.flops == 4 * 3 * 4 * (512 * 513 // 2) * 64


def test_names_are_unique_and_selected_by_regular_expression():
    names = [workload.name for workload in workloads.WORKLOADS]
    assert len(set(names)) == len(names)
    assert [workload.name for workload in workloads.select("^d64_s(512|197)_full$")] == ["d64_s512_full", "d64_s197_full"]
    assert workloads.select("no-such") == []


def test_the_program_has_the_sizes():
    assert "query(%query : tensor<2x6x5x4xf32>, bhsd)" in SMALL.program
    assert "-> tensor<2x6x5x3xf32>" in SMALL.program
    dynamic = dataclasses.replace(SMALL, dynamic=True, layout="bshd", mask="causal").program
    assert "value(%value : tensor<?x?x?x3xf32>, bshd) mask<causal> align(bottom_right)" in dynamic
    masked = dataclasses.replace(SMALL, mask="causal", window=3, dense_mask="i1", alibi=True).program
    assert ("mask<causal, window<2, 0>> align(bottom_right) dense_mask(%dense_mask : tensor<5x7xi1>) "
            "bias<alibi> slopes(%slopes : tensor<6xf32>) ->") in masked


def test_inputs_are_the_same_every_time_and_normal():
    inputs = workloads.square(64, 8, 64, "full").make_inputs()
    again = workloads.square(64, 8, 64, "full").make_inputs()
    for name, array in inputs.items():
        assert (array == again[name]).all()
        assert abs(array.mean()) < 0.05 and abs(array.std() - 1) < 0.05
    assert (inputs["query"] != inputs["key"]).any()


@pytest.mark.parametrize("dtype, value", [(np.float32, 2), (np.bool_, True)])
@pytest.mark.parametrize("shape", [(3, 5), (1,), (64, 1, 7)])
def test_arrays_begin_on_a_cache_line(shape, dtype, value):
    array = aligned(shape, dtype, value)
    assert array.shape == shape and array.dtype == dtype and array.flags.c_contiguous
    assert array.ctypes.data % 64 == 0 and (array == value).all()


def attend(workload, inputs):
    """The whole output, with a mask in place of a range of keys."""
    q, k, v = (inputs[name].astype(np.float64).transpose([workload.layout.index(axis) for axis in "bhsd"])
               for name in ("query", "key", "value"))
    group = workload.query_heads // workload.key_heads
    scores = np.einsum("bhid,bhjd->bhij", q, k.repeat(group, 1)) / np.sqrt(workload.head_dim)
    last = workload.key_len - workload.query_len
    if workload.alibi:
        distance = np.arange(workload.key_len) - np.arange(workload.query_len)[:, None] - last
        scores += inputs["slopes"][:, None, None] * distance
    if workload.dense_mask:
        mask = inputs["dense_mask"]
        scores += mask if workload.dense_mask == "f32" else np.where(mask, 0, -np.inf)
    if workload.mask == "causal":
        shape = workload.query_len, workload.key_len
        seen = np.tri(*shape, last, bool)
        if workload.window:
            seen &= ~np.tri(*shape, last - workload.window, bool)
        scores = np.where(seen, scores, -np.inf)
    with np.errstate(invalid="ignore"):  # rows without a visible key
        weights = np.exp(scores - scores.max(-1, keepdims=True))
    output = np.einsum("bhij,bhjn->bhin", weights, v.repeat(group, 1)) / weights.sum(-1, keepdims=True)
    output = np.nan_to_num(output).transpose(["bhsd".index(axis) for axis in workload.layout])
    return np.ascontiguousarray(output, np.float32)


VARIANTS = [SMALL, dataclasses.replace(SMALL, mask="causal"), dataclasses.replace(SMALL, layout="bshd"),
            dataclasses.replace(SMALL, mask="causal", query_len=7, key_len=5),
            dataclasses.replace(SMALL, mask="causal", window=3), dataclasses.replace(SMALL, dense_mask="f32"),
            dataclasses.replace(SMALL, dense_mask="i1"), dataclasses.replace(SMALL, mask="causal", alibi=True)]


@pytest.mark.parametrize("workload", VARIANTS)
def test_right_results_pass(workload):
    inputs = workload.make_inputs()
    assert workloads.largest_error(workload, inputs, attend(workload, inputs)) < 1e-6


@pytest.mark.parametrize("workload", VARIANTS)
@pytest.mark.parametrize("spoil", [
    np.zeros_like,
    lambda output: output * 1.001,
    lambda output: np.full_like(output, np.nan),
    lambda output: np.roll(output, 1, axis=1),
    lambda output: np.roll(output, 1, axis=2),
])
def test_wrong_results_do_not(workload, spoil):
    inputs = workload.make_inputs()
    output = spoil(attend(workload, inputs))
    assert not workloads.largest_error(workload, inputs, output) <= workloads.GROSS_ERROR


class ZeroProgram:
    workload = SMALL

    def __init__(self):
        self.inputs, self.output = SMALL.make_inputs(), SMALL.make_output()

    def bind(self, threads):
        return lambda: self.output.fill(0)


def test_wrong_results_are_not_timed():
    with pytest.raises(BenchError, match="small: expected a relative error of at most 0.0001, found 1.0"):
        bench.prepare(ZeroProgram(), [1])
