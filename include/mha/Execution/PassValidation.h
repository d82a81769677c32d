//===- PassValidation.h - The first wrong pass ------------------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_EXECUTION_PASSVALIDATION_H
#define MHA_EXECUTION_PASSVALIDATION_H

#include "mha/Execution/ResultChecks.h"

namespace mlir::mha {

/// The program behind one pass, completed by the reference lowering and run.
struct ValidatedPass {
  enum class Outcome {
    /// The pass left the program as it was.
    Unchanged,
    /// All results are within their bounds.
    Verified,
    /// A result is not, or the call was refused, or it wrote beside a buffer.
    Failed,
    /// The reference lowering, or the compiler, did not get through.
    NotCompleted
  };

  /// As on a command line; empty for the program itself.
  std::string pass;
  Outcome outcome = Outcome::Unchanged;
  /// Why it failed or was not completed.
  std::string reason;
  /// Of each result that could be compared.
  SmallVector<ResultCheck> checks;

  /// The check to look at: the first that failed, else the one that comes
  /// closest to its bound; null without checks.
  const ResultCheck *findWorst() const;
};

/// `unchanged`, `verified`, `failed`, `not completed`.
StringRef toString(ValidatedPass::Outcome outcome);

struct PassValidation {
  /// The program as it was read, then each pass of the pipeline in order.
  std::vector<ValidatedPass> passes;
  /// Of the last run.
  CallOutcome outcome;
  /// What the passes say of attention.
  SmallVector<AttentionSite> attention;
};

/// Runs the passes of `lowering` one by one. After each that changes the
/// program a copy is completed (buildCompletionPipeline), run, and judged by
/// the acceptance rule. A pass is what stands at the top level of the
/// pipeline's text, with what is nested in it. Fails when a pass does, and
/// where a pass cannot be run by itself.
llvm::Expected<PassValidation> validatePasses(const Lowering &lowering,
                                              const RunSetup &setup,
                                              const Yardstick &yardstick);

/// The sentence about the first pass that `passes` finds wrong, or about a
/// pipeline whose end could not be judged; empty when all is right.
std::string explainFailure(ArrayRef<ValidatedPass> passes);

} // namespace mlir::mha

#endif // MHA_EXECUTION_PASSVALIDATION_H
