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

  OpFoldResult size(Value shaped, LayoutAttr layout, char axis) {
    return getMixedAxisSize(builder, loc, shaped, layout, axis);
  }

  OpFoldResult constant(int64_t value) { return builder.getIndexAttr(value); }
  OpFoldResult outputSize(AttentionOpInterface op, char axis) {
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
    auto known = [](OpFoldResult number) {
      return getConstantIntValue(number);
    };
    if (known(begin) && known(count) && known(size) && *known(begin) >= 0 &&
        *known(begin) <= *known(size) - *known(count))
      return;
    require(arith::CmpIPredicate::sge, begin, index(0),
            MHA_STATUS_SIZE_MISMATCH);
    // begin + count may wrap round; a difference of sizes does not.
    Value last =
        arith::SubIOp::create(builder, loc, toValue(size), toValue(count));
    require(arith::CmpIPredicate::sle, begin, last, MHA_STATUS_SIZE_MISMATCH);
  }

  /// All values of `expr`, where each dimension walks along one of `loopSizes`,
  /// are indices below `size`, unless there is nothing to walk along.
  void requireInside(AffineExpr expr, ArrayRef<OpFoldResult> loopSizes,
                     OpFoldResult size) {
    auto [least, largest] = buildBounds(expr, loopSizes);
    auto compare = [&](arith::CmpIPredicate predicate, Value lhs, Value rhs) {
      return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
    };
    Value holds = arith::AndIOp::create(
        builder, loc, compare(arith::CmpIPredicate::sge, least, index(0)),
        compare(arith::CmpIPredicate::slt, largest, toValue(size)));
    for (OpFoldResult loopSize : loopSizes) {
      Value isEmpty =
          compare(arith::CmpIPredicate::eq, toValue(loopSize), index(0));
      holds = arith::OrIOp::create(builder, loc, holds, isEmpty);
    }
    conditions.push_back({holds, MHA_STATUS_SIZE_MISMATCH});
  }

  void requireProduct(ArrayRef<OpFoldResult> factors, OpFoldResult size) {
    if (factors.size() == 1)
      return requireEqual(factors.front(), size);
    if (getConstantIntValue(size) &&
        llvm::all_of(factors, [](OpFoldResult factor) {
          return getConstantIntValue(factor).has_value();
        }))
      return;
    // The product may be another one that has wrapped round to `size`.
    Type i64 = builder.getI64Type();
    auto widen = [&](Value value) -> Value {
      return arith::IndexCastOp::create(builder, loc, i64, value);
    };
    Value zero = arith::ConstantIntOp::create(builder, loc, 0, 64);
    Value product = arith::ConstantIntOp::create(builder, loc, 1, 64);
    for (OpFoldResult factor : factors) {
      require(arith::CmpIPredicate::sge, toValue(factor), index(0),
              MHA_STATUS_SIZE_MISMATCH);
      auto both = arith::MulUIExtendedOp::create(builder, loc, product,
                                                 widen(toValue(factor)));
      product = both.getLow();
      require(arith::CmpIPredicate::eq, both.getHigh(), zero,
              MHA_STATUS_SIZE_MISMATCH);
    }
    require(arith::CmpIPredicate::eq, product, widen(toValue(size)),
            MHA_STATUS_SIZE_MISMATCH);
  }

  /// Terms may be computed numbers: one below 0 would make up for another one
  /// beyond `size`.
  void requireSum(ArrayRef<OpFoldResult> terms, OpFoldResult size) {
    auto isKnown = [](OpFoldResult number) {
      return getConstantIntValue(number).has_value();
    };
    if (isKnown(size) && llvm::all_of(terms, isKnown))
      return;
    Value sum = index(0);
    for (OpFoldResult term : terms) {
      Value value = toValue(term);
      require(arith::CmpIPredicate::sge, value, index(0),
              MHA_STATUS_SIZE_MISMATCH);
      require(arith::CmpIPredicate::sle, value, toValue(size),
              MHA_STATUS_SIZE_MISMATCH);
      sum = arith::AddIOp::create(builder, loc, sum, value);
    }
    require(arith::CmpIPredicate::eq, sum, toValue(size),
            MHA_STATUS_SIZE_MISMATCH);
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
  /// The least and the largest value of `expr`, or bounds of them.
  std::pair<Value, Value> buildBounds(AffineExpr expr,
                                      ArrayRef<OpFoldResult> loopSizes) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return {index(constant.getValue()), index(constant.getValue())};
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      Value size = toValue(loopSizes[dim.getPosition()]);
      return {index(0), arith::SubIOp::create(builder, loc, size, index(1))};
    }
    // Maps of linalg have no symbols.
    auto binary = cast<AffineBinaryOpExpr>(expr);
    auto [least, largest] = buildBounds(binary.getLHS(), loopSizes);
    if (expr.getKind() == AffineExprKind::Add) {
      auto [otherLeast, otherLargest] = buildBounds(binary.getRHS(), loopSizes);
      return {arith::AddIOp::create(builder, loc, least, otherLeast),
              arith::AddIOp::create(builder, loc, largest, otherLargest)};
    }
    int64_t factor = cast<AffineConstantExpr>(binary.getRHS()).getValue();
    auto both = [&](auto build) -> std::pair<Value, Value> {
      return {build(least), build(largest)};
    };
    switch (expr.getKind()) {
    case AffineExprKind::Mul:
      if (factor < 0)
        std::swap(least, largest);
      return both([&](Value bound) -> Value {
        return arith::MulIOp::create(builder, loc, bound, index(factor));
      });
    case AffineExprKind::FloorDiv:
      return both([&](Value bound) -> Value {
        return arith::FloorDivSIOp::create(builder, loc, bound, index(factor));
      });
    case AffineExprKind::CeilDiv:
      return both([&](Value bound) -> Value {
        return arith::CeilDivSIOp::create(builder, loc, bound, index(factor));
      });
    default:
      break;
    }
    // Mod: from 0 to factor - 1, and no further than a number that starts at 0.
    Value isPositive = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::sge, least, index(0));
    Value last = index(factor - 1);
    Value reached = arith::MinSIOp::create(builder, loc, largest, last);
    return {index(0),
            arith::SelectOp::create(builder, loc, isPositive, reached, last)};
  }

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

