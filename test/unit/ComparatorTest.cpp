//===- ComparatorTest.cpp - The tolerance rule ----------------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The outputs that the rule must tell apart come from an attention written here
// from the formula alone.
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/Comparator.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace mlir::mha;
using llvm::StringRef;

namespace {

constexpr int64_t B = 2, H = 3, Sq = 7, Sk = 37, D = 5, Dv = 4;
constexpr StringRef kAxes[] = {"b", "h", "i", "n"};

HostTensor create(ElementType type, llvm::ArrayRef<int64_t> shape) {
  return llvm::cantFail(HostTensor::create(type, shape));
}

HostTensor fromValues(ElementType type, llvm::ArrayRef<int64_t> shape,
                      std::initializer_list<double> values) {
  HostTensor tensor = create(type, shape);
  int64_t i = 0;
  for (double value : values)
    tensor.setDouble(i++, value);
  EXPECT_EQ(i, tensor.getNumElements());
  return tensor;
}

/// Values between -2 and 2, rounded to `type`.
HostTensor makeData(ElementType type, llvm::ArrayRef<int64_t> shape,
                    unsigned seed) {
  HostTensor tensor = create(type, shape);
  std::mt19937 engine(seed);
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    tensor.setDouble(i, double(engine()) / 0x1p30 - 2);
  return tensor;
}

/// What to do wrong.
struct Fault {
  int64_t firstKey = 0;
  bool swapHeads = false;
};

/// softmax(Q K^T / sqrt(D)) V with sums in `Sum`. Probabilities and output are
/// rounded to `resultType`.
template <typename Sum>
HostTensor attention(ElementType type, ElementType resultType,
                     Fault fault = {}) {
  HostTensor q = makeData(type, {B, H, Sq, D}, 1);
  HostTensor k = makeData(type, {B, H, Sk, D}, 2);
  HostTensor v = makeData(type, {B, H, Sk, Dv}, 3);
  HostTensor o = create(resultType, {B, H, Sq, Dv});
  HostTensor p = create(resultType, {Sk});
  for (int64_t bh = 0; bh < B * H; ++bh) {
    int64_t kv = fault.swapHeads && bh < 2 ? 1 - bh : bh;
    for (int64_t i = 0; i < Sq; ++i) {
      Sum total = 0;
      std::vector<Sum> weights(Sk);
      for (int64_t j = fault.firstKey; j < Sk; ++j) {
        Sum score = 0;
        for (int64_t d = 0; d < D; ++d)
          score += Sum(q.getDouble((bh * Sq + i) * D + d)) *
                   Sum(k.getDouble((kv * Sk + j) * D + d));
        weights[j] = std::exp(score / std::sqrt(Sum(D)));
        total += weights[j];
      }
      for (int64_t j = 0; j < Sk; ++j)
        p.setDouble(j, weights[j] / total);
      for (int64_t n = 0; n < Dv; ++n) {
        Sum sum = 0;
        for (int64_t j = 0; j < Sk; ++j)
          sum += Sum(p.getDouble(j)) * Sum(v.getDouble((kv * Sk + j) * Dv + n));
        o.setDouble((bh * Sq + i) * Dv + n, sum);
      }
    }
  }
  return o;
}

HostTensor reference(ElementType type) {
  return attention<double>(type, ElementType::F64);
}

HostTensor inDeclaredType(ElementType type, Fault fault = {}) {
  return type == ElementType::F64 ? attention<double>(type, type, fault)
                                  : attention<float>(type, type, fault);
}

class Rule : public testing::TestWithParam<ElementType> {
protected:
  Comparison compare(const HostTensor &o) {
    return compareOutput(o, r, n, type, kAxes);
  }
  /// The output in float64, so that any error can be planted exactly.
  HostTensor exact() { return llvm::cantFail(r.clone()); }

