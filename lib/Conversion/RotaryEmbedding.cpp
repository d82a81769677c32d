//===- RotaryEmbedding.cpp - Rotary embeddings by their definition --------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Letters: b batch, h head, s position in the sequence, m pair, d element of a
// head that is not rotated.
//
//===----------------------------------------------------------------------===//

#include "RotaryEmbedding.h"

#include "mha/Support/PositionalBias.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;
using namespace mlir::mha;

RotaryBuilder::RotaryBuilder(OpBuilder &builder, RotaryEmbeddingOp op)
    : LoopBuilder(builder, op.getLoc(), getComputeType(op.getInput()),
                  op.hasTensorSemantics()),
      op(op),
      rotated(op.getRotarySize()), input{op.getInput(),
                                         op.getLayout().getAxes().str()},
      output{op.getOutputInit(), input.letters} {
  learnSizes(output);
  sizes['m'] = builder.getIndexAttr(rotated / 2);
}

//===----------------------------------------------------------------------===//
// Angles
//===----------------------------------------------------------------------===//

/// The position of an element of the sequence, as an index.
Value RotaryBuilder::buildPosition(OpBuilder &builder, ValueRange elements,
                                   StringRef loops) {
  auto asIndex = [&](Value value) -> Value {
    if (value.getType().isIndex())
      return value;
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                      value);
  };
  if (op.getPositionIds())
    return asIndex(elements.front());
  Value place = linalg::IndexOp::create(builder, loc, loops.find('s'));
  Value offset = op.getOffset();
  if (!offset)
    return place;
  if (isa<ShapedType>(offset.getType()))
    offset = elements.front();
  return arith::AddIOp::create(builder, loc, asIndex(offset), place);
}

/// cos or sin of position * theta^(-2 pair / R).
Value RotaryBuilder::evaluate(OpBuilder &builder, Function function,
                              Value position, Value pair) {
  Type f64 = builder.getF64Type();
  auto toFloat = [&](Value index) -> Value {
    Value integer =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
    return arith::SIToFPOp::create(builder, loc, f64, integer);
  };
  double exponent =
      -2.0 / double(rotated) * std::log(op.getTheta()->convertToDouble());
  Value factor = arith::ConstantOp::create(builder, loc,
                                           builder.getF64FloatAttr(exponent));
  Value frequency = math::ExpOp::create(
      builder, loc, arith::MulFOp::create(builder, loc, toFloat(pair), factor));
  Value angle =
      arith::MulFOp::create(builder, loc, toFloat(position), frequency);
  Value result = function == Function::Cos
                     ? Value(math::CosOp::create(builder, loc, angle))
                     : Value(math::SinOp::create(builder, loc, angle));
  return buildFloatCast(builder, loc, result, compute);
}

/// An element of a table, NaN for a position that it does not have.
Value RotaryBuilder::lookUp(OpBuilder &builder, Value table, Value position,
                            Value pair) {
  Value rows = onTensors ? Value(tensor::DimOp::create(builder, loc, table, 0))
                         : Value(memref::DimOp::create(builder, loc, table, 0));
  // There is a first row (C44).
  Value first = arith::ConstantIndexOp::create(builder, loc, 0);
  Value isInside = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, position, rows);
  Value row = arith::SelectOp::create(builder, loc, isInside, position, first);
  Value element = onTensors
                      ? Value(tensor::ExtractOp::create(builder, loc, table,
                                                        ValueRange{row, pair}))
                      : Value(memref::LoadOp::create(builder, loc, table,
                                                     ValueRange{row, pair}));
  return arith::SelectOp::create(builder, loc, isInside,
                                 buildFloatCast(builder, loc, element, compute),
                                 constant(builder, std::nan("")));
}

/// Of one sequence, unless positions differ by batch entry.
std::string RotaryBuilder::getTableLetters() {
  Value offset = op.getOffset();
  bool differs =
      op.getPositionIds() || (offset && isa<ShapedType>(offset.getType()));
  return differs ? "bsm" : "sm";
}