/// `operand`, if there is one, has a row for each query head of the problem.
static void addPerHeadCondition(ConditionBuilder &conditions,
                                AttentionOpInterface op, Value operand) {
  if (!operand)
    return;
  OpFoldResult heads = conditions.outputSize(op, 'h');
  if (op.getOrigin().empty())
    conditions.requireEqual(conditions.size(operand, 0), heads);
  else
    conditions.requireReach(op.getOrigin()[1], heads,
                            conditions.size(operand, 0));
}

/// C3 to C6, C14, C18 and C19 of the description of `mha.attention`.
static void addSharedConditions(ConditionBuilder &conditions,
                                AttentionOpInterface op) {
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
  if (!op.getScale() && !op.getScaleValue())
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
  addPerHeadCondition(conditions, op, op.getSlopes());
  addPerHeadCondition(conditions, op, op.getRelativeTable());
  if (op.getRelativeTable())
    conditions.requirePositive(conditions.size(op.getRelativeTable(), 1),
                               MHA_STATUS_SIZE_MISMATCH);
}

/// C7, C8, C16 and C21.
static void addAttentionConditions(ConditionBuilder &conditions,
                                   AttentionOp op) {
  addSharedConditions(conditions, op);
  addPerHeadCondition(conditions, op, op.getSink());
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

/// C22.
static void addOnlineConditions(ConditionBuilder &conditions,
                                OnlineAttentionOp op) {
  addSharedConditions(conditions, op);
  for (OpOperand &init : op.getDpsInitsMutable()) {
    StringRef axes = init.get() == op.getAcc() ? "bhsd" : "bhs";
    for (auto [dim, axis] : llvm::enumerate(axes))
      conditions.requireEqual(conditions.size(init.get(), dim),
                              conditions.outputSize(op, axis));
  }
}

/// Sizes agree along each axis of `shapes`.
static void addAgreement(ConditionBuilder &conditions,
                         ArrayRef<std::pair<Value, StringRef>> shapes) {
  llvm::SmallDenseMap<char, OpFoldResult> known;
  for (auto [value, axes] : shapes)
    for (auto [dim, axis] : llvm::enumerate(axes)) {
      OpFoldResult size = conditions.size(value, dim);
      auto [first, isNew] = known.try_emplace(axis, size);
      if (!isNew)
        conditions.requireEqual(size, first->second);
    }
}

/// C24.
static void addMergeConditions(ConditionBuilder &conditions, MergeOp op) {
  addAgreement(conditions, {{op.getAcc(), "bhsd"},
                            {op.getRowMax(), "bhs"},
                            {op.getRowSum(), "bhs"},
                            {op.getPartsAcc(), "pbhsd"},
                            {op.getPartsMax(), "pbhs"},
                            {op.getPartsSum(), "pbhs"}});
}

/// C25 and C26.
static void addFinalizeConditions(ConditionBuilder &conditions, FinalizeOp op) {
  SmallVector<std::pair<Value, StringRef>> shapes{
      {op.getAcc(), "bhsd"}, {op.getRowMax(), "bhs"}, {op.getRowSum(), "bhs"}};
  if (op.getLseInit())
    shapes.emplace_back(op.getLseInit(), "bhs");
  if (op.getSink())
    shapes.emplace_back(op.getSink(), "h");
  addAgreement(conditions, shapes);
  for (auto [dim, axis] : llvm::enumerate(StringRef("bhsd")))
    conditions.requireEqual(
        conditions.size(op.getOutputInit(), op.getOutputLayout(), axis),
        conditions.size(op.getAcc(), dim));
}

/// C27.
static void addProjectionConditions(ConditionBuilder &conditions,
                                    ProjectionOp op) {
  bool hasBatch = cast<ShapedType>(op.getInput().getType()).getRank() == 3;
  SmallVector<std::pair<Value, StringRef>> shapes{
      {op.getInput(), hasBatch ? "bse" : "se"},
      {op.getWeight(), stringifyWeightLayout(op.getWeightLayout())},
      {op.getOutputInit(), hasBatch ? "bso" : "so"}};
  if (op.getBias())
    shapes.emplace_back(op.getBias(), "o");
  if (op.getResidual())
    shapes.emplace_back(op.getResidual(), hasBatch ? "bso" : "so");
  addAgreement(conditions, shapes);
}

/// C31, C32.
static void addQKVProjectionConditions(ConditionBuilder &conditions,
                                       QKVProjectionOp op) {
  bool hasBatch = cast<ShapedType>(op.getInput().getType()).getRank() == 3;
  StringRef weightAxes = stringifyWeightLayout(op.getWeightLayout());
  unsigned outputs = weightAxes.find('o');
  addAgreement(conditions, {{op.getInput(), hasBatch ? "bse" : "se"},
                            {op.getWeight(), weightAxes}});
  if (op.getBias())
    conditions.requireEqual(conditions.size(op.getBias(), 0),
                            conditions.size(op.getWeight(), outputs));
  SmallVector<OpFoldResult> widths;
  for (Value output : op.getOutputInits()) {
    addAgreement(conditions, {{op.getInput(), hasBatch ? "bse" : "se"},
                              {output, hasBatch ? "bso" : "so"}});
    widths.push_back(conditions.size(output, hasBatch ? 2 : 1));
  }
  conditions.requireSum(widths, conditions.size(op.getWeight(), outputs));
}

/// C42, C44 and C45.
static void addRotaryConditions(ConditionBuilder &conditions,
                                RotaryEmbeddingOp op) {
  StringRef axes = op.getLayout().getAxes();
  SmallVector<std::pair<Value, StringRef>> shapes{{op.getInput(), axes},
                                                  {op.getOutputInit(), axes}};
  for (Value table : {op.getCos(), op.getSin()})
    if (table)
      shapes.emplace_back(
          table,
          cast<ShapedType>(table.getType()).getRank() == 3 ? "bsm" : "pm");
  if (op.getPositionIds())
    shapes.emplace_back(op.getPositionIds(), "bs");
  if (op.getOffset() && isa<ShapedType>(op.getOffset().getType()))
    shapes.emplace_back(op.getOffset(), "b");
  addAgreement(conditions, shapes);
  if (op.getCos() && cast<ShapedType>(op.getCos().getType()).getRank() == 2)
    conditions.requirePositive(conditions.size(op.getCos(), 0),
                               MHA_STATUS_SIZE_MISMATCH);
}

/// C29.
static void addRepeatConditions(ConditionBuilder &conditions, RepeatKVOp op) {
  LayoutAttr layout = op.getLayout();
  for (char axis : {'b', 's', 'd'})
    conditions.requireEqual(conditions.size(op.getOutputInit(), layout, axis),
                            conditions.size(op.getInput(), layout, axis));
  conditions.requireProduct({conditions.size(op.getInput(), layout, 'h'),
                             conditions.constant(op.getTimes())},
                            conditions.size(op.getOutputInit(), layout, 'h'));
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
    if (!(areStatic && getConstantIntValue(size)))
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
      .Case([&](OnlineAttentionOp op) { addOnlineConditions(conditions, op); })
      .Case([&](ProjectionOp op) { addProjectionConditions(conditions, op); })
      .Case([&](QKVProjectionOp op) {
        addQKVProjectionConditions(conditions, op);
      })
      .Case([&](RotaryEmbeddingOp op) { addRotaryConditions(conditions, op); })
      .Case([&](RepeatKVOp op) { addRepeatConditions(conditions, op); })
      .Case([&](MergeOp op) { addMergeConditions(conditions, op); })
      .Case([&](FinalizeOp op) { addFinalizeConditions(conditions, op); })
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
