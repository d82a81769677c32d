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

#include "mha/Transforms/Passes.h"
#include "mha/Transforms/Transforms.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

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
  auto op = value.getDefiningOp<DestinationStyleOpInterface>();
  return op ? op.getTiedOpOperand(cast<OpResult>(value)) : nullptr;
}

/// Whether an op can be repeated for a second use of its result instead of
/// sharing it.
static bool isCheap(Operation *op) {
  return isa<tensor::EmptyOp, linalg::FillOp>(op);
}

/// Walks from the value in `use` back to the empty tensor that it is computed
/// in. Null where that is none, or another op uses a value on the way.
static tensor::EmptyOp findEmpty(OpOperand *use) {
  Block *block = use->getOwner()->getBlock();
  while (use) {
    Value value = use->get();
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != block || !(value.hasOneUse() || isCheap(op)))
      return {};
    if (auto empty = dyn_cast<tensor::EmptyOp>(op))
      return empty;
    use = getInit(value);
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
  tensor::EmptyOp found = findEmpty(source);
  if (!found)
    return rewriter.notifyMatchFailure(
        write, "another op uses a value that the result is computed in");
  auto type = cast<RankedTensorType>(found.getType());
  if (type.getShape() != destination.getShape())
    return rewriter.notifyMatchFailure(
        write, "the type of the result is not that of its destination");

  tensor::EmptyOp empty = unshareChain(rewriter, source);
  rewriter.setInsertionPoint(empty);
  rewriter.replaceOpWithNewOp<bufferization::ToTensorOp>(
      empty, type, write.getDest(), /*restrict=*/true, /*writable=*/true);
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

static void remarkCopied(bufferization::MaterializeInDestinationOp write) {
  auto function = write->getParentOfType<FunctionOpInterface>();
  remark::missed(write.getLoc(),
                 remark::RemarkOpts::name("result-is-copied")
                     .category(DEBUG_TYPE)
                     .function(function ? function.getName() : StringRef()))
      << remark::reason("the result is not computed in its out-parameter: a "
                        "value on the way to it, or the out-parameter, has "
                        "another use");
}

namespace {
struct PlaceResultsPass : mha::impl::PlaceResultsPassBase<PlaceResultsPass> {
  using PlaceResultsPassBase::PlaceResultsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](bufferization::MaterializeInDestinationOp write) {
      if (succeeded(placeResult(rewriter, write)))
        ++numPlaced;
      else
        remarkCopied(write);
    });
  }
};
} // namespace
