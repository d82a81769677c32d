//===- JIT.h - From the LLVM dialect to callable code -----------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_EXECUTION_JIT_H
#define MHA_EXECUTION_JIT_H

#include "mha/Execution/TargetCPU.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace mlir {
class DialectRegistry;
class ExecutionEngine;

namespace mha {

/// What `CompiledModule::create` translates: the builtin and LLVM dialects, and
/// attributes of the mha dialect, which are dropped.
void registerJITTranslations(DialectRegistry &registry);

/// How much work goes into machine code: as much as pays for a program that is
/// run for its speed, or as little as pays for one that is run once to be
/// compared with. Neither changes results: floats are never reassociated.
enum class CodeQuality { Fast, Quick };

/// A module in machine code. Owns the code: function
/// pointers from `lookup` are valid as long as it lives.
class CompiledModule {
public:
  /// A function with its arguments behind pointers: `arguments[i]` points to
  /// the value of argument i, and the last one to room for the result.
  using Function = void (*)(void **arguments);

  /// Compiles a module of the LLVM dialect for a CPU whose code this machine
  /// can run, with kernels that count their calls. Fails, with a diagnostic at
  /// the op where there is one, when the module cannot be translated, calls a
  /// function that this process lacks, or uses a reserved name.
  static llvm::Expected<std::unique_ptr<CompiledModule>>
  create(ModuleOp module, CodeQuality quality, const TargetCPU &cpu);

  ~CompiledModule();

  /// The function of that name, which the module must define. Code is linked
  /// at the first lookup, so a missing symbol is reported here.
  llvm::Expected<Function> lookup(StringRef name) const;

  /// By the index under which they are counted.
  ArrayRef<std::string> getKernelNames() const { return kernelNames; }

private:
  CompiledModule(std::unique_ptr<ExecutionEngine> engine,
                 std::vector<std::string> kernelNames);

  std::unique_ptr<ExecutionEngine> engine;
  std::vector<std::string> kernelNames;
};

} // namespace mha
} // namespace mlir

#endif // MHA_EXECUTION_JIT_H
