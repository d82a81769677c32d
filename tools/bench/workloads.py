"""What is measured: shapes, their programs and inputs, their FLOP, and which numbers are right."""

import re
from dataclasses import dataclass

import numpy as np

from arrays import aligned

# Compiled code is checked by ./dev test. Here the question is only whether something else than attention is timed.
GROSS_ERROR = 1e-4
CHECKED_ROWS = 8
SEED = 1


@dataclass(frozen=True)
class Workload:
    """One attention in f32; letters as in docs/Conventions.md."""

    name: str
    batch: int  # B
    query_heads: int  # Hq
    key_heads: int  # Hkv
    query_len: int  # Sq
    key_len: int  # Sk
    head_dim: int  # D
    value_dim: int  # Dv
    mask: str = "full"  # or "causal", with its end at the bottom right
    layout: str = "bhsd"
    dynamic: bool = False  # all sizes but D and Dv are known at run time only

    def shape(self, heads, length, width):
        sizes = {"b": self.batch, "h": heads, "s": length, "d": width}
        return tuple(sizes[axis] for axis in self.layout)

    @property
    def shapes(self):
        """Of query, key, value and output."""
        return {"query": self.shape(self.query_heads, self.query_len, self.head_dim),
                "key": self.shape(self.key_heads, self.key_len, self.head_dim),
                "value": self.shape(self.key_heads, self.key_len, self.value_dim),
                "output": self.shape(self.query_heads, self.query_len, self.value_dim)}

    def visible_keys(self, query):
        """The number of keys that query row `query` sees: the first ones."""
        if self.mask == "full":
            return self.key_len
        return min(max(self.key_len - self.query_len + query + 1, 0), self.key_len)

    @property
    def flops(self):
        """Two for each multiply-add of both products, over visible pairs of query and key only."""
        pairs = sum(map(self.visible_keys, range(self.query_len)))
        return 2 * self.batch * self.query_heads * pairs * (self.head_dim + self.value_dim)

    @property
    def program(self):
        """The text of a module whose @main computes it."""
        types = {name: self.type_of(shape) for name, shape in self.shapes.items()}
        arguments = ", ".join(f"%{name}: {types[name]}" for name in ("query", "key", "value"))
        operands = " ".join(f"{name}(%{name} : {types[name]}, {self.layout})" for name in ("query", "key", "value"))
        mask = "mask<causal> align(bottom_right) " if self.mask == "causal" else ""
        return (f"func.func @main({arguments}) -> {types['output']} {{\n"
                f"  %output = mha.attention {operands} {mask}-> {types['output']}\n"
                f"  return %output : {types['output']}\n}}\n")

    def type_of(self, shape):
        sizes = ["?" if self.dynamic and axis != "d" else str(size) for axis, size in zip(self.layout, shape)]
        return f"tensor<{'x'.join(sizes)}xf32>"

    def make_inputs(self):
        """Arrays of normally distributed values, the same in every run."""
        rng = np.random.default_rng(SEED)
        inputs = {name: aligned(self.shapes[name]) for name in ("query", "key", "value")}
        for array in inputs.values():
            rng.standard_normal(dtype=np.float32, out=array)
        return inputs

    def make_output(self):
        return aligned(self.shapes["output"])


# ---- Which numbers are right


def heads_first(array, layout):
    """A view with axes b, h, s, d."""
    return array.transpose([layout.index(axis) for axis in "bhsd"])


def reference_row(workload, inputs, batch, head, query):
    """Row (batch, head, query) of the output in float64, from the formula in docs/Conventions.md."""
    q, k, v = (heads_first(inputs[name], workload.layout) for name in ("query", "key", "value"))
    keys = workload.visible_keys(query)
    if keys == 0:
        return np.zeros(workload.value_dim)
    key_head = head // (workload.query_heads // workload.key_heads)
    row = q[batch, head, query].astype(np.float64)
    scores = k[batch, key_head, :keys].astype(np.float64) @ row / np.sqrt(workload.head_dim)
    weights = np.exp(scores - scores.max())
    return weights @ v[batch, key_head, :keys].astype(np.float64) / weights.sum()


def largest_error(workload, inputs, output):
    """Of a few random rows of `output`, over the largest value that is right there; NaN counts as infinite."""
    rng = np.random.default_rng(SEED)
    found = heads_first(output, workload.layout)
    error = largest = 0.0
    for _ in range(CHECKED_ROWS):
        at = tuple(int(rng.integers(size)) for size in found.shape[:3])
        expected = reference_row(workload, inputs, *at)
        error = max(error, float(np.nan_to_num(np.abs(found[at] - expected), nan=np.inf).max()))
        largest = max(largest, float(np.abs(expected).max()))
    return error / largest


# ---- The rows of the table


def square(length, heads, width, mask, **more):
    name = more.pop("name", f"d{width}_s{length}_{mask}")
    sizes = {"batch": 1, "query_heads": heads, "key_heads": heads, "query_len": length, "key_len": length,
             "head_dim": width, "value_dim": width, "mask": mask}
    return Workload(name, **{**sizes, **more})


# The number of heads is what makes one call last from 10 to 300 ms on a core of about 100 GFLOP/s.
HEADS = {128: {512: 32, 2048: 4, 8192: 1}, 64: {512: 32, 2048: 8, 8192: 1}}

WORKLOADS = [
    *(square(length, heads, width, mask)
      for width, lengths in HEADS.items() for mask in ("full", "causal") for length, heads in lengths.items()),
    square(2048, 8, 128, "full", name="d128_s2048_full_bshd", layout="bshd"),
    square(512, 32, 128, "full", name="d128_s512_full_gqa32x8", key_heads=8),
    square(2048, 4, 128, "full", name="d128_s2048_full_dynamic", dynamic=True),
    square(197, 12, 64, "full", name="d64_s197_full", batch=8),
    square(512, 64, 128, "causal", name="llama2_70b_s512_causal", key_heads=8),
]


def select(pattern):
    """The workloads whose names contain a match of the regular expression `pattern`."""
    return [workload for workload in WORKLOADS if re.search(pattern, workload.name)]
