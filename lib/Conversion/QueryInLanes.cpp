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

#include "QueryInLanesEmitter.h"

#include "mha/IR/AttentionDims.h"
#include "mha/Support/KeyRanges.h"
#include "mha/Support/QueryPosition.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cfloat>
#include <cmath>

using namespace mlir;
using namespace mlir::mha;

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

QueryInLanesEmitter::QueryInLanesEmitter(OpBuilder &builder, AttentionOp op,
                                         CPUScheduleAttr schedule)
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
// Keys
//===----------------------------------------------------------------------===//

/// The row of a key; in a masked block, which may reach behind the last
/// visible key, that of the last visible one.
Value QueryInLanesEmitter::clampKey(const KeyBlock &block, Value key) {
  return block.isMasked() ? minimum(key, sub(keyEnd, index(1))) : key;
}

/// Q K^T for `qkRows` keys from `key` on and one panel, unscaled.
Values QueryInLanesEmitter::multiplyQueryKey(const KeyBlock &block, Value key,
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

/// Fills `scores` and returns the row maxima.
Values QueryInLanesEmitter::emitScores(const KeyBlock &block,
                                       ValueRange rowMax) {
  if (maskShape == MaskShape::PerScore)
    transposeMask(block);
  return loop(index(0), block.count, qkRows, rowMax,
              [&](Value inBlock, ValueRange carried) {
                Values maxima(carried);
                Value key = add(block.first, inBlock);
                if (hasPrefetch && maskShape == MaskShape::PerScore &&
                    block.hiding != Hiding::Everything)
                  prefetchMask(block, inBlock);
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
Values QueryInLanesEmitter::emitWeights(const KeyBlock &block,
                                        ValueRange rowMax) {
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
void QueryInLanesEmitter::multiplyWeightsValue(const KeyBlock &block,
                                               ValueRange alphas, int64_t panel,
                                               Value element, int64_t rows) {
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

void QueryInLanesEmitter::emitOutput(const KeyBlock &block, ValueRange alphas) {
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

SoftmaxState QueryInLanesEmitter::takeBlock(const KeyBlock &block,
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
Values QueryInLanesEmitter::takeKeys(Value from, Value to, Hiding hiding,
                                     Values state) {
  return loop(from, to, blockK, state, [&](Value first, ValueRange carried) {
    Value count = minimum(sub(to, first), index(blockK));
    // Whole register rows: keys behind the last visible one are hidden.
    if (hiding != Hiding::None)
      count = roundUp(count, keyGranularity);
    return takeBlock({first, count, hiding}, SoftmaxState::split(carried))
        .join();
  });
}

SoftmaxState QueryInLanesEmitter::getInitialState() {
  return {Values(numColumns, splat(-FLT_MAX)), Values(numColumns, splat(0))};
}

SoftmaxState QueryInLanesEmitter::takeAllKeys(const SeenKeys &keys) {
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
void QueryInLanesEmitter::takeAllKeysAgain(const SeenKeys &keys) {
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

/// Whether some sum of weighted values is NaN or infinite.
Value QueryInLanesEmitter::isSomeSumNotFinite() {
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
  return compare(arith::CmpFPredicate::UNO, sum, sum);
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

/// Positions and length relative to this op's first key.
void QueryInLanesEmitter::findPositions() {
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

SeenKeys QueryInLanesEmitter::findKeys() {
  KeyRangeValues ranges = buildKeyRanges(builder, loc, op);
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

void QueryInLanesEmitter::emit() {
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
  ifTrue(isSomeSumNotFinite(), [&] { takeAllKeysAgain(keys); });
  finish(state);
}

void mlir::mha::emitQueryInLanes(OpBuilder &builder, AttentionOp op,
                                 CPUScheduleAttr schedule) {
  QueryInLanesEmitter(builder, op, schedule).emit();
}
