//===- LetteredLoops.h - Loops that read like an einsum --------*- C++ -*--===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops carry letters: b batch, h query head, i query, j key, d and n the two
// head sizes, p a part of the keys. A tensor is described by the letters of its
// dimensions, so a contraction reads like an einsum. The letters k and g, the
// key/value head of a query head and its place in the group, stand for
// h floordiv G and h mod G where they are no loops, so that grouped keys and
// values are read in place; 1 is a dimension that is not walked along.
//
//===----------------------------------------------------------------------===//

#ifndef MHA_CONVERSION_LETTEREDLOOPS_H
#define MHA_CONVERSION_LETTEREDLOOPS_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

#include <limits>
#include <string>

namespace mlir::mha {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A tensor or memref with the letter of each of its dimensions.
struct Lettered {
  Value value;
  std::string letters;
};

/// The three parts of a state of `mha.online_attention`.
struct State {
  Lettered acc, rowMax, rowSum;

  SmallVector<Value> getValues() const {
    return {acc.value, rowMax.value, rowSum.value};
  }
};

/// The letters of a layout's axes, with `h`, `s` and `d` renamed.
std::string getLetters(StringRef axes, char heads, char sequence, char head);

/// Builds linalg ops on tensors, or on memrefs, whose loops carry letters.
class LoopBuilder {
public:
  LoopBuilder(OpBuilder &builder, Location loc, FloatType compute,
              bool onTensors)
      : builder(builder), loc(loc), compute(compute), onTensors(onTensors) {}

  /// The buffers that were allocated, on memrefs.
  ArrayRef<Value> getTemporaries() const { return temporaries; }

protected:
  using BodyFn = function_ref<Value(OpBuilder &, ValueRange)>;

  /// Takes the sizes of all dimensions of `shaped` that have none yet.
  void learnSizes(const Lettered &shaped);
  OpFoldResult getSize(Value value, unsigned dim);
  Lettered makeEmpty(StringRef letters, Type element = {});
  Lettered takeSlice(const Lettered &whole, char letter, OpFoldResult offset,
                     OpFoldResult size, int64_t stride = 1);
  Lettered putSlice(const Lettered &part, const Lettered &whole, char letter,
                    OpFoldResult offset, OpFoldResult size, int64_t stride = 1);
  Lettered makeFilled(Lettered destination, double value);
  Lettered generic(StringRef loops, ArrayRef<Lettered> inputs, Lettered init,
                   BodyFn body);

  Value constant(OpBuilder &builder, double value);
  Value equals(OpBuilder &builder, Value lhs, double rhs);
  Value expOfDifference(OpBuilder &builder, Value score, Value rowMax);
  Lettered multiply(StringRef loops, Lettered factor, Lettered init);
  Lettered raiseMax(State &state, Lettered otherMax);
  Lettered buildLse(Lettered rowMax, Lettered rowSum, Lettered destination);

  OpBuilder &builder;
  Location loc;
  /// Of everything between the operands and the results.
  FloatType compute;
  bool onTensors;
  /// Size of each loop, by its letter; g is the group.
  llvm::SmallDenseMap<char, OpFoldResult> sizes;

private:
  AffineExpr getExpr(char letter, StringRef loops);
  AffineMap getMap(StringRef letters, StringRef loops);
  /// A slice: all of a tensor, but along one dimension.
  struct Slice {
    SmallVector<OpFoldResult> offsets, sizes, strides;
  };
  Slice getSlice(const Lettered &whole, char letter, OpFoldResult offset,
                 OpFoldResult size, int64_t stride);
  bool isReadByIndex(const Lettered &input, StringRef loops);
  Value buildIndex(OpBuilder &builder, char letter, StringRef loops);
  Value readByIndex(OpBuilder &builder, const Lettered &input, StringRef loops);

  /// Allocated so far.
  SmallVector<Value> temporaries;
};

} // namespace mlir::mha

#endif // MHA_CONVERSION_LETTEREDLOOPS_H
