//===- TargetCPU.h - The CPU that machine code is made for ------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_EXECUTION_TARGETCPU_H
#define MHA_EXECUTION_TARGETCPU_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/TargetParser/Triple.h"

#include <string>

namespace mlir::mha {

/// A CPU in LLVM's terms.
struct TargetCPU {
  /// `znver4`, `x86-64-v3`.
  std::string name;
  /// What it has beyond, or lacks of, what the name says: `+avx2,-pku`.
  std::string features;
};

/// What LLVM knows of a machine that is to run code.
struct HostCPU {
  llvm::Triple triple;
  std::string name;
  /// Whether it has a feature, for each that LLVM can detect.
  llvm::StringMap<bool> features;

  /// The machine that this runs on.
  static HostCPU detect();
};

/// The CPU of that name; `native` is the host itself. Fails for a name that
/// LLVM does not know, and for a CPU with instructions that the host lacks,
/// which it would not survive. Instructions that code has only where it asks
/// for them, such as those of operating systems, are switched off instead:
/// virtual machines hide them.
llvm::Expected<TargetCPU> resolveTargetCPU(llvm::StringRef name,
                                           const HostCPU &host);

} // namespace mlir::mha

#endif // MHA_EXECUTION_TARGETCPU_H
