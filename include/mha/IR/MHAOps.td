//===- MHAOps.td - Operations of the mha dialect ----------*- tablegen -*--===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_IR_MHAOPS_TD
#define MHA_IR_MHAOPS_TD

include "mha/IR/MHAAttentionInterface.td"
include "mha/IR/MHASchedule.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class MHA_Op<string mnemonic, list<Trait> traits = []>
    : Op<MHA_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Operand types
//===----------------------------------------------------------------------===//

class MHA_ShapedOfRank<list<int> ranks, list<Type> elements, string text>
    : AnyTypeOf<[TensorRankOf<elements, ranks>, MemRefRankOf<elements, ranks>],
                text, "::mlir::ShapedType">;

def MHA_HeadsTensor : MHA_ShapedOfRank<[4, 5], [AnyFloat],
    "tensor or memref of rank 4 (5 with split heads) of floats">;
def MHA_DenseMask : MHA_ShapedOfRank<[0, 1, 2, 3, 4], [AnyFloat, I1],
    "tensor or memref of rank 0 to 4 of i1 or floats">;
def MHA_PerBatch : MHA_ShapedOfRank<[1], [I64],
    "tensor or memref of rank 1 of i64, one value for each batch entry">;
def MHA_QueryOffset : AnyTypeOf<[Index, I64, MHA_PerBatch],
    "index, i64, or tensor or memref of rank 1 of i64">;
def MHA_PerHead : MHA_ShapedOfRank<[1], [AnyFloat],
    "tensor or memref of rank 1 of floats, one value for each query head">;
def MHA_PerHeadTable : MHA_ShapedOfRank<[2], [AnyFloat],
    "tensor or memref of rank 2 of floats, query heads by distances">;
def MHA_HeadGate : MHA_ShapedOfRank<[1, 2], [AnyFloat, I1],
    "tensor or memref (Hq) or (B, Hq) of i1 or floats">;
def MHA_StorageScale : AnyTypeOf<[AnyFloat, MHA_PerHead],
    "float, or tensor or memref of rank 1 of floats">;
def MHA_RowStatistic : MHA_ShapedOfRank<[3], [F32, F64],
    "tensor or memref (B, Hq, Sq) of f32 or f64">;

class MHA_StateOfRank<int rank, string text>
    : MHA_ShapedOfRank<[rank], [F32, F64], text>;
def MHA_Accumulator : MHA_StateOfRank<4,
    "tensor or memref (B, Hq, Sq, Dv) of f32 or f64">;
def MHA_PartialAccumulators : MHA_StateOfRank<5,
    "tensor or memref (P, B, Hq, Sq, Dv) of f32 or f64">;
def MHA_PartialStatistic : MHA_StateOfRank<4,
    "tensor or memref (P, B, Hq, Sq) of f32 or f64">;

//===----------------------------------------------------------------------===//
// AttentionOp
//===----------------------------------------------------------------------===//

