//===- QueryInLanes.cpp - The CPU kernel with a query in each lane --------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One item of attention: the rows of an item are (g, i), a query of one of the
// heads of the group, `lanes` of them to a vector. The vectors of an item are
// its columns, in panels of `vectors`, the width of the micro-kernels.
//
//   pack     QT[panel][d][row of panel] = Q, transposed
//   for each block of keys:
//     scores   S[panel][key][row] = K QT, the row maximum in registers
//     weights  P = exp2(c (S - max)) in place, the row sum in registers
//     output   OT[panel][n][row] = alpha OT + V P
//   finish   O = OT / row sum, transposed back
//
// with c = scale * log2(e) and alpha = exp2(c (max_old - max_new)), as in Dao
// et al. 2022, algorithm 1. Differences are taken before the scale, so that the
// weight of the maximum is 1 however large the scores are. Sums begin anew with
// each block. No sum is taken across lanes, and keys and values are read in
// place, one element broadcast at a time.
//
// Keys that all rows see take the loops as they are; in a block at the edge of
// what is visible hidden scores are -inf, and so their weights 0. Rows of keys
// are clamped to the last visible one: an unseen key is never loaded.
//
// A weight of 0 times a value that is NaN or infinite is NaN, where a hidden
// value should have no influence. Such values are rare, and they always show in
// the sums: an item whose sums are not all finite is computed once more, with
// hidden weights as -0.0, which adds nothing to a sum and marks the lanes that
// skip the key in PV. The same goes for a score that is -inf by itself.
//
//===----------------------------------------------------------------------===//

#include "QueryInLanes.h"

#include "mha/IR/AttentionDims.h"
#include "mha/Support/KeyRanges.h"
#include "mha/Support/PositionalBias.h"
#include "mha/Support/QueryPosition.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cfloat>
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::mha;

/// exp(x) is 2^(kLog2e x).
constexpr double kLog2e = 1.4426950408889634;

namespace {
using Values = SmallVector<Value>;

/// The running softmax of every column: row maxima of the unscaled scores, and
/// row sums of the weights. Carried through loops as maxima, then sums.
struct SoftmaxState {
  Values max, sum;

  static SoftmaxState split(ValueRange both) {
    size_t columns = both.size() / 2;
    return {Values(both.take_front(columns)), Values(both.drop_front(columns))};
  }
  Values join() const {
    Values both(max);
    llvm::append_range(both, sum);
    return both;
  }
};

/// Along what the dense mask varies inside of one head.
enum class MaskShape {
  None,    ///< There is no dense mask.
  PerKey,  ///< All rows have the same one.
  PerRow,  ///< All keys have the same one.
  PerScore ///< Each score has its own.
};

/// What is done about hidden keys.
enum class Hiding {
  None,      ///< Every row sees every key.
  Scores,    ///< Hidden scores are -inf; hidden values are finite.
  Everything ///< Hidden values are left out, whatever they are.
};

/// A block of keys, [first, first + count).
struct KeyBlock {
  Value first, count;
  Hiding hiding;

  /// Whether some row may not see some key of it.
  bool isMasked() const { return hiding != Hiding::None; }
};

/// `lanes` rows of one head, for the dense mask: where they are in scratch and
/// in the op.
struct MaskColumn {
  Value panel, lane, head, row;
};

/// What an item sees of the keys: all rows see those from fullBegin to fullEnd,
/// which are whole register rows.
struct SeenKeys {
  Value begin, fullBegin, fullEnd, end;
};

class Emitter {
public:
  Emitter(OpBuilder &builder, AttentionOp op, CPUScheduleAttr schedule);
  void emit();

private:
  // Short names of arithmetic.
  Value index(int64_t value);
  Value splat(double value);
  Value splatInt(int32_t value);
  Value add(Value lhs, Value rhs);
  Value add(Value lhs, int64_t rhs);
  Value sub(Value lhs, Value rhs);
  Value mul(Value lhs, int64_t rhs);
  Value div(Value lhs, int64_t rhs);
  Value rem(Value lhs, int64_t rhs);
  Value minimum(Value lhs, Value rhs);
  Value maximum(Value lhs, Value rhs);
  Value roundUp(Value value, int64_t multiple);
  Value roundDown(Value value, int64_t multiple);
  Value fma(Value a, Value b, Value c);
  Value mulF(Value lhs, Value rhs);
  Value addF(Value lhs, Value rhs);
  Value subF(Value lhs, Value rhs);
  Value compare(arith::CmpFPredicate predicate, Value lhs, Value rhs);
  Value select(Value condition, Value lhs, Value rhs);
  Value exp2(Value x);

