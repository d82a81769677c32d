//===- PromoteFloats.cpp - Compute a module in f64 ------------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types and attributes are replaced in place, which keeps this pass
// independent of the ops: only casts between floats have a meaning of their
// own here. Changes numerics on purpose; see docs/Testing.md, "The reference".
//
//===----------------------------------------------------------------------===//

#include "mha/IR/MHA.h"
#include "mha/Transforms/Passes.h"
#include "mha/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#define DEBUG_TYPE "mha-promote-floats"

namespace mlir::mha {
#define GEN_PASS_DEF_PROMOTEFLOATSPASS
#include "mha/Transforms/Passes.h.inc"
} // namespace mlir::mha

using namespace mlir;
using namespace mlir::mha;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// The float type that `type` is or has elements of, null when it has none.
static FloatType getFloatType(Type type) {
  return dyn_cast<FloatType>(getElementTypeOrSelf(type));
}

static APFloat toF64(APFloat value) {
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value;
}

/// The elements of a float constant in f64.
static DenseElementsAttr toF64(DenseElementsAttr dense) {
  ShapedType type = dense.getType().clone(Float64Type::get(dense.getContext()));
  if (dense.isSplat())
    return DenseElementsAttr::get(type, toF64(dense.getSplatValue<APFloat>()));
  return DenseElementsAttr::get(
      type, llvm::map_to_vector(dense.getValues<APFloat>(),
                                [](APFloat value) { return toF64(value); }));
}

/// The elements of a resource constant, null when its data is not there.
static DenseElementsAttr readResource(DenseResourceElementsAttr resource) {
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  bool isSplat;
  if (!blob || !DenseElementsAttr::isValidRawBuffer(resource.getType(),
                                                    blob->getData(), isSplat))
    return {};
  return DenseElementsAttr::getFromRawBuffer(resource.getType(),
                                             blob->getData());
}

static AttrTypeReplacer makeReplacer(MLIRContext *context) {
  AttrTypeReplacer replacer;
  Type f64 = Float64Type::get(context);
  replacer.addReplacement([=](FloatType) -> Type { return f64; });
  // Reordering sums or ignoring NaN is for the compiled program to do.
  replacer.addReplacement([](arith::FastMathFlagsAttr attr) -> Attribute {
    return arith::FastMathFlagsAttr::get(attr.getContext(),
                                         arith::FastMathFlags::none);
  });
  replacer.addReplacement(
      [](DenseF32ArrayAttr attr)
          -> std::optional<std::pair<Attribute, WalkResult>> {
        SmallVector<double> wide(attr.asArrayRef());
        return {{DenseF64ArrayAttr::get(attr.getContext(), wide),
                 WalkResult::skip()}};
      });
  replacer.addReplacement([=](FloatAttr attr) -> Attribute {
    return FloatAttr::get(f64, toF64(attr.getValue()));
  });
  // The result is complete: without `skip` its elements would be visited.
  replacer.addReplacement(
      [](DenseElementsAttr attr)
          -> std::optional<std::pair<Attribute, WalkResult>> {
        if (!getFloatType(attr.getType()))
          return std::nullopt;
        return {{toF64(attr), WalkResult::skip()}};
      });
  replacer.addReplacement(
      [](DenseResourceElementsAttr attr)
          -> std::optional<std::pair<Attribute, WalkResult>> {
        if (!getFloatType(attr.getType()))
          return std::nullopt;
        return {{toF64(readResource(attr)), WalkResult::skip()}};
      });
  return replacer;
}

//===----------------------------------------------------------------------===//
// What cannot be promoted
//===----------------------------------------------------------------------===//

/// Whether promotion would change the meaning of `op`: it looks at the bits or
/// the place of an element, not at its value.
static bool dependsOnBits(Operation *op) {
  return isa<arith::BitcastOp, complex::BitcastOp, tensor::BitcastOp,
             vector::BitCastOp, memref::ViewOp, memref::ReinterpretCastOp,
             memref::ExtractAlignedPointerAsIndexOp>(op);
}

/// A type that has no f64 form: a wider float, or a complex number, whose
/// constants are not promoted.
static LogicalResult verifyType(Operation *op, Type type) {
  WalkResult canPromote = type.walk([&](Type part) {
    auto floatType = dyn_cast<FloatType>(part);
    bool isTooWide = floatType && floatType.getWidth() > 64;
    return isTooWide || isa<ComplexType>(part) ? WalkResult::interrupt()
                                               : WalkResult::advance();
  });
  if (canPromote.wasInterrupted())
    return op->emitError() << "cannot promote " << type
                           << " to f64: it is wider or complex";
  return success();
}

