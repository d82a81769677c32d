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
  }];
  let useDefaultAttributePrinterParser = 1;
  // Canonicalization casts results whose type it refines.
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerOperations();
  }];
}

#endif // MHA_IR_MHADIALECT_TD
