//===- BufferizableOpInterfaceTest.cpp - What the model refuses -----------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Regions, which the verifier refuses before a pass can see them.
//
//===----------------------------------------------------------------------===//

#include "mha/Transforms/BufferizableOpInterfaceImpl.h"

#include "mha/IR/MHA.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/Bufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::mha;

namespace {
struct BufferizableOpInterfaceTest : testing::Test {
  BufferizableOpInterfaceTest() {
    DialectRegistry registry;
    registry.insert<MHADialect, bufferization::BufferizationDialect,
                    func::FuncDialect, memref::MemRefDialect>();
    registerBufferizableOpInterfaceExternalModels(registry);
    bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
        registry);
    context.appendDialectRegistry(registry);
    context.loadDialect<bufferization::BufferizationDialect,
                        memref::MemRefDialect>();
  }

  /// Bufferizes a function with an attention that ends in `clauses`, which the
  /// verifier is not asked about; returns the diagnostics.
  std::string bufferize(StringRef clauses) {
    std::string text =
        ("func.func @f(%q: tensor<1x2x3x4xf32>, %t: tensor<3xf32>)"
         " -> tensor<1x2x3x4xf32> {\n"
         "  %o = mha.attention query(%q : tensor<1x2x3x4xf32>, bhsd)"
         " key(%q : tensor<1x2x3x4xf32>, bhsd)"
         " value(%q : tensor<1x2x3x4xf32>, bhsd) " +
         clauses +
         " -> tensor<1x2x3x4xf32>\n"
         "  return %o : tensor<1x2x3x4xf32>\n}\n")
            .str();
    ParserConfig config(&context, /*verifyAfterParse=*/false);
    auto module = parseSourceString<ModuleOp>(text, config);
    if (!module)
      return "not parsed";
    std::string message;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      message += diagnostic.str() + "\n";
      return success();
    });
    bufferization::OneShotBufferizationOptions options;
    options.bufferizeFunctionBoundaries = true;
    bufferization::BufferizationState state;
    if (succeeded(
            bufferization::runOneShotModuleBufferize(*module, options, state)))
      message += "bufferized";
    return message;
  }

  MLIRContext context;
};
} // namespace

TEST_F(BufferizableOpInterfaceTest, RefusesRegionsAndCaptures) {
  EXPECT_EQ(bufferize(""), "bufferized");
  StringRef refusal = "'mha.attention' op with regions cannot be bufferized "
                      "yet, expected them to be lowered before\n"
                      "failed to bufferize op\n";
  EXPECT_EQ(bufferize("captures(%t : tensor<3xf32>)"), refusal);
  EXPECT_EQ(bufferize("score { ^bb0(%s: f32):\n mha.yield %s : f32\n }"),
            refusal);
}
