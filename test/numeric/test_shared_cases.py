"""Failures that users of other attention implementations have reported, as small tests.

One test for each; its docstring cites the report. What is expected comes from the case itself:
literal numbers, equal bits, or the formula below, never from another path of the compiler.
"""

import numpy as np
import pytest

import emit
import paths
import tolerance
from case import Case
from runner import run, run_many
from storage import stored

all_paths = pytest.mark.parametrize("path", paths.OPTIONS)
few_paths = pytest.mark.parametrize("path", paths.FEW)


# ---- What a test is made of


def normal(seed, *shape, element="f32"):
    return stored(np.random.default_rng(seed).standard_normal(shape), element)


def operands(case):
    """query, key, value, all normal."""
    b, hq, hkv = case.batch, case.query_heads, case.key_heads
    return (
        normal(1, b, hq, case.queries, case.depth, element=case.dtype),
        normal(2, b, hkv, case.keys, case.depth, element=case.dtype),
        normal(3, b, hkv, case.keys, case.value_depth, element=case.dtype),
    )


def sized(b, hq, hkv, sq, sk, d, dv, **rest):
    return Case("shared", b, hq, hkv, sq, sk, d, dv, **rest)


def attend(case, path, folder, arrays, *flags, target="native", **others):
    """The output of the compiled program of `case`; `others` are operands by name."""
    inputs = emit.inputs(case, arrays) | others
    flags = *paths.flags(path, target), *flags
    (output,) = run(emit.module(case), inputs, 1, folder, *flags)
    return emit.from_layout(output, case.layouts[3])


def attend_many(cases, path, folder, arrays, others=None):
    """As `attend`, for cases of one program, which is compiled once: a list of outputs."""
    (program,) = {emit.module(case) for case in cases}
    others = others or [{}] * len(cases)
    inputs = [emit.inputs(*of) | more for *of, more in zip(cases, arrays, others)]
    found = run_many(program, inputs, 1, folder, *paths.flags(path))
    return [emit.from_layout(output, case.layouts[3]) for (output,), case in zip(found, cases)]


def formula(query, key, value, shown=True, added=0.0, scale=None):
    """softmax(scale Q K^T + added) V in float64 over the keys that are shown; 0 without one."""
    query, key, value = (np.asarray(x, np.float64) for x in (query, key, value))
    group = query.shape[1] // key.shape[1]
    key, value = np.repeat(key, group, axis=1), np.repeat(value, group, axis=1)
    scale = 1 / np.sqrt(query.shape[3]) if scale is None else scale
    score = scale * (query @ np.swapaxes(key, 2, 3)) + added
    shown = np.broadcast_to(shown, score.shape)
    top = np.max(score, axis=3, keepdims=True, where=shown, initial=-1e300)
    weight = np.where(shown, np.exp(np.where(shown, score - top, 0)), 0)
    return weight @ value / np.maximum(weight.sum(axis=3, keepdims=True), 1e-300)


def agree(actual, expected, bound):
    wrong = tolerance.difference(actual, expected, bound)
    assert wrong is None, wrong


def agree_single(actual, expected, value):
    agree(actual, expected, tolerance.single(np.abs(value).max()))


def same_bits(one, other):
    assert one.dtype == other.dtype and one.tobytes() == other.tobytes()


def weights(case, path, folder, mask=None):
    """The weight of each key, (Sq, Sk): equal logits and one-hot values."""
    query = np.zeros((1, 1, case.queries, case.depth), np.float32)
    value = np.eye(case.keys, dtype=np.float32)[None, None]
    others = {} if mask is None else dict(mask=mask)
    key = normal(2, 1, 1, case.keys, case.depth)
    return attend(case, path, folder, (query, key, value), **others)[0, 0]


def one_head(sq, sk, **rest):
    """Of `weights`."""
    return sized(1, 1, 1, sq, sk, 5, sk, **rest)


def shares(shown):
    """Equal weights for the keys that each row is shown."""
    shown = np.asarray(shown, np.float64)
    return shown / np.maximum(shown.sum(axis=1, keepdims=True), 1)


# ---- Sizes


