//===- LetteredLoops.cpp - Loops that read like an einsum -----------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LetteredLoops.h"

#include "mha/Support/PartialStates.h"
#include "mha/Support/PositionalBias.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::mha;

std::string mlir::mha::getLetters(StringRef axes, char heads, char sequence,
                                  char head) {
  std::string letters = axes.str();
  for (char &letter : letters)
    letter = letter == 'h'   ? heads
             : letter == 's' ? sequence
             : letter == 'd' ? head
                             : letter;
  return letters;
}

//===----------------------------------------------------------------------===//
// Tensors and buffers
//===----------------------------------------------------------------------===//

OpFoldResult LoopBuilder::getSize(Value value, unsigned dim) {
  return onTensors ? tensor::getMixedSize(builder, loc, value, dim)
                   : memref::getMixedSize(builder, loc, value, dim);
}

void LoopBuilder::learnSizes(const Lettered &shaped) {
  for (auto [dim, letter] : llvm::enumerate(shaped.letters))
    if (sizes.lookup(letter).isNull())
      sizes[letter] = getSize(shaped.value, dim);
}

LoopBuilder::Slice LoopBuilder::getSlice(const Lettered &whole, char letter,
                                         OpFoldResult offset, OpFoldResult size,
                                         int64_t stride) {
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  Slice slice;
  for (auto [dim, other] : llvm::enumerate(whole.letters)) {
    bool isCut = other == letter;
    slice.offsets.push_back(isCut ? offset : zero);
    slice.sizes.push_back(isCut ? size : getSize(whole.value, dim));
    slice.strides.push_back(isCut ? builder.getIndexAttr(stride) : one);
  }
  return slice;
}

/// `size` elements along `letter`.
Lettered LoopBuilder::takeSlice(const Lettered &whole, char letter,
                                OpFoldResult offset, OpFoldResult size,
                                int64_t stride) {
  Slice slice = getSlice(whole, letter, offset, size, stride);
  if (onTensors)
    return {tensor::ExtractSliceOp::create(builder, loc, whole.value,
                                           slice.offsets, slice.sizes,
                                           slice.strides),
            whole.letters};
  return {memref::SubViewOp::create(builder, loc, whole.value, slice.offsets,
                                    slice.sizes, slice.strides),
          whole.letters};
}

/// `whole` with `part` in it; on memrefs the part is there already.
Lettered LoopBuilder::putSlice(const Lettered &part, const Lettered &whole,
                               char letter, OpFoldResult offset,
                               OpFoldResult size, int64_t stride) {
  if (!onTensors)
    return whole;
  Slice slice = getSlice(whole, letter, offset, size, stride);
  return {tensor::InsertSliceOp::create(builder, loc, part.value, whole.value,
                                        slice.offsets, slice.sizes,
                                        slice.strides),
          whole.letters};
}

/// A tensor, or on memrefs a new buffer, with nothing in it; of the type of
/// computation unless told otherwise.
Lettered LoopBuilder::makeEmpty(StringRef letters, Type element) {
  if (!element)
    element = compute;
  SmallVector<OpFoldResult> shape;
  for (char letter : letters)
    shape.push_back(sizes[letter]);
  Value empty = buildEmpty(builder, loc, shape, element, onTensors);
  if (!onTensors)
    temporaries.push_back(empty);
  return {empty, letters.str()};
}

