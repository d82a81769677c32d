//===- QueryInLanesScores.cpp - Biases and masks of scores ----------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QueryInLanesEmitter.h"

#include "mha/IR/AttentionDims.h"
#include "mha/Support/PositionalBias.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::mha;

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

/// Which rows of a column see `key`, relative to this op's first one.
Value QueryInLanesEmitter::isVisible(Value key, int64_t column) {
  Value isValid = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                        key, keyLength);
  Value visible = vector::BroadcastOp::create(
      builder, loc, VectorType::get(lanes, builder.getI1Type()), isValid);
  MaskAttr mask = op.getMaskAttr();
  if (!mask)
    return visible;
  // key - position of row 0, against the rows' own distances from row 0. In 64
  // bits: an offset may be far outside.
  auto wide = VectorType::get(lanes, builder.getI64Type());
  Value distance = arith::IndexCastOp::create(
      builder, loc, builder.getI64Type(), sub(key, firstPosition));
  Value distances = vector::BroadcastOp::create(builder, loc, wide, distance);
  int64_t firstRow = column % columnsOfHead * lanes;
  auto require = [&](arith::CmpIPredicate predicate, int64_t bound) {
    SmallVector<int64_t> bounds;
    for (int64_t i = 0; i < lanes; ++i)
      bounds.push_back(firstRow + i + bound);
    Value limit = arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(wide, ArrayRef(bounds)));
    Value holds =
        arith::CmpIOp::create(builder, loc, predicate, distances, limit);
    visible = arith::AndIOp::create(builder, loc, visible, holds);
  };
  if (mask.getCausal())
    require(arith::CmpIPredicate::sle, 0);
  if (mask.hasWindow()) {
    require(arith::CmpIPredicate::sge, -*mask.getWindowLeft());
    require(arith::CmpIPredicate::sle, *mask.getWindowRight());
  }
  return visible;
}

/// What an operand with a value for each query head of the whole problem holds
/// for the head of each column.
Values QueryInLanesEmitter::loadPerHead(Value operand) {
  Values ofHeads;
  for (int64_t head = 0; head < blockG; ++head) {
    Value element = buildPerHead(builder, loc, op, operand, index(head));
    ofHeads.push_back(
        vector::BroadcastOp::create(builder, loc, floats, element));
  }
  Values ofColumns;
  for (int64_t column = 0; column < numColumns; ++column)
    ofColumns.push_back(ofHeads[column / columnsOfHead]);
  return ofColumns;
}

/// Loads what all scores of the item have in common.
void QueryInLanesEmitter::findScoreTerms() {
  if (!hasNaturalScores)
    return;
  scale = splat(givenScale);
  if (Value given = op.getScaleValue())
    scale = vector::BroadcastOp::create(
        builder, loc, floats,
        buildFloatCast(builder, loc, given, builder.getF32Type()));
  if (op.getSlopes())
    slopes = loadPerHead(op.getSlopes());
}

/// A score with its scale and the bias of its distance, key - position.
Value QueryInLanesEmitter::makeNatural(Value score, Value key, int64_t column) {
  Value scaled = mulF(score, scale);
  if (slopes.empty())
    return scaled;
  // The distance of row 0 as a float, and what that is off: with it the rows'
  // own distances are rounded once, however far they are.
  Type wide = builder.getI64Type(), single = builder.getF32Type();
  auto toFloat = [&](Value integer) {
    return arith::SIToFPOp::create(builder, loc, single, integer);
  };
  auto broadcast = [&](Value number) -> Value {
    return vector::BroadcastOp::create(builder, loc, floats, number);
  };
  Value exact =
      arith::IndexCastOp::create(builder, loc, wide, sub(key, firstPosition));
  Value rounded = toFloat(exact);
  Value off = toFloat(arith::SubIOp::create(
      builder, loc, exact,
      arith::FPToSIOp::create(builder, loc, wide, rounded)));
  int64_t firstRow = column % columnsOfHead * lanes;
  SmallVector<float> rows;
  for (int64_t i = 0; i < lanes; ++i)
    rows.push_back(firstRow + i);
  Value ofRows = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(floats, ArrayRef(rows)));
  Value distance = addF(broadcast(rounded), subF(broadcast(off), ofRows));
  if (op.getBiasAttr().getKind() == BiasKind::AlibiSymmetric)
    distance = arith::NegFOp::create(
        builder, loc, math::AbsFOp::create(builder, loc, distance));
  return addF(scaled, mulF(slopes[column], distance));
}

