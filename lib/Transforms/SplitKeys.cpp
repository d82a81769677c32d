//===- SplitKeys.cpp - Attention over parts of its keys -------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/IR/MHA.h"
#include "mha/Transforms/Passes.h"
#include "mha/Transforms/Transforms.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace mlir::mha {
#define GEN_PASS_DEF_SPLITKEYSPASS
#include "mha/Transforms/Passes.h.inc"
} // namespace mlir::mha

using namespace mlir;
using namespace mlir::mha;

LogicalResult mlir::mha::splitKeys(RewriterBase &rewriter, OnlineAttentionOp op,
                                   int64_t numParts) {
  if (!op.hasTensorSemantics())
    return rewriter.notifyMatchFailure(op, "parts are on tensors only");
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
    if (parts < 1) {
      getOperation()->emitError()
          << "expected the option parts to be at least 1, found " << parts;
      return signalPassFailure();
    }
    SmallVector<OnlineAttentionOp> ops;
    getOperation()->walk([&](OnlineAttentionOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (OnlineAttentionOp op : ops)
      if (succeeded(splitKeys(rewriter, op, parts)))
        ++numSplit;
  }
};
} // namespace
