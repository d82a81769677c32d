//===- EntryPoint.cpp - The function that a run calls ---------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/EntryPoint.h"

#include "mha/IR/MHA.h"

#include "mlir/Interfaces/CastInterfaces.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::mha;

/// Names an argument whatever the frontend calls it.
static constexpr llvm::StringLiteral kNameAttr = "mha.name";

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

static bool isCandidate(func::FuncOp function) {
  return function.isPublic() && !function.isExternal();
}

static std::string listNames(ArrayRef<func::FuncOp> functions) {
  return llvm::join(llvm::map_range(functions,
                                    [](func::FuncOp function) {
                                      return "'" + function.getName().str() +
                                             "'";
                                    }),
                    ", ");
}

static FailureOr<func::FuncOp> findFunction(ModuleOp module, StringRef name) {
  SmallVector<func::FuncOp> candidates = llvm::filter_to_vector(
      module.getOps<func::FuncOp>(),
      [](func::FuncOp function) { return isCandidate(function); });
  StringRef wanted = name.empty() ? "main" : name;
  for (func::FuncOp function : candidates)
    if (function.getName() == wanted)
      return function;
  if (name.empty() && candidates.size() == 1)
    return candidates.front();
  if (candidates.empty())
    return module.emitError(
        "expected a public function with a body, found none");
  if (name.empty())
    return module.emitError("expected one of the functions ")
           << listNames(candidates) << " to be chosen with -e";
  return module.emitError("expected one of the functions ")
         << listNames(candidates) << ", found '" << name << "'";
}

//===----------------------------------------------------------------------===//
// The signature
//===----------------------------------------------------------------------===//

/// The type as the host side knows it, or nothing.
static std::optional<DeclaredType> declareType(Type type) {
  Type elementType = type;
  SmallVector<int64_t> shape;
  if (auto tensorType = dyn_cast<RankedTensorType>(type)) {
    if (tensorType.getEncoding())
      return std::nullopt;
    elementType = tensorType.getElementType();
    shape.assign(tensorType.getShape().begin(), tensorType.getShape().end());
  }
  std::string text;
  llvm::raw_string_ostream(text) << elementType;
  std::optional<ElementType> element = parseElementType(text);
  if (!element)
    return std::nullopt;
  return DeclaredType{*element, std::move(shape)};
}

static LogicalResult refuseType(func::FuncOp function, const Twine &what,
                                Type type) {
  return function.emitError()
         << "expected " << what
         << " to be a ranked tensor or a scalar of float, integer or index "
            "type, found "
         << type;
}

static std::string nameArgument(const Program &program, func::FuncOp function,
                                unsigned index) {
  if (auto name = function.getArgAttrOfType<StringAttr>(index, kNameAttr))
    return name.str();
  std::string name = program.getSourceName(function.getArgument(index));
  return name.empty() ? "arg" + std::to_string(index) : name;
}

static LogicalResult readArguments(const Program &program, EntryPoint &entry) {
  func::FuncOp function = entry.function;
  llvm::StringSet<> names;
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    EntryArgument described;
    described.name = nameArgument(program, function, index);
    auto type = declareType(argument.getType());
    if (!type)
      return refuseType(function, "argument '" + described.name + "'",
                        argument.getType());
    if (!names.insert(described.name).second)
      return function.emitError() << "expected arguments of different names, "
                                     "found two with the name '"
                                  << described.name << "'";
    described.type = std::move(*type);
    if (!isFloat(described.type.elementType))
      described.range = findIntegerRange(argument);
    entry.arguments.push_back(std::move(described));
  }
  return success();
}

/// The letters under which docs/Conventions.md counts the axes of a result.
static StringRef nameOutputAxis(char axis) {
  switch (axis) {
  case 'b':
    return "b";
  case 's':
    return "i";
  case 'd':
    return "n";
  default:
    return "h";
  }
}

static SmallVector<StringRef> nameAxes(Value returned) {
  while (auto cast = returned.getDefiningOp<CastOpInterface>())
    returned = cast->getOperand(0);
  auto op = returned.getDefiningOp<AttentionOp>();
  if (op && returned == op.getLse())
    return {"b", "h", "i"};
  if (!op || returned != op.getOutput() || op.getOutputLayout().splitsHeads())
    return {};
  return llvm::map_to_vector(op.getOutputLayout().getAxes(), nameOutputAxis);
}

static LogicalResult readResults(EntryPoint &entry) {
  func::FuncOp function = entry.function;
  // With several blocks there is no one op that a result comes from.
  func::ReturnOp returnOp;
  if (llvm::hasSingleElement(function.getBody()))
    returnOp = dyn_cast<func::ReturnOp>(function.front().getTerminator());
  for (auto [index, resultType] : llvm::enumerate(function.getResultTypes())) {
    auto type = declareType(resultType);
    if (!type)
      return refuseType(function, "result " + Twine(index), resultType);
    EntryResult result;
    result.type = std::move(*type);
    if (returnOp)
      result.axisNames = nameAxes(returnOp.getOperand(index));
    if (result.axisNames.size() != result.type.shape.size())
      result.axisNames.clear();
    entry.results.push_back(std::move(result));
  }
  // The results of a function that is wrapped already are others.
  for (auto [result, donor] : llvm::zip(entry.results, getDonors(function)))
    result.donor = donor;
  return success();
}

FailureOr<EntryPoint> mlir::mha::findEntryPoint(const Program &program,
                                                StringRef name) {
  FailureOr<func::FuncOp> function = findFunction(program.getModule(), name);
  if (failed(function))
    return failure();
  EntryPoint entry;
  entry.function = *function;
  if (failed(readArguments(program, entry)) || failed(readResults(entry)))
    return failure();
  return entry;
}

//===----------------------------------------------------------------------===//
// Two signatures
//===----------------------------------------------------------------------===//

static bool areCompatible(const DeclaredType &lhs, const DeclaredType &rhs) {
  if (lhs.elementType != rhs.elementType ||
      lhs.shape.size() != rhs.shape.size())
    return false;
  return llvm::all_of(llvm::zip(lhs.shape, rhs.shape), [](auto sizes) {
    auto [left, right] = sizes;
    return left == right || left == kDynamicDim || right == kDynamicDim;
  });
}

/// `tensors` is EntryPoint's arguments or results.
template <typename Tensors>
static LogicalResult checkSameTypes(StringRef what, const EntryPoint &entry,
                                    const EntryPoint &other,
                                    Tensors EntryPoint::*tensors) {
  auto report = [&]() -> InFlightDiagnostic {
    func::FuncOp function = other.function;
    return function.emitError("expected the signature of the program that it "
                              "is compared with: ");
  };
  const auto &lhs = entry.*tensors, &rhs = other.*tensors;
  if (lhs.size() != rhs.size())
    return report() << lhs.size() << " " << what << "s, found " << rhs.size();
  for (auto [index, left, right] : llvm::enumerate(lhs, rhs))
    if (!areCompatible(left.type, right.type))
      return report() << left.type.toString() << " as " << what << " " << index
                      << ", found " << right.type.toString();
  return success();
}

LogicalResult mlir::mha::checkSameSignature(const EntryPoint &entry,
                                            const EntryPoint &other) {
  if (failed(checkSameTypes("argument", entry, other, &EntryPoint::arguments)))
    return failure();
  return checkSameTypes("result", entry, other, &EntryPoint::results);
}
