//===- Remarks.h - What passes say of what they did not do -----*- C++ -*--===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_SUPPORT_REMARKS_H
#define MHA_SUPPORT_REMARKS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

namespace mlir {
class Operation;

namespace mha {
class AttentionOp;

/// Emits the missed remark `name` of the pass `category` at `op`, with the name
/// of its function and the reason, a sentence without its full stop.
void remarkMissed(Operation *op, StringRef category, StringRef name,
                  const Twine &reason);

/// The same of an attention that no kernel computes; the reason is what the
/// planner has left on it.
void remarkUnfused(AttentionOp op, StringRef category, StringRef name);

} // namespace mha
} // namespace mlir

#endif // MHA_SUPPORT_REMARKS_H
