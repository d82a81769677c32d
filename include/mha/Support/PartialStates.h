//===- PartialStates.h - Where computing a state begins --------*- C++ -*--===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_SUPPORT_PARTIALSTATES_H
#define MHA_SUPPORT_PARTIALSTATES_H

#include "mlir/IR/Builders.h"

namespace mlir::mha {

/// A tensor with nothing in it, or a new buffer that its user frees.
Value buildEmpty(OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> sizes,
                 Type element, bool onTensors);

/// The state of no keys, as new tensors or buffers: an `acc` of 0, a `row_max`
/// of -inf and a `row_sum` of 0, of the given sizes.
SmallVector<Value> buildStateOfNoKeys(OpBuilder &builder, Location loc,
                                      ArrayRef<SmallVector<OpFoldResult>> sizes,
                                      FloatType element, bool onTensors);

} // namespace mlir::mha

#endif // MHA_SUPPORT_PARTIALSTATES_H