static LogicalResult verifyAttribute(Operation *op, Attribute attribute) {
  WalkResult canPromote = attribute.walk([&](Attribute part) {
    auto resource = dyn_cast<DenseResourceElementsAttr>(part);
    if (resource && getFloatType(resource.getType()) &&
        !readResource(resource)) {
      op->emitError() << "expected the data of resource '"
                      << resource.getRawHandle().getKey() << "' to be a "
                      << resource.getType() << ", to promote it to f64";
      return WalkResult::interrupt();
    }
    auto typed = dyn_cast<TypedAttr>(part);
    return typed && failed(verifyType(op, typed.getType()))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return failure(canPromote.wasInterrupted());
}

static LogicalResult verifyFunction(FunctionOpInterface function) {
  auto hasFloat = [](Type type) { return bool(getFloatType(type)); };
  if (function.isExternal() &&
      (llvm::any_of(function.getArgumentTypes(), hasFloat) ||
       llvm::any_of(function.getResultTypes(), hasFloat)))
    return function.emitError()
           << "cannot promote declared function '" << function.getName()
           << "' to f64: it has no body";
  for (Type type : function.getArgumentTypes())
    if (failed(verifyType(function, type)))
      return failure();
  return success();
}

static LogicalResult verifyPromotable(Operation *op) {
  if (!op->isRegistered())
    return op->emitError() << "cannot promote unregistered operation '"
                           << op->getName() << "' to f64";
  if (isa_and_present<LLVM::LLVMDialect>(op->getDialect()))
    return op->emitError() << "cannot promote '" << op->getName()
                           << "' to f64: the module is already lowered";
  if (dependsOnBits(op))
    return op->emitError() << "cannot promote '" << op->getName()
                           << "' to f64: it depends on the bits of a float";
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (function && failed(verifyFunction(function)))
    return failure();
  for (Type type : op->getResultTypes())
    if (failed(verifyType(op, type)))
      return failure();
  return verifyAttribute(op, op->getAttrDictionary());
}

//===----------------------------------------------------------------------===//
// Transformation
//===----------------------------------------------------------------------===//

/// Replaces a cast, whose types are f64 by now, by the rounding that it was.
static void keepRounding(arith::TruncFOp cast, FloatType narrow) {
  OpBuilder builder(cast);
  Type wideType = cast.getType();
  Type narrowType = narrow;
  if (auto shaped = dyn_cast<ShapedType>(wideType))
    narrowType = shaped.clone(narrow);
  auto rounded = arith::TruncFOp::create(
      builder, cast.getLoc(), narrowType, cast.getIn(),
      cast.getRoundingmodeAttr(), cast.getFastmathAttr());
  cast.replaceAllUsesWith(arith::ExtFOp::create(builder, cast.getLoc(),
                                                wideType, rounded.getResult())
                              .getResult());
  cast.erase();
}

FailureOr<unsigned> mlir::mha::promoteFloats(ModuleOp module) {
  WalkResult canPromote = module.walk([](Operation *op) {
    return failed(verifyPromotable(op)) ? WalkResult::interrupt()
                                        : WalkResult::advance();
  });
  if (canPromote.wasInterrupted())
    return failure();

  SmallVector<std::pair<arith::TruncFOp, FloatType>> narrowing;
  SmallVector<arith::ExtFOp> widening;
  module.walk([&](Operation *op) {
    if (auto cast = dyn_cast<arith::TruncFOp>(op))
      narrowing.emplace_back(cast, getFloatType(cast.getType()));
    else if (auto cast = dyn_cast<arith::ExtFOp>(op))
      widening.push_back(cast);
  });

  // Schedules are for the declared types, and the reference is unscheduled.
  module.walk([](AttentionOp op) { op.removeScheduleAttr(); });
  AttrTypeReplacer replacer = makeReplacer(module.getContext());
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  for (arith::ExtFOp cast : widening) {
    cast.replaceAllUsesWith(cast.getIn());
    cast.erase();
  }
  for (auto [cast, narrow] : narrowing)
    keepRounding(cast, narrow);
  return narrowing.size();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct PromoteFloatsPass : mha::impl::PromoteFloatsPassBase<PromoteFloatsPass> {
  using PromoteFloatsPassBase::PromoteFloatsPassBase;

  void runOnOperation() override {
    FailureOr<unsigned> roundings = promoteFloats(getOperation());
    if (failed(roundings))
      return signalPassFailure();
    numRoundings += *roundings;
  }
};
} // namespace
