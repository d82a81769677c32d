"""Compiled functions called as a C program calls them: descriptors, statuses, sizes, memory.

The numbers of attention are judged in `test_attention.py`; here every operand lies in memory of
its own kind, and sizes that do not fit are told by a status.
"""

import numpy as np
import pytest

import oracle
import tolerance
from compiled import Function, compile_program, poison, scattered

SIZE_MISMATCH, HEADS_NOT_MULTIPLE, EMPTY_HEAD_DIM, NO_HEADS, OUTPUT_SIZE = 1, 2, 3, 4, 5

# Operands of @dynamic that fit together; layouts as in the program.
FITTING = dict(
    query=(2, 7, 6, 5),
    key=(2, 3, 11, 5),
    value=(11, 2, 4, 3),
    length=(2,),
    output=(4, 6, 7, 2),
    lse=(2, 6, 7),
)

PROGRAM = """
!t4 = tensor<?x?x?x?xf32>
!t3 = tensor<?x?x?xf32>

func.func @dynamic(%q: !t4, %k: !t4, %v: !t4, %length: tensor<?xi64>, %offset: i64) -> (!t4, !t3) {
  %o, %lse = mha.attention query(%q : !t4, bshd) key(%k : !t4, bhsd) value(%v : !t4, sbdh)
    mask<causal, window<3, 1>> align(end) lengths(%length : tensor<?xi64>)
    query_offset(%offset : i64) -> (!t4, dhsb, lse !t3)
  return %o, %lse : !t4, !t3
}

func.func @offsets(%q: !t4, %k: !t4, %v: !t4, %offset: tensor<?xi64>) -> !t4 {
  %o = mha.attention query(%q : !t4, bhsd) key(%k : !t4, bhsd) value(%v : !t4, bhsd)
    mask<causal> align(explicit) query_offset(%offset : tensor<?xi64>) -> !t4
  return %o : !t4
}

func.func @promised(%q: !t4, %k: !t4, %v: !t4) -> (tensor<2x6x7x4xf32>, tensor<2x6x7xf32>) {
  %o, %lse = mha.attention query(%q : !t4, bhsd) key(%k : !t4, bhsd) value(%v : !t4, bhsd)
    -> (tensor<2x6x7x4xf32>, lse tensor<2x6x7xf32>)
  return %o, %lse : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>
}

func.func @destinations(%q: !t4, %k: !t4, %v: !t4, %output: !t4, %row: !t3) -> (!t4, !t3) {
  %o, %lse = mha.attention query(%q : !t4, bhsd) key(%k : !t4, bhsd) value(%v : !t4, bhsd)
    outs(%output : !t4, lse %row : !t3) -> (!t4, lse !t3)
  return %o, %lse : !t4, !t3
}

!q = tensor<1x2x4x3xf64>
!k = tensor<1x1x6x3xf64>
!v = tensor<1x1x6x2xf64>
!o = tensor<1x2x4x2xf64>
!l = tensor<1x2x4xf64>
func.func @static(%q: !q, %k: !k, %v: !v, %length: tensor<1xi64>) -> (!o, !l) {
  %o, %lse = mha.attention query(%q : !q, bhsd) key(%k : !k, bhsd) value(%v : !v, bhsd)
    mask<causal> align(bottom_right) lengths(%length : tensor<1xi64>) -> (!o, lse !l)
  return %o, %lse : !o, !l
}

func.func @scalars(%x: tensor<?xf32>, %level: tensor<f32>, %a: f32, %n: index, %flag: i1)
    -> (f32, tensor<?xi1>, index, i1) {
  %c0 = arith.constant 0 : index
  %true = arith.constant true
  %size = tensor.dim %x, %c0 : tensor<?xf32>
  %number = tensor.extract %level[] : tensor<f32>
  %sum = arith.addf %a, %number : f32
  %all = tensor.splat %number[%size] : tensor<?xf32>
  %above = arith.cmpf ogt, %x, %all : tensor<?xf32>
  %total = arith.addi %n, %size : index
  %not = arith.xori %flag, %true : i1
  return %sum, %above, %total, %not : f32, tensor<?xi1>, index, i1
}

func.func @twice(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  return %x, %x : tensor<?x?xf32>, tensor<?x?xf32>
}

// Donated: written in place; not in place, since the old value is a result as well; computed from both.
func.func @update(%cache: tensor<?x?xf32> {mha.donated = 0 : i64}, %rows: tensor<?x?xf32>, %at: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %rows, %c0 : tensor<?x?xf32>
  %d = tensor.dim %rows, %c1 : tensor<?x?xf32>
  %new = tensor.insert_slice %rows into %cache[%at, 0] [%n, %d] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
  return %new : tensor<?x?xf32>
}

func.func @update_and_old(%rows: tensor<?x?xf32>, %cache: tensor<?x?xf32> {mha.donated = 1 : i64}, %at: index)
    -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %rows, %c0 : tensor<?x?xf32>
  %d = tensor.dim %rows, %c1 : tensor<?x?xf32>
  %new = tensor.insert_slice %rows into %cache[%at, 0] [%n, %d] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
  return %cache, %new : tensor<?x?xf32>, tensor<?x?xf32>
}

func.func @crossed(%x: tensor<?x?xf32> {mha.donated = 1 : i64}, %y: tensor<?x?xf32> {mha.donated = 0 : i64})
    -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %sum = arith.addf %x, %y : tensor<?x?xf32>
  %product = arith.mulf %x, %y : tensor<?x?xf32>
  return %sum, %product : tensor<?x?xf32>, tensor<?x?xf32>
}

func.func @append(%cache: tensor<?x?xf32> {mha.donated = 0 : i64}, %rows: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %new = tensor.concat dim(0) %cache, %rows : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %new : tensor<?x?xf32>
}
"""


