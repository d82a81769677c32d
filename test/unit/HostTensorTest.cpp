//===- HostTensorTest.cpp - Tensors in host memory and their types --------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/HostTensor.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

#ifndef __has_feature
#define __has_feature(x) 0
#endif

using namespace mlir::mha;
using llvm::APFloat;

namespace {

constexpr ElementType kAllTypes[] = {
    ElementType::F64, ElementType::F32, ElementType::F16,  ElementType::BF16,
    ElementType::I64, ElementType::I32, ElementType::I16,  ElementType::I8,
    ElementType::U8,  ElementType::I1,  ElementType::Index};

HostTensor make(ElementType type, llvm::ArrayRef<int64_t> shape) {
  return llvm::cantFail(HostTensor::create(type, shape));
}

std::string errorOf(llvm::Expected<HostTensor> tensor) {
  if (tensor)
    return "no error";
  return llvm::toString(tensor.takeError());
}

uint16_t roundByAPFloat(double value, const llvm::fltSemantics &semantics) {
  APFloat narrow(value);
  bool inexact;
  narrow.convert(semantics, APFloat::rmNearestTiesToEven, &inexact);
  return uint16_t(narrow.bitcastToAPInt().getZExtValue());
}

double widenByAPFloat(uint16_t bits, const llvm::fltSemantics &semantics) {
  APFloat wide(semantics, llvm::APInt(16, bits));
  bool inexact;
  wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &inexact);
  return wide.convertToDouble();
}

TEST(ElementType, NamesRoundTrip) {
  for (ElementType type : kAllTypes)
    EXPECT_EQ(parseElementType(toString(type)), type);
  EXPECT_EQ(toString(ElementType::BF16), "bf16");
  EXPECT_EQ(toString(ElementType::U8), "ui8");
  for (llvm::StringRef text : {"", "f", "f8", "F32", "f32 ", "i128"})
    EXPECT_FALSE(parseElementType(text)) << text.str();
}

TEST(ElementType, Properties) {
  EXPECT_EQ(getByteWidth(ElementType::I1), 1);
  EXPECT_EQ(getByteWidth(ElementType::Index), 8);
  EXPECT_EQ(getByteWidth(ElementType::BF16), 2);
  EXPECT_EQ(getSignificandBits(ElementType::F16), 11);
  EXPECT_TRUE(isFloat(ElementType::BF16));
  EXPECT_FALSE(isFloat(ElementType::I1));
  EXPECT_EQ(getIntegerRange(ElementType::U8),
            std::make_pair(int64_t(0), int64_t(255)));
  EXPECT_EQ(getIntegerRange(ElementType::BF16).second, 256);
}

TEST(ElementType, ShapesAsText) {
  EXPECT_EQ(toString(ElementType::F32, {2, kDynamicDim, 5}), "2x?x5xf32");
  DeclaredType scalar{ElementType::Index, {}};
  EXPECT_EQ(scalar.toString(), "index");
  EXPECT_TRUE(scalar.hasStaticShape());
  EXPECT_FALSE(
      (DeclaredType{ElementType::F32, {kDynamicDim}}).hasStaticShape());
}

TEST(ElementType, CountElements) {
  EXPECT_EQ(countElements({}), 1);
  EXPECT_EQ(countElements({2, 3, 7}), 42);
  EXPECT_EQ(countElements({int64_t(1) << 62, 4, 0}), 0);
  EXPECT_EQ(countElements({int64_t(1) << 62, 4}), std::nullopt);
  EXPECT_EQ(countElements({3, -1}), std::nullopt);
  EXPECT_EQ(countElements({kDynamicDim}), std::nullopt);
}

TEST(ElementType, Delinearize) {
  EXPECT_EQ(delinearize(0, {}), (llvm::SmallVector<int64_t>{}));
  EXPECT_EQ(delinearize(41, {2, 3, 7}), (llvm::SmallVector<int64_t>{1, 2, 6}));
  EXPECT_EQ(delinearize(22, {2, 3, 7}), (llvm::SmallVector<int64_t>{1, 0, 1}));
}

