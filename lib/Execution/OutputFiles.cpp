//===- OutputFiles.cpp - The files that a run names -----------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/OutputFiles.h"

#include "mha/Execution/Npy.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir::mha;
using llvm::StringRef;
using llvm::Twine;

llvm::Expected<std::vector<std::string>> mlir::mha::parseResultFiles(
    StringRef option, llvm::ArrayRef<std::string> values, size_t numResults) {
  std::vector<std::string> paths;
  for (StringRef value : values) {
    StringRef path = value;
    if (!path.consume_front("@") || path.empty())
      return llvm::createStringError(option + ": expected @FILE.npy, found '" +
                                     value + "'");
    paths.push_back(path.str());
  }
  if (!paths.empty() && paths.size() != numResults)
    return llvm::createStringError(
        option + ": expected a file for each of the " + Twine(numResults) +
        " results, found " + Twine(paths.size()));
  return paths;
}

static llvm::Error checkPlaces(llvm::ArrayRef<std::string> paths) {
  llvm::StringSet<> seen;
  for (StringRef path : paths) {
    if (!seen.insert(path).second)
      return llvm::createStringError(
          "expected a file for each result, found '" + path + "' twice");
    if (llvm::sys::fs::is_directory(path))
      return llvm::createStringError("cannot write '" + path +
                                     "': expected a file, found a directory");
  }
  return llvm::Error::success();
}

llvm::Error mlir::mha::writeResultFiles(llvm::ArrayRef<std::string> paths,
                                        llvm::ArrayRef<HostTensor> tensors) {
  if (llvm::Error error = checkPlaces(paths))
    return error;

  // All are written beside their places before the first one is moved there.
  std::vector<std::string> drafts;
  llvm::scope_exit removeDrafts([&] {
    for (StringRef draft : drafts)
      llvm::sys::fs::remove(draft);
  });
  for (auto [path, tensor] : llvm::zip(paths, tensors)) {
    llvm::SmallString<128> draft;
    llvm::sys::fs::createUniquePath(path + ".%%%%%%%%", draft,
                                    /*MakeAbsolute=*/false);
    drafts.push_back(draft.str().str());
    if (llvm::Error error = writeNpy(draft, tensor))
      return llvm::createStringError("cannot write '" + path +
                                     "': " + llvm::toString(std::move(error)));
  }
  for (auto [draft, path] : llvm::zip(drafts, paths))
    if (std::error_code code = llvm::sys::fs::rename(draft, path))
      return llvm::createStringError("cannot replace '" + path +
                                     "': " + code.message());
  return llvm::Error::success();
}
