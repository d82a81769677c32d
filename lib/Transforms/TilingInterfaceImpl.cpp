//===- TilingInterfaceImpl.cpp - Attention in tiles -----------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Transforms/TilingInterfaceImpl.h"

#include "mha/IR/AttentionDims.h"
#include "mha/IR/MHA.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/TilingInterface.h"

using namespace mlir;
using namespace mlir::mha;

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

namespace {
/// An interval along one axis.
struct Interval {
  OpFoldResult offset, size;
};

/// The loops of the iteration domain, in order.
enum Loop : unsigned { kBatch, kKVHead, kGroup, kQuery, kValueDim, kNumLoops };

/// What a tile takes of the axes of the output.
struct OutputBox {
  Interval batch, head, kvHead, group, query, valueDim;

  const Interval &get(char axis) const {
    switch (axis) {
    case 'b':
      return batch;
    case 'h':
      return head;
    case 'k':
      return kvHead;
    case 'g':
      return group;
    case 's':
      return query;
    default:
      return valueDim;
    }
  }
};

/// A tile of one attention, with a builder at hand.
class Tiler {
public:
  Tiler(OpBuilder &builder, AttentionOp op)
      : builder(builder), op(op), loc(op.getLoc()) {}

  SmallVector<Range> getDomain();
  FailureOr<OutputBox> getOutputBox(ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<OpFoldResult> sizes);
  void getResultTile(unsigned result, const OutputBox &box,
                     SmallVectorImpl<OpFoldResult> &offsets,
                     SmallVectorImpl<OpFoldResult> &sizes);
  LogicalResult getDomainTile(unsigned result, ArrayRef<OpFoldResult> offsets,
                              ArrayRef<OpFoldResult> sizes,
                              SmallVectorImpl<OpFoldResult> &domainOffsets,
                              SmallVectorImpl<OpFoldResult> &domainSizes);
  FailureOr<TilingResult> tile(ArrayRef<OpFoldResult> offsets,
                               ArrayRef<OpFoldResult> sizes);

private:
  OpFoldResult getSize(Value value, LayoutAttr layout, char axis);
  OpFoldResult apply(AffineExpr expr, ArrayRef<OpFoldResult> operands);
  Value slice(Value value, ArrayRef<OpFoldResult> offsets,
              ArrayRef<OpFoldResult> sizes);
  Value sliceOperand(Value value, LayoutAttr layout,
                     ArrayRef<std::pair<char, Interval>> parts);
  Value sliceDenseMask(const OutputBox &box);
  Value sliceResultBuffer(unsigned result, Value init, const OutputBox &box);
  SmallVector<Value> shiftOrigin(const OutputBox &box);
  void fixPositions(AttentionOp tiled);
  void addResults(OperationState &state, const OutputBox &box);

  OpBuilder &builder;
  AttentionOp op;
  Location loc;
  SmallVector<Operation *> slices;
};
} // namespace

OpFoldResult Tiler::getSize(Value value, LayoutAttr layout, char axis) {
  return getMixedAxisSize(builder, loc, value, layout, axis);
}

OpFoldResult Tiler::apply(AffineExpr expr, ArrayRef<OpFoldResult> operands) {
  return affine::makeComposedFoldedAffineApply(
      builder, loc, AffineMap::get(0, operands.size(), expr), operands);
}

SmallVector<Range> Tiler::getDomain() {
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  OpFoldResult batch = getSize(op.getQuery(), op.getQueryLayout(), 'b');
  OpFoldResult kvHeads = getSize(op.getKey(), op.getKeyLayout(), 'h');
  OpFoldResult group = getMixedOutputSize(builder, loc, op, 'g');
  OpFoldResult queries = getSize(op.getQuery(), op.getQueryLayout(), 's');
  OpFoldResult valueDim = getSize(op.getValue(), op.getValueLayout(), 'd');
  return {{zero, batch, one},
          {zero, kvHeads, one},
          {zero, group, one},
          {zero, queries, one},
          {zero, valueDim, one}};
}

