//===- MHALayerOps.td - What surrounds attention ----------*- tablegen -*--===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part of MHAOps.td, which includes it.
//
//===----------------------------------------------------------------------===//

#ifndef MHA_IR_MHALAYEROPS_TD
#define MHA_IR_MHALAYEROPS_TD

include "mha/IR/MHAOps.td"

def MHA_ProjectionInput : MHA_ShapedOfRank<[2, 3], [AnyFloat],
    "tensor or memref of rank 2 or 3 of floats">;
def MHA_ProjectionWeight : MHA_ShapedOfRank<[2], [AnyFloat],
    "tensor or memref of rank 2 of floats">;
def MHA_ProjectionBias : MHA_ShapedOfRank<[1], [AnyFloat],
    "tensor or memref of rank 1 of floats">;
def MHA_UnsplitHeads : MHA_ShapedOfRank<[4], [AnyFloat],
    "tensor or memref of rank 4 of floats">;

//===----------------------------------------------------------------------===//
// Projections
//===----------------------------------------------------------------------===//

def MHA_ProjectionOp : MHA_DestinationOp<"projection", /*takesInits=*/false,
    [AttrSizedOperandSegments]> {
  let summary = "A linear map with an optional bias and residual";
  let description = [{
    Maps the last dimension of `input`, as the linear layers around attention do:

        Y[..., o] = sum over e of X[..., e] * W[o, e] + bias[o] + R[..., o]

    | Value    | Shape                 | Meaning                                |
    |----------|-----------------------|----------------------------------------|
    | `input`  | S x E or B x S x E    | X                                      |
    | `weight` | O x E, layout `oe`,   | W; `oe` is that of `torch.nn.Linear`,  |
    |          | or E x O, layout `eo` | `eo` that of ONNX's MatMul             |
    | `bias`   | O                     |                                        |
    | `residual` | like the output     | R                                      |
    | `output` | like `input` with O   | any of the float types                 |

    Products and sums are in f32, or f64 where the input has that; the output is
    rounded once. Element types are independent otherwise: f16, bf16, f32, f64.

    Constraints:
      (C27) All operands are tensors, or all are memrefs, where the destination
            overlaps no other operand. The ranks of `input`, `residual` and the
            output agree, and so do B and S; E agrees in `input` and `weight`; O
            agrees in `weight`, `bias`, `residual` and the output.
      (C28) All operands have f64, or none.

    Example:

    ```mlir
    %y = mha.projection input(%x : tensor<2x7x64xbf16>)
           weight(%w : tensor<96x64xbf16>, oe) bias(%b : tensor<96xf32>)
           outs(%y0 : tensor<2x7x96xbf16>) -> tensor<2x7x96xbf16>
    ```

    Source: Vaswani et al. 2017, section 3.2.2.
  }];
  let arguments = (ins
    MHA_ProjectionInput:$input, MHA_ProjectionWeight:$weight,
    Optional<MHA_ProjectionBias>:$bias,
    Optional<MHA_ProjectionInput>:$residual,
    MHA_ProjectionInput:$output_init,
    MHA_WeightLayoutAttr:$weight_layout);
  let results = (outs Variadic<AnyRankedTensor>:$output);
  let assemblyFormat = [{
    `input` `(` $input `:` type($input) `)`
    `weight` `(` $weight `:` type($weight) `,`
                 custom<WeightLayout>($weight_layout) `)`
    (`bias` `(` $bias^ `:` type($bias) `)`)?
    (`residual` `(` $residual^ `:` type($residual) `)`)?
    attr-dict
    `outs` `(` $output_init `:` type($output_init) `)`
    (`->` type($output)^)?
  }];
  let extraClassDeclaration = sharedDeclaration # [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getOutputInitMutable();
    }
  }];
}