  // Memory.
  Value makeScratch(ArrayRef<int64_t> shape);
  Value load(Value buffer, ArrayRef<Value> indices);
  void store(Value vector, Value buffer, ArrayRef<Value> indices);
  Value broadcastElement(Value buffer, ArrayRef<Value> indices);
  Values at(LayoutAttr layout, Value head, Value row, Value element);
  Value loadHead(Value row, Value head, Value element, int64_t count);
  void storeHead(Value vector, Value row, Value head, Value element,
                 int64_t count);
  Value makeLaneMask(int64_t count);
  void transpose(Values &tile);
  void prefetch(Value buffer, LayoutAttr layout, Value row, Value distance,
                int64_t width);

  // Control.
  using LoopBody = function_ref<Values(Value, ValueRange)>;
  Values loop(Value from, Value to, int64_t step, ValueRange init,
              LoopBody body);
  void loopOver(Value from, Value to, int64_t step,
                function_ref<void(Value)> body);
  void ifTrue(Value condition, function_ref<void()> then);

  // Parts of the kernel.
  void findPositions();
  void forColumns(
      function_ref<void(Value panel, Value lane, Value head, Value row)> body);
  void forChunks(int64_t size,
                 function_ref<void(Value element, int64_t count)> body);
  void pack();
  void clearOutput();
  SeenKeys findKeys();
  SoftmaxState takeAllKeys(const SeenKeys &keys);
  void takeAllKeysAgain(const SeenKeys &keys);
  Value isOutputFinite();
  SoftmaxState getInitialState();
  Values takeKeys(Value from, Value to, Hiding hiding, Values state);
  SoftmaxState takeBlock(const KeyBlock &block, const SoftmaxState &state);
  Values emitScores(const KeyBlock &block, ValueRange rowMax);
  Values multiplyQueryKey(const KeyBlock &block, Value key, int64_t panel);
  Value isVisible(Value key, int64_t column);
  void findScoreTerms();
  Values loadPerHead(Value operand);
  Value makeNatural(Value score, Value key, int64_t column);
  Values getMaskIndices(Value head, Value row, Value key);
  Value readMask(Value head, Value row, Value key);
  Value getLastRowOr(Value row);
  void transposeMaskOfKey(const MaskColumn &column, Value inBlock, Value key);
  Value viewMask();
  Value readMaskRow(Value view, Value head, Value row, Value key);
  void transposeMaskSquare(const MaskColumn &column, Value view, Value inBlock,
                           Value key);
  void transposeMask(const KeyBlock &block);
  void transposeMaskOfRows();
  Value maskScore(const KeyBlock &block, Value score, Value inBlock,
                  int64_t key, int64_t column);
  Values emitWeights(const KeyBlock &block, ValueRange rowMax);
  void emitOutput(const KeyBlock &block, ValueRange alphas);
  void multiplyWeightsValue(const KeyBlock &block, ValueRange alphas,
                            int64_t panel, Value element, int64_t rows);
  SoftmaxState toNatural(const SoftmaxState &state);
  Values addSink(SoftmaxState &state);
  void finish(const SoftmaxState &state);
  void finishOutput();
  void finishLse(const SoftmaxState &natural);
  Value clampKey(const KeyBlock &block, Value key);

  OpBuilder &builder;
  Location loc;
  AttentionOp op;
  int64_t headDim, valueDim;
  // The schedule.
  int64_t blockG, blockQ, blockK, lanes, qkRows, pvRows, vectors;
  bool hasPrefetch;
  int64_t keyGranularity, unroll, numColumns, numPanels, columnsOfHead;
  VectorType floats, ints;
  MaskShape maskShape;
  /// Whether scores are brought to natural units before they are compared, so
  /// that something can be added to them.
  bool hasNaturalScores;
  double givenScale;
  /// The scale that scores still lack, and c of the header comment; positive.
  float scoreScale, scoreFactor;
  /// What Q is multiplied with when it is packed: 1, or the sign or zero that
  /// the factor, which is positive, does not have.
  float packFactor;
  Value queryT, scores, outputT, sums;
  /// What the dense mask adds to scores, [panel][key of the block][row]; with
  /// one key where all have the same.
  Value maskT;
  /// Of natural scores: the scale, and the slope of each column's head.
  Value scale;
  Values slopes;
  /// Rows of the item, and whether they can be fewer than blockQ.
  Value numRows;
  bool hasTail;
  /// All relative to this op's first key.
  Value firstPosition, keyLength, keyEnd;
};
} // namespace

static MaskShape findMaskShape(AttentionOp op) {
  if (!op.getDenseMask())
    return MaskShape::None;
  auto type = cast<ShapedType>(op.getDenseMask().getType());
  auto repeats = [&](int64_t fromRight) {
    int64_t dim = type.getRank() - fromRight;
    return dim < 0 || type.getDimSize(dim) == 1;
  };
  if (repeats(2))
    return MaskShape::PerKey;
  return repeats(1) ? MaskShape::PerRow : MaskShape::PerScore;
}

