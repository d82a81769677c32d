//===- AddDestinations.cpp - Empty tensors to compute attention in --------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exact.
//
//===----------------------------------------------------------------------===//

#include "mha/IR/MHA.h"
#include "mha/Transforms/Passes.h"
#include "mha/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

#define DEBUG_TYPE "mha-add-destinations"

namespace mlir::mha {
#define GEN_PASS_DEF_ADDDESTINATIONSPASS
#include "mha/Transforms/Passes.h.inc"
} // namespace mlir::mha

using namespace mlir;
using namespace mlir::mha;

/// An empty tensor of the type of `result`. A size that the type does not say
/// is that of an operand, whether or not the operand's type says it.
static Value createEmpty(RewriterBase &rewriter, Value result,
                         ArrayRef<OpFoldResult> sizes) {
  auto type = cast<RankedTensorType>(result.getType());
  SmallVector<Value> dynamicSizes;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (type.isDynamicDim(dim))
      dynamicSizes.push_back(
          getValueOrCreateConstantIndexOp(rewriter, result.getLoc(), size));
  return tensor::EmptyOp::create(rewriter, result.getLoc(), type, dynamicSizes);
}

LogicalResult mlir::mha::addDestinations(RewriterBase &rewriter,
                                         AttentionOp op) {
  if (!op.hasTensorSemantics())
    return rewriter.notifyMatchFailure(op, "memrefs have destinations");
  if (llvm::all_of(op->getResults(),
                   [&](OpResult result) { return op.getDestination(result); }))
    return rewriter.notifyMatchFailure(op, "every result has a destination");

  rewriter.setInsertionPoint(op);
  ReifiedRankedShapedTypeDims sizes;
  if (failed(op.reifyResultShapes(rewriter, sizes)))
    return failure();
  auto add = [&](Value result, Value init, MutableOperandRange inits) {
    if (!result || init)
      return;
    Value empty = createEmpty(rewriter, result,
                              sizes[cast<OpResult>(result).getResultNumber()]);
    rewriter.modifyOpInPlace(op, [&] { inits.assign(empty); });
  };
  add(op.getOutput(), op.getOutputInit(), op.getOutputInitMutable());
  add(op.getLse(), op.getLseInit(), op.getLseInitMutable());
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct AddDestinationsPass
    : mha::impl::AddDestinationsPassBase<AddDestinationsPass> {
  using AddDestinationsPassBase::AddDestinationsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](AttentionOp op) {
      if (succeeded(addDestinations(rewriter, op)))
        ++numChanged;
    });
  }
};
} // namespace
