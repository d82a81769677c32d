//===- MHADialect.td - The mha dialect --------------------*- tablegen -*--===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_IR_MHADIALECT_TD
#define MHA_IR_MHADIALECT_TD

include "mlir/IR/OpBase.td"

def MHA_Dialect : Dialect {
  let name = "mha";
  let cppNamespace = "::mlir::mha";
  let summary = "Multi-head attention";
  let description = [{
    Represents multi-head attention while it is still attention: with heads,
    masks, positions and layouts that a rewrite can read. The letters of
    shapes (B, Hq, Hkv, G, Sq, Sk, D, Dv) are those of docs/Conventions.md.

    An argument of a public function may carry `mha.donated = N : i64`: its
    caller gives its memory up for result N, which has the same type. The
    compiled function writes the result there and has no out-parameter for it;
    see docs/Conventions.md, "Donated arguments". At most one argument is
    donated for a result.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  // Canonicalization casts results whose type it refines; sizes of results are
  // computed from those of operands.
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerOperations();
  }];
}

#endif // MHA_IR_MHADIALECT_TD
