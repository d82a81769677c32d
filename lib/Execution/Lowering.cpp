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

CodeQuality Lowering::getCodeQuality() const {
  bool isYardstick = kind == Kind::Reference || kind == Kind::Naive;
  return isYardstick ? CodeQuality::Quick : CodeQuality::Fast;
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

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

static OpPassManager buildCPUPasses(StringRef cpu) {
  OpPassManager passes(ModuleOp::getOperationName());
  CPUPipelineOptions options;
  options.cpu = cpu.str();
  buildCPUPipeline(passes, options);
  return passes;
}

static OpPassManager buildReferencePasses(bool promote) {
  OpPassManager passes(ModuleOp::getOperationName());
  ReferencePipelineOptions options;
  options.promote = promote;
  buildReferencePipeline(passes, options);
  return passes;
}

llvm::Expected<OpPassManager> mlir::mha::buildPasses(const Lowering &lowering) {
  switch (lowering.kind) {
  case Lowering::Kind::CPU:
    return buildCPUPasses(lowering.cpu);
  case Lowering::Kind::Reference:
    return buildReferencePasses(/*promote=*/true);
  case Lowering::Kind::Naive:
    return buildReferencePasses(/*promote=*/false);
  case Lowering::Kind::Custom:
    break;
  }
  OpPassManager passes(ModuleOp::getOperationName());
  if (llvm::Error error = parsePasses(lowering.passes, passes))
    return error;
  return passes;
}

llvm::Error mlir::mha::runPasses(ModuleOp module, const Twine &what,
                                 OpPassManager passes) {
  PassManager manager(module.getContext());
  // Fails only where the tool has not registered these options.
  (void)applyPassManagerCLOptions(manager);
  static_cast<OpPassManager &>(manager) = std::move(passes);
  if (failed(manager.run(module)))
    return llvm::createStringError(what + " failed");
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

llvm::Expected<OwningOpRef<ModuleOp>>
mlir::mha::isolateEntryPoint(const EntryPoint &entry) {
  func::FuncOp source = entry.function;
  OwningOpRef<ModuleOp> module = source->getParentOfType<ModuleOp>().clone();
  // One that cannot be compiled is no reason not to run this one.
  for (auto function : module->getOps<func::FuncOp>())
    if (function.getName() != entry.getName())
      function.setPrivate();
  OpPassManager passes(ModuleOp::getOperationName());
  passes.addPass(createSymbolDCEPass());
  if (llvm::Error error = runPasses(*module, "symbol-dce", std::move(passes)))
    return error;
  return module;
}

/// Completes what custom passes have left, where they have kept to the rules.
static llvm::Error completeCustom(ModuleOp module, const EntryPoint &entry,
                                  StringRef cpu) {
  if (failed(readPromotion(module, entry)))
    return llvm::createStringError("the result of the pipeline cannot be run");
  if (isCompiled(module, entry))
    return llvm::Error::success();
  return runPasses(module, "mha-cpu-pipeline", buildCPUPasses(cpu));
}

llvm::Expected<LoweredProgram>
mlir::mha::readLoweredProgram(OwningOpRef<ModuleOp> module,
                              const EntryPoint &entry) {
  // What is missing is said below.
  FailureOr<bool> promoted = false;
  if (isCompiled(*module, entry))
    promoted = readPromotion(*module, entry);
  FailureOr<EntryInterface> interface;
  if (succeeded(promoted))
    interface = readEntryInterface(*module, entry, *promoted);
  if (failed(interface))
    return llvm::createStringError("the result of the pipeline cannot be run");
  LoweredProgram program;
  program.module = std::move(module);
  program.interface = *interface;
  return program;
}

llvm::Expected<LoweredProgram>
mlir::mha::lowerProgram(const EntryPoint &entry, const Lowering &lowering) {
  auto passes = buildPasses(lowering);
  if (!passes)
    return passes.takeError();
  auto module = isolateEntryPoint(entry);
  if (!module)
    return module.takeError();
  bool isCustom = lowering.kind == Lowering::Kind::Custom;
  AttentionRemarks remarks(*module->get()->getContext());
  if (llvm::Error error =
          runPasses(**module, isCustom ? "the pipeline" : lowering.getName(),
                    std::move(*passes)))
    return error;
  if (isCustom)
    if (llvm::Error error = completeCustom(**module, entry, lowering.cpu))
      return error;
  auto program = readLoweredProgram(std::move(*module), entry);
  if (program)
    program->attention = remarks.getSites();
  return program;
}
