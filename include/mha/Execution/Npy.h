//===- Npy.h - NumPy's array files ------------------------------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading and writing `.npy` (versions 1.0, 2.0, 3.0) and reading `.npz`.
// Files are untrusted: whatever they hold, the outcome is a tensor or an error
// that names the file, what was expected and what was found.
//
// Element types of files, for an argument of each declared type:
//
//   f64 <f8   f32 <f4   f16 <f2   i64, index <i8   i32 <i4   i16 <i2
//   i8 |i1   ui8 |u1   i1 |b1
//   bf16: <f4, rounded to nearest even, or the bits as `|V2` or `<u2`
//
// `>` for `<` is read by swapping bytes, Fortran order by transposing.
// Everything else (objects, structures, complex numbers) is refused.
//
//===----------------------------------------------------------------------===//

#ifndef MHA_EXECUTION_NPY_H
#define MHA_EXECUTION_NPY_H

#include "mha/Execution/HostTensor.h"

namespace mlir {
namespace mha {

/// Reads the array file `path` as a value of type `declared`; a dynamic
/// dimension takes its size from the file. A different element type or shape is
/// the error `q.npy: expected 2x6x7x5xf32, found 2x6x7x4xf32`.
llvm::Expected<HostTensor> readNpy(llvm::StringRef path,
                                   const DeclaredType &declared);

/// Reads the array named `member` (as in `numpy.savez(path, member=...)`) of
/// the archive `path`, under the same rules.
llvm::Expected<HostTensor> readNpz(llvm::StringRef path, llvm::StringRef member,
                                   const DeclaredType &declared);

/// The same for the bytes of an array file in memory; `name` stands for the
/// file in errors.
llvm::Expected<HostTensor> parseNpy(llvm::StringRef bytes, llvm::StringRef name,
                                    const DeclaredType &declared);

/// Writes `tensor` to `path` (version 1.0, little endian, C order); bf16 is
/// written as float32. The file appears whole or not at all: a failure leaves
/// an older file of that name untouched and nothing beside it.
llvm::Error writeNpy(llvm::StringRef path, const HostTensor &tensor);

} // namespace mha
} // namespace mlir

#endif // MHA_EXECUTION_NPY_H
