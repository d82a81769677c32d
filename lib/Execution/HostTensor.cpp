//===- HostTensor.cpp - Tensors in host memory ----------------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/HostTensor.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

using namespace mlir::mha;
using llvm::ArrayRef;
using llvm::Expected;
using llvm::SmallVector;

void HostTensor::Free::operator()(void *pointer) const { std::free(pointer); }

Expected<HostTensor> HostTensor::create(ElementType type,
                                        ArrayRef<int64_t> shape,
                                        uint64_t byteLimit) {
  constexpr uint64_t alignment = 64;
  auto fail = [&](const llvm::Twine &why) {
    return llvm::createStringError("cannot hold a tensor of type " +
                                   mlir::mha::toString(type, shape) + ": " +
                                   why);
  };
  std::optional<int64_t> count = countElements(shape);
  int64_t bytes = 0;
  if (!count || llvm::MulOverflow(*count, getByteWidth(type), bytes))
    return fail("its size is negative or does not fit in 64 bits");
  if (uint64_t(bytes) > byteLimit)
    return fail("expected at most " + llvm::Twine(byteLimit) +
                " bytes, found " + llvm::Twine(bytes));

  HostTensor tensor(type, shape, *count);
  // Zeros of the system, which costs nothing until they are used.
  tensor.allocation.reset(
      std::calloc(uint64_t(bytes) + alignment + 2 * kGuardBytes, 1));
  if (!tensor.allocation)
    return fail("out of memory allocating " + llvm::Twine(bytes) + " bytes");
  char *start = static_cast<char *>(tensor.allocation.get());
  tensor.data = reinterpret_cast<char *>(llvm::alignTo(
      reinterpret_cast<uintptr_t>(start) + kGuardBytes, alignment));
  std::memset(start, kPoison, tensor.data - start);
  std::memset(tensor.data + bytes, kPoison, kGuardBytes);
  return tensor;
}

void HostTensor::poison() { std::memset(data, kPoison, getNumBytes()); }

std::optional<GuardDamage> HostTensor::findGuardDamage() const {
  auto isDamaged = [](char byte) {
    return static_cast<unsigned char>(byte) != kPoison;
  };
  const char *start = static_cast<const char *>(allocation.get());
  for (const char *byte = data; byte-- > start;)
    if (isDamaged(*byte))
      return GuardDamage{GuardDamage::Side::Before, data - byte - 1};
  const char *end = data + getNumBytes();
  for (const char *byte = end; byte < end + kGuardBytes; ++byte)
    if (isDamaged(*byte))
      return GuardDamage{GuardDamage::Side::After, byte - end};
  return std::nullopt;
}

SmallVector<int64_t> HostTensor::getStrides() const {
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  // An empty tensor may have sizes whose product overflows; its strides are
  // never multiplied by anything.
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    if (numElements != 0)
      stride *= shape[d];
  }
  return strides;
}

