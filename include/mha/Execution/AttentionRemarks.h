//===- AttentionRemarks.h - What passes say of attention --------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_EXECUTION_ATTENTIONREMARKS_H
#define MHA_EXECUTION_ATTENTIONREMARKS_H

#include "mha/Execution/AttentionSummary.h"

#include <memory>

namespace mlir::mha {

/// Collects, while it lives, what passes say of attention by MLIR's remarks:
/// `outlined-kernel` where a kernel computes it, `computed-by-definition` where
/// none does. Takes the place of the context's remark engine.
class AttentionRemarks {
public:
  explicit AttentionRemarks(MLIRContext &context);
  ~AttentionRemarks();

  AttentionRemarks(const AttentionRemarks &) = delete;
  AttentionRemarks &operator=(const AttentionRemarks &) = delete;

  /// In the order of the source: passes may run on many functions at once.
  SmallVector<AttentionSite> getSites() const;

private:
  struct Collection;

  MLIRContext &context;
  std::shared_ptr<Collection> collection;
};

} // namespace mlir::mha

#endif // MHA_EXECUTION_ATTENTIONREMARKS_H
