//===- InitAll.h - Registers everything, for tools -------------*- C++ -*--===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_INITALL_H
#define MHA_INITALL_H

#include "mha/Conversion/Passes.h"
#include "mha/IR/MHA.h"
#include "mha/Pipelines/Pipelines.h"
#include "mha/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mha/Transforms/BufferizableOpInterfaceImpl.h"
#include "mha/Transforms/Passes.h"
#include "mha/Transforms/TilingInterfaceImpl.h"

namespace mlir::mha {

/// Registers the dialect and its implementations of upstream interfaces.
inline void registerAllDialects(DialectRegistry &registry) {
  registry.insert<MHADialect>();
  registerBufferDeallocationOpInterfaceExternalModels(registry);
  registerBufferizableOpInterfaceExternalModels(registry);
  registerTilingInterfaceExternalModels(registry);
}

/// Registers the passes and pipelines by name.
inline void registerAllPasses() {
  registerMHATransformsPasses();
  registerMHAConversionPasses();
  registerPipelines();
}

} // namespace mlir::mha

#endif // MHA_INITALL_H