TEST(NarrowFloat, EveryValueWidensAndRoundsBack) {
  for (unsigned bits = 0; bits <= UINT16_MAX; ++bits) {
    double f16 = widenF16Bits(bits), bf16 = widenBF16Bits(bits);
    double wantedF16 = widenByAPFloat(bits, APFloat::IEEEhalf());
    double wantedBF16 = widenByAPFloat(bits, APFloat::BFloat());
    if (std::isnan(wantedF16)) {
      EXPECT_TRUE(std::isnan(f16) &&
                  std::isnan(widenF16Bits(roundToF16Bits(f16))));
    } else {
      EXPECT_EQ(llvm::bit_cast<uint64_t>(f16),
                llvm::bit_cast<uint64_t>(wantedF16));
      EXPECT_EQ(roundToF16Bits(f16), bits);
    }
    if (std::isnan(wantedBF16)) {
      EXPECT_TRUE(std::isnan(bf16) &&
                  std::isnan(widenBF16Bits(roundToBF16Bits(bf16))));
    } else {
      EXPECT_EQ(llvm::bit_cast<uint64_t>(bf16),
                llvm::bit_cast<uint64_t>(wantedBF16));
      EXPECT_EQ(roundToBF16Bits(bf16), bits);
    }
  }
}

TEST(NarrowFloat, RoundsLikeAPFloat) {
  std::mt19937_64 engine(17);
  for (int i = 0; i < 200000; ++i) {
    uint64_t bits = engine();
    // Half of the draws in the range of f16, subnormals included; some exactly
    // between two neighbours.
    if (i & 1)
      bits = (bits & ~(uint64_t(0x7ff) << 52)) |
             ((1023 - 27 + (bits >> 52) % 45) << 52);
    if (i % 3 == 0)
      bits &= ~uint64_t(0) << (40 + i % 7);
    double value = llvm::bit_cast<double>(bits);
    if (std::isnan(value))
      continue;
    ASSERT_EQ(roundToF16Bits(value), roundByAPFloat(value, APFloat::IEEEhalf()))
        << value;
    ASSERT_EQ(roundToBF16Bits(value), roundByAPFloat(value, APFloat::BFloat()))
        << value;
  }
}

TEST(NarrowFloat, EdgesOfTheRange) {
  EXPECT_EQ(roundToF16Bits(65504), 0x7bff);
  EXPECT_EQ(roundToF16Bits(65519.999), 0x7bff);
  EXPECT_EQ(roundToF16Bits(65520), 0x7c00); // Tie, to infinity.
  EXPECT_EQ(roundToF16Bits(-INFINITY), 0xfc00);
  EXPECT_EQ(roundToF16Bits(0x1p-25), 0); // Tie, to even.
  EXPECT_EQ(roundToF16Bits(0x1.8p-25), 1);
  EXPECT_EQ(roundToF16Bits(-0.0), 0x8000);
  EXPECT_EQ(roundToF16Bits(5e-324), 0);
  EXPECT_EQ(roundToBF16Bits(0x1p-134), 0);
  EXPECT_EQ(roundToBF16Bits(0x1p-133), 1);
  EXPECT_EQ(roundToBF16Bits(1e308), 0x7f80);
  // Through f32 this would be a tie and go down to 1.
  EXPECT_EQ(roundToBF16Bits(1 + 0x1p-8 + 0x1p-40), 0x3f81);
}

TEST(HostTensor, ZeroFilledAlignedAndRowMajor) {
  for (ElementType type : kAllTypes) {
    HostTensor tensor = make(type, {2, 3, 5});
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.getData()) % 64, 0u);
    EXPECT_EQ(tensor.getNumBytes(), 30 * getByteWidth(type));
    EXPECT_EQ(tensor.getStrides(), (llvm::SmallVector<int64_t>{15, 5, 1}));
    for (int64_t i = 0; i < 30; ++i)
      EXPECT_EQ(tensor.getDouble(i), 0);
  }
  EXPECT_EQ(make(ElementType::F32, {2, 3}).typeToString(), "2x3xf32");
}

static std::string describe(std::optional<GuardDamage> damage) {
  if (!damage)
    return "none";
  bool before = damage->side == GuardDamage::Side::Before;
  return std::to_string(damage->distance) + (before ? " before" : " after");
}

