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
#include "mha/Support/PartialStates.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
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

/// The loops of the iteration domain, in order. The last one is n, elements of
/// the value head, or of the open form j, keys.
enum Loop : unsigned { kBatch, kKVHead, kGroup, kQuery, kLast, kNumLoops };

/// What a tile takes of all axes.
struct Box {
  Interval batch, head, kvHead, group, query, key, valueDim;

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

/// A tile of one attention, `mha.attention` or `mha.online_attention`, with a
/// builder at hand.
template <typename OpTy>
class Tiler {
public:
  static constexpr bool isOnline = std::is_same_v<OpTy, OnlineAttentionOp>;

  Tiler(OpBuilder &builder, Operation *op)
      : builder(builder), op(cast<OpTy>(op)), loc(op->getLoc()) {}

  SmallVector<Range> getDomain();
  FailureOr<Box> getBox(ArrayRef<OpFoldResult> offsets,
                        ArrayRef<OpFoldResult> sizes);
  void getResultTile(unsigned result, const Box &box,
                     SmallVectorImpl<OpFoldResult> &offsets,
                     SmallVectorImpl<OpFoldResult> &sizes);
  LogicalResult getDomainTile(unsigned result, ArrayRef<OpFoldResult> offsets,
                              ArrayRef<OpFoldResult> sizes,
                              SmallVectorImpl<OpFoldResult> &domainOffsets,
                              SmallVectorImpl<OpFoldResult> &domainSizes);
  FailureOr<TilingResult> tile(ArrayRef<OpFoldResult> offsets,
                               ArrayRef<OpFoldResult> sizes);
  FailureOr<TilingResult> tile(const Box &box,
                               function_ref<SmallVector<Value>()> makeInits);
  Value slice(Value value, ArrayRef<OpFoldResult> offsets,
              ArrayRef<OpFoldResult> sizes);

private:
  StringRef getResultAxes(unsigned result);
  OpFoldResult getSize(Value value, LayoutAttr layout, char axis);
  OpFoldResult apply(AffineExpr expr, ArrayRef<OpFoldResult> operands);
  Value sliceOperand(Value value, LayoutAttr layout,
                     ArrayRef<std::pair<char, Interval>> parts);
  Value sliceDenseMask(const Box &box);
  SmallVector<Value> sliceInits(const Box &box);
  SmallVector<Value> shiftOrigin(const Box &box);
  void fixPositions(OpTy tiled);
  void fixNumKeys(OnlineAttentionOp tiled);
  SmallVector<Type> getResultTypes(const Box &box, ValueRange inits);

  OpBuilder &builder;
  OpTy op;
  Location loc;
  SmallVector<Operation *> slices;
};
} // namespace

template <typename OpTy>
OpFoldResult Tiler<OpTy>::getSize(Value value, LayoutAttr layout, char axis) {
  return getMixedAxisSize(builder, loc, value, layout, axis);
}

template <typename OpTy>
OpFoldResult Tiler<OpTy>::apply(AffineExpr expr,
                                ArrayRef<OpFoldResult> operands) {
  return affine::makeComposedFoldedAffineApply(
      builder, loc, AffineMap::get(0, operands.size(), expr), operands);
}

template <typename OpTy>
SmallVector<Range> Tiler<OpTy>::getDomain() {
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  OpFoldResult batch = getSize(op.getQuery(), op.getQueryLayout(), 'b');
  OpFoldResult kvHeads = getSize(op.getKey(), op.getKeyLayout(), 'h');
  OpFoldResult group = getMixedOutputSize(builder, loc, op, 'g');
  OpFoldResult queries = getSize(op.getQuery(), op.getQueryLayout(), 's');
  OpFoldResult last = isOnline
                          ? getSize(op.getKey(), op.getKeyLayout(), 's')
                          : getSize(op.getValue(), op.getValueLayout(), 'd');
  return {{zero, batch, one},
          {zero, kvHeads, one},
          {zero, group, one},
          {zero, queries, one},
          {zero, last, one}};
}

