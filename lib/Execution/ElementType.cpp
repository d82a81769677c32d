//===- ElementType.cpp - Element types and shapes of a run ----------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/ElementType.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cassert>
#include <cmath>

using namespace mlir::mha;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

namespace {
struct ElementTypeInfo {
  ElementType type;
  StringRef name;
  int64_t byteWidth;
  int significandBits; // 0 for an integer type.
  int64_t low, high;   // See getIntegerRange.
};
} // namespace

static constexpr ElementTypeInfo kElementTypes[] = {
    {ElementType::F64, "f64", 8, 53, -(int64_t(1) << 53), int64_t(1) << 53},
    {ElementType::F32, "f32", 4, 24, -(int64_t(1) << 24), int64_t(1) << 24},
    {ElementType::F16, "f16", 2, 11, -2048, 2048},
    {ElementType::BF16, "bf16", 2, 8, -256, 256},
    {ElementType::I64, "i64", 8, 0, INT64_MIN, INT64_MAX},
    {ElementType::I32, "i32", 4, 0, INT32_MIN, INT32_MAX},
    {ElementType::I16, "i16", 2, 0, INT16_MIN, INT16_MAX},
    {ElementType::I8, "i8", 1, 0, INT8_MIN, INT8_MAX},
    {ElementType::U8, "ui8", 1, 0, 0, UINT8_MAX},
    {ElementType::I1, "i1", 1, 0, 0, 1},
    {ElementType::Index, "index", 8, 0, INT64_MIN, INT64_MAX},
};

static const ElementTypeInfo &getInfo(ElementType type) {
  const ElementTypeInfo &info = kElementTypes[static_cast<int>(type)];
  assert(info.type == type && "the table is in the order of the enum");
  return info;
}

StringRef mlir::mha::toString(ElementType type) { return getInfo(type).name; }

std::optional<ElementType> mlir::mha::parseElementType(StringRef text) {
  for (const ElementTypeInfo &info : kElementTypes)
    if (info.name == text)
      return info.type;
  return std::nullopt;
}

int64_t mlir::mha::getByteWidth(ElementType type) {
  return getInfo(type).byteWidth;
}

bool mlir::mha::isFloat(ElementType type) {
  return getInfo(type).significandBits != 0;
}

int mlir::mha::getSignificandBits(ElementType type) {
  assert(isFloat(type));
  return getInfo(type).significandBits;
}

std::pair<int64_t, int64_t> mlir::mha::getIntegerRange(ElementType type) {
  return {getInfo(type).low, getInfo(type).high};
}

//===----------------------------------------------------------------------===//
// 16-bit floating point
//===----------------------------------------------------------------------===//

/// Integer arithmetic throughout, so that neither the rounding mode of the
/// processor nor a detour through f32 can round twice.
template <int SignificandBits, int ExponentBits>
static uint16_t roundToNarrowBits(double value) {
  constexpr int minExponent = 2 - (1 << (ExponentBits - 1));
  constexpr int dropped = 53 - SignificandBits;
  constexpr uint64_t infinity = uint64_t((1 << ExponentBits) - 1)
                                << (SignificandBits - 1);
  uint64_t bits = llvm::bit_cast<uint64_t>(value);
  uint64_t sign = (bits >> 63) << 15;
  uint64_t fraction = bits & ((uint64_t(1) << 52) - 1);
  int biased = (bits >> 52) & 0x7ff;

  if (biased == 0x7ff) {
    uint64_t quiet = uint64_t(1) << (SignificandBits - 2);
    uint64_t payload = fraction ? (quiet | (fraction >> dropped)) : 0;
    return sign | infinity | payload;
  }

  int exponent = biased - 1023;
  int shift = dropped + std::max(0, minExponent - exponent);
  // Less than half of the smallest subnormal; holds for subnormal doubles too.
  if (shift >= 54)
    return sign;
  uint64_t significand = fraction | (uint64_t(1) << 52);
  uint64_t kept = significand >> shift;
  uint64_t rest = significand & ((uint64_t(1) << shift) - 1);
  uint64_t half = uint64_t(1) << (shift - 1);
  if (rest > half || (rest == half && (kept & 1)))
    ++kept;
  // `kept` still has the implicit bit, which raises the exponent field by one;
  // so does a carry out of rounding, up to infinity.
  uint64_t magnitude =
      (uint64_t(std::max(0, exponent - minExponent)) << (SignificandBits - 1)) +
      kept;
  return sign | std::min(magnitude, infinity);
}

template <int SignificandBits, int ExponentBits>
static double widenNarrowBits(uint16_t bits) {
  constexpr int minExponent = 2 - (1 << (ExponentBits - 1));
  constexpr int lastExponent = (1 << ExponentBits) - 1;
  uint64_t sign = uint64_t(bits >> 15) << 63;
  uint64_t fraction = bits & ((1 << (SignificandBits - 1)) - 1);
  int biased = (bits >> (SignificandBits - 1)) & lastExponent;
  if (biased == lastExponent)
    return llvm::bit_cast<double>(sign | (uint64_t(0x7ff) << 52) |
                                  (fraction << (53 - SignificandBits)));
  uint64_t implicit = biased ? uint64_t(1) << (SignificandBits - 1) : 0;
  double magnitude =
      std::ldexp(double(fraction | implicit),
                 std::max(biased, 1) - 1 + minExponent - (SignificandBits - 1));
  return sign ? -magnitude : magnitude;
}

uint16_t mlir::mha::roundToF16Bits(double value) {
  return roundToNarrowBits<11, 5>(value);
}
uint16_t mlir::mha::roundToBF16Bits(double value) {
  return roundToNarrowBits<8, 8>(value);
}
double mlir::mha::widenF16Bits(uint16_t bits) {
  return widenNarrowBits<11, 5>(bits);
}
double mlir::mha::widenBF16Bits(uint16_t bits) {
  return widenNarrowBits<8, 8>(bits);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

std::string mlir::mha::toString(ElementType type, ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int64_t size : shape) {
    if (size == kDynamicDim)
      os << '?';
    else
      os << size;
    os << 'x';
  }
  os << toString(type);
  return text;
}

bool DeclaredType::hasStaticShape() const {
  return !llvm::is_contained(shape, kDynamicDim);
}

std::string DeclaredType::toString() const {
  return mlir::mha::toString(elementType, shape);
}

std::optional<int64_t> mlir::mha::countElements(ArrayRef<int64_t> shape) {
  if (llvm::any_of(shape, [](int64_t size) { return size < 0; }))
    return std::nullopt;
  if (llvm::is_contained(shape, 0))
    return 0;
  int64_t count = 1;
  for (int64_t size : shape)
    if (llvm::MulOverflow(count, size, count))
      return std::nullopt;
  return count;
}

SmallVector<int64_t> mlir::mha::delinearize(int64_t linear,
                                            ArrayRef<int64_t> shape) {
  SmallVector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = linear % shape[d];
    linear /= shape[d];
  }
  return index;
}
