//===- Comparator.cpp - The tolerance rule --------------------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/Comparator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace mlir::mha;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Equal numbers, equal infinities, or both NaN or both finite: what (3) asks.
static bool haveSamePattern(double a, double b) {
  if (std::isfinite(a) || std::isfinite(b))
    return std::isfinite(a) && std::isfinite(b);
  return std::isnan(a) || std::isnan(b) ? std::isnan(a) && std::isnan(b)
                                        : a == b;
}

static std::string print(double value, int digits) {
  if (std::isnan(value)) // Without the sign that printf may show.
    return "nan";
  char buffer[40];
  std::snprintf(buffer, sizeof(buffer), "%.*g", digits, value);
  return buffer;
}

/// Enough digits to tell any two values of the type apart.
static int getPrintedDigits(ElementType type) {
  if (!isFloat(type))
    return 17;
  return 1 + int(std::ceil(getSignificandBits(type) * 0.30103));
}

/// ` at (b=0, h=3)`; nothing at rank 0.
static std::string printIndex(ArrayRef<int64_t> index,
                              ArrayRef<StringRef> axisNames) {
  if (index.empty())
    return "";
  std::string text;
  for (size_t d = 0; d < index.size(); ++d) {
    text += d ? ", " : " at (";
    if (axisNames.size() == index.size())
      text += (axisNames[d] + "=").str();
    text += std::to_string(index[d]);
  }
  return text + ")";
}

namespace {
/// Maximum and mean of magnitudes.
struct Magnitude {
  double max = 0, sum = 0;
  int64_t count = 0;

  void add(double value) {
    max = std::max(max, std::fabs(value));
    sum += std::fabs(value);
    ++count;
  }
  double mean() const { return count ? sum / double(count) : 0; }
};

/// One comparison under way.
class Comparer {
public:
  Comparer(const HostTensor &output, const HostTensor &wanted,
           ElementType outputType, ArrayRef<StringRef> axisNames)
      : output(output), wanted(wanted), type(outputType), axisNames(axisNames),
        printedDigits(getPrintedDigits(outputType)) {
    result.numElements = output.getNumElements();
  }

  Comparison compareExactly();
  Comparison compareWithin(const HostTensor &naive,
                           const HostTensor &reference);
  /// False, with the reason, if the shapes differ.
  bool checkShape(const HostTensor &other, StringRef name);
  Comparison takeResult() { return std::move(result); }

private:
  bool setBounds(const HostTensor &naive, const HostTensor &reference);
  void measure();
  void judge();
  /// Finds and describes the first element that `differs`.
  template <typename Predicate>
  std::string findFirst(Predicate differs);

  std::string number(double value) const { return print(value, printedDigits); }
  std::string describe(double expected, double found) const {
    // A small difference may need more digits than the type's.
    int digits = number(expected) == number(found) ? 17 : printedDigits;
    return "expected " + print(expected, digits) + ", found " +
           print(found, digits);
  }
  std::string indexOf(int64_t i) const {
    return printIndex(delinearize(i, output.getShape()), axisNames);
  }

  const HostTensor &output, &wanted;
  ElementType type;
  ArrayRef<StringRef> axisNames;
  int printedDigits;
  Comparison result;
  bool samePattern = true;
};
} // namespace

//===----------------------------------------------------------------------===//
// The rule
//===----------------------------------------------------------------------===//

bool Comparer::checkShape(const HostTensor &other, StringRef name) {
  if (output.getShape() == other.getShape())
    return true;
  result.reason = ("the output has another shape than " + name + ": expected " +
                   toString(type, other.getShape()) + ", found " +
                   toString(type, output.getShape()))
                      .str();
  return false;
}

template <typename Predicate>
std::string Comparer::findFirst(Predicate differs) {
  for (int64_t i = 0; i < output.getNumElements(); ++i) {
    double expected = wanted.getDouble(i), found = output.getDouble(i);
    if (!differs(i, expected, found))
      continue;
    result.firstDifference = delinearize(i, output.getShape());
    result.hasFirstDifference = true;
    result.expected = expected;
    result.found = found;
    return "first difference" + indexOf(i) + ": " + describe(expected, found);
  }
  llvm_unreachable("a comparison failed without a difference");
}

