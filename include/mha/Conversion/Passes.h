//===- Passes.h - Conversion passes ----------------------------*- C++ -*--===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_CONVERSION_PASSES_H
#define MHA_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::mha {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "mha/Conversion/Passes.h.inc"
} // namespace mlir::mha

#endif // MHA_CONVERSION_PASSES_H
