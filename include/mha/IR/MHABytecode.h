//===- MHABytecode.h - Version of mha in bytecode --------------*- C++ -*--===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_IR_MHABYTECODE_H
#define MHA_IR_MHABYTECODE_H

#include "mlir/IR/DialectInterface.h"

#include <cstdint>

namespace mlir::mha {

/// The version of the dialect that is recorded in bytecode. It counts up with
/// each change that an older reader would misread.
struct MHABytecodeVersion : DialectVersion {
  static constexpr uint64_t kCurrent = 1;

  uint64_t number = kCurrent;
};

} // namespace mlir::mha

#endif // MHA_IR_MHABYTECODE_H
