//===- ConvertMHAToVector.cpp - Attention as vector code ------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QueryInLanes.h"

#include "mha/Conversion/Conversions.h"
#include "mha/Conversion/Passes.h"
#include "mha/IR/AttentionDims.h"
#include "mha/IR/MHA.h"
#include "mha/Support/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

#define DEBUG_TYPE "convert-mha-to-vector"

namespace mlir::mha {
#define GEN_PASS_DEF_CONVERTMHATOVECTORPASS
#include "mha/Conversion/Passes.h.inc"
} // namespace mlir::mha

using namespace mlir;
using namespace mlir::mha;

/// Why the kernel does not compute `op`; empty where it does. That the schedule
/// fits is the verifier's affair.
static StringRef explainRefusal(AttentionOp op) {
  if (op.hasTensorSemantics())
    return "it is on tensors: bufferize first";
  auto schedule = dyn_cast_or_null<CPUScheduleAttr>(op.getScheduleAttr());
  if (!schedule)
    return "it has no CPU schedule: run mha-assign-schedule, and "
           "mha-outline-kernels where a list of schedules leaves a choice";
  AttentionDims dims = AttentionDims::get(op);
  // Of queries that only run time counts, an item has an origin.
  bool hasOneBlock = ShapedType::isDynamic(dims.queryLen)
                         ? !op.getOrigin().empty()
                         : dims.queryLen <= schedule.getBlockQ();
  if (dims.batch != 1 || dims.numKVHeads != 1 ||
      dims.numQueryHeads != schedule.getBlockG() || !hasOneBlock)
    return "it is more than one item: run mha-tile-attention first";
  for (Value operand :
       {op.getQuery(), op.getKey(), op.getValue(), op.getOutputInit()})
    if (!cast<MemRefType>(operand.getType()).isLastDimUnitStride())
      return "the innermost stride of an operand is not known to be 1";
  return "";
}

LogicalResult mlir::mha::convertMHAToVector(RewriterBase &rewriter,
                                            AttentionOp op) {
  StringRef reason = explainRefusal(op);
  if (!reason.empty()) {
    remarkMissed(op, DEBUG_TYPE, "not-vectorized", reason);
    return rewriter.notifyMatchFailure(op, reason);
  }
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  emitQueryInLanes(rewriter, op, cast<CPUScheduleAttr>(op.getScheduleAttr()));
  rewriter.eraseOp(op);
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct ConvertMHAToVectorPass
    : mha::impl::ConvertMHAToVectorPassBase<ConvertMHAToVectorPass> {
  using ConvertMHAToVectorPassBase::ConvertMHAToVectorPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](AttentionOp op) {
      if (succeeded(convertMHAToVector(rewriter, op)))
        ++numConverted;
    });
  }
};
} // namespace
