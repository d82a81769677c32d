//===- NpyFormat.h - The format of NumPy's array files ----------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format is that of NumPy's `numpy.lib.format`: a magic string, a version,
// the header's length, and a Python dictionary literal of three entries. The
// data follow.
//
//===----------------------------------------------------------------------===//

#ifndef MHA_LIB_EXECUTION_NPYFORMAT_H
#define MHA_LIB_EXECUTION_NPYFORMAT_H

#include "mha/Execution/HostTensor.h"

namespace mlir {
namespace mha {

/// Bytes from which `getNpyDataOffset` can tell where the data begin.
constexpr size_t kNpyPreambleSize = 12;

/// What a header says.
struct NpyHeader {
  /// NumPy's spelling, `<f4`.
  std::string descr;
  /// The stored type; nothing where there is none of ours. `|V2` and `<u2`
  /// are the bits of BF16.
  std::optional<ElementType> elementType;
  /// Bytes are in the other order than this machine's.
  bool swapped = false;
  /// The first dimension varies fastest.
  bool fortranOrder = false;
  llvm::SmallVector<int64_t> shape;

  /// `2x3xf32`, or `2x3 of type '<c8'` where the type is none of ours.
  std::string typeToString() const;
};

/// The offset of the data, from the first `kNpyPreambleSize` bytes of a file
/// (fewer, if the file is shorter).
llvm::Expected<size_t> getNpyDataOffset(llvm::StringRef start);

/// Parses the first `getNpyDataOffset` bytes of a file.
llvm::Expected<NpyHeader> parseNpyHeader(llvm::StringRef header);

/// The bytes that stand before the data of `tensor`, which must not be of type
/// BF16.
llvm::Expected<std::string> makeNpyHeader(const HostTensor &tensor);

/// Checks `header`, followed by `dataSize` bytes, against `declared`.
llvm::Error checkNpyHeader(const NpyHeader &header, uint64_t dataSize,
                           const DeclaredType &declared);

/// Makes the tensor of checked `header` from its data.
llvm::Expected<HostTensor> decodeNpy(const NpyHeader &header,
                                     llvm::StringRef data,
                                     const DeclaredType &declared);

/// Text of unknown origin, in quotes and fit for a message.
std::string quoteForMessage(llvm::StringRef text);

/// Prefixes the message of `error` with `name: `.
llvm::Error addFileName(llvm::StringRef name, llvm::Error error);

/// An error unless `path` is a regular file: a device or a pipe may have no
/// end.
llvm::Error checkRegularFile(llvm::StringRef path);

} // namespace mha
} // namespace mlir

#endif // MHA_LIB_EXECUTION_NPYFORMAT_H