@few_paths
@pytest.mark.parametrize("target", ("native", "x86-64"))
@pytest.mark.parametrize("sizes", ((1, 2, 2, 4, 3, 1, 1), (1, 1, 1, 1, 10, 4, 4)), ids=("depth_1", "keys_10"))
def test_s04_smallest_sizes(sizes, target, path, mha_run, tmp_path):
    """iree-org/iree #24319, #15126: no tile size for D = 1; 1 x 10 does not compile."""
    case = sized(*sizes)
    arrays = operands(case)
    output = attend(case, path, tmp_path, arrays, target=target)
    agree_single(output, formula(*arrays), arrays[2])


@all_paths
@pytest.mark.parametrize(
    "sizes",
    ((1, 1, 1, 1001, 503, 16, 8), (1, 2, 1, 9, 9, 128, 128), (1, 2, 1, 12, 12, 128, 128)),
    ids=("1001x503", "9", "12"),
)
def test_s31_lengths_off_the_tile(sizes, path, mha_run, tmp_path):
    """thu-ml/SageAttention PR 377: the rest of the last tile is garbage, and 0 * NaN is NaN.

    What `mha-run` puts around every buffer is NaN.
    """
    case = sized(*sizes)
    arrays = operands(case)
    output = attend(case, path, tmp_path, arrays)
    agree_single(output, formula(*arrays), arrays[2])


@few_paths
@pytest.mark.parametrize("depths", ((24, 40), (40, 24), (80, 96), (96, 80), (111, 64)))
def test_s41_head_sizes_that_are_no_power_of_two(depths, path, mha_run, tmp_path):
    """pytorch/pytorch #133321: D = 96 is refused. The scale is that of D, not of a padded size.

    33 queries as at a prompt, and one as in decoding.
    """
    cases = [sized(2, 4, 2, queries, 37, *depths, dynamic="seq") for queries in (33, 1)]
    arrays = [operands(case) for case in cases]
    for output, (query, key, value) in zip(attend_many(cases, path, tmp_path, arrays), arrays):
        agree_single(output, formula(query, key, value, scale=depths[0] ** -0.5), value)


EMPTY = dict(
    keys=(2, 4, 2, 3, 0, 5, 4),
    queries=(2, 4, 2, 0, 7, 5, 4),
    batch=(0, 4, 2, 3, 7, 5, 4),
    heads=(2, 0, 2, 3, 7, 5, 4),
)


def empty_cases(causal, dynamic):
    rest = dict(causal=True, align="bottom_right") if causal else {}
    return {name: sized(*sizes, dynamic=dynamic, **rest) for name, sizes in EMPTY.items()}


def check_empty(case, output):
    assert output.shape == (case.batch, case.query_heads, case.queries, case.value_depth)
    assert (output == 0).all()


@few_paths
@pytest.mark.parametrize("causal", (False, True), ids=("full", "causal"))
@pytest.mark.parametrize("empty", EMPTY)
def test_s36_static_sizes_of_zero(empty, causal, path, mha_run, tmp_path):
    """Dao-AILab/flash-attention PR 2470: division by zero, or an illegal instruction, for Nk = 0."""
    case = empty_cases(causal, "static")[empty]
    check_empty(case, attend(case, path, tmp_path, operands(case)))


@all_paths
@pytest.mark.parametrize("causal", (False, True), ids=("full", "causal"))
def test_s36_dynamic_sizes_of_zero(causal, path, mha_run, tmp_path):
    """Dao-AILab/flash-attention PR 2470: the same where sizes are known at run time only."""
    cases = empty_cases(causal, "all").values()
    outputs = attend_many(cases, path, tmp_path, [operands(case) for case in cases])
    for case, output in zip(cases, outputs):
        check_empty(case, output)


# ---- Masks


@all_paths
def test_s15_rows_without_a_key(path, mha_run, tmp_path):
    """pytorch/pytorch #103963, iree-org/iree #24175 / PR 24178: NaN, or a float mask differs.

    The scale, 1/4, is exact: it may be multiplied into the score or into a difference of scores.
    """
    case = sized(1, 1, 1, 8, 8, 16, 4, mask="11qk", types=dict(mask="i1"))
    arrays = operands(case)
    live = np.zeros((1, 1, 8, 8), bool)
    live[..., :4, :4] = True
    output = attend(case, path, tmp_path / "bool", arrays, mask=live)
    assert (output[:, :, 4:] == 0).all()
    agree_single(output, formula(*arrays, shown=live), arrays[2])
    added = np.where(live, 0, -np.inf).astype(np.float32)
    case = sized(1, 1, 1, 8, 8, 16, 4, mask="11qk")
    same_bits(attend(case, path, tmp_path / "float", arrays, mask=added), output)