def MHA_QKVProjectionOp : MHA_DestinationOp<"qkv_projection",
    /*takesInits=*/false, [AttrSizedOperandSegments]> {
  let summary = "Several linear maps of one input, in one weight";
  let description = [{
    The projections of self attention with their weights behind one another: the
    output channels of `weight` and `bias` are those of the first result, then of
    the second, and so on. Results may have unequal widths, as grouped attention
    has them.

        Y_n[..., o] = sum over e of X[..., e] * W[o_n + o, e] + bias[o_n + o]
        o_n = the widths of the results before result n

    | Value     | Shape                 | Meaning                               |
    |-----------|-----------------------|---------------------------------------|
    | `input`   | S x E or B x S x E    | X                                     |
    | `weight`  | O x E, layout `oe`,   | W, as in `mha.projection`             |
    |           | or E x O, layout `eo` |                                       |
    | `bias`    | O                     |                                       |
    | `outputs` | like `input`, with    | any of the float types                |
    |           | widths that add to O  |                                       |

    Numerics are those of `mha.projection`.

    Constraints:
      (C31) C27 and C28 hold for each result and its part of `weight` and `bias`;
            the memory of the weight is strided.
      (C32) There is a result, none is known to be empty, and their widths add up
            to O.

    Example:

    ```mlir
    %q, %k, %v = mha.qkv_projection input(%x : tensor<2x7x64xf32>)
        weight(%w : tensor<96x64xf32>, oe)
        outs(%q0, %k0, %v0 : tensor<2x7x64xf32>, tensor<2x7x16xf32>, tensor<2x7x16xf32>)
        -> tensor<2x7x64xf32>, tensor<2x7x16xf32>, tensor<2x7x16xf32>
    ```

    Source: Vaswani et al. 2017, section 3.2.2; packed as `in_proj_weight` of
    `torch.nn.MultiheadAttention`.
  }];
  let arguments = (ins
    MHA_ProjectionInput:$input, MHA_ProjectionWeight:$weight,
    Optional<MHA_ProjectionBias>:$bias,
    Variadic<MHA_ProjectionInput>:$output_inits,
    MHA_WeightLayoutAttr:$weight_layout);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat = [{
    `input` `(` $input `:` type($input) `)`
    `weight` `(` $weight `:` type($weight) `,`
                 custom<WeightLayout>($weight_layout) `)`
    (`bias` `(` $bias^ `:` type($bias) `)`)?
    attr-dict
    `outs` `(` $output_inits `:` type($output_inits) `)`
    (`->` type($outputs)^)?
  }];
  let extraClassDeclaration = sharedDeclaration # [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getOutputInitsMutable();
    }
  }];
}

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

def MHA_RepeatKVOp : MHA_DestinationOp<"repeat_kv", /*takesInits=*/false> {
  let summary = "Repeats each key/value head for the query heads that share it";
  let description = [{
    Writes out what grouped attention reads in place: each head G times, one
    behind the other,

        R[b, h, j, d] = X[b, h floordiv G, j, d]

    in the layout of the input. Programs that know no grouped attention have it in
    front of an attention with as many key/value heads as query heads.

    | Value    | Shape                | Meaning                       |
    |----------|----------------------|-------------------------------|
    | `input`  | B x Hkv x Sk x D     | in `layout`                   |
    | `output` | B x Hkv * G x Sk x D | in `layout`, of the same type |

    Constraints:
      (C29) Both are tensors, or both memrefs that do not overlap, of one element
            type; the layout does not split the heads. B, Sk and D agree, and the output has G
            times the heads of the input.
      (C30) G, `times`, is at least 1.

    Example:

    ```mlir
    %r = mha.repeat_kv %k : tensor<1x2x128x64xf32>, bhsd times 4
           outs(%r0 : tensor<1x8x128x64xf32>) -> tensor<1x8x128x64xf32>
    ```

    Source: Ainslie et al. 2023, section 2.2.
  }];
  let arguments = (ins MHA_UnsplitHeads:$input, MHA_UnsplitHeads:$output_init,
                       MHA_LayoutAttr:$layout, I64Attr:$times);
  let results = (outs Variadic<AnyRankedTensor>:$output);
  let assemblyFormat = [{
    $input `:` type($input) `,` custom<Layout>($layout) `times` $times attr-dict
    `outs` `(` $output_init `:` type($output_init) `)`
    (`->` type($output)^)?
  }];
  let extraClassDeclaration = sharedDeclaration # [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getOutputInitMutable();
    }
  }];
}

