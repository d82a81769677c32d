//===- KernelCalls.h - Calls of kernels, counted ----------------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_EXECUTION_KERNELCALLS_H
#define MHA_EXECUTION_KERNELCALLS_H

#include "mha/Execution/RuntimeSymbol.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace mlir::mha {

/// How often a kernel was called.
struct KernelUse {
  std::string name;
  int64_t count = 0;
};

/// Makes each function of the LLVM dialect with a body and the attribute
/// `mha.kernel` count its calls, under the index of its name in the result.
std::vector<std::string> countKernelCalls(ModuleOp module);

/// Counts from zero again, for so many kernels. No kernel may be running.
void resetKernelCalls(size_t numKernels);

/// The calls since the last reset, by index. Exact under concurrent calls.
std::vector<int64_t> getKernelCalls();

/// The function that counts.
RuntimeSymbol getKernelCallSymbol();

} // namespace mlir::mha

#endif // MHA_EXECUTION_KERNELCALLS_H
