//===- VerifyLowered.cpp - Refuse what has not been lowered ---------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes of upstream leave what they do not know, without a word; translation
// to LLVM IR would then name a dialect interface instead of the op.
//
//===----------------------------------------------------------------------===//

#include "mha/Transforms/Passes.h"
#include "mha/Transforms/Transforms.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#define DEBUG_TYPE "mha-verify-lowered"

namespace mlir::mha {
#define GEN_PASS_DEF_VERIFYLOWEREDPASS
#include "mha/Transforms/Passes.h.inc"
} // namespace mlir::mha

using namespace mlir;
using namespace mlir::mha;

/// The first op that is not lowered, inner ones first; if possible one with a
/// location, which what a parser has added to an op has not.
static Operation *findUnlowered(ModuleOp module) {
  Operation *found = nullptr;
  module.walk([&](Operation *op) {
    if (isa<ModuleOp>(op) ||
        isa_and_present<LLVM::LLVMDialect>(op->getDialect()))
      return WalkResult::advance();
    if (isa<UnknownLoc>(op->getLoc())) {
      found = found ? found : op;
      return WalkResult::advance();
    }
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

LogicalResult mlir::mha::verifyLowered(ModuleOp module) {
  Operation *op = findUnlowered(module);
  if (!op)
    return success();
  return op->emitError()
         << "expected every op to be lowered to the LLVM dialect, found '"
         << op->getName() << "'";
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct VerifyLoweredPass : mha::impl::VerifyLoweredPassBase<VerifyLoweredPass> {
  using VerifyLoweredPassBase::VerifyLoweredPassBase;

  void runOnOperation() override {
    if (failed(verifyLowered(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
