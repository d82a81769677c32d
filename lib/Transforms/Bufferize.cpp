//===- Bufferize.cpp - From tensors to memrefs ----------------------------===//
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

#include "mha/Transforms/Passes.h"
#include "mha/Transforms/Transforms.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/Bufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#define DEBUG_TYPE "mha-bufferize"

namespace mlir::mha {
#define GEN_PASS_DEF_BUFFERIZEPASS
#include "mha/Transforms/Passes.h.inc"
} // namespace mlir::mha

using namespace mlir;
using namespace mlir::bufferization;
using namespace mlir::mha;

/// A caller outside of the module keeps what it passes, unless the function
/// says otherwise.
static void protectArguments(func::FuncOp function) {
  StringRef name = BufferizationDialect::kWritableAttrName;
  Builder builder(function.getContext());
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes()))
    if (isa<TensorType>(type) && !function.getArgAttr(number, name))
      function.setArgAttr(number, name, builder.getBoolAttr(false));
}

/// Upstream leaves some, declarations' among them.
static void removeBufferizationAttributes(func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    for (StringRef name : {BufferizationDialect::kBufferLayoutAttrName,
                           BufferizationDialect::kWritableAttrName,
                           BufferizationDialect::kBufferAccessAttrName})
      function.removeArgAttr(i, name);
}

static OneShotBufferizationOptions getOptions() {
  OneShotBufferizationOptions options;
  options.bufferizeFunctionBoundaries = true;
  // The only layout that every call site can be cast to: with any other one a
  // call site would have to copy.
  options.setFunctionBoundaryTypeConversion(
      LayoutMapOption::FullyDynamicLayoutMap);
  options.allowReturnAllocsFromLoops = true;
  return options;
}

FailureOr<BufferizationStatistics> mlir::mha::bufferize(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      protectArguments(function);
  OneShotBufferizationOptions options = getOptions();
  BufferizationState state;
  BufferizationStatistics statistics;
  if (failed(runOneShotModuleBufferize(module, options, state, &statistics)))
    return failure();
  for (auto function : module.getOps<func::FuncOp>())
    removeBufferizationAttributes(function);
  return statistics;
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct BufferizePass : mha::impl::BufferizePassBase<BufferizePass> {
  using BufferizePassBase::BufferizePassBase;

  void runOnOperation() override {
    FailureOr<BufferizationStatistics> statistics = bufferize(getOperation());
    if (failed(statistics))
      return signalPassFailure();
    numAllocated = statistics->numBufferAlloc;
    numOutOfPlace = statistics->numTensorOutOfPlace;
  }
};
} // namespace
