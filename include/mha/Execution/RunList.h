//===- RunList.h - Several runs of one program ------------------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file of `--runs`: on each line the `--input`, `--output` and `--expect`
// of one run, quoted as a shell would. Empty lines and lines that begin with
// `#` say nothing.
//
//===----------------------------------------------------------------------===//

#ifndef MHA_EXECUTION_RUNLIST_H
#define MHA_EXECUTION_RUNLIST_H

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace mlir::mha {

struct RunRequest {
  /// `FILE:LINE`; empty for the run that the command line asks for.
  std::string place;
  std::vector<std::string> inputs, outputs, expected;
};

/// The runs of a file, at least one. Fails for other options, and for two
/// results that are to be written to one file.
llvm::Expected<std::vector<RunRequest>> readRunList(llvm::StringRef path);

} // namespace mlir::mha

#endif // MHA_EXECUTION_RUNLIST_H
