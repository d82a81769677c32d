//===- SpecializeLayouts.cpp - Exact types between private functions ------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exact. Terminates: a type is only replaced by one that knows more, a call is
// only redirected to a version whose types know more, and a function has a
// bounded number of versions.
//
//===----------------------------------------------------------------------===//

#include "mha/Transforms/Passes.h"
#include "mha/Transforms/Transforms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

#define DEBUG_TYPE "mha-specialize-layouts"

namespace mlir::mha {
#define GEN_PASS_DEF_SPECIALIZELAYOUTSPASS
#include "mha/Transforms/Passes.h.inc"
} // namespace mlir::mha

using namespace mlir;
using namespace mlir::mha;

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// What `value` is a cast of, when that has a type that knows at least as much;
/// else `value`.
static Value lookThroughCast(Value value) {
  auto cast = value.getDefiningOp<memref::CastOp>();
  return cast && memref::CastOp::canFoldIntoConsumerOp(cast) ? cast.getSource()
                                                             : value;
}

/// Gives `value` the type `type`, and its uses a cast to the type that it had.
static void changeType(Value value, Type type, OpBuilder &builder) {
  Type old = value.getType();
  value.setType(type);
  auto cast = memref::CastOp::create(builder, value.getLoc(), old, value);
  value.replaceAllUsesExcept(cast, cast);
}

/// Lets views and the ops that read through casts have the types that follow.
static void foldCasts(ModuleOp module) {
  MLIRContext *context = module.getContext();
  RewritePatternSet patterns(context);
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (op.getDialectNamespace() ==
        memref::MemRefDialect::getDialectNamespace())
      op.getCanonicalizationPatterns(patterns, context);
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  // Not reaching a fixed point only leaves types that know less.
  (void)applyPatternsGreedily(module, std::move(patterns), config);
}

//===----------------------------------------------------------------------===//
// LayoutSpecializer
//===----------------------------------------------------------------------===//

namespace {
/// The functions made of one function of the source, itself included.
struct Family {
  std::string name;
  SmallVector<func::FuncOp> versions;
  unsigned numMade = 0;
  /// The calls would need more versions than allowed.
  bool isFull = false;
};

class LayoutSpecializer {
public:
  LayoutSpecializer(ModuleOp module, const SpecializeLayoutsOptions &options)
      : module(module), symbols(module), options(options) {}

  SpecializeLayoutsStatistics run();

private:
  LogicalResult collectCalls();
  void collectFamilies();
  bool redirectCalls();
  bool specializeArguments(func::FuncOp function);
  bool specializeResults(func::FuncOp function);
  void specializeInPlace();
  bool isSplittable(func::FuncOp function);
  func::FuncOp chooseSplit();
  void split(func::FuncOp function);
  void makeVersion(func::FuncOp function, TypeRange argumentTypes);
  void eraseUncalled();

  ModuleOp module;
  SymbolTable symbols;
  SpecializeLayoutsOptions options;
  SpecializeLayoutsStatistics statistics;
  /// The calls of each private function that nothing else refers to, in the
  /// order of the module.
  llvm::MapVector<func::FuncOp, SmallVector<func::CallOp>> calls;
  SmallVector<Family> families;
  llvm::DenseMap<func::FuncOp, unsigned> familyOf;
};
} // namespace

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// A kernel keeps the types that it was made for, and its name.
static bool isCandidate(func::FuncOp function) {
  return function.isPrivate() && !function.isExternal() &&
         !function->hasAttr(kKernelAttrName);
}

