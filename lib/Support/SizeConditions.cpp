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

#include "mlir/Dialect/Affine/IR/AffineOps.h"
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

  OpFoldResult size(Value shaped, LayoutAttr layout, char axis) {
    return getMixedAxisSize(builder, loc, shaped, layout, axis);
  }

  OpFoldResult outputSize(AttentionOp op, char axis) {
    return getMixedOutputSize(builder, loc, op, axis);
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

  /// Elements begin, ..., begin + count - 1 are among `size`.
  void requireReach(Value begin, OpFoldResult count, OpFoldResult size) {
    Value end = arith::AddIOp::create(builder, loc, begin, toValue(count));
    require(arith::CmpIPredicate::sge, begin, index(0),
            MHA_STATUS_SIZE_MISMATCH);
    require(arith::CmpIPredicate::sle, end, toValue(size),
            MHA_STATUS_SIZE_MISMATCH);
  }

  /// The largest value of `expr`, which grows with its dimensions, is an index
  /// below `size`; `loopSizes` are the sizes of the dimensions.
  void requireInside(AffineExpr expr, ArrayRef<OpFoldResult> loopSizes,
                     OpFoldResult size) {
    AffineMap last = AffineMap::get(loopSizes.size(), 0, expr);
    SmallVector<Value> lastIndices;
    for (OpFoldResult loopSize : loopSizes) {
      Value one = index(1);
      lastIndices.push_back(
          arith::SubIOp::create(builder, loc, toValue(loopSize), one));
    }
    Value lastIndex =
        affine::AffineApplyOp::create(builder, loc, last, lastIndices);
    require(arith::CmpIPredicate::slt, lastIndex, toValue(size),
            MHA_STATUS_SIZE_MISMATCH);
  }

  void requireProduct(ArrayRef<OpFoldResult> factors, OpFoldResult size) {
    if (factors.size() == 1)
      return requireEqual(factors.front(), size);
    if (getConstantIntValue(size) &&
        llvm::all_of(factors, [](OpFoldResult factor) {
          return getConstantIntValue(factor).has_value();
        }))
      return;
    Value product = index(1);
    for (OpFoldResult factor : factors)
      product = arith::MulIOp::create(builder, loc, product, toValue(factor));
    requireEqual(product, size);
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
    return conditions.size(value, layout, axis);
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
  conditions.requireEqual(ofQuery('d'), ofKey('d'));
  if (!op.sharesKeysInBatch())
    conditions.requireEqual(ofQuery('b'), ofKey('b'));
  for (char axis : {'b', 'h', 's'})
    conditions.requireEqual(ofKey(axis), ofValue(axis));
  conditions.requirePositive(ofKey('h'), MHA_STATUS_NO_HEADS);
  conditions.requireMultiple(ofQuery('h'), ofKey('h'),
                             MHA_STATUS_HEADS_NOT_MULTIPLE);
  if (!op.getScaleAttr() && !op.getScaleValue())
    conditions.requirePositive(ofQuery('d'), MHA_STATUS_EMPTY_HEAD_DIM);
  for (Value perBatch :
       std::array<Value, 2>{op.getKvLengths(), op.getQueryOffset()}) {
    if (!perBatch || !isa<ShapedType>(perBatch.getType()))
      continue;
    if (op.getOrigin().empty())
      conditions.requireEqual(conditions.size(perBatch, 0), ofQuery('b'));
    else
      conditions.requireReach(op.getOrigin().front(), ofQuery('b'),
                              conditions.size(perBatch, 0));
  }

  if (op.getQueryLayout().splitsHeads())
    conditions.requireEqual(ofQuery('k'), ofKey('h'));
  if (Value mask = op.getDenseMask()) {
    const OpFoldResult full[] = {ofQuery('b'), ofQuery('h'), ofQuery('s'),
                                 ofKey('s')};
    auto type = cast<ShapedType>(mask.getType());
    ArrayRef<OpFoldResult> expected = ArrayRef(full).take_back(type.getRank());
    for (auto [dim, size] : llvm::enumerate(expected))
      if (type.getDimSize(dim) != 1)
        conditions.requireEqual(conditions.size(mask, dim), size);
  }
  for (Value perHead : std::array<Value, 3>{
           op.getSlopes(), op.getRelativeTable(), op.getSink()}) {
    if (!perHead)
      continue;
    if (op.getOrigin().empty())
      conditions.requireEqual(conditions.size(perHead, 0), ofQuery('h'));
    else
      conditions.requireReach(op.getOrigin()[1], ofQuery('h'),
                              conditions.size(perHead, 0));
  }
  if (op.getRelativeTable())
    conditions.requirePositive(conditions.size(op.getRelativeTable(), 1),
                               MHA_STATUS_SIZE_MISMATCH);

  // A destination has its own sizes; so has a result whose type knows more
  // than the operands.
  auto requireShape = [&](StringRef axes, Value init, Value result) {
    for (auto [dim, axis] : llvm::enumerate(axes)) {
      OpFoldResult expected = conditions.outputSize(op, axis);
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

/// Whether a map's result grows with its dimensions, as in convolutions.
static bool isMonotonic(AffineExpr expr) {
  bool isMonotonic = true;
  expr.walk([&](AffineExpr part) {
    if (auto constant = dyn_cast<AffineConstantExpr>(part))
      isMonotonic &= constant.getValue() >= 0;
    isMonotonic &= part.getKind() != AffineExprKind::Mod;
  });
  return isMonotonic;
}

/// Operands that share a loop have the same size along it, and computed
/// indices stay inside.
static void addLinalgConditions(ConditionBuilder &conditions,
                                linalg::LinalgOp op) {
  SmallVector<OpFoldResult> loopSizes(op.getNumLoops());
  SmallVector<std::pair<AffineExpr, OpFoldResult>> computed;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      OpFoldResult size = conditions.size(operand.get(), dim);
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop) {
        computed.emplace_back(expr, size);
        continue;
      }
      OpFoldResult &known = loopSizes[loop.getPosition()];
      if (known)
        conditions.requireEqual(known, size);
      else
        known = size;
    }
  }
  bool areStatic = llvm::all_of(loopSizes, [](OpFoldResult size) {
    return getConstantIntValue(size).has_value();
  });
  for (auto [expr, size] : computed)
    if (!(areStatic && getConstantIntValue(size)) && isMonotonic(expr))
      conditions.requireInside(expr, loopSizes, size);
}

/// The sizes of a reshape multiply up to what they are made of. Groups are
/// consecutive; upstream's verifier does not compare the numbers in them.
static void addReshapeConditions(ConditionBuilder &conditions,
                                 tensor::ExpandShapeOp op) {
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  ArrayRef<OpFoldResult> rest = sizes;
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
    if (group.size() > rest.size())
      return;
    conditions.requireProduct(rest.take_front(group.size()),
                              conditions.size(op.getSrc(), dim));
    rest = rest.drop_front(group.size());
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
      .Case([&](tensor::CastOp op) { addCastConditions(conditions, op); })
      .Case([&](tensor::ExpandShapeOp op) {
        addReshapeConditions(conditions, op);
      });
  return conditions.take();
}

bool mlir::mha::hasSizeConditions(Operation *op) {
  // Emitted to be counted, and erased.
  Block scratch;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToStart(&scratch);
  bool hasConditions = !buildSizeConditions(builder, op).empty();
  scratch.dropAllReferences();
  scratch.clear();
  return hasConditions;
}
