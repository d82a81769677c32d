//===- ExpandCopies.cpp - Copies between strided buffers as loops ---------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream lowers a strided memref.copy to a call of `memrefCopy`, which lives
// in a library of MLIR's own; compiled functions depend on no such library.
//
//===----------------------------------------------------------------------===//

#include "mha/Transforms/Passes.h"
#include "mha/Transforms/Transforms.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/IR/PatternMatch.h"

#define DEBUG_TYPE "mha-expand-copies"

namespace mlir::mha {
#define GEN_PASS_DEF_EXPANDCOPIESPASS
#include "mha/Transforms/Passes.h.inc"
} // namespace mlir::mha

using namespace mlir;
using namespace mlir::mha;

//===----------------------------------------------------------------------===//
// Transformation
//===----------------------------------------------------------------------===//

/// Whether upstream lowers a copy from or to `type` to a memcpy: identity
/// layout, or static strides without gaps.
static bool isContiguous(MemRefType type) {
  return type.getLayout().isIdentity() ||
         memref::isStaticShapeAndContiguousRowMajor(type);
}

LogicalResult mlir::mha::expandCopy(RewriterBase &rewriter,
                                    memref::CopyOp copy) {
  auto source = dyn_cast<MemRefType>(copy.getSource().getType());
  auto target = dyn_cast<MemRefType>(copy.getTarget().getType());
  if (!source || !target)
    return rewriter.notifyMatchFailure(copy, "an operand is unranked");
  if (isContiguous(source) && isContiguous(target))
    return rewriter.notifyMatchFailure(copy, "both sides are contiguous");
  rewriter.setInsertionPoint(copy);
  linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(),
                           copy.getTarget());
  rewriter.eraseOp(copy);
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct ExpandCopiesPass : mha::impl::ExpandCopiesPassBase<ExpandCopiesPass> {
  using ExpandCopiesPassBase::ExpandCopiesPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](memref::CopyOp copy) {
      if (succeeded(expandCopy(rewriter, copy)))
        ++numExpanded;
    });
  }
};
} // namespace
