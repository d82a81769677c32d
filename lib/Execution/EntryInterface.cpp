//===- EntryInterface.cpp - How to call a compiled entry point ------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled code is called through pointers, so a wrong idea of its signature
// would read and write beyond buffers. Two checks stand before a call: the
// function type that the compiled function records, and the types of its own
// parameters.
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/EntryInterface.h"

#include "mha/IR/MHA.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::mha;

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

static Type promoteFloats(Type type) {
  Type f64 = Float64Type::get(type.getContext());
  if (isa<FloatType>(type))
    return f64;
  auto tensorType = dyn_cast<RankedTensorType>(type);
  if (tensorType && isa<FloatType>(tensorType.getElementType()))
    return tensorType.clone(f64);
  return type;
}

static FunctionType promoteFloats(FunctionType type) {
  auto promote = [](Type type) { return promoteFloats(type); };
  return FunctionType::get(type.getContext(),
                           llvm::map_to_vector(type.getInputs(), promote),
                           llvm::map_to_vector(type.getResults(), promote));
}

/// Whether `found` is `declared` with its floats promoted or as it is; nothing
/// when it is neither.
static std::optional<bool> matchPromotion(Type found, FunctionType declared) {
  if (found == declared)
    return false;
  if (found == promoteFloats(declared))
    return true;
  return std::nullopt;
}

/// The type of a parameter of the compiled function.
static Type convertParameter(Type type) {
  MLIRContext *context = type.getContext();
  if (isa<TensorType>(type))
    return LLVM::LLVMPointerType::get(context);
  if (type.isIndex())
    return IntegerType::get(context, 64);
  if (type.isInteger())
    return IntegerType::get(context, type.getIntOrFloatBitWidth());
  return type;
}

/// The type of a compiled function that takes the arguments of `type`, then
/// `trailing`, and returns a status.
static LLVM::LLVMFunctionType getCompiledType(FunctionType type,
                                              ArrayRef<Type> trailing) {
  SmallVector<Type> parameters =
      llvm::map_to_vector(type.getInputs(), convertParameter);
  llvm::append_range(parameters, trailing);
  return LLVM::LLVMFunctionType::get(IntegerType::get(type.getContext(), 32),
                                     parameters);
}

static bool hasDynamicShape(Type type) {
  auto tensorType = dyn_cast<RankedTensorType>(type);
  return tensorType && !tensorType.hasStaticShape();
}

//===----------------------------------------------------------------------===//
// The interface of the compiled function
//===----------------------------------------------------------------------===//

static LLVM::LLVMFuncOp findCompiled(ModuleOp module, const EntryPoint &entry,
                                     StringRef suffix = "") {
  std::string symbol = ("_mlir_ciface_" + entry.getName() + suffix).str();
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(symbol);
  return function && !function.isExternal() ? function : nullptr;
}

/// Puts the name of the compiled function into `symbol` when its type is the
/// expected one.
static LogicalResult checkCompiled(ModuleOp module, const EntryPoint &entry,
                                   StringRef suffix, Type expected,
                                   std::string &symbol) {
  LLVM::LLVMFuncOp function = findCompiled(module, entry, suffix);
  if (!function)
    return module.emitError()
           << "expected the pipeline to make the function "
              "'_mlir_ciface_"
           << entry.getName() << suffix << "', found none of that name";
  if (function.getFunctionType() != expected)
    return function.emitError()
           << "expected the compiled function to have the type " << expected
           << ", found " << function.getFunctionType();
  symbol = function.getName().str();
  return success();
}

FailureOr<EntryInterface> mlir::mha::readEntryInterface(ModuleOp module,
                                                        const EntryPoint &entry,
                                                        bool promoted) {
  func::FuncOp source = entry.function;
  FunctionType type = source.getFunctionType();
  if (promoted)
    type = promoteFloats(type);
  MLIRContext *context = type.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type i32 = IntegerType::get(context, 32);
  Type i64 = IntegerType::get(context, 64);

  EntryInterface interface;
  interface.promoted = promoted;
  unsigned numOuts = llvm::count_if(entry.results, [](const auto &result) {
    return !result.donor.has_value();
  });
  SmallVector<Type> trailing(numOuts + 1, pointer);
  llvm::append_range(trailing, ArrayRef<Type>{i64, i32});
  if (failed(checkCompiled(module, entry, "", getCompiledType(type, trailing),
                           interface.callSymbol)))
    return failure();
  if (llvm::any_of(type.getResults(), hasDynamicShape) &&
      failed(checkCompiled(module, entry, "_shape",
                           getCompiledType(type, {pointer}),
                           interface.shapeSymbol)))
    return failure();
  SmallVector<Type> sizes;
  for (Type input : type.getInputs())
    if (auto tensorType = dyn_cast<RankedTensorType>(input))
      sizes.append(tensorType.getNumDynamicDims(), i64);
  sizes.push_back(i32);
  if (failed(checkCompiled(module, entry, "_workspace",
                           LLVM::LLVMFunctionType::get(i64, sizes),
                           interface.workspaceSymbol)))
    return failure();
  return interface;
}

bool mlir::mha::isCompiled(ModuleOp module, const EntryPoint &entry) {
  return findCompiled(module, entry) != nullptr;
}

FailureOr<bool> mlir::mha::readPromotion(ModuleOp module,
                                         const EntryPoint &entry) {
  func::FuncOp source = entry.function;
  FunctionType declared = source.getFunctionType();
  Operation *function = findCompiled(module, entry);
  Type found;
  if (function) {
    auto recorded = function->getAttrOfType<TypeAttr>(kEntryTypeAttrName);
    if (!recorded)
      return function->emitError()
             << "expected the pipeline to leave the lowering of '"
             << entry.getName()
             << "' to mha-cpu-pipeline, found a function without '"
             << kEntryTypeAttrName << "'";
    found = recorded.getValue();
  } else if (auto kept = module.lookupSymbol<func::FuncOp>(entry.getName())) {
    function = kept;
    found = kept.getFunctionType();
  } else {
    return module.emitError()
           << "expected the pipeline to keep the function '" << entry.getName()
           << "' on tensors or to lower it by mha-cpu-pipeline, found neither";
  }
  std::optional<bool> promoted = matchPromotion(found, declared);
  if (!promoted)
    return function->emitError()
           << "expected the pipeline to keep the type of '" << entry.getName()
           << "', " << declared << ", found " << found;
  return *promoted;
}
