//===- DecomposeLayer.cpp - Layers as projections and attention -----------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that says what a layer computes. Inputs are mapped to rows of
// heads, (b, s, h * D), and read as (b, s, h, d): heads are never transposed or
// copied.
//
//===----------------------------------------------------------------------===//

#include "mha/IR/MHA.h"
#include "mha/Support/PartialStates.h"
#include "mha/Support/Remarks.h"
#include "mha/Transforms/Passes.h"
#include "mha/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

#include <limits>

#define DEBUG_TYPE "mha-decompose-layer"

namespace mlir::mha {
#define GEN_PASS_DEF_DECOMPOSELAYERPASS
#include "mha/Transforms/Passes.h.inc"
} // namespace mlir::mha

using namespace mlir;
using namespace mlir::mha;

namespace {
/// Queries, keys and values of all heads.
struct Heads {
  Value query, key, value;
};

class LayerBuilder {
public:
  LayerBuilder(RewriterBase &rewriter, LayerOp op)
      : rewriter(rewriter), loc(op.getLoc()), op(op), headDim(op.getHeadDim()),
        valueDim(op.getValueDim()),
        layout(LayoutAttr::get(op.getContext(),
                               op.getSequenceFirst() ? "sbhd" : "bshd")) {}

  Value build();

private:
  Value makeEmpty(Value like, int64_t width, Type element);
  Value slice(Value whole, unsigned dim, int64_t offset, int64_t size);
  Value project(const LayerProjection &projection, int64_t offset,
                int64_t width);
  Heads projectPacked();
  Heads projectInputs();
  Value splitHeads(Value rows, int64_t heads, int64_t width);
  Value joinHeads(Value heads);

  SmallVector<OpFoldResult> getStateSizes(StringRef axes);
  Value makeZeroSink();
  Value attend(const Heads &heads);
  Value attendInStates(const Heads &heads);
  SmallVector<Value> takeKeys(const Heads &heads, LayoutAttr keyLayout,
                              bool isExtra, ValueRange state);
  Value readAsKey(Value vector, int64_t width);

  Value getMask();
  Value showPadding();
  Value combineMasks();
  Value gate(Value heads);
  Value projectOutput(Value rows);

  RewriterBase &rewriter;
  Location loc;
  LayerOp op;
  int64_t headDim, valueDim;
  LayoutAttr layout;
};
} // namespace

//===----------------------------------------------------------------------===//
// Projections
//===----------------------------------------------------------------------===//

static unsigned getDimOfOutputs(WeightLayout layout) {
  return stringifyWeightLayout(layout).find('o');
}

/// An empty tensor with the first sizes of `like`, and `width` behind them.
Value LayerBuilder::makeEmpty(Value like, int64_t width, Type element) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, like);
  sizes.back() = rewriter.getIndexAttr(width);
  return tensor::EmptyOp::create(rewriter, loc, sizes, element);
}

/// `whole` from `offset` on along `dim`; itself where that is all.
Value LayerBuilder::slice(Value whole, unsigned dim, int64_t offset,
                          int64_t size) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, whole);
  if (getConstantIntValue(sizes[dim]) == size)
    return whole;
  SmallVector<OpFoldResult> offsets(sizes.size(), rewriter.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), rewriter.getIndexAttr(1));
  offsets[dim] = rewriter.getIndexAttr(offset);
  sizes[dim] = rewriter.getIndexAttr(size);
  return tensor::ExtractSliceOp::create(rewriter, loc, whole, offsets, sizes,
                                        strides);
}

/// Of `width` outputs, which in a packed weight or bias are those from `offset`
/// on.
Value LayerBuilder::project(const LayerProjection &projection, int64_t offset,
                            int64_t width) {
  Value weight = projection.weight, bias = projection.bias;
  WeightLayoutAttr weightLayout = op.getWQkvLayoutAttr();
  if (op.getWQkv())
    weight = slice(op.getWQkv(), getDimOfOutputs(weightLayout.getValue()),
                   offset, width);
  else
    weightLayout = WeightLayoutAttr::get(op.getContext(), *projection.layout);
  if (op.getBQkv())
    bias = slice(op.getBQkv(), 0, offset, width);
  Value empty = makeEmpty(projection.input, width,
                          getElementTypeOrSelf(projection.input));
  return ProjectionOp::create(rewriter, loc, empty.getType(), projection.input,
                              weight, bias, /*residual=*/Value(), empty,
                              weightLayout)
      .getOutput()
      .front();
}

