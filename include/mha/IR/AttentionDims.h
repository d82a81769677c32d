//===- AttentionDims.h - The sizes of one attention problem ----*- C++ -*--===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_IR_ATTENTIONDIMS_H
#define MHA_IR_ATTENTIONDIMS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include <cstdint>

namespace mlir::mha {

class AttentionOpInterface;
class LayoutAttr;

/// The size of `type` along the axis `axis` of `layout`: `h` is there in every
/// layout, as the product of `k` and `g` where these stand for it.
int64_t getAxisSize(ShapedType type, LayoutAttr layout, char axis);

/// The same of a value, at run time where the type does not say.
OpFoldResult getMixedAxisSize(OpBuilder &builder, Location loc, Value value,
                              LayoutAttr layout, char axis);

/// The size of the output, or the lse, along `axis`, from the inputs of `op`.
OpFoldResult getMixedOutputSize(OpBuilder &builder, Location loc,
                                AttentionOpInterface op, char axis);

/// Whether two sizes can be the same: they are, or one is not known.
bool areCompatibleSizes(int64_t lhs, int64_t rhs);

/// The sizes of one attention op, ShapedType::kDynamic where the types do not
/// say. This is the only place that knows which operand carries which size;
/// where two operands carry the same one, a static size wins.
struct AttentionDims {
  int64_t batch;         ///< B
  int64_t numQueryHeads; ///< Hq
  int64_t numKVHeads;    ///< Hkv
  int64_t queryLen;      ///< Sq
  int64_t keyLen;        ///< Sk
  int64_t headDim;       ///< D
  int64_t valueDim;      ///< Dv

  /// Reads the sizes of a valid op.
  static AttentionDims get(AttentionOpInterface op);

  /// The size of the output, or the lse, along `axis`, which may be `k` or `g`.
  int64_t getOutputSize(char axis) const;

  /// Whether some size is known to be 0.
  bool isEmpty() const;

  /// G, the number of query heads that read one key/value head.
  int64_t getGroup() const;
};

} // namespace mlir::mha

#endif // MHA_IR_ATTENTIONDIMS_H
