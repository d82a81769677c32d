//===- AttentionScores.h - Scores and weights as linalg ops ----*- C++ -*--===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_CONVERSION_ATTENTIONSCORES_H
#define MHA_CONVERSION_ATTENTIONSCORES_H

#include "LetteredLoops.h"

#include "mha/IR/MHA.h"
#include "mha/Support/QueryPosition.h"

namespace mlir::mha {

/// Builds what the closed and the open form of attention share.
class ScoresBuilder : public LoopBuilder {
public:
  ScoresBuilder(OpBuilder &builder, AttentionOpInterface op);

protected:
  Lettered buildMasked();
  Lettered buildRowMax(Lettered masked);
  Lettered buildWeights(Lettered masked, Lettered rowMax);
  Lettered addWeights(Lettered init, Lettered weights);
  Lettered addWeighted(Lettered init, Lettered weights, Lettered masked);

  AttentionOpInterface op;
  Lettered query, key, value;

private:
  void findSizes();
  Lettered getDenseMask();
  Value buildDenselyMasked(OpBuilder &builder, Value score, Value mask);
  QueryKeyPair getPair(OpBuilder &builder, StringRef loops);
  Value buildScale();
  Value buildCapped(OpBuilder &builder, Value score);
  Value buildBiased(OpBuilder &builder, Value score, StringRef loops);
  Lettered buildScores();
};

} // namespace mlir::mha

#endif // MHA_CONVERSION_ATTENTIONSCORES_H
