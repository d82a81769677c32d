//===- Transforms.h - Transformations as functions -------------*- C++ -*--===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_TRANSFORMS_TRANSFORMS_H
#define MHA_TRANSFORMS_TRANSFORMS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LogicalResult.h"
#include "llvm/ADT/StringRef.h"

namespace mlir {
class RewriterBase;

namespace func {
class FuncOp;
} // namespace func

namespace memref {
class CopyOp;
} // namespace memref

namespace mha {

/// The attribute of a wrapped entry point that keeps its type on tensors.
constexpr llvm::StringLiteral kEntryTypeAttrName = "mha.entry_type";

/// Replaces `copy` by loops when one side is not contiguous; see the
/// description of `mha-expand-copies`. Fails, without a change, on a copy that
/// is a memcpy or not of ranked memrefs.
LogicalResult expandCopy(RewriterBase &rewriter, memref::CopyOp copy);

/// Replaces every floating-point type of `module` by f64; see the description
/// of `mha-promote-floats`. Returns the number of narrowing casts that stay as
/// rounding steps. Fails with a diagnostic before any change when the module
/// has something that cannot be promoted.
FailureOr<unsigned> promoteFloats(ModuleOp module);

/// Gives the public function `function` the signature of a compiled function;
/// see the description of `mha-wrap-entry-points`. Fails with a diagnostic;
/// the module is not to be used then.
LogicalResult wrapEntryPoint(func::FuncOp function);

} // namespace mha
} // namespace mlir

#endif // MHA_TRANSFORMS_TRANSFORMS_H