def MHA_RotaryTable : MHA_ShapedOfRank<[2, 3], [AnyFloat],
    "tensor or memref of rank 2 or 3 of floats">;
def MHA_PositionIds : MHA_ShapedOfRank<[2], [I64],
    "tensor or memref (B, S) of i64">;

def MHA_RotaryEmbeddingOp : MHA_DestinationOp<"rotary_embedding",
    /*takesInits=*/false, [AttrSizedOperandSegments]> {
  let summary = "Turns pairs of each head by angles of the position";
  let description = [{
    Rotary position embedding of queries or keys. With R the rotary size, pair m of
    a head, 0 <= m < R / 2, at position p turns by an angle a(p, m):

        Y[x(m)] = X[x(m)] * cos a - X[y(m)] * sin a
        Y[y(m)] = X[x(m)] * sin a + X[y(m)] * cos a

    where x(m) = m and y(m) = m + R / 2, or, `interleaved`, x(m) = 2 m and
    y(m) = 2 m + 1. Elements from R on stay as they are. The position is that of
    `position_ids`, or else p(b, i) = offset(b) + i, with an `offset` of 0 where there is
    none. Angles are computed, a(p, m) = p * theta^(-2 m / R), or come as tables
    of their cosines and sines: row p of tables of rank 2, and row (b, i) of
    tables of rank 3, which know no positions. A position outside of a table makes
    NaN of its row.

    | Value          | Shape          | Meaning                              |
    |----------------|----------------|--------------------------------------|
    | `input`        | B x H x S x D  | X, in `layout`                       |
    | `cos` `sin`    | P x R / 2, or B x S x R / 2 | tables                  |
    | `position_ids` | B x S          | positions                            |
    | `offset`       | scalar or B    | position of element 0                |
    | `output`       | B x H x S x D  | Y, in `layout`, of the input's type  |

    Products and sums are in f32, or f64 where the input has that, and are rounded
    once; angles are in f64 always, and their cosines and sines rounded from that:
    in f32 an angle of position 100000 has no digit behind the point that is right.

    Constraints:
      (C42) All shaped operands are tensors, or all are memrefs, where the
            destination overlaps no other operand. The layout does not split the
            heads; the output has the shape and element type of the input, and D
            is static.
      (C43) R, `rotary_dim`, is even and from 2 to D; without it R is D.
      (C44) There is a `theta`, positive and finite, or both `cos` and `sin`, of
            the same shape, with R / 2 columns and, of rank 2, at least one row.
      (C45) There are no `position_ids` beside an `offset`, and neither beside tables
            of rank 3. B and S agree in all that have them.
      (C46) All of `input`, `cos` and `sin` have f64, or none.

    Example:

    ```mlir
    %r = mha.rotary_embedding %q : tensor<1x8x?x64xf32>, bhsd theta(10000.0)
           offset(%past : i64) outs(%r0 : tensor<1x8x?x64xf32>)
           -> tensor<1x8x?x64xf32>
    ```

    Source: Su et al. 2021, eq. (34), in the two orders of pairs of GPT-J
    (interleaved) and GPT-NeoX; ONNX RotaryEmbedding, opset 23.
  }];
  let arguments = (ins
    MHA_UnsplitHeads:$input,
    Optional<MHA_RotaryTable>:$cos, Optional<MHA_RotaryTable>:$sin,
    Optional<MHA_PositionIds>:$position_ids,
    Optional<MHA_QueryOffset>:$offset,
    MHA_UnsplitHeads:$output_init,
    MHA_LayoutAttr:$layout, UnitAttr:$interleaved,
    OptionalAttr<I64Attr>:$rotary_dim, OptionalAttr<F64Attr>:$theta);
  let results = (outs Variadic<AnyRankedTensor>:$output);
  let assemblyFormat = [{
    $input `:` type($input) `,` custom<Layout>($layout)
    (`interleaved` $interleaved^)?
    (`rotary_dim` `(` $rotary_dim^ `)`)?
    (`theta` `(` $theta^ `)`)?
    (`cos` `(` $cos^ `:` type($cos) `)`)?
    (`sin` `(` $sin^ `:` type($sin) `)`)?
    (`position_ids` `(` $position_ids^ `:` type($position_ids) `)`)?
    (`offset` `(` $offset^ `:` type($offset) `)`)?
    attr-dict
    `outs` `(` $output_init `:` type($output_init) `)`
    (`->` type($output)^)?
  }];
  let extraClassDeclaration = sharedDeclaration # [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getOutputInitMutable();
    }
    /// R.
    int64_t getRotarySize();
  }];
}