@all_paths
def test_s16_causal_anchor(path, mha_run, tmp_path):
    """onnx/onnx #8054 / PR 8068, ml-explore/mlx #2835: the diagonal is at the wrong corner."""
    i, j = np.indices((3, 7))
    for align, shown in dict(top_left=j <= i, bottom_right=j <= i + 4).items():
        case = one_head(3, 7, causal=True, align=align)
        agree_single(weights(case, path, tmp_path / align), shares(shown), 1)


@all_paths
def test_s16_causal_and_a_mask_that_empties_a_row(path, mha_run, tmp_path):
    """onnx/onnx #8054, tinygrad/tinygrad PR 15949: causal and a boolean mask compose to NaN."""
    i, j = np.indices((3, 7))
    mask = (i != 1) & (j != 2)
    case = one_head(3, 7, causal=True, align="bottom_right", mask="qk", types=dict(mask="i1"))
    found = weights(case, path, tmp_path, mask)
    assert (found[1] == 0).all()
    agree_single(found, shares(mask & (j <= i + 4)), 1)


@all_paths
def test_s16_anchors_coincide_in_a_square(path, mha_run, tmp_path):
    """onnx/onnx #8054: where Nq = Nk both corners mean the same."""
    found = [
        attend(case, path, tmp_path / case.align, operands(case))
        for case in (sized(2, 4, 2, 9, 9, 5, 4, causal=True, align=a) for a in ("top_left", "bottom_right"))
    ]
    same_bits(*found)


@few_paths
@pytest.mark.parametrize("sizes", ((7, 3), (239, 1), (799, 3)))
def test_s17_more_queries_than_keys(sizes, path, mha_run, tmp_path):
    """Dao-AILab/flash-attention #1778, #517: zeros at the top belong to bottom_right alone."""
    i, j = np.indices(sizes)
    ahead = sizes[1] - sizes[0]
    case = one_head(*sizes, causal=True, align="bottom_right")
    found = weights(case, path, tmp_path / "bottom_right")
    assert (found[:-ahead] == 0).all() and (found[-ahead:].sum(axis=1) > 0.5).all()
    agree_single(found, shares(j <= i + ahead), 1)
    found = weights(one_head(*sizes, causal=True, align="top_left"), path, tmp_path / "top_left")
    assert (found.sum(axis=1) > 0.5).all()
    agree_single(found, shares(j <= i), 1)


@few_paths
@pytest.mark.parametrize("element", ("i1", "f32"), ids=("bool", "float"))
@pytest.mark.parametrize("hidden", (np.nan, np.inf, 1e10))
def test_s18_hidden_keys_and_values_have_no_influence(hidden, element, path, mha_run, tmp_path):
    """pytorch/pytorch #101967: a NaN at a masked place reaches the output."""
    case = sized(1, 1, 1, 2, 2, 4, 4, mask="k", types=dict(mask=element))
    query, key, value = operands(case)
    key[:, :, 1] = value[:, :, 1] = hidden
    mask = np.array([True, False]) if element == "i1" else np.array([0, -np.inf], np.float32)
    output = attend(case, path, tmp_path / "hidden", (query, key, value), mask=mask)
    without = query, key[:, :, :1], value[:, :, :1]
    alone = attend(sized(1, 1, 1, 2, 1, 4, 4), path, tmp_path / "deleted", without)
    same_bits(output, alone)
    agree_single(output, formula(*without), value[:, :, :1])


@few_paths
def test_s19_a_mask_that_hides_nothing(path, mha_run, tmp_path):
    """openvinotoolkit/openvino #31630: an all-true mask gives another result than none."""
    case = sized(2, 4, 4, 8, 8, 16, 16)
    arrays = operands(case)
    plain = attend(case, path, tmp_path / "none", arrays)
    case = sized(2, 4, 4, 8, 8, 16, 16, mask="bhqk", types=dict(mask="i1"))
    mask = np.ones((2, 4, 8, 8), bool)
    same_bits(attend(case, path, tmp_path / "all", arrays, mask=mask), plain)
    agree_single(plain, formula(*arrays), arrays[2])


