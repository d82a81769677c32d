"""Kernels called as a C program calls them: memory, threads, workspace, and what is in their objects.

The numbers of kernels are judged in `test_attention.py` too; here operands lie in memory of every kind, so that each
way into a kernel is taken: rows as expected, rows of any stride, elements that are not side by side.
"""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import oracle
import tolerance
from compiled import Function, compile_object, compile_program, llvm_tool, lower, poison, scattered, step
from runner import ROOT, run

WORKSPACE, THREADS = 6, 7
B, HQ, HKV, SQ, SK, D, DV = 2, 6, 2, 37, 51, 19, 21

CLAUSES = "mask<causal> align(end) lengths(%length : tensor<?xi64>) query_offset(%offset : i64)"
PROGRAM = f"""
func.func @kernel(%q: tensor<?x{HQ}x?x{D}xf32>, %k: tensor<?x{HKV}x?x{D}xf32>, %v: tensor<?x?x{HKV}x{DV}xf32>,
                  %length: tensor<?xi64>, %offset: i64) -> (tensor<?x?x{HQ}x{DV}xf32>, tensor<?x{HQ}x?xf32>) {{
  %o, %lse = mha.attention query(%q : tensor<?x{HQ}x?x{D}xf32>, bhsd) key(%k : tensor<?x{HKV}x?x{D}xf32>, bhsd)
    value(%v : tensor<?x?x{HKV}x{DV}xf32>, bshd) {CLAUSES}
    -> (tensor<?x?x{HQ}x{DV}xf32>, bshd, lse tensor<?x{HQ}x?xf32>)
  return %o, %lse : tensor<?x?x{HQ}x{DV}xf32>, tensor<?x{HQ}x?xf32>
}}
"""
MASKS = {"i1": np.bool_, "f16": np.float16, "f32": np.float32}
for element in MASKS:
    PROGRAM += f"""
func.func @masked_{element}(%q: tensor<{B}x{HQ}x{SQ}x{D}xf32>, %k: tensor<{B}x{HKV}x{SK}x{D}xf32>,
    %v: tensor<{B}x{HKV}x{SK}x{DV}xf32>, %m: tensor<{HQ}x{SQ}x{SK}x{element}>) -> tensor<{B}x{HQ}x{SQ}x{DV}xf32> {{
  %o = mha.attention query(%q : tensor<{B}x{HQ}x{SQ}x{D}xf32>, bhsd) key(%k : tensor<{B}x{HKV}x{SK}x{D}xf32>, bhsd)
    value(%v : tensor<{B}x{HKV}x{SK}x{DV}xf32>, bhsd) dense_mask(%m : tensor<{HQ}x{SQ}x{SK}x{element}>)
    -> tensor<{B}x{HQ}x{SQ}x{DV}xf32>
  return %o : tensor<{B}x{HQ}x{SQ}x{DV}xf32>
}}
"""


@pytest.fixture(scope="module")
def library(mha_run, tmp_path_factory):
    return compile_program(PROGRAM, tmp_path_factory.mktemp("kernels"))


class Kernel(Function):
    """@kernel: sizes of the static dimensions are no arguments of its workspace function."""

    def __init__(self, library):
        super().__init__(library, "kernel")

    def workspace(self, inputs, threads=1):
        q, k, v, length, _ = inputs
        dynamic = [np.empty(n) for n in ((q.shape[0], q.shape[2]), (k.shape[0], k.shape[2]), v.shape[:2], length.shape)]
        return super().workspace(dynamic, threads)


def contiguous(array, rng):
    return np.ascontiguousarray(array).copy()


def padded_rows(array, rng):
    """Elements side by side, everything else with gaps of poison."""
    memory = np.full([n + 3 for n in array.shape], poison(array.dtype), array.dtype)
    view = memory[tuple(slice(1, n + 1) for n in array.shape)]
    view[...] = array
    return view


PLACES = {"contiguous": contiguous, "padded_rows": padded_rows, "scattered": scattered}


def operands(rng):
    def normal(*shape):
        return rng.standard_normal(shape, np.float32)

    return normal(B, HQ, SQ, D), normal(B, HKV, SK, D), normal(B, HKV, SK, DV), np.array([SK - 8, 0])


def call(kernel, place, operands, rng, **options):
    q, k, v, length = operands
    inputs = [place(x, rng) for x in (q, k, v.transpose(0, 2, 1, 3), length)] + [np.int64(-30)]
    outputs = [place(np.zeros(s, np.float32), rng) for s in ((B, SQ, HQ, DV), (B, HQ, SQ))]
    return kernel(inputs, outputs, **options)


