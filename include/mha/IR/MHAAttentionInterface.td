//===- MHAAttentionInterface.td - What attentions share ---*- tablegen -*--===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_IR_MHAATTENTIONINTERFACE_TD
#define MHA_IR_MHAATTENTIONINTERFACE_TD

include "mlir/IR/OpBase.td"

class MHA_Accessor<string type, string name, string text>
    : InterfaceMethod<text, type, name>;

def MHA_AttentionOpInterface : OpInterface<"AttentionOpInterface"> {
  let cppNamespace = "::mlir::mha";
  let description = [{
    An op that takes the softmax of scores over keys: `mha.attention`, the closed
    form, and `mha.online_attention`, the open one. The methods are the operands
    and attributes by which scores are computed and keys hidden; their meaning is
    that of `mha.attention`. Null where an optional one is not given.
  }];
  let methods = [
    MHA_Accessor<"::mlir::Value", "getQuery", "Queries (B, Hq, Sq, D).">,
    MHA_Accessor<"::mlir::Value", "getKey", "Keys (B, Hkv, Sk, D).">,
    MHA_Accessor<"::mlir::Value", "getValue", "Values (B, Hkv, Sk, Dv).">,
    MHA_Accessor<"::mlir::mha::LayoutAttr", "getQueryLayout",
                 "The axes of the queries.">,
    MHA_Accessor<"::mlir::mha::LayoutAttr", "getKeyLayout",
                 "The axes of the keys.">,
    MHA_Accessor<"::mlir::mha::LayoutAttr", "getValueLayout",
                 "The axes of the values.">,
    MHA_Accessor<"::mlir::Value", "getDenseMask",
                 "The mask that broadcasts to (B, Hq, Sq, Sk).">,
    MHA_Accessor<"::mlir::Value", "getKvLengths", "Valid keys (B).">,
    MHA_Accessor<"::mlir::Value", "getQueryOffset", "For the alignment.">,
    MHA_Accessor<"::mlir::Value", "getScaleValue", "A scale of run time.">,
    MHA_Accessor<"::mlir::Value", "getSlopes", "Of ALiBi (Hq).">,
    MHA_Accessor<"::mlir::Value", "getRelativeTable",
                 "Of a relative bias (Hq, n).">,
    MHA_Accessor<"::mlir::OperandRange", "getOrigin",
                 "None or (b, h, i, j) of this op's element 0.">,
    MHA_Accessor<"::mlir::mha::MaskAttr", "getMaskAttr",
                 "The structured mask.">,
    MHA_Accessor<"::mlir::mha::BiasAttr", "getBiasAttr",
                 "The positional bias.">,
    MHA_Accessor<"::std::optional<::mlir::mha::Align>", "getAlign",
                 "Where positions count from.">,
    MHA_Accessor<"::std::optional<::llvm::APFloat>", "getScale",
                 "The scale, where the program knows it.">,
    MHA_Accessor<"::std::optional<::llvm::APFloat>", "getSoftcap",
                 "The soft cap of scores.">,
    InterfaceMethod<[{
        The number of keys of the whole problem, where this op's keys do not
        reach to the end of them.
      }], "::mlir::Value", "getNumKeys", (ins), /*methodBody=*/"",
      /*defaultImplementation=*/"return {};">
  ];
  let extraSharedClassDeclaration = [{
    /// Whether the op is on tensors (and has results) or on memrefs.
    bool hasTensorSemantics() {
      return ::llvm::isa<::mlir::TensorType>($_op.getQuery().getType());
    }
    /// Whether some key is shown or biased by its distance from the query.
    bool isPositional() { return $_op.getMaskAttr() || $_op.getBiasAttr(); }
    /// Whether all batch entries of the queries read one of keys and values.
    bool sharesKeysInBatch() {
      return ::mlir::mha::detail::sharesKeysInBatch($_op);
    }
    /// The type of products, sums and the softmax: f64 for f64, else f32.
    ::mlir::FloatType getComputeType() {
      return ::mlir::mha::getComputeType($_op.getQuery());
    }
    /// Where positions count from: `align`, or top_left by the square default
    /// of C10.
    ::mlir::mha::Align getEffectiveAlign() {
      return $_op.getAlign().value_or(::mlir::mha::Align::TopLeft);
    }
  }];
}

#endif // MHA_IR_MHAATTENTIONINTERFACE_TD