def MHA_AttentionOp : MHA_Op<"attention", [
    AttrSizedOperandSegments,
    AttrSizedResultSegments,
    // Captures are operands, so a kernel can be outlined by cloning the op.
    IsolatedFromAbove,
    MHA_AttentionOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>
  ]> {
  let summary = "Scaled dot-product attention over all heads";
  let description = [{
    Computes, for every batch entry b, query head h and query i,

        O[b, h, i, n] = sum over visible j of P[j] * V[b, h floordiv G, j, n]
        P[j] = exp(S[j] - lse)
        lse[b, h, i] = log(sum over visible j of exp(S[j]) + exp(sink[h]))
        S[j] = cap(scale * (sum over d of Q[b, h, i, d] * K[b, h floordiv G, j, d]))
               + bias(h, j - p(b, i)) + dense_mask[b, h, i, j]

    with G = Hq / Hkv, cap(x) = softcap * tanh(x / softcap) where there is a soft
    cap, and no term for what is not given. A query that sees no key has output 0,
    and lse -inf or, with a sink, sink[h]. A sink of NaN or +inf makes lse NaN, and
    with it the rows of its heads that see a key. A
    key that a query does not see has no influence on it, whatever values its
    key and value hold; a NaN that a query sees makes that row of the output
    NaN, and no other row.

    | Value          | Shape             | Meaning                           |
    |----------------|-------------------|-----------------------------------|
    | `query`        | B x Hq x Sq x D   | queries, in `query_layout`        |
    | `key`          | B x Hkv x Sk x D  | keys, in `key_layout`             |
    | `value`        | B x Hkv x Sk x Dv | values, in `value_layout`         |
    | `dense_mask`   | broadcasts to     | i1: true shows a key; a float is  |
    |                | (B, Hq, Sq, Sk)   | added, and -inf hides it          |
    | `kv_lengths`   | B                 | valid keys, clamped to 0..Sk      |
    | `query_offset` | scalar or B       | position of query 0, for `align`  |
    | `scale_value`  | scalar            | the scale, where run time knows   |
    | `slopes`       | Hq                | of `#mha.bias<alibi>`             |
    | `relative_table` | Hq x n          | of `#mha.bias<relative>`          |
    | `sink`         | Hq                | a score without a value, in       |
    |                |                   | natural units, never capped       |
    | `origin`       | 4 scalars         | (b, h, i, j) of this op's element |
    |                |                   | 0 in the problem it is a tile of  |
    | `output`       | B x Hq x Sq x Dv  | in `output_layout`, query's type  |
    | `lse`          | B x Hq x Sq       | natural log; f32 (f64 for f64)    |

    Keys are hidden by position (`mask`, see `#mha.mask`), by `kv_lengths` (key j is
    visible when j < length(b)) and by `dense_mask`. Positions count from where
    `align` says, see `#mha.align`; a `query_offset` saturates at +-2^61. A tile of
    a problem of at most 2^61 queries and keys carries the `origin` of its first
    element; its `dense_mask` is a part of the problem's, its `kv_lengths`,
    `query_offset`, `slopes`, `relative_table` and `sink` stay those of the whole
    problem, and its keys reach to the end of the problem's keys. On tensors `outs`
    is optional and only lends its buffer, every element is overwritten; on memrefs
    it is required, must not overlap another operand, and there are no results.

    Query, key, value and every other float operand have an element type of their
    own: f16, bf16, f32 or f64. Products, sums and the softmax are in f32, or f64
    where the query has that. A weight is rounded to the type of the values before
    it multiplies one, the output once, at the end. The division by the sum of
    weights comes last: where |V| exceeds the largest finite number
    divided by Sk, the sum of weighted values may overflow. A score that is -inf
    hides its key, whether it was given or has overflowed.

    Constraints:
      (C1) All shaped operands are tensors, or all are memrefs.
      (C2) A layout has one letter for each dimension of its operand. Those of
           `key` and `value` do not split the heads.
      (C3) B agrees in `query`, `key`, `value`, the output and, without an
           `origin`, in `kv_lengths` and a per-batch `query_offset`. Where the
           types of both `key` and `value` have B = 1, all batch entries of
           `query` share them.
      (C4) Hq is a multiple of Hkv, and Hkv is at least 1. A layout of `query`
           or the output that splits the heads has k = Hkv.
      (C5) D agrees in `query` and `key`.
      (C6) Hkv and Sk agree in `key` and `value`.
      (C7) The output has shape (B, Hq, Sq, Dv) in its layout and the element
           type of `query`.
      (C8) `lse` has shape (B, Hq, Sq) and element type f32, or f64 when
           `query` has f64.
      (C9) All of `query`, `key` and `value` have f64, or none.
      (C10) A positional mask needs an `align`, unless Sq = Sk is static and
            there are no lengths and no origin.
      (C11) `query_offset` is there if and only if `align` is `explicit` or
            `end`.
      (C12) `bottom_right` is not used beside an `origin`: Sq of a tile is not
            Sq of the problem.
      (C13) `align` is only there with something positional to align.
      (C14) There is at most one scale. `scale` is finite in f32, or f64 for
            f64; the default scale 1/sqrt(D) needs D >= 1.
      (C15) `origin` has no or four values.
      (C16) On tensors there is an output result, and a destination has the
            type of its result; on memrefs there are destinations and no
            results. A destination of `lse` comes with one of the output.
      (C17) `schedule` is a schedule that fits the op, or a list of
            `#mha.when` that ends in a schedule without a guard, all fitting.
      (C18) Each size of `dense_mask` is 1, or that of (B, Hq, Sq, Sk) in the
            same place from the right.
      (C19) `slopes` are there with `alibi` and `alibi_symmetric`, a
            `relative_table` with `relative`; they have a row for each query
            head, a table at least one column, and only a table an origin.
      (C20) `softcap` is positive and finite in the type of C14.
      (C21) `sink` has a value for each query head.

    Not implemented yet, and refused by name: head gates, dropout, scales of 8-bit
    storage, regions and their captures, weights results, and other element types.

    Example:

    ```mlir
    %o = mha.attention query(%q : tensor<2x8x?x64xf32>, bhsd)
           key(%k : tensor<2x2x?x64xf32>, bhsd)
           value(%v : tensor<2x2x?x64xf32>, bhsd)
           mask<causal> align(bottom_right) -> tensor<2x8x?x64xf32>
    ```

    Source: Vaswani et al. 2017, eq. (1); head groups: Ainslie et al. 2023;
    windows: Beltagy et al. 2020, section 3.1; ALiBi: Press et al. 2022; relative
    tables: Raffel et al. 2020, section 2.1; soft cap: Gemma 2 (2024), section 2;
    sinks: Xiao et al. 2024.
  }];

  let arguments = (ins
    MHA_HeadsTensor:$query, MHA_HeadsTensor:$key, MHA_HeadsTensor:$value,
    Optional<MHA_DenseMask>:$dense_mask,
    Optional<MHA_PerBatch>:$kv_lengths,
    Optional<MHA_QueryOffset>:$query_offset,
    Optional<AnyFloat>:$scale_value,
    Optional<MHA_PerHead>:$slopes,
    Optional<MHA_PerHeadTable>:$relative_table,
    Optional<MHA_PerHead>:$sink,
    Optional<MHA_HeadGate>:$head_gate,
    Optional<I64>:$dropout_seed, Optional<I64>:$dropout_offset,
    Optional<MHA_StorageScale>:$q_scale, Optional<MHA_StorageScale>:$k_scale,
    Optional<MHA_StorageScale>:$v_scale,
    Variadic<AnyType>:$captures,
    Variadic<Index>:$origin,
    Optional<MHA_HeadsTensor>:$output_init,
    Optional<MHA_RowStatistic>:$lse_init,
    Optional<MHA_HeadsTensor>:$weights_init,
    MHA_LayoutAttr:$query_layout, MHA_LayoutAttr:$key_layout,
    MHA_LayoutAttr:$value_layout, MHA_LayoutAttr:$output_layout,
    OptionalAttr<MHA_MaskAttr>:$mask,
    OptionalAttr<MHA_AlignAttr>:$align,
    OptionalAttr<F64Attr>:$scale,
    OptionalAttr<MHA_BiasAttr>:$bias,
    OptionalAttr<F64Attr>:$softcap,
    OptionalAttr<F64Attr>:$dropout,
    OptionalAttr<AnyAttr>:$schedule);
  let regions = (region AnyRegion:$score, AnyRegion:$visible, AnyRegion:$prob);
  let results = (outs Optional<AnyRankedTensor>:$output,
                      Optional<AnyRankedTensor>:$lse,
                      Optional<AnyRankedTensor>:$weights);

  let assemblyFormat = [{
    `query` `(` $query `:` type($query) `,` custom<Layout>($query_layout) `)`
    `key` `(` $key `:` type($key) `,` custom<Layout>($key_layout) `)`
    `value` `(` $value `:` type($value) `,` custom<Layout>($value_layout) `)`
    (`mask` `` $mask^)?
    (`align` `(` custom<Align>($align)^ `)`)?
    (`scale` `(` custom<Scale>($scale, $scale_value, type($scale_value))^ `)`)?
    (`dense_mask` `(` $dense_mask^ `:` type($dense_mask) `)`)?
    (`lengths` `(` $kv_lengths^ `:` type($kv_lengths) `)`)?
    (`query_offset` `(` $query_offset^ `:` type($query_offset) `)`)?
    (`bias` `` $bias^)?
    (`slopes` `(` $slopes^ `:` type($slopes) `)`)?
    (`relative_table` `(` $relative_table^ `:` type($relative_table) `)`)?
    (`softcap` `(` $softcap^ `)`)?
    (`sink` `(` $sink^ `:` type($sink) `)`)?
    (`head_gate` `(` $head_gate^ `:` type($head_gate) `)`)?
    (`dropout` `(` $dropout^ `)`)?
    (`dropout_seed` `(` $dropout_seed^ `,` $dropout_offset `)`)?
    (`q_scale` `(` $q_scale^ `:` type($q_scale) `)`)?
    (`k_scale` `(` $k_scale^ `:` type($k_scale) `)`)?
    (`v_scale` `(` $v_scale^ `:` type($v_scale) `)`)?
    (`captures` `(` $captures^ `:` type($captures) `)`)?
    (`origin` `(` $origin^ `)`)?
    (`schedule` `(` $schedule^ `)`)?
    (`score` $score^)? (`visible` $visible^)? (`prob` $prob^)?
    attr-dict
    custom<Destinations>($output_init, type($output_init),
                         $lse_init, type($lse_init),
                         $weights_init, type($weights_init),
                         type($output), type($lse), type($weights),
                         $output_layout, ref($query_layout))
  }];

  let extraClassDeclaration = [{
    /// Whether `operand` is one of `outs`. These come last.
    bool isDestination(::mlir::OpOperand &operand) {
      return operand.getOperandNumber() >=
             getODSOperandIndexAndLength(odsIndex_output_init).first;
    }
    /// The destination that lends its buffer to `result`, null when there is
    /// none.
    ::mlir::OpOperand *getDestination(::mlir::OpResult result);
  }];

  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// Partial states
//===----------------------------------------------------------------------===//

/// An op that computes into its destinations: in place on memrefs, and with
/// results on tensors. `takesInits` says whether what they hold counts.
class MHA_DestinationOp<string mnemonic, bit takesInits,
                        list<Trait> traits = []>
    : MHA_Op<mnemonic, traits # [
        DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<ConditionallySpeculatable>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                                  ["reifyResultShapes"]>]> {
  let hasVerifier = 1;
  code sharedDeclaration = [{
    static constexpr bool kTakesInits = }] # !if(takesInits, "true", "false")
    # [{;
    bool hasTensorSemantics() {
      return ::llvm::isa<::mlir::TensorType>(
          getOperation()->getOperand(0).getType());
    }
  }];
  let extraClassDefinition = [{
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::SideEffects::EffectInstance<
            ::mlir::MemoryEffects::Effect>> &effects) {
      getDestinationEffects(*this, kTakesInits, effects);
    }
    ::mlir::Speculation::Speculatability $cppClass::getSpeculatability() {
      return getSpeculatabilityOfShapes(getOperation());
    }
    ::llvm::LogicalResult $cppClass::reifyResultShapes(
        ::mlir::OpBuilder &builder,
        ::mlir::ReifiedRankedShapedTypeDims &reifiedReturnShapes) {
      return reifyInits(builder, *this, reifiedReturnShapes);
    }
  }];
}

