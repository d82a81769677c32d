//===- AttentionDimsTest.cpp - Sizes read off an attention op -------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/IR/AttentionDims.h"

#include "mha/IR/MHA.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::mha;

namespace {
struct AttentionDimsTest : testing::Test {
  AttentionDimsTest() { context.loadDialect<MHADialect, func::FuncDialect>(); }

  /// The sizes of one attention with the given operand types.
  AttentionDims parse(StringRef query, StringRef key, StringRef value,
                      StringRef result) {
    std::string text =
        ("func.func @f(%q: tensor<" + query.split(',').first +
         ">, %k: tensor<" + key.split(',').first + ">, %v: tensor<" +
         value.split(',').first + ">) {\n" +
         "  %o = mha.attention query(%q : tensor<" + query.split(',').first +
         ">, " + query.split(',').second + ") key(%k" + " : tensor<" +
         key.split(',').first + ">, " + key.split(',').second +
         ") value(%v : tensor<" + value.split(',').first + ">, " +
         value.split(',').second + ") -> tensor<" + result + ">\n  return\n}")
            .str();
    module = parseSourceString<ModuleOp>(text, &context);
    AttentionDims dims{};
    EXPECT_TRUE(module) << text;
    if (module)
      module->walk([&](AttentionOp op) { dims = AttentionDims::get(op); });
    return dims;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};
} // namespace

TEST_F(AttentionDimsTest, ReadsEachSizeFromItsLayout) {
  AttentionDims dims = parse("7x6x2x5xf32,shbd", "5x3x2x11xf32,dhbs",
                             "2x11x3x4xf32,bshd", "7x6x2x4xf32");
  EXPECT_EQ(dims.batch, 2);
  EXPECT_EQ(dims.numQueryHeads, 6);
  EXPECT_EQ(dims.numKVHeads, 3);
  EXPECT_EQ(dims.queryLen, 7);
  EXPECT_EQ(dims.keyLen, 11);
  EXPECT_EQ(dims.headDim, 5);
  EXPECT_EQ(dims.valueDim, 4);
  EXPECT_EQ(dims.getGroup(), 2);
}

TEST_F(AttentionDimsTest, TakesAStaticSizeFromWhicheverOperandHasIt) {
  AttentionDims dims = parse("?x6x?x?xf32,bhsd", "?x?x?x5xf32,bhsd",
                             "2x3x11x?xf32,bhsd", "?x6x?x?xf32");
  EXPECT_EQ(dims.batch, 2);
  EXPECT_EQ(dims.numKVHeads, 3);
  EXPECT_EQ(dims.keyLen, 11);
  EXPECT_EQ(dims.headDim, 5);
  EXPECT_TRUE(ShapedType::isDynamic(dims.queryLen));
  EXPECT_TRUE(ShapedType::isDynamic(dims.valueDim));
  EXPECT_EQ(dims.getGroup(), 2);
}

TEST_F(AttentionDimsTest, GroupIsDynamicWhenAHeadCountIs) {
  AttentionDims dims = parse("1x?x7x5xf32,bhsd", "1x3x11x5xf32,bhsd",
                             "1x3x11x4xf32,bhsd", "1x?x7x4xf32");
  EXPECT_TRUE(ShapedType::isDynamic(dims.getGroup()));
}
