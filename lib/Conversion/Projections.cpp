//===- Projections.cpp - Linear maps by their definition ------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Projections.h"

#include "mha/Support/PositionalBias.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::mha;

/// Of what has a row for each element of the sequence, or of each of a batch.
static std::string getRowLetters(Value rows, char last) {
  bool hasBatch = cast<ShapedType>(rows.getType()).getRank() == 3;
  return (hasBatch ? "bs" : "s") + std::string(1, last);
}

OpFoldResult ProjectionBuilder::add(OpFoldResult lhs, OpFoldResult rhs) {
  return getAsOpFoldResult(builder.createOrFold<arith::AddIOp>(
      loc, getValueOrCreateConstantIndexOp(builder, loc, lhs),
      getValueOrCreateConstantIndexOp(builder, loc, rhs)));
}

void ProjectionBuilder::addMaps(ProjectionOp op) {
  std::string letters = getRowLetters(op.getInput(), 'o');
  maps.push_back(
      {{op.getInput(), getRowLetters(op.getInput(), 'e')},
       {op.getWeight(), stringifyWeightLayout(op.getWeightLayout()).str()},
       {op.getBias(), "o"},
       {op.getResidual(), letters},
       {op.getOutputInit(), letters}});
}

void ProjectionBuilder::addMaps(QKVProjectionOp op) {
  Lettered input{op.getInput(), getRowLetters(op.getInput(), 'e')};
  Lettered weight{op.getWeight(),
                  stringifyWeightLayout(op.getWeightLayout()).str()};
  Lettered bias{op.getBias(), "o"};
  OpFoldResult offset = builder.getIndexAttr(0);
  for (Value init : op.getOutputInits()) {
    Lettered output{init, getRowLetters(init, 'o')};
    OpFoldResult width = getSize(init, output.letters.size() - 1);
    maps.push_back({input, takeSlice(weight, 'o', offset, width),
                    op.getBias() ? takeSlice(bias, 'o', offset, width) : bias,
                    Lettered(), output});
    offset = add(offset, width);
  }
}

/// Sums start at 0, in the output where they fit there.
Lettered ProjectionBuilder::makeFirstSum(const Lettered &output) {
  bool fits = getElementTypeOrSelf(output.value) == compute;
  return makeFilled(fits ? output : makeEmpty(output.letters), 0.0);
}

Value ProjectionBuilder::buildMap(const LinearMap &map) {
  sizes.clear();
  learnSizes(map.output);
  Lettered sum = generic(
      map.output.letters + "e", {map.input, map.weight},
      makeFirstSum(map.output),
      [&](OpBuilder &builder, ValueRange elements) -> Value {
        Value product =
            arith::MulFOp::create(builder, loc, elements[0], elements[1]);
        return arith::AddFOp::create(builder, loc, elements[2], product);
      });
  auto element = cast<FloatType>(getElementTypeOrSelf(map.output.value));
  bool isInPlace = element == compute;
  SmallVector<Lettered> inputs;
  for (const Lettered &term : {map.bias, map.residual})
    if (term.value)
      inputs.push_back(term);
  if (inputs.empty() && isInPlace)
    return sum.value;
  size_t numTerms = inputs.size();
  if (!isInPlace)
    inputs.push_back(sum);
  Lettered rounded =
      generic(map.output.letters, inputs, isInPlace ? sum : map.output,
              [&](OpBuilder &builder, ValueRange elements) -> Value {
                Value result = elements[numTerms];
                for (Value term : elements.take_front(numTerms))
                  result = arith::AddFOp::create(builder, loc, result, term);
                return buildFloatCast(builder, loc, result, element);
              });
  return rounded.value;
}

SmallVector<Value> ProjectionBuilder::build() {
  return llvm::map_to_vector(
      maps, [&](const LinearMap &map) { return buildMap(map); });
}