/// The cosines or sines of all positions and pairs.
Lettered RotaryBuilder::makeTable(Function function) {
  Value table = function == Function::Cos ? op.getCos() : op.getSin();
  if (table && cast<ShapedType>(table.getType()).getRank() == 3)
    return {table, "bsm"};
  std::string loops = getTableLetters();
  SmallVector<Lettered> inputs;
  if (op.getPositionIds())
    inputs.push_back({op.getPositionIds(), "bs"});
  else if (loops == "bsm")
    inputs.push_back({op.getOffset(), "b"});
  return generic(loops, inputs, makeEmpty(loops),
                 [&](OpBuilder &builder, ValueRange elements) -> Value {
                   Value position = buildPosition(builder, elements, loops);
                   Value pair =
                       linalg::IndexOp::create(builder, loc, loops.find('m'));
                   return table ? lookUp(builder, table, position, pair)
                                : evaluate(builder, function, position, pair);
                 });
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

RotaryBuilder::Part RotaryBuilder::getPart(bool second) {
  if (op.getInterleaved())
    return {'m', second ? 1 : 0, rotated / 2, 2};
  return {'m', second ? rotated / 2 : 0, rotated / 2, 1};
}

/// A part of each head, with the part's letter in place of d.
Lettered RotaryBuilder::read(const Lettered &heads, const Part &part) {
  Lettered slice = takeSlice(heads, 'd', builder.getIndexAttr(part.offset),
                             builder.getIndexAttr(part.size), part.stride);
  llvm::replace(slice.letters, 'd', part.letter);
  return slice;
}

/// Computes a part of the output in place.
void RotaryBuilder::write(const Part &part, ArrayRef<Lettered> inputs,
                          BodyFn body) {
  Lettered destination = read(output, part);
  auto element = cast<FloatType>(getElementTypeOrSelf(output.value));
  Lettered result = generic(
      destination.letters, inputs, destination,
      [&](OpBuilder &builder, ValueRange elements) -> Value {
        return buildFloatCast(builder, loc, body(builder, elements), element);
      });
  llvm::replace(result.letters, part.letter, 'd');
  output = putSlice(result, output, 'd', builder.getIndexAttr(part.offset),
                    builder.getIndexAttr(part.size), part.stride);
}

SmallVector<Value> RotaryBuilder::build() {
  // Upstream has no slices of a tensor without elements.
  if (llvm::is_contained(cast<ShapedType>(output.value.getType()).getShape(),
                         0))
    return {output.value};
  Lettered cos = makeTable(Function::Cos), sin = makeTable(Function::Sin);
  Part first = getPart(/*second=*/false), second = getPart(/*second=*/true);
  SmallVector<Lettered> inputs{read(input, first), read(input, second), cos,
                               sin};
  auto multiply = [&](OpBuilder &builder, Value lhs, Value rhs) -> Value {
    return arith::MulFOp::create(builder, loc, lhs, rhs);
  };
  write(first, inputs, [&](OpBuilder &builder, ValueRange e) -> Value {
    return arith::SubFOp::create(builder, loc, multiply(builder, e[0], e[2]),
                                 multiply(builder, e[1], e[3]));
  });
  write(second, inputs, [&](OpBuilder &builder, ValueRange e) -> Value {
    return arith::AddFOp::create(builder, loc, multiply(builder, e[0], e[3]),
                                 multiply(builder, e[1], e[2]));
  });
  int64_t headDim = *getConstantIntValue(sizes['d']);
  if (rotated != headDim) {
    Part rest{'d', rotated, headDim - rotated, 1};
    sizes['d'] = builder.getIndexAttr(rest.size);
    write(rest, read(input, rest),
          [](OpBuilder &, ValueRange elements) { return elements.front(); });
  }
  return {output.value};
}