@few_paths
@pytest.mark.parametrize("axes", ("k", "qk", "h1k", "11qk", "b11k", "1hq1"))
def test_s20_mask_shapes_are_broadcast(axes, path, mha_run, tmp_path):
    """openvinotoolkit/openvino PR 21217: a mask is taken for one of rank 4 and full sizes."""
    sizes = 2, 3, 1, 4, 5, 6, 7
    case = sized(*sizes, mask=axes, types=dict(mask="i1"))
    arrays = operands(case)
    mask = np.random.default_rng(4).random([dict(b=2, h=3, q=4, k=5).get(a, 1) for a in axes]) < 0.6
    output = attend(case, path, tmp_path / "small", arrays, mask=mask)
    whole = np.broadcast_to(mask, (2, 3, 4, 5))
    case = sized(*sizes, mask="bhqk", types=dict(mask="i1"))
    same_bits(output, attend(case, path, tmp_path / "whole", arrays, mask=whole))
    agree_single(output, formula(*arrays, shown=whole), arrays[2])


WINDOWS = dict(
    two_causal=((1, 0), True, lambda ahead: (-1 <= ahead) & (ahead <= 0)),
    one=((0, 0), False, lambda ahead: ahead == 0),
    both_sides=((1, 1), False, lambda ahead: np.abs(ahead) <= 1),
    uneven=((2, 1), False, lambda ahead: (-2 <= ahead) & (ahead <= 1)),
    all_keys=((6, 6), False, lambda ahead: ahead == ahead),
    all_keys_causal=((6, 0), True, lambda ahead: ahead <= 0),
    beyond_all_keys=((100, 100), True, lambda ahead: ahead <= 0),
)


@few_paths
@pytest.mark.parametrize("window", WINDOWS)
def test_s22_width_of_a_window(window, path, mha_run, tmp_path):
    """huggingface/transformers #39408: a window is one key too wide, or twice as wide."""
    sides, causal, shown = WINDOWS[window]
    i, j = np.indices((6, 6))
    case = one_head(6, 6, window=sides, causal=causal)
    agree_single(weights(case, path, tmp_path), shares(shown(j - i)), 1)


# ---- Numbers


MASK_OF_NUMBERS = """
func.func @main(%query: tensor<1x2x5x16xf16>, %key: tensor<1x2x5x16xf16>, %value: tensor<1x2x5x16xf16>,
                %shown: tensor<5x5xf32>) -> tensor<1x2x5x16xf16> {
  %one = arith.constant dense<1.0> : tensor<5x5xf32>
  %low = arith.constant dense<-1.0e+09> : tensor<5x5xf32>
  %hidden = arith.subf %one, %shown : tensor<5x5xf32>
  %mask = arith.mulf %hidden, %low : tensor<5x5xf32>
  %o = mha.attention query(%query : tensor<1x2x5x16xf16>, bhsd) key(%key : tensor<1x2x5x16xf16>, bhsd)
    value(%value : tensor<1x2x5x16xf16>, bhsd) dense_mask(%mask : tensor<5x5xf32>) -> tensor<1x2x5x16xf16>
  return %o : tensor<1x2x5x16xf16>
}
"""


@few_paths
def test_s23_mask_constant_beyond_f16(path, mha_run, tmp_path):
    """ahrefs/ocannl #548: -1e9 is no f16; as -inf it makes 0 * -inf = NaN."""
    case = sized(1, 2, 2, 5, 5, 16, 16, dtype="f16")
    query, key, value = operands(case)
    shown = np.tri(5, dtype=bool)
    # What is hidden has weight 0: any value there gives the same output.
    outputs = []
    for n, last in enumerate((value[:, :, 4:], 60000 + 0 * value[:, :, 4:])):
        value = np.concatenate([value[:, :, :4], last], axis=2)
        inputs = dict(query=query, key=key, value=value, shown=shown.astype(np.float32))
        outputs += run(MASK_OF_NUMBERS, inputs, 1, tmp_path / str(n), *paths.flags(path))
    same_bits(outputs[0][:, :, :4], outputs[1][:, :, :4])
    expected = formula(query, key, value, shown=shown)[:, :, :4]
    agree(outputs[0][:, :, :4], expected, tolerance.rounded_weights("f16", np.abs(value[:, :, :4]).max()))


@few_paths
@pytest.mark.parametrize("dtype", ("f16", "bf16"))
def test_s27_sums_of_thousands_of_weights(dtype, path, mha_run, tmp_path):
    """huggingface/candle #3727, sonos/tract PR 2586: a sum in f16 sticks at 2048.

    Equal logits and random ones; every value is 1, and so is the output.
    """
    cases, arrays = [], []
    for keys in (4096, 8192):
        for factor in (0, 1):
            cases.append(sized(1, 2, 1, 3, keys, 16, 5, dtype=dtype, dynamic="seq"))
            query, key, value = operands(cases[-1])
            arrays.append((factor * query, key, np.ones_like(value)))
    for output in attend_many(cases, path, tmp_path, arrays):
        agree(output, np.ones(output.shape), 4 * tolerance.EPS[dtype])