  ElementType type = GetParam();
  HostTensor r = reference(type), n = inDeclaredType(type);
};

INSTANTIATE_TEST_SUITE_P(Types, Rule,
                         testing::Values(ElementType::F64, ElementType::F32,
                                         ElementType::F16, ElementType::BF16),
                         [](const auto &info) {
                           return toString(info.param).str();
                         });

TEST_P(Rule, AcceptsTheNaiveComputation) {
  Comparison result = compare(n);
  EXPECT_TRUE(result.passed) << result.reason;
  EXPECT_EQ(result.numElements, B * H * Sq * Dv);
  EXPECT_EQ(result.numFinite, result.numElements);
  EXPECT_LE(result.maxError, result.maxBound);
  EXPECT_FALSE(result.hasFirstDifference);
  EXPECT_EQ(StringRef(result.reason).count("error"), 2u);
  EXPECT_EQ(StringRef(result.reason).count("<= bound"), 2u);
}

TEST_P(Rule, AcceptsTheRoundedReference) {
  Comparison result = compare(llvm::cantFail(r.convertTo(type)));
  EXPECT_TRUE(result.passed) << result.reason;
}

TEST_P(Rule, BoundsAreThoseOfTheFormula) {
  double maxNaive = 0, maxReference = 0, sumNaive = 0, sumReference = 0;
  int64_t count = r.getNumElements();
  for (int64_t i = 0; i < count; ++i) {
    double error = std::fabs(n.getDouble(i) - r.getDouble(i)),
           value = std::fabs(r.getDouble(i));
    maxNaive = std::max(maxNaive, error);
    maxReference = std::max(maxReference, value);
    sumNaive += error;
    sumReference += value;
  }
  double epsilon = type == ElementType::F64   ? 0x1p-52
                   : type == ElementType::F32 ? 0x1p-23
                   : type == ElementType::F16 ? 0x1p-10
                                              : 0x1p-7;
  Comparison result = compare(r);
  EXPECT_DOUBLE_EQ(result.maxBound, 2 * maxNaive + 2 * epsilon * maxReference);
  EXPECT_DOUBLE_EQ(result.meanBound,
                   2 * sumNaive / count + epsilon * sumReference / count);
  EXPECT_EQ(result.maxError, 0);
}

TEST_P(Rule, RejectsZeros) {
  Comparison result = compare(create(type, r.getShape()));
  EXPECT_FALSE(result.passed);
  EXPECT_TRUE(result.hasFirstDifference);
  EXPECT_EQ(result.found, 0);
}

TEST_P(Rule, RejectsADroppedKeyBlock) {
  Fault fault;
  fault.firstKey = 8;
  EXPECT_FALSE(compare(inDeclaredType(type, fault)).passed);
  // Even one key of 37.
  fault.firstKey = 1;
  EXPECT_FALSE(compare(inDeclaredType(type, fault)).passed);
}

TEST_P(Rule, RejectsASwappedHead) {
  Fault fault;
  fault.swapHeads = true;
  Comparison result = compare(inDeclaredType(type, fault));
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.firstDifference[0], 0);
  EXPECT_LT(result.firstDifference[1], 2);
}

TEST_P(Rule, OneElementDecides) {
  int64_t at = ((1 * H + 2) * Sq + 5) * Dv + 3;
  double bound = compare(r).maxBound;
  HostTensor o = exact();
  o.setDouble(at, r.getDouble(at) + 0.99 * bound);
  EXPECT_TRUE(compare(o).passed) << compare(o).reason;
  o.setDouble(at, r.getDouble(at) + 4 * bound);
  Comparison result = compare(o);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.firstDifference, (llvm::SmallVector<int64_t>{1, 2, 5, 3}));
  EXPECT_EQ(result.expected, r.getDouble(at));
  EXPECT_EQ(result.found, o.getDouble(at));
  EXPECT_NE(
      result.reason.find("first difference at (b=1, h=2, i=5, n=3): expected "),
      std::string::npos)
      << result.reason;
}

TEST_P(Rule, TheMeanDecidesToo) {
  double bound = compare(r).maxBound;
  HostTensor o = exact();
  for (int64_t i = 0; i < o.getNumElements(); ++i)
    o.setDouble(i, r.getDouble(i) + 0.9 * bound);
  Comparison result = compare(o);
  EXPECT_FALSE(result.passed);
  EXPECT_LE(result.maxError, result.maxBound);
  EXPECT_GT(result.meanError, result.meanBound);
  EXPECT_EQ(result.firstDifference, (llvm::SmallVector<int64_t>{0, 0, 0, 0}));
}

TEST_P(Rule, RejectsNaNAndInfinityForANumber) {
  for (double wrong : {double(NAN), double(INFINITY), -double(INFINITY)}) {
    HostTensor o = llvm::cantFail(n.clone());
    o.setDouble(9, wrong);
    Comparison result = compare(o);
    EXPECT_FALSE(result.passed);
    EXPECT_EQ(result.firstDifference, (llvm::SmallVector<int64_t>{0, 0, 2, 1}));
    EXPECT_NE(
        result.reason.find("NaN or infinity in other places than expected"),
        std::string::npos);
  }
}

