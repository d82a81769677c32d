//===- Runner.cpp - Run a program and judge its results -------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Up to four runs on the same inputs: the program itself, the program that it
// is compared with, and the two that the acceptance rule of Comparator.h needs.
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/Runner.h"

#include "mha/Execution/Inputs.h"
#include "mha/Execution/Npy.h"
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
// One run
//===----------------------------------------------------------------------===//

/// The arguments as a promoted function takes them.
static llvm::Expected<std::vector<HostTensor>>
promoteInputs(ArrayRef<HostTensor> inputs) {
  std::vector<HostTensor> promoted;
  for (const HostTensor &input : inputs) {
    ElementType type = isFloat(input.getElementType()) ? ElementType::F64
                                                       : input.getElementType();
    auto value = input.convertTo(type);
    if (!value)
      return value.takeError();
    promoted.push_back(std::move(*value));
  }
  return promoted;
}

static llvm::Expected<CallOutcome>
callLowered(const LoweredProgram &lowered, CodeQuality quality,
            const EntryPoint &entry, ArrayRef<HostTensor> inputs,
            const CallOptions &callOptions, const TargetCPU &cpu) {
  auto compiled = CompiledModule::create(*lowered.module, quality, cpu);
  if (!compiled)
    return compiled.takeError();
  if (!lowered.interface.promoted)
    return callEntryPoint(**compiled, lowered.interface, entry, inputs,
                          callOptions);
  auto promoted = promoteInputs(inputs);
  if (!promoted)
    return promoted.takeError();
  return callEntryPoint(**compiled, lowered.interface, entry, *promoted,
                        callOptions);
}

