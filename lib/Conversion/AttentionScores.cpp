//===- AttentionScores.cpp - Scores and weights as linalg ops -------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionScores.h"

#include "mha/IR/AttentionDims.h"
#include "mha/Support/PositionalBias.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::mha;

ScoresBuilder::ScoresBuilder(OpBuilder &builder, AttentionOpInterface op)
    : LoopBuilder(builder, op.getLoc(), op.getComputeType(),
                  op.hasTensorSemantics()),
      op(op) {
  StringRef queryAxes = op.getQueryLayout().getAxes();
  StringRef keyAxes = op.getKeyLayout().getAxes();
  StringRef valueAxes = op.getValueLayout().getAxes();
  query = {op.getQuery(), getLetters(queryAxes, 'h', 'i', 'd')};
  key = {op.getKey(), getLetters(keyAxes, 'k', 'j', 'd')};
  value = {op.getValue(), getLetters(valueAxes, 'k', 'j', 'n')};

  if (op.sharesKeysInBatch())
    for (Lettered *shared : {&key, &value})
      llvm::replace(shared->letters, 'b', '1');

  findSizes();
}

void ScoresBuilder::findSizes() {
  auto sizeOf = [&](int64_t known, char axis) -> OpFoldResult {
    if (!ShapedType::isDynamic(known))
      return builder.getIndexAttr(known);
    return getMixedOutputSize(builder, loc, op, axis);
  };
  AttentionDims dims = AttentionDims::get(op);
  sizes['b'] = sizeOf(dims.batch, 'b');
  sizes['h'] = sizeOf(dims.numQueryHeads, 'h');
  sizes['i'] = sizeOf(dims.queryLen, 's');
  sizes['n'] = sizeOf(dims.valueDim, 'd');
  sizes['d'] =
      getMixedAxisSize(builder, loc, op.getQuery(), op.getQueryLayout(), 'd');
  if (!ShapedType::isDynamic(dims.headDim))
    sizes['d'] = builder.getIndexAttr(dims.headDim);
  sizes['j'] =
      ShapedType::isDynamic(dims.keyLen)
          ? getMixedAxisSize(builder, loc, op.getKey(), op.getKeyLayout(), 's')
          : OpFoldResult(builder.getIndexAttr(dims.keyLen));
  sizes['k'] = getMixedOutputSize(builder, loc, op, 'k');
  sizes['g'] = getMixedOutputSize(builder, loc, op, 'g');
  // Where there are no query heads, no index is divided by 0.
  if (auto group = dyn_cast<Value>(sizes['g'])) {
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    sizes['g'] = builder.createOrFold<arith::MaxUIOp>(loc, group, one);
  }
}

/// The scale as a value of the type of computation: what is given, or
/// 1/sqrt(D).
Value ScoresBuilder::buildScale() {
  if (Value scale = op.getScaleValue())
    return buildFloatCast(builder, loc, scale, compute);
  if (std::optional<APFloat> scale = op.getScale())
    return constant(builder, scale->convertToDouble());
  if (std::optional<int64_t> headDim = getConstantIntValue(sizes['d']))
    return constant(builder, 1.0 / std::sqrt(double(*headDim)));
  Value headDim = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                             cast<Value>(sizes['d']));
  Type f64 = builder.getF64Type();
  Value root = math::SqrtOp::create(
      builder, loc, arith::SIToFPOp::create(builder, loc, f64, headDim));
  Value one =
      arith::ConstantOp::create(builder, loc, builder.getF64FloatAttr(1.0));
  Value scale = arith::DivFOp::create(builder, loc, one, root);
  return buildFloatCast(builder, loc, scale, compute);
}

/// sum over d of Q * K.
Lettered ScoresBuilder::buildScores() {
  return generic(
      "bhijd", {query, key}, makeFilled(makeEmpty("bhij"), 0.0),
      [&](OpBuilder &builder, ValueRange elements) -> Value {
        Value product =
            arith::MulFOp::create(builder, loc, elements[0], elements[1]);
        return arith::AddFOp::create(builder, loc, elements[2], product);
      });
}

/// Query and key of a step of a generic over `loops`.
QueryKeyPair ScoresBuilder::getPair(OpBuilder &builder, StringRef loops) {
  auto index = [&](char loop) -> Value {
    return linalg::IndexOp::create(builder, loc, loops.find(loop));
  };
  auto size = [&](char loop) {
    return getValueOrCreateConstantIndexOp(builder, loc, sizes[loop]);
  };
  return {index('b'), index('i'), index('j'), size('i'), size('j')};
}

/// cap * tanh(score / cap).
Value ScoresBuilder::buildCapped(OpBuilder &builder, Value score) {
  std::optional<APFloat> softcap = op.getSoftcap();
  if (!softcap)
    return score;
  Value cap = constant(builder, softcap->convertToDouble());
  Value tanh = math::TanhOp::create(
      builder, loc, arith::DivFOp::create(builder, loc, score, cap));
  return arith::MulFOp::create(builder, loc, cap, tanh);
}

