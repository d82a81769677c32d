"""What a row of the edge matrix stands for: a program, the arrays of one run of it, and what it has to give."""

import zlib
from functools import cached_property

import numpy as np

import emit
import naive
import oracle
import paths
import tolerance
from matrix_axes import BOTTOM_RIGHT, DENSE, FIRST_BLOCK, WORK_LIMIT, heads_of, least_batch, work
from storage import DTYPES, stored

NAMES = ("query", "key", "value")

# Which letters are dynamic in operands and in the mask.
DYNAMIC = dict(static=("", ""), partly=("bs", "bqk"), fully=("bhsd", "bhqk"))

# How much more memory than an operand the argument has that it is a slice of, by letter.
# MLIR takes no slice of a static dimension of size 0, which the memory of no keys would be without a pad.
PADS = dict(sliced=dict(h=1, s=2, d=3), offset=dict(b=1, s=1), unit=dict(h=1, s=1))

ENOUGH = 64  # elements of an output, so that their rounding errors are a sample
MOST_BATCHES = 8


# ---- Values of query, key and value


def normal(problem, rng, q, k, v):
    return q, k, v


def peaked(problem, rng, q, k, v):
    """The logits of some row are 60 apart. Their sums are exact: what differs is what is done with them."""
    group = q.shape[1] // k.shape[1]
    score = np.repeat(k, group, axis=1) @ np.swapaxes(q, 2, 3) / np.sqrt(q.shape[3])
    factor = np.sqrt(60 / np.ptp(score, axis=2).max())
    return np.rint(8 * factor * q) / 8, np.rint(8 * factor * k) / 8, v


def flat(problem, rng, q, k, v):
    return 0 * q, k, v


def huge(problem, rng, q, k, v):
    """Logits of both signs whose sums are exact, so that equal ones are equal in every precision."""
    size = 2.0**7 if problem.dtype == "f16" else 2.0**33
    signs = (rng.choice([-size, size], (*x.shape[:3], 1)) for x in (q, k))
    return *(sign + 0 * x for sign, x in zip(signs, (q, k))), v


def subnormal(problem, rng, q, k, v):
    least = {"f16": 2.0**-24, "bf16": 2.0**-133, "f32": 2.0**-140}[problem.dtype]
    return q, k, least * rng.integers(-100, 101, v.shape)


def zeros(problem, rng, q, k, v):
    return tuple(np.where(x < 0, -0.0, 0.0) for x in (q, k, v))