@few_paths
def test_s28_large_bf16_operands(path, mha_run, tmp_path):
    """pytorch/pytorch #121558: bf16 operands of 133120 give NaN."""
    case = sized(1, 1, 1, 1, 1, 64, 64, dtype="bf16")
    large = np.full((1, 1, 1, 64), 133120, np.float32)
    assert (attend(case, path, tmp_path / "one", (large, large, large)) == 133120).all()
    case = sized(1, 1, 1, 1, 2, 64, 64, dtype="bf16")
    for larger in (0, 1):
        key = np.concatenate([large, -large] if larger == 0 else [-large, large], axis=2)
        value = np.concatenate([3 * large / large, 7 * large / large], axis=2)
        output = attend(case, path, tmp_path / str(larger), (large, key, value))
        assert (output == (3, 7)[larger]).all()


def f16_up_to_zero():
    """Every f16 from -inf to -0, and 0; falling in size."""
    bits = np.arange(0xFC00, 0x7FFF, -1, dtype=np.uint16)
    return np.append(bits.view(np.float16), np.float16(0))


def steps_of_f16(found, wanted):
    """How many f16 lie between two arrays of numbers that are not negative."""
    return np.abs(found.astype(np.float16).view(np.int16).astype(int) - wanted.astype(np.float16).view(np.int16))


EXP = """
func.func @main(%x: tensor<?xf16>) -> tensor<?xf16> {
  %y = math.exp %x : tensor<?xf16>
  return %y : tensor<?xf16>
}
"""


@few_paths
def test_s30_exp_of_every_f16(path, mha_run, tmp_path):
    """iree-org/iree #16529, #15936: an approximation in f16 gives NaN or inf."""
    x = f16_up_to_zero()
    (y,) = run(EXP, dict(x=x), 1, tmp_path, *paths.flags(path))
    assert y[0] == 0 and y[-1] == 1 and (np.diff(y) >= 0).all()
    assert steps_of_f16(y, np.exp(x.astype(np.float64))).max() <= 2


@few_paths
def test_s30_weight_of_every_f16_score(path, mha_run, tmp_path):
    """iree-org/iree #16529, #15936: the same for the softmax: scores 0 and x, values one-hot."""
    x = f16_up_to_zero()
    case = sized(1, 1, 1, len(x), 2, 4, 2, mask="qk", types=dict(mask="f16"))
    query, key, _ = operands(case)
    mask = np.stack([np.zeros_like(x), x], axis=1)
    value = np.eye(2, dtype=np.float32)[None, None]
    zero, other = attend(case, path, tmp_path, (0 * query, key, value), mask=mask)[0, 0].T
    assert np.isfinite(other).all() and other[0] == 0 and other[-1] == 0.5
    assert (np.diff(other) >= -tolerance.EPS["f32"]).all()
    assert steps_of_f16(other / zero, np.exp(x.astype(np.float64))).max() <= 2


@all_paths
def test_s32_equal_logits_over_many_tiles(path, mha_run, tmp_path):
    """llvm/llvm-project PR 212117: each slice of a tiled softmax is normalised alone."""
    found = weights(one_head(3, 4), path, tmp_path)
    assert (found == 0.25).all()


@all_paths
def test_s32_first_tiles_without_a_key(path, mha_run, tmp_path):
    """llvm/llvm-project PR 118952 / 213797: a neutral element poisons the first correction."""
    sizes = 1, 2, 3, 16, 17, 128, 129
    cases = [sized(1, 2, 1, 5, hidden + 3, 8, 4, mask="k", dynamic="seq") for hidden in sizes]
    arrays = [operands(case) for case in cases]
    masks = [dict(mask=np.where(np.arange(n + 3) < n, -np.inf, 0).astype(np.float32)) for n in sizes]
    outputs = attend_many(cases, path, tmp_path, arrays, masks)
    for hidden, output, (query, key, value) in zip(sizes, outputs, arrays):
        rest = query, key[:, :, hidden:], value[:, :, hidden:]
        agree_single(output, formula(*rest), rest[2])