/// Whether two sizes are one, computed once or twice.
static bool isSameSize(OpFoldResult lhs, OpFoldResult rhs) {
  if (isEqualConstantIntOrValue(lhs, rhs))
    return true;
  auto lhsValue = dyn_cast<Value>(lhs), rhsValue = dyn_cast<Value>(rhs);
  Operation *lhsOp = lhsValue ? lhsValue.getDefiningOp() : nullptr;
  Operation *rhsOp = rhsValue ? rhsValue.getDefiningOp() : nullptr;
  if (!lhsOp || !rhsOp || lhsOp->getName() != rhsOp->getName() ||
      lhsOp->getNumResults() != 1 || !isMemoryEffectFree(lhsOp) ||
      lhsOp->getRawDictionaryAttrs() != rhsOp->getRawDictionaryAttrs() ||
      lhsOp->getPropertiesAsAttribute() != rhsOp->getPropertiesAsAttribute())
    return false;
  return llvm::all_of_zip(lhsOp->getOperands(), rhsOp->getOperands(),
                          isSameSize);
}

template <typename OpTy>
FailureOr<Box> Tiler<OpTy>::getBox(ArrayRef<OpFoldResult> offsets,
                                   ArrayRef<OpFoldResult> sizes) {
  OpFoldResult group = getMixedOutputSize(builder, loc, op, 'g');
  bool isWholeGroup = isSameSize(sizes[kGroup], group);
  if (!isWholeGroup && !isConstantIntValue(sizes[kKVHead], 1))
    return failure();
  OpFoldResult zero = builder.getIndexAttr(0);
  Interval valueDim{zero, getSize(op.getValue(), op.getValueLayout(), 'd')};
  Interval keys{zero, getSize(op.getKey(), op.getKeyLayout(), 's')};
  Interval last{offsets[kLast], sizes[kLast]};
  if constexpr (isOnline) {
    keys = last;
  } else {
    // Only the tile of the first element of the head writes the lse.
    if ((op.getLse() || op.getLseInit()) &&
        !isSameSize(last.size, valueDim.size) && !isZeroInteger(last.offset))
      return failure();
    valueDim = last;
  }

  AffineExpr kvHead, groupSize, inGroup;
  bindSymbols(builder.getContext(), kvHead, groupSize, inGroup);
  // Constants fold into the expression.
  OpFoldResult first = apply(kvHead * groupSize + inGroup,
                             {offsets[kKVHead], group, offsets[kGroup]});
  OpFoldResult count = isWholeGroup
                           ? apply(kvHead * groupSize, {sizes[kKVHead], group})
                           : sizes[kGroup];
  return Box{{offsets[kBatch], sizes[kBatch]},
             {first, count},
             {offsets[kKVHead], sizes[kKVHead]},
             {offsets[kGroup], sizes[kGroup]},
             {offsets[kQuery], sizes[kQuery]},
             keys,
             valueDim};
}

/// The axes of a result: those of its layout, or of what each query has one of.
template <typename OpTy>
StringRef Tiler<OpTy>::getResultAxes(unsigned result) {
  if (result != 0)
    return "bhs";
  if constexpr (isOnline)
    return "bhsd";
  else
    return op.getOutputLayout().getAxes();
}

template <typename OpTy>
void Tiler<OpTy>::getResultTile(unsigned result, const Box &box,
                                SmallVectorImpl<OpFoldResult> &offsets,
                                SmallVectorImpl<OpFoldResult> &sizes) {
  for (char axis : getResultAxes(result)) {
    offsets.push_back(box.get(axis).offset);
    sizes.push_back(box.get(axis).size);
  }
}

