//===- RuntimeSymbol.h - What compiled code calls by name -------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_EXECUTION_RUNTIMESYMBOL_H
#define MHA_EXECUTION_RUNTIMESYMBOL_H

#include "llvm/ADT/StringRef.h"

namespace mlir::mha {

/// A function that compiled code calls by name.
struct RuntimeSymbol {
  llvm::StringLiteral name;
  void *address;
};

} // namespace mlir::mha

#endif // MHA_EXECUTION_RUNTIMESYMBOL_H
