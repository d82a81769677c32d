//===- QueryInLanesPacking.cpp - Queries in, outputs out ------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QueryInLanesEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cfloat>

using namespace mlir;
using namespace mlir::mha;

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// Runs `body` for each column: its panel, its first lane there, its query head
/// and its first query.
void QueryInLanesEmitter::forColumns(
    function_ref<void(Value panel, Value lane, Value head, Value row)> body) {
  loopOver(index(0), index(numColumns), 1, [&](Value column) {
    Value panel = div(column, vectors);
    Value lane = mul(rem(column, vectors), lanes);
    Value head = div(column, columnsOfHead);
    Value row = mul(rem(column, columnsOfHead), lanes);
    body(panel, lane, head, row);
  });
}

/// Runs `body` for `size` elements of a head, `lanes` at a time, and for those
/// that are left.
void QueryInLanesEmitter::forChunks(
    int64_t size, function_ref<void(Value element, int64_t count)> body) {
  int64_t whole = size / lanes * lanes;
  if (whole != 0)
    loopOver(index(0), index(whole), lanes,
             [&](Value element) { body(element, lanes); });
  if (whole != size)
    body(index(whole), size - whole);
}

void QueryInLanesEmitter::pack() {
  forColumns([&](Value panel, Value lane, Value head, Value row) {
    forChunks(headDim, [&](Value element, int64_t count) {
      Values tile;
      for (int64_t i = 0; i < lanes; ++i) {
        // Lanes behind the last query repeat it; nobody stores them.
        Value query = clampRow(add(row, i));
        tile.push_back(loadHead(query, head, element, count));
      }
      transpose(tile);
      for (int64_t i = 0; i < count; ++i) {
        Value elements = tile[i];
        if (packFactor != 1)
          elements = mulF(elements, splat(packFactor));
        store(elements, queryT, {panel, add(element, i), lane});
      }
    });
  });
}

void QueryInLanesEmitter::clearOutput() {
  forColumns([&](Value panel, Value lane, Value, Value) {
    loopOver(index(0), index(valueDim), 1, [&](Value element) {
      store(splat(0), outputT, {panel, element, lane});
    });
  });
}

//===----------------------------------------------------------------------===//
// Finishing
//===----------------------------------------------------------------------===//

/// O = OT / row sum, 0 where no key was visible.
void QueryInLanesEmitter::finishOutput() {
  forColumns([&](Value panel, Value lane, Value head, Value row) {
    Value column = add(mul(panel, vectors), div(lane, lanes));
    Value divisor = load(sums, {column, index(0)});
    forChunks(valueDim, [&](Value element, int64_t count) {
      Values tile(lanes, splat(0));
      for (int64_t i = 0; i < count; ++i) {
        Value sum = load(outputT, {panel, add(element, i), lane});
        tile[i] = arith::DivFOp::create(builder, loc, sum, divisor);
      }
      transpose(tile);
      for (int64_t i = 0; i < lanes; ++i) {
        Value query = add(row, i);
        Value elements = tile[i];
        auto storeRow = [&] {
          storeHead(elements, query, head, element, count);
        };
        if (!hasTail) {
          storeRow();
          continue;
        }
        Value isThere = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::slt, query, numRows);
        ifTrue(isThere, storeRow);
      }
    });
  });
}

/// lse = row maximum + ln(row sum): -inf where no key was visible.
void QueryInLanesEmitter::finishLse(const SoftmaxState &natural) {
  Value destination = op.getLseInit();
  for (auto [column, rowMax, sum] : llvm::enumerate(natural.max, natural.sum)) {
    Value log = math::LogOp::create(builder, loc, sum);
    store(addF(rowMax, log), sums,
          {index(static_cast<int64_t>(column)), index(0)});
  }
  forColumns([&](Value panel, Value lane, Value head, Value row) {
    Value column = add(mul(panel, vectors), div(lane, lanes));
    Value end = minimum(numRows, add(row, lanes));
    loopOver(row, end, 1, [&](Value query) {
      Value element = memref::LoadOp::create(
          builder, loc, sums, ValueRange{column, sub(query, row)});
      memref::StoreOp::create(builder, loc, element, destination,
                              ValueRange{index(0), head, query});
    });
  });
}

/// The state with its maxima in natural units.
SoftmaxState QueryInLanesEmitter::toNatural(const SoftmaxState &state) {
  SoftmaxState natural{{}, state.sum};
  for (Value rowMax : state.max)
    natural.max.push_back(mulF(rowMax, splat(scoreScale)));
  return natural;
}

/// Adds to each row one more score, which has no value. Returns what the output
/// is to be multiplied with to stand beside the new sums.
Values QueryInLanesEmitter::addSink(SoftmaxState &state) {
  Values factors;
  for (auto [rowMax, sum, sink] :
       llvm::zip_equal(state.max, state.sum, loadPerHead(op.getSink()))) {
    // Without a visible key there is no maximum that a sink could be lower
    // than.
    Value lowest = splat(-FLT_MAX);
    Value isEmpty = compare(arith::CmpFPredicate::OEQ, sum, splat(0));
    // A difference to -inf would be NaN.
    Value isLow = compare(arith::CmpFPredicate::OLT, rowMax, lowest);
    Value ofKeys = select(arith::OrIOp::create(builder, loc, isEmpty, isLow),
                          lowest, rowMax);
    Value isHigher = compare(arith::CmpFPredicate::OGT, sink, ofKeys);
    rowMax = select(isHigher, sink, ofKeys);
    auto weigh = [&](Value score) {
      return exp2(mulF(subF(score, rowMax), splat(kLog2e)));
    };
    factors.push_back(weigh(ofKeys));
    sum = fma(sum, factors.back(), weigh(sink));
  }
  return factors;
}

void QueryInLanesEmitter::finish(const SoftmaxState &state) {
  SoftmaxState natural = toNatural(state);
  Values factors;
  if (op.getSink())
    factors = addSink(natural);
  for (auto [column, sum, ofKeys] : llvm::enumerate(natural.sum, state.sum)) {
    Value divisor = sum;
    // A factor of 0, beside a sink far above all scores, makes the output 0.
    if (!factors.empty())
      divisor = arith::DivFOp::create(builder, loc, sum, factors[column]);
    // With a visible key the sum is at least the weight 1 of the maximum.
    // Without one the output is 0, whatever the sink is.
    Value isEmpty = compare(arith::CmpFPredicate::OEQ, ofKeys, splat(0));
    divisor = select(isEmpty, splat(1), divisor);
    store(divisor, sums, {index(static_cast<int64_t>(column)), index(0)});
  }
  finishOutput();
  if (op.getLseInit())
    finishLse(natural);
}
