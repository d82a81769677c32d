//===- Inputs.h - The values that a run passes ------------------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_EXECUTION_INPUTS_H
#define MHA_EXECUTION_INPUTS_H

#include "mha/Execution/EntryPoint.h"
#include "mha/Execution/HostTensor.h"

namespace mlir::mha {

/// The arguments of a call, in order, and where each comes from.
struct Inputs {
  std::vector<HostTensor> values;
  /// The `--input` that makes this value again: `q=2x3xf32=random:1`.
  SmallVector<std::string> specs;
};

/// Makes the value of every argument from the texts of `--input`: the spec with
/// the argument's name, else the one without a name, else `random:0`. Fails
/// for a spec that fits no argument, for two that fit one, and for lengths
/// beyond the keys.
llvm::Expected<Inputs> makeInputs(const EntryPoint &entry,
                                  ArrayRef<std::string> specs);

} // namespace mlir::mha

#endif // MHA_EXECUTION_INPUTS_H