@pytest.fixture(scope="session")
def library(mha_run, tmp_path_factory):
    return compile_program(PROGRAM, tmp_path_factory.mktemp("c_abi"))


@pytest.fixture
def rng(request):
    return np.random.default_rng(list(request.node.name.encode()))


def normal(rng, *shape):
    return rng.standard_normal(shape, np.float32)


def empty(shape, rng, dtype=np.float32):
    """An out-parameter."""
    return scattered(np.full(shape, poison(dtype), dtype), rng)


def check(actual, expected, bound):
    wrong = tolerance.difference(actual, expected, bound)
    assert wrong is None, wrong


def check_single(expected, output, lse=None):
    check(output, expected.output, tolerance.single(expected.largest_value))
    if lse is not None:
        largest = np.abs(expected.lse[np.isfinite(expected.lse)]).max(initial=0)
        check(lse, expected.lse, tolerance.single(largest))


# Numbers, in any memory


@pytest.mark.parametrize("seed", range(60))
def test_any_sizes_in_any_memory(seed, library, rng):
    """Empty sizes, lengths outside 0..Sk and offsets that leave no key included."""
    function = Function(library, "dynamic")
    batch, group, queries, value_depth = rng.integers(0, 5, 4)
    heads, depth = rng.integers(1, 5, 2)
    keys = rng.integers(0, 9)
    q = normal(rng, batch, heads * group, queries, depth)
    k = normal(rng, batch, heads, keys, depth)
    v = normal(rng, batch, heads, keys, value_depth)
    lengths, offset = rng.integers(-2, keys + 3, batch), rng.integers(-8, 3)
    inputs = [q.transpose(0, 2, 1, 3), k, v.transpose(2, 0, 3, 1), lengths]
    inputs = [scattered(array, rng) for array in inputs] + [offset]

    status, sizes = function.shape(inputs, 7, rng)
    shape = [value_depth, heads * group, queries, batch]
    assert status == 0 and sizes == [*shape, batch, heads * group, queries]

    outputs = [empty(shape, rng), empty(sizes[4:], rng)]
    status, (output, lse) = function(inputs, outputs)
    assert status == 0
    mask = dict(causal=True, window=(3, 1), align="end", offset=offset, lengths=lengths)
    check_single(oracle.attention(q, k, v, **mask), output.transpose(3, 1, 2, 0), lse)

    status, again = function(inputs, outputs, threads=2)
    assert status == 0
    assert [x.tobytes() for x in again] == [output.tobytes(), lse.tobytes()]


def test_strides_of_zero_repeat_an_element(library, rng):
    """One head and one batch entry of keys and values for all."""
    q, k, v = normal(rng, 2, 6, 7, 5), normal(rng, 1, 1, 11, 5), normal(rng, 1, 1, 11, 4)
    k, v = np.broadcast_to(k, (2, 3, 11, 5)), np.broadcast_to(v, (2, 3, 11, 4))
    assert k.strides[:2] == (0, 0)
    outputs = [empty((2, 6, 7, 4), rng), empty((2, 6, 7), rng)]
    status, results = Function(library, "promised")([q, k, v], outputs)
    assert status == 0
    check_single(oracle.attention(q, k, v), *results)


