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
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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
// Donated arguments
//===----------------------------------------------------------------------===//

std::optional<unsigned>
mlir::mha::getDonatedResult(FunctionOpInterface function, unsigned argument) {
  auto number =
      function.getArgAttrOfType<IntegerAttr>(argument, kDonatedAttrName);
  if (!number)
    return std::nullopt;
  return number.getInt();
}

/// The type on tensors, whether or not the function still has it.
static FunctionType getEntryType(FunctionOpInterface function) {
  if (auto kept = function->getAttrOfType<TypeAttr>(kEntryTypeAttrName))
    return dyn_cast<FunctionType>(kept.getValue());
  return dyn_cast<FunctionType>(function.getFunctionType());
}

SmallVector<std::optional<unsigned>>
mlir::mha::getDonors(FunctionOpInterface function) {
  FunctionType type = getEntryType(function);
  SmallVector<std::optional<unsigned>> donors(type ? type.getNumResults() : 0);
  for (unsigned number = 0; number < function.getNumArguments(); ++number)
    if (std::optional<unsigned> result = getDonatedResult(function, number))
      donors[*result] = number;
  return donors;
}

static LogicalResult verifyDonated(FunctionOpInterface function,
                                   FunctionType type, unsigned argument,
                                   Attribute attr) {
  auto integer = dyn_cast<IntegerAttr>(attr);
  if (!integer || !integer.getType().isSignlessInteger(64))
    return function.emitError()
           << "expected '" << kDonatedAttrName << "' of argument " << argument
           << " to be the number of a result as an i64, found " << attr;
  int64_t number = integer.getInt();
  if (number < 0 || number >= type.getNumResults())
    return function.emitError()
           << "expected '" << kDonatedAttrName << "' of argument " << argument
           << " to be the number of one of the " << type.getNumResults()
           << " results, found " << number;
  for (unsigned other = 0; other < argument; ++other)
    if (getDonatedResult(function, other) == number)
      return function.emitError()
             << "expected one argument that is donated for result " << number
             << ", found " << other << " and " << argument;
  Type input = type.getInput(argument), result = type.getResult(number);
  // Whoever has bufferized the function has read the attribute, or not.
  if (isa<BaseMemRefType>(input))
    return success();
  if (!isa<RankedTensorType>(input) || input != result)
    return function.emitError()
           << "expected argument " << argument << " and result " << number
           << ", which it is donated for, to be tensors of one type, found "
           << input << " and " << result;
  return success();
}

/// Diagnoses `mha.donated` where it is not an argument's.
static LogicalResult refuseDonated(Operation *op, NamedAttribute attr) {
  if (attr.getName() != kDonatedAttrName)
    return success();
  return op->emitError() << "expected '" << kDonatedAttrName
                         << "' on an argument of a function on tensors";
}

LogicalResult MHADialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attr) {
  return refuseDonated(op, attr);
}

LogicalResult MHADialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                      unsigned,
                                                      NamedAttribute attr) {
  return refuseDonated(op, attr);
}

LogicalResult MHADialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                   unsigned argument,
                                                   NamedAttribute attr) {
  if (attr.getName() != kDonatedAttrName)
    return success();
  auto function = dyn_cast<FunctionOpInterface>(op);
  FunctionType type = function ? getEntryType(function) : FunctionType();
  if (!type || argument >= type.getNumInputs())
    return refuseDonated(op, attr);
  return verifyDonated(function, type, argument, attr.getValue());
}

//===----------------------------------------------------------------------===//
// Dialect
//===----------------------------------------------------------------------===//

void MHADialect::initialize() {
  registerAttributes();
  registerOperations();
  addInterfaces<MHABytecodeInterface, MHAInlinerInterface>();
}
