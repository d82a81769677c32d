"""As `test_shared_cases.py`, of what a single call of `mha-run` does not show: one binary for several
sizes, memory of other strides, repetition, sizes beyond memory, refusals.
"""

import ctypes
import functools
import itertools
import json
import re
import subprocess

import numpy as np
import pytest

import paths
import tolerance
from compiled import Function, compile_program, lower
from runner import BUILD, ROOT, run, run_many
from test_shared_cases import agree, agree_single, formula, normal

few_paths = pytest.mark.parametrize("path", paths.FEW)
all_paths = pytest.mark.parametrize("path", paths.OPTIONS)


def attention(q, k, v, o, clauses="", layout="bhsd"):
    """A function of tensors of these types."""
    return f"""
func.func @main(%q: {q}, %k: {k}, %v: {v}) -> {o} {{
  %o = mha.attention query(%q : {q}, {layout}) key(%k : {k}, {layout}) value(%v : {v}, {layout}) {clauses} -> {o}
  return %o : {o}
}}
"""


def opt(text, *flags):
    """(exit status, what `mha-opt` says) for a text."""
    command = [BUILD / "bin" / "mha-opt", *flags]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stderr


def refused(text, *flags):
    """The sentence with which a text is refused: by a diagnostic, and not by an abort."""
    status, said = opt(text, *flags)
    assert status == 1, f"exit status {status}: {said[-2000:]}"
    sentence = re.search(r"error: .+", said)
    assert sentence, said[-2000:]
    return sentence[0]


# ---- One binary


RANK_3 = """
func.func @main(%q: tensor<?x?x?xf32>, %k: tensor<?x?x?xf32>, %v: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %q, %c0 : tensor<?x?x?xf32>
  %n = tensor.dim %q, %c1 : tensor<?x?x?xf32>
  %m = tensor.dim %k, %c1 : tensor<?x?x?xf32>
  %d = tensor.dim %q, %c2 : tensor<?x?x?xf32>
  %e = tensor.dim %v, %c2 : tensor<?x?x?xf32>
  %q4 = tensor.expand_shape %q [[0, 1], [2], [3]] output_shape [%b, 1, %n, %d] : tensor<?x?x?xf32> into tensor<?x1x?x?xf32>
  %k4 = tensor.expand_shape %k [[0, 1], [2], [3]] output_shape [%b, 1, %m, %d] : tensor<?x?x?xf32> into tensor<?x1x?x?xf32>
  %v4 = tensor.expand_shape %v [[0, 1], [2], [3]] output_shape [%b, 1, %m, %e] : tensor<?x?x?xf32> into tensor<?x1x?x?xf32>
  %o = mha.attention query(%q4 : tensor<?x1x?x?xf32>, bhsd) key(%k4 : tensor<?x1x?x?xf32>, bhsd)
    value(%v4 : tensor<?x1x?x?xf32>, bhsd) -> tensor<?x1x?x?xf32>
  %r = tensor.collapse_shape %o [[0, 1], [2], [3]] : tensor<?x1x?x?xf32> into tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}
"""


@all_paths
def test_s01_all_sizes_dynamic(path, mha_run, tmp_path):
    """iree-org/iree #23277: the compiler crashes when all three operands are fully dynamic."""
    runs = []
    for q, k, v in (((2, 7, 16), (2, 5, 16), (2, 5, 16)), ((1, 1, 1),) * 3):
        runs.append(dict(q=normal(1, *q), k=normal(2, *k), v=normal(3, *v)))
    found = run_many(RANK_3, runs, 1, tmp_path, *paths.flags(path))
    for (output,), inputs in zip(found, runs):
        expected = formula(*(x[:, None] for x in inputs.values()))[:, 0]
        agree_single(output, expected, inputs["v"])


@few_paths
def test_s33_repetition_and_threads_change_no_bit(path, mha_run, tmp_path):
    """ROCm/triton #953: the output differs from run to run."""
    q, kv = "tensor<1x4x?x16xf32>", "tensor<1x2x?x16xf32>"
    program = attention(q, kv, kv, q, "mask<causal> align(bottom_right)")
    inputs = dict(q=normal(1, 1, 4, 37, 16), k=normal(2, 1, 2, 53, 16), v=normal(3, 1, 2, 53, 16))
    found = set()
    for threads in ("--threads=1", "--threads=2", None):
        flags = [*paths.flags(path), *filter(None, [threads])]
        found |= set(repeat(program, inputs, 1000, tmp_path / str(threads), *flags))
    assert len(found) == 1