TEST_P(Rule, RejectsWhatIsNotTheExpectedNonFiniteValue) {
  const double values[] = {NAN, INFINITY, -INFINITY, 1};
  for (double wanted : values) {
    for (double found : values) {
      HostTensor o = llvm::cantFail(n.clone());
      n.setDouble(9, wanted);
      r.setDouble(9, wanted);
      o.setDouble(9, found);
      bool same = found == wanted || (std::isnan(found) && std::isnan(wanted));
      EXPECT_EQ(compare(o).passed, same) << wanted << " " << found;
    }
  }
}

//===----------------------------------------------------------------------===//
// The yardstick
//===----------------------------------------------------------------------===//

TEST_P(Rule, RejectsEverythingUnderAWrongNaiveComputation) {
  Fault fault;
  fault.swapHeads = true;
  HostTensor wrong = inDeclaredType(type, fault);
  // The output is right and so is the output that shares the mistake, as far as
  // the bound goes.
  for (const HostTensor *o : {&n, &wrong}) {
    Comparison result = compareOutput(*o, r, wrong, type);
    EXPECT_FALSE(result.passed);
    EXPECT_NE(result.reason.find(
                  "the naive computation is no yardstick: it is off by"),
              std::string::npos)
        << result.reason;
  }
  n.setDouble(9, NAN);
  Comparison result = compare(r);
  EXPECT_FALSE(result.passed);
  EXPECT_NE(result.reason.find(
                "it is nan at (b=0, h=0, i=2, n=1) where the reference is"),
            std::string::npos)
      << result.reason;
}

TEST(Yardstick, MayBeOffByAnEighth) {
  HostTensor r = fromValues(ElementType::F64, {3}, {8, 1, -2});
  HostTensor within = fromValues(ElementType::F64, {3}, {8, 2, -2});
  HostTensor beyond = fromValues(ElementType::F64, {3}, {8, 2.01, -2});
  EXPECT_TRUE(compareOutput(r, r, within, ElementType::F32).passed);
  EXPECT_FALSE(compareOutput(r, r, beyond, ElementType::F32).passed);
  // Zeros are rejected at the loosest bound there is.
  for (ElementType type : {ElementType::F32, ElementType::BF16})
    EXPECT_FALSE(compareOutput(create(type, {3}), r, within, type).passed);
}

TEST(Yardstick, AZeroReferenceWantsZeros) {
  HostTensor zero = create(ElementType::F64, {3});
  HostTensor tiny = fromValues(ElementType::F64, {3}, {0, 5e-324, 0});
  HostTensor negative = fromValues(ElementType::F64, {3}, {0, -0.0, 0});
  EXPECT_TRUE(compareOutput(zero, zero, zero, ElementType::F32).passed);
  EXPECT_TRUE(compareOutput(negative, zero, zero, ElementType::F32).passed);
  EXPECT_FALSE(compareOutput(tiny, zero, zero, ElementType::F32).passed);
  EXPECT_FALSE(compareOutput(zero, zero, tiny, ElementType::F32).passed);
}

//===----------------------------------------------------------------------===//
// Edges and messages
//===----------------------------------------------------------------------===//

TEST(Comparator, Empty) {
  HostTensor empty = create(ElementType::F32, {3, 0, 5});
  Comparison result = compareOutput(empty, empty, empty, ElementType::F32);
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(result.reason, "no elements to compare");
}

TEST(Comparator, NothingFinite) {
  HostTensor r = fromValues(ElementType::F64, {2}, {NAN, -INFINITY});
  Comparison result = compareOutput(r, r, r, ElementType::F32);
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(result.numFinite, 0);
  EXPECT_EQ(result.reason, "no finite element to compare, NaN and infinities "
                           "are where they are expected");
  EXPECT_FALSE(compareOutput(fromValues(ElementType::F64, {2}, {NAN, NAN}), r,
                             r, ElementType::F32)
                   .passed);
}

TEST(Comparator, ShapesMustAgree) {
  HostTensor a = create(ElementType::F32, {2, 3}),
             b = create(ElementType::F64, {3, 2});
  EXPECT_EQ(compareOutput(a, b, b, ElementType::F32).reason,
            "the output has another shape than the reference: expected "
            "3x2xf32, found 2x3xf32");
  EXPECT_EQ(compareOutput(a, a, b, ElementType::F32).reason,
            "the output has another shape than the naive computation: expected "
            "3x2xf32, found 2x3xf32");
  EXPECT_EQ(compareExpected(a, b, a, a, ElementType::F32).reason,
            "the output has another shape than the expected values: expected "
            "3x2xf32, found 2x3xf32");
  EXPECT_EQ(compareExpected(a, a, a, b, ElementType::F32).reason,
            "the output has another shape than the reference: expected "
            "3x2xf32, found 2x3xf32");
}

