//===- RunOptions.h - What a run is asked for -------------------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_EXECUTION_RUNOPTIONS_H
#define MHA_EXECUTION_RUNOPTIONS_H

#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mlir::mha {

/// What `mha-run` was asked for. Strings are as on the command line.
struct RunOptions {
  /// The program; `-` is the standard input.
  std::string program;
  /// The function; empty means `main`, or the only one.
  std::string entry;
  std::vector<std::string> inputs;
  /// `@y.npy`, one for each result or none at all.
  std::vector<std::string> outputs, expected;
  /// A file with further `inputs`, `outputs` and `expected` of each of several
  /// runs; empty means one run.
  std::string runs;
  /// Another program whose results have to be right for this one.
  std::string compareWith;
  /// Passes in place of `mha-cpu-pipeline`; empty means that pipeline.
  std::string pipeline;
  /// The CPU that code is made for: `native`, or LLVM's name of another one.
  std::string target = "native";
  /// Run by the reference pipeline, in f64.
  bool reference = false;
  /// Do not run a program with an attention that no kernel computes.
  bool requireFused = false;
  /// Judge the results by the reference.
  bool verify = false;
  /// Judge the program behind each pass by the reference.
  bool validateEachPass = false;
  bool json = false;
  int64_t threads = 1;
  /// Timed calls; 0 for none.
  int64_t timedCalls = 0;
};

/// Fails for numbers out of range and for options that exclude each other.
llvm::Error checkOptions(const RunOptions &options);

} // namespace mlir::mha

#endif // MHA_EXECUTION_RUNOPTIONS_H