FailureOr<OutputBox> Tiler::getOutputBox(ArrayRef<OpFoldResult> offsets,
                                         ArrayRef<OpFoldResult> sizes) {
  OpFoldResult group = getMixedOutputSize(builder, loc, op, 'g');
  // Of a group that only run time knows, nothing tells a part from the whole.
  bool isWholeGroup = isEqualConstantIntOrValue(sizes[kGroup], group);
  if (!isWholeGroup && !isConstantIntValue(sizes[kKVHead], 1))
    return failure();
  // Only the tile of the first element of the head writes the lse.
  bool isWholeValueDim = isEqualConstantIntOrValue(
      sizes[kValueDim], getSize(op.getValue(), op.getValueLayout(), 'd'));
  if ((op.getLse() || op.getLseInit()) && !isWholeValueDim &&
      !isZeroInteger(offsets[kValueDim]))
    return failure();

  AffineExpr kvHead, groupSize, inGroup;
  bindSymbols(builder.getContext(), kvHead, groupSize, inGroup);
  // Constants fold into the expression.
  OpFoldResult first = apply(kvHead * groupSize + inGroup,
                             {offsets[kKVHead], group, offsets[kGroup]});
  OpFoldResult count = isWholeGroup
                           ? apply(kvHead * groupSize, {sizes[kKVHead], group})
                           : sizes[kGroup];
  return OutputBox{{offsets[kBatch], sizes[kBatch]},
                   {first, count},
                   {offsets[kKVHead], sizes[kKVHead]},
                   {offsets[kGroup], sizes[kGroup]},
                   {offsets[kQuery], sizes[kQuery]},
                   {offsets[kValueDim], sizes[kValueDim]}};
}

/// The axes of a result: those of its layout, or of the lse.
static StringRef getResultAxes(AttentionOp op, unsigned result) {
  return result == 0 ? op.getOutputLayout().getAxes() : "bhs";
}

void Tiler::getResultTile(unsigned result, const OutputBox &box,
                          SmallVectorImpl<OpFoldResult> &offsets,
                          SmallVectorImpl<OpFoldResult> &sizes) {
  for (char axis : getResultAxes(op, result)) {
    offsets.push_back(box.get(axis).offset);
    sizes.push_back(box.get(axis).size);
  }
}

