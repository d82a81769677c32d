//===- SharedConstraints.h - What verifiers of several ops ask -*- C++ -*--===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_LIB_IR_SHAREDCONSTRAINTS_H
#define MHA_LIB_IR_SHAREDCONSTRAINTS_H

#include "mha/IR/MHA.h"

namespace mlir::mha {

/// A shaped operand or result with the axes of its type, and its name in
/// messages.
struct NamedShape {
  StringRef name;
  ShapedType type;
  StringRef axes;

  /// Of `h` also where `k` and `g` stand for it.
  int64_t size(char axis) const {
    if (axis != 'h' || !axes.contains('k'))
      return type.getDimSize(axes.find(axis));
    int64_t kvHeads = size('k'), group = size('g');
    return ShapedType::isDynamic(kvHeads) || ShapedType::isDynamic(group)
               ? ShapedType::kDynamic
               : kvHeads * group;
  }
};
NamedShape nameShape(StringRef name, Value value, StringRef axes);

/// One of the sizes that have to agree, with the name of what has it.
using NamedSize = std::pair<StringRef, int64_t>;

/// All static ones of `sizes` agree, whichever of them are dynamic.
LogicalResult verifyAgree(Operation *op, StringRef what,
                          ArrayRef<NamedSize> sizes);

/// The first static one of `sizes`.
int64_t firstStatic(ArrayRef<NamedSize> sizes);

/// Sizes that agree along each letter of the axes of `shapes`.
LogicalResult verifySizes(Operation *op, ArrayRef<NamedShape> shapes);

LogicalResult verifyOneElementType(Operation *op, ArrayRef<NamedShape> shapes);

/// All of `shapes` have f64, or none.
LogicalResult verifyF64InAllOrNone(Operation *op, ArrayRef<NamedShape> shapes);

/// Floats are of a type that every lowering knows.
LogicalResult verifyKnownFloat(Operation *op, StringRef name, Type type);
/// The same of an operand that may be null.
LogicalResult verifyKnownFloat(Operation *op, StringRef name, Value operand);

LogicalResult verifyTensorsOrMemRefs(Operation *op);

LogicalResult verifyRank(Operation *op, StringRef name, Value value,
                         LayoutAttr layout);

/// What says where query 0 stands.
struct AlignClauses {
  Operation *op;
  std::optional<Align> align;
  bool hasOffset, isPositional, hasOrigin, hasLengths;
  int64_t queryLen, keyLen;
};
LogicalResult verifyAlign(const AlignClauses &clauses);

/// Whether `value` stays finite in the type that scores are computed in.
bool isFinite(APFloat value, FloatType compute);

/// What scores are multiplied with, by default 1/sqrt(headDim).
struct ScaleClauses {
  Operation *op;
  std::optional<APFloat> scale;
  bool hasScaleValue;
  FloatType compute;
  int64_t headDim;
};
LogicalResult verifyScale(const ScaleClauses &clauses);

/// `mask`, which may be null, broadcasts to `sizes`, (B, Hq, Sq, Sk).
LogicalResult verifyDenseMask(Operation *op, Value mask,
                              ArrayRef<int64_t> sizes);

} // namespace mlir::mha

#endif // MHA_LIB_IR_SHAREDCONSTRAINTS_H
