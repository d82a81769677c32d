//===- ExpandDynamicReshapes.cpp - Reshapes with several dynamic sizes ----===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream derives the one dynamic size of a group from the others, and does
// not expect two (22.1: a null attribute in ReinterpretCastOp::build).
//
//===----------------------------------------------------------------------===//

#include "mha/Transforms/Passes.h"
#include "mha/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

#define DEBUG_TYPE "mha-expand-dynamic-reshapes"

namespace mlir::mha {
#define GEN_PASS_DEF_EXPANDDYNAMICRESHAPESPASS
#include "mha/Transforms/Passes.h.inc"
} // namespace mlir::mha

using namespace mlir;
using namespace mlir::mha;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

static bool hasSeveralDynamicSizes(memref::ExpandShapeOp reshape) {
  MemRefType type = reshape.getResultType();
  auto isDynamic = [&](int64_t dim) { return type.isDynamicDim(dim); };
  return llvm::any_of(reshape.getReassociationIndices(),
                      [&](ArrayRef<int64_t> group) {
                        return llvm::count_if(group, isDynamic) > 1;
                      });
}

//===----------------------------------------------------------------------===//
// Transformation
//===----------------------------------------------------------------------===//

LogicalResult mlir::mha::expandDynamicReshape(RewriterBase &rewriter,
                                              memref::ExpandShapeOp reshape) {
  if (!hasSeveralDynamicSizes(reshape))
    return rewriter.notifyMatchFailure(
        reshape, "no dimension becomes more than one dynamic size");
  Location loc = reshape.getLoc();
  rewriter.setInsertionPoint(reshape);
  auto metadata =
      memref::ExtractStridedMetadataOp::create(rewriter, loc, reshape.getSrc());
  SmallVector<OpFoldResult> sizes = reshape.getMixedOutputShape();
  SmallVector<OpFoldResult> strides(sizes.size());
  SmallVector<OpFoldResult> sourceStrides =
      metadata.getConstifiedMixedStrides();
  // Inside a group the last dimension has the stride of the whole, and each
  // one before it spans those behind.
  for (auto [dim, group] : llvm::enumerate(reshape.getReassociationIndices())) {
    Value stride =
        getValueOrCreateConstantIndexOp(rewriter, loc, sourceStrides[dim]);
    for (int64_t part : llvm::reverse(group)) {
      strides[part] = getAsOpFoldResult(stride);
      Value size = getValueOrCreateConstantIndexOp(rewriter, loc, sizes[part]);
      stride = rewriter.createOrFold<arith::MulIOp>(loc, stride, size);
    }
  }
  auto strided = memref::ReinterpretCastOp::create(
      rewriter, loc, metadata.getBaseBuffer(),
      metadata.getConstifiedMixedOffset(), sizes, strides);
  Value result = strided;
  if (result.getType() != reshape.getType())
    result = memref::CastOp::create(rewriter, loc, reshape.getType(), result);
  rewriter.replaceOp(reshape, result);
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct ExpandDynamicReshapesPass
    : mha::impl::ExpandDynamicReshapesPassBase<ExpandDynamicReshapesPass> {
  using ExpandDynamicReshapesPassBase::ExpandDynamicReshapesPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](memref::ExpandShapeOp reshape) {
      if (succeeded(expandDynamicReshape(rewriter, reshape)))
        ++numExpanded;
    });
  }
};
} // namespace