@pytest.mark.parametrize("place", PLACES)
def test_operands_in_any_memory(place, library):
    """A length of 0, rows without a key, and NaN in hidden keys and values among them."""
    rng = np.random.default_rng(7)
    q, k, v, length = operands(rng)
    expected = oracle.attention(q, k, v, causal=True, align="end", offset=-30, lengths=length)
    for b, n in enumerate(length):
        k[b, :, n:], v[b, :, n:] = np.nan, np.inf
    status, (output, lse) = call(Kernel(library), PLACES[place], (q, k, v, length), rng)
    assert status == 0
    for actual, wanted, largest in (
        (output.transpose(0, 2, 1, 3), expected.output, expected.largest_value),
        (lse, expected.lse, np.abs(expected.lse[np.isfinite(expected.lse)]).max()),
    ):
        wrong = tolerance.difference(actual, wanted, tolerance.single(largest))
        assert wrong is None, wrong


@pytest.mark.parametrize("element", MASKS)
@pytest.mark.parametrize("place", PLACES)
def test_dense_masks_in_any_memory(place, element, library):
    """In squares where keys are side by side, else one element after the other; keys left over in both."""
    rng = np.random.default_rng(17)
    q, k, _, _ = operands(rng)
    v = rng.standard_normal((B, HKV, SK, DV), np.float32)
    mask = rng.random((HQ, SQ, SK)) < 0.6
    mask[1, 5], mask[4, -1] = False, False
    if element != "i1":
        mask = np.where(mask, rng.standard_normal(mask.shape), -np.inf).astype(MASKS[element])
    inputs = [PLACES[place](x, rng) for x in (q, k, v, mask)]
    output = PLACES[place](np.zeros((B, HQ, SQ, DV), np.float32), rng)
    status, (found,) = Function(library, f"masked_{element}", dynamic=False)(inputs, [output])
    assert status == 0
    expected = oracle.attention(q, k, v, mask=mask)
    wrong = tolerance.difference(found, expected.output, tolerance.single(expected.largest_value))
    assert wrong is None, wrong


@pytest.mark.parametrize("place", PLACES)
def test_threads_never_change_a_bit(place, library):
    rng = np.random.default_rng(8)
    operands_ = operands(rng)
    results = [call(Kernel(library), PLACES[place], operands_, rng, threads=n) for n in (1, 2, 3, 7)]
    assert all(status == 0 for status, _ in results)
    assert len({tuple(x.tobytes() for x in values) for _, values in results}) == 1


def test_workspace_grows_with_threads(library):
    inputs = [np.empty((B, HQ, SQ, D)), np.empty((B, HKV, SK, D)), np.empty((B, SK, HKV, DV)), np.empty(B), None]
    one, two, many = (Kernel(library).workspace(inputs, n) for n in (1, 2, 1000))
    # At least Q, O and one block of scores of one item; at most what a second-level cache holds.
    assert 4 * 8 * (D + DV + 8) <= one <= 2**20
    assert two == 2 * one and many == 1000 * one


@pytest.mark.parametrize(
    "threads, share, status",
    [(1, 0, WORKSPACE), (1, 1 - 1e-6, WORKSPACE), (3, 2 / 3, WORKSPACE), (0, 1, THREADS), (-2, 1, THREADS), (3, 1, 0)],
)
def test_what_the_caller_gives_is_checked(threads, share, status, library):
    rng = np.random.default_rng(9)
    operands_ = operands(rng)
    q, k, v, length = operands_
    needed = Kernel(library).workspace([q, k, v.transpose(0, 2, 1, 3), length, None], max(threads, 1))
    found, _ = call(Kernel(library), contiguous, operands_, rng, threads=threads, size=int(needed * share))
    assert found == status


# Objects


def test_undefined_symbols(mha_run, tmp_path):
    """What a compiled program asks of the one that links it."""
    code = compile_object(PROGRAM, tmp_path / "program.o")
    names = set(step([llvm_tool("llvm-nm"), "--undefined-only", "--format=just-symbols", code]).decode().split())
    listed = (Path(__file__).parent / "undefined_symbols.txt").read_text().splitlines()
    assert names <= {line.split()[0] for line in listed if line and not line.startswith("#")}
    assert "mha_parallel_for" in names


def layer(depth, clauses, sizes="1x1x2048"):
    t = f"tensor<{sizes}x{depth}xf32>"
    return f"""func.func @f(%q: {t}, %k: {t}, %v: {t}) -> {t} {{
      %o = mha.attention query(%q : {t}, bhsd) key(%k : {t}, bhsd) value(%v : {t}, bhsd) {clauses} -> {t}
      return %o : {t}
    }}"""


# With 16 registers LLVM reloads constants of the exponentials: there the two micro-kernels alone, 6 x 2 accumulators in 2 steps,
# have to fit.
MICRO_KERNEL_ONLY = {"x86-64-v3": 24}


