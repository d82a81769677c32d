//===- Lowering.cpp - From a program to the LLVM dialect ------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/Lowering.h"

#include "mha/Execution/AttentionRemarks.h"
#include "mha/Pipelines/Pipelines.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::mha;

StringRef Lowering::getName() const {
  switch (kind) {
  case Kind::CPU:
    return "mha-cpu-pipeline";
  case Kind::Reference:
    return "mha-reference-pipeline";
  case Kind::Naive:
    return "mha-reference-pipeline{promote-floats=false}";
  case Kind::Custom:
    return passes;
  }
  llvm_unreachable("a kind without a name");
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

/// Fails when a pass does.
static llvm::Error runPasses(ModuleOp module, const Twine &what,
                             llvm::function_ref<void(PassManager &)> build) {
  PassManager passes(module.getContext());
  // Fails only where the tool has not registered these options.
  (void)applyPassManagerCLOptions(passes);
  build(passes);
  if (failed(passes.run(module)))
    return llvm::createStringError(what + " failed");
  return llvm::Error::success();
}

/// Leaves the functions that the entry point calls, and no other entry point:
/// one that cannot be compiled is no reason not to run this one.
static llvm::Error isolateEntryPoint(ModuleOp module, const EntryPoint &entry) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function.getName() != entry.getName())
      function.setPrivate();
  return runPasses(module, "symbol-dce", [](PassManager &passes) {
    passes.addPass(createSymbolDCEPass());
  });
}

static llvm::Error runCPUPipeline(ModuleOp module, StringRef cpu) {
  CPUPipelineOptions options;
  options.cpu = cpu.str();
  return runPasses(module, "mha-cpu-pipeline", [&](PassManager &passes) {
    buildCPUPipeline(passes, options);
  });
}

static llvm::Error runReferencePipeline(ModuleOp module, bool promote) {
  ReferencePipelineOptions options;
  options.promote = promote;
  return runPasses(module, "mha-reference-pipeline", [&](PassManager &passes) {
    buildReferencePipeline(passes, options);
  });
}

/// Parses `text`, with or without the `builtin.module(...)` around it.
static llvm::Error parsePasses(StringRef text, OpPassManager &passes) {
  StringRef inner = text.trim();
  if (inner.consume_front("builtin.module(") && !inner.consume_back(")"))
    inner = text;
  std::string message;
  llvm::raw_string_ostream os(message);
  if (succeeded(parsePassPipeline(inner, passes, os)))
    return llvm::Error::success();
  return llvm::createStringError("--pipeline=" + text + ": " +
                                 StringRef(message).rtrim());
}

static llvm::Error runCustomPasses(ModuleOp module, StringRef text) {
  OpPassManager parsed(ModuleOp::getOperationName());
  if (llvm::Error error = parsePasses(text, parsed))
    return error;
  return runPasses(module, "the pipeline", [&](PassManager &passes) {
    static_cast<OpPassManager &>(passes) = std::move(parsed);
  });
}

static llvm::Expected<bool> runCustom(ModuleOp module, const EntryPoint &entry,
                                      const Lowering &lowering) {
  if (llvm::Error error = runCustomPasses(module, lowering.passes))
    return error;
  FailureOr<bool> promoted = readPromotion(module, entry);
  if (failed(promoted))
    return llvm::createStringError("the result of the pipeline cannot be run");
  if (!isCompiled(module, entry))
    if (llvm::Error error = runCPUPipeline(module, lowering.cpu))
      return error;
  return *promoted;
}

/// Whether the floats of the result are promoted.
static llvm::Expected<bool> runLowering(ModuleOp module,
                                        const EntryPoint &entry,
                                        const Lowering &lowering) {
  auto orPromoted = [](llvm::Error error,
                       bool promoted) -> llvm::Expected<bool> {
    if (error)
      return error;
    return promoted;
  };
  switch (lowering.kind) {
  case Lowering::Kind::CPU:
    return orPromoted(runCPUPipeline(module, lowering.cpu), false);
  case Lowering::Kind::Reference:
    return orPromoted(runReferencePipeline(module, /*promote=*/true), true);
  case Lowering::Kind::Naive:
    return orPromoted(runReferencePipeline(module, /*promote=*/false), false);
  case Lowering::Kind::Custom:
    return runCustom(module, entry, lowering);
  }
  llvm_unreachable("a kind without passes");
}

llvm::Expected<LoweredProgram>
mlir::mha::lowerProgram(const EntryPoint &entry, const Lowering &lowering) {
  func::FuncOp source = entry.function;
  LoweredProgram program;
  program.module = source->getParentOfType<ModuleOp>().clone();
  if (llvm::Error error = isolateEntryPoint(*program.module, entry))
    return error;
  AttentionRemarks remarks(*program.module->getContext());
  auto promoted = runLowering(*program.module, entry, lowering);
  if (!promoted)
    return promoted.takeError();
  program.attention = remarks.getSites();
  FailureOr<EntryInterface> interface =
      readEntryInterface(*program.module, entry, *promoted);
  if (failed(interface))
    return llvm::createStringError("the result of the pipeline cannot be run");
  program.interface = *interface;
  return program;
}
