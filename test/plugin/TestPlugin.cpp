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
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

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
            PassRegistration<FailPass>();
            PassRegistration<EraseMarkersPass>();
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "MHATestPlugin", "1",
          [](DialectRegistry *registry) { registry->insert<MarkerDialect>(); }};
}
