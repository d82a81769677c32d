//===- PlaceResults.cpp - Compute results in their out-parameters ---------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exact. Sound because the values that share the destination's buffer form a
// chain without side branches: nobody can read one of them after it has been
// overwritten. See docs/Rationale.md, "Results in place".
//
//===----------------------------------------------------------------------===//

#include "mha/IR/MHA.h"
#include "mha/Support/Remarks.h"
#include "mha/Transforms/Passes.h"
#include "mha/Transforms/Transforms.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#define DEBUG_TYPE "mha-place-results"

namespace mlir::mha {
#define GEN_PASS_DEF_PLACERESULTSPASS
#include "mha/Transforms/Passes.h.inc"
} // namespace mlir::mha

using namespace mlir;
using namespace mlir::mha;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// Whether `write` is the only op that knows what lies in its destination: an
/// argument, since a view of another buffer would be known there as well.
static bool isOnlyAccess(bufferization::MaterializeInDestinationOp write) {
  Value destination = write.getDest();
  return isa<BlockArgument>(destination) &&
         llvm::all_of(destination.getUsers(), [&](Operation *user) {
           return user == write || isa<memref::DimOp>(user);
         });
}

/// The operand that lends its buffer to `value`, null when there is none.
static OpOperand *getInit(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto attention = dyn_cast_or_null<AttentionOp>(op))
    return attention.getDestination(cast<OpResult>(value));
  if (auto cast = dyn_cast_or_null<tensor::CastOp>(op))
    return &cast.getSourceMutable();
  auto destinationStyle = dyn_cast_or_null<DestinationStyleOpInterface>(op);
  if (destinationStyle)
    return destinationStyle.getTiedOpOperand(cast<OpResult>(value));
  auto loop = dyn_cast_or_null<LoopLikeOpInterface>(op);
  return loop ? loop.getTiedLoopInit(cast<OpResult>(value)) : nullptr;
}

/// Whether an op can be repeated for a second use of its result instead of
/// sharing it.
static bool isCheap(Operation *op) {
  return isa<tensor::CastOp, tensor::EmptyOp, linalg::FillOp>(op);
}

/// The uses on the way from `use` back to the empty tensor that its value is
/// computed in. Empty where that is none, or another op uses a value on the way
/// that is not cheap to compute once more.
static SmallVector<OpOperand *> findChain(OpOperand *use) {
  Block *block = use->getOwner()->getBlock();
  SmallVector<OpOperand *> chain;
  bool isShared = false;
  for (; use; use = getInit(use->get())) {
    Operation *op = use->get().getDefiningOp();
    // What a shared value is computed from is shared as well.
    isShared |= !use->get().hasOneUse();
    if (!op || op->getBlock() != block || (isShared && !isCheap(op)))
      return {};
    chain.push_back(use);
    if (isa<tensor::EmptyOp>(op))
      return chain;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Transformation
//===----------------------------------------------------------------------===//

/// Gives each op on the way from `use` to the empty tensor this one use, by
/// copies of those that are shared; returns the empty tensor.
static tensor::EmptyOp unshareChain(RewriterBase &rewriter, OpOperand *use) {
  while (true) {
    Value value = use->get();
    Operation *op = value.getDefiningOp();
    if (!value.hasOneUse()) {
      rewriter.setInsertionPoint(op);
      op = rewriter.clone(*op);
      rewriter.modifyOpInPlace(use->getOwner(),
                               [&] { use->set(op->getResult(0)); });
    }
    if (auto empty = dyn_cast<tensor::EmptyOp>(op))
      return empty;
    use = getInit(use->get());
  }
}

LogicalResult
mlir::mha::placeResult(RewriterBase &rewriter,
                       bufferization::MaterializeInDestinationOp write) {
  auto destination = dyn_cast<MemRefType>(write.getDest().getType());
  if (!destination || !write.getRestrict() || !write.getWritable() ||
      !isOnlyAccess(write))
    return rewriter.notifyMatchFailure(write, "destination is no memref that "
                                              "only this op accesses");
  OpOperand *source = &write.getSourceMutable();
  SmallVector<OpOperand *> chain = findChain(source);
  if (chain.empty())
    return rewriter.notifyMatchFailure(
        write, "another op uses a value that the result is computed in");
  auto type = cast<RankedTensorType>(chain.back()->get().getType());
  if (failed(verifyCompatibleShape(destination.getShape(), type.getShape())))
    return rewriter.notifyMatchFailure(
        write, "the sizes of the result are not those of its destination");

  tensor::EmptyOp empty = unshareChain(rewriter, source);
  rewriter.setInsertionPoint(empty);
  RankedTensorType placeType = type.clone(destination.getShape());
  Value place = bufferization::ToTensorOp::create(
      rewriter, empty.getLoc(), placeType, write.getDest(),
      /*restrict=*/true, /*writable=*/true);
  if (type != placeType)
    place = tensor::CastOp::create(rewriter, empty.getLoc(), type, place);
  rewriter.replaceOp(empty, place);
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

static void remarkCopied(bufferization::MaterializeInDestinationOp write) {
  remarkMissed(write, DEBUG_TYPE, "result-is-copied",
               "the result is not computed in its out-parameter: a value on "
               "the way to it, or the out-parameter, has another use");
}

namespace {
struct PlaceResultsPass : mha::impl::PlaceResultsPassBase<PlaceResultsPass> {
  using PlaceResultsPassBase::PlaceResultsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](bufferization::MaterializeInDestinationOp write) {
      if (succeeded(placeResult(rewriter, write)))
        ++numPlaced;
      // A donated argument, which is a tensor, has no out-parameter.
      else if (isa<MemRefType>(write.getDest().getType()))
        remarkCopied(write);
    });
  }
};
} // namespace
