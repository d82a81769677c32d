//===- KeyCutsTest.cpp - What has no parts and blocks of keys -------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes ask before they call these functions; others may not.
//
//===----------------------------------------------------------------------===//

#include "mha/IR/MHA.h"
#include "mha/Transforms/Transforms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::mha;

namespace {
struct KeyCutsTest : testing::Test {
  KeyCutsTest() { context.loadDialect<MHADialect, func::FuncDialect>(); }

  /// Keys of `length` that are taken into a state on memrefs.
  OnlineAttentionOp parse(int64_t length) {
    std::string key = "memref<1x2x" + std::to_string(length) + "x4xf32>";
    module = parseSourceString<ModuleOp>(
        "func.func @f(%q: memref<1x2x3x4xf32>, %k: " + key +
            ", %a: memref<1x2x3x4xf32>, %m: memref<1x2x3xf32>) {\n"
            "  mha.online_attention query(%q : memref<1x2x3x4xf32>, bhsd) "
            "key(%k : " +
            key + ", bhsd) value(%k : " + key +
            ", bhsd) state(%a, %m, %m : memref<1x2x3x4xf32>, "
            "memref<1x2x3xf32>, memref<1x2x3xf32>)\n  return\n}",
        &context);
    OnlineAttentionOp found;
    EXPECT_TRUE(module);
    if (module)
      module->walk([&](OnlineAttentionOp op) { found = op; });
    return found;
  }

  /// The module as text, to see that nothing has changed.
  std::string print() {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream);
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};
} // namespace

TEST_F(KeyCutsTest, MemRefsHaveNoParts) {
  OnlineAttentionOp op = parse(5);
  ASSERT_TRUE(op);
  std::string before = print();
  IRRewriter rewriter(&context);
  EXPECT_TRUE(failed(splitKeys(rewriter, op, 2)));
  EXPECT_EQ(print(), before);
}

TEST_F(KeyCutsTest, NoKeysHaveNoBlocks) {
  OnlineAttentionOp op = parse(0);
  ASSERT_TRUE(op);
  std::string before = print();
  IRRewriter rewriter(&context);
  EXPECT_TRUE(failed(tileKeys(rewriter, op, 2)));
  EXPECT_EQ(print(), before);
}
