//===- MHAOps.cpp - Syntax, effects and shapes of mha ops -----------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/IR/AttentionDims.h"
#include "mha/IR/MHA.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::mha;

//===----------------------------------------------------------------------===//
// Custom directives
//===----------------------------------------------------------------------===//

static ParseResult parseLayout(OpAsmParser &parser, LayoutAttr &layout) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef axes;
  if (parser.parseKeyword(&axes))
    return failure();
  layout = LayoutAttr::getChecked([&] { return parser.emitError(loc); },
                                  parser.getContext(), axes);
  return success(layout != nullptr);
}

static void printLayout(OpAsmPrinter &printer, Operation *, LayoutAttr layout) {
  printer << layout.getAxes();
}

static ParseResult parseAlign(OpAsmParser &parser, AlignAttr &align) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  std::optional<Align> kind = symbolizeAlign(name);
  if (!kind)
    return parser.emitError(loc)
           << "expected 'top_left', 'bottom_right', 'explicit' or 'end', found "
              "'"
           << name << "'";
  align = AlignAttr::get(parser.getContext(), *kind);
  return success();
}

static void printAlign(OpAsmPrinter &printer, Operation *, AlignAttr align) {
  printer << stringifyAlign(align.getValue());
}

static ParseResult parseWeightLayout(OpAsmParser &parser,
                                     WeightLayoutAttr &layout) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  std::optional<WeightLayout> kind = symbolizeWeightLayout(name);
  if (!kind)
    return parser.emitError(loc)
           << "expected 'oe' or 'eo', found '" << name << "'";
  layout = WeightLayoutAttr::get(parser.getContext(), *kind);
  return success();
}

static void printWeightLayout(OpAsmPrinter &printer, Operation *,
                              WeightLayoutAttr layout) {
  printer << stringifyWeightLayout(layout.getValue());
}

/// `, hidden` behind the type of a mask of booleans.
static ParseResult parsePolarity(OpAsmParser &parser, PolarityAttr &polarity) {
  if (failed(parser.parseOptionalComma()))
    return success();
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  std::optional<Polarity> kind = symbolizePolarity(name);
  if (!kind)
    return parser.emitError(loc)
           << "expected 'hidden' or 'visible', found '" << name << "'";
  polarity = PolarityAttr::get(parser.getContext(), *kind);
  return success();
}

static void printPolarity(OpAsmPrinter &printer, Operation *,
                          PolarityAttr polarity) {
  if (polarity)
    printer << ", " << stringifyPolarity(polarity.getValue());
}

/// `scale(0.125)` is the attribute, `scale(%s : f32)` the operand.
static ParseResult
parseScale(OpAsmParser &parser, FloatAttr &scale,
           std::optional<OpAsmParser::UnresolvedOperand> &value, Type &type) {
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult hasOperand = parser.parseOptionalOperand(operand);
  if (hasOperand.has_value()) {
    value = operand;
    return failure(failed(*hasOperand) || parser.parseColonType(type));
  }
  APFloat number(0.0);
  if (parser.parseFloat(APFloat::IEEEdouble(), number))
    return failure();
  scale = parser.getBuilder().getFloatAttr(parser.getBuilder().getF64Type(),
                                           number);
  return success();
}

static void printScale(OpAsmPrinter &printer, Operation *, FloatAttr scale,
                       Value value, Type type) {
  if (value)
    printer << value << " : " << type;
  else
    printer.printAttributeWithoutType(scale);
}

namespace {
using OptionalOperand = std::optional<OpAsmParser::UnresolvedOperand>;

/// One destination or result list: `T`, and optionally a layout, `lse T` and
/// `weights T`, in this order. An item is `%x : T` in a destination list.
struct DestinationList {
  OptionalOperand *operands[3];
  Type *types[3];
  LayoutAttr layout;

  bool isOfOperands() const { return operands[0]; }
};
} // namespace

static ParseResult parseDestination(OpAsmParser &parser, DestinationList &list,
                                    unsigned item) {
  if (list.isOfOperands()) {
    list.operands[item]->emplace();
    if (parser.parseOperand(**list.operands[item]) || parser.parseColon())
      return failure();
  }
  return parser.parseType(*list.types[item]);
}

