#!/usr/bin/env python3
"""Which pairs of the edge matrix runs of `mha-run` have had, on each path of compiled code.

    matrix_coverage.py FOLDER

Reads each report.json below FOLDER, which `mha-run --json --runs` has written, the program beside it,
and the arrays that the report names. What a run had is read from these alone: sizes and types from
the report's inputs and results, the path from the pipeline and from what became of the attention,
masks, layouts and dynamic sizes from the program, values and special rows from the arrays. Prints
`path: covered/required` and the missing pairs; exit status 1 where a pair is missing.
"""

import json
import re
import sys
from itertools import combinations, product
from pathlib import Path

import numpy as np

from covering import possible_pairs
from matrix_axes import FIRST_BLOCK, axes_of, pairs_of

PATHS = ("fast", "general", "tiled")
TINY = {"f32": 2.0**-126, "bf16": 2.0**-126, "f16": 2.0**-14}
MASK_SHAPES = ("k", "qk", "11qk", "b11k", "bhqk", "1h1k")


# ---- What a report and a program say


def path_of(report):
    """The path of the only attention, and the size of its blocks of keys."""
    pipeline, attention = report["path"], report["attention"]
    if pipeline == "mha-cpu-pipeline" and attention["found"] == attention["fused"] == 1:
        return "fast", FIRST_BLOCK
    if "kernels=false" not in pipeline or attention["found"] != 1:
        return None, FIRST_BLOCK
    block = re.search(r"block-k=(\d+)", pipeline)
    return ("tiled", int(block[1])) if block else ("general", FIRST_BLOCK)


class Operand:
    """What an operand of the attention is: layout, type, array, and how it lies in its argument."""

    def __init__(self, name, text, inputs):
        self.type, self.layout = re.search(rf"{name}\(%{name} : (\S+), (\w+)\)", text).groups()
        sliced = re.search(rf"%{name} = tensor.extract_slice %{name}_memory\[(.*?)\] \[(.*?)\]", text)
        whole = inputs[f"{name}_memory" if sliced else name]
        self.memory, self.offsets = whole.shape, [0] * whole.ndim
        array = whole
        if sliced:
            self.offsets = [int(n) for n in sliced[1].split(", ")]
            sizes = [size_of(s, text, n) for s, n in zip(sliced[2].split(", "), whole.shape)]
            array = whole[tuple(slice(o, o + n) for o, n in zip(self.offsets, sizes))]
        self.shape = array.shape
        self.array = array.transpose([self.layout.index(letter) for letter in "bhsd"])

    def strides(self, shape):
        return [int(np.prod(shape[n + 1 :])) for n in range(len(shape))]

    def has_unit_of_other_stride(self):
        places = zip(self.shape, self.strides(self.shape), self.strides(self.memory))
        return any(size == 1 and packed != found for size, packed, found in places)

    def kinds_of_memory(self):
        kinds = set()
        if any(self.offsets):
            kinds.add("offset")
        elif self.shape[1:] != self.memory[1:]:
            kinds.add("sliced")
        if self.has_unit_of_other_stride():
            kinds.add("unit")
        return kinds


def size_of(text, program, memory):
    """The size of a dimension of a slice: a number, or what is left of the memory."""
    if not text.startswith("%"):
        return int(text)
    return memory - int(re.search(rf"{text}_pad = arith.constant (\d+)", program)[1])


def read_inputs(report):
    """Argument name to array."""
    found = {}
    for text in report["inputs"]:
        name, _, file = text.split("=", 2)
        found[name] = np.load(file.lstrip("@"))
    return found


# ---- What a run had


