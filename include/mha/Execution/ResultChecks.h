//===- ResultChecks.h - Results held to the reference -----------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_EXECUTION_RESULTCHECKS_H
#define MHA_EXECUTION_RESULTCHECKS_H

#include "mha/Execution/Comparator.h"
#include "mha/Execution/ProgramRun.h"

namespace mlir::mha {

/// A comparison of one result.
struct ResultCheck {
  unsigned result;
  /// ` of B.mlir` where the result is not that of the program itself.
  std::string subject;
  /// What is said when it passed: `verified`, `as in y.npy`.
  std::string success;
  Comparison comparison;
};

/// What the acceptance rule measures results with: r and n of Comparator.h.
struct Yardstick {
  std::vector<HostTensor> reference, naive;
};

/// The program with nothing fused, as r and as n are computed.
struct YardstickPrograms {
  CompiledProgram reference, naive;
};

llvm::Expected<YardstickPrograms> compileYardstick(const EntryPoint &entry,
                                                   const TargetCPU &cpu);

/// Calls both programs, untimed.
llvm::Expected<Yardstick> makeYardstick(const YardstickPrograms &programs,
                                        const RunSetup &setup);

/// Judges `results` by the reference.
void checkByReference(const EntryPoint &entry, ArrayRef<HostTensor> results,
                      const Yardstick &yardstick, StringRef subject,
                      SmallVectorImpl<ResultCheck> &checks);

/// Judges `results` by the files of `paths`, one for each if there are any,
/// within what the reference says of rounding.
llvm::Error checkByFiles(const EntryPoint &entry, ArrayRef<HostTensor> results,
                         const Yardstick &yardstick,
                         ArrayRef<std::string> paths,
                         SmallVectorImpl<ResultCheck> &checks);

} // namespace mlir::mha

#endif // MHA_EXECUTION_RESULTCHECKS_H
