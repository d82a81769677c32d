//===- EntryInterface.h - How to call a compiled entry point ----*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_EXECUTION_ENTRYINTERFACE_H
#define MHA_EXECUTION_ENTRYINTERFACE_H

#include "mha/Execution/EntryPoint.h"

namespace mlir::mha {

/// The symbols of the compiled form of an entry point (docs/Conventions.md,
/// "Compiled functions").
struct EntryInterface {
  std::string callSymbol;
  std::string workspaceSymbol;
  /// Empty when the shapes of all results are static.
  std::string shapeSymbol;
  /// Floats of arguments and results are f64, whatever the program declares.
  bool promoted = false;
};

/// Whether the module has the entry point in the LLVM dialect.
bool isCompiled(ModuleOp module, const EntryPoint &entry);

/// Whether passes that may be anybody's have promoted the floats of the entry
/// point, compiled or not. Diagnoses one that is gone or has another type.
FailureOr<bool> readPromotion(ModuleOp module, const EntryPoint &entry);

/// The interface of the compiled entry point. Diagnoses functions that are
/// missing or have other types than the interface says.
FailureOr<EntryInterface>
readEntryInterface(ModuleOp module, const EntryPoint &entry, bool promoted);

} // namespace mlir::mha

#endif // MHA_EXECUTION_ENTRYINTERFACE_H
