//===- Runner.h - Run a program and judge its results -----------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_EXECUTION_RUNNER_H
#define MHA_EXECUTION_RUNNER_H

#include "mha/Execution/RunOptions.h"

#include "mlir/Support/LLVM.h"

namespace mlir {
class MLIRContext;

namespace mha {

/// Runs the program and prints the report to `os`. Output files are written at
/// the end, when everything else has succeeded. Fails for whatever is wrong
/// with options, files and programs (diagnostics with a place have been
/// emitted), and when a result is not what was expected (the report has been
/// printed).
llvm::Error runProgram(const RunOptions &options, MLIRContext &context,
                       raw_ostream &os);

} // namespace mha
} // namespace mlir

#endif // MHA_EXECUTION_RUNNER_H
