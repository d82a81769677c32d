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
// or one behind each pass in place of the first. With --runs again for other
// inputs, of programs that are compiled once.
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/Runner.h"

#include "mha/Execution/Inputs.h"
#include "mha/Execution/OutputFiles.h"
#include "mha/Execution/Report.h"
#include "mha/Execution/RunList.h"

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

namespace {
/// Compiles when the first run needs it, and runs any number of times.
class Session {
public:
  Session(const RunOptions &options, const EntryPoint &entry,
          const TargetCPU &cpu)
      : options(options), entry(entry), cpu(cpu) {}

  /// One run, with its report.
  llvm::Expected<RunReport> run(const RunRequest &request);

private:
  /// The files of a run's results: `--output`, `--expect`.
  using Paths = std::vector<std::string>;

  RunReport startReport(const RunRequest &request, const Inputs &inputs) const;
  llvm::Error compile();
  /// Calls the program.
  llvm::Error call(const RunSetup &setup, RunReport &report);
  /// Runs the program as each pass leaves it.
  llvm::Error runAfterEachPass(const RunSetup &setup, RunReport &report);
  /// Compares the results with all that they have to agree with.
  llvm::Error check(const RunSetup &setup, const Paths &expected,
                    RunReport &report);
  llvm::Error fillReport(const RunSetup &setup, const Paths &expected,
                         RunReport &report);
  llvm::Expected<Yardstick> measure(const RunSetup &setup);

  const RunOptions &options;
  const EntryPoint &entry;
  const TargetCPU &cpu;
  std::optional<CompiledProgram> program;
  std::optional<YardstickPrograms> yardstick;
};
} // namespace

RunReport Session::startReport(const RunRequest &request,
                               const Inputs &inputs) const {
  RunReport report;
  report.program = options.program;
  report.entry = entry.getName().str();
  report.lowering = chooseLowering(options, cpu).getName().str();
  report.run = request.place;
  report.target = cpu.name;
  report.threads = static_cast<int32_t>(options.threads);
  report.inputs = inputs.specs;
  return report;
}

llvm::Error Session::compile() {
  if (program)
    return llvm::Error::success();
  auto compiled = compileProgram(entry, chooseLowering(options, cpu), cpu);
  if (!compiled)
    return compiled.takeError();
  if (options.requireFused && failed(requireFused(compiled->lowered.attention)))
    return llvm::createStringError("not every attention is fused");
  program = std::move(*compiled);
  return llvm::Error::success();
}

llvm::Expected<Yardstick> Session::measure(const RunSetup &setup) {
  if (!yardstick) {
    auto compiled = compileYardstick(entry, cpu);
    if (!compiled)
      return compiled.takeError();
    yardstick = std::move(*compiled);
  }
  return makeYardstick(*yardstick, setup);
}

llvm::Error Session::call(const RunSetup &setup, RunReport &report) {
  if (llvm::Error error = compile())
    return error;
  auto outcome = program->call(setup);
  if (!outcome)
    return outcome.takeError();
  report.attention = {program->lowered.attention, std::move(outcome->kernels)};
  report.outcome = std::move(*outcome);
  return llvm::Error::success();
}

llvm::Error Session::runAfterEachPass(const RunSetup &setup,
                                      RunReport &report) {
  auto measured = measure(setup);
  if (!measured)
    return measured.takeError();
  auto validation =
      validatePasses(chooseLowering(options, cpu), setup, *measured);
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

llvm::Error Session::check(const RunSetup &setup, const Paths &expected,
                           RunReport &report) {
  bool compares = !options.compareWith.empty();
  if (!options.verify && !compares && expected.empty())
    return llvm::Error::success();
  auto measured = measure(setup);
  if (!measured)
    return measured.takeError();
  ArrayRef<HostTensor> results = report.outcome.results;
  if (options.verify || compares)
    checkByReference(entry, results, *measured, "", report.checks);
  if (llvm::Error error =
          checkByFiles(entry, results, *measured, expected, report.checks))
    return error;
  if (!compares)
    return llvm::Error::success();
  return checkOtherProgram(options, setup, *measured, report.checks);
}

llvm::Error Session::fillReport(const RunSetup &setup, const Paths &expected,
                                RunReport &report) {
  if (options.validateEachPass)
    return runAfterEachPass(setup, report);
  if (llvm::Error error = call(setup, report))
    return error;
  return check(setup, expected, report);
}

llvm::Expected<RunReport> Session::run(const RunRequest &request) {
  size_t numResults = entry.results.size();
  auto outputs = parseResultFiles("--output", request.outputs, numResults);
  if (!outputs)
    return outputs.takeError();
  auto expected = parseResultFiles("--expect", request.expected, numResults);
  if (!expected)
    return expected.takeError();
  auto inputs = makeInputs(entry, request.inputs);
  if (!inputs)
    return inputs.takeError();
  RunReport report = startReport(request, *inputs);
  RunSetup setup{entry,
                 inputs->values,
                 {static_cast<int32_t>(options.threads),
                  static_cast<unsigned>(options.timedCalls)},
                 cpu};
  if (llvm::Error error = fillReport(setup, *expected, report))
    return error;
  if (report.passed())
    if (llvm::Error error = writeResultFiles(*outputs, report.outcome.results))
      return error;
  return report;
}

//===----------------------------------------------------------------------===//
// All runs
//===----------------------------------------------------------------------===//

/// What --runs asks for, each with the inputs that are for all; or one run.
static llvm::Expected<std::vector<RunRequest>>
listRuns(const RunOptions &options) {
  if (options.runs.empty())
    return std::vector<RunRequest>{
        {"", options.inputs, options.outputs, options.expected}};
  auto runs = readRunList(options.runs);
  if (runs)
    for (RunRequest &run : *runs)
      run.inputs.insert(run.inputs.begin(), options.inputs.begin(),
                        options.inputs.end());
  return runs;
}

static std::string printReport(const RunReport &report, bool json) {
  std::string text;
  llvm::raw_string_ostream os(text);
  json ? printJSON(report, os) : printText(report, os);
  return text;
}

/// Runs all, and goes on behind results that are wrong.
static llvm::Error runAll(const RunOptions &options,
                          ArrayRef<RunRequest> requests, Session &session,
                          raw_ostream &os) {
  std::vector<std::string> printed;
  std::string failures;
  llvm::raw_string_ostream failed(failures);
  for (const RunRequest &request : requests) {
    auto report = session.run(request);
    if (!report && request.place.empty())
      return report.takeError();
    if (!report)
      return llvm::createStringError(request.place + ": " +
                                     llvm::toString(report.takeError()));
    printed.push_back(printReport(*report, options.json));
    if (!report->passed())
      printFailures(*report, failed);
  }
  if (options.runs.empty())
    os << printed.front();
  else
    printRuns(printed, options.json, os);
  if (failures.empty())
    return llvm::Error::success();
  os.flush();
  llvm::errs() << failures;
  return llvm::createStringError("a result is not what was expected");
}

llvm::Error mlir::mha::runProgram(const RunOptions &options,
                                  MLIRContext &context, raw_ostream &os) {
  if (llvm::Error error = checkOptions(options))
    return error;
  auto requests = listRuns(options);
  if (!requests)
    return requests.takeError();
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
  Session session(options, *entry, *cpu);
  return runAll(options, *requests, session, os);
}