/// Of one input, by one op.
Heads LayerBuilder::projectPacked() {
  int64_t ofQueries = op.getHeads() * headDim,
          ofKeys = op.getKVHeads() * headDim;
  Type element = getElementTypeOrSelf(op.getQuery().getType());
  SmallVector<Value> inits;
  for (int64_t width : {ofQueries, ofKeys, ofKeys})
    inits.push_back(makeEmpty(op.getQuery(), width, element));
  auto packed = QKVProjectionOp::create(
      rewriter, loc, TypeRange(ValueRange(inits)), op.getQuery(), op.getWQkv(),
      op.getBQkv(), inits, op.getWQkvLayoutAttr());
  return {packed.getResult(0), packed.getResult(1), packed.getResult(2)};
}

Heads LayerBuilder::projectInputs() {
  bool isSelfAttention =
      op.getKeyInput() == op.getQuery() && op.getValueInput() == op.getQuery();
  bool hasOwnBiases = op.getBQ() || op.getBK() || op.getBV();
  if (op.getWQkv() && isSelfAttention && !hasOwnBiases)
    return projectPacked();

  const int64_t headDims[] = {headDim, headDim, valueDim};
  SmallVector<Value> projected;
  int64_t offset = 0;
  for (auto [projection, dim] :
       llvm::zip_equal(getInputProjections(op), headDims)) {
    int64_t width = projection.heads * dim;
    projected.push_back(project(projection, offset, width));
    offset += width;
  }
  return {projected[0], projected[1], projected[2]};
}

static SmallVector<ReassociationIndices> getHeadGroups() {
  return {{0}, {1}, {2, 3}};
}

/// (b, s, h * width) as (b, s, h, width).
Value LayerBuilder::splitHeads(Value rows, int64_t heads, int64_t width) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, rows);
  sizes.back() = rewriter.getIndexAttr(heads);
  sizes.push_back(rewriter.getIndexAttr(width));
  auto type = cast<RankedTensorType>(rows.getType());
  SmallVector<int64_t> shape(type.getShape().drop_back());
  shape.append({heads, width});
  return tensor::ExpandShapeOp::create(rewriter, loc, type.clone(shape), rows,
                                       getHeadGroups(), sizes);
}

Value LayerBuilder::joinHeads(Value heads) {
  return tensor::CollapseShapeOp::create(rewriter, loc, heads, getHeadGroups());
}

/// The heads' values mapped to the output, with what is added to it.
Value LayerBuilder::projectOutput(Value rows) {
  int64_t width = cast<ShapedType>(op.getWO().getType())
                      .getDimSize(getDimOfOutputs(op.getWOLayout()));
  Value empty = makeEmpty(rows, width, getElementTypeOrSelf(op.getOutput()));
  return ProjectionOp::create(rewriter, loc, empty.getType(), rows, op.getWO(),
                              op.getBO(), op.getResidual(), empty,
                              op.getWOLayoutAttr())
      .getOutput()
      .front();
}

//===----------------------------------------------------------------------===//
// Masks and gates
//===----------------------------------------------------------------------===//

/// The padding with true for keys that are seen, (B, Sk).
Value LayerBuilder::showPadding() {
  Value padding = op.getKeyPadding();
  if (op.getPolarity() != Polarity::Hidden)
    return padding;
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, padding);
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes,
                                        getElementTypeOrSelf(padding));
  AffineMap identity = rewriter.getMultiDimIdentityMap(2);
  SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             rewriter, loc, empty.getType(), padding, empty,
             ArrayRef<AffineMap>{identity, identity}, loops,
             [](OpBuilder &builder, Location loc, ValueRange elements) {
               Value one = arith::ConstantIntOp::create(builder, loc, 1, 1);
               Value shown =
                   arith::XOrIOp::create(builder, loc, elements[0], one);
               linalg::YieldOp::create(builder, loc, shown);
             })
      .getResult(0);
}

/// What `mask` adds to a score, in `element`.
static Value buildAdded(OpBuilder &builder, Location loc, Value mask,
                        FloatType element) {
  if (isa<FloatType>(mask.getType()))
    return convertScalarToDtype(builder, loc, mask, element,
                                /*isUnsignedCast=*/false);
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(element, value));
  };
  return arith::SelectOp::create(
      builder, loc, mask, constant(0),
      constant(-std::numeric_limits<double>::infinity()));
}