@pytest.mark.parametrize("offset", (-(2**63), -(2**61), 2**61, 2**63 - 1))
def test_offsets_far_outside(offset, library, rng):
    """All keys, or none: sums of positions do not wrap round."""
    q, k, v = normal(rng, 2, 6, 7, 5), normal(rng, 2, 3, 11, 5), normal(rng, 2, 3, 11, 4)
    inputs = [q, k, v, np.array([offset, 3])]
    status, (output,) = Function(library, "offsets")(inputs, [empty((2, 6, 7, 4), rng)])
    assert status == 0
    near = np.array([np.clip(offset, -100, 100), 3])
    check_single(oracle.attention(q, k, v, causal=True, align="explicit", offset=near), output)


def test_destinations_are_read_only_arguments(library, rng):
    q, k, v = normal(rng, 2, 6, 7, 5), normal(rng, 2, 3, 11, 5), normal(rng, 2, 3, 11, 4)
    shapes = (2, 6, 7, 4), (2, 6, 7)
    inputs = [scattered(x, rng) for x in (q, k, v)] + [empty(shape, rng) for shape in shapes]
    status, results = Function(library, "destinations")(
        inputs, [empty(shape, rng) for shape in shapes]
    )
    assert status == 0
    check_single(oracle.attention(q, k, v), *results)


NAN, INF = np.nan, np.inf
EXTREMES = {
    "nothing": dict(),
    "no_keys": dict(length=0),
    "first_rows_empty": dict(length=2),
    "length_negative": dict(length=-(2**63)),
    "length_beyond": dict(length=2**63 - 1),
    "nan_in_hidden_keys": dict(k=(4, NAN), v=(5, NAN)),
    "inf_in_hidden_keys": dict(k=(5, INF), v=(4, INF)),
    "nan_in_last_key": dict(k=(3, NAN)),
    "nan_in_last_value": dict(v=(3, NAN)),
    "inf_in_first_value": dict(v=(0, INF)),
    "nan_in_one_query": dict(q=(1, NAN)),
    "scores_overflow": dict(q=(slice(None), 1e200), k=(slice(None), 1e200)),
    "scores_overflow_downwards": dict(q=(slice(None), 1e200), k=(slice(None), -1e200)),
}


@pytest.mark.parametrize("name", EXTREMES)
def test_nan_infinity_and_empty_rows(name, library, rng):
    """NaN and infinity reach the rows that see them, and no other; an empty row is 0."""
    change = dict(EXTREMES[name])
    length = np.array([change.pop("length", 4)])
    shapes = dict(q=(1, 2, 4, 3), k=(1, 1, 6, 3), v=(1, 1, 6, 2))
    arrays = {operand: rng.standard_normal(shape) for operand, shape in shapes.items()}
    for operand, (at, number) in change.items():
        arrays[operand][:, :, at] = number
    inputs = [scattered(x, rng) for x in (*arrays.values(), length)]
    outputs = [empty((1, 2, 4, 2), rng, np.float64), empty((1, 2, 4), rng, np.float64)]
    status, (output, lse) = Function(library, "static", dynamic=False)(inputs, outputs)
    assert status == 0
    expected = oracle.attention(
        *arrays.values(), causal=True, align="bottom_right", lengths=length
    )
    bound = tolerance.agreement(expected.largest_logit, expected.largest_value)
    check(output, expected.output, bound)
    check(lse, expected.lse, tolerance.agreement_lse(expected.largest_logit))


# Scalars, and results that share a value


@pytest.mark.parametrize("flag", (False, True))
def test_scalars(flag, library, rng):
    """By value as arguments, as rank-0 out-parameters as results; i1 takes a byte."""
    x = np.array([0.5, 1.5, -3, 2], np.float32)
    inputs = [scattered(x, rng), scattered(np.float32(1), rng)]
    inputs += [np.float32(2.25), np.int64(-(2**40)), np.bool_(flag)]
    function = Function(library, "scalars")
    assert function.shape(inputs, 1, rng) == (0, [4])
    kinds = [((), np.float32), ((4,), np.bool_), ((), np.int64), ((), np.bool_)]
    status, results = function(inputs, [empty(shape, rng, dtype) for shape, dtype in kinds])
    assert status == 0
    total, above, size, inverse = results
    assert total == 3.25 and size == 4 - 2**40
    assert above.tolist() == [False, True, False, True]
    assert inverse == (not flag)


