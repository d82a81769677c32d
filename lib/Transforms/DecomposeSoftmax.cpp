//===- DecomposeSoftmax.cpp - linalg.softmax as its parts -----------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream has the decomposition as an interface method and no pass for it.
//
//===----------------------------------------------------------------------===//

#include "mha/Transforms/Passes.h"
#include "mha/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

#define DEBUG_TYPE "mha-decompose-softmax"

namespace mlir::mha {
#define GEN_PASS_DEF_DECOMPOSESOFTMAXPASS
#include "mha/Transforms/Passes.h.inc"
} // namespace mlir::mha

using namespace mlir;
using namespace mlir::mha;

//===----------------------------------------------------------------------===//
// Transformation
//===----------------------------------------------------------------------===//

LogicalResult mlir::mha::decomposeSoftmax(RewriterBase &rewriter,
                                          linalg::SoftmaxOp softmax) {
  if (!softmax.hasPureTensorSemantics())
    return rewriter.notifyMatchFailure(softmax, "upstream decomposes softmax "
                                                "on tensors only");
  if (!isa<FloatType>(softmax.getInputOperandType().getElementType()))
    return rewriter.notifyMatchFailure(softmax, "upstream decomposes softmax "
                                                "on floats only");
  rewriter.setInsertionPoint(softmax);
  FailureOr<SmallVector<Value>> parts = softmax.decomposeOperation(rewriter);
  assert(succeeded(parts) &&
         "upstream decomposes softmax on tensors of floats");
  rewriter.replaceOp(softmax, *parts);
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct DecomposeSoftmaxPass
    : mha::impl::DecomposeSoftmaxPassBase<DecomposeSoftmaxPass> {
  using DecomposeSoftmaxPassBase::DecomposeSoftmaxPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](linalg::SoftmaxOp softmax) {
      if (succeeded(decomposeSoftmax(rewriter, softmax)))
        ++numDecomposed;
    });
  }
};
} // namespace