TEST(HostTensor, GuardZonesShowWhatIsWrittenBesideIt) {
  for (int64_t size : {0, 1, 3, 64, 5000}) {
    HostTensor tensor = make(ElementType::I8, {size});
    tensor.poison();
    EXPECT_EQ(describe(tensor.findGuardDamage()), "none");
    std::memset(tensor.getData(), 0, size);
    EXPECT_EQ(describe(tensor.findGuardDamage()), "none");
    // The nearest byte, where several are damaged.
    for (int64_t distance : {4095, 70, 0}) {
      tensor.getData()[size + distance] = 0;
      EXPECT_EQ(describe(tensor.findGuardDamage()),
                std::to_string(distance) + " after");
    }
    for (int64_t distance : {4095, 70, 0}) {
      tensor.getData()[-1 - distance] = 0;
      EXPECT_EQ(describe(tensor.findGuardDamage()),
                std::to_string(distance) + " before");
    }
    // Moved, it is the same memory.
    HostTensor moved = std::move(tensor);
    EXPECT_EQ(describe(moved.findGuardDamage()), "0 before");
  }
}

TEST(HostTensor, PoisonAndGuardZonesAreNaN) {
  HostTensor tensor = make(ElementType::F32, {2, 3});
  tensor.poison();
  for (int64_t i : {-1, 0, 5, 6})
    EXPECT_TRUE(std::isnan(tensor.getDouble(i)));
}

TEST(HostTensor, EmptyAndScalar) {
  HostTensor empty = make(ElementType::F32, {3, 0, int64_t(1) << 62, 4});
  EXPECT_EQ(empty.getNumBytes(), 0);
  EXPECT_NE(empty.getData(), nullptr);
  EXPECT_EQ(empty.getStrides().size(), 4u);
  HostTensor scalar = make(ElementType::I64, {});
  EXPECT_EQ(scalar.getNumElements(), 1);
  EXPECT_EQ(scalar.getRank(), 0);
}

TEST(HostTensor, RefusesWhatCannotBeHeld) {
  EXPECT_EQ(errorOf(HostTensor::create(ElementType::F64,
                                       {int64_t(1) << 40, int64_t(1) << 40})),
            "cannot hold a tensor of type 1099511627776x1099511627776xf64: its "
            "size is negative or does not fit in 64 bits");
  // The elements can be counted, their bytes cannot.
  EXPECT_NE(errorOf(HostTensor::create(ElementType::F64, {int64_t(1) << 61}))
                .find("does not fit"),
            std::string::npos);
  EXPECT_NE(errorOf(HostTensor::create(ElementType::F64, {3, -5}))
                .find("is negative"),
            std::string::npos);
  EXPECT_EQ(errorOf(HostTensor::create(ElementType::F32, {5, 5}, 99)),
            "cannot hold a tensor of type 5x5xf32: expected at most 99 bytes, "
            "found 100");
  EXPECT_EQ(errorOf(HostTensor::create(ElementType::F32, {5, 5}, 100)),
            "no error");
  EXPECT_NE(errorOf(HostTensor::create(ElementType::I8, {int64_t(1) << 37}))
                .find("at most 68719476736 bytes"),
            std::string::npos);
}

// AddressSanitizer ends the process instead.
#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer)
TEST(HostTensor, OutOfMemoryIsAnError) {
  EXPECT_EQ(errorOf(HostTensor::create(ElementType::I8, {int64_t(1) << 62},
                                       UINT64_MAX)),
            "cannot hold a tensor of type 4611686018427387904xi8: out of "
            "memory allocating 4611686018427387904 bytes");
}
#endif

TEST(HostTensor, StoresTheExtremesOfEveryType) {
  for (ElementType type : kAllTypes) {
    auto [low, high] = getIntegerRange(type);
    HostTensor tensor = make(type, {3});
    tensor.setInt(1, low);
    tensor.setInt(2, high);
    if (isFloat(type)) {
      EXPECT_EQ(tensor.getDouble(1), double(low));
      EXPECT_EQ(tensor.getDouble(2), double(high));
      continue;
    }
    EXPECT_EQ(tensor.getInt(0), 0);
    EXPECT_EQ(tensor.getInt(1), low);
    EXPECT_EQ(tensor.getInt(2), high);
  }
}

