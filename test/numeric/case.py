"""What an attention problem is, and the arrays that it is given. Data only."""

import zlib
from dataclasses import dataclass

import numpy as np

import oracle
from values import VALUES

DTYPES = {"f32": np.float32, "f64": np.float64}


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
    dtype: str = "f32"
    causal: bool = False
    window: tuple = None  # (l, r), both ends inclusive
    align: str = None
    offset: object = None  # an int, or one int per batch
    offset_type: str = "i64"  # "i64", "index" or "tensor"
    lengths: tuple = None  # one per batch
    constant_lengths: bool = False  # a constant of the program; else an input
    scale: float = None
    lse: bool = False
    layouts: tuple = ("bhsd",) * 4  # of query, key, value, output
    dynamic: str = "static"  # a key of emit.DYNAMIC
    destination: bool = False  # give outs(...), filled with NaN
    values: str = "normal"  # a key of VALUES

    def options(self):
        """The keyword arguments of `oracle.attention`."""
        lengths = None if self.lengths is None else np.array(self.lengths, np.int64)
        offset = 0 if self.offset is None else np.array(self.offset, np.int64)
        return dict(
            scale=self.scale,
            causal=self.causal,
            window=self.window,
            align=self.align,
            offset=offset,
            lengths=lengths,
        )

    def arrays(self):
        """query, key, value as (B, H, S, D) arrays of the declared type."""
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        b, sq, sk = self.batch, self.queries, self.keys
        query = rng.standard_normal((b, self.query_heads, sq, self.depth))
        key = rng.standard_normal((b, self.key_heads, sk, self.depth))
        value = rng.standard_normal((b, self.key_heads, sk, self.value_depth))
        with np.errstate(under="ignore"):
            arrays = VALUES[self.values](self, rng, query, key, value)
            return tuple(x.astype(DTYPES[self.dtype]) for x in arrays)

    def visible(self):
        """(B, Sq, Sk): which keys mask and length let each query see."""
        options = self.options()
        length = oracle.key_lengths(options["lengths"], self.batch, self.keys)
        p = oracle.query_positions(self.align, options["offset"], length, self.queries)
        return oracle.visible(p, length, self.keys, self.causal, self.window)