/// Fails where an op might refer to symbols in a way that nobody knows.
LogicalResult LayoutSpecializer::collectCalls() {
  calls.clear();
  std::optional<SymbolTable::UseRange> uses =
      SymbolTable::getSymbolUses(&module.getBodyRegion());
  if (!uses)
    return failure();
  for (auto function : module.getOps<func::FuncOp>())
    if (isCandidate(function))
      calls[function] = {};
  llvm::SmallDenseSet<func::FuncOp> withOtherUses;
  for (SymbolTable::SymbolUse use : *uses) {
    auto function =
        symbols.lookup<func::FuncOp>(use.getSymbolRef().getRootReference());
    if (!function || !isCandidate(function))
      continue;
    auto call = dyn_cast<func::CallOp>(use.getUser());
    if (call && call.getCallee() == function.getName())
      calls[function].push_back(call);
    else
      withOtherUses.insert(function);
  }
  calls.remove_if(
      [&](auto &entry) { return withOtherUses.contains(entry.first); });
  return success();
}

static void remarkKept(func::FuncOp function, StringRef name,
                       std::string reason) {
  remark::missed(function.getLoc(), remark::RemarkOpts::name(name)
                                        .category(DEBUG_TYPE)
                                        .function(function.getName()))
      << remark::reason("the types of its arguments stay as they are: {0}",
                        std::move(reason));
}

void LayoutSpecializer::collectFamilies() {
  for (auto function : module.getOps<func::FuncOp>())
    if (isCandidate(function) && !calls.contains(function) &&
        llvm::any_of(function.getArgumentTypes(), llvm::IsaPred<MemRefType>))
      remarkKept(function, "unknown-callers",
                 "something else than a call may refer to it");
  for (auto &[function, sites] : calls) {
    familyOf[function] = families.size();
    families.push_back({function.getName().str(), {function}});
  }
}

/// The type that operand `number` of `call` has before it is cast to that of
/// the callee's argument.
static Type getOfferedType(func::CallOp call, unsigned number) {
  return lookThroughCast(call.getOperand(number)).getType();
}

static SmallVector<Type> getOfferedTypes(func::CallOp call) {
  return llvm::map_to_vector(
      llvm::seq(call.getNumOperands()),
      [&](unsigned number) { return getOfferedType(call, number); });
}

/// Whether `callee` calls itself and passes argument `number` on: that has
/// whatever type the other calls give it.
static bool passesOn(func::CallOp call, func::FuncOp callee, unsigned number) {
  return call->getParentOfType<func::FuncOp>() == callee &&
         lookThroughCast(call.getOperand(number)) == callee.getArgument(number);
}

//===----------------------------------------------------------------------===//
// Types of one function
//===----------------------------------------------------------------------===//

static void setType(func::FuncOp function, ArrayRef<Type> inputs,
                    ArrayRef<Type> results) {
  function.setFunctionType(
      FunctionType::get(function.getContext(), inputs, results));
}

static void setArgumentType(func::FuncOp function, unsigned number, Type type) {
  OpBuilder builder(function.getBody());
  changeType(function.getArgument(number), type, builder);
  SmallVector<Type> inputs(function.getArgumentTypes());
  inputs[number] = type;
  SmallVector<Type> results(function.getResultTypes());
  setType(function, inputs, results);
}

/// The type that all of `sites` have for argument `number`; null where they
/// differ or know no more than the function.
static Type getCommonType(func::FuncOp function, ArrayRef<func::CallOp> sites,
                          unsigned number) {
  Type common;
  for (func::CallOp call : sites) {
    if (passesOn(call, function, number))
      continue;
    Type type = getOfferedType(call, number);
    if (common && type != common)
      return {};
    common = type;
  }
  return common == function.getArgument(number).getType() ? Type() : common;
}

bool LayoutSpecializer::specializeArguments(func::FuncOp function) {
  bool changed = false;
  for (unsigned number = 0; number < function.getNumArguments(); ++number) {
    Type type = getCommonType(function, calls[function], number);
    if (!type)
      continue;
    setArgumentType(function, number, type);
    for (func::CallOp call : calls[function])
      call.setOperand(number, lookThroughCast(call.getOperand(number)));
    ++statistics.numSpecialized;
    changed = true;
  }
  return changed;
}

