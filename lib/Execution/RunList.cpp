//===- RunList.cpp - Several runs of one program --------------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/RunList.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir::mha;
using llvm::StringRef;
using llvm::Twine;

static llvm::Error addOption(StringRef text, RunRequest &run) {
  std::pair<StringRef, std::vector<std::string> &> lists[] = {
      {"--input=", run.inputs},
      {"--output=", run.outputs},
      {"--expect=", run.expected}};
  for (auto &[option, values] : lists) {
    StringRef value = text;
    if (value.consume_front(option)) {
      values.push_back(value.str());
      return llvm::Error::success();
    }
  }
  return llvm::createStringError(
      run.place + ": expected --input=, --output= or --expect=, found '" +
      text + "'");
}

static llvm::Expected<RunRequest> parseRun(StringRef line, std::string place) {
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::SmallVector<const char *> options;
  llvm::cl::TokenizeGNUCommandLine(line, saver, options);
  RunRequest run;
  run.place = std::move(place);
  for (StringRef option : options)
    if (llvm::Error error = addOption(option, run))
      return error;
  return run;
}

/// A second run would write over what the first one has written.
static llvm::Error checkOutputs(const RunRequest &run,
                                llvm::StringSet<> &seen) {
  for (StringRef output : run.outputs)
    if (!seen.insert(output).second)
      return llvm::createStringError(
          run.place + ": expected a file for each result, found '" + output +
          "' twice");
  return llvm::Error::success();
}

llvm::Expected<std::vector<RunRequest>> mlir::mha::readRunList(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (std::error_code code = buffer.getError())
    return llvm::createStringError("--runs: cannot read '" + path +
                                   "': " + code.message());
  std::vector<RunRequest> runs;
  llvm::StringSet<> outputs;
  StringRef file = llvm::sys::path::filename(path);
  for (llvm::line_iterator line(**buffer), end; line != end; ++line) {
    if (line->trim().empty() || line->ltrim().starts_with("#"))
      continue;
    auto run = parseRun(*line, (file + ":" + Twine(line.line_number())).str());
    if (!run)
      return run.takeError();
    if (llvm::Error error = checkOutputs(*run, outputs))
      return error;
    runs.push_back(std::move(*run));
  }
  if (runs.empty())
    return llvm::createStringError(
        "--runs: expected a line for each run, found "
        "none in '" +
        path + "'");
  return runs;
}
