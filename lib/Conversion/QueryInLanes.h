//===- QueryInLanes.h - The CPU kernel with a query in each lane *- C++
//-*---===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_LIB_CONVERSION_QUERYINLANES_H
#define MHA_LIB_CONVERSION_QUERYINLANES_H

#include "mha/IR/MHA.h"

#include "mlir/IR/Builders.h"

namespace mlir::mha {

/// Emits the kernel of `op` at the builder's place: an attention on memrefs of
/// one batch entry and one key/value head, with a schedule, whose operands have
/// d innermost with stride 1. `op` itself stays.
void emitQueryInLanes(OpBuilder &builder, AttentionOp op,
                      CPUScheduleAttr schedule);

} // namespace mlir::mha

#endif // MHA_LIB_CONVERSION_QUERYINLANES_H