def inf(problem, rng, q, k, v):
    """One infinity, at a key that some row sees."""
    b, h, _, j = np.argwhere(problem.visible)[-1]
    v[b % v.shape[0], h // (q.shape[1] // k.shape[1]), j, -1] = np.inf
    return q, k, v


def nan_hidden(problem, rng, q, k, v):
    """NaN in keys and values that as many rows as possible do not see."""
    group = q.shape[1] // k.shape[1]
    blind = (~problem.visible).reshape(*problem.visible.shape[:1], k.shape[1], group, *problem.visible.shape[2:])
    count = blind.sum(axis=(2, 3))
    count = count.sum(axis=0, keepdims=True) if k.shape[0] == 1 else count
    where = count == count.max()
    k[where], v[where] = np.nan, np.nan
    return q, k, v


def ones(problem, rng, q, k, v):
    return q, k, np.ones_like(v)


def one_hot(problem, rng, q, k, v):
    return q, k, v * 0 + np.eye(v.shape[3])[rng.integers(v.shape[3], size=v.shape[:3])]


VALUES = {f.__name__: f for f in (normal, peaked, flat, huge, subnormal, zeros, inf, nan_hidden, ones, one_hot)}


# ---- The problem


class Problem:
    """A row of the matrix for a path; what `naive.attention` asks of a case."""

    def __init__(self, path, row):
        self.path, self.row, self.dtype = path, row, row["dtype"]
        self.memory, self.mask = row["memory"], row["mask"]
        self.depth, self.value_depth = row["depth"]
        self.queries, self.keys = row["queries"], row["keys"]
        self.query_heads, self.key_heads = heads_of(row["group"])
        self.batch = self.choose_batch()
        self.key_batch = 1 if self.memory == "broadcast" else self.batch
        last = "sbhd" if path == "fast" else "bhds"  # a kernel wants d innermost
        transposed = self.memory == "transposed"
        self.layouts = ("bshd", last, "sbhd", "bshd") if transposed else ("bhsd",) * 4
        self.axes = "" if row["mask_shape"] == "none" else row["mask_shape"]

    def choose_batch(self):
        if self.memory == "unit":
            return 1
        least = least_batch(self.memory, self.row["mask_shape"])
        elements = max(1, self.query_heads * self.queries * self.value_depth)
        of_one = work(self.queries, self.keys, self.row["depth"], self.row["group"])
        affordable = WORK_LIMIT // max(1, of_one)
        return max(least, min(-(-ENOUGH // elements), affordable, MOST_BATCHES))

    def type_of(self, name):
        if name == "mask":
            return "f32" if self.mask == "additive" else "i1"
        return self.dtype

    def flags(self):
        target = "x86-64" if self.row["target"] == "scalar" else "native"
        path = f"tiled_{self.row['block']}" if self.path == "tiled" else self.path
        return paths.flags(path, target)

    @property
    def block(self):
        return self.row.get("block", FIRST_BLOCK)

    def random(self, name):
        text = repr(sorted(self.row.items(), key=str)) + name
        return np.random.default_rng(zlib.crc32(text.encode()))

    # Masks

    @cached_property
    def structured(self):
        """(Sq, Sk)"""
        i, j = np.indices((self.queries, self.keys))
        if self.mask == "causal_top_left":
            return j <= i
        if self.mask in BOTTOM_RIGHT:
            return j <= i + self.keys - self.queries
        return np.ones((self.queries, self.keys), bool)

    def mask_sizes(self):
        return dict(zip("bhqk1", (self.batch, self.query_heads, self.queries, self.keys, 1)))

    @cached_property
    def hidden(self):
        """What the dense mask hides, in its shape."""
        rows, difference = self.row["rows"], self.keys - self.queries
        shape = [self.mask_sizes()[axis] for axis in self.axes]
        hidden = self.random("mask").random(shape) < 0.3
        hidden[..., :1] = False
        if rows == "first" and "q" in self.axes:
            hidden[..., 0, :] = True
        elif rows == "first" and difference >= 0:
            hidden[..., : difference + 1] = True
            hidden[..., difference + 1] = False
        elif rows == "last":
            hidden[..., -1, :] = True
        elif rows == "all":
            hidden[...] = True
        elif rows in ("first_block", "only_last"):
            hidden[..., : self.block if rows == "first_block" else -1] = True
            hidden[..., -1] = False
        elif self.row["values"] == "nan_hidden":
            hidden[..., -1] = True
        return hidden

    @cached_property
    def mask_array(self):
        if self.mask != "additive":
            return ~self.hidden
        added = self.random("added").standard_normal(self.hidden.shape)
        if self.row["values"] == "huge":  # what is added to 1e20 is rounded away, differently each time
            added[...] = 0
        return np.where(self.hidden, -np.inf, added).astype(np.float32)

    @cached_property
    def visible(self):
        """(B, Hq, Sq, Sk)"""
        shape = self.batch, self.query_heads, self.queries, self.keys
        seen = np.broadcast_to(self.structured, shape)
        return seen & ~self.hidden if self.axes else seen

    # Arrays

    @cached_property
    def arrays(self):
        """query, key, value as (B, H, S, D) arrays of their types."""
        rng = self.random("values")
        q = rng.standard_normal((self.batch, self.query_heads, self.queries, self.depth))
        k = rng.standard_normal((self.key_batch, self.key_heads, self.keys, self.depth))
        v = rng.standard_normal((self.key_batch, self.key_heads, self.keys, self.value_depth))
        values = VALUES[self.row["values"]](self, rng, q, k, v)
        return tuple(stored(x, self.dtype) for x in values)

    def pads(self, layout):
        of = PADS.get(self.memory, {})
        return [of.get(letter, 0) for letter in layout]

    def offsets(self, layout):
        return [int(self.memory == "offset" and letter == "b") for letter in layout]

    def inputs(self):
        """By argument name; around what is a slice there is NaN."""
        result = {}
        for name, array, layout in zip(NAMES, self.arrays, self.layouts):
            array = emit.to_layout(array, layout, self.key_heads)
            if self.memory in PADS:
                offsets = self.offsets(layout)
                around = [(o, p - o) for o, p in zip(offsets, self.pads(layout))]
                array = np.pad(array, around, constant_values=np.nan)
                name = f"{name}_memory"
            result[name] = array
        if self.axes:
            result["mask"] = self.mask_array
        return result

    # The program

    def program(self):
        types, body = self.types(), []
        arguments = {name: types[name] for name in NAMES}
        if self.memory in PADS:
            for name, layout in zip(NAMES, self.layouts):
                del arguments[name]
                arguments[f"{name}_memory"] = types[f"{name}_memory"]
                body += self.slice_of_memory(name, layout, types)
        clauses = [f"{name}(%{name} : {types[name]}, {layout})" for name, layout in zip(NAMES, self.layouts)]
        if self.mask in BOTTOM_RIGHT:
            clauses.append("mask<causal> align(bottom_right)")
        elif self.mask == "causal_top_left":
            clauses.append("mask<causal> align(top_left)")
        if self.axes:
            arguments["mask"] = types["mask"]
            clauses.append(f"dense_mask(%mask : {types['mask']})")
        body.append(f"%o = mha.attention {' '.join(clauses)} -> {types['output']}")
        body.append(f"return %o : {types['output']}")
        listed = ", ".join(f"%{name}: {of}" for name, of in arguments.items())
        return f"func.func @main({listed}) -> {types['output']} {{\n  " + "\n  ".join(body) + "\n}\n"

    def types(self):
        dynamic, dynamic_mask = DYNAMIC[self.row["dynamic"]]
        keys = dynamic.replace("b", "") if self.memory == "broadcast" else dynamic
        sizes = dict(
            query=dict(b=self.batch, h=self.query_heads, s=self.queries, d=self.depth),
            key=dict(b=self.key_batch, h=self.key_heads, s=self.keys, d=self.depth),
            value=dict(b=self.key_batch, h=self.key_heads, s=self.keys, d=self.value_depth),
            output=dict(b=self.batch, h=self.query_heads, s=self.queries, d=self.value_depth),
        )
        result = {}
        for (name, of), layout in zip(sizes.items(), self.layouts):
            letters = keys if name in ("key", "value") else dynamic
            result[name] = emit.tensor(layout, of, letters, self.dtype)
            more = {letter: of[letter] + pad for letter, pad in zip(layout, self.pads(layout))}
            result[f"{name}_memory"] = emit.tensor(layout, more, letters, self.dtype)
        if self.axes:
            result["mask"] = emit.tensor(self.axes, self.mask_sizes(), dynamic_mask, self.type_of("mask"))
        return result

    def slice_of_memory(self, name, layout, types):
        """Makes %NAME of %NAME_memory."""
        lines, sizes = [], []
        static = types[name][len("tensor<") :].split("x")
        for n, (letter, pad) in enumerate(zip(layout, self.pads(layout))):
            size = f"%{name}_{letter}"
            if static[n] != "?":
                sizes.append(static[n])
                continue
            lines += [
                f"{size}_axis = arith.constant {n} : index",
                f"{size}_pad = arith.constant {pad} : index",
                f"{size}_all = tensor.dim %{name}_memory, {size}_axis : {types[f'{name}_memory']}",
                f"{size} = arith.subi {size}_all, {size}_pad : index",
            ]
            sizes.append(size)
        offsets = ", ".join(map(str, self.offsets(layout)))
        lines.append(
            f"%{name} = tensor.extract_slice %{name}_memory[{offsets}] [{', '.join(sizes)}] [1, 1, 1, 1] : "
            f"{types[f'{name}_memory']} to {types[name]}"
        )
        return lines

    # The judgement

    def options(self, rows):
        """The keyword arguments of `oracle.attention` for a part of the queries."""
        mask = None
        if self.axes:
            mask = self.mask_array
            if self.axes[-2:-1] == "q":
                mask = mask[..., rows, :]
        causal = self.mask not in ("none", "bool", "additive")
        first = self.keys - self.queries if self.mask in BOTTOM_RIGHT else 0
        return dict(
            scale=None, causal=causal, window=None, align="explicit", offset=first + (rows.start or 0), lengths=None,
            softcap=None, bias=None, slopes=None, table=None, origin=0, mask=mask, sink=None,
        )

    def expected(self):
        """The outputs of the oracle and of the naive computation, some queries at a time, and the bound of f32."""
        query, key, value = self.arrays
        of_row = max(1, self.batch * self.query_heads * self.keys * (self.depth + self.value_depth))
        step = max(1, AT_ONCE // of_row)
        parts, bound = [], 0
        for start in range(0, max(1, self.queries), step):
            rows = slice(start, start + step)
            part = Part(self, rows)
            q = query[:, :, rows]
            exact = oracle.attention(q, key, value, **part.options())
            parts.append((exact.output, naive.attention(part, q, key, value)[0]))
            bound = max(bound, tolerance.single_output(exact))
        return *(np.concatenate(x, axis=2) for x in zip(*parts)), bound

    def judge(self, output):
        """A sentence about what is wrong with an output, or None."""
        if output.dtype != DTYPES[self.dtype]:
            return f"elements of {output.dtype}"
        output = emit.from_layout(output, self.layouts[3])
        exact, plain, bound = self.expected()
        wrong = tolerance.acceptance(output, exact, plain, self.dtype)
        if wrong is None and self.dtype == "f32":
            wrong = tolerance.difference(output, exact, bound)
        return wrong


AT_ONCE = 4_000_000  # elements that the oracle has in memory at a time


class Part:
    """Some queries of a problem, as `naive.attention` takes a case."""

    def __init__(self, problem, rows):
        self.problem, self.rows, self.dtype = problem, rows, problem.dtype

    def options(self):
        return self.problem.options(self.rows)

    def type_of(self, name):
        return self.problem.type_of(name)
