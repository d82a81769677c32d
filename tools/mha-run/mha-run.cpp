//===- mha-run.cpp - Run and verify attention programs --------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/JIT.h"
#include "mha/Execution/Runner.h"
#include "mha/InitAll.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/Threading.h"

#include <cstdlib>

using namespace mlir;
namespace cl = llvm::cl;

namespace {
enum class Requirement { None, Fused };

/// The options, in the order of the help text.
struct CommandLine {
  cl::OptionCategory category{"mha-run options"};

  cl::opt<std::string> program{cl::Positional, cl::Required,
                               cl::desc("<program.mlir, or - for stdin>"),
                               cl::cat(category)};
  cl::opt<std::string> entry{
      "e", cl::desc("Function to run (default: main, or the only one)"),
      cl::value_desc("name"), cl::cat(category)};
  cl::list<std::string> inputs{
      "input",
      cl::desc("Values of one argument, or without a name of all others: "
               "[NAME=][SHAPExTYPE=] random[:SEED], uniform[:SEED], iota, "
               "const:V, bool:P[:SEED], int:LO:HI[:SEED], @x.npy, @x.npz "
               "(default: random:0)"),
      cl::value_desc("spec"), cl::cat(category)};
  cl::list<std::string> outputs{
      "output", cl::desc("Write a result; once for each result"),
      cl::value_desc("@y.npy"), cl::cat(category)};
  cl::list<std::string> expected{
      "expect", cl::desc("Compare a result with a file; once for each result"),
      cl::value_desc("@y.npy"), cl::cat(category)};
  cl::opt<std::string> runs{
      "runs",
      cl::desc("Run once for each line of a file, which holds the --input, "
               "--output and --expect of that run; an --input beside --runs is "
               "for all"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<bool> verify{
      "verify", cl::desc("Compare the results with the float64 reference"),
      cl::cat(category)};
  cl::opt<bool> validateEachPass{
      "validate-each-pass",
      cl::desc("Run the program as each pass leaves it, lowered by the "
               "reference, and name the first pass behind which its results "
               "are wrong"),
      cl::cat(category)};
  cl::opt<std::string> compareWith{
      "compare",
      cl::desc("Run another program on the same inputs and compare both with "
               "the float64 reference of this one"),
      cl::value_desc("other.mlir"), cl::cat(category)};
  cl::opt<bool> reference{
      "reference",
      cl::desc("Run the float64 reference; results and outputs are f64"),
      cl::cat(category)};
  cl::opt<std::string> pipeline{
      "pipeline",
      cl::desc("Passes to run; what they leave above the LLVM dialect is "
               "lowered by mha-cpu-pipeline (default: that pipeline alone)"),
      cl::value_desc("passes"), cl::cat(category)};
  cl::opt<std::string> target{
      "target",
      cl::desc("CPU to make code for: native, or another that LLVM knows and "
               "whose instructions this machine has, such as x86-64-v3 "
               "(default: native)"),
      cl::init("native"), cl::value_desc("cpu"), cl::cat(category)};
  cl::opt<Requirement> require{
      "require", cl::desc("Do not run a program that lacks this"),
      cl::values(clEnumValN(Requirement::Fused, "fused",
                            "every attention is computed by a kernel")),
      cl::cat(category)};
  cl::list<std::string> dialectPlugins{
      "load-dialect-plugin", cl::desc("Load dialects from a plugin library"),
      cl::value_desc("library"), cl::cat(category)};
  cl::list<std::string> passPlugins{
      "load-pass-plugin", cl::desc("Load passes from a plugin library"),
      cl::value_desc("library"), cl::cat(category)};
  cl::opt<int64_t> threads{
      "threads", cl::desc("Threads of the program (default: all of the CPU)"),
      cl::init(llvm::hardware_concurrency().compute_thread_count()),
      cl::value_desc("n"), cl::cat(category)};
  cl::opt<int64_t> bench{
      "bench", cl::desc("Time n calls, after one that is not counted"),
      cl::init(0), cl::value_desc("n"), cl::cat(category)};
  cl::opt<bool> json{"json", cl::desc("Print the report as a JSON object"),
                     cl::cat(category)};

  mha::RunOptions read();
};
} // namespace

mha::RunOptions CommandLine::read() {
  mha::RunOptions options;
  options.program = program;
  options.entry = entry;
  options.inputs = inputs;
  options.outputs = outputs;
  options.expected = expected;
  options.runs = runs;
  options.compareWith = compareWith;
  options.pipeline = pipeline;
  options.target = target;
  options.requireFused = require == Requirement::Fused;
  options.reference = reference;
  options.verify = verify;
  options.validateEachPass = validateEachPass;
  options.json = json;
  options.threads = threads;
  options.timedCalls = bench;
  return options;
}

static llvm::Error loadPlugins(CommandLine &commandLine,
                               DialectRegistry &registry) {
  for (const std::string &path : commandLine.dialectPlugins) {
    auto plugin = DialectPlugin::load(path);
    if (!plugin)
      return plugin.takeError();
    plugin->registerDialectRegistryCallbacks(registry);
  }
  for (const std::string &path : commandLine.passPlugins) {
    auto plugin = PassPlugin::load(path);
    if (!plugin)
      return plugin.takeError();
    plugin->registerPassRegistryCallbacks();
  }
  return llvm::Error::success();
}

static llvm::Error run(CommandLine &commandLine) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  mha::registerAllDialects(registry);
  mha::registerJITTranslations(registry);
  if (llvm::Error error = loadPlugins(commandLine, registry))
    return error;

  MLIRContext context(registry);
  // The source line says it better than the op in its generic form.
  context.printOpOnDiagnostic(false);
  // For diagnostics after parsing; the handler opens the files that it quotes.
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  return mha::runProgram(commandLine.read(), context, llvm::outs());
}

/// LLVM aborts where it cannot go on, for want of memory or of an instruction
/// that does what the program says.
[[noreturn]] static void exitOnFatalError(void *, const char *reason, bool) {
  llvm::errs() << "error: LLVM cannot go on: " << reason << "\n";
  std::exit(1);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::install_fatal_error_handler(exitOnFatalError);
  // The options that LLVM's libraries register would be options of ours, and
  // one of them is called `threads`.
  cl::ResetCommandLineParser();
  registerAllPasses();
  mha::registerAllPasses();
  registerAsmPrinterCLOptions();
  registerPassManagerCLOptions();

  CommandLine commandLine;
  cl::HideUnrelatedOptions(commandLine.category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Compiles a function on tensors, calls it, and verifies its results\n");
  if (llvm::Error error = run(commandLine)) {
    llvm::errs() << "error: " << llvm::toString(std::move(error)) << "\n";
    return 1;
  }
  return 0;
}