TEST(HostTensor, IntegersRoundOnce) {
  // 2^62 plus half a unit of bf16 plus 1: a double would lose the 1.
  int64_t value = (int64_t(1) << 62) + (int64_t(1) << 54) + 1;
  HostTensor bf16 = make(ElementType::BF16, {2});
  bf16.setInt(0, value);
  bf16.setInt(1, -value);
  EXPECT_EQ(bf16.getDouble(0), 0x1.02p62);
  EXPECT_EQ(bf16.getDouble(1), -0x1.02p62);
  bf16.setInt(0, value - 1); // The tie itself, to even.
  EXPECT_EQ(bf16.getDouble(0), 0x1p62);
  bf16.setInt(0, INT64_MIN);
  EXPECT_EQ(bf16.getDouble(0), -0x1p63);
  HostTensor f32 = make(ElementType::F32, {1});
  f32.setInt(0, (int64_t(1) << 62) + (int64_t(1) << 38) + 1);
  EXPECT_EQ(f32.getDouble(0), 0x1.000002p62);
}

TEST(HostTensor, ConvertRoundsToNearestEven) {
  HostTensor wide = make(ElementType::F64, {2, 3});
  double values[] = {1 + 0x1p-11, 1 + 0x1.8p-10, -0.1, INFINITY, 1e6, -0.0};
  for (int i = 0; i < 6; ++i)
    wide.setDouble(i, values[i]);
  HostTensor half = llvm::cantFail(wide.convertTo(ElementType::F16));
  EXPECT_EQ(half.typeToString(), "2x3xf16");
  EXPECT_EQ(half.getDouble(0), 1);
  EXPECT_EQ(half.getDouble(1), 1 + 0x1p-9);
  EXPECT_EQ(half.getDouble(2), -0x1.998p-4);
  EXPECT_EQ(half.getDouble(3), INFINITY);
  EXPECT_EQ(half.getDouble(4), INFINITY);
  EXPECT_TRUE(std::signbit(half.getDouble(5)));
  HostTensor single = llvm::cantFail(wide.convertTo(ElementType::F32));
  EXPECT_EQ(single.getDouble(2), double(-0.1f));
  HostTensor integers = make(ElementType::I64, {1});
  integers.setInt(0, (int64_t(1) << 24) + 1); // A tie in f32.
  EXPECT_EQ(llvm::cantFail(integers.convertTo(ElementType::F32)).getDouble(0),
            0x1p24);
}

TEST(HostTensor, ConvertToIntegersIsExactOrAnError) {
  HostTensor wide = make(ElementType::F64, {2, 3});
  wide.setDouble(4, -128);
  EXPECT_EQ(llvm::cantFail(wide.convertTo(ElementType::I8)).getInt(4), -128);
  wide.setDouble(4, -129);
  EXPECT_EQ(errorOf(wide.convertTo(ElementType::I8)),
            "expected a value of i8 at (1, 1), found -129");
  for (double value : {0.5, double(NAN), double(INFINITY), 0x1p63}) {
    wide.setDouble(4, value);
    EXPECT_NE(errorOf(wide.convertTo(ElementType::I64)), "no error") << value;
  }
  HostTensor integers = make(ElementType::I64, {2});
  integers.setInt(1, INT64_MAX);
  EXPECT_EQ(llvm::cantFail(integers.convertTo(ElementType::Index)).getInt(1),
            INT64_MAX);
  EXPECT_EQ(errorOf(integers.convertTo(ElementType::I32)),
            "expected a value of i32 at (1), found 9223372036854775807");
}

TEST(HostTensor, CloneIsIndependent) {
  HostTensor tensor = make(ElementType::BF16, {3});
  tensor.setDouble(1, 2.5);
  HostTensor copy = llvm::cantFail(tensor.clone());
  tensor.setDouble(1, 7);
  EXPECT_EQ(copy.getDouble(1), 2.5);
  EXPECT_EQ(
      llvm::cantFail(make(ElementType::F32, {0}).clone()).getNumElements(), 0);
}

} // namespace
