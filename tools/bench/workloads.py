"""What is measured: shapes, their programs and inputs, their FLOP, and which numbers are right."""

import re
from dataclasses import dataclass

import numpy as np

from arrays import aligned

# Compiled code is checked by ./dev test. Here the question is only whether something else than attention is timed.
GROSS_ERROR = 1e-4
CHECKED_ROWS = 8
SEED = 1
NUMPY_TYPES = {"f32": np.float32, "i1": np.bool_}


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
    window: int | None = None  # how many keys a causal query sees at most
    dense_mask: str | None = None  # a mask for all heads: "f32", of numbers that are added, or "i1"
    alibi: bool = False  # of causal attention
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

    @property
    def arguments(self):
        """Shape and element type of each argument of @main."""
        arguments = {name: (self.shapes[name], "f32") for name in ("query", "key", "value")}
        if self.dense_mask:
            arguments["dense_mask"] = (self.query_len, self.key_len), self.dense_mask
        if self.alibi:
            arguments["slopes"] = (self.query_heads,), "f32"
        return arguments

    def visible_keys(self, query):
        """The keys that query row `query` sees by its place, as a range."""
        if self.mask == "full":
            return range(self.key_len)
        end = min(max(self.key_len - self.query_len + query + 1, 0), self.key_len)
        return range(max(end - self.window, 0) if self.window else 0, end)

    @property
    def flops(self):
        """Two for each multiply-add of both products, over pairs of query and key that see each other by their places."""
        pairs = sum(len(self.visible_keys(query)) for query in range(self.query_len))
        return 2 * self.batch * self.query_heads * pairs * (self.head_dim + self.value_dim)

    @property
    def program(self):
        """The text of a module whose @main computes it."""
        types = {name: self.type_of(shape) for name, shape in self.shapes.items()}
        types |= {name: f"tensor<{'x'.join(map(str, shape))}x{element}>"
                  for name, (shape, element) in self.arguments.items() if name not in types}
        arguments = ", ".join(f"%{name}: {types[name]}" for name in self.arguments)
        clauses = [f"{name}(%{name} : {types[name]}, {self.layout})" for name in ("query", "key", "value")]
        if self.mask == "causal":
            window = f", window<{self.window - 1}, 0>" if self.window else ""
            clauses.append(f"mask<causal{window}> align(bottom_right)")
        if self.dense_mask:
            clauses.append(f"dense_mask(%dense_mask : {types['dense_mask']})")
        if self.alibi:
            clauses.append(f"bias<alibi> slopes(%slopes : {types['slopes']})")
        return (f"func.func @main({arguments}) -> {types['output']} {{\n"
                f"  %output = mha.attention {' '.join(clauses)} -> {types['output']}\n"
                f"  return %output : {types['output']}\n}}\n")

    def type_of(self, shape):
        sizes = ["?" if self.dynamic and axis != "d" else str(size) for axis, size in zip(self.layout, shape)]
        return f"tensor<{'x'.join(sizes)}xf32>"

    def make_inputs(self):
        """Arrays of normally distributed values, or of booleans, the same in every run; ALiBi's own slopes."""
        rng = np.random.default_rng(SEED)
        inputs = {}
        for name, (shape, element) in self.arguments.items():
            values = rng.standard_normal(shape, np.float32)
            inputs[name] = aligned(shape, NUMPY_TYPES[element])
            inputs[name][...] = values > 0 if element == "i1" else values
        if self.alibi:
            inputs["slopes"][...] = 2 ** (-8 * np.arange(1, self.query_heads + 1) / self.query_heads)
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
    keys = np.array(workload.visible_keys(query), int)
    mask = inputs["dense_mask"][query].astype(np.float64) if workload.dense_mask else np.zeros(workload.key_len)
    if workload.dense_mask == "i1":
        keys, mask = keys[mask[keys] == 1], np.zeros(workload.key_len)
    if keys.size == 0:
        return np.zeros(workload.value_dim)
    key_head = head // (workload.query_heads // workload.key_heads)
    row = q[batch, head, query].astype(np.float64)
    scores = k[batch, key_head, keys].astype(np.float64) @ row / np.sqrt(workload.head_dim) + mask[keys]
    if workload.alibi:
        position = workload.key_len - workload.query_len + query
        scores += inputs["slopes"][head].astype(np.float64) * (keys - position)
    weights = np.exp(scores - scores.max())
    return weights @ v[batch, key_head, keys].astype(np.float64) / weights.sum()


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
    *(square(2048, HEADS[width][2048], width, "full", name=f"d{width}_s2048_mask_{element}", dense_mask=element)
      for width in HEADS for element in ("f32", "i1")),
    square(8192, 1, 128, "causal", name="d128_s8192_window4096", window=4096),
    square(2048, 4, 128, "causal", name="d128_s2048_causal_alibi", alibi=True),
]


def select(pattern):
    """The workloads whose names contain a match of the regular expression `pattern`."""
    return [workload for workload in WORKLOADS if re.search(pattern, workload.name)]