/// The rest of a list after its opening parenthesis.
static ParseResult parseDestinationList(OpAsmParser &parser,
                                        DestinationList &list) {
  if (parseDestination(parser, list, 0))
    return failure();
  // Items that may follow, in order; each at most once.
  unsigned next = 0;
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    if (next < 2 && succeeded(parser.parseOptionalKeyword("lse"))) {
      if (parseDestination(parser, list, 1))
        return failure();
      next = 2;
    } else if (next < 3 && succeeded(parser.parseOptionalKeyword("weights"))) {
      if (parseDestination(parser, list, 2))
        return failure();
      next = 3;
    } else if (next < 1) {
      if (parseLayout(parser, list.layout))
        return failure();
      next = 1;
    } else {
      return parser.emitError(loc)
             << "expected a layout, then 'lse', then 'weights', each at most "
                "once";
    }
  }
  return parser.parseRParen();
}

/// `outs(...)` and `-> ...`, each optional. The output's layout may stand in
/// either and is the query's where it is not written.
static ParseResult parseDestinations(
    OpAsmParser &parser, OptionalOperand &outputInit, Type &outputInitType,
    OptionalOperand &lseInit, Type &lseInitType, OptionalOperand &weightsInit,
    Type &weightsInitType, Type &outputType, Type &lseType, Type &weightsType,
    LayoutAttr &outputLayout, LayoutAttr queryLayout) {
  DestinationList inits{{&outputInit, &lseInit, &weightsInit},
                        {&outputInitType, &lseInitType, &weightsInitType},
                        {}};
  if (succeeded(parser.parseOptionalKeyword("outs")) &&
      (parser.parseLParen() || parseDestinationList(parser, inits)))
    return failure();

  DestinationList results{{}, {&outputType, &lseType, &weightsType}, {}};
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalArrow())) {
    // A parenthesis opens a list; a bare type is a lone output.
    bool isList = succeeded(parser.parseOptionalLParen());
    if (isList ? parseDestinationList(parser, results)
               : parser.parseType(outputType))
      return failure();
  }
  if (inits.layout && results.layout && inits.layout != results.layout)
    return parser.emitError(loc) << "expected one layout of the output, found '"
                                 << inits.layout.getAxes() << "' and '"
                                 << results.layout.getAxes() << "'";
  outputLayout = results.layout ? results.layout
                 : inits.layout ? inits.layout
                                : queryLayout;
  return success();
}

static void printDestinationList(OpAsmPrinter &printer, ArrayRef<Value> values,
                                 ArrayRef<Type> types, LayoutAttr layout) {
  auto printItem = [&](StringRef name, unsigned item) {
    if (!types[item])
      return;
    printer << name;
    if (values[item])
      printer << values[item] << " : ";
    printer << types[item];
  };
  printer << '(';
  printItem("", 0);
  if (layout)
    printer << ", " << layout.getAxes();
  printItem(", lse ", 1);
  printItem(", weights ", 2);
  printer << ')';
}

static void printDestinations(OpAsmPrinter &printer, Operation *,
                              Value outputInit, Type outputInitType,
                              Value lseInit, Type lseInitType,
                              Value weightsInit, Type weightsInitType,
                              Type outputType, Type lseType, Type weightsType,
                              LayoutAttr outputLayout, LayoutAttr queryLayout) {
  LayoutAttr written =
      outputLayout == queryLayout ? LayoutAttr() : outputLayout;
  if (outputInitType) {
    printer << "outs";
    printDestinationList(printer, {outputInit, lseInit, weightsInit},
                         {outputInitType, lseInitType, weightsInitType},
                         outputType ? LayoutAttr() : written);
  }
  if (!outputType)
    return;
  printer << (outputInitType ? " -> " : "-> ");
  if (written || lseType || weightsType)
    printDestinationList(printer, {Value(), Value(), Value()},
                         {outputType, lseType, weightsType}, written);
  else
    printer << outputType;
}

//===----------------------------------------------------------------------===//
// Ops with destinations
//===----------------------------------------------------------------------===//