/// (4), and the right sides of (1) and (2).
bool Comparer::setBounds(const HostTensor &naive, const HostTensor &reference) {
  Magnitude error, value;
  for (int64_t i = 0; i < reference.getNumElements(); ++i) {
    double r = reference.getDouble(i), n = naive.getDouble(i);
    if (!haveSamePattern(n, r)) {
      result.reason = "the naive computation is no yardstick: it is " +
                      number(n) + indexOf(i) + " where the reference is " +
                      number(r);
      return false;
    }
    if (!std::isfinite(r))
      continue;
    error.add(n - r);
    value.add(r);
  }
  if (!(error.max <= value.max / 8)) {
    result.reason = "the naive computation is no yardstick: it is off by " +
                    print(error.max, 4) +
                    ", expected at most an eighth of the largest reference "
                    "value, " +
                    print(value.max, 4);
    return false;
  }
  double epsilon = std::ldexp(1.0, 1 - getSignificandBits(type));
  result.maxBound = 2 * error.max + 2 * epsilon * value.max;
  result.meanBound = 2 * error.mean() + epsilon * value.mean();
  return true;
}

/// The left sides of (1) and (2), and (3).
void Comparer::measure() {
  Magnitude error;
  for (int64_t i = 0; i < output.getNumElements(); ++i) {
    double w = wanted.getDouble(i), o = output.getDouble(i);
    if (!haveSamePattern(o, w)) {
      samePattern = false;
      result.numFinite += std::isfinite(w);
    } else if (std::isfinite(w)) {
      error.add(o - w);
      ++result.numFinite;
    }
  }
  result.maxError = error.max;
  result.meanError = error.mean();
}

void Comparer::judge() {
  // Written so that NaN fails.
  bool withinMax = result.maxError <= result.maxBound;
  bool withinMean = result.meanError <= result.meanBound;
  result.passed = samePattern && withinMax && withinMean;
  auto line = [](StringRef what, double error, double bound) {
    return (what + " error " + print(error, 4) +
            (error <= bound ? " <= bound " : " > bound ") + print(bound, 4))
        .str();
  };
  std::string errors = line("max", result.maxError, result.maxBound) + ", " +
                       line("mean", result.meanError, result.meanBound);
  if (result.passed) {
    result.reason = result.numFinite
                        ? errors
                        : "no finite element to compare, NaN and infinities "
                          "are where they are expected";
    return;
  }
  bool onlyMean = samePattern && withinMax;
  std::string first = findFirst([&](int64_t, double expected, double found) {
    if (!haveSamePattern(expected, found))
      return true;
    if (!std::isfinite(expected))
      return false;
    double error = std::fabs(found - expected);
    // No element need exceed a bound of the mean that is exceeded by a rounding
    // error of the sum; the largest error is then as good as any.
    return onlyMean ? error > result.meanBound || error == result.maxError
                    : !(error <= result.maxBound);
  });
  result.reason =
      (samePattern ? errors : "NaN or infinity in other places than expected") +
      "; " + first;
}

Comparison Comparer::compareWithin(const HostTensor &naive,
                                   const HostTensor &reference) {
  if (result.numElements == 0) {
    result.passed = true;
    result.reason = "no elements to compare";
  } else if (setBounds(naive, reference)) {
    measure();
    judge();
  }
  return takeResult();
}

Comparison Comparer::compareExactly() {
  bool integers =
      !isFloat(output.getElementType()) && !isFloat(wanted.getElementType());
  // A double does not hold every i64.
  auto differ = [&](int64_t i, double expected, double found) {
    return integers ? output.getInt(i) != wanted.getInt(i) : expected != found;
  };
  measure();
  result.passed = true;
  for (int64_t i = 0; result.passed && i < result.numElements; ++i)
    result.passed = !differ(i, wanted.getDouble(i), output.getDouble(i));
  if (result.passed)
    result.reason =
        result.numElements ? "all elements equal" : "no elements to compare";
  else
    result.reason = "integers must be equal; " + findFirst(differ);
  return takeResult();
}

static Comparison compare(Comparer comparer, const HostTensor &naive,
                          const HostTensor &reference, ElementType outputType) {
  if (!isFloat(outputType))
    return comparer.compareExactly();
  if (!comparer.checkShape(naive, "the naive computation") ||
      !comparer.checkShape(reference, "the reference"))
    return comparer.takeResult();
  return comparer.compareWithin(naive, reference);
}

Comparison mlir::mha::compareOutput(const HostTensor &o, const HostTensor &r,
                                    const HostTensor &n, ElementType outputType,
                                    ArrayRef<StringRef> axisNames) {
  Comparer comparer(o, r, outputType, axisNames);
  if (!comparer.checkShape(r, "the reference"))
    return comparer.takeResult();
  return compare(std::move(comparer), n, r, outputType);
}

Comparison mlir::mha::compareExpected(const HostTensor &o, const HostTensor &e,
                                      const HostTensor &n, const HostTensor &r,
                                      ElementType outputType,
                                      ArrayRef<StringRef> axisNames) {
  Comparer comparer(o, e, outputType, axisNames);
  if (!comparer.checkShape(e, "the expected values"))
    return comparer.takeResult();
  return compare(std::move(comparer), n, r, outputType);
}
