//===- RotaryEmbedding.h - Rotary embeddings by their definition -*- C++ -*-==//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_CONVERSION_ROTARYEMBEDDING_H
#define MHA_CONVERSION_ROTARYEMBEDDING_H

#include "LetteredLoops.h"

#include "mha/IR/MHA.h"

namespace mlir::mha {

/// Writes `mha.rotary_embedding` as linalg ops: the cosines and sines of all
/// positions, then both elements of all pairs.
class RotaryBuilder : public LoopBuilder {
public:
  RotaryBuilder(OpBuilder &builder, RotaryEmbeddingOp op);

  SmallVector<Value> build();

private:
  /// One element of each pair of a head: x(m) or y(m), or with the letter d
  /// what is not rotated.
  struct Part {
    char letter;
    int64_t offset, size, stride;
  };
  enum class Function { Cos, Sin };

  Part getPart(bool second);
  Lettered read(const Lettered &heads, const Part &part);
  void write(const Part &part, ArrayRef<Lettered> inputs, BodyFn body);
  std::string getTableLetters();
  Value buildPosition(OpBuilder &builder, ValueRange elements, StringRef loops);
  Value evaluate(OpBuilder &builder, Function function, Value position,
                 Value pair);
  Value lookUp(OpBuilder &builder, Value table, Value position, Value pair);
  Lettered makeTable(Function function);

  RotaryEmbeddingOp op;
  int64_t rotated;
  Lettered input, output;
};

} // namespace mlir::mha

#endif // MHA_CONVERSION_ROTARYEMBEDDING_H
