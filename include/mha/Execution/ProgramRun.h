//===- ProgramRun.h - One run of a program ----------------------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_EXECUTION_PROGRAMRUN_H
#define MHA_EXECUTION_PROGRAMRUN_H

#include "mha/Execution/Invocation.h"

namespace mlir::mha {

/// What is the same for all runs that are compared with each other.
struct RunSetup {
  const EntryPoint &entry;
  ArrayRef<HostTensor> inputs;
  CallOptions call;
  TargetCPU cpu;
};

/// Compiles a lowered program.
llvm::Expected<std::unique_ptr<CompiledModule>>
compileLowered(const LoweredProgram &lowered, CodeQuality quality,
               const TargetCPU &cpu);

/// Calls a compiled program. Inputs are widened where its floats are promoted.
llvm::Expected<CallOutcome> callCompiled(const CompiledModule &compiled,
                                         const EntryInterface &interface,
                                         const RunSetup &setup);

/// A program that can be called any number of times.
struct CompiledProgram {
  LoweredProgram lowered;
  std::unique_ptr<CompiledModule> module;

  llvm::Expected<CallOutcome> call(const RunSetup &setup) const {
    return callCompiled(*module, lowered.interface, setup);
  }
};

/// Lowers and compiles the program; quickly, where others are judged by it.
llvm::Expected<CompiledProgram> compileProgram(const EntryPoint &entry,
                                               const Lowering &lowering,
                                               const TargetCPU &cpu);

/// Compiles the program and calls it.
llvm::Expected<CallOutcome> lowerAndRun(const Lowering &lowering,
                                        const RunSetup &setup);

} // namespace mlir::mha

#endif // MHA_EXECUTION_PROGRAMRUN_H