static llvm::Expected<CallOutcome> execute(const EntryPoint &entry,
                                           const Lowering &lowering,
                                           ArrayRef<HostTensor> inputs,
                                           const CallOptions &callOptions,
                                           const TargetCPU &cpu) {
  auto lowered = lowerProgram(entry, lowering);
  if (!lowered)
    return lowered.takeError();
  bool isYardstick = lowering.kind == Lowering::Kind::Reference ||
                     lowering.kind == Lowering::Kind::Naive;
  return callLowered(*lowered,
                     isYardstick ? CodeQuality::Quick : CodeQuality::Fast,
                     entry, inputs, callOptions, cpu);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

namespace {
/// What the acceptance rule measures results with: r and n of Comparator.h.
struct Yardstick {
  std::vector<HostTensor> reference, naive;
};
} // namespace

static llvm::Expected<Yardstick> makeYardstick(const EntryPoint &entry,
                                               ArrayRef<HostTensor> inputs,
                                               const CallOptions &options,
                                               const TargetCPU &cpu) {
  CallOptions untimed{options.threads, 0};
  auto reference =
      execute(entry, {Lowering::Kind::Reference, "", ""}, inputs, untimed, cpu);
  if (!reference)
    return reference.takeError();
  auto naive =
      execute(entry, {Lowering::Kind::Naive, "", ""}, inputs, untimed, cpu);
  if (!naive)
    return naive.takeError();
  return Yardstick{std::move(reference->results), std::move(naive->results)};
}

/// Judges `results` by the reference.
static void checkByReference(const EntryPoint &entry,
                             ArrayRef<HostTensor> results,
                             const Yardstick &yardstick, StringRef subject,
                             SmallVectorImpl<ResultCheck> &checks) {
  for (auto [index, declared, result, reference, naive] : llvm::enumerate(
           entry.results, results, yardstick.reference, yardstick.naive))
    checks.push_back(
        {static_cast<unsigned>(index), subject.str(), "verified",
         compareOutput(result, reference, naive, declared.type.elementType,
                       declared.axisNames)});
}

/// Judges `results` by files, if there are any, within what the reference says
/// of rounding.
static llvm::Error checkByFiles(const EntryPoint &entry,
                                ArrayRef<HostTensor> results,
                                const Yardstick &yardstick,
                                ArrayRef<std::string> paths,
                                SmallVectorImpl<ResultCheck> &checks) {
  if (paths.empty())
    return llvm::Error::success();
  for (auto [index, declared, result, reference, naive, path] :
       llvm::enumerate(entry.results, results, yardstick.reference,
                       yardstick.naive, paths)) {
    DeclaredType type{declared.type.elementType,
                      SmallVector<int64_t>(result.getShape())};
    auto expected = readNpy(path, type);
    if (!expected)
      return expected.takeError();
    checks.push_back(
        {static_cast<unsigned>(index), "",
         ("as in " + llvm::sys::path::filename(path)).str(),
         compareExpected(result, *expected, naive, reference,
                         declared.type.elementType, declared.axisNames)});
  }
  return llvm::Error::success();
}

/// The entry point of the other program: of the same name where it has that,
/// else its `main` or only function.
static FailureOr<EntryPoint> findOtherEntryPoint(const Program &program,
                                                 StringRef name) {
  auto function = program.getModule().lookupSymbol<func::FuncOp>(name);
  bool sameName = function && function.isPublic() && !function.isExternal();
  return findEntryPoint(program, sameName ? name : "");
}

static llvm::Error
checkOtherProgram(const RunOptions &options, const EntryPoint &entry,
                  const Inputs &inputs, const Yardstick &yardstick,
                  const TargetCPU &cpu, SmallVectorImpl<ResultCheck> &checks) {
  func::FuncOp function = entry.function;
  auto program = Program::read(options.compareWith, *function.getContext());
  if (!program)
    return program.takeError();
  FailureOr<EntryPoint> other = findOtherEntryPoint(**program, entry.getName());
  if (failed(other) || failed(checkSameSignature(entry, *other)))
    return llvm::createStringError("'" + options.compareWith +
                                   "' cannot be compared with '" +
                                   options.program + "'");
  CallOptions callOptions{static_cast<int32_t>(options.threads), 0};
  auto outcome = execute(*other, chooseLowering(options, cpu), inputs.values,
                         callOptions, cpu);
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

/// Runs everything that the options ask for, and fills the report.
static llvm::Error fillReport(const RunOptions &options,
                              const EntryPoint &entry, const Inputs &inputs,
                              ArrayRef<std::string> expectedPaths,
                              const TargetCPU &cpu, RunReport &report) {
  CallOptions callOptions{static_cast<int32_t>(options.threads),
                          static_cast<unsigned>(options.timedCalls)};
  auto lowered = lowerProgram(entry, chooseLowering(options, cpu));
  if (!lowered)
    return lowered.takeError();
  if (options.requireFused && failed(requireFused(lowered->attention)))
    return llvm::createStringError("not every attention is fused");
  auto outcome = callLowered(
      *lowered, options.reference ? CodeQuality::Quick : CodeQuality::Fast,
      entry, inputs.values, callOptions, cpu);
  if (!outcome)
    return outcome.takeError();
  report.attention = {std::move(lowered->attention),
                      std::move(outcome->kernels)};
  report.outcome = std::move(*outcome);
  bool compares = !options.compareWith.empty();
  if (!options.verify && !compares && expectedPaths.empty())
    return llvm::Error::success();

  auto yardstick = makeYardstick(entry, inputs.values, callOptions, cpu);
  if (!yardstick)
    return yardstick.takeError();
  ArrayRef<HostTensor> results = report.outcome.results;
  if (options.verify || compares)
    checkByReference(entry, results, *yardstick, "", report.checks);
  if (llvm::Error error = checkByFiles(entry, results, *yardstick,
                                       expectedPaths, report.checks))
    return error;
  if (!compares)
    return llvm::Error::success();
  return checkOtherProgram(options, entry, inputs, *yardstick, cpu,
                           report.checks);
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
  if (llvm::Error error =
          fillReport(options, *entry, *inputs, *expected, *cpu, report))
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
