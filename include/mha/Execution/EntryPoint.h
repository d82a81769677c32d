//===- EntryPoint.h - The function that a run calls -------------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_EXECUTION_ENTRYPOINT_H
#define MHA_EXECUTION_ENTRYPOINT_H

#include "mha/Execution/ElementType.h"
#include "mha/Execution/IntegerRange.h"
#include "mha/Execution/Program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::mha {

struct EntryArgument {
  /// The attribute `mha.name`, else the name in the source text, else `argN`.
  std::string name;
  DeclaredType type;
  /// The legal values of an integer argument whose meaning is known.
  std::optional<IntegerRange> range;
};

struct EntryResult {
  DeclaredType type;
  /// One letter for each dimension of a result that an attention op returns:
  /// b batch, h head, i query, n value column. Else empty.
  SmallVector<StringRef> axisNames;
  /// The argument in whose memory the compiled function leaves the result.
  std::optional<unsigned> donor;
};

/// A function on tensors and scalars, as its source declares it.
struct EntryPoint {
  func::FuncOp function;
  SmallVector<EntryArgument> arguments;
  SmallVector<EntryResult> results;

  StringRef getName() const { return func::FuncOp(function).getName(); }
};

/// The public function `name` of the program; without a name `main`, else the
/// only public function with a body. Diagnoses a function that is not there,
/// and arguments and results of types that cannot be run.
FailureOr<EntryPoint> findEntryPoint(const Program &program, StringRef name);

/// Diagnoses, at the function of `other`, a signature that cannot take the
/// arguments or give the results of `entry`: other element types, ranks or
/// static sizes.
LogicalResult checkSameSignature(const EntryPoint &entry,
                                 const EntryPoint &other);

} // namespace mlir::mha

#endif // MHA_EXECUTION_ENTRYPOINT_H
