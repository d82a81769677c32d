//===- Runner.cpp - Run a program and judge its results -------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Up to four runs on the same inputs: the program itself, the program that it
// is compared with, and the two that the acceptance rule of Comparator.h needs;
// or one behind each pass in place of the first.
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/Runner.h"

#include "mha/Execution/Inputs.h"
#include "mha/Execution/OutputFiles.h"
#include "mha/Execution/Report.h"

#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::mha;

static Lowering chooseLowering(const RunOptions &options,
                               const TargetCPU &cpu) {
  if (options.reference)
    return {Lowering::Kind::Reference, "", ""};
  if (!options.pipeline.empty())
    return {Lowering::Kind::Custom, options.pipeline, cpu.name};
  return {Lowering::Kind::CPU, "", cpu.name};
}

//===----------------------------------------------------------------------===//
// Another program
//===----------------------------------------------------------------------===//

/// The entry point of the other program: of the same name where it has that,
/// else its `main` or only function.
static FailureOr<EntryPoint> findOtherEntryPoint(const Program &program,
                                                 StringRef name) {
  auto function = program.getModule().lookupSymbol<func::FuncOp>(name);
  bool sameName = function && function.isPublic() && !function.isExternal();
  return findEntryPoint(program, sameName ? name : "");
}

static llvm::Error checkOtherProgram(const RunOptions &options,
                                     const RunSetup &setup,
                                     const Yardstick &yardstick,
                                     SmallVectorImpl<ResultCheck> &checks) {
  const EntryPoint &entry = setup.entry;
  func::FuncOp function = entry.function;
  auto program = Program::read(options.compareWith, *function.getContext());
  if (!program)
    return program.takeError();
  FailureOr<EntryPoint> other = findOtherEntryPoint(**program, entry.getName());
  if (failed(other) || failed(checkSameSignature(entry, *other)))
    return llvm::createStringError("'" + options.compareWith +
                                   "' cannot be compared with '" +
                                   options.program + "'");
  RunSetup untimed{*other, setup.inputs, {setup.call.threads, 0}, setup.cpu};
  auto outcome = lowerAndRun(chooseLowering(options, setup.cpu), untimed);
  if (!outcome)
    return outcome.takeError();
  StringRef file = llvm::sys::path::filename(options.compareWith);
  checkByReference(entry, outcome->results, yardstick, (" of " + file).str(),
                   checks);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

static RunReport startReport(const RunOptions &options, const EntryPoint &entry,
                             const Inputs &inputs, const TargetCPU &cpu) {
  RunReport report;
  report.program = options.program;
  report.entry = entry.getName().str();
  report.lowering = chooseLowering(options, cpu).getName().str();
  report.target = cpu.name;
  report.threads = static_cast<int32_t>(options.threads);
  report.inputs = inputs.specs;
  return report;
}

/// Runs the program.
static llvm::Error runOnce(const RunOptions &options, const RunSetup &setup,
                           RunReport &report) {
  Lowering lowering = chooseLowering(options, setup.cpu);
  auto lowered = lowerProgram(setup.entry, lowering);
  if (!lowered)
    return lowered.takeError();
  if (options.requireFused && failed(requireFused(lowered->attention)))
    return llvm::createStringError("not every attention is fused");
  auto outcome = runLowered(*lowered, lowering.getCodeQuality(), setup);
  if (!outcome)
    return outcome.takeError();
  report.attention = {std::move(lowered->attention),
                      std::move(outcome->kernels)};
  report.outcome = std::move(*outcome);
  return llvm::Error::success();
}

/// Runs the program as each pass leaves it.
static llvm::Error runAfterEachPass(const RunOptions &options,
                                    const RunSetup &setup, RunReport &report) {
  auto yardstick = makeYardstick(setup);
  if (!yardstick)
    return yardstick.takeError();
  auto validation =
      validatePasses(chooseLowering(options, setup.cpu), setup, *yardstick);
  if (!validation)
    return validation.takeError();
  if (options.requireFused && failed(requireFused(validation->attention)))
    return llvm::createStringError("not every attention is fused");
  report.passes = std::move(validation->passes);
  report.attention = {std::move(validation->attention),
                      std::move(validation->outcome.kernels)};
  report.outcome = std::move(validation->outcome);
  return llvm::Error::success();
}

/// Runs everything that the options ask for, and fills the report.
static llvm::Error fillReport(const RunOptions &options, const RunSetup &setup,
                              ArrayRef<std::string> expectedPaths,
                              RunReport &report) {
  if (options.validateEachPass)
    return runAfterEachPass(options, setup, report);
  if (llvm::Error error = runOnce(options, setup, report))
    return error;
  bool compares = !options.compareWith.empty();
  if (!options.verify && !compares && expectedPaths.empty())
    return llvm::Error::success();

  auto yardstick = makeYardstick(setup);
  if (!yardstick)
    return yardstick.takeError();
  ArrayRef<HostTensor> results = report.outcome.results;
  if (options.verify || compares)
    checkByReference(setup.entry, results, *yardstick, "", report.checks);
  if (llvm::Error error = checkByFiles(setup.entry, results, *yardstick,
                                       expectedPaths, report.checks))
    return error;
  if (!compares)
    return llvm::Error::success();
  return checkOtherProgram(options, setup, *yardstick, report.checks);
}

llvm::Error mlir::mha::runProgram(const RunOptions &options,
                                  MLIRContext &context, raw_ostream &os) {
  if (llvm::Error error = checkOptions(options))
    return error;
  auto cpu = resolveTargetCPU(options.target, HostCPU::detect());
  if (!cpu)
    return cpu.takeError();
  auto program = Program::read(options.program, context);
  if (!program)
    return program.takeError();
  FailureOr<EntryPoint> entry =
      findEntryPoint(**program, StringRef(options.entry).ltrim('@'));
  if (failed(entry))
    return llvm::createStringError("'" + options.program + "' cannot be run");
  auto outputs =
      parseResultFiles("--output", options.outputs, entry->results.size());
  if (!outputs)
    return outputs.takeError();
  auto expected =
      parseResultFiles("--expect", options.expected, entry->results.size());
  if (!expected)
    return expected.takeError();
  auto inputs = makeInputs(*entry, options.inputs);
  if (!inputs)
    return inputs.takeError();

  RunReport report = startReport(options, *entry, *inputs, *cpu);
  RunSetup setup{*entry,
                 inputs->values,
                 {static_cast<int32_t>(options.threads),
                  static_cast<unsigned>(options.timedCalls)},
                 *cpu};
  if (llvm::Error error = fillReport(options, setup, *expected, report))
    return error;
  if (report.passed())
    if (llvm::Error error = writeResultFiles(*outputs, report.outcome.results))
      return error;
  options.json ? printJSON(report, os) : printText(report, os);
  if (report.passed())
    return llvm::Error::success();
  os.flush();
  printFailures(report, llvm::errs());
  return llvm::createStringError("a result is not what was expected");
}