Emitter::Emitter(OpBuilder &builder, AttentionOp op, CPUScheduleAttr schedule)
    : builder(builder), loc(op.getLoc()), op(op), blockG(schedule.getBlockG()),
      blockQ(schedule.getBlockQ()), blockK(schedule.getBlockK()),
      lanes(schedule.getLanes()), qkRows(schedule.getQkRows()),
      pvRows(schedule.getPvRows()), vectors(schedule.getVectors()),
      hasPrefetch(schedule.getPrefetch()),
      keyGranularity(schedule.getKeyGranularity()),
      unroll(schedule.getUnroll()), numColumns(schedule.getNumColumns()),
      numPanels(numColumns / vectors), columnsOfHead(blockQ / lanes),
      floats(VectorType::get(lanes, builder.getF32Type())),
      ints(VectorType::get(lanes, builder.getI32Type())) {
  AttentionDims dims = AttentionDims::get(op);
  headDim = dims.headDim;
  valueDim = dims.valueDim;
  hasTail = dims.queryLen != blockQ;
  maskShape = findMaskShape(op);
  bool addsMask = op.getDenseMask() &&
                  isa<FloatType>(getElementTypeOrSelf(op.getDenseMask()));
  hasNaturalScores = addsMask || op.getBiasAttr() || op.getScaleValue();
  givenScale = op.getScale() ? op.getScale()->convertToDouble()
                             : 1 / std::sqrt(double(headDim));
  packFactor = hasNaturalScores || givenScale > 0 ? 1 : givenScale < 0 ? -1 : 0;
  double positive = givenScale == 0 ? 1 : std::abs(givenScale);
  scoreScale = hasNaturalScores ? 1 : positive;
  scoreFactor = scoreScale * kLog2e;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value Emitter::index(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value Emitter::splat(double value) {
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(floats, static_cast<float>(value)));
}

Value Emitter::splatInt(int32_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(ints, value));
}

Value Emitter::add(Value lhs, Value rhs) {
  return builder.createOrFold<arith::AddIOp>(loc, lhs, rhs);
}

Value Emitter::add(Value lhs, int64_t rhs) {
  return rhs == 0 ? lhs : add(lhs, index(rhs));
}

Value Emitter::sub(Value lhs, Value rhs) {
  return builder.createOrFold<arith::SubIOp>(loc, lhs, rhs);
}

Value Emitter::mul(Value lhs, int64_t rhs) {
  return builder.createOrFold<arith::MulIOp>(loc, lhs, index(rhs));
}

/// Of values that are not negative.
Value Emitter::div(Value lhs, int64_t rhs) {
  return builder.createOrFold<arith::DivUIOp>(loc, lhs, index(rhs));
}

Value Emitter::rem(Value lhs, int64_t rhs) {
  return builder.createOrFold<arith::RemUIOp>(loc, lhs, index(rhs));
}

Value Emitter::minimum(Value lhs, Value rhs) {
  return builder.createOrFold<arith::MinSIOp>(loc, lhs, rhs);
}

Value Emitter::maximum(Value lhs, Value rhs) {
  return builder.createOrFold<arith::MaxSIOp>(loc, lhs, rhs);
}

Value Emitter::roundUp(Value value, int64_t multiple) {
  return roundDown(add(value, multiple - 1), multiple);
}

Value Emitter::roundDown(Value value, int64_t multiple) {
  return mul(div(value, multiple), multiple);
}

Value Emitter::fma(Value a, Value b, Value c) {
  return vector::FMAOp::create(builder, loc, a, b, c);
}

Value Emitter::mulF(Value lhs, Value rhs) {
  return arith::MulFOp::create(builder, loc, lhs, rhs);
}

Value Emitter::addF(Value lhs, Value rhs) {
  return arith::AddFOp::create(builder, loc, lhs, rhs);
}

Value Emitter::subF(Value lhs, Value rhs) {
  return arith::SubFOp::create(builder, loc, lhs, rhs);
}

Value Emitter::compare(arith::CmpFPredicate predicate, Value lhs, Value rhs) {
  return arith::CmpFOp::create(builder, loc, predicate, lhs, rhs);
}

Value Emitter::select(Value condition, Value lhs, Value rhs) {
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
Value Emitter::exp2(Value x) {
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

Value Emitter::makeScratch(ArrayRef<int64_t> shape) {
  return ScratchOp::create(builder, loc,
                           MemRefType::get(shape, builder.getF32Type()));
}

Value Emitter::load(Value buffer, ArrayRef<Value> indices) {
  return vector::LoadOp::create(builder, loc, floats, buffer, indices);
}

void Emitter::store(Value vector, Value buffer, ArrayRef<Value> indices) {
  vector::StoreOp::create(builder, loc, vector, buffer, indices);
}

Value Emitter::broadcastElement(Value buffer, ArrayRef<Value> indices) {
  Value element = memref::LoadOp::create(builder, loc, buffer, indices);
  return vector::BroadcastOp::create(builder, loc, floats, element);
}

/// The indices of an element of batch entry and key/value head 0, in an
/// operand's own order.
Values Emitter::at(LayoutAttr layout, Value head, Value row, Value element) {
  Values indices;
  for (char axis : layout.getAxes())
    indices.push_back(axis == 'b' || axis == 'k'   ? index(0)
                      : axis == 'h' || axis == 'g' ? head
                      : axis == 's'                ? row
                                                   : element);
  return indices;
}

Value Emitter::makeLaneMask(int64_t count) {
  SmallVector<bool> mask(lanes, false);
  std::fill_n(mask.begin(), count, true);
  auto type = VectorType::get(lanes, builder.getI1Type());
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, mask));
}

