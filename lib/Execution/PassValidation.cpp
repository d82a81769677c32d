//===- PassValidation.cpp - The first wrong pass --------------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/PassValidation.h"

#include "mha/Execution/AttentionRemarks.h"
#include "mha/IR/MHA.h"
#include "mha/Pipelines/Pipelines.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::mha;
using Outcome = ValidatedPass::Outcome;

StringRef mlir::mha::toString(Outcome outcome) {
  switch (outcome) {
  case Outcome::Unchanged:
    return "unchanged";
  case Outcome::Verified:
    return "verified";
  case Outcome::Failed:
    return "failed";
  case Outcome::NotCompleted:
    return "not completed";
  }
  llvm_unreachable("an outcome without a name");
}

const ResultCheck *ValidatedPass::findWorst() const {
  const ResultCheck *worst = nullptr;
  // Errors of 0 are within bounds of 0.
  auto getShare = [](const Comparison &comparison) {
    return comparison.maxError == 0 ? 0
                                    : comparison.maxError / comparison.maxBound;
  };
  for (const ResultCheck &check : checks) {
    if (!check.comparison.passed)
      return &check;
    if (!worst || getShare(check.comparison) > getShare(worst->comparison))
      worst = &check;
  }
  return worst;
}

//===----------------------------------------------------------------------===//
// Passes as text
//===----------------------------------------------------------------------===//

static std::string printPass(Pass &pass) {
  std::string text;
  llvm::raw_string_ostream os(text);
  pass.printAsTextualPipeline(os);
  return text;
}

/// The passes that `text` names, or why there are none.
static llvm::Expected<OpPassManager> parsePass(StringRef text) {
  OpPassManager passes(ModuleOp::getOperationName());
  std::string message;
  llvm::raw_string_ostream os(message);
  if (failed(parsePassPipeline(text, passes, os)))
    return llvm::createStringError("--validate-each-pass: expected passes that "
                                   "can be run by their text, found '" +
                                   text + "': " + StringRef(message).rtrim());
  return passes;
}

/// The text of a single pass as the pass itself prints it, if there is one.
static std::string reprint(StringRef text) {
  auto passes = parsePass(text);
  if (!passes) {
    llvm::consumeError(passes.takeError());
    return "";
  }
  return passes->size() == 1 ? printPass(*passes->begin()) : "";
}

/// `option=value ...` of `pass{option=value ...}`.
static SmallVector<StringRef> splitOptions(StringRef text) {
  SmallVector<StringRef> options;
  StringRef inner = text.split('{').second;
  inner.consume_back("}");
  inner.split(options, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return options;
}

/// The text without the options that have their defaults.
static std::string shortenText(StringRef text) {
  StringRef name = text.split('{').first;
  SmallVector<StringRef> options = splitOptions(text);
  std::string byDefault = reprint(name);
  llvm::erase_if(options, [defaults = splitOptions(byDefault)](StringRef o) {
    return llvm::is_contained(defaults, o);
  });
  std::string shorter = name.str();
  if (!options.empty())
    shorter += "{" + llvm::join(options, " ") + "}";
  // Options may nest, and then they were not split where they should be.
  return reprint(shorter) == text ? shorter : text.str();
}

//===----------------------------------------------------------------------===//
// One state of the program
//===----------------------------------------------------------------------===//

namespace {
/// Keeps the first error that is said while it lives, in place of printing it.
class FirstError {
public:
  explicit FirstError(MLIRContext &context)
      : handler(&context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
              text.empty())
            text = diagnostic.str() + " at " +
                   printPlace(diagnostic.getLocation());
          return success();
        }) {}

  /// What was said, behind what failed.
  std::string explain(llvm::Error error) const {
    std::string what = llvm::toString(std::move(error));
    return text.empty() ? what : what + ": " + text;
  }

private:
  std::string text;
  ScopedDiagnosticHandler handler;
};
} // namespace

/// A copy of `module` in the LLVM dialect.
static llvm::Expected<LoweredProgram> completeProgram(ModuleOp module,
                                                      const RunSetup &setup) {
  OwningOpRef<ModuleOp> copy = module.clone();
  // Without the options of the command line: they are about the program's own
  // passes.
  PassManager completion(module.getContext());
  buildCompletionPipeline(completion, *copy);
  if (failed(completion.run(*copy)))
    return llvm::createStringError("the reference lowering failed");
  return readLoweredProgram(std::move(copy), setup.entry);
}

namespace {
/// Judges states of one program.
class Judge {
public:
  Judge(const RunSetup &setup, const Yardstick &yardstick)
      : setup(setup), yardstick(yardstick) {}

  /// Completes, runs and judges `module`, which `pass` has left.
  ValidatedPass judge(ModuleOp module, std::string pass);

