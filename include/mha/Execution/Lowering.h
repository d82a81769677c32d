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

} // namespace mlir::mha

#endif // MHA_EXECUTION_LOWERING_H