/// The other way round: loops that compute a tile of a result. Heads are split
/// into (k, g) only where they are all there, or each k has one.
template <typename OpTy>
LogicalResult
Tiler<OpTy>::getDomainTile(unsigned result, ArrayRef<OpFoldResult> offsets,
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
       llvm::zip_equal(getResultAxes(result), offsets, sizes)) {
    if (axis == 'h') {
      bool hasAllHeads = isZeroInteger(offset) &&
                         !ShapedType::isDynamic(dims.numQueryHeads) &&
                         isConstantIntValue(size, dims.numQueryHeads);
      if (hasAllHeads)
        continue;
      if (dims.getGroup() != 1)
        return failure();
    }
    // A tile of the open form has all of the value head.
    if (isOnline && axis == 'd') {
      if (!isSameSize(size, getSize(op.getValue(), op.getValueLayout(), 'd')))
        return failure();
      continue;
    }
    Loop loop = axis == 'b'                  ? kBatch
                : axis == 'h' || axis == 'k' ? kKVHead
                : axis == 'g'                ? kGroup
                : axis == 's'                ? kQuery
                                             : kLast;
    domainOffsets[loop] = offset;
    domainSizes[loop] = size;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The tiled op
//===----------------------------------------------------------------------===//

template <typename OpTy>
Value Tiler<OpTy>::slice(Value value, ArrayRef<OpFoldResult> offsets,
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
template <typename OpTy>
Value Tiler<OpTy>::sliceOperand(Value value, LayoutAttr layout,
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

/// The part of the mask that the tile broadcasts.
template <typename OpTy>
Value Tiler<OpTy>::sliceDenseMask(const Box &box) {
  Value mask = op.getDenseMask();
  auto type = cast<ShapedType>(mask.getType());
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  const Interval whole[] = {box.batch, box.head, box.query, box.key};
  SmallVector<OpFoldResult> offsets, sizes;
  for (auto [size, interval] : llvm::zip_equal(
           type.getShape(), ArrayRef(whole).take_back(type.getRank()))) {
    offsets.push_back(size == 1 ? zero : interval.offset);
    sizes.push_back(size == 1 ? one : interval.size);
  }
  return slice(mask, offsets, sizes);
}

/// The parts of the destinations. On tensors those of the closed form only lend
/// their buffers: a tile does without.
template <typename OpTy>
SmallVector<Value> Tiler<OpTy>::sliceInits(const Box &box) {
  SmallVector<Value> inits;
  auto add = [&](Value init) {
    SmallVector<OpFoldResult> offsets, sizes;
    getResultTile(inits.size(), box, offsets, sizes);
    inits.push_back(slice(init, offsets, sizes));
  };
  if constexpr (isOnline) {
    for (Value init : op.getDpsInits())
      add(init);
  } else if (!op.hasTensorSemantics()) {
    add(op.getOutputInit());
    if (op.getLseInit())
      add(op.getLseInit());
  }
  return inits;
}

/// The origin of the tile: that of the op, moved by the box.
template <typename OpTy>
SmallVector<Value> Tiler<OpTy>::shiftOrigin(const Box &box) {
  AffineExpr base, distance;
  bindSymbols(builder.getContext(), base, distance);
  OpFoldResult zero = builder.getIndexAttr(0);
  const OpFoldResult distances[] = {box.batch.offset, box.head.offset,
                                    box.query.offset, box.key.offset};
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
template <typename OpTy>
void Tiler<OpTy>::fixPositions(OpTy tiled) {
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

/// Positions that count from the end of the keys need to know where that is.
template <typename OpTy>
void Tiler<OpTy>::fixNumKeys(OnlineAttentionOp tiled) {
  if (tiled.getNumKeys() || tiled.getAlign() != Align::End)
    return;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(tiled);
  AffineExpr first, count;
  bindSymbols(builder.getContext(), first, count);
  OpFoldResult firstKey = op.getOrigin().empty()
                              ? OpFoldResult(builder.getIndexAttr(0))
                              : OpFoldResult(op.getOrigin()[3]);
  OpFoldResult numKeys = getSize(op.getKey(), op.getKeyLayout(), 's');
  Value end = getValueOrCreateConstantIndexOp(
      builder, loc, apply(first + count, {firstKey, numKeys}));
  tiled.getNumKeysMutable().assign(end);
}

/// Results have the types of their destinations, or the static sizes of the
/// box.
template <typename OpTy>
SmallVector<Type> Tiler<OpTy>::getResultTypes(const Box &box,
                                              ValueRange inits) {
  SmallVector<Type> types;
  for (auto [number, type] : llvm::enumerate(op->getResultTypes())) {
    if (isOnline) {
      types.push_back(inits[number].getType());
      continue;
    }
    SmallVector<OpFoldResult> offsets, sizes;
    getResultTile(number, box, offsets, sizes);
    SmallVector<int64_t> shape = decomposeMixedValues(sizes).first;
    types.push_back(cast<RankedTensorType>(type).clone(shape));
  }
  return types;
}

template <typename OpTy>
FailureOr<TilingResult> Tiler<OpTy>::tile(ArrayRef<OpFoldResult> offsets,
                                          ArrayRef<OpFoldResult> sizes) {
  FailureOr<Box> box = getBox(offsets, sizes);
  if (failed(box))
    return failure();
  return tile(*box, [&] { return sliceInits(*box); });
}

template <typename OpTy>
FailureOr<TilingResult>
Tiler<OpTy>::tile(const Box &box,
                  function_ref<SmallVector<Value>()> makeInits) {
  Value query = sliceOperand(op.getQuery(), op.getQueryLayout(),
                             {{'b', box.batch},
                              {'h', box.head},
                              {'k', box.kvHead},
                              {'g', box.group},
                              {'s', box.query}});
  Interval ofKeys = box.batch;
  if (op.sharesKeysInBatch())
    ofKeys = {builder.getIndexAttr(0), builder.getIndexAttr(1)};
  Value key = sliceOperand(op.getKey(), op.getKeyLayout(),
                           {{'b', ofKeys}, {'h', box.kvHead}, {'s', box.key}});
  Value value = sliceOperand(
      op.getValue(), op.getValueLayout(),
      {{'b', ofKeys}, {'h', box.kvHead}, {'s', box.key}, {'d', box.valueDim}});
  SmallVector<Value> inits = makeInits();
  Value denseMask = op.getDenseMask() ? sliceDenseMask(box) : Value();
  SmallVector<Value> origin = shiftOrigin(box);

  // Attributes and the operands that stay whole come from a copy; its types
  // of results follow its shapes, so the copy is made from its parts.
  OperationState state(loc, op->getName());
  state.addOperands(op->getOperands());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  state.addAttributes(op->getDiscardableAttrDictionary().getValue());
  state.addTypes(getResultTypes(box, inits));
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  auto tiled = cast<OpTy>(builder.create(state));
  tiled.getQueryMutable().assign(query);
  tiled.getKeyMutable().assign(key);
  tiled.getValueMutable().assign(value);
  if (denseMask)
    tiled.getDenseMaskMutable().assign(denseMask);
  tiled.getOriginMutable().assign(origin);
  fixPositions(tiled);
  if constexpr (isOnline) {
    for (auto [operand, init] :
         llvm::zip_equal(tiled.getDpsInitsMutable(), inits))
      operand.set(init);
    fixNumKeys(tiled);
  } else {
    tiled.getOutputInitMutable().assign(ValueRange(inits).take_front(1));
    tiled.getLseInitMutable().assign(
        ValueRange(inits).drop_front(inits.empty() ? 0 : 1));
  }
  return TilingResult{{tiled}, SmallVector<Value>(tiled->getResults()), slices};
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

namespace {
template <typename OpTy>
struct AttentionTiling
    : TilingInterface::ExternalModel<AttentionTiling<OpTy>, OpTy> {
  SmallVector<utils::IteratorType> getLoopIteratorTypes(Operation *) const {
    SmallVector<utils::IteratorType> types(kNumLoops,
                                           utils::IteratorType::parallel);
    if (Tiler<OpTy>::isOnline)
      types[kLast] = utils::IteratorType::reduction;
    return types;
  }

  SmallVector<Range> getIterationDomain(Operation *op,
                                        OpBuilder &builder) const {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(op);
    return Tiler<OpTy>(builder, op).getDomain();
  }

  FailureOr<TilingResult>
  getTiledImplementation(Operation *op, OpBuilder &builder,
                         ArrayRef<OpFoldResult> offsets,
                         ArrayRef<OpFoldResult> sizes) const {
    return Tiler<OpTy>(builder, op).tile(offsets, sizes);
  }

  LogicalResult
  getResultTilePosition(Operation *op, OpBuilder &builder, unsigned result,
                        ArrayRef<OpFoldResult> offsets,
                        ArrayRef<OpFoldResult> sizes,
                        SmallVector<OpFoldResult> &resultOffsets,
                        SmallVector<OpFoldResult> &resultSizes) const {
    Tiler<OpTy> tiler(builder, op);
    FailureOr<Box> box = tiler.getBox(offsets, sizes);
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
    return Tiler<OpTy>(builder, op)
        .getDomainTile(result, resultOffsets, resultSizes, domainOffsets,
                       domainSizes);
  }

  FailureOr<TilingResult>
  generateResultTileValue(Operation *op, OpBuilder &builder, unsigned result,
                          ArrayRef<OpFoldResult> resultOffsets,
                          ArrayRef<OpFoldResult> resultSizes) const {
    Tiler<OpTy> tiler(builder, op);
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

/// Parts of the keys, each with a state of its own; the results have a leading
/// dimension for the parts. Those of the loops that are no reduction are sliced
/// like everywhere.
struct PartialAttention
    : PartialReductionOpInterface::ExternalModel<PartialAttention,
                                                 OnlineAttentionOp> {
  using OnlineTiler = Tiler<OnlineAttentionOp>;

  static bool isImplemented(ReductionTilingStrategy strategy) {
    return strategy == ReductionTilingStrategy::PartialReductionOuterParallel;
  }

  /// The state before any key, for each part.
  FailureOr<SmallVector<Value>> generateInitialTensorForPartialReduction(
      Operation *op, OpBuilder &builder, Location loc,
      ArrayRef<OpFoldResult> sizes, const SetVector<unsigned> &) const {
    auto online = cast<OnlineAttentionOp>(op);
    if (!online.hasTensorSemantics())
      return failure();
    SmallVector<SmallVector<OpFoldResult>> shapes;
    for (Value init : online.getDpsInits()) {
      shapes.push_back({sizes[kLast]});
      llvm::append_range(shapes.back(),
                         tensor::getMixedSizes(builder, loc, init));
    }
    return buildStateOfNoKeys(builder, loc, shapes, online.getComputeType(),
                              /*onTensors=*/true);
  }

  /// Where a part of result `number` lies among the parts.
  static void getPosition(OnlineTiler &tiler, unsigned number, const Box &box,
                          OpFoldResult part, OpBuilder &builder,
                          SmallVector<OpFoldResult> &resultOffsets,
                          SmallVector<OpFoldResult> &resultSizes) {
    resultOffsets = {part};
    resultSizes = {builder.getIndexAttr(1)};
    tiler.getResultTile(number, box, resultOffsets, resultSizes);
  }

  FailureOr<TilingResult> tileToPartialReduction(
      Operation *op, OpBuilder &builder, Location loc,
      ReductionTilingStrategy strategy, ValueRange states,
      ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
      const SetVector<unsigned> &, ArrayRef<OpFoldResult> parts) const {
    OnlineTiler tiler(builder, op);
    FailureOr<Box> box = tiler.getBox(offsets, sizes);
    if (!isImplemented(strategy) || failed(box))
      return failure();
    SmallVector<Value> inits;
    for (auto [number, state] : llvm::enumerate(states)) {
      SmallVector<OpFoldResult> from, count;
      getPosition(tiler, number, *box, parts.front(), builder, from, count);
      SmallVector<OpFoldResult> strides(from.size(), builder.getIndexAttr(1));
      auto whole = cast<RankedTensorType>(state.getType());
      SmallVector<int64_t> shape = decomposeMixedValues(count).first;
      auto type = RankedTensorType::get(ArrayRef(shape).drop_front(),
                                        whole.getElementType());
      inits.push_back(tensor::ExtractSliceOp::create(builder, loc, type, state,
                                                     from, count, strides));
    }
    return tiler.tile(*box, [&] { return inits; });
  }

  LogicalResult getPartialResultTilePosition(
      Operation *op, OpBuilder &builder, unsigned number,
      ReductionTilingStrategy strategy, ArrayRef<OpFoldResult> offsets,
      ArrayRef<OpFoldResult> sizes, const SetVector<unsigned> &,
      ArrayRef<OpFoldResult> parts, SmallVector<OpFoldResult> &resultOffsets,
      SmallVector<OpFoldResult> &resultSizes) const {
    OnlineTiler tiler(builder, op);
    FailureOr<Box> box = tiler.getBox(offsets, sizes);
    if (!isImplemented(strategy) || failed(box))
      return failure();
    getPosition(tiler, number, *box, parts.front(), builder, resultOffsets,
                resultSizes);
    return success();
  }

  FailureOr<MergeResult> mergeReductions(Operation *op, OpBuilder &builder,
                                         Location loc, ValueRange states,
                                         const SetVector<unsigned> &) const {
    auto online = cast<OnlineAttentionOp>(op);
    SmallVector<Value> operands(states);
    llvm::append_range(operands, online.getDpsInits());
    auto merge = MergeOp::create(builder, loc, op->getResultTypes(), operands);
    return MergeResult{{merge}, SmallVector<Value>(merge->getResults())};
  }
};
} // namespace

void mlir::mha::registerTilingInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, MHADialect *) {
    AttentionOp::attachInterface<AttentionTiling<AttentionOp>>(*context);
    OnlineAttentionOp::attachInterface<AttentionTiling<OnlineAttentionOp>,
                                       PartialAttention>(*context);
    context->loadDialect<affine::AffineDialect, arith::ArithDialect,
                         linalg::LinalgDialect, memref::MemRefDialect,
                         tensor::TensorDialect>();
  });
}
