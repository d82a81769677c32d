//===- KeyRanges.cpp - Which keys a range of queries sees -----------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One algorithm for numbers and for IR values, so that what is reported and
// what is emitted cannot differ.
//
//===----------------------------------------------------------------------===//

#include "mha/Support/KeyRanges.h"

#include "mha/IR/AttentionDims.h"
#include "mha/IR/MHA.h"
#include "mha/Support/QueryPosition.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::mha;

namespace {
/// Arithmetic on numbers.
struct NumberArithmetic {
  int64_t constant(int64_t value) { return value; }
  int64_t add(int64_t lhs, int64_t rhs) { return lhs + rhs; }
  int64_t sub(int64_t lhs, int64_t rhs) { return lhs - rhs; }
  int64_t min(int64_t lhs, int64_t rhs) { return std::min(lhs, rhs); }
  int64_t max(int64_t lhs, int64_t rhs) { return std::max(lhs, rhs); }
};

/// Arithmetic that emits IR.
struct ValueArithmetic {
  OpBuilder &builder;
  Location loc;

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value lhs, Value rhs) {
    return builder.createOrFold<arith::AddIOp>(loc, lhs, rhs);
  }
  Value sub(Value lhs, Value rhs) {
    return builder.createOrFold<arith::SubIOp>(loc, lhs, rhs);
  }
  Value min(Value lhs, Value rhs) {
    return builder.createOrFold<arith::MinSIOp>(loc, lhs, rhs);
  }
  Value max(Value lhs, Value rhs) {
    return builder.createOrFold<arith::MaxSIOp>(loc, lhs, rhs);
  }
};
} // namespace

/// A query at p sees keys from p - left to p + right, cut at 0 and length.
/// Some query sees a key from pFirst - left to pLast + right; all do from
/// pLast - left to pFirst + right.
template <typename Int, typename Arithmetic>
static KeyRangesOf<Int> compute(Arithmetic arith, MaskAttr mask, Int pFirst,
                                Int pLast, Int length) {
  Int zero = arith.constant(0);
  KeyRangesOf<Int> ranges{zero, zero, length, length};
  auto cutRight = [&](int64_t right) {
    Int past = arith.constant(right + 1);
    ranges.end = arith.min(ranges.end, arith.add(pLast, past));
    ranges.fullEnd = arith.min(ranges.fullEnd, arith.add(pFirst, past));
  };
  if (mask && mask.getCausal())
    cutRight(0);
  if (mask && mask.hasWindow()) {
    cutRight(*mask.getWindowRight());
    Int left = arith.constant(*mask.getWindowLeft());
    ranges.begin = arith.max(ranges.begin, arith.sub(pFirst, left));
    ranges.fullBegin = arith.max(ranges.fullBegin, arith.sub(pLast, left));
  }
  // Order the bounds: nothing visible is an empty range, and no key that all
  // see is an empty full part.
  ranges.end = arith.max(ranges.end, zero);
  ranges.begin = arith.min(ranges.begin, ranges.end);
  ranges.fullBegin =
      arith.min(arith.max(ranges.fullBegin, ranges.begin), ranges.end);
  ranges.fullEnd =
      arith.min(arith.max(ranges.fullEnd, ranges.fullBegin), ranges.end);
  return ranges;
}

KeyRanges mlir::mha::computeKeyRanges(MaskAttr mask, int64_t pFirst,
                                      int64_t pLast, int64_t length) {
  return compute<int64_t>(NumberArithmetic{}, mask, pFirst, pLast, length);
}

KeyRangeValues mlir::mha::computeKeyRanges(OpBuilder &builder, Location loc,
                                           MaskAttr mask, Value pFirst,
                                           Value pLast, Value length) {
  return compute<Value>(ValueArithmetic{builder, loc}, mask, pFirst, pLast,
                        length);
}

//===----------------------------------------------------------------------===//
// Of an op
//===----------------------------------------------------------------------===//

/// Whether batch entries may differ in length or offset, and there may be
/// several.
static bool differsInBatch(AttentionOpInterface op) {
  Value offset = op.getQueryOffset();
  bool isPerBatch =
      op.getKvLengths() || (offset && isa<ShapedType>(offset.getType()));
  return isPerBatch && AttentionDims::get(op).batch != 1;
}

KeyRangeValues mlir::mha::buildKeyRanges(OpBuilder &builder, Location loc,
                                         AttentionOpInterface op) {
  ValueArithmetic arith{builder, loc};
  auto getLength = [&](Value operand, LayoutAttr layout) -> Value {
    return getValueOrCreateConstantIndexOp(
        builder, loc, getMixedAxisSize(builder, loc, operand, layout, 's'));
  };
  Value zero = arith.constant(0);
  Value numQueries = getLength(op.getQuery(), op.getQueryLayout());
  Value numKeys = getLength(op.getKey(), op.getKeyLayout());
  if (differsInBatch(op))
    return {zero, zero, zero, numKeys};
  QueryKeyPair first{zero, zero, zero, numQueries, numKeys};
  Value firstKey = op.getOrigin().empty() ? zero : op.getOrigin()[3];
  auto fromFirstKey = [&](Value key) { return arith.sub(key, firstKey); };
  Value length = numKeys;
  // It may end before this op's keys begin, or behind their end.
  if (op.getKvLengths())
    length = arith.min(
        arith.max(fromFirstKey(buildKeyLength(builder, loc, op, first)), zero),
        numKeys);
  Value firstPosition = zero;
  if (op.getMaskAttr())
    firstPosition = fromFirstKey(buildQueryPosition(builder, loc, op, first));
  Value lastPosition =
      arith.sub(arith.add(firstPosition, numQueries), arith.constant(1));
  return computeKeyRanges(builder, loc, op.getMaskAttr(), firstPosition,
                          lastPosition, length);
}
