//===- TileKeys.cpp - Attention that takes its keys block by block --------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/IR/AttentionDims.h"
#include "mha/IR/MHA.h"
#include "mha/Support/KeyRanges.h"
#include "mha/Transforms/Passes.h"
#include "mha/Transforms/Transforms.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace mlir::mha {
#define GEN_PASS_DEF_TILEKEYSPASS
#include "mha/Transforms/Passes.h.inc"
} // namespace mlir::mha

using namespace mlir;
using namespace mlir::mha;

/// Takes `count` keys from `first` on into the state `inits`; returns the new
/// state, nothing on memrefs.
static FailureOr<SmallVector<Value>>
takeBlock(RewriterBase &rewriter, OnlineAttentionOp op, ValueRange inits,
          OpFoldResult first, OpFoldResult count) {
  // The op of the loop's own state, cut to the block.
  auto whole = cast<OnlineAttentionOp>(rewriter.clone(*op));
  if (!inits.empty())
    for (auto [operand, init] :
         llvm::zip_equal(whole.getDpsInitsMutable(), inits))
      operand.set(init);
  auto tiling = cast<TilingInterface>(whole.getOperation());
  SmallVector<OpFoldResult> offsets, sizes;
  for (const Range &range : tiling.getIterationDomain(rewriter)) {
    offsets.push_back(range.offset);
    sizes.push_back(range.size);
  }
  offsets.back() = first;
  sizes.back() = count;
  FailureOr<TilingResult> tile =
      tiling.getTiledImplementation(rewriter, offsets, sizes);
  rewriter.eraseOp(whole);
  if (failed(tile))
    return failure();
  SmallVector<Value> results;
  for (auto [value, init] : llvm::zip(tile->tiledValues, inits))
    results.push_back(value.getType() == init.getType()
                          ? value
                          : tensor::CastOp::create(rewriter, op.getLoc(),
                                                   init.getType(), value));
  return results;
}

/// Takes the keys from `from` to `to` into `state`, in steps of `blockK`; the
/// blocks have `blockK` keys, or, in the one step of a rest, all of these.
static FailureOr<SmallVector<Value>>
takeBlocks(RewriterBase &rewriter, OnlineAttentionOp op, ValueRange state,
           Value from, Value to, int64_t blockK, bool isRest) {
  OpBuilder::InsertionGuard guard(rewriter);
  Location loc = op.getLoc();
  Value step = arith::ConstantIndexOp::create(rewriter, loc, blockK);
  auto loop = scf::ForOp::create(rewriter, loc, from, to, step, state);
  rewriter.setInsertionPointToStart(loop.getBody());
  Value first = loop.getInductionVar();
  OpFoldResult count = rewriter.getIndexAttr(blockK);
  if (isRest)
    count =
        getAsOpFoldResult(rewriter.createOrFold<arith::SubIOp>(loc, to, first));
  FailureOr<SmallVector<Value>> next =
      takeBlock(rewriter, op, loop.getRegionIterArgs(), first, count);
  if (failed(next))
    return failure();
  if (!state.empty())
    scf::YieldOp::create(rewriter, loc, *next);
  return SmallVector<Value>(loop.getResults());
}

LogicalResult mlir::mha::tileKeys(RewriterBase &rewriter, OnlineAttentionOp op,
                                  int64_t blockK) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  AttentionDims dims = AttentionDims::get(op);
  // Nothing is to be cut, and slices of nothing are not valid.
  if (dims.isEmpty())
    return rewriter.notifyMatchFailure(op, "operands without elements");
  KeyRangeValues keys = buildKeyRanges(rewriter, loc, op);
  Value step = arith::ConstantIndexOp::create(rewriter, loc, blockK);
  Value count = rewriter.createOrFold<arith::SubIOp>(loc, keys.end, keys.begin);
  Value rest = rewriter.createOrFold<arith::RemUIOp>(loc, count, step);
  Value wholeEnd = rewriter.createOrFold<arith::SubIOp>(loc, keys.end, rest);

  SmallVector<Value> state;
  if (op.hasTensorSemantics())
    llvm::append_range(state, op.getDpsInits());
  if (ShapedType::isDynamic(dims.keyLen) || dims.keyLen >= blockK) {
    FailureOr<SmallVector<Value>> next = takeBlocks(
        rewriter, op, state, keys.begin, wholeEnd, blockK, /*isRest=*/false);
    if (failed(next))
      return failure();
    state = *next;
  }
  FailureOr<SmallVector<Value>> all = takeBlocks(
      rewriter, op, state, wholeEnd, keys.end, blockK, /*isRest=*/true);
  if (failed(all))
    return failure();
  rewriter.replaceOp(op, *all);
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct TileKeysPass : mha::impl::TileKeysPassBase<TileKeysPass> {
  using TileKeysPassBase::TileKeysPassBase;

  void runOnOperation() override {
    // Steps of loops stay far from overflow.
    constexpr int64_t maxBlock = int64_t(1) << 31;
    if (blockK < 1 || blockK > maxBlock) {
      getOperation()->emitError()
          << "expected the option block-k to be from 1 to " << maxBlock
          << ", found " << blockK.getValue();
      return signalPassFailure();
    }
    SmallVector<OnlineAttentionOp> ops;
    getOperation()->walk([&](OnlineAttentionOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (OnlineAttentionOp op : ops) {
      if (AttentionDims::get(op).isEmpty())
        continue;
      if (failed(tileKeys(rewriter, op, blockK)))
        return signalPassFailure();
      ++numTiled;
    }
  }
};
} // namespace
