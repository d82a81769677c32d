//===- PositionalBias.h - What a position adds to a score ------*- C++ -*--===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_SUPPORT_POSITIONALBIAS_H
#define MHA_SUPPORT_POSITIONALBIAS_H

#include "mha/Support/QueryPosition.h"

namespace mlir::mha {

/// Emits element `indices` of `shaped`, a tensor or memref of floats, converted
/// to `type`.
Value buildFloatElement(OpBuilder &builder, Location loc, Value shaped,
                        ValueRange indices, FloatType type);

/// Emits the value of a float scalar in `type`, rounded where that is narrower.
Value buildFloatCast(OpBuilder &builder, Location loc, Value value,
                     FloatType type);

/// Emits the value for query head `head` of this op of an operand that the
/// whole problem shares, a slope or sink.
Value buildPerHead(OpBuilder &builder, Location loc, AttentionOpInterface op,
                   Value operand, Value head);

/// Emits the `bias` of the pair for query head `head` of this op, in the type
/// that scores are computed in (Press et al. 2022 for ALiBi;
/// docs/Conventions.md, "Biases"). The op has one.
Value buildPositionalBias(OpBuilder &builder, Location loc,
                          AttentionOpInterface op, Value head,
                          const QueryKeyPair &pair);

} // namespace mlir::mha

#endif // MHA_SUPPORT_POSITIONALBIAS_H
