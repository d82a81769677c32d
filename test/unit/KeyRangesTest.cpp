//===- KeyRangesTest.cpp - Which keys a range of queries sees -------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Support/KeyRanges.h"

#include "mha/IR/MHA.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::mha;

namespace {
struct KeyRangesTest : testing::Test {
  KeyRangesTest() { context.loadDialect<MHADialect, arith::ArithDialect>(); }

  std::vector<MaskAttr> masks() {
    std::vector<MaskAttr> result{MaskAttr()};
    for (bool causal : {false, true})
      for (std::optional<int64_t> left : {std::optional<int64_t>(), {0}, {3}})
        for (int64_t right : {0, 2, 40})
          if (causal || left)
            result.push_back(MaskAttr::get(&context, causal, left,
                                           left ? std::optional<int64_t>(right)
                                                : std::nullopt));
    return result;
  }

  MLIRContext context;
};

/// The definition of docs/Conventions.md, for one query and one key.
bool isVisible(MaskAttr mask, int64_t position, int64_t key, int64_t length) {
  if (key < 0 || key >= length)
    return false;
  if (mask && mask.getCausal() && key > position)
    return false;
  return !mask || !mask.hasWindow() ||
         (key >= position - *mask.getWindowLeft() &&
          key <= position + *mask.getWindowRight());
}
} // namespace

// Against the definition, key by key, with positions before the first and
// after the last key.
TEST_F(KeyRangesTest, AgreeWithTheDefinitionKeyByKey) {
  unsigned numFull = 0, numPartial = 0;
  for (MaskAttr mask : masks())
    for (int64_t length : {0, 1, 7, 12})
      for (int64_t pFirst = -9; pFirst <= 17; ++pFirst)
        for (int64_t pLast : {pFirst, pFirst + 1, pFirst + 6}) {
          KeyRanges ranges = computeKeyRanges(mask, pFirst, pLast, length);
          ASSERT_LE(0, ranges.begin);
          ASSERT_LE(ranges.begin, ranges.fullBegin);
          ASSERT_LE(ranges.fullBegin, ranges.fullEnd);
          ASSERT_LE(ranges.fullEnd, ranges.end);
          ASSERT_LE(ranges.end, length);
          for (int64_t key = 0; key < length; ++key) {
            unsigned numSeeing = 0;
            for (int64_t p = pFirst; p <= pLast; ++p)
              numSeeing += isVisible(mask, p, key, length);
            bool isInRange = ranges.begin <= key && key < ranges.end;
            bool isFull = ranges.fullBegin <= key && key < ranges.fullEnd;
            ASSERT_TRUE(isInRange || numSeeing == 0) << "key " << key;
            ASSERT_TRUE(!isFull || numSeeing == pLast - pFirst + 1)
                << "key " << key;
            numFull += isFull;
            numPartial += isInRange && !isFull;
          }
        }
  EXPECT_GT(numFull, 0u);
  EXPECT_GT(numPartial, 0u);
}

// The bounds are tight where some key is seen: the first and the last key of
// the range are seen by some query.
TEST_F(KeyRangesTest, AreTight) {
  for (MaskAttr mask : masks())
    for (int64_t pFirst = -5; pFirst <= 14; ++pFirst) {
      int64_t pLast = pFirst + 2, length = 11;
      KeyRanges ranges = computeKeyRanges(mask, pFirst, pLast, length);
      if (ranges.begin == ranges.end)
        continue;
      for (int64_t key : {ranges.begin, ranges.end - 1}) {
        unsigned numSeeing = 0;
        for (int64_t p = pFirst; p <= pLast; ++p)
          numSeeing += isVisible(mask, p, key, length);
        EXPECT_GT(numSeeing, 0u) << "position " << pFirst << ", key " << key;
      }
    }
}

// The full part is maximal: every key that all queries see is in it, and no
// other. Keys that all see are contiguous: what each sees is an interval.
TEST_F(KeyRangesTest, FullPartHasAllKeysThatAllQueriesSee) {
  unsigned numFull = 0, numEmpty = 0;
  for (MaskAttr mask : masks())
    for (int64_t length : {0, 1, 7, 12})
      for (int64_t pFirst = -9; pFirst <= 17; ++pFirst)
        for (int64_t pLast : {pFirst, pFirst + 1, pFirst + 6}) {
          KeyRanges ranges = computeKeyRanges(mask, pFirst, pLast, length);
          for (int64_t key = -1; key <= length; ++key) {
            bool allSee = true;
            for (int64_t p = pFirst; p <= pLast; ++p)
              allSee &= isVisible(mask, p, key, length);
            bool isFull = ranges.fullBegin <= key && key < ranges.fullEnd;
            ASSERT_EQ(isFull, allSee)
                << "positions " << pFirst << " to " << pLast << ", length "
                << length << ", key " << key;
          }
          (ranges.fullBegin < ranges.fullEnd ? numFull : numEmpty) += 1;
        }
  EXPECT_GT(numFull, 0u);
  EXPECT_GT(numEmpty, 0u);
}

TEST_F(KeyRangesTest, EmittedCodeFoldsToTheSameNumbers) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  OpBuilder builder(module->getBodyRegion());
  Location loc = module->getLoc();
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  for (MaskAttr mask : masks())
    for (int64_t pFirst : {-7, 0, 3, 11}) {
      KeyRanges numbers = computeKeyRanges(mask, pFirst, pFirst + 5, 9);
      KeyRangeValues values = computeKeyRanges(
          builder, loc, mask, index(pFirst), index(pFirst + 5), index(9));
      EXPECT_EQ(getConstantIntValue(values.begin), numbers.begin);
      EXPECT_EQ(getConstantIntValue(values.fullBegin), numbers.fullBegin);
      EXPECT_EQ(getConstantIntValue(values.fullEnd), numbers.fullEnd);
      EXPECT_EQ(getConstantIntValue(values.end), numbers.end);
    }
}
