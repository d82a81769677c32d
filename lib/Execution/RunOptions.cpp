//===- RunOptions.cpp - What a run is asked for ---------------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/RunOptions.h"

#include "llvm/ADT/Twine.h"

using namespace mlir::mha;
using llvm::StringRef;
using llvm::Twine;

static llvm::Error checkRange(StringRef option, int64_t value, int64_t low,
                              int64_t high) {
  if (value >= low && value <= high)
    return llvm::Error::success();
  return llvm::createStringError(option + ": expected a number within " +
                                 Twine(low) + ".." + Twine(high) + ", found " +
                                 Twine(value));
}

/// Behind each pass there is nothing to compare, write or time.
static llvm::Error checkValidation(const RunOptions &options) {
  std::pair<StringRef, bool> others[] = {
      {"--reference", options.reference},
      {"--compare", !options.compareWith.empty()},
      {"--expect", !options.expected.empty()},
      {"--output", !options.outputs.empty()},
      {"--bench", options.timedCalls != 0}};
  for (auto [option, isGiven] : others)
    if (isGiven)
      return llvm::createStringError(
          "expected one of --validate-each-pass and " + option +
          ", found both");
  return llvm::Error::success();
}

/// Where each run has its own, a file or another program for all is none.
static llvm::Error checkRuns(const RunOptions &options) {
  std::pair<StringRef, bool> others[] = {
      {"--validate-each-pass", options.validateEachPass},
      {"--compare", !options.compareWith.empty()},
      {"--expect", !options.expected.empty()},
      {"--output", !options.outputs.empty()}};
  for (auto [option, isGiven] : others)
    if (isGiven)
      return llvm::createStringError("expected one of --runs and " + option +
                                     ", found both");
  return llvm::Error::success();
}

llvm::Error mlir::mha::checkOptions(const RunOptions &options) {
  constexpr int64_t maxThreads = 1 << 16, maxTimedCalls = 1 << 30;
  if (llvm::Error error =
          checkRange("--threads", options.threads, 1, maxThreads))
    return error;
  if (llvm::Error error =
          checkRange("--bench", options.timedCalls, 0, maxTimedCalls))
    return error;
  if (!options.runs.empty())
    if (llvm::Error error = checkRuns(options))
      return error;
  if (options.validateEachPass)
    if (llvm::Error error = checkValidation(options))
      return error;
  if (options.reference && options.verify)
    return llvm::createStringError(
        "expected one of --reference and --verify, found both: the reference "
        "cannot be judged by itself");
  if (options.reference && !options.compareWith.empty())
    return llvm::createStringError(
        "expected one of --reference and --compare, found both");
  if (options.reference && !options.pipeline.empty())
    return llvm::createStringError(
        "expected one of --reference and --pipeline, found both");
  if (options.reference && options.requireFused)
    return llvm::createStringError(
        "expected one of --reference and --require=fused, found both: the "
        "reference fuses nothing");
  if (options.verify && !options.compareWith.empty())
    return llvm::createStringError(
        "expected one of --verify and --compare, found both: a comparison "
        "judges both programs by the reference");
  return llvm::Error::success();
}