def test_an_argument_returned_twice(library, rng):
    x = normal(rng, 3, 5)
    function = Function(library, "twice")
    inputs = [scattered(x, rng)]
    assert function.shape(inputs, 4, rng) == (0, [3, 5, 3, 5])
    status, results = function(inputs, [empty((3, 5), rng), empty((3, 5), rng)])
    assert status == 0
    assert all((result == x).all() for result in results)


# Donated arguments: no out-parameter, the result where the argument was


def test_donated_argument_is_updated_in_place(library, rng):
    cache, rows = normal(rng, 7, 5), normal(rng, 2, 5)
    inputs = [scattered(cache, rng), scattered(rows, rng), np.int64(3)]
    status, (new,) = Function(library, "update", donated=[0])(inputs, [])
    assert status == 0
    assert (new == np.vstack([cache[:3], rows, cache[5:]])).all()


def test_donated_argument_that_is_a_result_as_well(library, rng):
    cache, rows = normal(rng, 7, 5), normal(rng, 2, 5)
    inputs = [scattered(rows, rng), scattered(cache, rng), np.int64(4)]
    function = Function(library, "update_and_old", donated=[1])
    status, (old, new) = function(inputs, [empty((7, 5), rng)])
    assert status == 0
    assert (old == cache).all()
    assert (new == np.vstack([cache[:4], rows, cache[6:]])).all()


def test_results_of_both_donated_arguments(library, rng):
    x, y = normal(rng, 3, 5), normal(rng, 3, 5)
    inputs = [scattered(x, rng), scattered(y, rng)]
    status, (product, total) = Function(library, "crossed", donated=[0, 1])(inputs, [])
    assert status == 0
    assert (total == x + y).all() and (product == x * y).all()


def test_status_of_a_result_that_does_not_fit_into_its_donated_argument(library, rng):
    """The argument is as it was: `run` checks that."""
    inputs = [scattered(normal(rng, 7, 5), rng), scattered(normal(rng, 2, 5), rng)]
    function = Function(library, "append", donated=[0])
    assert function(inputs, []) == (OUTPUT_SIZE, None)
    inputs[1] = scattered(normal(rng, 0, 5), rng)
    status, (new,) = function(inputs, [])
    assert status == 0 and (new == inputs[0]).all()


@pytest.mark.parametrize("threads", (1, 2))
def test_workspace(threads, library):
    """The definition, untiled, allocates what it needs."""
    inputs = [np.empty(FITTING[name]) for name in ("query", "key", "value", "length")]
    assert Function(library, "dynamic").workspace(inputs, threads) == 0
    assert Function(library, "static", dynamic=False).workspace([], threads) == 0


# Statuses: the function says so, and leaves its out-parameters alone


def statuses(library, rng, name, arguments, outputs, scalars=(), sizes=0):
    """The status of the function and, with `sizes` dynamic sizes of results, of its shape."""
    function = Function(library, name)
    types = {1: np.int64}
    inputs = [np.zeros(shape, types.get(len(shape), np.float32)) for shape in arguments]
    inputs = [scattered(array, rng) for array in inputs] + list(scalars)
    status, _ = function(inputs, [empty(shape, rng) for shape in outputs])
    return (status, function.shape(inputs, sizes, rng)[0]) if sizes else status


def dynamic_statuses(library, rng, **changed):
    shapes = FITTING | changed
    arguments = [shapes[name] for name in ("query", "key", "value", "length")]
    outputs = [shapes["output"], shapes["lse"]]
    return statuses(library, rng, "dynamic", arguments, outputs, [np.int64(0)], sizes=7)