def MHA_OnlineAttentionOp : MHA_DestinationOp<"online_attention",
    /*takesInits=*/true, [
    AttrSizedOperandSegments, MHA_AttentionOpInterface]> {
  let summary = "Takes more keys into the state of a softmax";
  let description = [{
    The open form of attention, which can be split along the keys. A state of
    each query is what its softmax needs to know of the keys that it has met:

        row_max = max over them of S[j]
        row_sum = sum over them of exp(S[j] - row_max)
        acc[n]  = sum over them of exp(S[j] - row_max) * V[b, h floordiv G, j, n]

    with the scores S of `mha.attention`, in natural units. The op takes its keys
    into the state: m' = max(row_max, max over j of S[j]), and

        row_sum' = exp(row_max - m') * row_sum + sum over j of exp(S[j] - m')
        acc'     = exp(row_max - m') * acc + sum over j of exp(S[j] - m') * V[j]

    Before any key the state is (acc, row_max, row_sum) = (0, -inf, 0), and
    exp(-inf - -inf) counts as 0. `mha.finalize` makes an output of a state, and
    `mha.merge` one state of several.

    | Value        | Shape                 | Meaning                           |
    |--------------|-----------------------|-----------------------------------|
    | `query` to   | as in `mha.attention` | of this op's keys; with an origin |
    | `origin`     |                       | of the whole problem's            |
    | `num_keys`   | scalar                | keys of the whole problem; without|
    |              |                       | it, this op's keys are the last   |
    | `acc`        | B x Hq x Sq x Dv      | f32, or f64 for f64               |
    | `row_max`    | B x Hq x Sq           | natural units; type of `acc`      |
    | `row_sum`    | B x Hq x Sq           | type of `acc`                     |

    The operands of the state are destinations: on tensors the results are the
    new state, on memrefs it is written in place. A sink is no key, it enters in
    `mha.finalize`. A weight is rounded to the type of the values before it
    multiplies one.

    Constraints: C1 to C6, C9 to C15 and C18 to C20 of `mha.attention`, and
      (C22) `acc` has shape (B, Hq, Sq, Dv), `row_max` and `row_sum` have
            (B, Hq, Sq); all have element type f32, or f64 when `query` has f64.
      (C23) `num_keys` comes with an `origin`.

    Example:

    ```mlir
    %a1, %m1, %s1 = mha.online_attention query(%q : tensor<1x8x16x64xf32>, bhsd)
        key(%k : tensor<1x2x128x64xf32>, bhsd)
        value(%v : tensor<1x2x128x64xf32>, bhsd) mask<causal> align(top_left)
        origin(%c0, %c0, %i, %j)
        state(%a0, %m0, %s0 : tensor<1x8x16x64xf32>, tensor<1x8x16xf32>,
              tensor<1x8x16xf32>)
        -> tensor<1x8x16x64xf32>, tensor<1x8x16xf32>, tensor<1x8x16xf32>
    ```

    Source: Milakov and Gimelshein 2018, algorithm 3; Dao et al. 2022, algorithm 1.
  }];

  let arguments = (ins
    MHA_HeadsTensor:$query, MHA_HeadsTensor:$key, MHA_HeadsTensor:$value,
    Optional<MHA_DenseMask>:$dense_mask,
    Optional<MHA_PerBatch>:$kv_lengths,
    Optional<MHA_QueryOffset>:$query_offset,
    Optional<AnyFloat>:$scale_value,
    Optional<MHA_PerHead>:$slopes,
    Optional<MHA_PerHeadTable>:$relative_table,
    Variadic<Index>:$origin,
    Optional<Index>:$num_keys,
    MHA_Accumulator:$acc, MHA_RowStatistic:$row_max, MHA_RowStatistic:$row_sum,
    MHA_LayoutAttr:$query_layout, MHA_LayoutAttr:$key_layout,
    MHA_LayoutAttr:$value_layout,
    OptionalAttr<MHA_MaskAttr>:$mask,
    OptionalAttr<MHA_AlignAttr>:$align,
    OptionalAttr<F64Attr>:$scale,
    OptionalAttr<MHA_BiasAttr>:$bias,
    OptionalAttr<F64Attr>:$softcap);
  let results = (outs Variadic<AnyRankedTensor>:$state);

  let assemblyFormat = [{
    `query` `(` $query `:` type($query) `,` custom<Layout>($query_layout) `)`
    `key` `(` $key `:` type($key) `,` custom<Layout>($key_layout) `)`
    `value` `(` $value `:` type($value) `,` custom<Layout>($value_layout) `)`
    (`mask` `` $mask^)?
    (`align` `(` custom<Align>($align)^ `)`)?
    (`scale` `(` custom<Scale>($scale, $scale_value, type($scale_value))^ `)`)?
    (`dense_mask` `(` $dense_mask^ `:` type($dense_mask) `)`)?
    (`lengths` `(` $kv_lengths^ `:` type($kv_lengths) `)`)?
    (`query_offset` `(` $query_offset^ `:` type($query_offset) `)`)?
    (`bias` `` $bias^)?
    (`slopes` `(` $slopes^ `:` type($slopes) `)`)?
    (`relative_table` `(` $relative_table^ `:` type($relative_table) `)`)?
    (`softcap` `(` $softcap^ `)`)?
    (`origin` `(` $origin^ `)`)?
    (`num_keys` `(` $num_keys^ `)`)?
    attr-dict
    `state` `(` $acc `,` $row_max `,` $row_sum `:` type($acc) `,`
                type($row_max) `,` type($row_sum) `)`
    (`->` type($state)^)?
  }];

  let extraClassDeclaration = sharedDeclaration # [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return {getOperation(), getODSOperandIndexAndLength(odsIndex_acc).first,
              3};
    }
  }];
}