/// Two masks as one: booleans by "and", otherwise what both add. -inf in one
/// hides whatever the other says, and two large numbers do not.
static Value buildBoth(OpBuilder &builder, Location loc, ValueRange masks,
                       Type element) {
  if (element.isInteger(1))
    return arith::AndIOp::create(builder, loc, masks[0], masks[1]);
  auto type = cast<FloatType>(element);
  Value lhs = buildAdded(builder, loc, masks[0], type);
  Value rhs = buildAdded(builder, loc, masks[1], type);
  Value hidden = arith::ConstantOp::create(
      builder, loc,
      builder.getFloatAttr(type, -std::numeric_limits<double>::infinity()));
  auto isHidden = [&](Value value) -> Value {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, value,
                                 hidden);
  };
  Value hides =
      arith::OrIOp::create(builder, loc, isHidden(lhs), isHidden(rhs));
  Value sum = arith::AddFOp::create(builder, loc, lhs, rhs);
  APFloat lowest =
      APFloat::getLargest(type.getFloatSemantics(), /*Negative=*/true);
  Value least = arith::ConstantOp::create(builder, loc,
                                          builder.getFloatAttr(type, lowest));
  sum = arith::SelectOp::create(builder, loc, isHidden(sum), least, sum);
  return arith::SelectOp::create(builder, loc, hides, hidden, sum);
}

/// The dense mask and the padding, (B, Hq or 1, Sq or 1, Sk).
Value LayerBuilder::combineMasks() {
  Value dense = op.getDenseMask(), padding = showPadding();
  auto type = cast<RankedTensorType>(dense.getType());
  Type element = rewriter.getI1Type();
  if (!getElementTypeOrSelf(dense).isInteger(1) ||
      !getElementTypeOrSelf(padding).isInteger(1))
    element = getComputeType(op.getQuery());
  // Where the dense mask repeats it is read at 0, and along heads and queries
  // the result repeats as well.
  SmallVector<OpFoldResult> ofPadding =
      tensor::getMixedSizes(rewriter, loc, padding);
  SmallVector<OpFoldResult> sizes{ofPadding[0], rewriter.getIndexAttr(1),
                                  rewriter.getIndexAttr(1), ofPadding[1]};
  SmallVector<AffineExpr> exprs;
  for (int64_t dim = 0, rank = type.getRank(); dim < rank; ++dim) {
    unsigned loop = 4 - rank + dim;
    bool repeats = type.getDimSize(dim) == 1;
    exprs.push_back(repeats ? rewriter.getAffineConstantExpr(0)
                            : rewriter.getAffineDimExpr(loop));
    if (!repeats && (loop == 1 || loop == 2))
      sizes[loop] = tensor::getMixedSize(rewriter, loc, dense, dim);
  }
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, element);
  MLIRContext *context = rewriter.getContext();
  SmallVector<AffineExpr> ofKeys{rewriter.getAffineDimExpr(0),
                                 rewriter.getAffineDimExpr(3)};
  SmallVector<utils::IteratorType> loops(4, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             rewriter, loc, empty.getType(), ValueRange{dense, padding}, empty,
             ArrayRef<AffineMap>{AffineMap::get(4, 0, exprs, context),
                                 AffineMap::get(4, 0, ofKeys, context),
                                 rewriter.getMultiDimIdentityMap(4)},
             loops,
             [&](OpBuilder &builder, Location loc, ValueRange elements) {
               linalg::YieldOp::create(
                   builder, loc,
                   buildBoth(builder, loc, elements.take_front(2), element));
             })
      .getResult(0);
}

/// The dense mask of the attention, null where there is none.
Value LayerBuilder::getMask() {
  if (!op.getKeyPadding())
    return op.getDenseMask();
  if (op.getDenseMask())
    return combineMasks();
  Value padding = showPadding();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, padding);
  OpFoldResult one = rewriter.getIndexAttr(1);
  sizes.insert(sizes.begin() + 1, {one, one});
  auto type = cast<RankedTensorType>(padding.getType());
  auto expanded = type.clone({type.getDimSize(0), 1, 1, type.getDimSize(1)});
  return tensor::ExpandShapeOp::create(
      rewriter, loc, expanded, padding,
      SmallVector<ReassociationIndices>{{0}, {1, 2, 3}}, sizes);
}

