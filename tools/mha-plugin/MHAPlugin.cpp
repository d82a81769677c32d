//===- MHAPlugin.cpp - Dialect and passes for other MLIR tools ------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entry points that --load-dialect-plugin and --load-pass-plugin look for.
// MLIR stops the program where something is registered twice with different
// code, so both leave a program alone that has ours: mha-opt, mha-run, or one
// that loads this library twice.
//
//===----------------------------------------------------------------------===//

#include "mha/InitAll.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "MHAPlugin", MHA_VERSION,
          [](DialectRegistry *registry) {
            if (!registry->getDialectAllocator("mha"))
              mha::registerAllDialects(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "MHAPlugin", MHA_VERSION, [] {
            if (!PassPipelineInfo::lookup("mha-cpu-pipeline"))
              mha::registerAllPasses();
          }};
}