Value ScoresBuilder::buildBiased(OpBuilder &builder, Value score,
                                 StringRef loops) {
  if (!op.getBiasAttr())
    return score;
  Value head = linalg::IndexOp::create(builder, loc, loops.find('h'));
  Value bias =
      buildPositionalBias(builder, loc, op, head, getPair(builder, loops));
  return arith::AddFOp::create(builder, loc, score, bias);
}

/// The dense mask, whose dimensions are the last ones of (b, h, i, j); it is
/// not walked along those of size 1.
Lettered ScoresBuilder::getDenseMask() {
  auto type = cast<ShapedType>(op.getDenseMask().getType());
  std::string letters = StringRef("bhij").take_back(type.getRank()).str();
  for (auto [letter, size] : llvm::zip_equal(letters, type.getShape()))
    if (size == 1)
      letter = '1';
  return {op.getDenseMask(), letters};
}

/// -inf in a mask that is added hides a key whatever its score is: NaN - inf
/// would be NaN.
Value ScoresBuilder::buildDenselyMasked(OpBuilder &builder, Value score,
                                        Value mask) {
  Value hidden = constant(builder, -kInfinity);
  if (mask.getType().isInteger(1))
    return arith::SelectOp::create(builder, loc, mask, score, hidden);
  Value isHidden = equals(builder, mask, -kInfinity);
  Value sum = arith::AddFOp::create(builder, loc, score, mask);
  return arith::SelectOp::create(builder, loc, isHidden, hidden, sum);
}

/// What the softmax is taken of: scores with their scale, soft cap and biases,
/// -inf where a key is hidden.
Lettered ScoresBuilder::buildMasked() {
  Lettered scores = buildScores();
  Value scale = buildScale();
  StringRef loops = "bhij";
  SmallVector<Lettered> masks;
  if (op.getDenseMask())
    masks.push_back(getDenseMask());
  return generic(
      loops, masks, scores,
      [&](OpBuilder &builder, ValueRange elements) -> Value {
        Value score =
            arith::MulFOp::create(builder, loc, elements.back(), scale);
        score = buildCapped(builder, score);
        score = buildBiased(builder, score, loops);
        Value hidden = constant(builder, -kInfinity);
        if (!masks.empty())
          score = buildDenselyMasked(builder, score, elements.front());
        Value visible =
            buildVisibility(builder, loc, op, getPair(builder, loops));
        if (!visible)
          return score;
        return arith::SelectOp::create(builder, loc, visible, score, hidden);
      });
}

Lettered ScoresBuilder::buildRowMax(Lettered masked) {
  return generic("bhij", {masked}, makeFilled(makeEmpty("bhi"), -kInfinity),
                 [&](OpBuilder &builder, ValueRange elements) -> Value {
                   return arith::MaximumFOp::create(builder, loc, elements[1],
                                                    elements[0]);
                 });
}

/// exp(S - max), 0 where a key is hidden.
Lettered ScoresBuilder::buildWeights(Lettered masked, Lettered rowMax) {
  return generic("bhij", {masked, rowMax}, makeEmpty("bhij"),
                 [&](OpBuilder &builder, ValueRange elements) -> Value {
                   return expOfDifference(builder, elements[0], elements[1]);
                 });
}

/// `init` and the sum over j of the weights.
Lettered ScoresBuilder::addWeights(Lettered init, Lettered weights) {
  return generic("bhij", {weights}, init,
                 [&](OpBuilder &builder, ValueRange elements) -> Value {
                   return arith::AddFOp::create(builder, loc, elements[1],
                                                elements[0]);
                 });
}

/// `init` and the sum over visible j of weight * V. Hidden keys are selected
/// away: 0 * NaN is NaN. A weight is rounded to the type of the values, which
/// it meets as a factor.
Lettered ScoresBuilder::addWeighted(Lettered init, Lettered weights,
                                    Lettered masked) {
  auto valueType = cast<FloatType>(getElementTypeOrSelf(op.getValue()));
  return generic(
      "bhijn", {weights, masked, value}, init,
      [&](OpBuilder &builder, ValueRange elements) -> Value {
        Value rounded = buildFloatCast(builder, loc, elements[0], valueType);
        Value weight = buildFloatCast(builder, loc, rounded, compute);
        Value product =
            arith::MulFOp::create(builder, loc, weight, elements[2]);
        Value isHidden = equals(builder, elements[1], -kInfinity);
        Value zero = constant(builder, 0.0);
        Value term =
            arith::SelectOp::create(builder, loc, isHidden, zero, product);
        return arith::AddFOp::create(builder, loc, elements[3], term);
      });
}
