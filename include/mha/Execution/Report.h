//===- Report.h - What a run says -------------------------------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_EXECUTION_REPORT_H
#define MHA_EXECUTION_REPORT_H

#include "mha/Execution/AttentionSummary.h"
#include "mha/Execution/PassValidation.h"
#include "mha/Execution/ResultChecks.h"

namespace mlir::mha {

struct RunReport {
  std::string program;
  std::string entry;
  std::string lowering;
  /// `FILE:LINE` of `--runs`; empty for an only run.
  std::string run;
  /// The CPU that the code is for, by LLVM's name.
  std::string target;
  int32_t threads = 1;
  /// `q=2x3xf32=random:0`, one for each argument.
  SmallVector<std::string> inputs;
  CallOutcome outcome;
  SmallVector<ResultCheck> checks;
  AttentionSummary attention;
  /// What was found behind each pass, if that was asked for.
  std::vector<ValidatedPass> passes;

  bool passed() const;
};

/// For people: a line for each input, result and check; the line about
/// attention comes last.
/// Where runs are several, an array of what `printJSON` gives for each.
void printRuns(ArrayRef<std::string> reports, bool json, raw_ostream &os);
void printText(const RunReport &report, raw_ostream &os);
/// For programs: one object. Numbers that JSON does not have are strings.
void printJSON(const RunReport &report, raw_ostream &os);
/// A sentence for each check that failed.
void printFailures(const RunReport &report, raw_ostream &os);

} // namespace mlir::mha

#endif // MHA_EXECUTION_REPORT_H