//===----------------------------------------------------------------------===//
// The layer
//===----------------------------------------------------------------------===//

def MHA_LayerInput : TensorRankOf<[AnyFloat], [3]>;
def MHA_LayerWeight : TensorRankOf<[AnyFloat], [2]>;
def MHA_LayerVector : TensorRankOf<[AnyFloat], [1]>;
def MHA_KeyPadding : TensorRankOf<[AnyFloat, I1], [2]>;

def MHA_LayerOp : MHA_Op<"layer", [
    AttrSizedOperandSegments, NoMemoryEffect,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>]> {
  let summary = "Multi-head attention as a layer, with its projections";
  let description = [{
    Multi-head attention as models have it: projections into heads, attention, and
    the projection of what the heads find,

        Q = X_q W_Q^T + b_Q      K = X_k W_K^T + b_K      V = X_v W_V^T + b_V
        O_h = g_h * attention(Q_h, K_(h floordiv G), V_(h floordiv G))
        Y = concat(O_0, O_1, ...) W_O^T + b_O + residual

    where channel c of a projection belongs to head c floordiv D, and attention is
    `mha.attention`. It is `torch.nn.MultiheadAttention`, generalised to grouped
    heads, and defined by `mha-decompose-layer`: tensors only.

    | Value          | Shape             | Meaning                              |
    |----------------|-------------------|--------------------------------------|
    | `query`        | B x Sq x E_q      | X_q                                  |
    | `key`          | B x Sk x E_k      | X_k; without it, `query`             |
    | `value`        | B x Sk x E_v      | X_v; without it, the key             |
    | `w_q` `w_k` `w_v` | Hq * D x E_q, Hkv * D x E_k, Hkv * Dv x E_v | in layout    |
    |                |                   | `oe`, or the other way round in `eo` |
    | `w_qkv`        | (Hq + 2 Hkv) * D x E | in place of these three, Dv = D   |
    | `w_o`          | E_o x Hq * Dv     |                                      |
    | `b_q` `b_k` `b_v` `b_o` | outputs of their weights |                      |
    | `b_qkv`        | all of b_q, b_k, b_v behind one another |                |
    | `extra_key`    | Hkv * D           | a key for all queries, seen whatever |
    | `extra_value`  | Hkv * Dv          | masks say (torch: `add_bias_kv`)     |
    | `dense_mask`   | broadcasts to     | as in `mha.attention`                |
    |                | (B, Hq, Sq, Sk)   |                                      |
    | `key_padding`  | B x Sk            | i1: `hidden` says that true hides a  |
    |                |                   | key (torch), `visible` that it shows |
    |                |                   | it; a float is added                 |
    | `kv_lengths`, `query_offset` |     | as in `mha.attention`                |
    | `head_gate`    | Hq or B x Hq      | g; of i1: false makes O_h zero       |
    | `residual`     | like the output   |                                      |
    | `output`       | B x Sq x E_o      | of the query's element type          |

    With `sequence_first` the dimensions B and S of all inputs, the residual and the
    output stand the other way round. `zero_attn` adds a key and a value of zeros
    that every query sees (torch: `add_zero_attn`). Neither one more key nor this
    one is ever written behind the others: they are a state and a sink. `mask`,
    `align` and `scale` are those of `mha.attention`; the extra key has the scale.

    Q, K and V are rounded to the types of their inputs, the heads' outputs to that of
    the query before and behind the gate. The rest is as in `mha.projection` and
    `mha.attention`. A dense mask beside a key padding is written out for all
    batch entries.

    Constraints:
      (C33) `heads` is from 1 to 65536, and a multiple of `kv_heads`. The sizes of
            weights are at least 1, and static but for E of the inputs.
      (C34) There are `w_q`, `w_k` and `w_v`, or `w_qkv`, each with its layout;
            `b_qkv` stands beside none of
            b_q, b_k and b_v. `w_qkv` splits into Hq + 2 Hkv heads, and all inputs
            have its E.
      (C35) Each projection has the shape of the table, and its bias as many
            elements as it has outputs. D agrees in Q and K.
      (C36) B, Sq and Sk agree in all that have them: only dense masks broadcast.
      (C37) `extra_key` and `extra_value` come together.
      (C38) `key_padding` has a polarity if and only if it is of i1.
      (C39) The output has the query's element type, the residual the output's
            shape.
      (C40) C10, C11, C13, C14 and C18 hold for the attention.
      (C41) All float inputs, weights, biases, extra keys and values, the residual
            and the output have f64, or none; masks, gates and scales are free.

    Weights as a result, score regions and dropout are not in the signature yet.

    Example:

    ```mlir
    %y = mha.layer heads(8) kv_heads(2) query(%x : tensor<2x7x64xf32>)
           w_qkv(%w : tensor<96x64xf32>, oe) w_o(%wo : tensor<64x64xf32>, oe)
           b_o(%bo : tensor<64xf32>) mask<causal> residual(%x : tensor<2x7x64xf32>)
           -> tensor<2x7x64xf32>
    ```

    Source: Vaswani et al. 2017, section 3.2.2; Ainslie et al. 2023; the flags of
    `torch.nn.MultiheadAttention`; head gates: Michel et al. 2019, section 2.
  }];
  let arguments = (ins
    MHA_LayerInput:$query,
    Optional<MHA_LayerInput>:$key, Optional<MHA_LayerInput>:$value,
    Optional<MHA_LayerWeight>:$w_q, Optional<MHA_LayerWeight>:$w_k,
    Optional<MHA_LayerWeight>:$w_v, Optional<MHA_LayerWeight>:$w_qkv,
    MHA_LayerWeight:$w_o,
    Optional<MHA_LayerVector>:$b_q, Optional<MHA_LayerVector>:$b_k,
    Optional<MHA_LayerVector>:$b_v, Optional<MHA_LayerVector>:$b_qkv,
    Optional<MHA_LayerVector>:$b_o,
    Optional<MHA_LayerVector>:$extra_key,
    Optional<MHA_LayerVector>:$extra_value,
    Optional<AnyFloat>:$scale_value,
    Optional<MHA_DenseMask>:$dense_mask,
    Optional<MHA_KeyPadding>:$key_padding,
    Optional<MHA_PerBatch>:$kv_lengths,
    Optional<MHA_QueryOffset>:$query_offset,
    Optional<MHA_HeadGate>:$head_gate,
    Optional<MHA_LayerInput>:$residual,
    I64Attr:$num_heads, OptionalAttr<I64Attr>:$num_kv_heads,
    OptionalAttr<MHA_WeightLayoutAttr>:$w_q_layout,
    OptionalAttr<MHA_WeightLayoutAttr>:$w_k_layout,
    OptionalAttr<MHA_WeightLayoutAttr>:$w_v_layout,
    OptionalAttr<MHA_WeightLayoutAttr>:$w_qkv_layout,
    MHA_WeightLayoutAttr:$w_o_layout,
    UnitAttr:$sequence_first, UnitAttr:$zero_attn,
    OptionalAttr<MHA_MaskAttr>:$mask,
    OptionalAttr<MHA_AlignAttr>:$align,
    OptionalAttr<F64Attr>:$scale,
    OptionalAttr<MHA_PolarityAttr>:$polarity);
  let results = (outs MHA_LayerInput:$output);
  let assemblyFormat = [{
    `heads` `(` $num_heads `)` (`kv_heads` `(` $num_kv_heads^ `)`)?
    `query` `(` $query `:` type($query) `)`
    (`key` `(` $key^ `:` type($key) `)`)?
    (`value` `(` $value^ `:` type($value) `)`)?
    (`sequence_first` $sequence_first^)?
    (`w_q` `(` $w_q^ `:` type($w_q) `,` custom<WeightLayout>($w_q_layout) `)`)?
    (`w_k` `(` $w_k^ `:` type($w_k) `,` custom<WeightLayout>($w_k_layout) `)`)?
    (`w_v` `(` $w_v^ `:` type($w_v) `,` custom<WeightLayout>($w_v_layout) `)`)?
    (`w_qkv` `(` $w_qkv^ `:` type($w_qkv) `,`
                 custom<WeightLayout>($w_qkv_layout) `)`)?
    `w_o` `(` $w_o `:` type($w_o) `,` custom<WeightLayout>($w_o_layout) `)`
    (`b_q` `(` $b_q^ `:` type($b_q) `)`)?
    (`b_k` `(` $b_k^ `:` type($b_k) `)`)?
    (`b_v` `(` $b_v^ `:` type($b_v) `)`)?
    (`b_qkv` `(` $b_qkv^ `:` type($b_qkv) `)`)?
    (`b_o` `(` $b_o^ `:` type($b_o) `)`)?
    (`extra_key` `(` $extra_key^ `:` type($extra_key) `)`)?
    (`extra_value` `(` $extra_value^ `:` type($extra_value) `)`)?
    (`zero_attn` $zero_attn^)?
    (`mask` `` $mask^)?
    (`align` `(` custom<Align>($align)^ `)`)?
    (`scale` `(` custom<Scale>($scale, $scale_value, type($scale_value))^ `)`)?
    (`dense_mask` `(` $dense_mask^ `:` type($dense_mask) `)`)?
    (`key_padding` `(` $key_padding^ `:` type($key_padding) ``
                       custom<Polarity>($polarity) `)`)?
    (`lengths` `(` $kv_lengths^ `:` type($kv_lengths) `)`)?
    (`query_offset` `(` $query_offset^ `:` type($query_offset) `)`)?
    (`head_gate` `(` $head_gate^ `:` type($head_gate) `)`)?
    (`residual` `(` $residual^ `:` type($residual) `)`)?
    attr-dict `->` type($output)
  }];
  let extraClassDeclaration = [{
    /// Hq, and Hkv.
    int64_t getHeads() { return getNumHeads(); }
    int64_t getKVHeads() {
      return getNumKvHeads() ? int64_t(*getNumKvHeads()) : getHeads();
    }
    /// D, and Dv.
    int64_t getHeadDim();
    int64_t getValueDim();
    ::mlir::Value getKeyInput() { return getKey() ? getKey() : getQuery(); }
    ::mlir::Value getValueInput() {
      return getValue() ? getValue() : getKeyInput();
    }
  }];
  let hasVerifier = 1;
}

#endif // MHA_IR_MHALAYEROPS_TD
