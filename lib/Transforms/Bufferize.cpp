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

namespace {
/// A result of an entry point, as its source counts them, in the memory of an
/// argument.
struct Donation {
  unsigned result, argument;
};
} // namespace

static SmallVector<Donation> listDonations(func::FuncOp function) {
  SmallVector<Donation> donations;
  for (auto [result, donor] : llvm::enumerate(getDonors(function)))
    if (donor)
      donations.push_back({static_cast<unsigned>(result), *donor});
  return donations;
}

/// Whether `returnOp` returns, behind a status, what it has computed in donated
/// arguments. Diagnoses a result that lies elsewhere.
static LogicalResult verifyInPlace(func::ReturnOp returnOp,
                                   ArrayRef<Donation> donations) {
  auto function = returnOp->getParentOfType<func::FuncOp>();
  for (auto [value, donation] :
       llvm::zip_equal(returnOp.getOperands().drop_front(), donations))
    if (!isBufferOf(value, function.getArgument(donation.argument)))
      return function.emitError()
             << "expected result " << donation.result
             << " in the memory of argument " << donation.argument
             << ", which is donated for it";
  return success();
}

/// Removes from a wrapped entry point, which returns a status, the results that
/// it has computed in donated arguments.
static LogicalResult dropDonatedResults(func::FuncOp function) {
  SmallVector<Donation> donations = listDonations(function);
  if (donations.empty())
    return success();
  if (function.getNumResults() != donations.size() + 1)
    return function.emitError()
           << "expected a status and the results of " << donations.size()
           << " donated arguments, found " << function.getNumResults()
           << " results";
  if (!SymbolTable::symbolKnownUseEmpty(function,
                                        function->getParentOfType<ModuleOp>()))
    return function.emitError()
           << "expected no calls inside of the module of '"
           << function.getName() << "', which has donated arguments";
  SmallVector<func::ReturnOp> returnOps(function.getOps<func::ReturnOp>());
  for (func::ReturnOp returnOp : returnOps)
    if (failed(verifyInPlace(returnOp, donations)))
      return failure();
  for (func::ReturnOp returnOp : returnOps)
    returnOp->setOperands(returnOp.getOperand(0));
  BitVector dropped(function.getNumResults(), true);
  dropped.reset(0);
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

/// Whether results of some entry point take the memory of arguments.
static bool hasDonors(ModuleOp module) {
  return llvm::any_of(module.getOps<func::FuncOp>(), [](func::FuncOp function) {
    return function->hasAttr(kEntryTypeAttrName) &&
           !listDonations(function).empty();
  });
}

/// Says what upstream's refusal of a write that has to be in place means for
/// donated arguments, which such writes are for.
static void explainConflict(Diagnostic &diagnostic) {
  if (StringRef(diagnostic.str()).contains("cannot avoid RaW conflict"))
    diagnostic.attachNote()
        << "results are written into their donated arguments in place, without "
           "the copy that an argument needs which a loop carries, or which is "
           "read behind the write";
}

FailureOr<BufferizationStatistics> mlir::mha::bufferize(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      protectArguments(function);
  OneShotBufferizationOptions options = getOptions();
  BufferizationState state;
  BufferizationStatistics statistics;
  bool explains = hasDonors(module);
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &what) {
    if (explains)
      explainConflict(what);
    // Not handled: the handlers before this one report it.
    return failure();
  });
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
