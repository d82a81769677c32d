//===- Comparator.h - The tolerance rule ------------------------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one rule that decides whether an output is right (docs/Testing.md). With
//
//   r  the float64 reference,
//   n  the naive computation in the declared types,
//   o  the output,
//   eps = 2^-52, 2^-23, 2^-10, 2^-7 for an output of f64, f32, f16, bf16 (the
//         distance from 1 to the next larger value),
//
// and max and mean taken over the positions where r is finite, o is accepted if
// and only if
//
//   (1) max|o - r|  <= 2 max|n - r|  + 2 eps max|r|
//   (2) mean|o - r| <= 2 mean|n - r| +   eps mean|r|
//   (3) o is NaN, +inf, -inf exactly where r is
//   (4) n is a usable yardstick: (3) holds for it, and max|n - r| <= max|r|
//   / 8.
//
// (4) keeps a wrong naive computation from making the rule vacuous: under it
// the bound of (1) stays below max|r|, so zeros are rejected whatever n is, and
// where r is zero throughout, so must o be.
//
// Integers and booleans must be equal; n is not looked at.
//
// Without finite elements only (3) and (4) remain, and the reason says so. An
// output without elements is accepted.
//
//===----------------------------------------------------------------------===//

#ifndef MHA_EXECUTION_COMPARATOR_H
#define MHA_EXECUTION_COMPARATOR_H

#include "mha/Execution/HostTensor.h"

namespace mlir {
namespace mha {

/// The outcome of one comparison.
struct Comparison {
  bool passed = false;

  /// max|o - r| and the right side of (1).
  double maxError = 0, maxBound = 0;
  /// mean|o - r| and the right side of (2).
  double meanError = 0, meanBound = 0;

  int64_t numElements = 0;
  /// Positions where the values compared with are finite.
  int64_t numFinite = 0;

  /// One sentence: `max error 1.2e-07 <= bound 4.8e-07, mean error ...`, or
  /// what failed, with the first difference
  /// `first difference at (b=0, h=3, i=5, n=2): expected 0.125, found -0.5`.
  std::string reason;

  /// The first element in row-major order that is NaN or infinite where it
  /// should not be or the reverse, or whose own error exceeds `maxBound` (or
  /// `meanBound`, when only (2) failed). Empty for a comparison that passed,
  /// whose shapes differ, or whose yardstick failed; also empty at rank 0.
  llvm::SmallVector<int64_t> firstDifference;
  bool hasFirstDifference = false;
  /// The two values there.
  double expected = 0, found = 0;
};

/// Compares the output `o` under the rule. `outputType` is the type that the
/// program declares for the output; the tensors may hold it or a wider type.
/// `axisNames`, if one for each dimension, name the indices in `reason`.
Comparison compareOutput(const HostTensor &o, const HostTensor &r,
                         const HostTensor &n, ElementType outputType,
                         llvm::ArrayRef<llvm::StringRef> axisNames = {});

/// Compares the output `o` with given values `e` in place of r on the left
/// sides of (1) to (3). The bounds and (4) come from n and r all the same,
/// never from `e`.
Comparison compareExpected(const HostTensor &o, const HostTensor &e,
                           const HostTensor &n, const HostTensor &r,
                           ElementType outputType,
                           llvm::ArrayRef<llvm::StringRef> axisNames = {});

} // namespace mha
} // namespace mlir

#endif // MHA_EXECUTION_COMPARATOR_H