def repeat(program, inputs, times, folder, *flags):
    """The bytes of the output of each of `times` calls of one compiled program."""
    folder.mkdir()
    for name, array in inputs.items():
        np.save(folder / f"{name}.npy", array)
    common = [f"--input={name}=@{folder}/{name}.npy" for name in inputs]
    (folder / "runs.txt").write_text("".join(f"--output=@{folder}/{n}.npy\n" for n in range(times)))
    (folder / "program.mlir").write_text(program)
    command = [BUILD / "bin" / "mha-run", folder / "program.mlir", *common, f"--runs={folder}/runs.txt", *flags]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    return [(folder / f"{n}.npy").read_bytes() for n in range(times)]


# ---- Memory


def inner_stride_2(x):
    memory = np.full([*x.shape[:3], 2 * x.shape[3]], np.nan, np.float32)
    memory[..., ::2] = x
    return memory[..., ::2]


def heads_inside(x):
    """Memory in the order (B, N, H, D)."""
    return np.ascontiguousarray(x.transpose(0, 2, 1, 3)).transpose(0, 2, 1, 3)


def offset_3(x):
    memory = np.full(x.size + 3, np.nan, np.float32)
    memory[3:] = x.ravel()
    return memory[3:].reshape(x.shape)


def stride_7_of_one(x):
    """Dimensions of size 1 have a stride of 7 elements."""
    strides = [28 if n == 1 else s for n, s in zip(x.shape, x.strides)]
    return np.lib.stride_tricks.as_strided(x.copy(), x.shape, strides)


PLACES = dict(inner_stride_2=inner_stride_2, heads_inside=heads_inside, offset_3=offset_3, stride_7_of_one=stride_7_of_one)
SIZES = dict(several=(2, 3, 5, 7, 8, 6), ones=(1, 1, 5, 7, 8, 6))


@pytest.fixture(scope="module")
def strided(mha_run, tmp_path_factory):
    """For a path: a function of dynamic sizes, but for D and Dv."""
    q, k, v, o = (f"tensor<?x?x?x{d}xf32>" for d in (8, 8, 6, 6))

    @functools.cache
    def library(path):
        folder = tmp_path_factory.mktemp(path)
        return compile_program(attention(q, k, v, o), folder, options=paths.pipeline_options(path))

    return library


@few_paths
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("place", PLACES)
def test_s34_memory_that_is_not_contiguous(place, sizes, path, strided):
    """pytorch/pytorch PR 187506, #127523: an inner stride other than 1 gives wrong numbers."""
    b, h, n, m, d, e = SIZES[sizes]
    inputs = normal(1, b, h, n, d), normal(2, b, h, m, d), normal(3, b, h, m, e)
    function = Contiguous(strided(path), "main")
    status, (plain,) = function(inputs, [np.zeros((b, h, n, e), np.float32)])
    assert status == 0
    agree_single(plain, formula(*inputs), inputs[2])
    moved = [PLACES[place](x) for x in inputs]
    output = PLACES[place](np.zeros((b, h, n, e), np.float32))
    status, (found,) = function(moved, [output])
    assert status == 0 and np.array_equal(found, plain)


class Contiguous(Function):
    """D and Dv are static, and no arguments of the workspace function."""

    def workspace(self, inputs, threads=1):
        return super().workspace([np.empty(x.shape[:3], np.uint8) for x in inputs], threads)


def sparse(path, shape, strides):
    """An array whose elements are far apart, in a file that takes no space for what is between."""
    size = sum((n - 1) * s for n, s in zip(shape, strides)) + 1
    memory = np.memmap(path, np.float32, "w+", shape=(size,))
    return np.lib.stride_tricks.as_strided(memory, shape, [4 * s for s in strides])


