//===- SplitKeys.cpp - Attention over parts of its keys -------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/IR/AttentionDims.h"
#include "mha/IR/MHA.h"
#include "mha/Support/Remarks.h"
#include "mha/Transforms/Passes.h"
#include "mha/Transforms/Transforms.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/TilingInterface.h"

#define DEBUG_TYPE "mha-split-keys"

namespace mlir::mha {
#define GEN_PASS_DEF_SPLITKEYSPASS
#include "mha/Transforms/Passes.h.inc"
} // namespace mlir::mha

using namespace mlir;
using namespace mlir::mha;

/// Why `op` has no parts; empty where it has.
static StringRef explainNoParts(OnlineAttentionOp op) {
  if (!op.hasTensorSemantics())
    return "the parts of a state are on tensors only";
  if (AttentionDims::get(op).isEmpty())
    return "operands without elements";
  if (op->getParentOfType<scf::ForallOp>())
    return "parts are parallel work, which does not nest";
  return "";
}

LogicalResult mlir::mha::splitKeys(RewriterBase &rewriter, OnlineAttentionOp op,
                                   int64_t numParts) {
  StringRef reason = explainNoParts(op);
  if (!reason.empty())
    return rewriter.notifyMatchFailure(op, reason);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  constexpr unsigned keyLoop = 4;
  SmallVector<OpFoldResult> numThreads(keyLoop, rewriter.getIndexAttr(0));
  numThreads.push_back(rewriter.getIndexAttr(numParts));
  scf::SCFTilingOptions options;
  options.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
  options.setNumThreads(numThreads);
  options.setReductionTilingStrategy(
      ReductionTilingStrategy::PartialReductionOuterParallel);
  options.setReductionDims({keyLoop});
  options.setMapping({ItemAttr::get(op.getContext(), 0, /*descending=*/false)});
  FailureOr<scf::SCFTilingResult> split = scf::tileUsingSCF(
      rewriter, cast<TilingInterface>(op.getOperation()), options);
  if (failed(split))
    return failure();
  rewriter.replaceOp(op, split->replacements);
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct SplitKeysPass : mha::impl::SplitKeysPassBase<SplitKeysPass> {
  using SplitKeysPassBase::SplitKeysPassBase;

  void runOnOperation() override {
    // The states of all parts are in memory at once.
    constexpr int64_t maxParts = 65536;
    if (parts < 1 || parts > maxParts) {
      getOperation()->emitError()
          << "expected the option parts to be from 1 to " << maxParts
          << ", found " << parts.getValue();
      return signalPassFailure();
    }
    SmallVector<OnlineAttentionOp> ops;
    getOperation()->walk([&](OnlineAttentionOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (OnlineAttentionOp op : ops) {
      StringRef reason = explainNoParts(op);
      if (!reason.empty()) {
        remarkMissed(op, DEBUG_TYPE, "keys-not-split", reason);
        continue;
      }
      if (failed(splitKeys(rewriter, op, parts)))
        return signalPassFailure();
      ++numSplit;
    }
  }
};
} // namespace
