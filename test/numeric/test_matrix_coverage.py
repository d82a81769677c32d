"""The edge matrix's own parts, with planted errors: which pairs there are, what a run had, what is right."""

import json

import numpy as np
import pytest

import matrix_coverage as coverage
from covering import Rule, covering, possible_pairs
from matrix import Problem
from matrix_axes import axes_of, pairs_of

AXES = dict(a=(0, 1, 2), b=("x", "y", "z"), c=(True, False))
RULES = (
    Rule("nought has no y", ("a", "b"), lambda a, b: a == 0 and b == "y"),
    Rule("of three", ("a", "b", "c"), lambda a, b, c: a == 1 and b == "z" and c),
)


def rows_of(rules):
    return covering(AXES, rules, lambda row: {"b": row["b"]}, lambda row, is_first: is_first)


def test_rows_have_every_possible_pair():
    rows = rows_of(RULES)
    required = possible_pairs(AXES, RULES)
    assert len(required) == 9 + 6 + 6 - 1
    had = {(a, row[a], b, row[b]) for row in rows for a, b in (("a", "b"), ("a", "c"), ("b", "c"))}
    assert had == required
    assert all(rule.holds(row) for row in rows for rule in RULES)
    assert rows == rows_of(RULES) and len(rows) < 3 * 3 * 2


def test_a_pair_that_no_row_can_have_is_named():
    hidden = Rule("of three", ("a", "b", "c"), lambda a, b, c: a == 1 and b == "z")
    with pytest.raises(AssertionError, match="'z'"):
        rows_of((hidden,))


@pytest.mark.parametrize("path", coverage.PATHS)
def test_every_value_is_required_with_some_other(path):
    axes = axes_of(path)
    pairs = possible_pairs(axes, pairs_of(path))
    found = {(axis, value) for a, x, b, y in pairs for axis, value in ((a, x), (b, y))}
    assert found == {(axis, value) for axis, values in axes.items() for value in values}


# ---- What a run had


PROGRAM = """
func.func @main(%query: tensor<2x6x?x4xf32>, %key_memory: tensor<2x3x?x4xf32>, %value: tensor<2x3x?x5xf32>, %mask: tensor<?xi1>)
  %key_s_pad = arith.constant 1 : index
  %key = tensor.extract_slice %key_memory[0, 0, 0, 0] [2, 3, %key_s, 4] [1, 1, 1, 1] : tensor<2x3x?x4xf32> to tensor<2x3x?x4xf32>
  %o = mha.attention query(%query : tensor<2x6x?x4xf32>, bhsd) key(%key : tensor<2x3x?x4xf32>, bhsd)
    value(%value : tensor<2x3x?x5xf32>, bhsd) mask<causal> align(bottom_right) dense_mask(%mask : tensor<?xi1>)
"""


def report_of(folder, **changed):
    rng = np.random.default_rng(0)
    arrays = dict(
        query=rng.standard_normal((2, 6, 3, 4), np.float32),
        key_memory=rng.standard_normal((2, 3, 8, 4), np.float32),
        value=rng.standard_normal((2, 3, 7, 5), np.float32),
        mask=np.arange(7) != 3,
    )
    inputs = []
    for name, array in (arrays | changed).items():
        np.save(folder / f"{name}.npy", array)
        inputs.append(f"{name}={'x'.join(map(str, array.shape))}xf32=@{folder}/{name}.npy")
    attention = dict(found=1, fused=1)
    return dict(path="mha-cpu-pipeline", target="native", inputs=inputs, attention=attention, passed=True)


def test_what_a_run_had_is_read_from_the_run(tmp_path):
    path, had = coverage.measure(report_of(tmp_path), PROGRAM)
    assert path == "fast"
    assert had == dict(
        queries={3}, keys={7}, depth={(4, 5)}, group={2}, dynamic={"partly"}, mask={"causal_bool"}, mask_shape={"k"},
        rows={"ordinary"}, values={"normal"}, memory={"contiguous"}, dtype={"f32"}, target={"vector"}, block={128},
    )


