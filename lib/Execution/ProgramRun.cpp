//===- ProgramRun.cpp - One run of a program ------------------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/ProgramRun.h"

using namespace mlir;
using namespace mlir::mha;

/// The arguments as a promoted function takes them.
static llvm::Expected<std::vector<HostTensor>>
promoteInputs(ArrayRef<HostTensor> inputs) {
  std::vector<HostTensor> promoted;
  for (const HostTensor &input : inputs) {
    ElementType type = isFloat(input.getElementType()) ? ElementType::F64
                                                       : input.getElementType();
    auto value = input.convertTo(type);
    if (!value)
      return value.takeError();
    promoted.push_back(std::move(*value));
  }
  return promoted;
}

llvm::Expected<std::unique_ptr<CompiledModule>>
mlir::mha::compileLowered(const LoweredProgram &lowered, CodeQuality quality,
                          const TargetCPU &cpu) {
  return CompiledModule::create(*lowered.module, quality, cpu);
}

llvm::Expected<CallOutcome>
mlir::mha::callCompiled(const CompiledModule &compiled,
                        const EntryInterface &interface,
                        const RunSetup &setup) {
  if (!interface.promoted)
    return callEntryPoint(compiled, interface, setup.entry, setup.inputs,
                          setup.call);
  auto promoted = promoteInputs(setup.inputs);
  if (!promoted)
    return promoted.takeError();
  return callEntryPoint(compiled, interface, setup.entry, *promoted,
                        setup.call);
}

llvm::Expected<CompiledProgram>
mlir::mha::compileProgram(const EntryPoint &entry, const Lowering &lowering,
                          const TargetCPU &cpu) {
  auto lowered = lowerProgram(entry, lowering);
  if (!lowered)
    return lowered.takeError();
  auto module = compileLowered(*lowered, lowering.getCodeQuality(), cpu);
  if (!module)
    return module.takeError();
  return CompiledProgram{std::move(*lowered), std::move(*module)};
}

llvm::Expected<CallOutcome> mlir::mha::lowerAndRun(const Lowering &lowering,
                                                   const RunSetup &setup) {
  auto program = compileProgram(setup.entry, lowering, setup.cpu);
  if (!program)
    return program.takeError();
  return program->call(setup);
}
