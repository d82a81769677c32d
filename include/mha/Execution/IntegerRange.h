//===- IntegerRange.h - Legal values of integer arguments -------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integers have a meaning only through their use: a number of valid keys lies
// within 0..Sk, an offset of the queries among the keys within -Sq..Sk.
//
//===----------------------------------------------------------------------===//

#ifndef MHA_EXECUTION_INTEGERRANGE_H
#define MHA_EXECUTION_INTEGERRANGE_H

#include "mlir/IR/Value.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <utility>

namespace mlir::mha {

/// The size of one dimension: known, or that of an argument at run time.
struct SizeSource {
  int64_t size = 0;
  /// Where set, `size` is not used.
  std::optional<unsigned> argument;
  unsigned dim = 0;
};

struct IntegerRange {
  /// Number of queries Sq; only where `isOffset`.
  std::optional<SizeSource> queryLength;
  /// Number of keys Sk; the smallest one counts.
  SmallVector<SizeSource> keyLengths;
  /// An offset may have any value; the range is the one that is drawn from. A
  /// length must lie in the range.
  bool isOffset = false;

  using ShapeOf = llvm::function_ref<ArrayRef<int64_t>(unsigned argument)>;
  /// Smallest and largest value, given the shapes of the other arguments.
  std::pair<int64_t, int64_t> evaluate(ShapeOf shapeOf) const;
};

/// The range of the function argument `argument`, when it is used, directly or
/// through casts, as lengths or query offset of an attention op.
std::optional<IntegerRange> findIntegerRange(BlockArgument argument);

} // namespace mlir::mha

#endif // MHA_EXECUTION_INTEGERRANGE_H
