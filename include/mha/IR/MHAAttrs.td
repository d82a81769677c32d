//===- MHAAttrs.td - Attributes of the mha dialect --------*- tablegen -*--===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_IR_MHAATTRS_TD
#define MHA_IR_MHAATTRS_TD

include "mha/IR/MHADialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class MHA_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<MHA_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def MHA_LayoutAttr : MHA_Attr<"Layout", "layout"> {
  let summary = "the axes of a tensor type in order";
  let description = [{
    One letter for each dimension of the type, outermost first: `b` batch, `h`
    heads, `s` sequence, `d` head size. A permutation of `bhsd`, or a rank-5
    layout in which `k` (key/value heads) and `g` (group) stand for a split
    `h`: `bkgsd`, `bskgd`, `bksgd`.

    ```mlir
    #mha.layout<bshd>
    ```
  }];
  let parameters = (ins StringRefParameter<"axis letters">:$axes);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The dimension of the type that holds `axis`; the layout must have it.
    unsigned getDim(char axis) const { return getAxes().find(axis); }
    /// Whether `k` and `g` stand for `h`.
    bool splitsHeads() const { return getAxes().contains('k'); }
    unsigned getRank() const { return getAxes().size(); }
  }];
}

def MHA_MaskAttr : MHA_Attr<"Mask", "mask"> {
  let summary = "structured mask: which keys a query sees, by position";
  let description = [{
    With p the position of the query (docs/Conventions.md, "Query position"),
    `causal` shows key j when j <= p, and `window<l, r>` when
    p - l <= j <= p + r, so `window<3, 0>` shows at most 4 keys. Both together
    compose by "and".

    ```mlir
    #mha.mask<causal>
    #mha.mask<window<3, 0>>
    #mha.mask<causal, window<128, 128>>
    ```
  }];
  let parameters = (ins "bool":$causal,
                        "std::optional<int64_t>":$windowLeft,
                        "std::optional<int64_t>":$windowRight);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool hasWindow() const { return getWindowLeft().has_value(); }
  }];
}

def MHA_BiasKindAlibi : I32EnumAttrCase<"Alibi", 0, "alibi">;
def MHA_BiasKindAlibiSymmetric
    : I32EnumAttrCase<"AlibiSymmetric", 1, "alibi_symmetric">;
def MHA_BiasKindRelative : I32EnumAttrCase<"Relative", 2, "relative">;
def MHA_BiasKind
    : I32EnumAttr<"BiasKind", "how much the position adds to a score", [
        MHA_BiasKindAlibi, MHA_BiasKindAlibiSymmetric, MHA_BiasKindRelative
      ]> {
  let cppNamespace = "::mlir::mha";
  let genSpecializedAttr = 0;
}

def MHA_BiasAttr : MHA_Attr<"Bias", "bias"> {
  let summary = "positional bias: how much the position adds to a score";
  let description = [{
    `alibi` adds slope(h) * (j - p), `alibi_symmetric` adds -slope(h) * |j - p|
    (Press et al. 2022), `relative` adds table[h, clamp(j - p + origin, 0,
    n - 1)] of a `relative_table` of shape (Hq, n).

    ```mlir
    #mha.bias<alibi>
    #mha.bias<relative, origin = 7>
    ```
  }];
  let parameters = (ins "BiasKind":$kind,
                        DefaultValuedParameter<"int64_t", "0">:$origin);
  let assemblyFormat = "`<` $kind (`,` `origin` `=` $origin^)? `>`";
  let genVerifyDecl = 1;
}

def MHA_AlignTopLeft : I32EnumAttrCase<"TopLeft", 0, "top_left">;
def MHA_AlignBottomRight : I32EnumAttrCase<"BottomRight", 1, "bottom_right">;
def MHA_AlignExplicit : I32EnumAttrCase<"Explicit", 2, "explicit">;
def MHA_AlignEnd : I32EnumAttrCase<"End", 3, "end">;
def MHA_Align : I32EnumAttr<"Align", "where query 0 stands among the keys", [
    MHA_AlignTopLeft, MHA_AlignBottomRight, MHA_AlignExplicit, MHA_AlignEnd
  ]> {
  let cppNamespace = "::mlir::mha";
  let genSpecializedAttr = 0;
}

def MHA_AlignAttr : EnumAttr<MHA_Dialect, MHA_Align, "align"> {
  let description = [{
    The position of query i of batch entry b is p(b, i) = offset(b) + i, with
    length(b) the number of valid keys of that entry:

    * `top_left`: offset 0;
    * `bottom_right`: offset length(b) - Sq;
    * `explicit`: the `query_offset` operand;
    * `end`: length(b) + `query_offset`. It is `bottom_right` in a form that
      stays true when the op is tiled along its queries.
  }];
  let assemblyFormat = "`<` $value `>`";
}

def MHA_WeightLayoutOE : I32EnumAttrCase<"OE", 0, "oe">;
def MHA_WeightLayoutEO : I32EnumAttrCase<"EO", 1, "eo">;
def MHA_WeightLayout
    : I32EnumAttr<"WeightLayout", "the axes of a projection's weight", [
        MHA_WeightLayoutOE, MHA_WeightLayoutEO
      ]> {
  let cppNamespace = "::mlir::mha";
  let genSpecializedAttr = 0;
}

def MHA_WeightLayoutAttr
    : EnumAttr<MHA_Dialect, MHA_WeightLayout, "weight_layout"> {
  let description = [{
    The order of the axes of a weight: `oe`, outputs by inputs, or `eo`, inputs by
    outputs.
  }];
  let assemblyFormat = "`<` $value `>`";
}

def MHA_PolarityHidden : I32EnumAttrCase<"Hidden", 0, "hidden">;
def MHA_PolarityVisible : I32EnumAttrCase<"Visible", 1, "visible">;
def MHA_Polarity : I32EnumAttr<"Polarity", "what true says of a key", [
    MHA_PolarityHidden, MHA_PolarityVisible
  ]> {
  let cppNamespace = "::mlir::mha";
  let genSpecializedAttr = 0;
}

def MHA_PolarityAttr : EnumAttr<MHA_Dialect, MHA_Polarity, "polarity"> {
  let description = [{
    Whether true in a mask of booleans hides a key, `hidden`, or shows it,
    `visible`. Sources differ: `torch.nn.MultiheadAttention` hides, ONNX shows.
  }];
  let assemblyFormat = "`<` $value `>`";
}

#endif // MHA_IR_MHAATTRS_TD
