//===- MHAOps.td - Operations of the mha dialect ----------*- tablegen -*--===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_IR_MHAOPS_TD
#define MHA_IR_MHAOPS_TD

include "mha/IR/MHASchedule.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
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

//===----------------------------------------------------------------------===//
// AttentionOp
//===----------------------------------------------------------------------===//

def MHA_AttentionOp : MHA_Op<"attention", [
    AttrSizedOperandSegments,
    AttrSizedResultSegments,
    // Captures are operands, so a kernel can be outlined by cloning the op.
    IsolatedFromAbove,
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

    Keys are hidden by position (`mask`, see `#mha.mask`), by `kv_lengths`
    (key j is visible when j < length(b)) and by `dense_mask`. Positions count
    from where `align` says, see `#mha.align`; a `query_offset` saturates at +-2^61. A tile
    carries the `origin` of its first element; its `dense_mask` is a part of the
    problem's, its `kv_lengths`, `query_offset`, `slopes`, `relative_table` and
    `sink` stay those of the whole problem, and its keys reach to the end of the problem's keys. On tensors `outs` is optional and only lends its
    buffer, every element is overwritten; on memrefs it is required, must not
    overlap another operand, and there are no results.

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
    /// Whether the op is on tensors (and has results) or on memrefs.
    bool hasTensorSemantics() {
      return ::llvm::isa<::mlir::TensorType>(getQuery().getType());
    }
    /// Whether `operand` is one of `outs`. These come last.
    bool isDestination(::mlir::OpOperand &operand) {
      return operand.getOperandNumber() >=
             getODSOperandIndexAndLength(odsIndex_output_init).first;
    }
    /// The destination that lends its buffer to `result`, null when there is
    /// none.
    ::mlir::OpOperand *getDestination(::mlir::OpResult result);
    /// Whether some key is shown or biased by its distance from the query.
    bool isPositional() { return getMaskAttr() || getBiasAttr(); }
    /// Whether all batch entries of the queries read one of keys and values.
    bool sharesKeysInBatch();
    /// The type of products, sums and the softmax: f64 for f64, else f32.
    ::mlir::FloatType getComputeType();
    /// Where positions count from: `align`, or top_left by the square default
    /// of C10.
    ::mlir::mha::Align getEffectiveAlign() {
      return getAlign().value_or(::mlir::mha::Align::TopLeft);
    }
  }];

  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
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

#endif // MHA_IR_MHAOPS_TD
