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
               const RunSetup &setup);

/// Calls a compiled program. Inputs are widened where its floats are promoted.
llvm::Expected<CallOutcome> callCompiled(const CompiledModule &compiled,
                                         const EntryInterface &interface,
                                         const RunSetup &setup);

/// Compiles a lowered program and calls it.
llvm::Expected<CallOutcome> runLowered(const LoweredProgram &lowered,
                                       CodeQuality quality,
                                       const RunSetup &setup);

/// Lowers the program, compiles and calls it. Programs that others are judged
/// by are called once and compiled quickly.
llvm::Expected<CallOutcome> lowerAndRun(const Lowering &lowering,
                                        const RunSetup &setup);

} // namespace mlir::mha

#endif // MHA_EXECUTION_PROGRAMRUN_H