@pytest.mark.parametrize(
    "mask, kinds",
    (
        ([0, 0, 0, 0, 0, 1, 1], {"first"}),
        ([0, 0, 0, 0, 0, 0, 1], {"first", "only_last"}),
        ([0, 0, 0, 0, 0, 0, 0], {"all"}),
    ),
)
def test_rows_are_read_from_the_mask(mask, kinds, tmp_path):
    _, had = coverage.measure(report_of(tmp_path, mask=np.array(mask, bool)), PROGRAM)
    assert had["rows"] == kinds


VALUE = np.ones((2, 3, 7, 5), np.float32)


@pytest.mark.parametrize(
    "changed, kinds",
    (
        (dict(value=VALUE), {"ones"}),
        (dict(value=VALUE * (np.arange(5) == 2)), {"one_hot"}),
        (dict(value=1e-40 * VALUE), {"subnormal"}),
        (dict(value=np.where(np.arange(7)[:, None] == 0, np.inf, VALUE)), {"inf"}),
        (dict(value=np.where(np.arange(7)[:, None] == 3, np.inf, VALUE)), {"normal"}),
        (dict(value=np.where(np.arange(7)[:, None] == 3, np.nan, VALUE)), {"nan_hidden"}),
        (dict(query=np.zeros((2, 6, 3, 4), np.float32)), {"flat"}),
        (dict(query=np.full((2, 6, 3, 4), 1e9, np.float32)), {"huge"}),
        (dict(query=np.full((2, 6, 3, 4), 20, np.float32)), {"peaked"}),
    ),
)
def test_values_are_read_from_the_arrays(changed, kinds, tmp_path):
    _, had = coverage.measure(report_of(tmp_path, **changed), PROGRAM)
    assert had["values"] == kinds


@pytest.mark.parametrize(
    "pipeline, attention, path",
    (
        ("mha-cpu-pipeline", dict(found=1, fused=0), (None, 128)),
        ("mha-cpu-pipeline", dict(found=0, fused=0), (None, 128)),
        ("builtin.module(mha-cpu-pipeline{kernels=false})", dict(found=1, fused=0), ("general", 128)),
        ("builtin.module(mha-cpu-pipeline{kernels=false block-k=3})", dict(found=1, fused=0), ("tiled", 3)),
        ("builtin.module(mha-cpu-pipeline{kernels=false block-k=3})", dict(found=0, fused=0), (None, 128)),
    ),
)
def test_path_is_the_one_that_was_taken(pipeline, attention, path):
    assert coverage.path_of(dict(path=pipeline, attention=attention)) == path


def test_a_run_that_failed_has_covered_nothing(tmp_path):
    (tmp_path / "program.mlir").write_text(PROGRAM)
    reports = [report_of(tmp_path), report_of(tmp_path) | dict(passed=False)]
    (tmp_path / "report.json").write_text(json.dumps(reports))
    assert len(coverage.measure_folder(tmp_path)) == 1


def test_missing_pairs_are_printed(tmp_path, capsys):
    (tmp_path / "program.mlir").write_text(PROGRAM)
    (tmp_path / "report.json").write_text(json.dumps([report_of(tmp_path)]))
    assert coverage.main(tmp_path) == 1
    said = capsys.readouterr().out
    assert "  missing: queries 0, keys 0\n" in said
    required = len(possible_pairs(axes_of("general"), pairs_of("general")))
    assert f"general: 0/{required}\n" in said


# ---- What is right


ROW = dict(
    queries=7, keys=11, depth=(5, 4), group=2, dynamic="partly", mask="causal_bool", mask_shape="qk", rows="first",
    values="normal", memory="contiguous", dtype="f32", target="vector",
)


@pytest.mark.parametrize("dtype", ("f32", "f16", "bf16"))
@pytest.mark.parametrize("values", ("normal", "peaked", "inf", "nan_hidden", "one_hot"))
def test_planted_errors_are_noticed(values, dtype):
    problem = Problem("general", ROW | dict(values=values, dtype=dtype))
    _, plain, _ = problem.expected()
    assert problem.judge(plain) is None
    for wrong in (np.zeros_like(plain), plain[:, :, ::-1], plain[:, ::-1], 1.1 * plain, np.full_like(plain, np.nan)):
        assert problem.judge(wrong.astype(plain.dtype)) is not None
    assert problem.judge(plain.astype(np.float64)) is not None