@few_paths
def test_s37_offsets_beyond_32_bits(path, strided, tmp_path):
    """microsoft/onnxruntime #32299: an index of 32 bits wraps behind 2^31 elements."""
    q, v = normal(1, 1, 1, 3, 8), normal(3, 1, 1, 4, 6)
    strides = [8, 8, 2**30 + 8, 1]  # the last key begins behind element 3 * 2^30
    key = sparse(tmp_path / "keys", (1, 1, 4, 8), strides)
    key[...] = normal(2, 1, 1, 4, 8)
    output = np.full((1, 1, 3, 6), np.nan, np.float32)
    status = call_where_it_lies(strided(path), (q, key, v), output)
    assert status == 0
    agree_single(output, formula(q, key, v), v)


def call_where_it_lies(library, inputs, output):
    """As `Function`, without its copies of whole memories: the status."""
    function = Contiguous(library, "main")
    size = function.workspace(inputs)
    scratch = np.zeros(size + 1, np.uint8)
    arrays = [
        (ctypes.c_int64 * (3 + 2 * x.ndim))(0, x.ctypes.data, 0, *x.shape, *(n // 4 for n in x.strides))
        for x in (*inputs, output)
    ]
    more = ctypes.c_void_p(scratch.ctypes.data), ctypes.c_int64(size), ctypes.c_int32(1)
    return function.find()(*map(ctypes.byref, arrays), *more)


@all_paths
def test_s37_index_type_of_large_problems(path, mha_run):
    """microsoft/onnxruntime #32299: 2^32 elements, compiled only: no index of 32 bits."""
    t = "tensor<4x64x131072x128xf32>"
    text = lower(attention(t, t, t, t), options=paths.pipeline_options(path)).decode()
    assert not re.search(r"llvm\.trunc .* : i64 to i32", text)


@few_paths
def test_s37_sizes_beyond_memory(path, mha_run, tmp_path):
    """microsoft/onnxruntime #32299: a number of bytes near 2^63 is refused in a sentence."""
    t = "tensor<?x1x?x64xf32>"
    (tmp_path / "program.mlir").write_text(attention(t, t, t, t))
    for batch, length in ((2**31, 2**24), (2**32, 2**25), (2**40, 2**40)):
        large = f"--input=q={batch}x1x{length}x64xf32=const:0"
        command = [BUILD / "bin" / "mha-run", tmp_path / "program.mlir", large, *paths.flags(path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 1 and "error: " in done.stderr, done.stderr[-2000:]


@pytest.mark.parametrize("path, element", (("fast", "f32"), ("general", "bf16")))
def test_s12_padding_mask_needs_no_square_memory(path, element, mha_run, tmp_path):
    """tenstorrent/tt-xla #4780 / PR 5609: a boolean mask leads to scores of n x n in memory.

    Kernels take f32 alone; bf16 is what was reported.
    """
    t, mask = f"tensor<1x2x8192x64x{element}>", "tensor<1x1x1x8192xi1>"
    program = attention(t, t, t, t, f"dense_mask(%m : {mask})").replace(") ->", f", %m: {mask}) ->", 1)
    inputs = {name: normal(n, 1, 2, 8192, 64, element=element) for n, name in enumerate("qkv")}
    inputs["m"] = np.arange(8192)[None, None, None] < 5000
    report = tmp_path / "report.json"
    (output,) = run(program, inputs, 1, tmp_path, "--json", *paths.flags(path), report=report)
    said = json.loads(report.read_text())
    # A square of one byte for each score of one head would be 64 MiB.
    assert said["peak_bytes"] <= 16 * 2**20
    assert said["attention"]["fused"] == (path == "fast")
    rows = [0, 1, 127, 4096, 8191]
    expected = formula(inputs["q"][:, :, rows], inputs["k"], inputs["v"], shown=inputs["m"])
    largest = np.abs(inputs["v"]).max()
    bound = tolerance.single(largest) if element == "f32" else tolerance.rounded_weights(element, largest)
    agree(output[:, :, rows], expected, bound)


# ---- What is wrong or odd


Q = "tensor<1x2x3x4xf32>"


def with_clauses(clauses, layout="bhsd"):
    return attention(Q, Q, Q, Q, clauses, layout)


SCHEDULE = dict(block_q=16, block_g=1, block_k=16, lanes=8, qk_rows=4, pv_rows=4, vectors=1, unroll=1, prefetch="false")


def schedule(**changed):
    fields = ", ".join(f"{name} = {value}" for name, value in (SCHEDULE | changed).items())
    return f"schedule(#mha.cpu_schedule<{fields}>)"


def test_s20_mask_of_batches_without_heads_is_refused(mha_run):
    """openvinotoolkit/openvino PR 21217: (B, Nq, Nk) with B unlike H is no mask, and no guess is made."""
    q, mask = "tensor<2x3x4x6xf32>", "tensor<2x4x4xi1>"
    text = attention(q, q, q, q, f"dense_mask(%m : {mask})").replace(") ->", f", %m: {mask}) ->", 1)
    assert "dense_mask" in refused(text)


LARGE = 2**63
BAD_CLAUSES = [
    "mask<window<-1, 0>>", "mask<window<0, -1>>", f"mask<window<{LARGE}, 0>>", "mask<window<1>>", "mask<>",
    "mask<causal, causal>", "mask<diagonal>", "mask<1>", "align(top)", "align()", "align(1)", "mask<causal> align(explicit)",
    "bias<>", "bias<alibi>", "bias<relative>", "bias<relative, origin = 1.5>", f"bias<relative, origin = {LARGE}>", "bias<none>",
    "scale(inf)", "scale(0x7FF0000000000000)", "scale(1.0e+300)", "scale()", "scale(true)",
    "softcap(0.0)", "softcap(-1.0)", "softcap(0x7FF8000000000000)", "softcap()",
    "schedule(#mha.cpu_schedule<>)", "schedule(1)", "schedule([])", "schedule(#mha.when<>)",
    *(schedule(**{name: n}) for name in SCHEDULE if name != "prefetch" for n in (0, -1, LARGE, "x")),
    schedule(prefetch=2), schedule(lanes=3), schedule(block_k=1 << 40), schedule(block_q=1 << 40), schedule(unroll=7),
]


@pytest.mark.parametrize("clauses", BAD_CLAUSES)
def test_s43_bad_attributes_are_refused(clauses, mha_run):
    """llvm/llvm-project #203219: an attribute that is built with bad values asserts."""
    refused(with_clauses(clauses))


@pytest.mark.parametrize("layout", ("", "bhs", "bhsdd", "bhsx", "bhkgsd", "bksd", "BHSD", "1"))
def test_s43_bad_layouts_are_refused(layout, mha_run):
    """llvm/llvm-project #203219: the same for the letters of a layout."""
    refused(with_clauses("", layout))


DECLARED = "func.func private @f(tensor<?xf32>) -> tensor<?xf32>"
ODD_MODULES = dict(
    empty="",
    declarations=f"{DECLARED}\nfunc.func private @g()",
    no_result="func.func @main() { return }",
    nested=f"module {{ module @a {{ {DECLARED} }} module @b {{ }} }}",
    nested_twice="module { module { module { func.func @main() { return } } } }",
    llvm_declaration="llvm.func @f(!llvm.ptr) -> i32",
)


def passes():
    """The passes of the project, as their documentation lists them, and its pipelines by path."""
    pages = (ROOT / "docs" / "generated").glob("*Passes.md")
    names = itertools.chain(*(re.findall(r"^### `-(\S+)`", page.read_text(), re.M) for page in pages))
    pipelines = [f"mha-cpu-pipeline={options}" if options else "mha-cpu-pipeline" for options in paths.OPTIONS.values()]
    return sorted(names) + pipelines + ["mha-reference-pipeline"]


@pytest.mark.parametrize("module", ODD_MODULES)
def test_s43_odd_modules_go_through_every_pass(module, mha_run):
    """llvm/llvm-project #203210: a pass walks into a function that has no body."""
    assert len(passes()) >= 20
    for name in passes():
        status, said = opt(ODD_MODULES[module], f"--{name}")
        assert status == 0 or (status == 1 and "error: " in said), f"{name}: exit status {status}: {said[-2000:]}"
