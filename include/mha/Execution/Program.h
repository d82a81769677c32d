//===- Program.h - A program as it was read from a file ---------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_EXECUTION_PROGRAM_H
#define MHA_EXECUTION_PROGRAM_H

#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/SourceMgr.h"

#include <memory>
#include <string>

namespace mlir::mha {

/// A module with the names of its source text.
class Program {
public:
  /// Reads text or bytecode from `path`, `-` being the standard input. Syntax
  /// and verification errors are diagnosed where they are.
  static llvm::Expected<std::unique_ptr<Program>> read(StringRef path,
                                                       MLIRContext &context);

  ModuleOp getModule() const { return *module; }
  /// As given to `read`.
  StringRef getPath() const { return path; }

  /// The name of a function argument in the text, without `%`. Empty when it
  /// is only a number, and in bytecode.
  std::string getSourceName(BlockArgument argument) const;

private:
  Program(StringRef path) : path(path) {}

  LogicalResult parse(MLIRContext &context);

  std::string path;
  llvm::SourceMgr sources;
  OwningOpRef<ModuleOp> module;
  AsmParserState names;
};

} // namespace mlir::mha

#endif // MHA_EXECUTION_PROGRAM_H