/// `heads`, each times its gate.
Value LayerBuilder::gate(Value heads) {
  Value gates = op.getHeadGate();
  if (!gates)
    return heads;
  auto type = cast<RankedTensorType>(heads.getType());
  auto element = cast<FloatType>(type.getElementType());
  FloatType compute = getComputeType(op.getQuery());
  auto dim = [&](char axis) {
    return rewriter.getAffineDimExpr(layout.getDim(axis));
  };
  SmallVector<AffineExpr> exprs{dim('b'), dim('h')};
  if (cast<ShapedType>(gates.getType()).getRank() == 1)
    exprs.erase(exprs.begin());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, heads);
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, element);
  AffineMap identity = rewriter.getMultiDimIdentityMap(4);
  SmallVector<utils::IteratorType> loops(4, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             rewriter, loc, empty.getType(), ValueRange{heads, gates}, empty,
             ArrayRef<AffineMap>{
                 identity, AffineMap::get(4, 0, exprs, rewriter.getContext()),
                 identity},
             loops,
             [&](OpBuilder &builder, Location loc, ValueRange elements) {
               Value value = elements[0], factor = elements[1], result;
               if (factor.getType().isInteger(1)) {
                 Value zero = arith::ConstantOp::create(
                     builder, loc, builder.getZeroAttr(element));
                 result =
                     arith::SelectOp::create(builder, loc, factor, value, zero);
               } else {
                 auto widen = [&](Value number) {
                   return convertScalarToDtype(builder, loc, number, compute,
                                               /*isUnsignedCast=*/false);
                 };
                 Value product = arith::MulFOp::create(
                     builder, loc, widen(value), widen(factor));
                 result = convertScalarToDtype(builder, loc, product, element,
                                               /*isUnsignedCast=*/false);
               }
               linalg::YieldOp::create(builder, loc, result);
             })
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// A key and a value of zeros are a sink of score 0.
Value LayerBuilder::makeZeroSink() {
  if (!op.getZeroAttn())
    return Value();
  Type element = getComputeType(op.getQuery());
  auto type = RankedTensorType::get({op.getHeads()}, element);
  return arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type));
}

SmallVector<OpFoldResult> LayerBuilder::getStateSizes(StringRef axes) {
  SmallVector<OpFoldResult> ofRows =
      tensor::getMixedSizes(rewriter, loc, op.getQuery());
  unsigned batch = op.getSequenceFirst() ? 1 : 0;
  SmallVector<OpFoldResult> sizes{
      ofRows[batch], rewriter.getIndexAttr(op.getHeads()), ofRows[1 - batch]};
  if (axes.contains('d'))
    sizes.push_back(rewriter.getIndexAttr(valueDim));
  return sizes;
}

/// A vector over (h, d) as one key or value for all batch entries, in bshd.
Value LayerBuilder::readAsKey(Value vector, int64_t width) {
  auto type = cast<RankedTensorType>(vector.getType());
  return tensor::ExpandShapeOp::create(
      rewriter, loc, type.clone({1, 1, op.getKVHeads(), width}), vector,
      SmallVector<ReassociationIndices>{{0, 1, 2, 3}});
}

/// The state behind these keys: those of the layer, or the extra one, which
/// nothing hides.
SmallVector<Value> LayerBuilder::takeKeys(const Heads &heads,
                                          LayoutAttr keyLayout, bool isExtra,
                                          ValueRange state) {
  auto online = OnlineAttentionOp::create(
      rewriter, loc, state.getTypes(), heads.query, heads.key, heads.value,
      isExtra ? Value() : getMask(), isExtra ? Value() : op.getKvLengths(),
      isExtra ? Value() : op.getQueryOffset(), op.getScaleValue(),
      /*slopes=*/Value(), /*relative_table=*/Value(), /*origin=*/ValueRange(),
      /*num_keys=*/Value(), state[0], state[1], state[2], layout, keyLayout,
      keyLayout, isExtra ? MaskAttr() : op.getMaskAttr(),
      isExtra ? AlignAttr() : op.getAlignAttr(), op.getScaleAttr(),
      /*bias=*/BiasAttr(), /*softcap=*/FloatAttr());
  return SmallVector<Value>(online->getResults());
}

