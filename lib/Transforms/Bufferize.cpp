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

#include "mha/IR/MHA.h"
#include "mha/Transforms/Passes.h"
#include "mha/Transforms/Transforms.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/Bufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"

#include <map>

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
    for (StringRef name :
         {StringRef(BufferizationDialect::kBufferLayoutAttrName),
          StringRef(BufferizationDialect::kWritableAttrName),
          StringRef(BufferizationDialect::kBufferAccessAttrName),
          StringRef(kDonatedAttrName)})
      function.removeArgAttr(i, name);
}

/// Whether `value` is the buffer that `argument` was passed in.
static bool isBufferOf(Value value, BlockArgument argument) {
  if (auto cast = value.getDefiningOp<memref::CastOp>())
    return isBufferOf(cast.getSource(), argument);
  if (auto ifOp = value.getDefiningOp<scf::IfOp>()) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    return isBufferOf(ifOp.thenYield().getOperand(number), argument) &&
           isBufferOf(ifOp.elseYield().getOperand(number), argument);
  }
  return value == argument;
}

/// Removes from a wrapped entry point, which returns a status, the results that
/// it has computed in donated arguments. Diagnoses one that lies elsewhere.
static LogicalResult dropDonatedResults(func::FuncOp function) {
  std::map<unsigned, unsigned> donors;
  for (unsigned number = 0; number < function.getNumArguments(); ++number)
    if (std::optional<unsigned> result = getDonatedResult(function, number))
      donors[*result] = number;
  auto returnOp = cast<func::ReturnOp>(function.back().getTerminator());
  BitVector dropped(function.getNumResults());
  for (auto [position, donor] : llvm::enumerate(donors)) {
    auto [result, argument] = donor;
    if (!isBufferOf(returnOp.getOperand(position + 1),
                    function.getArgument(argument)))
      return function.emitError()
             << "expected result " << result << " in the memory of argument "
             << argument << ", which is donated for it";
    dropped.set(position + 1);
  }
  if (donors.empty())
    return success();
  if (!SymbolTable::symbolKnownUseEmpty(function,
                                        function->getParentOfType<ModuleOp>()))
    return function.emitError()
           << "expected no calls inside of the module of '"
           << function.getName() << "', which has donated arguments";
  returnOp->eraseOperands(dropped);
  return function.eraseResults(dropped);
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

/// Says what upstream's refusal of a write that has to be in place means for
/// donated arguments, which such writes are for.
static LogicalResult explainConflict(Diagnostic &diagnostic) {
  if (StringRef(diagnostic.str()).contains("cannot avoid RaW conflict"))
    diagnostic.attachNote()
        << "a result takes the memory of its donated argument when all results "
           "are computed; a result that is still the value of that argument "
           "would be lost";
  // Not handled: the handlers before this one report it.
  return failure();
}

FailureOr<BufferizationStatistics> mlir::mha::bufferize(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      protectArguments(function);
  OneShotBufferizationOptions options = getOptions();
  BufferizationState state;
  BufferizationStatistics statistics;
  ScopedDiagnosticHandler handler(module.getContext(), explainConflict);
  if (failed(runOneShotModuleBufferize(module, options, state, &statistics)))
    return failure();
  for (auto function : module.getOps<func::FuncOp>()) {
    bool isEntry = function->hasAttr(kEntryTypeAttrName);
    if (isEntry && !function.isExternal() &&
        failed(dropDonatedResults(function)))
      return failure();
    removeBufferizationAttributes(function);
  }
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
