//===- SizeConditions.h - What sizes at run time must fulfil ---*- C++ -*--===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_SUPPORT_SIZECONDITIONS_H
#define MHA_SUPPORT_SIZECONDITIONS_H

#include "mha/Runtime/Status.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace mlir::mha {

/// A condition on sizes that only run time can tell.
struct SizeCondition {
  Value holds;      ///< i1
  MHAStatus status; ///< what a compiled function returns when it does not
};

/// Emits, at the builder's place, the conditions on dynamic sizes under which
/// `op` is defined: those of its verifier for mha ops, loop sizes that fit all
/// operands of a linalg op, the static sizes that a cast promises, the product
/// that a reshape keeps. What types already say is not emitted; none for other
/// ops. Offsets and indices that a program computes are its own affair.
SmallVector<SizeCondition> buildSizeConditions(OpBuilder &builder,
                                               Operation *op);

/// Whether `buildSizeConditions` would emit any.
bool hasSizeConditions(Operation *op);

} // namespace mlir::mha

#endif // MHA_SUPPORT_SIZECONDITIONS_H
