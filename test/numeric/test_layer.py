"""Layers through `mha-run`, judged by their oracle.

Each pair of values of two flags of the op is run (`layer_cases.py`). The float64 reference has to agree with the oracle
to rounding; what is compiled is judged by the rule of acceptance, here, and of the other cases by `--verify` as well.
"""

import re
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations, product

import numpy as np
import pytest

import layer_naive
import tolerance
from layer_cases import AXES, CASES, PAIRWISE, ROWS
from runner import run


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case, mha_run, tmp_path):
    call = case.module(), case.arrays, 1
    with ThreadPoolExecutor() as pool:
        reference = pool.submit(run, *call, tmp_path / "reference", "--reference")
        compiled = pool.submit(run, *call, tmp_path / "compiled", *([] if case in PAIRWISE else ["--verify"]))
        expected = case.expected()
        yardstick = None if case.dtype == "f64" else layer_naive.layer(case)
    (output,), (result,) = reference.result(), compiled.result()
    assert output.dtype == np.float64
    bound = tolerance.agreement(expected.largest_logit, expected.largest_value)
    wrong = tolerance.difference(output, expected.output, bound)
    assert wrong is None, f"reference: {wrong}\n{case.module()}"
    wrong = case.judge(result, expected, yardstick)
    assert wrong is None, f"compiled: {wrong}\n{case.module()}"


def test_names_are_unique():
    assert len({case.name for case in CASES}) == len(CASES) <= 120


# ---- Which pairs are run


def may_be(row):
    """Whether the op takes these values, as its documentation says."""
    if row["weights"].startswith("packed") and row["value_depth"] == "other":
        return False
    if (row["align"] in ("explicit", "end")) != (row["offset"] != "none"):
        return False
    if row["mask"] == "none":
        return row["align"] == "none"
    square = row["inputs"] == "self" and not row["dynamic"] and row["lengths"] == "none"
    return row["align"] != "none" or square


def pairs_of(row):
    return {(a, row[a], b, row[b]) for a, b in combinations(AXES, 2)}


def allowed_pairs():
    """Of each two axes, what some row has that the op takes; all values of axes that it says nothing about."""
    told = ("weights", "value_depth", "mask", "align", "offset", "inputs", "lengths", "dynamic")
    rows = [dict(zip(told, values)) for values in product(*(AXES[axis] for axis in told))]
    rows = [row for row in rows if may_be(row)]
    pairs = set()
    for a, b in combinations(AXES, 2):
        both = {a, b} <= set(told)
        values = {(row[a], row[b]) for row in rows} if both else product(AXES[a], AXES[b])
        pairs |= {(a, x, b, y) for x, y in values}
    return pairs


INPUTS = {(): "self", ("key",): "memory", ("key", "value"): "own"}
BIASES = {(): "none", ("b_q", "b_k", "b_v"): "separate", ("b_qkv",): "packed", ("b_q", "b_v"): "some"}
OPERAND = re.compile(r"(\w+)\(%\w+ : (?:tensor<([\dx?]*)x(\w+)>|(\w+))(?:, (\w+))?\)")


def values_of(program):
    """The value of each axis that the text of a program has."""
    text = program[program.index("mha.layer") : program.index("->", program.index("mha.layer"))]
    sizes, elements, words = {}, {}, {}
    for name, dims, element, scalar, word in OPERAND.findall(text):
        sizes[name], elements[name], words[name] = dims.split("x") if dims else [], element or scalar, word
    ranks = {name: len(of) for name, of in sizes.items()}

    def outputs(weight):
        return sizes[weight][words[weight].index("o")]

    def word_behind(pattern, otherwise):
        found = re.search(pattern, text)
        return found[1] if found else otherwise

    def typed(name, letters):
        return f"{elements[name]}_{letters}" if name in sizes else "none"

    heads = int(word_behind(r" heads\((\d+)\)", None))
    layouts = {words[name] for name in ("w_q", "w_k", "w_v") if name in sizes}
    mask_letters = "qk" if ranks.get("dense_mask") == 2 else "b1qk" if "1" in sizes.get("dense_mask", ()) else "bhqk"
    return dict(
        heads=(heads, int(word_behind(r"kv_heads\((\d+)\)", heads))),
        inputs=INPUTS[tuple(name for name in ("key", "value") if name in sizes)],
        weights=f"packed_{words['w_qkv']}" if "w_qkv" in sizes else layouts.pop() if len(layouts) == 1 else "mixed",
        w_o=words["w_o"],
        value_depth="same" if "w_qkv" in sizes or outputs("w_k") == outputs("w_v") else "other",
        biases=BIASES[tuple(name for name in ("b_q", "b_k", "b_v", "b_qkv") if name in sizes)],
        b_o="b_o" in sizes,
        extra={"extra_key", "extra_value"} <= set(sizes),
        zero_attn="zero_attn" in text,
        mask=re.sub("<.*>", "", word_behind(r" mask<(.*)>\n", "none").replace(", window", "_window")),
        align=word_behind(r"align\((\w+)\)", "none"),
        offset={None: "none", 0: "i64", 1: "tensor"}[ranks.get("query_offset")],
        scale="given" if "scale(" in text else "default",
        dense_mask=typed("dense_mask", mask_letters),
        padding=(words["key_padding"] or "float") if "key_padding" in sizes else "none",
        lengths="some" if "lengths" in sizes else "none",
        gate=typed("head_gate", "h" if ranks.get("head_gate") == 1 else "bh"),
        residual="residual" in sizes,
        sequence_first="sequence_first" in text,
        dynamic="?" in text,
    )


def test_programs_have_every_allowed_pair():
    had = set()
    for case, row in zip(PAIRWISE, ROWS, strict=True):
        values = values_of(case.module())
        assert values == row and may_be(values)
        had |= pairs_of(values)
    assert had == allowed_pairs()


def test_pairs_that_are_not_allowed():
    """Those of packed weights, and of masks, alignments and offsets."""
    every = {(a, x, b, y) for a, b in combinations(AXES, 2) for x, y in product(AXES[a], AXES[b])}
    refused = every - allowed_pairs()
    packed = {pair for pair in refused if pair[0] == "weights"}
    assert packed == {("weights", f"packed_{layout}", "value_depth", "other") for layout in ("oe", "eo")}
    positional = {(a, b) for a, _, b, _ in refused - packed}
    assert positional == {("mask", "align"), ("mask", "offset"), ("align", "offset")}
    assert len(refused - packed) == 4 + 2 + 8
