//===- QueryInLanesArithmetic.cpp - Arithmetic, memory, loops -------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QueryInLanesEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::mha;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value QueryInLanesEmitter::index(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value QueryInLanesEmitter::splat(double value) {
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(floats, static_cast<float>(value)));
}

Value QueryInLanesEmitter::splatInt(int32_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(ints, value));
}

Value QueryInLanesEmitter::add(Value lhs, Value rhs) {
  return builder.createOrFold<arith::AddIOp>(loc, lhs, rhs);
}

Value QueryInLanesEmitter::add(Value lhs, int64_t rhs) {
  return rhs == 0 ? lhs : add(lhs, index(rhs));
}

Value QueryInLanesEmitter::sub(Value lhs, Value rhs) {
  return builder.createOrFold<arith::SubIOp>(loc, lhs, rhs);
}

Value QueryInLanesEmitter::mul(Value lhs, int64_t rhs) {
  return builder.createOrFold<arith::MulIOp>(loc, lhs, index(rhs));
}

/// Of values that are not negative.
Value QueryInLanesEmitter::div(Value lhs, int64_t rhs) {
  return builder.createOrFold<arith::DivUIOp>(loc, lhs, index(rhs));
}

Value QueryInLanesEmitter::rem(Value lhs, int64_t rhs) {
  return builder.createOrFold<arith::RemUIOp>(loc, lhs, index(rhs));
}

Value QueryInLanesEmitter::minimum(Value lhs, Value rhs) {
  return builder.createOrFold<arith::MinSIOp>(loc, lhs, rhs);
}

Value QueryInLanesEmitter::maximum(Value lhs, Value rhs) {
  return builder.createOrFold<arith::MaxSIOp>(loc, lhs, rhs);
}

Value QueryInLanesEmitter::roundUp(Value value, int64_t multiple) {
  return roundDown(add(value, multiple - 1), multiple);
}

Value QueryInLanesEmitter::roundDown(Value value, int64_t multiple) {
  return mul(div(value, multiple), multiple);
}

Value QueryInLanesEmitter::fma(Value a, Value b, Value c) {
  return vector::FMAOp::create(builder, loc, a, b, c);
}

Value QueryInLanesEmitter::mulF(Value lhs, Value rhs) {
  return arith::MulFOp::create(builder, loc, lhs, rhs);
}

Value QueryInLanesEmitter::addF(Value lhs, Value rhs) {
  return arith::AddFOp::create(builder, loc, lhs, rhs);
}

Value QueryInLanesEmitter::subF(Value lhs, Value rhs) {
  return arith::SubFOp::create(builder, loc, lhs, rhs);
}

Value QueryInLanesEmitter::compare(arith::CmpFPredicate predicate, Value lhs,
                                   Value rhs) {
  return arith::CmpFOp::create(builder, loc, predicate, lhs, rhs);
}

Value QueryInLanesEmitter::select(Value condition, Value lhs, Value rhs) {
  return arith::SelectOp::create(builder, loc, condition, lhs, rhs);
}

/// 2^x for x <= 0, within 1e-7 of it; 0 below 2^-126; NaN of every payload
/// stays NaN. No fast-math flags: reassociation would undo the rounding.
///
/// x = n + f with n integer and |f| <= 1/2: adding 1.5 * 2^23 rounds to n,
/// whose bits are then the low ones of the sum; with 127 added they are the
/// biased exponent of 2^n. 2^f is a polynomial, fitted for the least largest
/// relative error. A NaN makes the polynomial NaN, and a product with that is
/// NaN.
Value QueryInLanesEmitter::exp2(Value x) {
  constexpr double rounder = 12582912 + 127;
  constexpr int32_t mantissaBits = 23;
  constexpr float coefficients[] = {1.0f,           0.6931472f,   0.24022646f,
                                    0.055503286f,   0.009618489f, 0.0013399931f,
                                    0.000153458121f};
  Value sum = addF(x, splat(rounder));
  Value fraction = subF(x, subF(sum, splat(rounder)));
  Value polynomial = splat(coefficients[6]);
  for (int i = 5; i >= 0; --i)
    polynomial = fma(polynomial, fraction, splat(coefficients[i]));
  Value bits = arith::BitcastOp::create(builder, loc, ints, sum);
  Value shift = splatInt(mantissaBits);
  Value exponent = arith::ShLIOp::create(builder, loc, bits, shift);
  Value power = arith::BitcastOp::create(builder, loc, floats, exponent);
  Value product = mulF(polynomial, power);
  Value isTiny = compare(arith::CmpFPredicate::OLT, x, splat(-126));
  return select(isTiny, splat(0), product);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value QueryInLanesEmitter::makeScratch(ArrayRef<int64_t> shape) {
  return ScratchOp::create(builder, loc,
                           MemRefType::get(shape, builder.getF32Type()));
}

Value QueryInLanesEmitter::load(Value buffer, ArrayRef<Value> indices) {
  return vector::LoadOp::create(builder, loc, floats, buffer, indices);
}

void QueryInLanesEmitter::store(Value vector, Value buffer,
                                ArrayRef<Value> indices) {
  vector::StoreOp::create(builder, loc, vector, buffer, indices);
}

Value QueryInLanesEmitter::broadcastElement(Value buffer,
                                            ArrayRef<Value> indices) {
  Value element = memref::LoadOp::create(builder, loc, buffer, indices);
  return vector::BroadcastOp::create(builder, loc, floats, element);
}

/// The indices of an element of batch entry and key/value head 0, in an
/// operand's own order.
Values QueryInLanesEmitter::at(LayoutAttr layout, Value head, Value row,
                               Value element) {
  Values indices;
  for (char axis : layout.getAxes())
    indices.push_back(axis == 'b' || axis == 'k'   ? index(0)
                      : axis == 'h' || axis == 'g' ? head
                      : axis == 's'                ? row
                                                   : element);
  return indices;
}

Value QueryInLanesEmitter::makeLaneMask(int64_t count) {
  SmallVector<bool> mask(lanes, false);
  std::fill_n(mask.begin(), count, true);
  auto type = VectorType::get(lanes, builder.getI1Type());
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, mask));
}

