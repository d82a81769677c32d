//===- InputSpec.h - Where an argument's values come from -------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The input grammar of `mha-run`:
//
//   [NAME=][SHAPExTYPE=]SOURCE
//
//   random[:SEED]        float types: close to standard normal, within -6..6;
//                        i1: true with probability 1/2; other integer types:
//                        within the argument's legal range, if it has one
//   uniform[:SEED]       float types: 0 <= x < 1; integer types: as random
//   iota                 float types: ((i mod 251) - 125) / 128 at linear index
//                        i; integer types: 0, 1, 2, ... within the legal range
//                        or else the type's non-negative values, starting over
//                        at its end
//   const:V              V everywhere; for float types also inf, -inf, nan, for
//                        i1 also true, false
//   bool:P[:SEED]        1 with probability P, else 0
//   int:LO:HI[:SEED]     integers LO..HI, both ends included
//   @FILE.npy            the file
//   @FILE.npz            the array of the archive that bears the argument's
//   name
//
// NAME may begin with `%`. One prefix alone that reads as a type is a type. The
// default seed is 0. The values are the same on every platform and differ
// between arguments that share a seed. 251 is prime, so that no row repeats its
// neighbour, and every value of a float iota is exact in every float type.
//
//===----------------------------------------------------------------------===//

#ifndef MHA_EXECUTION_INPUTSPEC_H
#define MHA_EXECUTION_INPUTSPEC_H

#include "mha/Execution/HostTensor.h"

namespace mlir {
namespace mha {

/// One parsed `--input`.
struct InputSpec {
  enum class Source { Random, Uniform, Iota, Const, Bool, Int, Npy, Npz };

  /// Parses the grammar above. An error quotes the text and says at which
  /// character (from 1) what was expected and what was found.
  static llvm::Expected<InputSpec> parse(llvm::StringRef text);

  /// As given.
  std::string text;
  /// The argument's name without `%`; empty when the spec is for every argument
  /// that has none of its own.
  std::string name;
  /// Shape and type, always static.
  std::optional<DeclaredType> type;

  Source source = Source::Random;
  uint64_t seed = 0;
  /// Probability of `bool`.
  double probability = 0;
  /// Ends of `int`.
  int64_t low = 0, high = 0;
  /// V of `const`, or the path of a file.
  std::string value;
};

/// The argument that values are made for.
struct InputTarget {
  /// For messages and for the array's name in an archive; without `%`.
  std::string name;
  /// Position among the function's arguments; enters the random values.
  unsigned index = 0;
  /// As the program declares it.
  DeclaredType type;
  /// For an integer argument whose meaning is known (a length, an offset): its
  /// smallest and largest legal value.
  std::optional<std::pair<int64_t, int64_t>> legalRange = std::nullopt;
};

/// The shape that `target` takes under `spec`: static sizes as declared,
/// dynamic ones from the spec. An error, naming argument and dimension, when
/// they disagree or a dynamic dimension has no size. For a spec that reads a
/// file, sizes that only the file knows stay `kDynamicDim`.
llvm::Expected<llvm::SmallVector<int64_t>>
resolveInputShape(const InputSpec &spec, const InputTarget &target);

/// Makes the argument's value. The legal range steers `random`, `uniform` and
/// `iota` only: values that the user gives, by `const`, `int`, `bool` or a
/// file, are the caller's to check.
llvm::Expected<HostTensor> makeInput(const InputSpec &spec,
                                     const InputTarget &target);

} // namespace mha
} // namespace mlir

#endif // MHA_EXECUTION_INPUTSPEC_H