def MHA_MergeOp : MHA_DestinationOp<"merge", /*takesInits=*/true> {
  let summary = "Takes the states of other keys into a state";
  let description = [{
    Merges a state of queries with P others, each over keys of its own, in the
    order of these parts: m' = max(row_max, max over p of part_max[p]), and

        row_sum' = exp(row_max - m') * row_sum
                   + sum over p of exp(part_max[p] - m') * part_sum[p]
        acc'     = exp(row_max - m') * acc
                   + sum over p of exp(part_max[p] - m') * part_acc[p]

    A part without visible keys, whose maximum is -inf, adds nothing. The parts
    are results of `mha.online_attention` with a first dimension P, which may be
    0. The state's operands are destinations, as there.

    Constraints:
      (C24) All operands are tensors, or all are memrefs; all have one element
            type. The parts have shapes (P, B, Hq, Sq, Dv) and (P, B, Hq, Sq),
            and the state has them without P.

    Example:

    ```mlir
    %a, %m, %s = mha.merge
        parts(%pa, %pm, %ps : tensor<4x1x8x1x64xf32>, tensor<4x1x8x1xf32>,
              tensor<4x1x8x1xf32>)
        state(%a0, %m0, %s0 : tensor<1x8x1x64xf32>, tensor<1x8x1xf32>,
              tensor<1x8x1xf32>)
        -> tensor<1x8x1x64xf32>, tensor<1x8x1xf32>, tensor<1x8x1xf32>
    ```

    Source: Milakov and Gimelshein 2018, eq. (4); Dao et al. 2023, Flash-Decoding.
  }];
  let arguments = (ins
    MHA_PartialAccumulators:$parts_acc, MHA_PartialStatistic:$parts_max,
    MHA_PartialStatistic:$parts_sum,
    MHA_Accumulator:$acc, MHA_RowStatistic:$row_max, MHA_RowStatistic:$row_sum);
  let results = (outs Variadic<AnyRankedTensor>:$state);
  let assemblyFormat = [{
    `parts` `(` $parts_acc `,` $parts_max `,` $parts_sum `:` type($parts_acc)
                `,` type($parts_max) `,` type($parts_sum) `)`
    attr-dict
    `state` `(` $acc `,` $row_max `,` $row_sum `:` type($acc) `,`
                type($row_max) `,` type($row_sum) `)`
    (`->` type($state)^)?
  }];
  let extraClassDeclaration = sharedDeclaration # [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return {getOperation(), 3, 3};
    }
  }];
}