def measure(report, text):
    """(path, axis to the set of values that the run had)."""
    path, block = path_of(report)
    inputs = read_inputs(report)
    query, key, value = (Operand(name, text, inputs) for name in ("query", "key", "value"))
    mask = inputs.get("mask")
    (b, hq, n, d), (kb, hkv, m, dv) = query.array.shape, value.array.shape
    seen = visible(text, mask, (b, hq, n, m))
    element = query.type.rstrip(">").split("x")[-1]
    had = dict(
        queries={n},
        keys={m},
        depth={(d, dv)},
        group={"mqa" if hkv == 1 and hq > 1 else hq // hkv},
        dynamic={dynamic_kind(query.type)},
        mask={mask_kind(text, mask)},
        mask_shape=mask_shapes(mask, (b, hq, n, m)),
        rows=row_kinds(seen, block),
        values=value_kinds(query.array, key.array, value.array, seen, element),
        memory=memory_kinds(query, key, value),
        dtype={element},
        target={"scalar" if report["target"] == "x86-64" else "vector"},
        block={block},
    )
    return path, had


def dynamic_kind(type_):
    sizes = re.match(r"tensor<(.*)x\w+>", type_)[1].split("x")
    unknown = sizes.count("?")
    return "static" if unknown == 0 else "fully" if unknown == len(sizes) else "partly"


def mask_kind(text, mask):
    causal = re.search(r"mask<causal> align\((\w+)\)", text)
    if mask is None:
        return f"causal_{causal[1]}" if causal else "none"
    if causal:
        return "causal_bool" if mask.dtype == bool and causal[1] == "bottom_right" else None
    return "bool" if mask.dtype == bool else "additive" if mask.dtype == np.float32 else None


def mask_shapes(mask, sizes):
    """All shapes of the axis that the mask has: with sizes of 1 it may have several."""
    if mask is None:
        return {"none"}
    sizes = dict(zip("bhqk1", (*sizes, 1)))
    return {axes for axes in MASK_SHAPES if mask.shape == tuple(sizes[axis] for axis in axes)}


def visible(text, mask, shape):
    i, j = np.indices(shape[2:])
    seen = np.ones(shape[2:], bool)
    if "align(top_left)" in text:
        seen = j <= i
    elif "align(bottom_right)" in text:
        seen = j <= i + shape[3] - shape[2]
    if mask is not None:
        seen = seen & (mask if mask.dtype == bool else mask != -np.inf)
    return np.broadcast_to(seen, shape)


def row_kinds(seen, block):
    live = seen.any(axis=3)
    kinds = set()
    if live.size == 0:
        return {"ordinary"}
    some = live.any(axis=2)
    if (some & ~live[:, :, 0]).any():
        kinds.add("first")
    if (some & ~live[:, :, -1]).any():
        kinds.add("last")
    if not live.any():
        kinds.add("all")
    if (~seen[..., :block].any(axis=3) & seen[..., block:].any(axis=3)).any():
        kinds.add("first_block")
    if seen.shape[3] > 1 and (~seen[..., :-1].any(axis=3) & live).any():
        kinds.add("only_last")
    return kinds if kinds or not live.all() else {"ordinary"}


def value_kinds(query, key, value, seen, element):
    if 0 in (*query.shape, *key.shape):
        return {"normal"}
    numbers = [x.astype(np.float64) for x in (query, key, value)]
    kinds = logit_kinds(*numbers[:2]) | key_kinds(*numbers, seen)
    if all((x == 0).all() for x in numbers) and len(set(np.signbit(value).ravel()) | {np.signbit(query).any()}) == 2:
        return {"zeros"}
    if (numbers[0] == 0).all():
        kinds.add("flat")
    if any(((x != 0) & (np.abs(x) < TINY[element])).any() for x in numbers):
        kinds.add("subnormal")
    if (value == 1).all():
        kinds.add("ones")
    if (np.isin(value, (0, 1)).all() and (value.sum(axis=3) == 1).all()):
        kinds.add("one_hot")
    return kinds or {"normal"}


def logit_kinds(query, key):
    group = query.shape[1] // key.shape[1]
    key = np.nan_to_num(np.repeat(key, group, axis=1), posinf=0, neginf=0)
    score = query @ np.swapaxes(key, 2, 3) / np.sqrt(query.shape[3])
    if np.abs(score).max() > 1000:
        return {"huge"}
    return {"peaked"} if np.ptp(score, axis=3).max() > 20 else set()


def key_kinds(query, key, value, seen):
    """Infinities that some row sees, and NaN that some row does not see."""
    group = query.shape[1] // key.shape[1]
    nan, infinite = (
        np.repeat(x.any(axis=3), group, axis=1)[:, :, None]
        for x in (np.isnan(np.concatenate([key, value], axis=3)), np.isinf(value))
    )
    kinds = set()
    if (nan & ~seen).any():
        kinds.add("nan_hidden")
    if (infinite & seen).any():
        kinds.add("inf")
    return kinds


def memory_kinds(query, key, value):
    kinds = query.kinds_of_memory()
    if "bhsd" not in (key.layout, value.layout):
        kinds.add("transposed")
    if key.array.shape[0] == value.array.shape[0] == 1 < query.array.shape[0]:
        kinds.add("broadcast")
    return kinds or {"contiguous"}


# ---- Pairs


def pairs_of_run(had):
    for a, b in combinations(had, 2):
        for x, y in product(had[a], had[b]):
            yield a, x, b, y


def measure_folder(folder):
    """[(path, pairs)] of the runs of one program."""
    text = (folder / "program.mlir").read_text()
    reports = json.loads((folder / "report.json").read_text())
    measured = [measure(report, text) for report in reports if report["passed"]]
    return [(path, set(pairs_of_run(had))) for path, had in measured]


def missing_pairs(path, measured):
    """(how many pairs are required, those that no run on the path had)."""
    axes = axes_of(path)
    required = possible_pairs(axes, pairs_of(path))
    had = set().union(*(pairs for of, pairs in measured if of == path))
    return len(required), sorted(required - had, key=str)


def print_coverage(path, measured):
    """Whether nothing is missing."""
    required, missing = missing_pairs(path, measured)
    print(f"{path}: {required - len(missing)}/{required}")
    for a, x, b, y in missing:
        print(f"  missing: {a} {x}, {b} {y}")
    return not missing


def main(folder):
    reports = sorted(Path(folder).glob("**/report.json"))
    measured = [run for report in reports for run in measure_folder(report.parent)]
    return 0 if all([print_coverage(path, measured) for path in PATHS]) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
