//===- QueryPosition.h - Where queries stand among the keys ----*- C++ -*--===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_SUPPORT_QUERYPOSITION_H
#define MHA_SUPPORT_QUERYPOSITION_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace mlir::mha {

class AttentionOpInterface;

/// One query and one key of an attention op, with the op's own sizes; all of
/// type index.
struct QueryKeyPair {
  Value batch;    ///< b
  Value query;    ///< i
  Value key;      ///< j
  Value queryLen; ///< Sq
  Value keyLen;   ///< Sk
};

/// Emits the number of valid keys of the pair's batch entry, length(b) of
/// docs/Conventions.md, counted from key 0 of the whole problem.
Value buildKeyLength(OpBuilder &builder, Location loc, AttentionOpInterface op,
                     const QueryKeyPair &pair);

/// Emits the position p(b, i) of the pair's query among the keys of the whole
/// problem.
Value buildQueryPosition(OpBuilder &builder, Location loc,
                         AttentionOpInterface op, const QueryKeyPair &pair);

/// Emits whether the query sees the key by mask and length, as an i1. Returns
/// null when every query sees every key.
Value buildVisibility(OpBuilder &builder, Location loc, AttentionOpInterface op,
                      const QueryKeyPair &pair);

} // namespace mlir::mha

#endif // MHA_SUPPORT_QUERYPOSITION_H