/// Transposes `lanes` vectors: in steps of 1, 2, 4, ... the off-diagonal halves
/// of each square of twice the step change places. Not vector.transpose, which
/// canonicalization takes apart into single elements.
void QueryInLanesEmitter::transpose(Values &tile) {
  for (int64_t step = 1; step < lanes; step *= 2) {
    SmallVector<int64_t> upper, lower;
    for (int64_t i = 0; i < lanes; ++i) {
      bool isSecond = (i & step) != 0;
      upper.push_back(isSecond ? lanes + i - step : i);
      lower.push_back(isSecond ? lanes + i : i + step);
    }
    for (int64_t i = 0; i < lanes; ++i) {
      if (i & step)
        continue;
      Value first = tile[i], second = tile[i + step];
      tile[i] = vector::ShuffleOp::create(builder, loc, first, second, upper);
      tile[i + step] =
          vector::ShuffleOp::create(builder, loc, first, second, lower);
    }
  }
}

/// `count` elements of a query, zeros behind them.
Value QueryInLanesEmitter::loadHead(Value row, Value head, Value element,
                                    int64_t count) {
  Values indices = at(op.getQueryLayout(), head, row, element);
  if (count == lanes)
    return load(op.getQuery(), indices);
  Value mask = makeLaneMask(count), zeros = splat(0);
  return vector::MaskedLoadOp::create(builder, loc, floats, op.getQuery(),
                                      indices, mask, zeros);
}

void QueryInLanesEmitter::storeHead(Value vector, Value row, Value head,
                                    Value element, int64_t count) {
  Values indices = at(op.getOutputLayout(), head, row, element);
  if (count == lanes)
    return store(vector, op.getOutputInit(), indices);
  Value mask = makeLaneMask(count);
  vector::MaskedStoreOp::create(builder, loc, op.getOutputInit(), indices, mask,
                                vector);
}

/// Fetches what lies `distance` elements after the start of `row` of keys or
/// values, counted along rows of `width`. A row behind the last one is no
/// error: a prefetch never faults.
void QueryInLanesEmitter::prefetch(Value buffer, LayoutAttr layout, Value row,
                                   Value distance, int64_t width) {
  Value target = add(row, div(distance, width));
  Values indices = at(layout, index(0), target, rem(distance, width));
  constexpr unsigned inFirstLevel = 3;
  memref::PrefetchOp::create(builder, loc, buffer, indices, /*isWrite=*/false,
                             inFirstLevel, /*isDataCache=*/true);
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

Values QueryInLanesEmitter::loop(Value from, Value to, int64_t step,
                                 ValueRange init, LoopBody body) {
  auto forOp = scf::ForOp::create(builder, loc, from, to, index(step), init);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(forOp.getBody());
  Values yielded = body(forOp.getInductionVar(), forOp.getRegionIterArgs());
  scf::YieldOp::create(builder, loc, yielded);
  return Values(forOp.getResults());
}

void QueryInLanesEmitter::loopOver(Value from, Value to, int64_t step,
                                   function_ref<void(Value)> body) {
  auto forOp = scf::ForOp::create(builder, loc, from, to, index(step));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(forOp.getBody()->getTerminator());
  body(forOp.getInductionVar());
}

void QueryInLanesEmitter::ifTrue(Value condition, function_ref<void()> then) {
  auto ifOp = scf::IfOp::create(builder, loc, condition, /*else=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(ifOp.thenBlock()->getTerminator());
  then();
}
