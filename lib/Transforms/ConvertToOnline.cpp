//===- ConvertToOnline.cpp - Attention in its open form -------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/IR/AttentionDims.h"
#include "mha/IR/MHA.h"
#include "mha/Support/PartialStates.h"
#include "mha/Support/Remarks.h"
#include "mha/Transforms/Passes.h"
#include "mha/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

#define DEBUG_TYPE "mha-convert-to-online"

namespace mlir::mha {
#define GEN_PASS_DEF_CONVERTTOONLINEPASS
#include "mha/Transforms/Passes.h.inc"
} // namespace mlir::mha

using namespace mlir;
using namespace mlir::mha;

namespace {
/// Builds the open form of one attention.
class OnlineFormBuilder {
public:
  OnlineFormBuilder(RewriterBase &rewriter, AttentionOp op)
      : rewriter(rewriter), loc(op.getLoc()), op(op) {}

  void replace();

private:
  SmallVector<OpFoldResult> getSizes(StringRef axes);
  SmallVector<Value> takeKeys(ArrayRef<Value> state);
  Value getOwnSink();

  RewriterBase &rewriter;
  Location loc;
  AttentionOp op;
};
} // namespace

SmallVector<OpFoldResult> OnlineFormBuilder::getSizes(StringRef axes) {
  SmallVector<OpFoldResult> sizes;
  AttentionDims dims = AttentionDims::get(op);
  for (char axis : axes) {
    int64_t known = dims.getOutputSize(axis);
    sizes.push_back(ShapedType::isDynamic(known)
                        ? getMixedOutputSize(rewriter, loc, op, axis)
                        : OpFoldResult(rewriter.getIndexAttr(known)));
  }
  return sizes;
}

/// The state behind all keys: new tensors, or the same buffers.
SmallVector<Value> OnlineFormBuilder::takeKeys(ArrayRef<Value> state) {
  SmallVector<Type> results;
  if (op.hasTensorSemantics())
    llvm::append_range(results, TypeRange(ValueRange(state)));
  auto online = OnlineAttentionOp::create(
      rewriter, loc, results, op.getQuery(), op.getKey(), op.getValue(),
      op.getDenseMask(), op.getKvLengths(), op.getQueryOffset(),
      op.getScaleValue(), op.getSlopes(), op.getRelativeTable(), op.getOrigin(),
      /*num_keys=*/Value(), state[0], state[1], state[2], op.getQueryLayout(),
      op.getKeyLayout(), op.getValueLayout(), op.getMaskAttr(),
      op.getAlignAttr(), op.getScaleAttr(), op.getBiasAttr(),
      op.getSoftcapAttr());
  if (op.hasTensorSemantics())
    return SmallVector<Value>(online->getResults());
  return SmallVector<Value>(state);
}

/// The sinks of this op's heads: those of a tile are a part of the problem's.
Value OnlineFormBuilder::getOwnSink() {
  Value sink = op.getSink();
  if (!sink || op.getOrigin().empty())
    return sink;
  OpFoldResult first = op.getOrigin()[1];
  OpFoldResult count = getMixedOutputSize(rewriter, loc, op, 'h');
  OpFoldResult one = rewriter.getIndexAttr(1);
  if (op.hasTensorSemantics())
    return tensor::ExtractSliceOp::create(rewriter, loc, sink, first, count,
                                          one);
  return memref::SubViewOp::create(rewriter, loc, sink, first, count, one);
}

void OnlineFormBuilder::replace() {
  SmallVector<Value> noKeys = buildStateOfNoKeys(
      rewriter, loc, {getSizes("bhsd"), getSizes("bhs"), getSizes("bhs")},
      op.getComputeType(), op.hasTensorSemantics());
  SmallVector<Value> state = takeKeys(noKeys);
  auto finalize = FinalizeOp::create(
      rewriter, loc, op->getResultTypes(), state[0], state[1], state[2],
      getOwnSink(), op.getOutputInit(), op.getLseInit(), op.getOutputLayout());
  rewriter.replaceOp(op, finalize->getResults());
}

void mlir::mha::convertToOnline(RewriterBase &rewriter, AttentionOp op) {
  OpBuilder::InsertionGuard guard(rewriter);
  // Both forms write into destinations, the closed one where it is given some.
  (void)addDestinations(rewriter, op);
  rewriter.setInsertionPoint(op);
  OnlineFormBuilder(rewriter, op).replace();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct ConvertToOnlinePass
    : mha::impl::ConvertToOnlinePassBase<ConvertToOnlinePass> {
  using ConvertToOnlinePassBase::ConvertToOnlinePassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](AttentionOp op) {
      bool isKept = (unscheduledOnly && op.getSchedule()) ||
                    (keepF64 && op.getComputeType().isF64());
      if (isKept)
        return;
      remarkUnfused(op, DEBUG_TYPE, "computed-by-general-path");
      convertToOnline(rewriter, op);
      ++numConverted;
    });
  }
};
} // namespace
