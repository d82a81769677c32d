//===- AttentionSummary.h - What became of each attention -------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_EXECUTION_ATTENTIONSUMMARY_H
#define MHA_EXECUTION_ATTENTIONSUMMARY_H

#include "mha/Execution/KernelCalls.h"

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"

#include "llvm/Support/JSON.h"

#include <string>

namespace mlir::mha {

/// One attention of the compiled program. One that was inlined at several
/// places is as many.
struct AttentionSite {
  Location loc;
  /// Whether a kernel of ours computes it in one pass over the keys.
  bool fused = false;
  /// Why it is not fused, and what may help; `hint` may be empty.
  std::string reason, hint;
};

struct AttentionSummary {
  SmallVector<AttentionSite> sites;
  /// The kernels that were called, and how often.
  SmallVector<KernelUse> kernels;

  /// The line that a run ends with:
  /// `attention: 12 found, 11 fused, 1 not (REASON at FILE:LINE: HINT);
  /// kernels: NAME x11, fallback x1`, where the fallback is not counted by
  /// calls but by places.
  std::string toLine() const;
  /// The same for programs.
  llvm::json::Object toJSON() const;
};

/// `model.mlir:812`, or whatever the location has instead.
std::string printPlace(Location loc);

/// Diagnoses each attention that is not fused.
LogicalResult requireFused(ArrayRef<AttentionSite> sites);

} // namespace mlir::mha

#endif // MHA_EXECUTION_ATTENTIONSUMMARY_H
