//===- CPUTarget.cpp - What a plan needs to know of a CPU -----------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Support/CPUTarget.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/AArch64TargetParser.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace mlir;
using namespace mlir::mha;

static CPUTarget getX86Target(llvm::StringRef cpu) {
  llvm::SmallVector<llvm::StringRef> features;
  llvm::X86::getFeaturesForCPU(cpu, features);
  // The list of a level leaves out what others of the list imply.
  llvm::StringMap<bool> all;
  for (llvm::StringRef feature : features) {
    all[feature] = true;
    llvm::X86::updateImpliedFeatures(feature, /*Enabled=*/true, all);
  }
  auto has = [&](llvm::StringRef feature) { return all.lookup(feature); };
  if (has("avx512f"))
    return {512, 32, true, has("f16c")};
  if (has("avx2") && has("fma"))
    return {256, 16, true, has("f16c")};
  return {128, 16, has("fma"), has("f16c")};
}

FailureOr<CPUTarget>
mlir::mha::lookupCPUTarget(llvm::StringRef cpu,
                           llvm::function_ref<InFlightDiagnostic()> emitError) {
  if (llvm::X86::parseArchX86(cpu, /*Only64Bit=*/true) != llvm::X86::CK_None)
    return getX86Target(cpu);
  // Every AArch64 CPU has the same 128-bit vectors; wider ones of unknown
  // length are not planned for.
  if (cpu == "generic-aarch64" || llvm::AArch64::parseCpu(cpu))
    return CPUTarget{128, 32, true, /*hasF16Conversions=*/true};
  return emitError() << "expected the option cpu to be a CPU that LLVM knows, "
                        "such as x86-64-v3 or znver4, found '"
                     << cpu << "'";
}