TEST(Comparator, MessagesNameAxesIfThereAreNames) {
  HostTensor r =
      fromValues(ElementType::F64, {1, 3, 1, 2}, {0.5, 0.25, 1, 0.125, 1, 1});
  HostTensor o =
      fromValues(ElementType::F32, {1, 3, 1, 2}, {0.5, 0.25, 1, -0.5, 1, 9});
  EXPECT_EQ(compareOutput(o, r, r, ElementType::F32, kAxes).reason,
            "max error 8 > bound 2.384e-07, mean error 1.438 > bound "
            "7.699e-08; first difference at "
            "(b=0, h=1, i=0, n=1): expected 0.125, found -0.5");
  StringRef three[] = {"b", "h", "i"};
  EXPECT_NE(compareOutput(o, r, r, ElementType::F32, three)
                .reason.find("at (0, 1, 0, 1): expected"),
            std::string::npos);
  HostTensor one = fromValues(ElementType::F64, {}, {1}),
             two = fromValues(ElementType::F64, {}, {2});
  Comparison scalar = compareOutput(two, one, one, ElementType::F64);
  EXPECT_TRUE(scalar.hasFirstDifference);
  EXPECT_NE(scalar.reason.find("first difference: expected 1, found 2"),
            std::string::npos);
}

TEST(Comparator, ValuesThatPrintAlikeGetMoreDigits) {
  HostTensor r = fromValues(ElementType::F64, {1}, {1});
  HostTensor o = fromValues(ElementType::F64, {1}, {1 + 0x1p-50});
  EXPECT_NE(compareOutput(o, r, r, ElementType::F64)
                .reason.find("expected 1, found 1.0000000000000009"),
            std::string::npos);
  HostTensor many = fromValues(ElementType::F64, {3}, {1, 1000, 1});
  HostTensor off = fromValues(ElementType::F64, {3},
                              {1 + 0x1p-10, 1000 + 0x1p-10, 1 + 0x1p-10});
  EXPECT_TRUE(compareOutput(off, many, many, ElementType::BF16).passed);
}

TEST(Comparator, IntegersMustBeEqual) {
  HostTensor a = create(ElementType::I64, {2, 3}),
             b = create(ElementType::I64, {2, 3});
  // Equal as doubles.
  a.setInt(4, (int64_t(1) << 62) + 1);
  b.setInt(4, int64_t(1) << 62);
  EXPECT_TRUE(compareOutput(a, a, b, ElementType::I64).passed);
  Comparison result = compareOutput(a, b, b, ElementType::I64);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.firstDifference, (llvm::SmallVector<int64_t>{1, 1}));
  HostTensor yes = create(ElementType::I1, {1}),
             no = create(ElementType::I1, {1});
  yes.setInt(0, 1);
  EXPECT_EQ(
      compareOutput(no, yes, yes, ElementType::I1).reason,
      "integers must be equal; first difference at (0): expected 1, found 0");
  HostTensor empty = create(ElementType::I32, {0});
  EXPECT_TRUE(compareOutput(empty, empty, empty, ElementType::I32).passed);
}

TEST_P(Rule, ExpectedValuesDoNotMoveTheBound) {
  double bound = compare(r).maxBound;
  HostTensor e = exact();
  // Far from the reference: a bound made from these would be a million times
  // as wide.
  for (int64_t i = 0; i < e.getNumElements(); ++i)
    e.setDouble(i, 1e6 + double(i));
  HostTensor o = llvm::cantFail(e.clone());
  EXPECT_TRUE(compareExpected(o, e, n, r, type, kAxes).passed);
  EXPECT_EQ(compareExpected(o, e, n, r, type, kAxes).maxBound, bound);
  double step = std::max(4 * bound, 0x1p-30);
  o.setDouble(9, e.getDouble(9) + step);
  Comparison result = compareExpected(o, e, n, r, type, kAxes);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.firstDifference, (llvm::SmallVector<int64_t>{0, 0, 2, 1}));
  EXPECT_EQ(result.expected, e.getDouble(9));
  e.setDouble(9, NAN);
  EXPECT_FALSE(compareExpected(o, e, n, r, type, kAxes).passed);
}

} // namespace
