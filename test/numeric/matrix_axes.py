"""The axes of the edge matrix, and which of their values do not go together. Data only.

Every pair of values of two axes is run on each path of compiled code, unless a rule of these two
axes says that nothing can have both. Rules of more axes only steer which rows are made.
"""

from covering import Rule
from paths import TILES

SIZES = (0, 1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 97, 127, 128, 129, 257, 1000, 1023, 1025)
# One less and one more than what a path computes at a time, where that is not among SIZES.
TILE_SIZES = {"fast": (47, 48, 49, 95, 96), "general": (), "tiled": (4,)}

DEPTHS = tuple((d, d) for d in (1, 3, 8, 16, 24, 40, 59, 64, 72, 80, 96, 111, 128, 160, 256)) + (
    (1, 59), (16, 24), (40, 3), (111, 160)
)

MASKS = ("none", "causal_top_left", "causal_bottom_right", "causal_bool", "bool", "additive")
DENSE = ("causal_bool", "bool", "additive")  # causal_bool is causal at the bottom right
BOTTOM_RIGHT = ("causal_bottom_right", "causal_bool")
KEYS_ONLY = ("k", "b11k", "1h1k")  # masks that are the same for all rows
FIRST_BLOCK = 128  # at least what a path without a given block takes at a time

COMMON = dict(
    depth=DEPTHS,
    group=(1, 2, 3, 4, 7, 8, 16, "mqa"),
    dynamic=("static", "partly", "fully"),
    mask=MASKS,
    mask_shape=("none", "k", "qk", "11qk", "b11k", "bhqk", "1h1k"),
    rows=("ordinary", "first", "last", "all", "first_block", "only_last"),
    values=("normal", "peaked", "flat", "huge", "subnormal", "zeros", "inf", "nan_hidden", "ones", "one_hot"),
    memory=("contiguous", "transposed", "sliced", "offset", "broadcast", "unit"),
    dtype=("f32", "f16", "bf16"),
    target=("scalar", "vector"),
)

# What a kernel does not take, and why (docs/Numerics.md, "The kernels' arithmetic").
NOT_FAST = dict(
    dynamic=("fully",),  # D and Dv are static
    dtype=("f16", "bf16"),  # f32 alone
    target=("scalar",),  # a CPU with fused multiply-add
)


def axes_of(path):
    """Axis name to values, for `fast`, `general` or `tiled`."""
    sizes = tuple(sorted({*SIZES, *TILE_SIZES[path]}))
    axes = dict(queries=sizes, keys=sizes, **COMMON)
    if path == "fast":
        for axis, values in NOT_FAST.items():
            axes[axis] = tuple(x for x in axes[axis] if x not in values)
    if path == "tiled":
        axes["block"] = TILES
    return axes


WORK_LIMIT = 4_300_000  # multiply-adds of a row, so that the reference takes little time


def heads_of(group):
    """(Hq, Hkv)."""
    return (5, 1) if group == "mqa" else (2 * group, 2)


def work(queries, keys, depth=(1, 1), group=1, batch=1):
    return batch * heads_of(group)[0] * queries * keys * sum(depth)


def least_batch(memory, mask_shape):
    return 2 if memory == "broadcast" or "b" in mask_shape and memory != "unit" else 1


# ---- Of two axes: pairs that nothing can have

PAIRS = (
    Rule("only a dense mask has a shape", ("mask", "mask_shape"), lambda m, s: (m in DENSE) != (s != "none")),
    Rule("without a query there is no row", ("queries", "rows"), lambda n, r: n == 0 and r != "ordinary"),
    Rule("first and last are two rows", ("queries", "rows"), lambda n, r: n == 1 and r in ("first", "last")),
    Rule("without a key no row sees one", ("keys", "rows"), lambda n, r: n == 0 and r not in ("ordinary", "all")),
    Rule("no query has a value", ("queries", "values"), lambda n, v: n == 0 and v != "normal"),
    Rule("no key has a value", ("keys", "values"), lambda n, v: n == 0 and v != "normal"),
    Rule("one logit is no peak", ("keys", "values"), lambda n, v: n == 1 and v == "peaked"),
    Rule("every row sees key 0", ("mask", "rows"), lambda m, r: m in ("none", "causal_top_left") and r in ("first", "last")),
    Rule("the last row sees all keys", ("mask", "rows"), lambda m, r: m == "causal_bottom_right" and r == "last"),
    Rule("what hides all keys of the last row hides them from all", ("mask_shape", "rows"),
         lambda s, r: s in KEYS_ONLY and r == "last"),
    Rule("causal masks hide the last keys, not the first", ("mask", "rows"),
         lambda m, r: m not in DENSE and r in ("first_block", "only_last")),
    Rule("only a dense mask hides the first keys", ("mask_shape", "rows"),
         lambda s, r: s == "none" and r in ("last", "first_block", "only_last")),
    Rule("the last of one key is also the first", ("keys", "rows"), lambda n, r: n == 1 and r == "only_last"),
    Rule("nobody sees the infinity", ("rows", "values"), lambda r, v: r == "all" and v == "inf"),
    Rule("nothing is hidden", ("mask", "values"), lambda m, v: m == "none" and v == "nan_hidden"),
)


