//===- InputValues.cpp - The values that inputs stand for -----------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/InputSpec.h"

#include "mha/Execution/Npy.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/ErrorHandling.h"

#include <cmath>
#include <random>

using namespace mlir::mha;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
using Source = InputSpec::Source;
using Range = std::pair<int64_t, int64_t>;

static Error fail(const InputSpec &spec, const InputTarget &target,
                  const Twine &message) {
  return createStringError("input '" + spec.text + "' for argument '" +
                           target.name + "': " + message);
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

Expected<llvm::SmallVector<int64_t>>
mlir::mha::resolveInputShape(const InputSpec &spec, const InputTarget &target) {
  const DeclaredType &declared = target.type;
  if (spec.type && (spec.type->elementType != declared.elementType ||
                    spec.type->shape.size() != declared.shape.size()))
    return fail(spec, target,
                "expected " + declared.toString() + ", found " +
                    spec.type->toString());

  llvm::SmallVector<int64_t> shape = declared.shape;
  bool isFile = spec.source == Source::Npy || spec.source == Source::Npz;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (spec.type && shape[d] == kDynamicDim)
      shape[d] = spec.type->shape[d];
    if (spec.type && shape[d] != spec.type->shape[d])
      return fail(spec, target,
                  "expected size " + Twine(shape[d]) + " of dimension " +
                      Twine(d) + ", found " + Twine(spec.type->shape[d]));
    if (shape[d] == kDynamicDim && !isFile)
      return fail(spec, target,
                  "expected a size for dimension " + Twine(d) + " of " +
                      declared.toString() +
                      ", found none (write the type with its sizes before the "
                      "source, as in 2x3xf32=random)");
  }
  return shape;
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

namespace {
/// Draws whose values the C++ standard fixes for every platform: the bits of
/// std::mt19937_64 and integer arithmetic, no distribution of the library and
/// no function of libm.
class Draws {
public:
  Draws(uint64_t seed, unsigned argument)
      : engine(mix(seed + 0x9e3779b97f4a7c15 * (uint64_t(argument) + 1))) {}

  /// 0 <= x < 1 in steps of 2^-bits, so that a type of so many significand bits
  /// has the value exactly and none is rounded up to 1.
  double uniform(int bits) {
    return std::ldexp(double(engine() >> (64 - bits)), -bits);
  }

  /// The sum of twelve uniform numbers less its mean: variance 1, within -6..6,
  /// steps of 2^-32, and exact.
  double normal() {
    constexpr int64_t mean = 6 * int64_t(UINT32_MAX);
    int64_t sum = 0;
    for (int i = 0; i < 6; ++i) {
      uint64_t bits = engine();
      sum += int64_t(bits >> 32) + int64_t(bits & UINT32_MAX);
    }
    return std::ldexp(double(sum - mean), -32);
  }

  /// Every integer of the range equally often.
  int64_t within(Range range) {
    uint64_t last = uint64_t(range.second) - uint64_t(range.first);
    if (last == UINT64_MAX)
      return int64_t(engine());
    uint64_t count = last + 1;
    // Draws beyond the last whole multiple would favour small values.
    uint64_t excess = (UINT64_MAX % count + 1) % count;
    uint64_t draw;
    do
      draw = engine();
    while (draw > UINT64_MAX - excess);
    return int64_t(uint64_t(range.first) + draw % count);
  }

private:
  /// The finaliser of SplitMix64: neighbouring seeds become unrelated ones.
  static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }

  std::mt19937_64 engine;
};
} // namespace

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

static const llvm::fltSemantics &getSemantics(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return llvm::APFloat::IEEEdouble();
  case ElementType::F32:
    return llvm::APFloat::IEEEsingle();
  case ElementType::F16:
    return llvm::APFloat::IEEEhalf();
  case ElementType::BF16:
    return llvm::APFloat::BFloat();
  default:
    llvm_unreachable("not a float type");
  }
}

/// `random` and `uniform`.
static Error fillRandom(HostTensor &tensor, const InputSpec &spec,
                        const InputTarget &target) {
  ElementType type = tensor.getElementType();
  Draws draws(spec.seed, target.index);
  if (isFloat(type)) {
    int bits = getSignificandBits(type);
    bool normal = spec.source == Source::Random;
    for (int64_t i = 0; i < tensor.getNumElements(); ++i)
      tensor.setDouble(i, normal ? draws.normal() : draws.uniform(bits));
    return Error::success();
  }
  std::optional<Range> range = target.legalRange;
  if (!range && type == ElementType::I1)
    range = getIntegerRange(type);
  if (!range)
    return fail(spec, target,
                "expected a range for " + target.type.toString() +
                    ", found none (use int:LO:HI)");
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    tensor.setInt(i, draws.within(*range));
  return Error::success();
}