/// The other way round: loops that compute a tile of a result. Heads are split
/// into (k, g) only where they are all there, or each k has one.
LogicalResult Tiler::getDomainTile(unsigned result,
                                   ArrayRef<OpFoldResult> offsets,
                                   ArrayRef<OpFoldResult> sizes,
                                   SmallVectorImpl<OpFoldResult> &domainOffsets,
                                   SmallVectorImpl<OpFoldResult> &domainSizes) {
  SmallVector<Range> domain = getDomain();
  for (const Range &range : domain) {
    domainOffsets.push_back(range.offset);
    domainSizes.push_back(range.size);
  }
  AttentionDims dims = AttentionDims::get(op);
  for (auto [axis, offset, size] :
       llvm::zip_equal(getResultAxes(op, result), offsets, sizes)) {
    if (axis == 'h') {
      bool hasAllHeads = isZeroInteger(offset) &&
                         !ShapedType::isDynamic(dims.numQueryHeads) &&
                         isConstantIntValue(size, dims.numQueryHeads);
      if (hasAllHeads)
        continue;
      if (dims.getGroup() != 1)
        return failure();
    }
    Loop loop = axis == 'b'                  ? kBatch
                : axis == 'h' || axis == 'k' ? kKVHead
                : axis == 'g'                ? kGroup
                : axis == 's'                ? kQuery
                                             : kValueDim;
    domainOffsets[loop] = offset;
    domainSizes[loop] = size;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The tiled op
//===----------------------------------------------------------------------===//

Value Tiler::slice(Value value, ArrayRef<OpFoldResult> offsets,
                   ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> strides(offsets.size(), builder.getIndexAttr(1));
  Operation *made = op.hasTensorSemantics()
                        ? tensor::ExtractSliceOp::create(
                              builder, loc, value, offsets, sizes, strides)
                              .getOperation()
                        : memref::SubViewOp::create(builder, loc, value,
                                                    offsets, sizes, strides)
                              .getOperation();
  slices.push_back(made);
  return made->getResult(0);
}

/// The part of an operand given by intervals along some axes, whole along the
/// others.
Value Tiler::sliceOperand(Value value, LayoutAttr layout,
                          ArrayRef<std::pair<char, Interval>> parts) {
  SmallVector<OpFoldResult> offsets, sizes;
  for (char axis : layout.getAxes()) {
    Interval part{builder.getIndexAttr(0), getSize(value, layout, axis)};
    for (const auto &[name, interval] : parts)
      if (name == axis)
        part = interval;
    offsets.push_back(part.offset);
    sizes.push_back(part.size);
  }
  return slice(value, offsets, sizes);
}

/// The part of the mask that the tile broadcasts; its keys are all there.
Value Tiler::sliceDenseMask(const OutputBox &box) {
  Value mask = op.getDenseMask();
  auto type = cast<ShapedType>(mask.getType());
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  OpFoldResult keys = getSize(op.getKey(), op.getKeyLayout(), 's');
  const Interval whole[] = {box.batch, box.head, box.query, {zero, keys}};
  SmallVector<OpFoldResult> offsets, sizes;
  for (auto [size, interval] : llvm::zip_equal(
           type.getShape(), ArrayRef(whole).take_back(type.getRank()))) {
    offsets.push_back(size == 1 ? zero : interval.offset);
    sizes.push_back(size == 1 ? one : interval.size);
  }
  return slice(mask, offsets, sizes);
}

Value Tiler::sliceResultBuffer(unsigned result, Value init,
                               const OutputBox &box) {
  SmallVector<OpFoldResult> offsets, sizes;
  getResultTile(result, box, offsets, sizes);
  return slice(init, offsets, sizes);
}

/// The origin of the tile: that of the op, moved by the box.
SmallVector<Value> Tiler::shiftOrigin(const OutputBox &box) {
  AffineExpr base, distance;
  bindSymbols(builder.getContext(), base, distance);
  OpFoldResult zero = builder.getIndexAttr(0);
  const OpFoldResult distances[] = {box.batch.offset, box.head.offset,
                                    box.query.offset, zero};
  SmallVector<Value> origin;
  for (auto [number, moved] : llvm::enumerate(distances)) {
    OpFoldResult from =
        op.getOrigin().empty() ? zero : OpFoldResult(op.getOrigin()[number]);
    origin.push_back(getValueOrCreateConstantIndexOp(
        builder, loc, apply(base + distance, {from, moved})));
  }
  return origin;
}

/// Writes out what a tile does not know any more: Sq of the problem, and that
/// the problem is square.
void Tiler::fixPositions(AttentionOp tiled) {
  if (!op.isPositional())
    return;
  Align align = op.getEffectiveAlign();
  if (align == Align::BottomRight) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(tiled);
    Value queries = getValueOrCreateConstantIndexOp(
        builder, loc, getSize(op.getQuery(), op.getQueryLayout(), 's'));
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value offset = arith::SubIOp::create(builder, loc, zero, queries);
    tiled.getQueryOffsetMutable().assign(offset);
    align = Align::End;
  }
  tiled.setAlign(align);
}

/// On tensors results take the static sizes of the box.
void Tiler::addResults(OperationState &state, const OutputBox &box) {
  for (auto [number, type] : llvm::enumerate(op->getResultTypes())) {
    SmallVector<OpFoldResult> offsets, sizes;
    getResultTile(number, box, offsets, sizes);
    SmallVector<int64_t> shape = decomposeMixedValues(sizes).first;
    state.addTypes(cast<RankedTensorType>(type).clone(shape));
  }
}

FailureOr<TilingResult> Tiler::tile(ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<OpFoldResult> sizes) {
  FailureOr<OutputBox> box = getOutputBox(offsets, sizes);
  if (failed(box))
    return failure();
  Value query = sliceOperand(op.getQuery(), op.getQueryLayout(),
                             {{'b', box->batch},
                              {'h', box->head},
                              {'k', box->kvHead},
                              {'g', box->group},
                              {'s', box->query}});
  Interval ofKeys = box->batch;
  if (op.sharesKeysInBatch())
    ofKeys = {builder.getIndexAttr(0), builder.getIndexAttr(1)};
  Value key = sliceOperand(op.getKey(), op.getKeyLayout(),
                           {{'b', ofKeys}, {'h', box->kvHead}});
  Value value =
      sliceOperand(op.getValue(), op.getValueLayout(),
                   {{'b', ofKeys}, {'h', box->kvHead}, {'d', box->valueDim}});
  // On tensors `outs` only lends its buffer: a tile does without.
  Value outputInit, lseInit;
  if (!op.hasTensorSemantics()) {
    outputInit = sliceResultBuffer(0, op.getOutputInit(), *box);
    if (op.getLseInit())
      lseInit = sliceResultBuffer(1, op.getLseInit(), *box);
  }
  Value denseMask = op.getDenseMask() ? sliceDenseMask(*box) : Value();
  SmallVector<Value> origin = shiftOrigin(*box);

  // Attributes and the operands that stay whole come from a copy; its types
  // of results follow its shapes, so the copy is made from its parts.
  OperationState state(loc, op->getName());
  state.addOperands(op->getOperands());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  state.addAttributes(op->getDiscardableAttrDictionary().getValue());
  addResults(state, *box);
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  auto tiled = cast<AttentionOp>(builder.create(state));
  tiled.getQueryMutable().assign(query);
  tiled.getKeyMutable().assign(key);
  tiled.getValueMutable().assign(value);
  if (denseMask)
    tiled.getDenseMaskMutable().assign(denseMask);
  tiled.getOriginMutable().assign(origin);
  auto assignOrClear = [](MutableOperandRange range, Value init) {
    if (init)
      range.assign(init);
    else
      range.clear();
  };
  assignOrClear(tiled.getOutputInitMutable(), outputInit);
  assignOrClear(tiled.getLseInitMutable(), lseInit);
  fixPositions(tiled);
  return TilingResult{{tiled}, SmallVector<Value>(tiled->getResults()), slices};
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

namespace {
struct AttentionTiling
    : TilingInterface::ExternalModel<AttentionTiling, AttentionOp> {
  SmallVector<utils::IteratorType> getLoopIteratorTypes(Operation *) const {
    return SmallVector<utils::IteratorType>(kNumLoops,
                                            utils::IteratorType::parallel);
  }

  SmallVector<Range> getIterationDomain(Operation *op,
                                        OpBuilder &builder) const {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(op);
    return Tiler(builder, cast<AttentionOp>(op)).getDomain();
  }

  FailureOr<TilingResult>
  getTiledImplementation(Operation *op, OpBuilder &builder,
                         ArrayRef<OpFoldResult> offsets,
                         ArrayRef<OpFoldResult> sizes) const {
    return Tiler(builder, cast<AttentionOp>(op)).tile(offsets, sizes);
  }

  LogicalResult
  getResultTilePosition(Operation *op, OpBuilder &builder, unsigned result,
                        ArrayRef<OpFoldResult> offsets,
                        ArrayRef<OpFoldResult> sizes,
                        SmallVector<OpFoldResult> &resultOffsets,
                        SmallVector<OpFoldResult> &resultSizes) const {
    Tiler tiler(builder, cast<AttentionOp>(op));
    FailureOr<OutputBox> box = tiler.getOutputBox(offsets, sizes);
    if (failed(box))
      return failure();
    tiler.getResultTile(result, *box, resultOffsets, resultSizes);
    return success();
  }

  LogicalResult getIterationDomainTileFromResultTile(
      Operation *op, OpBuilder &builder, unsigned result,
      ArrayRef<OpFoldResult> resultOffsets, ArrayRef<OpFoldResult> resultSizes,
      SmallVectorImpl<OpFoldResult> &domainOffsets,
      SmallVectorImpl<OpFoldResult> &domainSizes) const {
    return Tiler(builder, cast<AttentionOp>(op))
        .getDomainTile(result, resultOffsets, resultSizes, domainOffsets,
                       domainSizes);
  }

  FailureOr<TilingResult>
  generateResultTileValue(Operation *op, OpBuilder &builder, unsigned result,
                          ArrayRef<OpFoldResult> resultOffsets,
                          ArrayRef<OpFoldResult> resultSizes) const {
    Tiler tiler(builder, cast<AttentionOp>(op));
    SmallVector<OpFoldResult> offsets, sizes;
    if (failed(tiler.getDomainTile(result, resultOffsets, resultSizes, offsets,
                                   sizes)))
      return failure();
    FailureOr<TilingResult> tiled = tiler.tile(offsets, sizes);
    if (failed(tiled))
      return failure();
    // Of several results the caller wants this one.
    tiled->tiledValues = {tiled->tiledValues[result]};
    return tiled;
  }
};
} // namespace

void mlir::mha::registerTilingInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, MHADialect *) {
    AttentionOp::attachInterface<AttentionTiling>(*context);
    context->loadDialect<affine::AffineDialect, arith::ArithDialect,
                         memref::MemRefDialect, tensor::TensorDialect>();
  });
}