//===----------------------------------------------------------------------===//
// Dense masks
//===----------------------------------------------------------------------===//

/// The element of the dense mask for a head, row and key of this op.
Values QueryInLanesEmitter::getMaskIndices(Value head, Value row, Value key) {
  auto type = cast<ShapedType>(op.getDenseMask().getType());
  const Value all[] = {index(0), head, row, key};
  Values indices(ArrayRef<Value>(all).take_back(type.getRank()));
  for (auto [place, size] : llvm::zip_equal(indices, type.getShape()))
    if (size == 1)
      place = index(0);
  return indices;
}

/// What the dense mask adds to a score: -inf, or 0, where it is of booleans.
Value QueryInLanesEmitter::readMask(Value head, Value row, Value key) {
  Value element = memref::LoadOp::create(builder, loc, op.getDenseMask(),
                                         getMaskIndices(head, row, key));
  if (isa<FloatType>(element.getType()))
    return buildFloatCast(builder, loc, element, builder.getF32Type());
  auto constant = [&](float value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getF32FloatAttr(value));
  };
  return arith::SelectOp::create(builder, loc, element, constant(0),
                                 constant(-INFINITY));
}

/// `row`, or the last one where that is before it.
Value QueryInLanesEmitter::clampRow(Value row) {
  return hasTail ? minimum(row, sub(numRows, index(1))) : row;
}

/// Brings the mask of a column and one key into `maskT`.
void QueryInLanesEmitter::transposeMaskOfKey(const MaskColumn &column,
                                             Value inBlock, Value key) {
  loopOver(index(0), index(lanes), 1, [&](Value i) {
    Value row = clampRow(add(column.row, i));
    Value element = readMask(column.head, row, key);
    memref::StoreOp::create(
        builder, loc, element, maskT,
        ValueRange{column.panel, inBlock, add(column.lane, i)});
  });
}

/// The dense mask with bytes in place of booleans, which are packed in vectors
/// but not in memory; keys side by side, which a memref.cast would say as well,
/// but canonicalization folds that into loads, which then refuse the type.
Value QueryInLanesEmitter::viewMask() {
  auto type = cast<MemRefType>(op.getDenseMask().getType());
  SmallVector<int64_t> strides = type.getStridesAndOffset().first;
  strides.back() = 1;
  auto layout =
      StridedLayoutAttr::get(type.getContext(), ShapedType::kDynamic, strides);
  auto viewType =
      MemRefType::get(type.getShape(), type.getElementType(), layout);
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, op.getDenseMask());
  SmallVector<OpFoldResult> mixedStrides = metadata.getConstifiedMixedStrides();
  mixedStrides.back() = builder.getIndexAttr(1);
  Value view = memref::ReinterpretCastOp::create(
      builder, loc, viewType, op.getDenseMask(),
      OpFoldResult(metadata.getOffset()), metadata.getConstifiedMixedSizes(),
      mixedStrides);
  if (!type.getElementType().isInteger(1))
    return view;
  auto bytes = MemRefType::get(type.getShape(), builder.getI8Type(), layout);
  return UnrealizedConversionCastOp::create(builder, loc, bytes, view)
      .getResult(0);
}

/// What `lanes` elements of the viewed mask add to scores.
Value QueryInLanesEmitter::readMaskRow(Value view, Value head, Value row,
                                       Value key) {
  Type element = cast<MemRefType>(view.getType()).getElementType();
  Value loaded =
      vector::LoadOp::create(builder, loc, VectorType::get(lanes, element),
                             view, getMaskIndices(head, row, key));
  if (element.isInteger()) {
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(loaded.getType()));
    Value isShown = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ne, loaded, zero);
    return select(isShown, splat(0), splat(-INFINITY));
  }
  if (element.isF32())
    return loaded;
  if (element.isF64())
    return arith::TruncFOp::create(builder, loc, floats, loaded);
  return arith::ExtFOp::create(builder, loc, floats, loaded);
}

