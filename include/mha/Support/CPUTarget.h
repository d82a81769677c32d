//===- CPUTarget.h - What a plan needs to know of a CPU -------*- C++ -*---===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_SUPPORT_CPUTARGET_H
#define MHA_SUPPORT_CPUTARGET_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace mlir::mha {

/// The vector unit of a CPU, and what it converts.
struct CPUTarget {
  int64_t vectorBits;     ///< width of a vector register
  int64_t numRegisters;   ///< vector registers
  bool hasFMA;            ///< fused multiply-add on vectors
  bool hasF16Conversions; ///< between f16 and f32

  /// How many f32 a vector register holds.
  int64_t getLanes() const { return vectorBits / 32; }
};

/// The vector unit of the CPU that LLVM calls `cpu`: an x86-64 CPU or level
/// (`x86-64-v3`, `znver4`, ...) or an AArch64 CPU (`generic-aarch64` stands for
/// the least of these). Diagnoses a name that LLVM does not know.
FailureOr<CPUTarget>
lookupCPUTarget(llvm::StringRef cpu,
                llvm::function_ref<InFlightDiagnostic()> emitError);

} // namespace mlir::mha

#endif // MHA_SUPPORT_CPUTARGET_H