/// The type that all returns have for result `number`; null where they differ
/// or know no more than the function.
static Type getReturnedType(func::FuncOp function,
                            ArrayRef<func::ReturnOp> returns, unsigned number) {
  Type common;
  for (func::ReturnOp op : returns) {
    Type type = lookThroughCast(op.getOperand(number)).getType();
    if (common && type != common)
      return {};
    common = type;
  }
  return common == function.getResultTypes()[number] ? Type() : common;
}

bool LayoutSpecializer::specializeResults(func::FuncOp function) {
  auto returns = llvm::to_vector(function.getBody().getOps<func::ReturnOp>());
  SmallVector<Type> inputs(function.getArgumentTypes());
  SmallVector<Type> results(function.getResultTypes());
  OpBuilder builder(module.getContext());
  bool changed = false;
  for (unsigned number = 0; number < results.size(); ++number) {
    Type type = getReturnedType(function, returns, number);
    if (!type)
      continue;
    results[number] = type;
    for (func::ReturnOp op : returns)
      op.setOperand(number, lookThroughCast(op.getOperand(number)));
    for (func::CallOp call : calls[function]) {
      builder.setInsertionPointAfter(call);
      changeType(call.getResult(number), type, builder);
    }
    ++statistics.numSpecialized;
    changed = true;
  }
  setType(function, inputs, results);
  return changed;
}

//===----------------------------------------------------------------------===//
// Versions of a function
//===----------------------------------------------------------------------===//

/// Lets `call` call `version`, which has exactly the types that it offers.
static void redirect(func::CallOp call, func::FuncOp version) {
  call.setCallee(version.getName());
  for (OpOperand &operand : call->getOpOperands())
    operand.set(lookThroughCast(operand.get()));
  OpBuilder builder(call->getContext());
  builder.setInsertionPointAfter(call);
  for (auto [result, type] :
       llvm::zip_equal(call.getResults(), version.getResultTypes()))
    if (result.getType() != type)
      changeType(result, type, builder);
}

/// Lets each call call the version for its types, if there is one.
bool LayoutSpecializer::redirectCalls() {
  bool changed = false;
  for (auto &[function, sites] : calls) {
    ArrayRef<func::FuncOp> versions = families[familyOf[function]].versions;
    for (func::CallOp call : sites) {
      SmallVector<Type> offered = getOfferedTypes(call);
      auto *version = llvm::find_if(versions, [&](func::FuncOp version) {
        return llvm::equal(version.getArgumentTypes(), offered);
      });
      if (version == versions.end() || *version == function)
        continue;
      redirect(call, *version);
      changed = true;
    }
  }
  return changed;
}

/// Replaces types that all calls, or all returns, agree on.
void LayoutSpecializer::specializeInPlace() {
  bool changed = true;
  while (changed) {
    foldCasts(module);
    // All uses could be read before, and nothing new refers to a symbol.
    (void)collectCalls();
    changed = redirectCalls();
    if (changed)
      continue;
    for (auto &[function, sites] : calls) {
      changed |= specializeArguments(function);
      changed |= specializeResults(function);
    }
  }
}

bool LayoutSpecializer::isSplittable(func::FuncOp function) {
  ArrayRef<func::CallOp> sites = calls[function];
  return !families[familyOf[function]].isFull &&
         llvm::any_of(sites, [&](func::CallOp call) {
           return getOfferedTypes(call) != getOfferedTypes(sites.front());
         });
}

/// A function whose calls differ, preferably one that no other such function
/// calls: the types there may still change.
func::FuncOp LayoutSpecializer::chooseSplit() {
  func::FuncOp first;
  for (auto &entry : calls) {
    func::FuncOp function = entry.first;
    if (!isSplittable(function))
      continue;
    bool mayChange = llvm::any_of(entry.second, [&](func::CallOp call) {
      auto caller = call->getParentOfType<func::FuncOp>();
      return caller != function && calls.contains(caller) &&
             isSplittable(caller);
    });
    if (!mayChange)
      return function;
    if (!first)
      first = function;
  }
  // Functions that call each other in a circle, or none.
  return first;
}