def MHA_FinalizeOp : MHA_DestinationOp<"finalize",
    /*takesInits=*/false, [AttrSizedOperandSegments]> {
  let summary = "Makes the output of a state";
  let description = [{
    The end of attention, when all keys are in the state:

        O[b, h, i, n] = acc / (row_sum + exp(sink[h] - row_max))
        lse[b, h, i]  = log(exp(row_max) * row_sum + exp(sink[h]))

    without the terms of the sink where there is none. A query that has met no
    visible key has output 0, whatever its sink is, and lse -inf or sink[h].

    | Value     | Shape            | Meaning                                   |
    |-----------|------------------|-------------------------------------------|
    | `acc`     | B x Hq x Sq x Dv | the state, see `mha.online_attention`     |
    | `row_max` | B x Hq x Sq      |                                           |
    | `row_sum` | B x Hq x Sq      |                                           |
    | `sink`    | Hq               | in natural units                          |
    | `output_init` | B x Hq x Sq x Dv | in `output_layout`; any float type    |
    | `lse_init` | B x Hq x Sq     | natural log; the type of the state        |

    Constraints:
      (C25) All operands are tensors, or all are memrefs. The state has one
            element type and shapes (B, Hq, Sq, Dv) and (B, Hq, Sq); the output
            has the first in its layout and f16, bf16, f32 or f64, with f64 if and
            only if the state has it; the lse has the second and the type of the
            state.
      (C26) `sink` has a value for each query head, in f16, bf16, f32 or f64.

    Example:

    ```mlir
    %o = mha.finalize
        state(%a, %m, %s : tensor<1x8x16x64xf32>, tensor<1x8x16xf32>,
              tensor<1x8x16xf32>)
        outs(%o0 : tensor<1x16x8x64xbf16>, bshd) -> tensor<1x16x8x64xbf16>
    ```

    Source: Dao et al. 2022, algorithm 1; sinks: Xiao et al. 2024.
  }];
  let arguments = (ins
    MHA_Accumulator:$acc, MHA_RowStatistic:$row_max, MHA_RowStatistic:$row_sum,
    Optional<MHA_PerHead>:$sink,
    MHA_HeadsTensor:$output_init, Optional<MHA_RowStatistic>:$lse_init,
    MHA_LayoutAttr:$output_layout);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat = [{
    `state` `(` $acc `,` $row_max `,` $row_sum `:` type($acc) `,`
                type($row_max) `,` type($row_sum) `)`
    (`sink` `(` $sink^ `:` type($sink) `)`)?
    attr-dict
    `outs` `(` $output_init `:` type($output_init) `,`
               custom<Layout>($output_layout)
               (`,` `lse` $lse_init^ `:` type($lse_init))? `)`
    (`->` type($outputs)^)?
  }];
  let extraClassDeclaration = sharedDeclaration # [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return {getOperation(),
              getODSOperandIndexAndLength(odsIndex_output_init).first,
              getLseInit() ? 2u : 1u};
    }
  }];
}