/// Brings the mask of a column and `lanes` keys into `maskT`.
void QueryInLanesEmitter::transposeMaskSquare(const MaskColumn &column,
                                              Value view, Value inBlock,
                                              Value key) {
  Values tile;
  for (int64_t i = 0; i < lanes; ++i) {
    Value row = clampRow(add(column.row, i));
    tile.push_back(readMaskRow(view, column.head, row, key));
  }
  transpose(tile);
  for (int64_t i = 0; i < lanes; ++i)
    store(tile[i], maskT, {column.panel, add(inBlock, i), column.lane});
}

/// Brings the mask of a block into `maskT`: in squares where its keys are side
/// by side, and those that are left, or all, one at a time.
void QueryInLanesEmitter::transposeMask(const KeyBlock &block) {
  Value stride =
      memref::ExtractStridedMetadataOp::create(builder, loc, op.getDenseMask())
          .getStrides()
          .back();
  Value isSideBySide = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq, stride, index(1));
  // Only keys that are there have a mask.
  Value there = minimum(block.count, sub(keyEnd, block.first));
  Value inSquares = select(isSideBySide, roundDown(there, lanes), index(0));
  forColumns([&](Value panel, Value lane, Value head, Value row) {
    MaskColumn column{panel, lane, head, row};
    ifTrue(isSideBySide, [&] {
      Value view = viewMask();
      loopOver(index(0), inSquares, lanes, [&](Value inBlock) {
        transposeMaskSquare(column, view, inBlock, add(block.first, inBlock));
      });
    });
    loopOver(inSquares, block.count, 1, [&](Value inBlock) {
      Value key = clampKey(block, add(block.first, inBlock));
      transposeMaskOfKey(column, inBlock, key);
    });
  });
}

/// Fetches a share of the mask of the keys behind this block, while `qkRows`
/// keys of it are multiplied: all at once would be waited for. Rows of a mask
/// lie far apart, which no CPU foresees, and in few sets of the first cache.
void QueryInLanesEmitter::prefetchMask(const KeyBlock &block, Value inBlock) {
  auto type = cast<ShapedType>(op.getDenseMask().getType());
  int64_t rank = type.getRank();
  bool isOfHeads = rank > 2 && type.getDimSize(rank - 3) != 1;
  int64_t rows = isOfHeads ? blockG * blockQ : blockQ;
  int64_t line = 64 * 8 / std::max(type.getElementTypeBitWidth(), 8u);
  int64_t share = llvm::divideCeil(rows * qkRows, line);
  Value first = mul(div(inBlock, qkRows), share);
  Value next = add(block.first, blockK);
  for (int64_t i = 0; i < share; ++i) {
    Value number = add(first, i);
    Value row = rem(number, rows);
    Value key = add(next, mul(div(number, rows), line));
    constexpr unsigned inSecondLevel = 2;
    memref::PrefetchOp::create(
        builder, loc, op.getDenseMask(),
        getMaskIndices(div(row, blockQ), rem(row, blockQ), key),
        /*isWrite=*/false, inSecondLevel, /*isDataCache=*/true);
  }
}

/// The same, once, where all keys have one mask.
void QueryInLanesEmitter::transposeMaskOfRows() {
  forColumns([&](Value panel, Value lane, Value head, Value row) {
    transposeMaskOfKey({panel, lane, head, row}, index(0), index(0));
  });
}

/// A score with the dense mask of its key, `key` rows behind `inBlock`.
Value QueryInLanesEmitter::maskScore(const KeyBlock &block, Value score,
                                     Value inBlock, int64_t key,
                                     int64_t column) {
  Value mask;
  int64_t panel = column / vectors, lane = column % vectors * lanes;
  if (maskShape == MaskShape::PerKey) {
    Value row = clampKey(block, add(add(block.first, inBlock), key));
    mask = vector::BroadcastOp::create(
        builder, loc, floats,
        readMask(index(column / columnsOfHead), index(0), row));
  } else {
    Value place = maskShape == MaskShape::PerRow ? index(0) : add(inBlock, key);
    mask = load(maskT, {index(panel), place, index(lane)});
  }
  Value hidden = splat(-INFINITY);
  Value isHidden = compare(arith::CmpFPredicate::OEQ, mask, hidden);
  if (isa<FloatType>(getElementTypeOrSelf(op.getDenseMask())))
    score = addF(score, mask);
  return select(isHidden, hidden, score);
}
