//===- MHAFolds.cpp - Folds and canonicalizations of mha ops --------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/IR/AttentionDims.h"
#include "mha/IR/MHA.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::mha;

/// The source of the cast that defines `value`, when it knows at least as much
/// as the cast's result; null otherwise.
static Value getMoreStaticSource(Value value) {
  if (auto cast = value.getDefiningOp<tensor::CastOp>())
    return tensor::canFoldIntoConsumerOp(cast) ? cast.getSource() : Value();
  if (auto cast = value.getDefiningOp<memref::CastOp>())
    return memref::CastOp::canFoldIntoConsumerOp(cast) ? cast.getSource()
                                                       : Value();
  return {};
}

/// Whether `source`, in place of `operand`, has a size of 1 where the type did
/// not say: a dense mask would repeat along it, or keys be shared by the batch,
/// where the size would have had to agree.
static bool wouldBroadcast(AttentionOp op, OpOperand &operand, Value source) {
  auto type = cast<ShapedType>(operand.get().getType());
  auto known = cast<ShapedType>(source.getType());
  auto becomesOne = [&](int64_t dim) {
    return type.isDynamicDim(dim) && known.getDimSize(dim) == 1;
  };
  if (&operand == &op.getKeyMutable())
    return becomesOne(op.getKeyLayout().getDim('b'));
  if (&operand == &op.getValueMutable())
    return becomesOne(op.getValueLayout().getDim('b'));
  return operand.get() == op.getDenseMask() &&
         llvm::any_of(llvm::seq(type.getRank()), becomesOne);
}

/// Reads through casts that only forget sizes. Captures keep their type, which
/// is that of a region's argument, and a tensor destination that of its result.
LogicalResult AttentionOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &) {
  auto mustKeepType = [&](OpOperand &operand) {
    unsigned index = operand.getOperandNumber();
    auto [firstCapture, numCaptures] =
        getODSOperandIndexAndLength(odsIndex_captures);
    if (index >= firstCapture && index < firstCapture + numCaptures)
      return true;
    return hasTensorSemantics() && isDestination(operand);
  };
  bool folded = false;
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    Value source = getMoreStaticSource(operand.get());
    if (!source || mustKeepType(operand) ||
        wouldBroadcast(*this, operand, source))
      continue;
    Value old = operand.get();
    operand.set(source);
    // A size that contradicts another operand's is an error of run time, and
    // must not become one of a pass.
    ScopedDiagnosticHandler silence(getContext(),
                                    [](Diagnostic &) { return success(); });
    if (failed(verify()))
      operand.set(old);
    else
      folded = true;
  }
  return success(folded);
}

namespace {
/// Gives results the static sizes that the operands know. Exact.
struct RefineResultTypes : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasTensorSemantics() || op.getOutputInit())
      return rewriter.notifyMatchFailure(op, "result types are given");
    AttentionDims dims = AttentionDims::get(op);
    bool changed = false;
    auto refine = [&](Value result, StringRef axes) -> Type {
      auto type = cast<RankedTensorType>(result.getType());
      SmallVector<int64_t> shape(type.getShape());
      for (auto [size, axis] : llvm::zip_equal(shape, axes))
        if (ShapedType::isDynamic(size))
          size = dims.getOutputSize(axis);
      changed |= shape != type.getShape();
      return type.clone(shape);
    };
    SmallVector<Type> types{
        refine(op.getOutput(), op.getOutputLayout().getAxes())};
    if (op.getLse())
      types.push_back(refine(op.getLse(), "bhs"));
    if (!changed)
      return rewriter.notifyMatchFailure(op, "results know what operands know");

    SmallVector<Type> oldTypes(op->getResultTypes());
    rewriter.modifyOpInPlace(op, [&] {
      for (auto [result, type] : llvm::zip_equal(op->getResults(), types))
        result.setType(type);
    });
    rewriter.setInsertionPointAfter(op);
    for (auto [result, oldType] : llvm::zip_equal(op->getResults(), oldTypes)) {
      if (result.getType() == oldType)
        continue;
      auto cast =
          tensor::CastOp::create(rewriter, op.getLoc(), oldType, result);
      rewriter.replaceAllUsesExcept(result, cast, cast);
    }
    return success();
  }
};
} // namespace

void AttentionOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<RefineResultTypes>(context);
}
