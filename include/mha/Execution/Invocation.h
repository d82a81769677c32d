//===- Invocation.h - Calls of a compiled entry point -----------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_EXECUTION_INVOCATION_H
#define MHA_EXECUTION_INVOCATION_H

#include "mha/Execution/HostTensor.h"
#include "mha/Execution/JIT.h"
#include "mha/Execution/KernelCalls.h"
#include "mha/Execution/Lowering.h"

namespace mlir::mha {

struct CallOptions {
  int32_t threads = 1;
  /// Calls that are timed after a first one that is not.
  unsigned timedCalls = 0;
};

struct CallOutcome {
  std::vector<HostTensor> results;
  /// Of each timed call.
  SmallVector<double> milliseconds;
  /// Of one call: the workspace and the most bytes alive in buffers of the
  /// program. Arguments and results are not counted.
  int64_t peakBytes = 0;
  /// Of one call.
  int64_t allocations = 0;
  /// The kernels that one call has called.
  SmallVector<KernelUse> kernels;
};

/// Calls the entry point. Fails, without a call, for values that are not of the
/// declared types, when the function or its shape function returns a status
/// other than 0, and when it writes beside an argument, a result or the
/// workspace.
llvm::Expected<CallOutcome> callEntryPoint(const CompiledModule &module,
                                           const EntryInterface &interface,
                                           const EntryPoint &entry,
                                           ArrayRef<HostTensor> arguments,
                                           const CallOptions &options);

} // namespace mlir::mha

#endif // MHA_EXECUTION_INVOCATION_H
