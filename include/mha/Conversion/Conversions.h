//===- Conversions.h - Conversions as functions ----------------*- C++ -*--===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_CONVERSION_CONVERSIONS_H
#define MHA_CONVERSION_CONVERSIONS_H

#include "mlir/Support/LogicalResult.h"

namespace mlir {
class Operation;
class RewriterBase;

namespace mha {
class AttentionOp;

/// Replaces `op`, another op of the dialect than `scratch_size`, by its
/// definition in linalg ops; see the description of `convert-mha-to-linalg`. On
/// memrefs `freeTemporaries` frees what is allocated on the way behind its last
/// use. Fails, without a change, for other ops; every valid one of these can be
/// converted.
LogicalResult convertMHAToLinalg(RewriterBase &rewriter, Operation *op,
                                 bool freeTemporaries = false);

/// Replaces `op`, one item of attention, by a kernel in vector ops; see the
/// description of `convert-mha-to-vector`. Fails, without a change, where the
/// kernel does not compute `op`.
LogicalResult convertMHAToVector(RewriterBase &rewriter, AttentionOp op);

} // namespace mha
} // namespace mlir

#endif // MHA_CONVERSION_CONVERSIONS_H