  CallOutcome takeLastOutcome() { return std::move(lastOutcome); }

private:
  const RunSetup &setup;
  const Yardstick &yardstick;
  CallOutcome lastOutcome;
};
} // namespace

ValidatedPass Judge::judge(ModuleOp module, std::string pass) {
  ValidatedPass validated;
  validated.pass = std::move(pass);
  FirstError firstError(*module.getContext());
  auto giveUp = [&](Outcome outcome, llvm::Error error) {
    validated.outcome = outcome;
    validated.reason = firstError.explain(std::move(error));
    return validated;
  };

  auto lowered = completeProgram(module, setup);
  if (!lowered)
    return giveUp(Outcome::NotCompleted, lowered.takeError());
  auto compiled = compileLowered(*lowered, CodeQuality::Quick, setup.cpu);
  if (!compiled)
    return giveUp(Outcome::NotCompleted, compiled.takeError());
  auto outcome = callCompiled(**compiled, lowered->interface, setup);
  if (!outcome)
    return giveUp(Outcome::Failed, outcome.takeError());
  lastOutcome = std::move(*outcome);
  checkByReference(setup.entry, lastOutcome.results, yardstick, "",
                   validated.checks);
  const ResultCheck *worst = validated.findWorst();
  bool passed = !worst || worst->comparison.passed;
  validated.outcome = passed ? Outcome::Verified : Outcome::Failed;
  if (!passed)
    validated.reason =
        ("result " + Twine(worst->result) +
         " is not what was expected: " + worst->comparison.reason)
            .str();
  return validated;
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

/// Runs one pass; whether it has changed the module.
static llvm::Expected<bool> runPass(ModuleOp module, StringRef text,
                                    SmallVectorImpl<AttentionSite> &attention) {
  auto passes = parsePass(text);
  if (!passes)
    return passes.takeError();
  OperationFingerPrint before(module);
  AttentionRemarks remarks(*module.getContext());
  if (llvm::Error error =
          runPasses(module, "the pass " + text, std::move(*passes)))
    return error;
  llvm::append_range(attention, remarks.getSites());
  return before != OperationFingerPrint(module);
}

/// Attention that no pass has lowered has no remark either.
static void collectLeftovers(ModuleOp module,
                             SmallVectorImpl<AttentionSite> &attention) {
  module.walk([&](AttentionOp op) {
    attention.push_back({op.getLoc(), /*fused=*/false,
                         "the passes leave it to the reference lowering", ""});
  });
}

llvm::Expected<PassValidation>
mlir::mha::validatePasses(const Lowering &lowering, const RunSetup &setup,
                          const Yardstick &yardstick) {
  auto passes = buildPasses(lowering);
  if (!passes)
    return passes.takeError();
  auto module = isolateEntryPoint(setup.entry);
  if (!module)
    return module.takeError();

  PassValidation validation;
  Judge judge(setup, yardstick);
  validation.passes.push_back(judge.judge(**module, /*pass=*/""));
  for (Pass &pass : passes->getPasses()) {
    std::string text = printPass(pass);
    auto changed = runPass(**module, text, validation.attention);
    if (!changed)
      return changed.takeError();
    ValidatedPass unchanged;
    unchanged.pass = shortenText(text);
    validation.passes.push_back(*changed ? judge.judge(**module, unchanged.pass)
                                         : std::move(unchanged));
  }
  collectLeftovers(**module, validation.attention);
  validation.outcome = judge.takeLastOutcome();
  return validation;
}

/// `pass 7, 'cse'`, or the program itself.
static std::string namePass(ArrayRef<ValidatedPass> passes, size_t index) {
  if (index == 0)
    return "the program itself";
  return "pass " + std::to_string(index) + ", '" + passes[index].pass + "'";
}

std::string mlir::mha::explainFailure(ArrayRef<ValidatedPass> passes) {
  // Between it and the first wrong one, all is as good or could not be judged.
  size_t lastRight = 0;
  bool isJudged = true;
  for (auto [index, pass] : llvm::enumerate(passes)) {
    switch (pass.outcome) {
    case Outcome::Unchanged:
      break;
    case Outcome::Verified:
      isJudged = true;
      lastRight = index;
      break;
    case Outcome::NotCompleted:
      isJudged = false;
      break;
    case Outcome::Failed:
      std::string text =
          "the first wrong results are behind " + namePass(passes, index);
      if (!isJudged)
        text += " (the last that could be judged before is " +
                namePass(passes, lastRight) + ")";
      return text + ": " + pass.reason;
    }
  }
  if (isJudged)
    return "";
  return "the program could not be judged at the end of the pipeline: the last "
         "that could is behind " +
         namePass(passes, lastRight);
}
