//===- Lowering.h - From a program to the LLVM dialect ----------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_EXECUTION_LOWERING_H
#define MHA_EXECUTION_LOWERING_H

#include "mha/Execution/AttentionSummary.h"
#include "mha/Execution/EntryInterface.h"
#include "mha/Execution/JIT.h"

#include "mlir/Pass/PassManager.h"

namespace mlir::mha {

/// Which passes take a program to the LLVM dialect.
struct Lowering {
  enum class Kind {
    /// `mha-cpu-pipeline`.
    CPU,
    /// `mha-reference-pipeline`: nothing fused, in f64.
    Reference,
    /// The same in the declared types.
    Naive,
    /// `passes`, completed by `mha-cpu-pipeline` where they stop before the
    /// LLVM dialect.
    Custom
  };
  Kind kind = Kind::CPU;
  /// Of a custom lowering: a pass pipeline for a module, with or without
  /// `builtin.module(...)` around it.
  std::string passes;
  /// The CPU that `mha-cpu-pipeline` plans for, by LLVM's name.
  std::string cpu;

  /// For reports.
  StringRef getName() const;
  /// Little for programs that others are judged by.
  CodeQuality getCodeQuality() const;
};

struct LoweredProgram {
  OwningOpRef<ModuleOp> module;
  EntryInterface interface;
  /// What became of each attention.
  SmallVector<AttentionSite> attention;
};

/// Runs the passes on a copy of the entry point's module that has no other
/// entry point and nothing that this one does not need. Fails when a pass
/// does (it has said why), when `passes` are no pipeline, and when they leave
/// the entry point with another signature.
llvm::Expected<LoweredProgram> lowerProgram(const EntryPoint &entry,
                                            const Lowering &lowering);

//===----------------------------------------------------------------------===//
// The steps of it
//===----------------------------------------------------------------------===//

/// A copy of the entry point's module that has no other entry point and nothing
/// that this one does not need.
llvm::Expected<OwningOpRef<ModuleOp>>
isolateEntryPoint(const EntryPoint &entry);

/// The passes of `lowering`, without what completes custom ones.
llvm::Expected<OpPassManager> buildPasses(const Lowering &lowering);

/// Runs `passes`, named `what`, with the options of the command line.
llvm::Error runPasses(ModuleOp module, const Twine &what, OpPassManager passes);

/// Reads how to call a module that has been lowered to the LLVM dialect.
llvm::Expected<LoweredProgram> readLoweredProgram(OwningOpRef<ModuleOp> module,
                                                  const EntryPoint &entry);

} // namespace mlir::mha

#endif // MHA_EXECUTION_LOWERING_H
