//===- Passes.h - Transformation passes ------------------------*- C++ -*--===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_TRANSFORMS_PASSES_H
#define MHA_TRANSFORMS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::mha {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "mha/Transforms/Passes.h.inc"
} // namespace mlir::mha

#endif // MHA_TRANSFORMS_PASSES_H
