//===- Allocations.h - Memory of compiled code, counted ---------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_EXECUTION_ALLOCATIONS_H
#define MHA_EXECUTION_ALLOCATIONS_H

#include "mha/Execution/RuntimeSymbol.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace mlir::mha {

/// What compiled code has asked of its allocation functions.
struct AllocationCounts {
  /// Calls that allocate.
  int64_t calls = 0;
  /// The most bytes that were alive at one time.
  int64_t peakBytes = 0;
};

/// Counts from zero again. Buffers that are still alive are not forgotten:
/// they are the base that `peakBytes` is counted from.
void resetAllocationCounts();

/// The counts since the last reset. Exact under concurrent calls, save that
/// the peak may miss one that another thread's free ends at that moment.
AllocationCounts getAllocationCounts();

/// The generic allocation functions of MLIR's lowering, counted. Memory that
/// the system refuses ends the process with a sentence and status 1: compiled
/// code has no way to pass a failed allocation on.
llvm::ArrayRef<RuntimeSymbol> getAllocationSymbols();

} // namespace mlir::mha

#endif // MHA_EXECUTION_ALLOCATIONS_H
