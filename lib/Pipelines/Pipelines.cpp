//===- Pipelines.cpp - The pass pipelines of mha --------------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Pipelines/Pipelines.h"

#include "mha/Conversion/Passes.h"
#include "mha/IR/MHA.h"
#include "mha/Transforms/Passes.h"
#include "mha/Transforms/Transforms.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/BufferizationToMemRef/BufferizationToMemRef.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::mha;

/// Folds what is constant and removes what is not used.
static void addCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

/// One function for each entry point.
static void addInlining(OpPassManager &pm) {
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  addCleanup(pm);
}

/// Entry points with their final signature; sizes resolved to those of the
/// arguments.
static void addEntryPoints(OpPassManager &pm) {
  pm.addPass(createInlinerPass());
  pm.addPass(createDecomposeLayerPass());
  pm.addPass(createWrapEntryPointsPass());
  addCleanup(pm);
  addInlining(pm);
}

/// Attention by its definition, and ops of other dialects in the same form.
static void addDefinitions(OpPassManager &pm, bool unscheduledOnly) {
  ConvertMHAToLinalgPassOptions options;
  options.unscheduledOnly = unscheduledOnly;
  pm.addPass(createConvertMHAToLinalgPass(options));
  pm.addPass(createDecomposeSoftmaxPass());
  pm.addPass(createConvertElementwiseToLinalgPass());
  addCleanup(pm);
}

/// Attention that has no schedule, a block of queries and keys at a time.
static void addGeneralPath(OpPassManager &pm, int64_t blockQ, int64_t blockK) {
  TileAttentionPassOptions tiles;
  tiles.tileSizes = {1, 1, 1, blockQ, 0};
  tiles.unscheduledOnly = true;
  pm.addPass(createTileAttentionPass(tiles));
  ConvertToOnlinePassOptions online;
  online.unscheduledOnly = true;
  // Rows in f64 are computed as the reference does.
  online.keepF64 = true;
  pm.addPass(createConvertToOnlinePass(online));
  pm.addPass(createTileKeysPass({blockK}));
  addCleanup(pm);
}

/// From tensors to buffers that nobody frees.
static void addBuffers(OpPassManager &pm) {
  pm.addPass(createAddDestinationsPass());
  pm.addPass(createPlaceResultsPass());
  pm.addPass(createBufferizePass());
  addCleanup(pm);
  pm.addPass(createSpecializeLayoutsPass());
  addCleanup(pm);
}

static void addDeallocation(OpPassManager &pm) {
  bufferization::buildBufferDeallocationPipeline(
      pm, bufferization::BufferDeallocationPipelineOptions());
  pm.addPass(createConvertBufferizationToMemRefPass());
}

static void addBufferization(OpPassManager &pm) {
  addBuffers(pm);
  addDeallocation(pm);
}

/// Scheduled attention on memrefs to vector code of kernels.
static void addKernels(OpPassManager &pm) {
  pm.addPass(createOutlineKernelsPass());
  pm.addPass(createTileAttentionPass());
  addCleanup(pm);
  pm.addPass(createConvertMHAToVectorPass());
  addCleanup(pm);
}

/// Arithmetic of f16 and bf16 in f32, and conversions that `cpu` has no
/// instruction for as integer arithmetic.
static void addNarrowFloats(OpPassManager &pm, StringRef cpu) {
  arith::ArithEmulateUnsupportedFloatsOptions emulation;
  emulation.sourceTypeStrs = {"f16", "bf16"};
  pm.addPass(arith::createArithEmulateUnsupportedFloats(emulation));
  pm.addPass(createExpandFloatConversionsPass({cpu.str()}));
}

static void addLowerToLLVM(OpPassManager &pm, StringRef cpu = "") {
  pm.addPass(createOutlineParallelPass());
  pm.addPass(createExpandCopiesPass());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  pm.addPass(createConvertVectorToSCFPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createExpandDynamicReshapesPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  addCleanup(pm);
  addNarrowFloats(pm, cpu);
  pm.addPass(arith::createArithExpandOpsPass());
  // The defaults go through single elements.
  ConvertVectorToLLVMPassOptions vectorOptions;
  vectorOptions.vectorContractLowering =
      vector::VectorContractLowering::OuterProduct;
  vectorOptions.vectorTransposeLowering =
      vector::VectorTransposeLowering::Shuffle16x16;
  pm.addPass(createConvertVectorToLLVMPass(vectorOptions));
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  // Allocation goes through symbols that a runner can count and guard.
  FinalizeMemRefToLLVMConversionPassOptions memrefOptions;
  memrefOptions.useGenericFunctions = true;
  pm.addPass(createFinalizeMemRefToLLVMConversionPass(memrefOptions));
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createVerifyLoweredPass());
  pm.addPass(createInternalizeSymbolsPass());
}