Lettered LoopBuilder::makeFilled(Lettered destination, double value) {
  auto fill = linalg::FillOp::create(builder, loc, constant(builder, value),
                                     destination.value);
  return {onTensors ? fill.getResult(0) : destination.value,
          destination.letters};
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The index that `letter` stands for in terms of `loops`; the group is static
/// where it is needed.
AffineExpr LoopBuilder::getExpr(char letter, StringRef loops) {
  if (letter == '1')
    return builder.getAffineConstantExpr(0);
  auto loop = [&](char name) {
    return builder.getAffineDimExpr(loops.find(name));
  };
  if (loops.contains(letter))
    return loop(letter);
  int64_t group = *getConstantIntValue(sizes['g']);
  if (letter == 'h')
    return loop('k') * group + loop('g');
  return letter == 'k' ? loop('h').floorDiv(group) : loop('h') % group;
}

AffineMap LoopBuilder::getMap(StringRef letters, StringRef loops) {
  SmallVector<AffineExpr> exprs;
  for (char letter : letters)
    exprs.push_back(getExpr(letter, loops));
  return AffineMap::get(loops.size(), 0, exprs, builder.getContext());
}

/// Whether `input` has an index that no affine map can express: one by a group
/// that only run time knows.
bool LoopBuilder::isReadByIndex(const Lettered &input, StringRef loops) {
  bool usesGroup = llvm::any_of(input.letters, [&](char letter) {
    return letter != '1' && !loops.contains(letter);
  });
  return usesGroup && !getConstantIntValue(sizes.lookup('g'));
}

/// The index that `letter` stands for inside a generic over `loops`.
Value LoopBuilder::buildIndex(OpBuilder &builder, char letter,
                              StringRef loops) {
  if (letter == '1')
    return arith::ConstantIndexOp::create(builder, loc, 0);
  auto loop = [&](char name) -> Value {
    return linalg::IndexOp::create(builder, loc, loops.find(name));
  };
  if (loops.contains(letter))
    return loop(letter);
  Value group = getValueOrCreateConstantIndexOp(builder, loc, sizes['g']);
  if (letter == 'h')
    return arith::AddIOp::create(
        builder, loc, arith::MulIOp::create(builder, loc, loop('k'), group),
        loop('g'));
  if (letter == 'k')
    return arith::DivUIOp::create(builder, loc, loop('h'), group);
  return arith::RemUIOp::create(builder, loc, loop('h'), group);
}

Value LoopBuilder::readByIndex(OpBuilder &builder, const Lettered &input,
                               StringRef loops) {
  SmallVector<Value> indices;
  for (char letter : input.letters)
    indices.push_back(buildIndex(builder, letter, loops));
  if (onTensors)
    return tensor::ExtractOp::create(builder, loc, input.value, indices);
  return memref::LoadOp::create(builder, loc, input.value, indices);
}

/// One linalg.generic over `loops`, outermost first. A loop that the init does
/// not have is a reduction. `body` gets the elements of the inputs, floats in
/// the type of computation, and of the init.
Lettered LoopBuilder::generic(StringRef loops, ArrayRef<Lettered> inputs,
                              Lettered init, BodyFn body) {
  SmallVector<AffineMap> maps;
  SmallVector<Value> operands;
  for (const Lettered &input : inputs) {
    if (isReadByIndex(input, loops))
      continue;
    maps.push_back(getMap(input.letters, loops));
    operands.push_back(input.value);
  }
  // A loop whose operands are all read by index takes its size from an operand
  // that nobody reads.
  std::string walked = init.letters;
  for (const Lettered &input : inputs)
    if (!isReadByIndex(input, loops))
      walked += input.letters;
  size_t numRead = operands.size();
  for (char loop : loops) {
    if (StringRef(walked).contains(loop))
      continue;
    Lettered size = makeEmpty(StringRef(&loop, 1));
    maps.push_back(getMap(size.letters, loops));
    operands.push_back(size.value);
  }
  size_t numUnread = operands.size() - numRead;
  maps.push_back(getMap(init.letters, loops));
  SmallVector<utils::IteratorType> iterators;
  for (char loop : loops)
    iterators.push_back(StringRef(init.letters).contains(loop)
                            ? utils::IteratorType::parallel
                            : utils::IteratorType::reduction);
  auto buildBody = [&](OpBuilder &builder, Location, ValueRange arguments) {
    SmallVector<Value> elements;
    for (const Lettered &input : inputs) {
      Value element;
      if (isReadByIndex(input, loops)) {
        element = readByIndex(builder, input, loops);
      } else {
        element = arguments.front();
        arguments = arguments.drop_front();
      }
      if (isa<FloatType>(element.getType()))
        element = buildFloatCast(builder, loc, element, compute);
      elements.push_back(element);
    }
    elements.push_back(arguments.drop_front(numUnread).front());
    linalg::YieldOp::create(builder, loc, body(builder, elements));
  };
  SmallVector<Type> results;
  if (onTensors)
    results.push_back(init.value.getType());
  auto created = linalg::GenericOp::create(
      builder, loc, results, operands, init.value, maps, iterators, buildBody);
  return {onTensors ? created.getResult(0) : init.value, init.letters};
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value LoopBuilder::constant(OpBuilder &builder, double value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getFloatAttr(compute, value));
}

Value LoopBuilder::equals(OpBuilder &builder, Value lhs, double rhs) {
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, lhs,
                               constant(builder, rhs));
}

/// exp(score - rowMax). A row without visible keys has maximum -inf, and
/// -inf - -inf would be NaN: there the maximum is taken as 0.
Value LoopBuilder::expOfDifference(OpBuilder &builder, Value score,
                                   Value rowMax) {
  Value isEmpty = equals(builder, rowMax, -kInfinity);
  Value zero = constant(builder, 0.0);
  Value shift = arith::SelectOp::create(builder, loc, isEmpty, zero, rowMax);
  Value difference = arith::SubFOp::create(builder, loc, score, shift);
  return math::ExpOp::create(builder, loc, difference);
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

/// `init` times `factor`, in place.
Lettered LoopBuilder::multiply(StringRef loops, Lettered factor,
                               Lettered init) {
  return generic(loops, {factor}, init,
                 [&](OpBuilder &builder, ValueRange elements) -> Value {
                   return arith::MulFOp::create(builder, loc, elements[1],
                                                elements[0]);
                 });
}

/// Raises the maximum m of `state` to m' = max(m, `otherMax`); returns what its
/// sums are then to be multiplied with, exp(m - m').
Lettered LoopBuilder::raiseMax(State &state, Lettered otherMax) {
  auto maximum = [&](OpBuilder &builder, Value lhs, Value rhs) -> Value {
    return arith::MaximumFOp::create(builder, loc, lhs, rhs);
  };
  Lettered decay =
      generic("bhi", {state.rowMax, otherMax}, makeEmpty("bhi"),
              [&](OpBuilder &builder, ValueRange elements) -> Value {
                Value raised = maximum(builder, elements[0], elements[1]);
                return expOfDifference(builder, elements[0], raised);
              });
  state.rowMax = generic("bhi", {otherMax}, state.rowMax,
                         [&](OpBuilder &builder, ValueRange elements) -> Value {
                           return maximum(builder, elements[1], elements[0]);
                         });
  return decay;
}

/// max + log(sum); -inf in a row without visible keys.
Lettered LoopBuilder::buildLse(Lettered rowMax, Lettered rowSum,
                               Lettered destination) {
  return generic("bhi", {rowMax, rowSum}, destination,
                 [&](OpBuilder &builder, ValueRange elements) -> Value {
                   Value log = math::LogOp::create(builder, loc, elements[1]);
                   return arith::AddFOp::create(builder, loc, elements[0], log);
                 });
}
