"""What an attention problem is, and the arrays that it is given. Data only."""

import zlib
from dataclasses import dataclass, field

import numpy as np

import oracle
from storage import LOW, stored
from values import MASKS, SINKS, VALUES

# Axes of a dense mask, outermost first; "1" in place of a letter stands for a size of 1.
MASK_AXES = "bhqk"


@dataclass(frozen=True)
class Case:
    name: str
    batch: int = 2
    query_heads: int = 6
    key_heads: int = 3
    queries: int = 7
    keys: int = 11
    depth: int = 5
    value_depth: int = 4
    dtype: str = "f32"  # of query and output, and of all that `types` does not name
    types: dict = field(default_factory=dict)  # of key, value, mask, slopes, table, sink, scale
    shared_keys: bool = False  # key and value have one batch, for all
    causal: bool = False
    window: tuple = None  # (l, r), both ends inclusive
    align: str = None
    offset: object = None  # an int, or one int per batch
    offset_type: str = "i64"  # "i64", "index" or "tensor"
    lengths: tuple = None  # one per batch
    constant_lengths: bool = False  # a constant of the program; else an input
    scale: float = None
    scale_operand: bool = False  # an input; else an attribute
    softcap: float = None
    bias: str = None  # "alibi", "alibi_symmetric" or "relative"
    columns: int = 5  # of the table of a relative bias
    origin: int = 2
    mask: str = None  # the axes of the dense mask: "", "k", "11qk"
    mask_values: str = "scattered"  # a key of MASKS
    sink: str = None  # a key of SINKS
    lse: bool = False
    layouts: tuple = ("bhsd",) * 4  # of query, key, value, output
    dynamic: str = "static"  # a key of emit.DYNAMIC
    destination: bool = False  # give outs(...), filled with NaN
    values: str = "normal"  # a key of VALUES

    def type_of(self, name):
        """The element type of an operand or result."""
        wide = "f64" if self.dtype == "f64" else "f32"
        return self.types.get(name, wide if name in ("lse", "scale") else self.dtype)

    def is_low(self):
        """Whether query, key or value has less than single precision."""
        return any(self.type_of(name) in LOW for name in ("query", "key", "value"))

    def random(self, name=""):
        return np.random.default_rng(zlib.crc32((self.name + name).encode()))

    def options(self):
        """The keyword arguments of `oracle.attention`."""
        terms = self.terms()
        return dict(
            self.structure(),
            scale=terms.get("scale", self.scale),
            softcap=self.softcap,
            bias=self.bias,
            slopes=terms.get("slopes"),
            table=terms.get("table"),
            origin=self.origin,
            mask=terms.get("mask"),
            sink=terms.get("sink"),
        )

    def structure(self):
        """Those that say where a query stands and what it sees of the keys by position."""
        return dict(
            causal=self.causal,
            window=self.window,
            align=self.align,
            offset=0 if self.offset is None else np.array(self.offset, np.int64),
            lengths=None if self.lengths is None else np.array(self.lengths, np.int64),
        )

    def arrays(self):
        """query, key, value as (B, H, S, D) arrays of their types."""
        rng = self.random()
        b, sq, sk = self.batch, self.queries, self.keys
        kb = 1 if self.shared_keys else b
        query = rng.standard_normal((b, self.query_heads, sq, self.depth))
        key = rng.standard_normal((kb, self.key_heads, sk, self.depth))
        value = rng.standard_normal((kb, self.key_heads, sk, self.value_depth))
        with np.errstate(under="ignore"):
            arrays = VALUES[self.values](self, rng, query, key, value)
            names = ("query", "key", "value")
            return tuple(stored(x, self.type_of(name)) for x, name in zip(arrays, names))

    def terms(self):
        """The arrays of the operands that change scores, by name, each of its type."""
        result = {}
        if self.scale_operand:
            result["scale"] = np.array(self.scale)
        if self.mask is not None:
            result["mask"] = self.mask_array()
        if self.bias in ("alibi", "alibi_symmetric"):
            result["slopes"] = 0.3 * self.random("slopes").standard_normal(self.query_heads)
        elif self.bias == "relative":
            shape = (self.query_heads, self.columns)
            result["table"] = self.random("table").standard_normal(shape)
        if self.sink is not None:
            result["sink"] = SINKS[self.sink](self.random("sink"), self.query_heads)
        return {name: stored(array, self.type_of(name)) for name, array in result.items()}

    def mask_array(self):
        sizes = dict(zip(MASK_AXES, (self.batch, self.query_heads, self.queries, self.keys)))
        shape = tuple(sizes.get(axis, 1) for axis in self.mask)
        hidden, added = MASKS[self.mask_values](self, self.random("mask"), shape)
        return ~hidden if self.type_of("mask") == "i1" else np.where(hidden, -np.inf, added)

    def structured(self):
        """(B, Hq, Sq, Sk): which keys structured mask and length let each query see."""
        structure = self.structure()
        length = oracle.key_lengths(structure["lengths"], self.batch, self.keys)
        p = oracle.query_positions(self.align, structure["offset"], length, self.queries)
        seen = oracle.visible(p, length, self.keys, self.causal, self.window)
        return np.repeat(seen[:, None], self.query_heads, axis=1)

    def visible(self):
        """(B, Hq, Sq, Sk): which keys length and all masks let each query see."""
        seen = self.structured()
        added, allowed = oracle.dense_mask(self.terms().get("mask"), seen.shape)
        return seen & allowed & (added != -np.inf)
