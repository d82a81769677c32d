//===- Projections.h - Linear maps by their definition ---------*- C++ -*--===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_CONVERSION_PROJECTIONS_H
#define MHA_CONVERSION_PROJECTIONS_H

#include "LetteredLoops.h"

#include "mha/IR/MHA.h"

namespace mlir::mha {

/// One linear map. Letters of inputs end in e, of outputs in o.
struct LinearMap {
  Lettered input, weight;
  /// Null where there is none.
  Lettered bias, residual;
  Lettered output;
};

/// Writes `mha.projection` and `mha.qkv_projection` as contractions.
class ProjectionBuilder : public LoopBuilder {
public:
  template <typename OpTy>
  ProjectionBuilder(OpBuilder &builder, OpTy op)
      : LoopBuilder(builder, op.getLoc(), getComputeType(op.getInput()),
                    op.hasTensorSemantics()) {
    addMaps(op);
  }

  SmallVector<Value> build();

private:
  void addMaps(ProjectionOp op);
  void addMaps(QKVProjectionOp op);
  OpFoldResult add(OpFoldResult lhs, OpFoldResult rhs);
  Lettered makeFirstSum(const Lettered &output);
  Value buildMap(const LinearMap &map);

  SmallVector<LinearMap> maps;
};

} // namespace mlir::mha

#endif // MHA_CONVERSION_PROJECTIONS_H