EMPTY = tuple(
    Rule("no kernel for operands without elements", (axis, "dynamic"), lambda n, d: n == 0 and d == "static")
    for axis in ("queries", "keys")
)


def pairs_of(path):
    block = 1 if path == "tiled" else FIRST_BLOCK
    behind = Rule("no key is behind the first block", ("keys", "rows"), lambda n, r: n <= block and r == "first_block")
    if path == "fast":
        return (*PAIRS, behind, *EMPTY)
    if path == "general":
        return (*PAIRS, behind)
    both = Rule("no key is behind the first block", ("keys", "rows", "block"),
                lambda n, r, b: n <= b and r == "first_block")
    return (*PAIRS, behind, both)


# ---- Of more axes: what else a row has to keep to

STEERING = (
    Rule("rows without a key", ("queries", "keys", "rows"), lambda n, m, r: n > 0 and m == 0 and r != "all"),
    Rule("rows that see a key", ("mask", "keys", "rows"), lambda k, m, r: k not in DENSE and m > 0 and r == "all"),
    Rule("all see key 0", ("mask", "queries", "keys", "rows"),
         lambda k, n, m, r: k == "causal_bottom_right" and r == "first" and n <= m),
    Rule("the first rows see nothing", ("mask", "queries", "keys", "rows"),
         lambda k, n, m, r: k in BOTTOM_RIGHT and r == "ordinary" and n > m),
    Rule("hides from all or none", ("mask", "mask_shape", "rows"),
         lambda k, s, r: k in ("bool", "additive") and s in KEYS_ONLY and r == "first"),
    Rule("only the last row sees the only key", ("mask", "keys", "rows"),
         lambda k, m, r: k == "causal_bool" and m == 1 and r == "last"),
    Rule("ordinary rows see the only key", ("keys", "rows", "values"),
         lambda m, r, v: m == 1 and r == "ordinary" and v == "nan_hidden"),
    Rule("row 0 sees the only key", ("mask", "keys", "values"),
         lambda k, m, v: k == "causal_top_left" and m == 1 and v == "nan_hidden"),
    Rule("the only row sees all", ("mask", "queries", "values"),
         lambda k, n, v: k == "causal_bottom_right" and n == 1 and v == "nan_hidden"),
    *(
        Rule("too much work", axes, lambda *values, axes=axes: too_much(dict(zip(axes, values))))
        for axes in (
            ("queries", "keys", "depth"), ("queries", "keys", "group"), ("queries", "depth", "group"),
            ("keys", "depth", "group"), ("queries", "keys", "depth", "group"),
            ("queries", "keys", "depth", "group", "memory", "mask_shape"),
        )
    ),
)


def too_much(row):
    batch = least_batch(row["memory"], row["mask_shape"]) if "memory" in row else 1
    sizes = {name: row[name] for name in ("depth", "group") if name in row}
    return work(row.get("queries", 1), row.get("keys", 1), batch=batch, **sizes) > WORK_LIMIT


def rules_of(path):
    return pairs_of(path) + STEERING


# ---- What rows share

PROGRAM = ("block", "dtype", "target", "dynamic", "mask", "mask_shape", "memory")
STATIC = {"static": ("depth", "group", "queries", "keys"), "partly": ("depth", "group"), "fully": ()}


def program_of(row):
    """What is compiled: the part of a row that is not known at run time only."""
    return {axis: row[axis] for axis in (*PROGRAM, *STATIC[row["dynamic"]]) if axis in row}


def cost_of(row, is_first):
    """In pairs: what it takes to compile a program, and to compute the reference."""
    return 15 * is_first + work(row["queries"], row["keys"], row["depth"], row["group"]) / 200_000