/// Whether an op can run where it did not before: sizes that only run time
/// tells may not fit together there.
static Speculation::Speculatability getSpeculatabilityOfShapes(Operation *op) {
  auto isStaticTensor = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return !shaped || (isa<TensorType>(type) && shaped.hasStaticShape());
  };
  return llvm::all_of(op->getOperandTypes(), isStaticTensor) &&
                 llvm::all_of(op->getResultTypes(), isStaticTensor)
             ? Speculation::Speculatable
             : Speculation::NotSpeculatable;
}

/// Memrefs are read, destinations written, and both where what they hold
/// counts.
static void getDestinationEffects(
    DestinationStyleOpInterface op, bool takesInits,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    bool isInit = op.isDpsInit(&operand);
    if (!isInit || takesInits)
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (isInit)
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

/// Results have the sizes of their destinations.
static LogicalResult
reifyInits(OpBuilder &builder, DestinationStyleOpInterface op,
           ReifiedRankedShapedTypeDims &reifiedReturnShapes) {
  if (op->getNumResults() == 0)
    return failure();
  for (OpOperand &init : op.getDpsInitsMutable())
    reifiedReturnShapes.push_back(
        tensor::getMixedSizes(builder, op->getLoc(), init.get()));
  return success();
}

#include "mha/IR/MHAAttentionInterface.cpp.inc"

#define GET_OP_CLASSES
#include "mha/IR/MHAOps.cpp.inc"

void MHADialect::registerOperations() {
  addOperations<
#define GET_OP_LIST
#include "mha/IR/MHAOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// What attentions share
//===----------------------------------------------------------------------===//

bool mlir::mha::detail::sharesKeysInBatch(AttentionOpInterface op) {
  auto batch = [](Value value, LayoutAttr layout) {
    return getAxisSize(cast<ShapedType>(value.getType()), layout, 'b');
  };
  return batch(op.getKey(), op.getKeyLayout()) == 1 &&
         batch(op.getValue(), op.getValueLayout()) == 1 &&
         batch(op.getQuery(), op.getQueryLayout()) != 1;
}

FloatType mlir::mha::getComputeType(Value query) {
  if (getElementTypeOrSelf(query).isF64())
    return Float64Type::get(query.getContext());
  return Float32Type::get(query.getContext());
}

//===----------------------------------------------------------------------===//
// Destinations
//===----------------------------------------------------------------------===//

OpOperand *AttentionOp::getDestination(OpResult result) {
  // Results and destinations are listed in the same order.
  unsigned kinds = getProperties().resultSegmentSizes.size();
  for (unsigned kind = 0; kind < kinds; ++kind) {
    auto [number, numResults] = getODSResultIndexAndLength(kind);
    if (numResults == 0 || number != result.getResultNumber())
      continue;
    auto [first, numDestinations] =
        getODSOperandIndexAndLength(odsIndex_output_init + kind);
    return numDestinations == 0 ? nullptr
                                : &getOperation()->getOpOperand(first);
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

void AttentionOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (hasTensorSemantics())
    return;
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (isDestination(operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  }
}

Speculation::Speculatability AttentionOp::getSpeculatability() {
  return getSpeculatabilityOfShapes(getOperation());
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

LogicalResult AttentionOp::reifyResultShapes(
    OpBuilder &builder, ReifiedRankedShapedTypeDims &reifiedReturnShapes) {
  if (!hasTensorSemantics())
    return failure();
  auto sizeOf = [&](char axis) {
    return getMixedOutputSize(builder, getLoc(), *this, axis);
  };
  auto sizesOf = [&](StringRef axes, Value result) {
    SmallVector<OpFoldResult> sizes;
    auto type = cast<RankedTensorType>(result.getType());
    // A static size of the result's type is reified as that constant.
    for (auto [axis, size] : llvm::zip_equal(axes, type.getShape()))
      sizes.push_back(ShapedType::isDynamic(size)
                          ? sizeOf(axis)
                          : OpFoldResult(builder.getIndexAttr(size)));
    return sizes;
  };
  reifiedReturnShapes.push_back(
      sizesOf(getOutputLayout().getAxes(), getOutput()));
  if (getLse())
    reifiedReturnShapes.push_back(sizesOf("bhs", getLse()));
  return success();
}

int64_t RotaryEmbeddingOp::getRotarySize() {
  if (std::optional<uint64_t> size = getRotaryDim())
    return *size;
  return cast<ShapedType>(getInput().getType())
      .getDimSize(getLayout().getDim('d'));
}

//===----------------------------------------------------------------------===//
// The layer
//===----------------------------------------------------------------------===//

/// The number of outputs of a weight.
static int64_t getNumOutputs(Value weight, WeightLayout layout) {
  return cast<ShapedType>(weight.getType())
      .getDimSize(stringifyWeightLayout(layout).find('o'));
}

int64_t LayerOp::getHeadDim() {
  if (getWQkv())
    return getNumOutputs(getWQkv(), *getWQkvLayout()) /
           (getHeads() + 2 * getKVHeads());
  return getNumOutputs(getWQ(), *getWQLayout()) / getHeads();
}

int64_t LayerOp::getValueDim() {
  return getWQkv() ? getHeadDim()
                   : getNumOutputs(getWV(), *getWVLayout()) / getKVHeads();
}

Speculation::Speculatability LayerOp::getSpeculatability() {
  return getSpeculatabilityOfShapes(getOperation());
}

LogicalResult
LayerOp::reifyResultShapes(OpBuilder &builder,
                           ReifiedRankedShapedTypeDims &reifiedReturnShapes) {
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, getLoc(), getQuery());
  sizes.back() = builder.getIndexAttr(getNumOutputs(getWO(), getWOLayout()));
  reifiedReturnShapes.push_back(sizes);
  return success();
}

SmallVector<LayerProjection> mlir::mha::getInputProjections(LayerOp op) {
  return {{"query", "w_q", "b_q", op.getQuery(), op.getWQ(), op.getBQ(),
           op.getWQLayout(), op.getHeads()},
          {"key", "w_k", "b_k", op.getKeyInput(), op.getWK(), op.getBK(),
           op.getWKLayout(), op.getKVHeads()},
          {"value", "w_v", "b_v", op.getValueInput(), op.getWV(), op.getBV(),
           op.getWVLayout(), op.getKVHeads()}};
}

SmallVector<LayerShape> mlir::mha::getLayerShapes(LayerOp op) {
  SmallVector<LayerShape> shapes;
  auto add = [&](StringRef name, OpOperand *operand, Type type,
                 StringRef axes) {
    shapes.push_back({name, operand, cast<ShapedType>(type), axes.str()});
  };
  auto addOperand = [&](StringRef name, MutableOperandRange operand,
                        StringRef axes) {
    if (!operand.empty() && isa<ShapedType>(operand[0].get().getType()))
      add(name, &operand[0], operand[0].get().getType(), axes);
  };
  bool sequenceFirst = op.getSequenceFirst();
  StringRef ofQueries = sequenceFirst ? "ib." : "bi.";
  bool sharesRows = op.getKeyInput() == op.getQuery();
  std::string ofKeys = sequenceFirst ? "jb." : "bj.", ofPadding = "bj";
  if (sharesRows)
    for (std::string *axes : {&ofKeys, &ofPadding})
      llvm::replace(*axes, 'j', 'i');
  OpOperand &query = op.getQueryMutable();
  add("query", &query, query.get().getType(), ofQueries);
  addOperand("key", op.getKeyMutable(), ofKeys);
  addOperand("value", op.getValueMutable(), ofKeys);
  addOperand("key_padding", op.getKeyPaddingMutable(), ofPadding);
  addOperand("lengths", op.getKvLengthsMutable(), "b");
  addOperand("query_offset", op.getQueryOffsetMutable(), "b");
  if (op.getHeadGate() &&
      cast<ShapedType>(op.getHeadGate().getType()).getRank() == 2)
    addOperand("head_gate", op.getHeadGateMutable(), "b.");
  addOperand("residual", op.getResidualMutable(), ofQueries);
  add("output", nullptr, op.getOutput().getType(), ofQueries);
  return shapes;
}

llvm::SmallDenseMap<char, int64_t>
mlir::mha::getKnownSizes(ArrayRef<LayerShape> shapes) {
  llvm::SmallDenseMap<char, int64_t> known;
  for (const LayerShape &shape : shapes)
    for (auto [size, axis] : llvm::zip_equal(shape.type.getShape(), shape.axes))
      if (axis != '.' && !ShapedType::isDynamic(size))
        known.try_emplace(axis, size);
  return known;
}