template <typename T>
static T load(const char *data, int64_t linear) {
  T value;
  std::memcpy(&value, data + linear * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
static void store(char *data, int64_t linear, T value) {
  std::memcpy(data + linear * sizeof(T), &value, sizeof(T));
}

/// A double that rounds to any type of 16 bits as `value` itself does: bits
/// that a double has no room for are kept as one sticky bit.
static double narrowKeepingSticky(int64_t value) {
  uint64_t magnitude = value < 0 ? -uint64_t(value) : uint64_t(value);
  if (magnitude >> 53)
    magnitude = (magnitude & ~uint64_t(0xfff)) |
                ((magnitude & 0xfff) ? uint64_t(0x1000) : 0);
  return value < 0 ? -double(magnitude) : double(magnitude);
}

double HostTensor::getDouble(int64_t linear) const {
  switch (type) {
  case ElementType::F64:
    return load<double>(data, linear);
  case ElementType::F32:
    return load<float>(data, linear);
  case ElementType::F16:
    return widenF16Bits(load<uint16_t>(data, linear));
  case ElementType::BF16:
    return widenBF16Bits(load<uint16_t>(data, linear));
  default:
    return double(getInt(linear));
  }
}

void HostTensor::setDouble(int64_t linear, double value) {
  switch (type) {
  case ElementType::F64:
    return store<double>(data, linear, value);
  case ElementType::F32:
    return store<float>(data, linear, static_cast<float>(value));
  case ElementType::F16:
    return store<uint16_t>(data, linear, roundToF16Bits(value));
  case ElementType::BF16:
    return store<uint16_t>(data, linear, roundToBF16Bits(value));
  default:
    llvm_unreachable("setDouble on an integer type");
  }
}

int64_t HostTensor::getInt(int64_t linear) const {
  switch (type) {
  case ElementType::I64:
  case ElementType::Index:
    return load<int64_t>(data, linear);
  case ElementType::I32:
    return load<int32_t>(data, linear);
  case ElementType::I16:
    return load<int16_t>(data, linear);
  case ElementType::I8:
    return load<int8_t>(data, linear);
  case ElementType::U8:
    return load<uint8_t>(data, linear);
  case ElementType::I1:
    return load<uint8_t>(data, linear) != 0;
  default:
    llvm_unreachable("getInt on a float type");
  }
}

void HostTensor::setInt(int64_t linear, int64_t value) {
  switch (type) {
  case ElementType::F64:
    return store<double>(data, linear, static_cast<double>(value));
  case ElementType::F32:
    return store<float>(data, linear, static_cast<float>(value));
  case ElementType::F16:
  case ElementType::BF16:
    return setDouble(linear, narrowKeepingSticky(value));
  case ElementType::I64:
  case ElementType::Index:
    return store<int64_t>(data, linear, value);
  case ElementType::I32:
    return store<int32_t>(data, linear, static_cast<int32_t>(value));
  case ElementType::I16:
    return store<int16_t>(data, linear, static_cast<int16_t>(value));
  case ElementType::I8:
  case ElementType::U8:
  case ElementType::I1:
    return store<uint8_t>(data, linear, static_cast<uint8_t>(value));
  }
  llvm_unreachable("every element type is handled");
}

/// The value as an integer of the range, if it is one.
static std::optional<int64_t> toInteger(const HostTensor &tensor, int64_t i,
                                        std::pair<int64_t, int64_t> range) {
  int64_t integer;
  if (isFloat(tensor.getElementType())) {
    double value = tensor.getDouble(i);
    // Written so that NaN fails; 2^63 is the first double too large.
    if (!(value >= -0x1p63 && value < 0x1p63) || value != std::trunc(value))
      return std::nullopt;
    integer = static_cast<int64_t>(value);
  } else {
    integer = tensor.getInt(i);
  }
  if (integer < range.first || integer > range.second)
    return std::nullopt;
  return integer;
}

/// An integer in full, a float in its shortest usual form.
static std::string printElement(const HostTensor &tensor, int64_t i) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (isFloat(tensor.getElementType()))
    os << llvm::format("%.9g", tensor.getDouble(i));
  else
    os << tensor.getInt(i);
  return text;
}

Expected<HostTensor> HostTensor::convertTo(ElementType target) const {
  Expected<HostTensor> result = create(target, shape);
  if (!result)
    return result.takeError();

  if (isFloat(target)) {
    bool fromFloat = isFloat(type);
    for (int64_t i = 0; i < numElements; ++i)
      if (fromFloat)
        result->setDouble(i, getDouble(i));
      else
        result->setInt(i, getInt(i));
    return result;
  }

  for (int64_t i = 0; i < numElements; ++i) {
    std::optional<int64_t> value = toInteger(*this, i, getIntegerRange(target));
    if (!value)
      return llvm::createStringError(
          "expected a value of " + mlir::mha::toString(target) + " at (" +
          llvm::join(
              llvm::map_range(delinearize(i, shape),
                              [](int64_t d) { return std::to_string(d); }),
              ", ") +
          "), found " + printElement(*this, i));
    result->setInt(i, *value);
  }
  return result;
}

Expected<HostTensor> HostTensor::clone() const {
  Expected<HostTensor> result = create(type, shape, UINT64_MAX);
  if (result && getNumBytes() != 0)
    std::memcpy(result->data, data, getNumBytes());
  return result;
}
