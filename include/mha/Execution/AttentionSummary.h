//===- AttentionSummary.h - What became of each attention -------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_EXECUTION_ATTENTIONSUMMARY_H
#define MHA_EXECUTION_ATTENTIONSUMMARY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/Support/JSON.h"

#include <string>

namespace mlir::mha {

/// One attention of the program.
struct AttentionSite {
  Location loc;
  /// Whether a kernel of ours computes it in one pass over the keys.
  bool fused = false;
  /// Why it is not fused, and what may help; `hint` may be empty.
  std::string reason, hint;
};

/// How often a kernel stands in the compiled code.
struct KernelUse {
  std::string name;
  int64_t count = 0;
};

struct AttentionSummary {
  SmallVector<AttentionSite> sites;
  SmallVector<KernelUse> kernels;

  /// The line that a run ends with:
  /// `attention: 12 found, 11 fused, 1 not (REASON at FILE:LINE: HINT);
  /// kernels: NAME x11, NAME x1`.
  std::string toLine() const;
  /// The same for programs.
  llvm::json::Object toJSON() const;
};

/// The attention ops that a call of `function` can reach. All are computed by
/// their definition.
AttentionSummary summarizeDefinitions(func::FuncOp function);

} // namespace mlir::mha

#endif // MHA_EXECUTION_ATTENTIONSUMMARY_H
