//===- Report.cpp - What a run says ---------------------------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/Report.h"

#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace mlir::mha;

bool RunReport::passed() const {
  return explainFailure(passes).empty() &&
         llvm::all_of(checks, [](const ResultCheck &check) {
           return check.comparison.passed;
         });
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

namespace {
/// What one line can tell of an array.
struct ValueSummary {
  explicit ValueSummary(const HostTensor &tensor) {
    double sum = 0;
    for (int64_t i = 0, e = tensor.getNumElements(); i != e; ++i) {
      double value = tensor.getDouble(i);
      numNaN += std::isnan(value);
      numInfinite += std::isinf(value);
      if (!std::isfinite(value))
        continue;
      min = numFinite == 0 ? value : std::min(min, value);
      max = numFinite == 0 ? value : std::max(max, value);
      sum += value;
      ++numFinite;
    }
    if (numFinite != 0)
      mean = sum / numFinite;
  }

  /// Over the finite elements; without any they mean nothing.
  double min = 0, max = 0, mean = 0;
  int64_t numFinite = 0, numNaN = 0, numInfinite = 0;
};
} // namespace

static llvm::format_object<double> shortNumber(double value) {
  return llvm::format("%.4g", value);
}

static void printValues(const HostTensor &tensor, raw_ostream &os) {
  constexpr int64_t maxValues = 4;
  if (tensor.getNumElements() == 0) {
    os << "no elements";
    return;
  }
  ValueSummary summary(tensor);
  if (summary.numFinite != 0)
    os << "min " << shortNumber(summary.min) << ", max "
       << shortNumber(summary.max) << ", mean " << shortNumber(summary.mean)
       << ", ";
  if (summary.numNaN != 0)
    os << summary.numNaN << " NaN, ";
  if (summary.numInfinite != 0)
    os << summary.numInfinite << " infinite, ";
  os << "values";
  int64_t shown = std::min(maxValues, tensor.getNumElements());
  for (int64_t i = 0; i < shown; ++i)
    os << " " << shortNumber(tensor.getDouble(i));
  if (shown < tensor.getNumElements())
    os << " ...";
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// `result 0 (2x3xf32) of B.mlir`.
static void printResultName(const RunReport &report, const ResultCheck &check,
                            raw_ostream &os) {
  os << "result " << check.result << " ("
     << report.outcome.results[check.result].typeToString() << ")"
     << check.subject;
}

/// `verified, max error A <= B`, or what failed.
static void printComparison(const Comparison &comparison, StringRef success,
                            raw_ostream &os) {
  // A failure of another condition than the largest error.
  if (!comparison.passed && !(comparison.maxError > comparison.maxBound)) {
    os << "FAILED, " << comparison.reason << "\n";
    return;
  }
  os << (comparison.passed ? success : "FAILED") << ", max error "
     << llvm::format("%.3g", comparison.maxError)
     << (comparison.passed ? " <= " : " > ")
     << llvm::format("%.3g", comparison.maxBound) << "\n";
}

static void printCheck(const RunReport &report, const ResultCheck &check,
                       raw_ostream &os) {
  printResultName(report, check, os);
  os << ": ";
  printComparison(check.comparison, check.success, os);
}

/// `pass 7 cse: verified, max error A <= B`.
static void printPass(const ValidatedPass &pass, size_t index,
                      raw_ostream &os) {
  if (index == 0)
    os << "program: ";
  else
    os << "pass " << index << " " << pass.pass << ": ";
  if (const ResultCheck *worst = pass.findWorst())
    return printComparison(worst->comparison, toString(pass.outcome), os);
  os << (pass.outcome == ValidatedPass::Outcome::Failed
             ? StringRef("FAILED")
             : toString(pass.outcome));
  if (!pass.reason.empty())
    os << ", " << pass.reason;
  os << "\n";
}

static void printTimes(const RunReport &report, raw_ostream &os) {
  SmallVector<double> times(report.outcome.milliseconds);
  if (times.empty())
    return;
  llvm::sort(times);
  size_t half = times.size() / 2;
  double median =
      times.size() % 2 == 1 ? times[half] : (times[half - 1] + times[half]) / 2;
  os << "time: best " << shortNumber(times.front()) << " ms, median "
     << shortNumber(median) << " ms of " << times.size() << " calls, "
     << report.threads << " threads\n";
}

void mlir::mha::printText(const RunReport &report, raw_ostream &os) {
  os << "@" << report.entry << " of " << report.program << ", by "
     << report.lowering;
  if (!report.run.empty())
    os << ", for " << report.run;
  os << "\n";
  for (const std::string &input : report.inputs)
    os << "input " << input << "\n";
  for (auto [index, pass] : llvm::enumerate(report.passes))
    printPass(pass, index, os);
  for (auto [index, result] : llvm::enumerate(report.outcome.results)) {
    os << "result " << index << " (" << result.typeToString() << "): ";
    printValues(result, os);
    os << "\n";
  }
  for (const ResultCheck &check : report.checks)
    printCheck(report, check, os);
  printTimes(report, os);
  os << report.attention.toLine() << "\n";
}

void mlir::mha::printFailures(const RunReport &report, raw_ostream &os) {
  std::string wrongPass = explainFailure(report.passes);
  if (!wrongPass.empty())
    os << "error: " << wrongPass << "\n";
  for (const ResultCheck &check : report.checks) {
    if (check.comparison.passed)
      continue;
    os << "error: ";
    if (!report.run.empty())
      os << report.run << ": ";
    printResultName(report, check, os);
    os << " is not what was expected: " << check.comparison.reason << "\n";
  }
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static llvm::json::Value toJSON(double value) {
  if (std::isfinite(value))
    return value;
  if (std::isnan(value))
    return "nan";
  return value > 0 ? "inf" : "-inf";
}

/// Names and paths may hold any bytes, JSON only UTF-8.
static llvm::json::Value toJSON(StringRef text) {
  return llvm::json::fixUTF8(text);
}

static llvm::json::Object toJSON(const ResultCheck &check) {
  const Comparison &comparison = check.comparison;
  llvm::json::Object object{{"check", toJSON(check.success + check.subject)},
                            {"passed", comparison.passed},
                            {"error", toJSON(comparison.maxError)},
                            {"bound", toJSON(comparison.maxBound)},
                            {"mean_error", toJSON(comparison.meanError)},
                            {"mean_bound", toJSON(comparison.meanBound)},
                            {"reason", toJSON(comparison.reason)}};
  if (comparison.hasFirstDifference)
    object["first_difference"] = llvm::json::Object{
        {"index", llvm::json::Array(comparison.firstDifference)},
        {"expected", toJSON(comparison.expected)},
        {"found", toJSON(comparison.found)}};
  return object;
}

static llvm::json::Object toJSON(const ValidatedPass &pass) {
  llvm::json::Array checks;
  for (const ResultCheck &check : pass.checks)
    checks.push_back(toJSON(check));
  return llvm::json::Object{{"pass", toJSON(pass.pass)},
                            {"outcome", toString(pass.outcome)},
                            {"reason", toJSON(pass.reason)},
                            {"checks", std::move(checks)}};
}

static llvm::json::Object toJSON(const RunReport &report, unsigned index) {
  const HostTensor &tensor = report.outcome.results[index];
  ValueSummary summary(tensor);
  llvm::json::Object object{{"shape", llvm::json::Array(tensor.getShape())},
                            {"dtype", toString(tensor.getElementType())},
                            {"num_nan", summary.numNaN},
                            {"num_infinite", summary.numInfinite}};
  if (summary.numFinite != 0) {
    object["min"] = summary.min;
    object["max"] = summary.max;
    object["mean"] = toJSON(summary.mean);
  }
  llvm::json::Array checks;
  // The one to look at: the first that failed, else the first.
  const Comparison *decisive = nullptr;
  for (const ResultCheck &check : report.checks) {
    if (check.result != index)
      continue;
    checks.push_back(toJSON(check));
    if (!decisive || (decisive->passed && !check.comparison.passed))
      decisive = &check.comparison;
  }
  if (decisive) {
    object["passed"] = decisive->passed;
    object["error"] = toJSON(decisive->maxError);
    object["bound"] = toJSON(decisive->maxBound);
  }
  object["checks"] = std::move(checks);
  return object;
}

void mlir::mha::printJSON(const RunReport &report, raw_ostream &os) {
  llvm::json::Array results;
  for (unsigned index = 0; index < report.outcome.results.size(); ++index)
    results.push_back(toJSON(report, index));
  llvm::json::Array inputs;
  for (StringRef input : report.inputs)
    inputs.push_back(toJSON(input));
  llvm::json::Object object{
      {"program", toJSON(report.program)},
      {"entry", toJSON(report.entry)},
      {"path", toJSON(report.lowering)},
      {"target", toJSON(report.target)},
      {"threads", report.threads},
      {"inputs", std::move(inputs)},
      {"results", std::move(results)},
      {"passed", report.passed()},
      {"times_ms", llvm::json::Array(report.outcome.milliseconds)},
      {"peak_bytes", report.outcome.peakBytes},
      {"alloc_calls", report.outcome.allocations},
      {"attention", report.attention.toJSON()}};
  if (!report.run.empty())
    object["run"] = toJSON(report.run);
  if (!report.passes.empty()) {
    llvm::json::Array passes;
    for (const ValidatedPass &pass : report.passes)
      passes.push_back(toJSON(pass));
    object["passes"] = std::move(passes);
  }
  os << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))) << "\n";
}

void mlir::mha::printRuns(ArrayRef<std::string> reports, bool json,
                          raw_ostream &os) {
  if (!json) {
    llvm::interleave(reports, os, "\n");
    return;
  }
  os << "[\n";
  llvm::interleave(
      reports, os,
      [&](const std::string &report) { os << StringRef(report).rtrim(); },
      ",\n");
  os << "\n]\n";
}
