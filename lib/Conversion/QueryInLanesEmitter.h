//===- QueryInLanesEmitter.h - Parts of the kernel with queries in lanes --===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the parts belong together is said at the top of QueryInLanes.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef MHA_LIB_CONVERSION_QUERYINLANESEMITTER_H
#define MHA_LIB_CONVERSION_QUERYINLANESEMITTER_H

#include "mha/IR/MHA.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace mlir::mha {

/// exp(x) is 2^(kLog2e x).
constexpr double kLog2e = 1.4426950408889634;

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

/// Emits one item of attention.
class QueryInLanesEmitter {
public:
  QueryInLanesEmitter(OpBuilder &builder, AttentionOp op,
                      CPUScheduleAttr schedule);
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
  Value isSomeSumNotFinite();
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
  Value clampRow(Value row);
  void transposeMaskOfKey(const MaskColumn &column, Value inBlock, Value key);
  Value viewMask();
  Value readMaskRow(Value view, Value head, Value row, Value key);
  void transposeMaskSquare(const MaskColumn &column, Value view, Value inBlock,
                           Value key);
  void transposeMask(const KeyBlock &block);
  void transposeMaskOfRows();
  void prefetchMask(const KeyBlock &block, Value inBlock);
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

} // namespace mlir::mha

#endif // MHA_LIB_CONVERSION_QUERYINLANESEMITTER_H
