"""Attention in tiles is attention: along every axis, for every kind of mask and bias.

Along b, k, g, i and n a tile computes rows of the definition, so nothing but bits that are equal will
do. Along j the order of sums changes, and the oracle judges by the rule for f32. What is given depends
on b, h, i and j, so that a tile that forgets its place is seen.
"""

import re
from dataclasses import replace

import pytest

import emit
import oracle
import stages
import tolerance
from case import Case
from runner import rewrite, run

SIZES = dict(batch=3, query_heads=6, key_heads=2, queries=7, keys=11, depth=5, value_depth=4)


def kind(name, **rest):
    return Case(f"tiles_{name}", **{**SIZES, **rest})


KINDS = [
    kind("plain"),
    kind("lse", lse=True, scale=0.7, scale_operand=True),
    kind("causal", causal=True, align="bottom_right", lengths=(11, 4, 0), lse=True),
    kind("causal_end", causal=True, align="end", offset=(-7, 2, -3), offset_type="tensor"),
    kind("window", window=(2, 1), align="explicit", offset=3, lse=True),
    kind("causal_window", causal=True, window=(4, 0), align="bottom_right"),
    kind("lengths", lengths=(3, 11, 0), lse=True),
    kind("boolean_mask", mask="bhqk", types=dict(mask="i1")),
    kind("added_mask", mask="bhqk", lse=True),
    kind("mask_of_keys", mask="b11k"),
    kind("mask_of_queries", mask="hq1", types=dict(mask="i1")),
    kind("alibi", bias="alibi", align="bottom_right"),
    kind("alibi_symmetric", bias="alibi_symmetric", align="explicit", offset=(1, -2, 4), offset_type="tensor"),
    kind("relative", bias="relative", align="bottom_right", lse=True),
    kind("softcap", softcap=1.5, causal=True, align="top_left"),
    kind("sink", sink="normal", causal=True, align="top_left", lse=True),
    kind("shared_keys", shared_keys=True, causal=True, align="end", offset=-5),
    kind("split_heads", layouts=("bskgd", "bshd", "bshd", "bksgd"), bias="alibi", align="top_left"),
]

# Tile sizes along (b, k, g, i, n); 0 is the whole axis.
AXES = {
    "b": "2,0,0,0,0",
    "k": "0,1,0,0,0",
    "g": "0,1,2,0,0",
    "i": "0,0,0,3,0",
    "n": "0,0,0,0,3",
    "all": "1,1,1,2,0",
}


def compute(case, passes, folder):
    """With the passes on tensors, behind the entry points; all that follows is by definition."""
    stages_ = stages.TO_ENTRY_POINTS, passes, stages.TO_MEMREFS, stages.MEMREFS_TO_LLVM
    pipeline = f"--pipeline=builtin.module({','.join(stages_)})"
    return run(emit.module(case), emit.inputs(case, case.arrays()), 1 + case.lse, folder, pipeline)


CUTS = {
    **{f"mha-tile-attention{{tile-sizes={sizes}}}": r"scf\.forall .* mha\.attention" for sizes in AXES.values()},
    "mha-convert-to-online,mha-tile-keys{block-k=3}": r"scf\.for .* mha\.online_attention",
    "mha-convert-to-online,mha-split-keys{parts=3}": r"scf\.forall .* mha\.online_attention .* mha\.merge",
}


@pytest.mark.parametrize("case", KINDS, ids=lambda case: case.name)
def test_the_passes_cut(case):
    """Without that the tests below would compare a thing with itself."""
    for passes, shape in CUTS.items():
        case_ = replace(case, lse=False) if AXES["n"] in passes else case
        text = rewrite(emit.module(case_), f"builtin.module({stages.TO_ENTRY_POINTS},{passes})")
        assert re.search(shape, text, re.DOTALL), f"{passes} makes\n{text}"


@pytest.mark.parametrize("case", KINDS, ids=lambda case: case.name)
def test_tiles_of_rows_are_bit_equal(case, mha_run, tmp_path):
    whole = compute(case, "convert-mha-to-linalg", tmp_path / "whole")
    for axis, sizes in AXES.items():
        if axis == "n":
            # Only the tile with the first element of the head can write the lse.
            expected = whole[:1]
            tiled = compute(
                replace(case, lse=False), f"mha-tile-attention{{tile-sizes={sizes}}},convert-mha-to-linalg",
                tmp_path / axis,
            )
        else:
            expected = whole
            tiled = compute(
                case, f"mha-tile-attention{{tile-sizes={sizes}}},convert-mha-to-linalg", tmp_path / axis
            )
        for found, wanted in zip(tiled, expected, strict=True):
            assert found.tobytes() == wanted.tobytes(), f"along {axis}"


def check(case, results):
    expected = oracle.attention(*case.arrays(), **case.options())
    output = emit.from_layout(results[0], case.layouts[3])
    wrong = tolerance.difference(output, expected.output, tolerance.single_output(expected))
    assert wrong is None, wrong
    if case.lse:
        wrong = tolerance.difference(results[1], expected.lse, tolerance.single_lse(expected))
        assert wrong is None, wrong


@pytest.mark.parametrize("case", KINDS, ids=lambda case: case.name)
def test_blocks_of_keys(case, mha_run, tmp_path):
    """Of a size that does not divide their number; test_matrix.py has other sizes."""
    check(case, compute(case, "mha-convert-to-online,mha-tile-keys{block-k=3}", tmp_path))


def check_parts(case, parts, folder):
    check(case, compute(case, f"mha-convert-to-online,mha-split-keys{{parts={parts}}}", folder))


@pytest.mark.parametrize("case", KINDS, ids=lambda case: case.name)
def test_parts_of_keys_are_merged(case, mha_run, tmp_path):
    """Short lengths and masks leave some parts without a visible key."""
    check_parts(case, 3, tmp_path)


@pytest.mark.parametrize("parts", range(1, 8))
def test_any_number_of_parts(parts, mha_run, tmp_path):
    """Five keys in 6 and 7 parts leave parts empty."""
    for case in (case for case in KINDS if case.name in ("tiles_causal", "tiles_sink")):
        check_parts(case, parts, tmp_path / case.name)
        few = replace(case, keys=5, lengths=case.lengths and tuple(min(n, 5) for n in case.lengths))
        check_parts(few, parts, tmp_path / f"few_{case.name}")


def test_parts_in_blocks(mha_run, tmp_path):
    """What a part does not see is not walked along either, and its origin goes on."""
    for case in (case for case in KINDS if case.causal or case.window):
        passes = "mha-convert-to-online,mha-split-keys{parts=3},mha-tile-keys{block-k=2}"
        check(case, compute(case, passes, tmp_path / case.name))

