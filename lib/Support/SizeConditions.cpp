//===- SizeConditions.cpp - What sizes at run time must fulfil ------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Support/SizeConditions.h"

#include "mha/IR/AttentionDims.h"
#include "mha/IR/MHA.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::mha;

namespace {
/// Collects conditions; sizes are OpFoldResults, so that two static ones need
/// no code.
class ConditionBuilder {
public:
  ConditionBuilder(OpBuilder &builder, Location loc)
      : builder(builder), loc(loc) {}

  OpFoldResult size(Value shaped, unsigned dim) {
    if (isa<TensorType>(shaped.getType()))
      return tensor::getMixedSize(builder, loc, shaped, dim);
    return memref::getMixedSize(builder, loc, shaped, dim);
  }

  /// Where both are static the verifier has compared them.
  void requireEqual(OpFoldResult lhs, OpFoldResult rhs) {
    if (isEqualConstantIntOrValue(lhs, rhs) ||
        (getConstantIntValue(lhs) && getConstantIntValue(rhs)))
      return;
    require(arith::CmpIPredicate::eq, toValue(lhs), toValue(rhs),
            MHA_STATUS_SIZE_MISMATCH);
  }

  /// A static size of `type` promises that size.
  void requirePromised(Type type, unsigned dim, OpFoldResult size) {
    int64_t promised = cast<ShapedType>(type).getDimSize(dim);
    if (!ShapedType::isDynamic(promised))
      requireEqual(builder.getIndexAttr(promised), size);
  }

  void requirePositive(OpFoldResult size, MHAStatus status) {
    if (getConstantIntValue(size))
      return;
    require(arith::CmpIPredicate::sgt, toValue(size), index(0), status);
  }

  /// Reads a divisor of 0 as 1, which requirePositive refuses on its own.
  void requireMultiple(OpFoldResult size, OpFoldResult divisor,
                       MHAStatus status) {
    if (getConstantIntValue(size) && getConstantIntValue(divisor))
      return;
    Value safe =
        arith::MaxSIOp::create(builder, loc, toValue(divisor), index(1));
    Value rest = arith::RemSIOp::create(builder, loc, toValue(size), safe);
    require(arith::CmpIPredicate::eq, rest, index(0), status);
  }

  SmallVector<SizeCondition> take() { return std::move(conditions); }

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value toValue(OpFoldResult size) {
    return getValueOrCreateConstantIndexOp(builder, loc, size);
  }
  void require(arith::CmpIPredicate predicate, Value lhs, Value rhs,
               MHAStatus status) {
    Value holds = arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
    conditions.push_back({holds, status});
  }

  OpBuilder &builder;
  Location loc;
  SmallVector<SizeCondition> conditions;
};
} // namespace

/// C3 to C8 and C14 of the op's description.
static void addAttentionConditions(ConditionBuilder &conditions,
                                   AttentionOp op) {
  auto ofAxis = [&](Value value, LayoutAttr layout, char axis) {
    return conditions.size(value, layout.getDim(axis));
  };
  auto ofQuery = [&](char axis) {
    return ofAxis(op.getQuery(), op.getQueryLayout(), axis);
  };
  auto ofKey = [&](char axis) {
    return ofAxis(op.getKey(), op.getKeyLayout(), axis);
  };
  auto ofValue = [&](char axis) {
    return ofAxis(op.getValue(), op.getValueLayout(), axis);
  };
  for (char axis : {'b', 'd'})
    conditions.requireEqual(ofQuery(axis), ofKey(axis));
  for (char axis : {'b', 'h', 's'})
    conditions.requireEqual(ofKey(axis), ofValue(axis));
  conditions.requirePositive(ofKey('h'), MHA_STATUS_NO_HEADS);
  conditions.requireMultiple(ofQuery('h'), ofKey('h'),
                             MHA_STATUS_HEADS_NOT_MULTIPLE);
  if (!op.getScaleAttr())
    conditions.requirePositive(ofQuery('d'), MHA_STATUS_EMPTY_HEAD_DIM);
  for (Value perBatch :
       std::array<Value, 2>{op.getKvLengths(), op.getQueryOffset()})
    if (perBatch && isa<ShapedType>(perBatch.getType()) &&
        op.getOrigin().empty())
      conditions.requireEqual(conditions.size(perBatch, 0), ofQuery('b'));

  // A destination has its own sizes; so has a result whose type knows more
  // than the operands.
  auto requireShape = [&](StringRef axes, Value init, Value result) {
    for (auto [dim, axis] : llvm::enumerate(axes)) {
      OpFoldResult expected = axis == 'd' ? ofValue('d') : ofQuery(axis);
      if (init)
        conditions.requireEqual(conditions.size(init, dim), expected);
      if (result)
        conditions.requirePromised(result.getType(), dim, expected);
    }
  };
  requireShape(op.getOutputLayout().getAxes(), op.getOutputInit(),
               op.getOutput());
  if (op.getLse() || op.getLseInit())
    requireShape("bhs", op.getLseInit(), op.getLse());
}

/// Operands that share a loop have the same size along it.
static void addLinalgConditions(ConditionBuilder &conditions,
                                linalg::LinalgOp op) {
  llvm::SmallDenseMap<unsigned, OpFoldResult> loopSizes;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop)
        continue;
      OpFoldResult size = conditions.size(operand.get(), dim);
      auto [known, isNew] = loopSizes.try_emplace(loop.getPosition(), size);
      if (!isNew)
        conditions.requireEqual(known->second, size);
    }
  }
}

/// A cast to a static size promises that size.
static void addCastConditions(ConditionBuilder &conditions, tensor::CastOp op) {
  auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto result = dyn_cast<RankedTensorType>(op.getType());
  if (!source || !result)
    return;
  for (int64_t dim = 0; dim < result.getRank(); ++dim)
    conditions.requirePromised(result, dim,
                               conditions.size(op.getSource(), dim));
}

SmallVector<SizeCondition> mlir::mha::buildSizeConditions(OpBuilder &builder,
                                                          Operation *op) {
  ConditionBuilder conditions(builder, op->getLoc());
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](AttentionOp op) { addAttentionConditions(conditions, op); })
      .Case([&](linalg::LinalgOp op) { addLinalgConditions(conditions, op); })
      .Case([&](tensor::CastOp op) { addCastConditions(conditions, op); });
  return conditions.take();
}
