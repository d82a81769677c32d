"""Rotary embeddings through `mha-run`, judged by the formula of Su et al. 2021, with a complex number for each pair."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from runner import run

BATCH, HEADS, LENGTH, HEAD_DIM = 2, 3, 7, 10
THETA = 500.0
TYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
EPSILON = {"f16": 2.0**-11, "f32": 2.0**-24, "f64": 2.0**-53}


@dataclass(frozen=True)
class Case:
    name: str
    layout: str = "bhsd"
    interleaved: bool = False
    rotary_dim: int | None = None
    offset: object = None  # a number, or one for each batch entry
    position_ids: object = None
    tables: int = 0  # their rank; 0 where angles are computed
    dtype: str = "f32"
    dynamic: bool = False
    sizes: dict = field(default_factory=dict)

    def size(self, axis):
        return self.sizes.get(axis, {"b": BATCH, "h": HEADS, "s": LENGTH, "d": HEAD_DIM}[axis])

    @property
    def shape(self):
        return tuple(self.size(axis) for axis in self.layout)

    @property
    def rotated(self):
        return self.rotary_dim or self.size("d")

    @property
    def positions(self):
        """(B, S)."""
        if self.position_ids is not None:
            return np.array(self.position_ids)
        offset = np.zeros(self.size("b"), int) + (0 if self.offset is None else np.array(self.offset))
        return offset[:, None] + np.arange(self.size("s"))

    def angles(self, positions):
        pairs = np.arange(self.rotated // 2)
        return positions[..., None] * THETA ** (-2 * pairs / self.rotated)


CASES = [
    Case("half"),
    Case("interleaved", interleaved=True),
    Case("sequence_outside_of_heads", layout="bshd", interleaved=True, offset=5),
    Case("head_size_outermost", layout="dhsb", rotary_dim=6),
    Case("part_of_the_head", rotary_dim=4, offset=(3, -2)),
    Case("part_interleaved", rotary_dim=2, interleaved=True, layout="bshd"),
    Case("far_away", offset=(100_000, 3_000_000), layout="bshd"),
    Case("ids", position_ids=((6, 0, 3, 3, 9, 1, 2), (0, 1, 2, 3, 4, 5, 100))),
    Case("ids_in_a_table", tables=2, position_ids=((6, 0, 3, 3, 8, 1, 2), (0, 1, 2, 3, 4, 5, 7)), interleaved=True),
    Case("offset_in_a_table", tables=2, offset=(2, 0)),
    Case("first_rows_of_a_table", tables=2),
    Case("rows", tables=3, rotary_dim=8, layout="bshd"),
    Case("f16", dtype="f16", offset=1000, interleaved=True),
    Case("f64", dtype="f64", rotary_dim=6, offset=17),
    Case("dynamic", dynamic=True, layout="bshd", offset=(4, 1), rotary_dim=8),
    Case("dynamic_ids", dynamic=True, tables=2, position_ids=((1, 1, 0), (8, 2, 1)), sizes={"s": 3}),
    Case("no_positions", sizes={"s": 0}),
]


def in_order(array, source, target):
    return array.transpose([source.index(axis) for axis in target])


def rotate(case, array, angles):
    """`array` in bhsd, in float64."""
    result, half = array.astype(np.float64), case.rotated // 2
    x, y = (slice(0, 2 * half, 2), slice(1, 2 * half, 2)) if case.interleaved else (slice(half), slice(half, 2 * half))
    turned = (result[..., x] + 1j * result[..., y]) * np.exp(1j * angles)[:, None]
    result[..., x], result[..., y] = turned.real, turned.imag
    return result


def program(case):
    sizes = ["?" if case.dynamic and axis != "d" else str(case.size(axis)) for axis in case.layout]
    x = f"tensor<{'x'.join(sizes)}x{case.dtype}>"
    arguments, clauses = {"x": x}, ["interleaved"] if case.interleaved else []
    if case.rotary_dim:
        clauses.append(f"rotary_dim({case.rotary_dim})")
    if case.tables:
        columns = case.rotated // 2
        table = f"9x{columns}" if case.tables == 2 else f"{case.size('b')}x{case.size('s')}x{columns}"
        for name in ("cos", "sin"):
            arguments[name] = f"tensor<{table}x{case.dtype}>"
            clauses.append(f"{name}(%{name} : {arguments[name]})")
    else:
        clauses.append(f"theta({THETA})")
    if case.position_ids is not None:
        arguments["ids"] = f"tensor<{len(case.position_ids)}x{len(case.position_ids[0])}xi64>"
        clauses.append(f"position_ids(%ids : {arguments['ids']})")
    if case.offset is not None:
        arguments["offset"] = "i64" if np.ndim(case.offset) == 0 else f"tensor<{len(case.offset)}xi64>"
        clauses.append(f"offset(%offset : {arguments['offset']})")
    signature = ", ".join(f'%{name}: {type_} {{mha.name = "{name}"}}' for name, type_ in arguments.items())
    dynamic = [number for number, size in enumerate(sizes) if size == "?"]
    lines = [f"%c{n} = arith.constant {n} : index\n%s{n} = tensor.dim %x, %c{n} : {x}" for n in dynamic]
    empty = f"%e = tensor.empty({', '.join(f'%s{n}' for n in dynamic)}) : {x}"
    op = f"%y = mha.rotary_embedding %x : {x}, {case.layout} {' '.join(clauses)} outs(%e : {x}) -> {x}"
    return "\n".join([f"func.func @main({signature}) -> {x} {{", *lines, empty, op, f"return %y : {x}", "}"])


def make_inputs(case):
    """The arguments, and the angles (B, S, R / 2) that they stand for."""
    dtype = TYPES[case.dtype]
    inputs = {"x": np.random.default_rng(1).standard_normal(case.shape).astype(dtype)}
    angles = case.angles(case.positions)
    if case.tables:
        whole = angles if case.tables == 3 else case.angles(np.arange(9))
        inputs |= {"cos": np.cos(whole).astype(dtype), "sin": np.sin(whole).astype(dtype)}
    if case.position_ids is not None:
        inputs["ids"] = np.array(case.position_ids)
    if case.offset is not None:
        inputs["offset"] = np.array(case.offset)
    return inputs, angles


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_rotation(case, mha_run, tmp_path):
    inputs, angles = make_inputs(case)
    expected = rotate(case, in_order(inputs["x"], case.layout, "bhsd"), angles)
    (found,) = run(program(case), inputs, 1, tmp_path)
    found = in_order(found, case.layout, "bhsd").astype(np.float64)
    # Two products of numbers that round, a sum, and the output: each number is off by its half unit. In f64 angles round.
    reach = 1 + np.abs(angles).max(initial=0) if case.dtype == "f64" else 1
    bound = 4 * EPSILON[case.dtype] * reach * np.abs(expected).max(initial=1) * np.sqrt(2)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max(initial=0) <= bound
    assert (found[..., case.rotated :] == expected[..., case.rotated :]).all()


@pytest.mark.parametrize("case", [case for case in CASES if case.dtype == "f32"], ids=lambda case: case.name)
def test_it_is_verified(case, mha_run, tmp_path):
    run(program(case), make_inputs(case)[0], 1, tmp_path, "--verify")


@pytest.mark.parametrize("position", [9, -1, 2**62])
def test_a_position_outside_of_the_table_is_seen(position, mha_run, tmp_path):
    """And its neighbours are right."""
    ids = ((0, 1, 2, position, 4, 5, 6), (0, 1, 2, 3, 4, 5, 6))
    case = Case("outside", tables=2, position_ids=ids)
    inputs, _ = make_inputs(case)
    (found,) = run(program(case), inputs, 1, tmp_path)
    isNaN = np.isnan(found)
    assert isNaN[0, :, 3].all()
    isNaN[0, :, 3] = False
    assert not isNaN.any()


def test_scores_depend_on_the_distance_only(mha_run, tmp_path):
    """What rotary embeddings are for: a query and a key that move together have the same product."""
    case = Case("near", offset=0)
    inputs, _ = make_inputs(case)
    inputs["x"][...] = inputs["x"][:, :, :1]  # one vector at all positions
    products = []
    for offset in (0, 1000):
        inputs["offset"] = np.array(offset)
        (found,) = run(program(case), inputs, 1, tmp_path / str(offset))
        products.append(np.einsum("bhid,bhjd->bhij", found, found))
    np.testing.assert_allclose(products[0], products[1], atol=1e-5)
    assert np.ptp(products[0]) > 1