static void fillIota(HostTensor &tensor, const InputTarget &target) {
  ElementType type = tensor.getElementType();
  if (isFloat(type)) {
    for (int64_t i = 0; i < tensor.getNumElements(); ++i)
      tensor.setDouble(i, double(i % 251 - 125) / 128);
    return;
  }
  Range range = target.legalRange ? *target.legalRange
                                  : Range(0, getIntegerRange(type).second);
  uint64_t last = uint64_t(range.second) - uint64_t(range.first);
  for (int64_t i = 0; i < tensor.getNumElements(); ++i) {
    uint64_t step = last == UINT64_MAX ? uint64_t(i) : uint64_t(i) % (last + 1);
    tensor.setInt(i, int64_t(uint64_t(range.first) + step));
  }
}

static Error fillFloatConst(HostTensor &tensor, const InputSpec &spec,
                            const InputTarget &target) {
  llvm::APFloat value(getSemantics(tensor.getElementType()));
  auto status =
      value.convertFromString(spec.value, llvm::APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    return fail(spec, target, "expected a number, found '" + spec.value + "'");
  }
  if (*status & llvm::APFloat::opOverflow)
    return fail(spec, target,
                "expected a number within the range of " +
                    toString(tensor.getElementType()) + ", found " +
                    spec.value);
  bool inexact;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &inexact);
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    tensor.setDouble(i, value.convertToDouble());
  return Error::success();
}

static Error checkRange(Range values, const InputSpec &spec,
                        const InputTarget &target) {
  Range range = getIntegerRange(target.type.elementType);
  if (values.first >= range.first && values.second <= range.second)
    return Error::success();
  int64_t outside = values.first < range.first ? values.first : values.second;
  return fail(spec, target,
              "expected integers of " + toString(target.type.elementType) +
                  " within " + Twine(range.first) + ".." + Twine(range.second) +
                  ", found " + Twine(outside));
}

static Error fillConst(HostTensor &tensor, const InputSpec &spec,
                       const InputTarget &target) {
  ElementType type = tensor.getElementType();
  if (isFloat(type))
    return fillFloatConst(tensor, spec, target);
  int64_t value;
  if (type == ElementType::I1 &&
      (spec.value == "true" || spec.value == "false"))
    value = spec.value == "true";
  else if (StringRef(spec.value).getAsInteger(10, value))
    return fail(spec, target,
                "expected an integer of 64 bits, found '" + spec.value + "'");
  if (Error error = checkRange({value, value}, spec, target))
    return error;
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    tensor.setInt(i, value);
  return Error::success();
}

static Error fillInt(HostTensor &tensor, const InputSpec &spec,
                     const InputTarget &target) {
  Range range(spec.low, spec.high);
  if (Error error = checkRange(range, spec, target))
    return error;
  Draws draws(spec.seed, target.index);
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    tensor.setInt(i, draws.within(range));
  return Error::success();
}

static void fillBool(HostTensor &tensor, const InputSpec &spec,
                     const InputTarget &target) {
  Draws draws(spec.seed, target.index);
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    tensor.setInt(i, draws.uniform(53) < spec.probability);
}

static Error fill(HostTensor &tensor, const InputSpec &spec,
                  const InputTarget &target) {
  switch (spec.source) {
  case Source::Random:
  case Source::Uniform:
    return fillRandom(tensor, spec, target);
  case Source::Iota:
    fillIota(tensor, target);
    return Error::success();
  case Source::Const:
    return fillConst(tensor, spec, target);
  case Source::Bool:
    fillBool(tensor, spec, target);
    return Error::success();
  case Source::Int:
    return fillInt(tensor, spec, target);
  case Source::Npy:
  case Source::Npz:
    break;
  }
  llvm_unreachable("files are read, not filled");
}

Expected<HostTensor> mlir::mha::makeInput(const InputSpec &spec,
                                          const InputTarget &target) {
  auto shape = resolveInputShape(spec, target);
  if (!shape)
    return shape.takeError();
  ElementType type = target.type.elementType;
  if (spec.source == Source::Npy)
    return readNpy(spec.value, {type, *shape});
  if (spec.source == Source::Npz)
    return readNpz(spec.value, target.name, {type, *shape});

  Expected<HostTensor> tensor = HostTensor::create(type, *shape);
  if (!tensor)
    return fail(spec, target, llvm::toString(tensor.takeError()));
  if (Error error = fill(*tensor, spec, target))
    return error;
  return tensor;
}