/// Transposes `lanes` vectors: in steps of 1, 2, 4, ... the off-diagonal halves
/// of each square of twice the step change places. Not vector.transpose, which
/// canonicalization takes apart into single elements.
void Emitter::transpose(Values &tile) {
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
Value Emitter::loadHead(Value row, Value head, Value element, int64_t count) {
  Values indices = at(op.getQueryLayout(), head, row, element);
  if (count == lanes)
    return load(op.getQuery(), indices);
  Value mask = makeLaneMask(count), zeros = splat(0);
  return vector::MaskedLoadOp::create(builder, loc, floats, op.getQuery(),
                                      indices, mask, zeros);
}

void Emitter::storeHead(Value vector, Value row, Value head, Value element,
                        int64_t count) {
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
void Emitter::prefetch(Value buffer, LayoutAttr layout, Value row,
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

Values Emitter::loop(Value from, Value to, int64_t step, ValueRange init,
                     LoopBody body) {
  auto forOp = scf::ForOp::create(builder, loc, from, to, index(step), init);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(forOp.getBody());
  Values yielded = body(forOp.getInductionVar(), forOp.getRegionIterArgs());
  scf::YieldOp::create(builder, loc, yielded);
  return Values(forOp.getResults());
}

void Emitter::loopOver(Value from, Value to, int64_t step,
                       function_ref<void(Value)> body) {
  auto forOp = scf::ForOp::create(builder, loc, from, to, index(step));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(forOp.getBody()->getTerminator());
  body(forOp.getInductionVar());
}

void Emitter::ifTrue(Value condition, function_ref<void()> then) {
  auto ifOp = scf::IfOp::create(builder, loc, condition, /*else=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(ifOp.thenBlock()->getTerminator());
  then();
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// Runs `body` for each column: its panel, its first lane there, its query head
/// and its first query.
void Emitter::forColumns(
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
void Emitter::forChunks(int64_t size,
                        function_ref<void(Value element, int64_t count)> body) {
  int64_t whole = size / lanes * lanes;
  if (whole != 0)
    loopOver(index(0), index(whole), lanes,
             [&](Value element) { body(element, lanes); });
  if (whole != size)
    body(index(whole), size - whole);
}

void Emitter::pack() {
  forColumns([&](Value panel, Value lane, Value head, Value row) {
    forChunks(headDim, [&](Value element, int64_t count) {
      Values tile;
      for (int64_t i = 0; i < lanes; ++i) {
        // Lanes behind the last query repeat it; nobody stores them.
        Value query = add(row, i);
        if (hasTail)
          query = minimum(query, sub(numRows, index(1)));
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

void Emitter::clearOutput() {
  forColumns([&](Value panel, Value lane, Value, Value) {
    loopOver(index(0), index(valueDim), 1, [&](Value element) {
      store(splat(0), outputT, {panel, element, lane});
    });
  });
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

/// The row of a key; in a masked block, which may reach behind the last
/// visible key, that of the last visible one.
Value Emitter::clampKey(const KeyBlock &block, Value key) {
  return block.isMasked() ? minimum(key, sub(keyEnd, index(1))) : key;
}

/// Q K^T for `qkRows` keys from `key` on and one panel, unscaled.
Values Emitter::multiplyQueryKey(const KeyBlock &block, Value key,
                                 int64_t panel) {
  Values rows;
  for (int64_t i = 0; i < qkRows; ++i)
    rows.push_back(clampKey(block, add(key, i)));
  Values accumulators(qkRows * vectors, splat(0));
  // The values of these keys are wanted next: their rows in lines of 16
  // elements, spread over the steps of the loop.
  constexpr int64_t line = 16;
  bool fetches = hasPrefetch && !block.isMasked() && panel == 0;
  auto step = [&](Value element, ValueRange accumulators, int64_t count) {
    Values results(accumulators);
    if (fetches && count == unroll) {
      int64_t perStep = qkRows * valueDim * unroll / headDim;
      Value distance = mul(div(element, unroll), perStep);
      for (int64_t offset = 0; offset < perStep; offset += line)
        prefetch(op.getValue(), op.getValueLayout(), key, add(distance, offset),
                 valueDim);
    }
    for (int64_t u = 0; u < count; ++u) {
      Value d = add(element, u);
      Values queries;
      for (int64_t j = 0; j < vectors; ++j)
        queries.push_back(load(queryT, {index(panel), d, index(lanes * j)}));
      for (int64_t i = 0; i < qkRows; ++i) {
        Value k = broadcastElement(op.getKey(),
                                   at(op.getKeyLayout(), index(0), rows[i], d));
        for (int64_t j = 0; j < vectors; ++j) {
          Value &result = results[i * vectors + j];
          result = fma(k, queries[j], result);
        }
      }
    }
    return results;
  };
  int64_t whole = headDim / unroll * unroll;
  if (whole != 0)
    accumulators = loop(index(0), index(whole), unroll, accumulators,
                        [&](Value element, ValueRange carried) {
                          return step(element, carried, unroll);
                        });
  if (whole != headDim)
    accumulators = step(index(whole), accumulators, headDim - whole);
  return accumulators;
}

/// Which rows of a column see `key`, relative to this op's first one.
Value Emitter::isVisible(Value key, int64_t column) {
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
Values Emitter::loadPerHead(Value operand) {
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
void Emitter::findScoreTerms() {
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
Value Emitter::makeNatural(Value score, Value key, int64_t column) {
  Value scaled = mulF(score, scale);
  if (slopes.empty())
    return scaled;
  // The rows' distances differ by small integers, which floats hold exactly.
  int64_t firstRow = column % columnsOfHead * lanes;
  SmallVector<float> rows;
  for (int64_t i = 0; i < lanes; ++i)
    rows.push_back(firstRow + i);
  Value fromFirst = arith::SIToFPOp::create(
      builder, loc, builder.getF32Type(),
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                 sub(key, firstPosition)));
  Value distance =
      subF(vector::BroadcastOp::create(builder, loc, floats, fromFirst),
           arith::ConstantOp::create(
               builder, loc, DenseElementsAttr::get(floats, ArrayRef(rows))));
  if (op.getBiasAttr().getKind() == BiasKind::AlibiSymmetric)
    distance = arith::NegFOp::create(
        builder, loc, math::AbsFOp::create(builder, loc, distance));
  return addF(scaled, mulF(slopes[column], distance));
}

/// The element of the dense mask for a head, row and key of this op.
Values Emitter::getMaskIndices(Value head, Value row, Value key) {
  auto type = cast<ShapedType>(op.getDenseMask().getType());
  const Value all[] = {index(0), head, row, key};
  Values indices(ArrayRef<Value>(all).take_back(type.getRank()));
  for (auto [place, size] : llvm::zip_equal(indices, type.getShape()))
    if (size == 1)
      place = index(0);
  return indices;
}

/// What the dense mask adds to a score: -inf, or 0, where it is of booleans.
Value Emitter::readMask(Value head, Value row, Value key) {
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
Value Emitter::getLastRowOr(Value row) {
  return hasTail ? minimum(row, sub(numRows, index(1))) : row;
}

/// Brings the mask of a column and one key into `maskT`.
void Emitter::transposeMaskOfKey(const MaskColumn &column, Value inBlock,
                                 Value key) {
  loopOver(index(0), index(lanes), 1, [&](Value i) {
    Value row = getLastRowOr(add(column.row, i));
    Value element = readMask(column.head, row, key);
    memref::StoreOp::create(
        builder, loc, element, maskT,
        ValueRange{column.panel, inBlock, add(column.lane, i)});
  });
}

/// The dense mask with bytes in place of booleans, which are packed in vectors
/// but not in memory; keys side by side, which a memref.cast would say as well,
/// but canonicalization folds that into loads, which then refuse the type.
Value Emitter::viewMask() {
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
Value Emitter::readMaskRow(Value view, Value head, Value row, Value key) {
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
void Emitter::transposeMaskSquare(const MaskColumn &column, Value view,
                                  Value inBlock, Value key) {
  Values tile;
  for (int64_t i = 0; i < lanes; ++i) {
    Value row = getLastRowOr(add(column.row, i));
    tile.push_back(readMaskRow(view, column.head, row, key));
  }
  transpose(tile);
  for (int64_t i = 0; i < lanes; ++i)
    store(tile[i], maskT, {column.panel, add(inBlock, i), column.lane});
}

/// Brings the mask of a block into `maskT`: in squares where its keys are side
/// by side, and those that are left, or all, one at a time.
void Emitter::transposeMask(const KeyBlock &block) {
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

/// The same, once, where all keys have one mask.
void Emitter::transposeMaskOfRows() {
  forColumns([&](Value panel, Value lane, Value head, Value row) {
    transposeMaskOfKey({panel, lane, head, row}, index(0), index(0));
  });
}

/// A score with the dense mask of its key, `key` rows behind `inBlock`.
Value Emitter::maskScore(const KeyBlock &block, Value score, Value inBlock,
                         int64_t key, int64_t column) {
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

/// Fills `scores` and returns the row maxima.
Values Emitter::emitScores(const KeyBlock &block, ValueRange rowMax) {
  if (maskShape == MaskShape::PerScore)
    transposeMask(block);
  return loop(index(0), block.count, qkRows, rowMax,
              [&](Value inBlock, ValueRange carried) {
                Values maxima(carried);
                Value key = add(block.first, inBlock);
                for (int64_t panel = 0; panel < numPanels; ++panel) {
                  Values products = multiplyQueryKey(block, key, panel);
                  for (int64_t i = 0; i < qkRows; ++i) {
                    for (int64_t j = 0; j < vectors; ++j) {
                      int64_t column = panel * vectors + j;
                      Value score = products[i * vectors + j];
                      if (hasNaturalScores)
                        score = makeNatural(score, add(key, i), column);
                      if (maskShape != MaskShape::None)
                        score = maskScore(block, score, inBlock, i, column);
                      if (block.isMasked())
                        score = select(isVisible(add(key, i), column), score,
                                       splat(-INFINITY));
                      // Not arith.maximumf: a NaN stays out of the maximum, and
                      // comes back as a weight.
                      Value isGreater = compare(arith::CmpFPredicate::OGT,
                                                score, maxima[column]);
                      maxima[column] = select(isGreater, score, maxima[column]);
                      store(score, scores,
                            {index(panel), add(inBlock, i), index(lanes * j)});
                    }
                  }
                }
                return maxima;
              });
}

/// Turns `scores` into weights and returns their sums over the block.
Values Emitter::emitWeights(const KeyBlock &block, ValueRange rowMax) {
  Value factor = splat(scoreFactor);
  // No more exponentials at once than hide each other's latency: with the
  // constants that they share, twelve do not fit 16 registers.
  constexpr int64_t atOnce = 2;
  int64_t keys =
      std::gcd(std::max<int64_t>(atOnce / vectors, 1), keyGranularity);
  return loop(
      index(0), block.count, keys, Values(numColumns, splat(0)),
      [&](Value inBlock, ValueRange carried) {
        Values totals(carried);
        for (int64_t panel = 0; panel < numPanels; ++panel)
          for (int64_t i = 0; i < keys; ++i)
            for (int64_t j = 0; j < vectors; ++j) {
              int64_t column = panel * vectors + j;
              Values place{index(panel), add(inBlock, i), index(lanes * j)};
              Value score = load(scores, place);
              Value weight = exp2(mulF(subF(score, rowMax[column]), factor));
              if (block.hiding == Hiding::Everything) {
                Value isHidden =
                    compare(arith::CmpFPredicate::OEQ, score, splat(-INFINITY));
                weight = select(isHidden, splat(-0.0), weight);
              }
              store(weight, scores, place);
              totals[column] = addF(totals[column], weight);
            }
        return totals;
      });
}

/// outputT[element ...] = alpha * outputT + V P for `rows` elements of the head
/// and one panel.
void Emitter::multiplyWeightsValue(const KeyBlock &block, ValueRange alphas,
                                   int64_t panel, Value element, int64_t rows) {
  auto place = [&](int64_t i, int64_t j) {
    return Values{index(panel), add(element, i), index(lanes * j)};
  };
  Values accumulators(rows * vectors, splat(0));
  // The keys behind this block are wanted next.
  constexpr int64_t line = 16;
  bool fetches =
      hasPrefetch && !block.isMasked() && panel == 0 && rows == pvRows;
  accumulators = loop(
      index(0), block.count, unroll, accumulators,
      [&](Value inBlock, ValueRange carried) {
        Values results(carried);
        if (fetches) {
          int64_t perStep = rows * unroll * headDim / valueDim;
          Value done = arith::MulIOp::create(builder, loc, div(element, rows),
                                             block.count);
          Value distance = mul(div(add(done, inBlock), unroll), perStep);
          Value next = add(block.first, block.count);
          for (int64_t offset = 0; offset < perStep; offset += line)
            prefetch(op.getKey(), op.getKeyLayout(), next,
                     add(distance, offset), headDim);
        }
        for (int64_t u = 0; u < unroll; ++u) {
          Value inBlockU = add(inBlock, u);
          Value row = clampKey(block, add(block.first, inBlockU));
          Values weights, isSeen;
          for (int64_t j = 0; j < vectors; ++j) {
            Value weight =
                load(scores, {index(panel), inBlockU, index(lanes * j)});
            weights.push_back(weight);
            if (block.hiding != Hiding::Everything)
              continue;
            Value bits = arith::BitcastOp::create(builder, loc, ints, weight);
            Value zero = splatInt(0);
            isSeen.push_back(arith::CmpIOp::create(
                builder, loc, arith::CmpIPredicate::sge, bits, zero));
          }
          for (int64_t i = 0; i < rows; ++i) {
            Value v = broadcastElement(
                op.getValue(),
                at(op.getValueLayout(), index(0), row, add(element, i)));
            for (int64_t j = 0; j < vectors; ++j) {
              Value &result = results[i * vectors + j];
              Value sum = fma(v, weights[j], result);
              result = block.hiding == Hiding::Everything
                           ? select(isSeen[j], sum, result)
                           : sum;
            }
          }
        }
        return results;
      });
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < vectors; ++j) {
      Value old = load(outputT, place(i, j));
      Value alpha = alphas[panel * vectors + j];
      Value sum = fma(old, alpha, accumulators[i * vectors + j]);
      store(sum, outputT, place(i, j));
    }
}

void Emitter::emitOutput(const KeyBlock &block, ValueRange alphas) {
  // What is rarely done is kept small.
  int64_t rowsAtOnce = block.hiding == Hiding::Everything ? 1 : pvRows;
  int64_t whole = valueDim / rowsAtOnce * rowsAtOnce;
  auto forPanels = [&](Value element, int64_t rows) {
    for (int64_t panel = 0; panel < numPanels; ++panel)
      multiplyWeightsValue(block, alphas, panel, element, rows);
  };
  if (whole != 0)
    loopOver(index(0), index(whole), rowsAtOnce,
             [&](Value element) { forPanels(element, rowsAtOnce); });
  if (whole != valueDim)
    forPanels(index(whole), valueDim - whole);
}

SoftmaxState Emitter::takeBlock(const KeyBlock &block,
                                const SoftmaxState &state) {
  SoftmaxState next;
  next.max = emitScores(block, state.max);
  Values alphas;
  Value factor = splat(scoreFactor);
  for (auto [oldMax, newMax] : llvm::zip_equal(state.max, next.max))
    alphas.push_back(exp2(mulF(subF(oldMax, newMax), factor)));
  Values blockSums = emitWeights(block, next.max);
  for (auto [old, alpha, sum] : llvm::zip_equal(state.sum, alphas, blockSums))
    next.sum.push_back(fma(old, alpha, sum));
  emitOutput(block, alphas);
  return next;
}

/// All keys from `from` to `to`, a block at a time.
Values Emitter::takeKeys(Value from, Value to, Hiding hiding, Values state) {
  return loop(from, to, blockK, state, [&](Value first, ValueRange carried) {
    Value count = minimum(sub(to, first), index(blockK));
    // Whole register rows: keys behind the last visible one are hidden.
    if (hiding != Hiding::None)
      count = roundUp(count, keyGranularity);
    return takeBlock({first, count, hiding}, SoftmaxState::split(carried))
        .join();
  });
}

SoftmaxState Emitter::getInitialState() {
  return {Values(numColumns, splat(-FLT_MAX)), Values(numColumns, splat(0))};
}

SoftmaxState Emitter::takeAllKeys(const SeenKeys &keys) {
  clearOutput();
  Values carried = getInitialState().join();
  if (keys.fullBegin != keys.begin)
    carried = takeKeys(keys.begin, keys.fullBegin, Hiding::Scores, carried);
  carried = takeKeys(keys.fullBegin, keys.fullEnd, Hiding::None, carried);
  carried = takeKeys(keys.fullEnd, keys.end, Hiding::Scores, carried);
  return SoftmaxState::split(carried);
}

/// The same, in the same blocks, so that rows that were right keep their bits;
/// state and sums are those of the first time.
void Emitter::takeAllKeysAgain(const SeenKeys &keys) {
  clearOutput();
  const Value bounds[] = {keys.begin, keys.fullBegin, keys.fullEnd, keys.end};
  int64_t first = keys.fullBegin == keys.begin ? 1 : 0;
  loop(index(first), index(3), 1, getInitialState().join(),
       [&](Value part, ValueRange carried) {
         Value from = bounds[first], to = bounds[first + 1];
         for (int64_t later = first + 1; later < 3; ++later) {
           Value isHere = arith::CmpIOp::create(
               builder, loc, arith::CmpIPredicate::eq, part, index(later));
           from = select(isHere, bounds[later], from);
           to = select(isHere, bounds[later + 1], to);
         }
         return takeKeys(from, to, Hiding::Everything, Values(carried));
       });
}

/// Whether no sum of weighted values is NaN or infinite.
Value Emitter::isOutputFinite() {
  Values zeros(numColumns, splat(0));
  // 0 x is 0, or NaN.
  Values products =
      loop(index(0), index(valueDim), 1, zeros,
           [&](Value element, ValueRange carried) {
             Values sums(carried);
             for (int64_t column = 0; column < numColumns; ++column) {
               Value sum = load(outputT, {index(column / vectors), element,
                                          index(column % vectors * lanes)});
               sums[column] = fma(sum, zeros.front(), sums[column]);
             }
             return sums;
           });
  Value total = products.front();
  for (Value product : ArrayRef(products).drop_front())
    total = addF(total, product);
  Value sum = vector::ReductionOp::create(builder, loc,
                                          vector::CombiningKind::ADD, total);
  return compare(arith::CmpFPredicate::ORD, sum, sum);
}

//===----------------------------------------------------------------------===//
// Finishing
//===----------------------------------------------------------------------===//

/// O = OT / row sum, 0 where no key was visible.
void Emitter::finishOutput() {
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
void Emitter::finishLse(const SoftmaxState &natural) {
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
SoftmaxState Emitter::toNatural(const SoftmaxState &state) {
  SoftmaxState natural{{}, state.sum};
  for (Value rowMax : state.max)
    natural.max.push_back(mulF(rowMax, splat(scoreScale)));
  return natural;
}

/// Adds to each row one more score, which has no value. Returns what the output
/// is to be multiplied with to stand beside the new sums.
Values Emitter::addSink(SoftmaxState &state) {
  Values factors;
  for (auto [rowMax, sum, sink] :
       llvm::zip_equal(state.max, state.sum, loadPerHead(op.getSink()))) {
    // Without a visible key the maximum is far down; a difference to -inf would
    // be NaN.
    Value lowest = splat(-FLT_MAX);
    Value isLow = compare(arith::CmpFPredicate::OLT, rowMax, lowest);
    Value ofKeys = select(isLow, lowest, rowMax);
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

void Emitter::finish(const SoftmaxState &state) {
  SoftmaxState natural = toNatural(state);
  Values factors;
  if (op.getSink())
    factors = addSink(natural);
  for (auto [column, sum] : llvm::enumerate(natural.sum)) {
    // With a visible key the sum is at least the weight 1 of the maximum.
    Value isEmpty = compare(arith::CmpFPredicate::OEQ, sum, splat(0));
    Value divisor = select(isEmpty, splat(1), sum);
    // A factor of 0, beside a sink far above all scores, makes the output 0.
    if (!factors.empty())
      divisor = arith::DivFOp::create(builder, loc, divisor, factors[column]);
    store(divisor, sums, {index(static_cast<int64_t>(column)), index(0)});
  }
  finishOutput();
  if (op.getLseInit())
    finishLse(natural);
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

/// Positions and length relative to this op's first key.
void Emitter::findPositions() {
  auto getLength = [&](Value operand, LayoutAttr layout) -> Value {
    return getValueOrCreateConstantIndexOp(
        builder, loc,
        memref::getMixedSize(builder, loc, operand, layout.getDim('s')));
  };
  Value zero = index(0);
  Value numQueries = getLength(op.getQuery(), op.getQueryLayout());
  Value numKeys = getLength(op.getKey(), op.getKeyLayout());
  numRows = hasTail ? numQueries : index(blockQ);
  QueryKeyPair first{zero, zero, zero, numQueries, numKeys};
  Value firstKey = op.getOrigin().empty() ? zero : op.getOrigin()[3];
  // A length may end before this op's keys begin.
  keyLength =
      maximum(sub(buildKeyLength(builder, loc, op, first), firstKey), zero);
  firstPosition =
      op.isPositional()
          ? sub(buildQueryPosition(builder, loc, op, first), firstKey)
          : zero;
}

SeenKeys Emitter::findKeys() {
  Value lastPosition = sub(add(firstPosition, numRows), index(1));
  KeyRangeValues ranges = computeKeyRanges(
      builder, loc, op.getMaskAttr(), firstPosition, lastPosition, keyLength);
  // What all rows see, cut to whole register rows.
  Value fullBegin = ranges.begin;
  if (op.getMaskAttr() && op.getMaskAttr().hasWindow()) {
    Value partial = sub(ranges.fullBegin, ranges.begin);
    fullBegin = add(ranges.begin, roundUp(partial, keyGranularity));
    fullBegin = minimum(fullBegin, ranges.end);
  }
  Value full = maximum(sub(ranges.fullEnd, fullBegin), index(0));
  Value fullEnd = add(fullBegin, roundDown(full, keyGranularity));
  return {ranges.begin, fullBegin, fullEnd, ranges.end};
}

void Emitter::emit() {
  queryT = makeScratch({numPanels, headDim, vectors * lanes});
  scores = makeScratch({numPanels, blockK, vectors * lanes});
  outputT = makeScratch({numPanels, valueDim, vectors * lanes});
  sums = makeScratch({numColumns, lanes});
  findPositions();
  findScoreTerms();
  pack();
  if (maskShape == MaskShape::PerScore)
    maskT = makeScratch(
        {numPanels, (blockK + lanes - 1) / lanes * lanes, vectors * lanes});
  if (maskShape == MaskShape::PerRow) {
    maskT = makeScratch({numPanels, 1, vectors * lanes});
    transposeMaskOfRows();
  }
  SeenKeys keys = findKeys();
  keyEnd = keys.end;
  SoftmaxState state = takeAllKeys(keys);
  Value isFinite = isOutputFinite();
  Value never = arith::ConstantIntOp::create(builder, loc, 0, 1);
  ifTrue(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, isFinite,
                               never),
         [&] { takeAllKeysAgain(keys); });
  finish(state);
}

void mlir::mha::emitQueryInLanes(OpBuilder &builder, AttentionOp op,
                                 CPUScheduleAttr schedule) {
  Emitter(builder, op, schedule).emit();
}
