//===- TileAttention.cpp - Attention as items of parallel work ------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/IR/AttentionDims.h"
#include "mha/IR/MHA.h"
#include "mha/Transforms/Passes.h"
#include "mha/Transforms/Transforms.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace mlir::mha {
#define GEN_PASS_DEF_TILEATTENTIONPASS
#include "mha/Transforms/Passes.h.inc"
} // namespace mlir::mha

using namespace mlir;
using namespace mlir::mha;

/// The mapping of the loops along the axes that `tileSizes` cuts. Query blocks
/// move fastest, so that successive items read the same keys and values, and
/// where the last ones see the most keys, from the last to the first: the items
/// that end the work are then the shortest ones.
static SmallVector<Attribute> makeItemOrder(AttentionOp op,
                                            ArrayRef<int64_t> tileSizes) {
  constexpr unsigned queryAxis = 3;
  MaskAttr mask = op.getMaskAttr();
  bool growsWithQuery = mask && mask.getCausal() && !mask.hasWindow();
  SmallVector<Attribute> order;
  for (auto [axis, size] : llvm::enumerate(tileSizes))
    if (size != 0)
      order.push_back(ItemAttr::get(op.getContext(), order.size(),
                                    axis == queryAxis && growsWithQuery));
  return order;
}

/// Removes schedules that were made for another tile: a part of a head may have
/// no static size.
static void dropMisfit(RewriterBase &rewriter, AttentionOp tile) {
  Attribute attr = tile.getScheduleAttr();
  if (!attr)
    return;
  for (ScheduleAttrInterface schedule : getSchedules(attr))
    if (!schedule.explainMisfit(tile).empty())
      return rewriter.modifyOpInPlace(tile, [&] { tile.removeScheduleAttr(); });
}

/// On tensors, lends a tile the part of the loop's results that it is for, so
/// that it is computed in its place.
static void lendPlaces(RewriterBase &rewriter, AttentionOp tile) {
  auto loop = dyn_cast<scf::ForallOp>(tile->getParentOp());
  if (!loop || !tile.hasTensorSemantics())
    return;
  // Where the places are known.
  rewriter.moveOpBefore(tile, loop.getTerminator());
  rewriter.setInsertionPoint(tile);
  auto lend = [&](Value result, MutableOperandRange init) {
    if (!result || !result.hasOneUse())
      return;
    auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(*result.user_begin());
    if (!insert || insert.getSource() != result)
      return;
    Value place = tensor::ExtractSliceOp::create(
        rewriter, tile.getLoc(), cast<RankedTensorType>(result.getType()),
        insert.getDest(), insert.getMixedOffsets(), insert.getMixedSizes(),
        insert.getMixedStrides());
    rewriter.modifyOpInPlace(tile, [&] { init.assign(place); });
  };
  lend(tile.getOutput(), tile.getOutputInitMutable());
  lend(tile.getLse(), tile.getLseInitMutable());
}

LogicalResult mlir::mha::tileAttention(RewriterBase &rewriter, AttentionOp op,
                                       ArrayRef<int64_t> tileSizes) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t size : tileSizes)
    sizes.push_back(rewriter.getIndexAttr(size));
  scf::SCFTilingOptions options;
  options.setTileSizes(sizes);
  // Inside of parallel work of somebody else tiles follow one another.
  if (!op->getParentOfType<scf::ForallOp>()) {
    options.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
    options.setMapping(makeItemOrder(op, tileSizes));
  }
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  FailureOr<scf::SCFTilingResult> tiled = scf::tileUsingSCF(
      rewriter, cast<TilingInterface>(op.getOperation()), options);
  if (failed(tiled))
    return failure();
  for (Operation *tile : tiled->tiledOps)
    if (auto attention = dyn_cast<AttentionOp>(tile)) {
      dropMisfit(rewriter, attention);
      lendPlaces(rewriter, attention);
    }
  rewriter.replaceOp(op, tiled->replacements);
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// Whether `op` is part of an item already.
static bool isInItem(AttentionOp op) {
  for (auto loop = op->getParentOfType<scf::ForallOp>(); loop;
       loop = loop->getParentOfType<scf::ForallOp>())
    if (isLoopOverItems(loop))
      return true;
  return false;
}

namespace {
struct TileAttentionPass : mha::impl::TileAttentionPassBase<TileAttentionPass> {
  using TileAttentionPassBase::TileAttentionPassBase;

  LogicalResult verifyOption() {
    // Steps of loops stay far from overflow.
    constexpr size_t numLoops = 5;
    constexpr int64_t maxSize = int64_t(1) << 31;
    bool isValid = tileSizes.empty() || tileSizes.size() == numLoops;
    for (int64_t size : tileSizes)
      isValid &= size >= 0 && size <= maxSize;
    if (isValid)
      return success();
    return getOperation()->emitError()
           << "expected the option tile-sizes (of which block-q of "
              "mha-cpu-pipeline is the fourth) to be five sizes from 0 to "
           << maxSize << ", for (b, k, g, i, n)";
  }

  /// The option, or else what the op's one schedule says; none for an op
  /// without.
  SmallVector<int64_t> getTileSizes(AttentionOp op) {
    if (!tileSizes.empty())
      return SmallVector<int64_t>(tileSizes.begin(), tileSizes.end());
    auto schedule =
        dyn_cast_or_null<ScheduleAttrInterface>(op.getScheduleAttr());
    return schedule ? schedule.getTileSizes() : SmallVector<int64_t>();
  }

  void runOnOperation() override {
    if (failed(verifyOption()))
      return signalPassFailure();
    SmallVector<AttentionOp> ops;
    getOperation()->walk([&](AttentionOp op) {
      bool isLeft = isInItem(op) || AttentionDims::get(op).isEmpty() ||
                    (unscheduledOnly && op.getSchedule());
      if (!isLeft)
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (AttentionOp op : ops) {
      SmallVector<int64_t> sizes = getTileSizes(op);
      if (llvm::all_of(sizes, [](int64_t size) { return size == 0; }))
        continue;
      if (failed(tileAttention(rewriter, op, sizes))) {
        op.emitOpError() << "expected tile sizes with one key/value head or "
                            "all of a group, and the whole head size beside "
                            "an lse";
        return signalPassFailure();
      }
      ++numTiled;
    }
  }
};
} // namespace
