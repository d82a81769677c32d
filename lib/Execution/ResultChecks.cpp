//===- ResultChecks.cpp - Results held to the reference -------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/ResultChecks.h"

#include "mha/Execution/Npy.h"

#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::mha;

llvm::Expected<YardstickPrograms>
mlir::mha::compileYardstick(const EntryPoint &entry, const TargetCPU &cpu) {
  auto reference = compileProgram(
      entry, {Lowering::Kind::Reference, /*passes=*/"", /*cpu=*/""}, cpu);
  if (!reference)
    return reference.takeError();
  auto naive = compileProgram(
      entry, {Lowering::Kind::Naive, /*passes=*/"", /*cpu=*/""}, cpu);
  if (!naive)
    return naive.takeError();
  return YardstickPrograms{std::move(*reference), std::move(*naive)};
}

llvm::Expected<Yardstick>
mlir::mha::makeYardstick(const YardstickPrograms &programs,
                         const RunSetup &setup) {
  RunSetup untimed = setup;
  untimed.call.timedCalls = 0;
  auto reference = programs.reference.call(untimed);
  if (!reference)
    return reference.takeError();
  auto naive = programs.naive.call(untimed);
  if (!naive)
    return naive.takeError();
  return Yardstick{std::move(reference->results), std::move(naive->results)};
}

void mlir::mha::checkByReference(const EntryPoint &entry,
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

llvm::Error mlir::mha::checkByFiles(const EntryPoint &entry,
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
