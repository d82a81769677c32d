//===- AllocateScratch.cpp - Scratch buffers without a workspace ----------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/IR/MHA.h"
#include "mha/Transforms/Passes.h"
#include "mha/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#define DEBUG_TYPE "mha-allocate-scratch"

namespace mlir::mha {
#define GEN_PASS_DEF_ALLOCATESCRATCHPASS
#include "mha/Transforms/Passes.h.inc"
} // namespace mlir::mha

using namespace mlir;
using namespace mlir::mha;

void mlir::mha::allocateScratch(RewriterBase &rewriter, ScratchOp scratch) {
  OpBuilder::InsertionGuard guard(rewriter);
  Block *block = scratch->getBlock();
  rewriter.setInsertionPoint(scratch);
  auto buffer = rewriter.replaceOpWithNewOp<memref::AllocOp>(
      scratch, scratch.getBuffer().getType());
  // On the heap, since a loop without a frame of its own would pile up stack.
  rewriter.setInsertionPoint(block->getTerminator());
  memref::DeallocOp::create(rewriter, buffer.getLoc(), buffer);
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct AllocateScratchPass
    : mha::impl::AllocateScratchPassBase<AllocateScratchPass> {
  using AllocateScratchPassBase::AllocateScratchPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](Operation *op) {
      if (auto scratch = dyn_cast<ScratchOp>(op)) {
        allocateScratch(rewriter, scratch);
        ++numAllocated;
      } else if (auto size = dyn_cast<ScratchSizeOp>(op)) {
        rewriter.setInsertionPoint(size);
        rewriter.replaceOpWithNewOp<arith::ConstantIntOp>(size, 0, 64);
      }
    });
  }
};
} // namespace