void LayoutSpecializer::makeVersion(func::FuncOp function,
                                    TypeRange argumentTypes) {
  unsigned number = familyOf[function];
  Family &family = families[number];
  func::FuncOp version = function.clone();
  version.setName(family.name + "_layout" + std::to_string(++family.numMade));
  symbols.insert(version, std::next(family.versions.back()->getIterator()));
  for (auto [index, type] : llvm::enumerate(argumentTypes))
    if (type != version.getArgument(index).getType())
      setArgumentType(version, index, type);
  family.versions.push_back(version);
  familyOf[version] = number;
  ++statistics.numCloned;
}

/// Makes a version for each combination of types that calls offer, or none
/// where that would be too many. `redirectCalls` does the rest.
void LayoutSpecializer::split(func::FuncOp function) {
  llvm::SmallSetVector<FunctionType, 8> combinations;
  for (func::CallOp call : calls[function])
    combinations.insert(
        FunctionType::get(module.getContext(), getOfferedTypes(call), {}));
  // The function itself stays for one of them.
  SmallVector<Type> ownTypes(function.getArgumentTypes());
  if (!combinations.remove(
          FunctionType::get(module.getContext(), ownTypes, {})))
    combinations.erase(combinations.begin());

  Family &family = families[familyOf[function]];
  unsigned numNeeded = family.versions.size() + combinations.size();
  if (numNeeded > options.maxVersions) {
    family.isFull = true;
    remarkKept(
        function, "too-many-layouts",
        llvm::formatv("its calls need {0} versions, at most {1} are made",
                      numNeeded, options.maxVersions));
    return;
  }
  for (FunctionType combination : combinations)
    makeVersion(function, combination.getInputs());
}

/// Whether nobody but `function` itself calls it.
static bool isUncalled(func::FuncOp function, ArrayRef<func::CallOp> sites) {
  return llvm::all_of(sites, [&](func::CallOp call) {
    return call->getParentOfType<func::FuncOp>() == function;
  });
}

/// Removes versions that nobody calls any more. Functions that only call each
/// other are left to symbol-dce.
void LayoutSpecializer::eraseUncalled() {
  auto eraseOne = [&] {
    for (auto &[function, sites] : calls) {
      Family &family = families[familyOf[function]];
      if (family.numMade == 0 || !isUncalled(function, sites))
        continue;
      symbols.erase(function);
      return true;
    }
    return false;
  };
  // What an erased function called has one caller less.
  while (eraseOne())
    (void)collectCalls();
}

SpecializeLayoutsStatistics LayoutSpecializer::run() {
  bool isKnown = succeeded(collectCalls());
  collectFamilies();
  if (!isKnown)
    return statistics;
  specializeInPlace();
  while (func::FuncOp function = chooseSplit()) {
    split(function);
    specializeInPlace();
  }
  eraseUncalled();
  return statistics;
}

SpecializeLayoutsStatistics
mlir::mha::specializeLayouts(ModuleOp module,
                             const SpecializeLayoutsOptions &options) {
  return LayoutSpecializer(module, options).run();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct SpecializeLayoutsPass
    : mha::impl::SpecializeLayoutsPassBase<SpecializeLayoutsPass> {
  using SpecializeLayoutsPassBase::SpecializeLayoutsPassBase;

  void runOnOperation() override {
    SpecializeLayoutsOptions options;
    options.maxVersions = maxVersions;
    SpecializeLayoutsStatistics statistics =
        specializeLayouts(getOperation(), options);
    numSpecialized = statistics.numSpecialized;
    numCloned = statistics.numCloned;
  }
};
} // namespace
