//===- IntegerRange.cpp - Legal values of integer arguments ---------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/IntegerRange.h"

#include "mha/IR/MHA.h"

#include "mlir/Interfaces/CastInterfaces.h"

using namespace mlir;
using namespace mlir::mha;

static bool isCast(Operation *op) {
  return isa<CastOpInterface>(op) && op->getNumOperands() == 1 &&
         op->getNumResults() == 1;
}

/// The value that casts have made `value` from.
static Value skipCasts(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isCast(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// The operands that `value` becomes, directly or through casts.
static void collectUses(Value value, SmallVectorImpl<OpOperand *> &uses) {
  for (OpOperand &use : value.getUses()) {
    if (isCast(use.getOwner()))
      collectUses(use.getOwner()->getResult(0), uses);
    else
      uses.push_back(&use);
  }
}

/// Where to read the size of `value` along `dim`; nothing when only the program
/// itself computes it.
static std::optional<SizeSource> findSize(Value value, unsigned dim,
                                          Block *entryBlock) {
  auto type = cast<ShapedType>(value.getType());
  if (!type.isDynamicDim(dim))
    return SizeSource{type.getDimSize(dim), std::nullopt, 0};
  auto argument = dyn_cast<BlockArgument>(skipCasts(value));
  if (!argument || argument.getOwner() != entryBlock)
    return std::nullopt;
  auto argumentType = dyn_cast<RankedTensorType>(argument.getType());
  if (!argumentType || argumentType.getRank() != type.getRank())
    return std::nullopt;
  return SizeSource{0, argument.getArgNumber(), dim};
}

/// Intersects `range` with what one use of the argument asks for.
static void addUse(OpOperand &use, Block *entryBlock,
                   std::optional<IntegerRange> &range) {
  auto op = dyn_cast<AttentionOp>(use.getOwner());
  if (!op)
    return;
  bool isLength = op.getKvLengths() == use.get();
  bool isOffset = op.getQueryOffset() == use.get();
  if (!isLength && !isOffset)
    return;
  auto keyLength =
      findSize(op.getKey(), op.getKeyLayout().getDim('s'), entryBlock);
  auto queryLength =
      findSize(op.getQuery(), op.getQueryLayout().getDim('s'), entryBlock);
  if (!keyLength || (isOffset && !queryLength))
    return;
  if (!range)
    range.emplace().isOffset = true;
  range->keyLengths.push_back(*keyLength);
  if (isLength)
    range->isOffset = false;
  else if (!range->queryLength)
    range->queryLength = queryLength;
}

std::optional<IntegerRange>
mlir::mha::findIntegerRange(BlockArgument argument) {
  SmallVector<OpOperand *> uses;
  collectUses(argument, uses);
  std::optional<IntegerRange> range;
  for (OpOperand *use : uses)
    addUse(*use, argument.getOwner(), range);
  return range;
}

std::pair<int64_t, int64_t> IntegerRange::evaluate(ShapeOf shapeOf) const {
  auto read = [&](const SizeSource &source) {
    return source.argument ? shapeOf(*source.argument)[source.dim]
                           : source.size;
  };
  int64_t high = read(keyLengths.front());
  for (const SizeSource &source : keyLengths)
    high = std::min(high, read(source));
  return {isOffset ? -read(*queryLength) : 0, high};
}
