//===- compiler.cpp - A compiler that uses the passes of mha --------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// attention-compiler FILE STEP reads a module, runs passes on it and prints it.
// STEP is `definition`, `compile`, or passes as in --pass-pipeline.
//
//===----------------------------------------------------------------------===//

#include "mha/InitAll.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

/// Appends the passes of a step.
static LogicalResult addPasses(PassManager &pm, StringRef step) {
  if (step == "definition") {
    // Passes of mha among others: the rest is up to this compiler.
    pm.addPass(mha::createConvertMHAToLinalgPass());
    pm.addPass(createCanonicalizerPass());
    return success();
  }
  if (step == "compile") {
    // All the way to the LLVM dialect.
    mha::buildCPUPipeline(pm);
    return success();
  }
  return parsePassPipeline(step, pm);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    llvm::errs() << "usage: attention-compiler FILE STEP\n";
    return 1;
  }
  // Only for passes by name.
  registerAllPasses();
  mha::registerAllPasses();

  // The dialects of MLIR bring the models that bufferization needs.
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  mha::registerAllDialects(registry);
  MLIRContext context(registry);

  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(argv[1], &context);
  if (!module)
    return 1;
  PassManager pm(&context);
  if (failed(addPasses(pm, argv[2])) || failed(pm.run(*module)))
    return 1;
  module->print(llvm::outs());
  return 0;
}
