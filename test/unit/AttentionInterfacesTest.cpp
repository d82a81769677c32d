//===- AttentionInterfacesTest.cpp - What passes of others ask the op -----===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What no pass shows: a dimension whose size is static folds before it is
// reified, and speculatability matters only without effects.
//
//===----------------------------------------------------------------------===//

#include "mha/IR/MHA.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::mha;

namespace {
struct AttentionInterfacesTest : testing::Test {
  AttentionInterfacesTest() {
    context.loadDialect<MHADialect, arith::ArithDialect, func::FuncDialect,
                        tensor::TensorDialect>();
  }

  /// The only attention of a function with these arguments.
  AttentionOp parse(StringRef arguments, StringRef attention) {
    std::string text =
        ("func.func @f(" + arguments + ") {\n" + attention + "\n  return\n}\n")
            .str();
    module = parseSourceString<ModuleOp>(text, &context);
    AttentionOp result;
    if (module)
      module->walk([&](AttentionOp op) { result = op; });
    EXPECT_TRUE(result);
    return result;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};
} // namespace

TEST_F(AttentionInterfacesTest, ReadsOperandsAndWritesDestinationsOnMemRefs) {
  AttentionOp op =
      parse("%q: memref<2x6x7x5xf32>, %k: memref<2x3x9x5xf32>, "
            "%v: memref<2x3x9x4xf32>, %n: memref<2xi64>, %p: memref<2xi64>, "
            "%o: memref<2x6x7x4xf32>, %l: memref<2x6x7xf32>",
            "mha.attention query(%q : memref<2x6x7x5xf32>, bhsd) "
            "key(%k : memref<2x3x9x5xf32>, bhsd) "
            "value(%v : memref<2x3x9x4xf32>, bhsd) mask<causal> align(end) "
            "lengths(%n : memref<2xi64>) query_offset(%p : memref<2xi64>) "
            "outs(%o : memref<2x6x7x4xf32>, lse %l : memref<2x6x7xf32>)");
  ASSERT_EQ(op->getNumOperands(), 7u);
  for (Value operand : op->getOperands()) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    cast<MemoryEffectOpInterface>(op.getOperation())
        .getEffectsOnValue(operand, effects);
    ASSERT_EQ(effects.size(), 1u);
    bool isDestination =
        operand == op.getOutputInit() || operand == op.getLseInit();
    EXPECT_EQ(isa<MemoryEffects::Write>(effects[0].getEffect()), isDestination);
    EXPECT_EQ(isa<MemoryEffects::Read>(effects[0].getEffect()), !isDestination);
  }
  EXPECT_EQ(op.getSpeculatability(), Speculation::NotSpeculatable);
}

TEST_F(AttentionInterfacesTest, IsSpeculatableOnTensorsOfStaticSizes) {
  auto isSpeculatable = [&](StringRef query, StringRef lengths,
                            StringRef result) {
    std::string arguments =
        ("%q: " + query +
         ", %k: tensor<2x3x9x5xf32>, %v: tensor<2x3x9x4xf32>, %n: " + lengths)
            .str();
    std::string attention =
        ("%o = mha.attention query(%q : " + query +
         ", bhsd) key(%k : tensor<2x3x9x5xf32>, bhsd) "
         "value(%v : tensor<2x3x9x4xf32>, bhsd) lengths(%n : " +
         lengths + ") -> " + result)
            .str();
    AttentionOp op = parse(arguments, attention);
    EXPECT_TRUE(isMemoryEffectFree(op));
    return op.getSpeculatability() == Speculation::Speculatable;
  };
  StringRef query = "tensor<2x6x7x5xf32>", lengths = "tensor<2xi64>",
            result = "tensor<2x6x7x4xf32>";
  EXPECT_TRUE(isSpeculatable(query, lengths, result));
  EXPECT_FALSE(isSpeculatable("tensor<2x?x7x5xf32>", lengths, result));
  EXPECT_FALSE(isSpeculatable(query, "tensor<?xi64>", result));
  EXPECT_FALSE(isSpeculatable(query, lengths, "tensor<2x6x?x4xf32>"));
}

// A static size of a result's type is that constant, whatever the operands
// know; the others are sizes of operands, by the letters of the layouts.
TEST_F(AttentionInterfacesTest, ReifiesStaticSizesOfResultTypes) {
  AttentionOp op =
      parse("%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>",
            "%o, %l = mha.attention query(%q : tensor<?x?x?x?xf32>, bhsd) "
            "key(%k : tensor<?x?x?x?xf32>, bhsd) "
            "value(%k : tensor<?x?x?x?xf32>, bhsd) "
            "-> (tensor<4x7x?x6xf32>, dsbh, lse tensor<2x?x7xf32>)");
  OpBuilder builder(op);
  ReifiedRankedShapedTypeDims shapes;
  ASSERT_TRUE(succeeded(op.reifyResultShapes(builder, shapes)));
  ASSERT_EQ(shapes.size(), 2u);
  auto expectConstants = [](ArrayRef<OpFoldResult> shape,
                            ArrayRef<int64_t> expected) {
    ASSERT_EQ(shape.size(), expected.size());
    for (auto [size, number] : llvm::zip_equal(shape, expected)) {
      if (!ShapedType::isDynamic(number)) {
        EXPECT_EQ(getConstantIntValue(size), number);
        EXPECT_TRUE(isa<Attribute>(size));
      }
    }
  };
  constexpr int64_t kDynamic = ShapedType::kDynamic;
  expectConstants(shapes[0], {4, 7, kDynamic, 6});
  expectConstants(shapes[1], {2, kDynamic, 7});
  auto expectDim = [](OpFoldResult size, Value source, int64_t dim) {
    auto value = dyn_cast<Value>(size);
    auto dimOp = value ? value.getDefiningOp<tensor::DimOp>() : nullptr;
    ASSERT_TRUE(dimOp);
    EXPECT_EQ(dimOp.getSource(), source);
    EXPECT_EQ(dimOp.getConstantIndex(), dim);
  };
  expectDim(shapes[0][2], op.getQuery(), 0);
  expectDim(shapes[1][1], op.getQuery(), 1);
}
