//===- AssignSchedule.cpp - How each attention is to be computed ----------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/IR/AttentionDims.h"
#include "mha/IR/MHA.h"
#include "mha/Support/CPUTarget.h"
#include "mha/Support/Remarks.h"
#include "mha/Transforms/Passes.h"
#include "mha/Transforms/Transforms.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

#define DEBUG_TYPE "mha-assign-schedule"

namespace mlir::mha {
#define GEN_PASS_DEF_ASSIGNSCHEDULEPASS
#include "mha/Transforms/Passes.h.inc"
} // namespace mlir::mha

using namespace mlir;
using namespace mlir::mha;

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

namespace {
/// The register tile of the micro-kernels, and the keys that go with it.
struct RegisterTile {
  int64_t vectors, rows, unroll, blockK;
};
} // namespace

/// Accumulators that hide the latency of a multiply-add and leave registers
/// for a column of each operand: 16 of 32 registers, 12 of 16.
static RegisterTile chooseRegisterTile(const CPUTarget &target,
                                       int64_t columns) {
  bool hasMany = target.numRegisters >= 32;
  if (hasMany && columns % 4 == 0)
    return {4, 4, 4, 128};
  if (columns % 3 == 0)
    return {3, 4, 4, 128};
  if (columns % 2 == 0)
    return hasMany ? RegisterTile{2, 8, 4, 128} : RegisterTile{2, 6, 2, 96};
  return {1, 8, 4, 64};
}

/// How many query heads of a group share an item: as many as fill a register
/// tile with one vector each, since they read the same keys.
static int64_t chooseBlockG(int64_t group, int64_t columns) {
  if (ShapedType::isDynamic(group) || group == 0)
    return 1;
  for (int64_t heads = columns; heads > 1; --heads)
    if (group % heads == 0)
      return heads;
  return 1;
}

static CPUScheduleAttr makeSchedule(AttentionOp op, const CPUTarget &target,
                                    int64_t blockG, int64_t vectorsOfQueries) {
  RegisterTile tile = chooseRegisterTile(target, blockG * vectorsOfQueries);
  int64_t lanes = target.getLanes();
  return CPUScheduleAttr::get(op.getContext(), lanes * vectorsOfQueries, blockG,
                              tile.blockK, lanes, tile.rows, tile.rows,
                              tile.vectors, tile.unroll, /*prefetch=*/true);
}

/// How many vectors of queries of one head an item takes at most.
static int64_t chooseMaxVectors(AttentionOp op, int64_t columns,
                                int64_t blockG) {
  if (blockG > 1)
    return 1;
  // A structured mask wastes up to half of the square block on its edge:
  // narrow blocks are worth more than fewer loads of K and V, down to two
  // vectors, which are what the loads of a core with two multiply-adds a cycle
  // can feed.
  return op.getMaskAttr() ? std::min<int64_t>(columns, 2) : columns;
}

Attribute mlir::mha::planSchedule(AttentionOp op, const CPUTarget &target) {
  AttentionDims dims = AttentionDims::get(op);
  int64_t columns = target.numRegisters >= 32 ? 4 : 2;
  int64_t blockG = chooseBlockG(dims.getGroup(), columns);
  int64_t maxVectors = chooseMaxVectors(op, columns, blockG);
  int64_t lanes = target.getLanes();
  if (!ShapedType::isDynamic(dims.queryLen)) {
    int64_t vectors = std::clamp<int64_t>(
        llvm::divideCeil(dims.queryLen, lanes), 1, maxVectors);
    return makeSchedule(op, target, blockG, vectors);
  }
  CPUScheduleAttr forMany = makeSchedule(op, target, blockG, maxVectors);
  if (maxVectors == 1)
    return forMany;
  auto forFew =
      GuardedScheduleAttr::get(op.getContext(), GuardDim::QueryLen, lanes,
                               makeSchedule(op, target, blockG, 1));
  return ArrayAttr::get(op.getContext(), {forFew, forMany});
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// Why no kernel computes `op` by `plan`; empty where one does.
static std::string explainNoPlan(AttentionOp op, Attribute plan,
                                 const CPUTarget &target) {
  // A kernel makes parallel work of its own.
  if (op->getParentOfType<scf::ForallOp>())
    return "no kernel inside a parallel loop";
  if (!target.hasFMA)
    return "no kernel for a CPU without fused multiply-add on vectors";
  for (ScheduleAttrInterface schedule : getSchedules(plan)) {
    std::string reason = schedule.explainMisfit(op);
    if (!reason.empty())
      return reason;
  }
  return "";
}

namespace {
struct AssignSchedulePass
    : mha::impl::AssignSchedulePassBase<AssignSchedulePass> {
  using AssignSchedulePassBase::AssignSchedulePassBase;

  void runOnOperation() override {
    FailureOr<CPUTarget> target =
        lookupCPUTarget(cpu, [&] { return getOperation()->emitError(); });
    if (failed(target))
      return signalPassFailure();
    getOperation()->walk([&](AttentionOp op) {
      // A plan by hand is respected.
      if (op.getSchedule())
        return;
      Attribute plan = planSchedule(op, *target);
      std::string reason = explainNoPlan(op, plan, *target);
      if (!reason.empty()) {
        op->setAttr(kNoScheduleAttrName,
                    StringAttr::get(&getContext(), reason));
        return remarkMissed(op, DEBUG_TYPE, "no-schedule", reason);
      }
      op.setScheduleAttr(plan);
      ++numPlanned;
    });
  }
};
} // namespace
