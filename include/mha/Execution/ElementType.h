//===- ElementType.h - Element types and shapes of a run --------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_EXECUTION_ELEMENTTYPE_H
#define MHA_EXECUTION_ELEMENTTYPE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace mlir {
namespace mha {

/// The element types that a run can hold. `I*` are MLIR's signless integers,
/// read as signed; `U8` is `ui8`; `I1` takes one byte, 0 or 1; `Index` is
/// stored like `I64`.
enum class ElementType {
  F64,
  F32,
  F16,
  BF16,
  I64,
  I32,
  I16,
  I8,
  U8,
  I1,
  Index
};

/// MLIR's spelling: `f32`, `i1`, `ui8`, `index`.
llvm::StringRef toString(ElementType type);
/// The reverse of `toString`; nothing for any other text.
std::optional<ElementType> parseElementType(llvm::StringRef text);
/// Bytes of one stored element.
int64_t getByteWidth(ElementType type);
bool isFloat(ElementType type);
/// Bits of the significand with the implicit one: 53, 24, 11, 8. Float types
/// only.
int getSignificandBits(ElementType type);
/// The largest range within which every integer is a value of the type: all
/// values of an integer type, -2^p..2^p for a float type of p significand bits.
std::pair<int64_t, int64_t> getIntegerRange(ElementType type);

/// Rounds to nearest, ties to even, in one step; too large becomes infinity,
/// NaN stays NaN. The result is the bit pattern.
uint16_t roundToF16Bits(double value);
uint16_t roundToBF16Bits(double value);
double widenF16Bits(uint16_t bits);
double widenBF16Bits(uint16_t bits);

/// A dimension whose size is not known before the run; the same value as
/// `mlir::ShapedType::kDynamic`, so shapes can be copied from MLIR types.
constexpr int64_t kDynamicDim = INT64_MIN;

/// The type of an argument or result as the program declares it. A scalar is
/// of rank 0.
struct DeclaredType {
  ElementType elementType;
  /// Sizes, `kDynamicDim` where dynamic.
  llvm::SmallVector<int64_t> shape;

  bool hasStaticShape() const;
  /// `2x?x5xf32`; `f32` for rank 0.
  std::string toString() const;
};

/// `2x3xf32`, `?` for a dynamic dimension.
std::string toString(ElementType type, llvm::ArrayRef<int64_t> shape);

/// Number of elements of a static shape; nothing when a size is negative or the
/// product does not fit. A shape with a size 0 has 0 elements.
std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> shape);

/// The multi-index of a linear index into a row-major array of this shape.
llvm::SmallVector<int64_t> delinearize(int64_t linear,
                                       llvm::ArrayRef<int64_t> shape);

} // namespace mha
} // namespace mlir

#endif // MHA_EXECUTION_ELEMENTTYPE_H