Value LayerBuilder::attendInStates(const Heads &heads) {
  auto element = cast<FloatType>(getElementTypeOrSelf(op.getQuery()));
  FloatType compute = getComputeType(op.getQuery());
  SmallVector<Value> state = buildStateOfNoKeys(
      rewriter, loc,
      {getStateSizes("bhsd"), getStateSizes("bhs"), getStateSizes("bhs")},
      compute, /*onTensors=*/true);
  state = takeKeys(heads, layout, /*isExtra=*/false, state);
  Heads extra{heads.query, readAsKey(op.getExtraKey(), headDim),
              readAsKey(op.getExtraValue(), valueDim)};
  state = takeKeys(extra, LayoutAttr::get(op.getContext(), "bshd"),
                   /*isExtra=*/true, state);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, heads.query);
  sizes.back() = rewriter.getIndexAttr(valueDim);
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, element);
  return FinalizeOp::create(rewriter, loc, empty.getType(), state[0], state[1],
                            state[2], makeZeroSink(), empty,
                            /*lse_init=*/Value(), layout)
      ->getResult(0);
}

Value LayerBuilder::attend(const Heads &heads) {
  if (op.getExtraKey())
    return attendInStates(heads);
  auto type = cast<RankedTensorType>(heads.query.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = valueDim;
  Value none;
  return AttentionOp::create(
             rewriter, loc, type.clone(shape), /*lse=*/Type(),
             /*weights=*/Type(), heads.query, heads.key, heads.value, getMask(),
             op.getKvLengths(), op.getQueryOffset(), op.getScaleValue(),
             /*slopes=*/none, /*relative_table=*/none, makeZeroSink(),
             /*head_gate=*/none, /*dropout_seed=*/none, /*dropout_offset=*/none,
             /*q_scale=*/none, /*k_scale=*/none, /*v_scale=*/none,
             /*captures=*/ValueRange(), /*origin=*/ValueRange(),
             /*output_init=*/none, /*lse_init=*/none, /*weights_init=*/none,
             layout, layout, layout, layout, op.getMaskAttr(),
             op.getAlignAttr(), op.getScaleAttr(), /*bias=*/BiasAttr(),
             /*softcap=*/FloatAttr(), /*dropout=*/FloatAttr(),
             /*schedule=*/Attribute())
      .getOutput();
}

Value LayerBuilder::build() {
  Heads rows = projectInputs();
  Heads heads{splitHeads(rows.query, op.getHeads(), headDim),
              splitHeads(rows.key, op.getKVHeads(), headDim),
              splitHeads(rows.value, op.getKVHeads(), valueDim)};
  Value result = projectOutput(joinHeads(gate(attend(heads))));
  if (result.getType() != op.getOutput().getType())
    result =
        tensor::CastOp::create(rewriter, loc, op.getOutput().getType(), result);
  return result;
}

/// Casts operands to what all of them together say of sizes: beside a dynamic
/// size a 1 would repeat. The casts are checked on entry.
static void refineOperands(RewriterBase &rewriter, LayerOp op) {
  SmallVector<LayerShape> shapes = getLayerShapes(op);
  llvm::SmallDenseMap<char, int64_t> known = getKnownSizes(shapes);
  // One value stays one value: self attention is seen by that.
  llvm::SmallDenseMap<std::pair<Value, Type>, Value> casts;
  for (const LayerShape &shape : shapes) {
    SmallVector<int64_t> sizes(shape.type.getShape());
    for (auto [size, axis] : llvm::zip_equal(sizes, shape.axes))
      if (known.contains(axis))
        size = known[axis];
    if (!shape.operand || ArrayRef(sizes) == shape.type.getShape())
      continue;
    Type type = cast<RankedTensorType>(shape.type).clone(sizes);
    Value &refined = casts[{shape.operand->get(), type}];
    if (!refined)
      refined = tensor::CastOp::create(rewriter, op.getLoc(), type,
                                       shape.operand->get());
    rewriter.modifyOpInPlace(op, [&] { shape.operand->set(refined); });
  }
}

void mlir::mha::decomposeLayer(RewriterBase &rewriter, LayerOp op) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  refineOperands(rewriter, op);
  rewriter.replaceOp(op, LayerBuilder(rewriter, op).build());
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct DecomposeLayerPass
    : mha::impl::DecomposeLayerPassBase<DecomposeLayerPass> {
  using DecomposeLayerPassBase::DecomposeLayerPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](LayerOp op) {
      if (op.getExtraKey())
        remarkMissed(op, DEBUG_TYPE, "computed-by-general-path",
                     "no kernel for an extra key");
      decomposeLayer(rewriter, op);
      ++numDecomposed;
    });
  }
};
} // namespace
