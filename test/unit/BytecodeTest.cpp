//===- BytecodeTest.cpp - The dialect's version in bytecode ---------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/IR/MHA.h"
#include "mha/IR/MHABytecode.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::mha;

static constexpr StringLiteral kModule = R"mlir(
func.func @f(%q: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %o = mha.attention query(%q : tensor<1x2x3x4xf32>, bhsd)
    key(%q : tensor<1x2x3x4xf32>, bhsd) value(%q : tensor<1x2x3x4xf32>, bhsd)
    mask<causal> -> tensor<1x2x3x4xf32>
  return %o : tensor<1x2x3x4xf32>
}
)mlir";

namespace {
struct BytecodeTest : testing::Test {
  BytecodeTest() { context.loadDialect<MHADialect, func::FuncDialect>(); }

  /// The module as bytecode of the given version of the dialect.
  std::string write(uint64_t version) {
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(kModule, &context);
    BytecodeWriterConfig config;
    auto dialectVersion = std::make_unique<MHABytecodeVersion>();
    dialectVersion->number = version;
    config.setDialectVersion<MHADialect>(std::move(dialectVersion));
    std::string bytecode;
    llvm::raw_string_ostream stream(bytecode);
    EXPECT_TRUE(module &&
                succeeded(writeBytecodeToFile(*module, stream, config)));
    return bytecode;
  }

  /// Whether it can be read; what was said goes to `message`.
  bool canRead(StringRef bytecode) {
    ScopedDiagnosticHandler handler(
        &context, [&](Diagnostic &diagnostic) { message += diagnostic.str(); });
    return bool(parseSourceString<ModuleOp>(bytecode, &context));
  }

  MLIRContext context;
  std::string message;
};
} // namespace

TEST_F(BytecodeTest, ReadsTheCurrentVersion) {
  EXPECT_TRUE(canRead(write(MHABytecodeVersion::kCurrent))) << message;
}

TEST_F(BytecodeTest, RefusesALaterVersionByNumber) {
  EXPECT_FALSE(canRead(write(MHABytecodeVersion::kCurrent + 6)));
  EXPECT_NE(message.find("expected bytecode of the mha dialect of version 1 or "
                         "earlier, found version 7"),
            std::string::npos)
      << message;
}
