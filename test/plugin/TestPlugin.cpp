//===- TestPlugin.cpp - A plugin that the tests load ----------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes and a dialect from outside: linked to MLIR alone, it knows the op of
// the mha dialect by name only. The passes do what a pass must not do.
//
//===----------------------------------------------------------------------===//

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

#include <algorithm>

using namespace mlir;

namespace {
/// Turns every causal mask round, so that a query sees itself and the keys
/// behind it.
struct FlipMaskPass : PassWrapper<FlipMaskPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FlipMaskPass)
  StringRef getArgument() const override { return "mha-test-flip-mask"; }
  StringRef getDescription() const override {
    return "Show each query the keys that a causal mask hides";
  }
  void runOnOperation() override {
    Attribute flipped =
        parseAttribute("#mha.mask<window<0, 1000000>>", &getContext());
    if (!flipped)
      return signalPassFailure();
    getOperation().walk([&](Operation *op) {
      if (op->getName().getStringRef() == "mha.attention" &&
          op->getAttr("mask"))
        op->setAttr("mask", flipped);
    });
  }
};

/// Replaces each attention with an attribute `kernel` by a call of that
/// function, and says so as the project's own pass does.
struct OutlineKernelsPass
    : PassWrapper<OutlineKernelsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OutlineKernelsPass)
  StringRef getArgument() const override { return "mha-test-outline-kernels"; }
  StringRef getDescription() const override {
    return "Call the functions that attention ops name as their kernels";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<func::FuncDialect>();
  }
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      auto kernel = op->getAttrOfType<FlatSymbolRefAttr>("kernel");
      if (op->getName().getStringRef() != "mha.attention" || !kernel)
        return;
      remark::passed(op->getLoc(), remark::RemarkOpts::name("outlined-kernel")
                                       .category("mha-test-outline-kernels"));
      OpBuilder builder(op);
      auto call = func::CallOp::create(builder, op->getLoc(), kernel,
                                       op->getResultTypes(), op->getOperands());
      op->replaceAllUsesWith(call);
      op->erase();
    });
  }
};

/// Changes the meaning of one op and leaves it valid.
struct CorruptPass : PassWrapper<CorruptPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CorruptPass)
  CorruptPass() = default;
  CorruptPass(const CorruptPass &other) : PassWrapper(other) {}
  StringRef getArgument() const override { return "mha-test-corrupt"; }
  StringRef getDescription() const override {
    return "Change what an op means: the scale of attention, the value of a "
           "constant, the order of operands of one type, or the op itself";
  }
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *candidate) {
      if (candidate->getName().getStringRef() == op)
        ops.push_back(candidate);
    });
    if (number < ops.size() && succeeded(corrupt(ops[number])))
      return;
    getOperation().emitError("found no '") << op << "' to corrupt";
    signalPassFailure();
  }

  Option<std::string> op{*this, "op", llvm::cl::desc("Name of the op")};
  Option<unsigned> number{*this, "number",
                          llvm::cl::desc("Which of them, from 0"),
                          llvm::cl::init(0)};
  Option<std::string> to{
      *this, "to",
      llvm::cl::desc("Op to put in its place, with all that it has")};

private:
  LogicalResult corrupt(Operation *op) {
    if (!to.empty())
      return replace(op);
    if (op->getName().getStringRef() == "mha.attention")
      return scale(op);
    if (op->getNumOperands() == 0)
      return addOne(op);
    return rotate(op);
  }

  LogicalResult replace(Operation *op) {
    OpBuilder builder(op);
    OperationState state(op->getLoc(), to, op->getOperands(),
                         op->getResultTypes(), op->getAttrs());
    op->replaceAllUsesWith(builder.create(state));
    op->erase();
    return success();
  }

  LogicalResult scale(Operation *op) {
    auto scale = op->getAttrOfType<FloatAttr>("scale");
    double value = scale ? scale.getValueAsDouble() : 0.3;
    op->setAttr("scale", Builder(op).getF64FloatAttr(2 * value));
    return success();
  }

  LogicalResult addOne(Operation *op) {
    Attribute value = op->getAttr("value");
    if (auto number = dyn_cast_or_null<FloatAttr>(value))
      value = FloatAttr::get(number.getType(), number.getValueAsDouble() + 1);
    else if (auto number = dyn_cast_or_null<IntegerAttr>(value))
      value = IntegerAttr::get(number.getType(), number.getValue() + 1);
    else
      return failure();
    op->setAttr("value", value);
    return success();
  }

  LogicalResult rotate(Operation *op) {
    if (op->getNumOperands() < 2 || !llvm::all_equal(op->getOperandTypes()))
      return failure();
    SmallVector<Value> operands(op->getOperands());
    std::rotate(operands.begin(), operands.begin() + 1, operands.end());
    op->setOperands(operands);
    return success();
  }
};

/// Fails, whatever the module.
struct FailPass : PassWrapper<FailPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FailPass)
  StringRef getArgument() const override { return "mha-test-fail"; }
  StringRef getDescription() const override { return "Fail"; }
  void runOnOperation() override {
    getOperation().emitError("this pass always fails");
    signalPassFailure();
  }
};

/// A dialect whose ops mean nothing.
struct MarkerDialect : Dialect {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MarkerDialect)
  static StringRef getDialectNamespace() { return "mha_test"; }
  explicit MarkerDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<MarkerDialect>()) {
    allowUnknownOperations();
  }
};

/// Does nothing, under a name that nobody has registered: a part of a pipeline.
struct UnregisteredPass
    : PassWrapper<UnregisteredPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UnregisteredPass)
  StringRef getArgument() const override { return "mha-test-unregistered"; }
  void runOnOperation() override {}
};

/// Puts an op of the marker dialect into every function.
struct AddMarkersPass : PassWrapper<AddMarkersPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AddMarkersPass)
  StringRef getArgument() const override { return "mha-test-add-markers"; }
  StringRef getDescription() const override {
    return "Add ops of the dialect mha_test";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<MarkerDialect>();
  }
  void runOnOperation() override {
    getOperation().walk([](func::FuncOp function) {
      if (function.isExternal())
        return;
      OpBuilder builder(function.getBody());
      OperationState state(function.getLoc(), "mha_test.marker");
      builder.create(state);
    });
  }
};

/// Erases the ops of the marker dialect.
struct EraseMarkersPass
    : PassWrapper<EraseMarkersPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EraseMarkersPass)
  StringRef getArgument() const override { return "mha-test-erase-markers"; }
  StringRef getDescription() const override {
    return "Erase the ops of the dialect mha_test";
  }
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (op->getName().getDialectNamespace() ==
          MarkerDialect::getDialectNamespace())
        op->erase();
    });
  }
};
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "MHATestPlugin", "1", [] {
            PassRegistration<FlipMaskPass>();
            PassRegistration<OutlineKernelsPass>();
            PassRegistration<CorruptPass>();
            PassRegistration<FailPass>();
            PassRegistration<AddMarkersPass>();
            PassPipelineRegistration<>(
                "mha-test-unregistered-pipeline",
                "A pass that has no name outside of this pipeline",
                [](OpPassManager &passes) {
                  passes.addPass(std::make_unique<UnregisteredPass>());
                });
            PassRegistration<EraseMarkersPass>();
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "MHATestPlugin", "1",
          [](DialectRegistry *registry) { registry->insert<MarkerDialect>(); }};
}
