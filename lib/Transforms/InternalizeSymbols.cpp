//===- InternalizeSymbols.cpp - Hide functions that C cannot call ---------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream makes every function external, a private one with a body included.
//
//===----------------------------------------------------------------------===//

#include "mha/Transforms/Passes.h"
#include "mha/Transforms/Transforms.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#define DEBUG_TYPE "mha-internalize-symbols"

namespace mlir::mha {
#define GEN_PASS_DEF_INTERNALIZESYMBOLSPASS
#include "mha/Transforms/Passes.h.inc"
} // namespace mlir::mha

using namespace mlir;
using namespace mlir::mha;

unsigned mlir::mha::internalizeSymbols(ModuleOp module) {
  auto isCInterface = [](LLVM::LLVMFuncOp function) {
    return function.getName().starts_with("_mlir_ciface_");
  };
  auto functions = llvm::to_vector(module.getOps<LLVM::LLVMFuncOp>());
  if (llvm::none_of(functions, isCInterface))
    return 0;
  unsigned numInternalized = 0;
  for (LLVM::LLVMFuncOp function : functions) {
    if (function.isExternal() || isCInterface(function))
      continue;
    function.setLinkage(LLVM::Linkage::Internal);
    ++numInternalized;
  }
  return numInternalized;
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct InternalizeSymbolsPass
    : mha::impl::InternalizeSymbolsPassBase<InternalizeSymbolsPass> {
  using InternalizeSymbolsPassBase::InternalizeSymbolsPassBase;

  void runOnOperation() override {
    numInternalized += internalizeSymbols(getOperation());
  }
};
} // namespace
