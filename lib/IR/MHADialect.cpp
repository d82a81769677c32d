//===- MHADialect.cpp - The mha dialect and its bytecode version ----------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/IR/MHA.h"
#include "mha/IR/MHABytecode.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace mlir::mha;

#include "mha/IR/MHADialect.cpp.inc"

//===----------------------------------------------------------------------===//
// Bytecode version
//===----------------------------------------------------------------------===//

namespace {
/// Writes the dialect's version into bytecode and reads it back, so that a
/// later release can upgrade ops of an earlier one, and an earlier one refuses
/// what it cannot know.
struct MHABytecodeInterface : BytecodeDialectInterface {
  explicit MHABytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  void writeVersion(DialectBytecodeWriter &writer) const override {
    auto chosen = writer.getDialectVersion<MHADialect>();
    writer.writeVarInt(
        succeeded(chosen)
            ? static_cast<const MHABytecodeVersion *>(*chosen)->number
            : MHABytecodeVersion::kCurrent);
  }

  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &reader) const override {
    auto version = std::make_unique<MHABytecodeVersion>();
    if (failed(reader.readVarInt(version->number)))
      return nullptr;
    if (version->number > MHABytecodeVersion::kCurrent) {
      reader.emitError() << "expected bytecode of the mha dialect of version "
                         << MHABytecodeVersion::kCurrent
                         << " or earlier, found version " << version->number;
      return nullptr;
    }
    return version;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Inlining
//===----------------------------------------------------------------------===//

namespace {
/// Attention refers to nothing outside its operands and attributes, so it can
/// be moved into any function.
struct MHAInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool,
                       IRMapping &) const override {
    return true;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Dialect
//===----------------------------------------------------------------------===//

void MHADialect::initialize() {
  registerAttributes();
  registerOperations();
  addInterfaces<MHABytecodeInterface, MHAInlinerInterface>();
}