ARGUMENTS = {
    "fitting": (0, dict()),
    "batch_of_key": (SIZE_MISMATCH, dict(key=(1, 3, 11, 5))),
    "batch_of_value": (SIZE_MISMATCH, dict(value=(11, 1, 4, 3))),
    "batch_of_key_and_value": (SIZE_MISMATCH, dict(key=(3, 3, 11, 5), value=(11, 3, 4, 3))),
    "heads_of_value": (SIZE_MISMATCH, dict(value=(11, 2, 4, 1))),
    "keys_of_value": (SIZE_MISMATCH, dict(value=(10, 2, 4, 3))),
    "depth_of_key": (SIZE_MISMATCH, dict(key=(2, 3, 11, 4))),
    "one_length_for_all": (SIZE_MISMATCH, dict(length=(1,))),
    "heads_not_a_multiple": (
        HEADS_NOT_MULTIPLE,
        dict(query=(2, 7, 5, 5), output=(4, 5, 7, 2), lse=(2, 5, 7)),
    ),
    "fewer_heads_than_of_keys": (
        HEADS_NOT_MULTIPLE,
        dict(query=(2, 7, 2, 5), output=(4, 2, 7, 2), lse=(2, 2, 7)),
    ),
    "no_depth": (EMPTY_HEAD_DIM, dict(query=(2, 7, 6, 0), key=(2, 3, 11, 0))),
    "no_key_heads": (NO_HEADS, dict(key=(2, 0, 11, 5), value=(11, 2, 4, 0))),
    "no_heads_at_all": (
        NO_HEADS,
        dict(
            query=(2, 7, 0, 5),
            key=(2, 0, 11, 5),
            value=(11, 2, 4, 0),
            output=(4, 0, 7, 2),
            lse=(2, 0, 7),
        ),
    ),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_status_of_arguments(name, library, rng):
    status, changed = ARGUMENTS[name]
    assert dynamic_statuses(library, rng, **changed) == (status, status)


@pytest.mark.parametrize("step", (-1, 1))
@pytest.mark.parametrize("dim", range(7))
def test_status_of_each_size_of_an_out_parameter(dim, step, library, rng):
    """The shape function has no out-parameters, so its status is 0."""
    shape = [*FITTING["output"], *FITTING["lse"]]
    shape[dim] += step
    wrong = dict(output=shape[:4], lse=shape[4:])
    assert dynamic_statuses(library, rng, **wrong) == (OUTPUT_SIZE, 0)


def test_arguments_are_judged_before_out_parameters(library, rng):
    """The sizes of results mean nothing where those of arguments do not fit."""
    wrong = dict(key=(2, 3, 11, 4), output=(1, 1, 1, 1))
    assert dynamic_statuses(library, rng, **wrong) == (SIZE_MISMATCH, SIZE_MISMATCH)


Q, K, V, O, LSE = (2, 6, 7, 5), (2, 3, 11, 5), (2, 3, 11, 4), (2, 6, 7, 4), (2, 6, 7)


@pytest.mark.parametrize("offsets, status", ((2, 0), (1, SIZE_MISMATCH), (3, SIZE_MISMATCH)))
def test_status_of_offsets(offsets, status, library, rng):
    arguments = [Q, K, V, (offsets,)]
    assert statuses(library, rng, "offsets", arguments, [O], sizes=4) == (status, status)


# The static sizes of the result's type are a promise on those of the operands.
@pytest.mark.parametrize(
    "query, key, value, status",
    (
        (Q, K, V, 0),
        ((1, 6, 7, 5), (1, 3, 11, 5), (1, 3, 11, 4), SIZE_MISMATCH),
        ((2, 3, 7, 5), K, V, SIZE_MISMATCH),
        ((2, 6, 8, 5), K, V, SIZE_MISMATCH),
        (Q, K, (2, 3, 11, 5), SIZE_MISMATCH),
    ),
    ids=("fitting", "batch", "heads", "queries", "value_depth"),
)
def test_status_of_promised_sizes(query, key, value, status, library, rng):
    assert statuses(library, rng, "promised", [query, key, value], [O, LSE]) == status


def test_status_of_destinations_that_fit(library, rng):
    arguments = [Q, K, V, O, LSE]
    assert statuses(library, rng, "destinations", arguments, [O, LSE], sizes=7) == (0, 0)


@pytest.mark.parametrize("dim", range(7))
def test_status_of_each_size_of_a_destination(dim, library, rng):
    """Of the arguments that lend memory, not of the out-parameters."""
    shape = [*O, *LSE]
    shape[dim] += 1
    arguments = [Q, K, V, shape[:4], shape[4:]]
    both = statuses(library, rng, "destinations", arguments, [O, LSE], sizes=7)
    assert both == (SIZE_MISMATCH, SIZE_MISMATCH)
