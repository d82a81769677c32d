//===- HostTensor.h - Tensors in host memory --------------------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arguments and results of a run: a dense row-major array with its element
// type, between two guard zones that show what compiled code writes beside it.
// Needs LLVM's Support library only.
//
//===----------------------------------------------------------------------===//

#ifndef MHA_EXECUTION_HOSTTENSOR_H
#define MHA_EXECUTION_HOSTTENSOR_H

#include "mha/Execution/ElementType.h"

#include "llvm/Support/Error.h"

#include <memory>
#include <optional>

namespace mlir {
namespace mha {

/// A byte of a guard zone that somebody has written.
struct GuardDamage {
  enum class Side { Before, After } side;
  /// How far from the tensor, in bytes; 0 is next to it.
  int64_t distance;
};

/// An owning, dense, row-major array. Moved, never copied implicitly, because a
/// copy can fail for want of memory: see `clone`.
class HostTensor {
public:
  /// Largest tensor that `create` makes unless told otherwise: 64 GiB.
  static constexpr uint64_t kDefaultByteLimit = uint64_t(1) << 36;
  /// Bytes of each guard zone, at least.
  static constexpr uint64_t kGuardBytes = 4096;
  /// What guard zones are filled with. All bits set is NaN in every float type:
  /// what code reads there shows in its results.
  static constexpr unsigned char kPoison = 0xFF;

  /// A tensor of zeros. An error when a size is negative, the bytes overflow or
  /// exceed `byteLimit`, or memory is short.
  static llvm::Expected<HostTensor>
  create(ElementType type, llvm::ArrayRef<int64_t> shape,
         uint64_t byteLimit = kDefaultByteLimit);

  HostTensor(HostTensor &&) = default;
  HostTensor &operator=(HostTensor &&) = default;

  ElementType getElementType() const { return type; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getRank() const { return shape.size(); }
  int64_t getNumElements() const { return numElements; }
  int64_t getNumBytes() const { return numElements * getByteWidth(type); }
  /// Row-major strides in elements.
  llvm::SmallVector<int64_t> getStrides() const;
  /// `2x3xf32`.
  std::string typeToString() const { return toString(type, shape); }

  /// Never null, 64-byte aligned, `getNumBytes()` long.
  char *getData() { return data; }
  const char *getData() const { return data; }

  /// Fills the tensor like a guard zone, so that elements show that nobody
  /// writes, where a zero could be right by chance.
  void poison();
  /// The damage next to the tensor, if there is any: what compiled code that
  /// had a pointer to it has written beside it.
  std::optional<GuardDamage> findGuardDamage() const;

  /// The element as a double. Exact for every type but i64 and index.
  double getDouble(int64_t linear) const;
  /// Stores a double, rounded once to nearest even. Float types only.
  void setDouble(int64_t linear, double value);
  /// The element of an integer type.
  int64_t getInt(int64_t linear) const;
  /// Stores an integer: rounded once for a float type, within
  /// `getIntegerRange` for an integer type.
  void setInt(int64_t linear, int64_t value);

  /// The same values in another element type. To a float type each value is
  /// rounded once to nearest even; to an integer type a value that the type
  /// does not have (a fraction, NaN, too large) is an error naming its index.
  llvm::Expected<HostTensor> convertTo(ElementType target) const;
  llvm::Expected<HostTensor> clone() const;

private:
  struct Free {
    void operator()(void *pointer) const;
  };

  HostTensor(ElementType type, llvm::ArrayRef<int64_t> shape,
             int64_t numElements)
      : type(type), shape(shape.begin(), shape.end()),
        numElements(numElements) {}

  ElementType type;
  llvm::SmallVector<int64_t> shape;
  int64_t numElements;
  std::unique_ptr<void, Free> allocation;
  char *data = nullptr; // Aligned, behind the first guard zone.
};

} // namespace mha
} // namespace mlir

#endif // MHA_EXECUTION_HOSTTENSOR_H