void mlir::mha::buildCPUPipeline(OpPassManager &pm,
                                 const CPUPipelineOptions &options) {
  addEntryPoints(pm);
  if (options.kernels)
    pm.addPass(createAssignSchedulePass({options.cpu}));
  addGeneralPath(pm, options.blockQ, options.blockK);
  addDefinitions(pm, /*unscheduledOnly=*/true);
  addBufferization(pm);
  addKernels(pm);
  addLowerToLLVM(pm, options.cpu);
}

void mlir::mha::buildReferencePipeline(
    OpPassManager &pm, const ReferencePipelineOptions &options) {
  if (options.promote)
    pm.addPass(createPromoteFloatsPass());
  addEntryPoints(pm);
  addDefinitions(pm, /*unscheduledOnly=*/false);
  addBufferization(pm);
  addLowerToLLVM(pm);
}

//===----------------------------------------------------------------------===//
// Completion
//===----------------------------------------------------------------------===//

namespace {
/// What a module has been through.
struct LoweringState {
  explicit LoweringState(ModuleOp module);

  /// Entry points have their final signature.
  bool isWrapped = false;
  bool hasTensors = false;
  bool hasAllocations = false;
  /// The deallocation pipeline has been there, if only half way.
  bool hasDeallocations = false;

  /// Freeing is still to come, for what is there and for what is added.
  bool needsDeallocation() const {
    return hasTensors || (hasAllocations && !hasDeallocations);
  }
};
} // namespace

static bool isOnTensors(Operation *op) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  if (auto function = dyn_cast<FunctionOpInterface>(op))
    if (llvm::any_of(function.getArgumentTypes(), isTensor))
      return true;
  return llvm::any_of(op->getOperandTypes(), isTensor) ||
         llvm::any_of(op->getResultTypes(), isTensor);
}

LoweringState::LoweringState(ModuleOp module) {
  module.walk([&](Operation *op) {
    isWrapped |= op->hasAttr(kEntryTypeAttrName);
    hasTensors |= isOnTensors(op);
    hasAllocations |= isa<memref::AllocOp>(op);
    hasDeallocations |= isa<memref::DeallocOp, bufferization::DeallocOp>(op);
  });
  // A wrapper writes its results as tensors, scalars included.
  hasTensors |= !isWrapped;
}

/// Attention on memrefs whose temporaries no deallocation pipeline will free,
/// and what one that was left half way has not lowered.
static void addDefinitionsOnBuffers(OpPassManager &pm) {
  ConvertMHAToLinalgPassOptions options;
  options.freeTemporaries = true;
  pm.addPass(createConvertMHAToLinalgPass(options));
  pm.addPass(bufferization::createLowerDeallocationsPass());
  pm.addPass(createConvertBufferizationToMemRefPass());
}

void mlir::mha::buildCompletionPipeline(OpPassManager &pm, ModuleOp module) {
  LoweringState state(module);
  if (!state.isWrapped)
    addEntryPoints(pm);
  else if (state.hasTensors)
    addInlining(pm);
  if (state.needsDeallocation()) {
    addDefinitions(pm, /*unscheduledOnly=*/false);
    if (state.hasTensors)
      addBuffers(pm);
    addDeallocation(pm);
  } else {
    addDefinitionsOnBuffers(pm);
  }
  pm.addPass(createForallToForLoopPass());
  pm.addPass(createAllocateScratchPass());
  addLowerToLLVM(pm);
}

void mlir::mha::registerPipelines() {
  PassPipelineRegistration<CPUPipelineOptions>(
      "mha-cpu-pipeline",
      "Compile a module of functions on tensors to the LLVM dialect for a CPU",
      buildCPUPipeline);
  PassPipelineRegistration<ReferencePipelineOptions>(
      "mha-reference-pipeline",
      "Compile a module of functions on tensors to the LLVM dialect, unfused "
      "and in f64",
      buildReferencePipeline);
}
