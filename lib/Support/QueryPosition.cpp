//===- QueryPosition.cpp - Where queries stand among the keys -------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Support/QueryPosition.h"

#include "mha/IR/MHA.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::mha;

/// Offsets beyond this bound show no other keys than the bound does: it is out
/// of reach of every window (at most 2^60), and sums stay far from overflow.
constexpr int64_t kMaxOffset = int64_t(1) << 61;

static Value buildIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

/// An element of origin(b, h, i, j), null where the op has no origin.
static Value getOrigin(AttentionOpInterface op, unsigned position) {
  return op.getOrigin().empty() ? Value() : op.getOrigin()[position];
}

/// `index`, counted from the whole problem's first element.
static Value addOrigin(OpBuilder &builder, Location loc,
                       AttentionOpInterface op, unsigned position,
                       Value index) {
  Value origin = getOrigin(op, position);
  return origin ? builder.createOrFold<arith::AddIOp>(loc, index, origin)
                : index;
}

/// The value of a scalar or per-batch i64 operand for one batch entry, clamped
/// to [low, high], as an index.
static Value readClamped(OpBuilder &builder, Location loc,
                         AttentionOpInterface op, Value operand,
                         const QueryKeyPair &pair, Value low, Value high) {
  Value value = operand;
  if (isa<ShapedType>(operand.getType())) {
    Value batch = addOrigin(builder, loc, op, 0, pair.batch);
    if (op.hasTensorSemantics())
      value = tensor::ExtractOp::create(builder, loc, operand, batch);
    else
      value = memref::LoadOp::create(builder, loc, operand, batch);
  }
  if (!value.getType().isIndex())
    value =
        arith::IndexCastOp::create(builder, loc, builder.getIndexType(), value);
  value = arith::MaxSIOp::create(builder, loc, value, low);
  return arith::MinSIOp::create(builder, loc, value, high);
}

Value mlir::mha::buildKeyLength(OpBuilder &builder, Location loc,
                                AttentionOpInterface op,
                                const QueryKeyPair &pair) {
  Value all = op.getNumKeys() ? op.getNumKeys()
                              : addOrigin(builder, loc, op, 3, pair.keyLen);
  if (!op.getKvLengths())
    return all;
  return readClamped(builder, loc, op, op.getKvLengths(), pair,
                     buildIndex(builder, loc, 0), all);
}

/// offset(b): the position of query 0 of the whole problem.
static Value buildOffset(OpBuilder &builder, Location loc,
                         AttentionOpInterface op, const QueryKeyPair &pair) {
  auto given = [&]() -> Value {
    Value low = buildIndex(builder, loc, -kMaxOffset);
    Value high = buildIndex(builder, loc, kMaxOffset);
    return readClamped(builder, loc, op, op.getQueryOffset(), pair, low, high);
  };
  switch (op.getEffectiveAlign()) {
  case Align::TopLeft:
    return {};
  case Align::BottomRight:
    return arith::SubIOp::create(
        builder, loc, buildKeyLength(builder, loc, op, pair), pair.queryLen);
  case Align::Explicit:
    return given();
  case Align::End: {
    Value length = buildKeyLength(builder, loc, op, pair);
    return arith::AddIOp::create(builder, loc, length, given());
  }
  }
  llvm_unreachable("unknown alignment");
}

Value mlir::mha::buildQueryPosition(OpBuilder &builder, Location loc,
                                    AttentionOpInterface op,
                                    const QueryKeyPair &pair) {
  Value query = addOrigin(builder, loc, op, 2, pair.query);
  Value offset = buildOffset(builder, loc, op, pair);
  return offset ? arith::AddIOp::create(builder, loc, offset, query) : query;
}

Value mlir::mha::buildVisibility(OpBuilder &builder, Location loc,
                                 AttentionOpInterface op,
                                 const QueryKeyPair &pair) {
  Value key = addOrigin(builder, loc, op, 3, pair.key);
  Value visible;
  auto require = [&](arith::CmpIPredicate predicate, Value bound) {
    Value holds = arith::CmpIOp::create(builder, loc, predicate, key, bound);
    visible =
        visible ? arith::AndIOp::create(builder, loc, visible, holds) : holds;
  };
  if (MaskAttr mask = op.getMaskAttr()) {
    Value position = buildQueryPosition(builder, loc, op, pair);
    if (mask.getCausal())
      require(arith::CmpIPredicate::sle, position);
    if (mask.hasWindow()) {
      Value left = buildIndex(builder, loc, *mask.getWindowLeft());
      Value right = buildIndex(builder, loc, *mask.getWindowRight());
      require(arith::CmpIPredicate::sge,
              arith::SubIOp::create(builder, loc, position, left));
      require(arith::CmpIPredicate::sle,
              arith::AddIOp::create(builder, loc, position, right));
    }
  }
  if (op.getKvLengths())
    require(arith::CmpIPredicate::slt, buildKeyLength(builder, loc, op, pair));
  return visible;
}