@pytest.mark.parametrize(
    "cpu, clauses",
    [("x86-64-v3", ""), ("x86-64-v3", "mask<causal>"), ("x86-64-v4", ""), ("x86-64-v4", "mask<causal>"), ("znver4", ""), ("znver4", "mask<causal>")],
)
@pytest.mark.parametrize("depth", (64, 128))
def test_innermost_loops_do_not_spill(cpu, clauses, depth, mha_run):
    """No vector register: of the addresses of eight rows one may be reloaded."""
    target = [f"-mcpu={cpu}", "-mtriple=x86_64-unknown-linux-gnu"]
    ir = step([llvm_tool("mlir-translate"), "--mlir-to-llvmir"], lower(layer(depth, clauses), cpu))
    text = step([llvm_tool("llc"), "-O3", *target], step([llvm_tool("opt"), "-O3", *target], ir)).decode()
    # Where nothing jumps to a block it has no label but a comment.
    blocks = re.split(r"^(?:\.LBB\w+:|# %bb\.\d+:)", text, flags=re.M)
    loops = [block for block in blocks if "This Inner Loop Header" in block]
    wanted = MICRO_KERNEL_ONLY.get(cpu)
    kernels = [x for x in loops if (x.count("vfmadd") == wanted if wanted else x.count("vfmadd") >= 12)]
    assert len(kernels) >= 2, "QK and PV"
    for block in kernels:
        assert not re.search(r"(16|32|64)-byte .*(Spill|Reload)", block), block


def test_equal_layers_share_a_kernel(mha_run):
    t = "tensor<1x4x64x32xf32>"
    text = f"func.func @main(%x0: {t}) -> {t} {{\n"
    for i in range(32):
        text += f"%x{i + 1} = mha.attention query(%x{i} : {t}, bhsd) key(%x{i} : {t}, bhsd) value(%x{i} : {t}, bhsd) -> {t}\n"
    kernels = re.findall(r"llvm\.func internal @(mha_attention\w+)\(.*mha\.kernel", lower(f"{text} return %x32 : {t} }}").decode())
    # The other one is for a caller whose arguments have rows of another stride.
    assert len(kernels) == 2 and sum(name.endswith("_strided") for name in kernels) == 1


def test_openmp_threads_never_change_a_bit(mha_run, tmp_path):
    rng = np.random.default_rng(10)
    inputs = {name: rng.standard_normal((1, 3, 200, 40), np.float32) for name in "qkv"}
    program = layer(40, "mask<causal>", "1x3x200").replace("@f", "@main")
    one, *others = (run(program, inputs, 1, tmp_path / str(n), f"--threads={n}")[0] for n in (1, 2, 5))
    assert all(other.tobytes() == one.tobytes() for other in others)


def example(name):
    return (ROOT / "docs" / "examples" / name).read_text()


def test_long_sequences_need_no_memory(mha_run, tmp_path):
    """Rows at both ends and at the edges of blocks, against the oracle; memory and allocations of the same call."""
    rng = np.random.default_rng(11)
    inputs = {name: rng.standard_normal((1, 1, 32768, 64), np.float32) for name in ("query", "key", "value")}
    report = tmp_path / "report.json"
    (output,) = run(example("attention_long_32768.mlir"), inputs, 1, tmp_path, "--json", report=report)
    said = json.loads(report.read_text())
    assert said["peak_bytes"] <= 8 * 2**20 and said["alloc_calls"] == 0
    assert said["attention"]["fused"] == 1 and not said["attention"]["not_fused"]
    for row in (0, 1, 31, 32, 127, 128, 16000, 32767):
        q, k, v = (inputs[name] for name in ("query", "key", "value"))
        expected = oracle.attention(q[:, :, row : row + 1], k[:, :, : row + 1], v[:, :, : row + 1])
        wrong = tolerance.difference(output[:, :, row : row + 1], expected.output, tolerance.single(expected.largest_value))
        assert wrong is None, f"row {row}: {wrong}"


def test_packed_projection_is_read_in_place(mha_run, tmp_path):
    """Two buffers, for the projection and for what attention gives to the next one, and none more."""
    rng = np.random.default_rng(12)
    shapes = dict(x=(100, 512), wqkv=(512, 768), wo=(512, 512))
    inputs = {name: rng.standard_normal(shape, np.float32) / 16 for name, shape in shapes.items()}
    report = tmp_path / "report.json"
    run(example("layer_packed_qkv.mlir"), inputs, 1, tmp_path, "--verify", "--json", report=report)
    said = json.loads(report.read_text())
    assert said["alloc_calls"] <= 2 and said["attention"]["fused"] == 1
    kernel = said["attention"]["kernels"][0]["name"]
    assert kernel.startswith("mha_attention_bshd_g4_d64") and not kernel.endswith("_strided")