//===----------------------------------------------------------------------===//
// YieldOp
//===----------------------------------------------------------------------===//

def MHA_YieldOp : MHA_Op<"yield", [
    Pure, Terminator, ReturnLike, HasParent<"AttentionOp">
  ]> {
  let summary = "Ends a region of an attention op";
  let description = [{
    Yields the value of the `score`, `visible` or `prob` region for one query
    and one key.

    ```mlir
    mha.yield %capped : f32
    ```
  }];
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

//===----------------------------------------------------------------------===//
// Scratch memory
//===----------------------------------------------------------------------===//

def MHA_ScratchOp : MHA_Op<"scratch"> {
  let summary = "A buffer of this worker alone";
  let description = [{
    A buffer of static shape inside the share of the workspace that belongs to
    the worker that runs the enclosing item of parallel work. Its contents are
    undefined at first, and it ends with the item. It is never an allocation:
    `mha-outline-parallel` makes it a view of the workspace that the caller of
    the compiled function gives.

    Constraints: the buffer is contiguous and in the default memory space; its
    elements are signless integers, index, f16, bf16, f32 or f64, at most 2^31
    of them.

    ```mlir
    %p = mha.scratch : memref<128x64xf32>
    ```
  }];
  // An effect, so that two buffers of one type are never merged; that of the
  // stack, so that nobody frees them.
  let results = (outs Res<AnyStaticShapeMemRef, "",
                          [MemAlloc<AutomaticAllocationScopeResource>]>:$buffer);
  let assemblyFormat = "attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def MHA_ScratchSizeOp : MHA_Op<"scratch_size", [Pure]> {
  let summary = "Bytes of workspace that one worker needs";
  let description = [{
    The share of the workspace of one worker, in bytes: that of the most
    demanding item of parallel work in the module. `mha-outline-parallel`, which
    knows all `mha.scratch`, makes it a constant; 0 where there are none.

    ```mlir
    %bytes = mha.scratch_size : i64
    ```
  }];
  let results = (outs I64:$bytes);
  let assemblyFormat = "attr-dict `:` type($bytes)";
}

include "mha/IR/MHALayerOps.td"

#endif // MHA_IR_MHAOPS_TD
