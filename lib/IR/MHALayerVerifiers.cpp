//===- MHALayerVerifiers.cpp - Constraints of ops around attention --------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The labels C27, C28, ... are those of the ops' descriptions in
// MHALayerOps.td and of the functions in test/IR/surroundings-invalid.mlir and
// test/IR/layer-invalid.mlir.
//
//===----------------------------------------------------------------------===//

#include "SharedConstraints.h"

#include "mha/IR/AttentionDims.h"
#include "mha/IR/MHA.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::mha;

static int64_t getRank(Value value) {
  return cast<ShapedType>(value.getType()).getRank();
}

//===----------------------------------------------------------------------===//
// Projections
//===----------------------------------------------------------------------===//

/// What maps an input, whose axes end in e, to outputs.
template <typename OpTy>
static SmallVector<NamedShape> nameInputs(OpTy op) {
  bool hasBatch = getRank(op.getInput()) == 3;
  SmallVector<NamedShape> shapes{
      nameShape("input", op.getInput(), hasBatch ? "bse" : "se"),
      nameShape("weight", op.getWeight(),
                stringifyWeightLayout(op.getWeightLayout()))};
  if (op.getBias())
    shapes.push_back(nameShape("bias", op.getBias(), "o"));
  return shapes;
}

/// On memrefs destinations are written before the last operand is read.
static LogicalResult verifyDestinationsApart(DestinationStyleOpInterface op) {
  for (OpOperand &init : op.getDpsInitsMutable())
    for (OpOperand &other : op->getOpOperands())
      if (isa<MemRefType>(init.get().getType()) && &init != &other &&
          init.get() == other.get())
        return op->emitOpError()
               << "expected destinations that overlap no other operand, found "
                  "one that is another operand";
  return success();
}

static LogicalResult verifyKnownFloats(Operation *op,
                                       ArrayRef<NamedShape> shapes) {
  for (const NamedShape &shape : shapes)
    if (failed(verifyKnownFloat(op, shape.name, shape.type.getElementType())))
      return failure();
  return success();
}

/// `output` has the rank of the input.
static LogicalResult verifyRankOfOutput(Operation *op, StringRef name,
                                        Value output) {
  Value input = op->getOperand(0);
  if (getRank(input) == getRank(output))
    return success();
  return op->emitOpError() << "expected " << name
                           << " of the rank of the input, found "
                           << input.getType() << " and " << output.getType();
}

// C27, C28
LogicalResult ProjectionOp::verify() {
  if (failed(verifyTensorsOrMemRefs(*this)) ||
      failed(verifyDestinationsApart(*this)))
    return failure();
  SmallVector<NamedShape> shapes = nameInputs(*this);
  const std::pair<StringRef, Value> outputs[] = {{"output", getOutputInit()},
                                                 {"residual", getResidual()}};
  for (auto [name, value] : outputs) {
    if (!value)
      continue;
    if (failed(verifyRankOfOutput(*this, name, value)))
      return failure();
    shapes.push_back(
        nameShape(name, value, getRank(value) == 3 ? "bso" : "so"));
  }
  return success(succeeded(verifyKnownFloats(*this, shapes)) &&
                 succeeded(verifyF64InAllOrNone(*this, shapes)) &&
                 succeeded(verifySizes(*this, shapes)));
}

/// Whether parts of `value` can be named by offsets and strides.
static bool isStrided(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  return !type || type.isStrided();
}

// C31, C32
LogicalResult QKVProjectionOp::verify() {
  if (failed(verifyTensorsOrMemRefs(*this)) ||
      failed(verifyDestinationsApart(*this)))
    return failure();
  if (getOutputInits().empty())
    return emitOpError() << "expected a result, found none";
  SmallVector<NamedShape> shapes = nameInputs(*this);
  int64_t width = 0;
  bool isKnown = true;
  for (auto [number, output] : llvm::enumerate(getOutputInits())) {
    if (failed(verifyRankOfOutput(*this, "outputs", output)))
      return failure();
    // Widths are their own, and add up.
    shapes.push_back(
        nameShape("output", output, getRank(output) == 3 ? "bsw" : "sw"));
    int64_t own = shapes.back().size('w');
    isKnown &= !ShapedType::isDynamic(own);
    if (own == 0)
      return emitOpError() << "expected outputs that are not empty, found "
                           << output.getType();
    if (!ShapedType::isDynamic(own) && llvm::AddOverflow(width, own, width))
      return emitOpError() << "expected widths whose sum is a size";
  }
  if (failed(verifyKnownFloats(*this, shapes)) ||
      failed(verifyF64InAllOrNone(*this, shapes)) ||
      failed(verifySizes(*this, shapes)))
    return failure();
  int64_t outputs = shapes[1].size('o');
  if (outputs == 0 || shapes[1].size('e') == 0 || !isStrided(getWeight()))
    return emitOpError()
           << "expected a weight that is not empty, of strided memory, found "
           << getWeight().getType();
  if (ShapedType::isDynamic(outputs) ||
      (isKnown ? width == outputs : width <= outputs))
    return success();
  return emitOpError()
         << "expected widths that add up to the outputs of weight (" << outputs
         << "), found " << width;
}

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

// C29, C30
LogicalResult RepeatKVOp::verify() {
  if (failed(verifyTensorsOrMemRefs(*this)) ||
      failed(verifyDestinationsApart(*this)) ||
      failed(verifyKnownFloat(*this, "input", getInput())))
    return failure();
  if (getLayout().splitsHeads())
    return emitOpError() << "expected a layout that does not split the heads, "
                            "found '"
                         << getLayout().getAxes() << "'";
  if (getTimes() < 1)
    return emitOpError() << "expected to repeat each head at least once, found "
                         << getTimes();
  NamedShape input = nameShape("input", getInput(), getLayout().getAxes());
  NamedShape output = nameShape("output", getOutputInit(), input.axes);
  int64_t heads = input.size('h'), repeated = output.size('h'), product = 0;
  if (!ShapedType::isDynamic(heads) && !ShapedType::isDynamic(repeated) &&
      (llvm::MulOverflow<int64_t>(heads, getTimes(), product) ||
       product != repeated))
    return emitOpError() << "expected " << heads << " x " << getTimes()
                         << " heads in the output, found " << repeated;
  // The heads are the one size that differs.
  std::string inputAxes = input.axes.str();
  llvm::replace(inputAxes, 'h', 'x');
  input.axes = inputAxes;
  return success(succeeded(verifyOneElementType(*this, {input, output})) &&
                 succeeded(verifySizes(*this, {input, output})));
}

// C42, C43
static LogicalResult verifyRotaryShapes(RotaryEmbeddingOp op) {
  if (failed(verifyTensorsOrMemRefs(op)) || failed(verifyDestinationsApart(op)))
    return failure();
  if (op.getLayout().splitsHeads())
    return op.emitOpError()
           << "expected a layout that does not split the heads, found '"
           << op.getLayout().getAxes() << "'";
  NamedShape input =
      nameShape("input", op.getInput(), op.getLayout().getAxes());
  NamedShape output = nameShape("output", op.getOutputInit(), input.axes);
  if (failed(verifyOneElementType(op, {input, output})) ||
      failed(verifySizes(op, {input, output})))
    return failure();
  int64_t headDim = input.size('d'), rotated = op.getRotarySize();
  if (ShapedType::isDynamic(headDim))
    return op.emitOpError()
           << "expected a static head size, found " << input.type;
  if (rotated < 2 || rotated > headDim || rotated % 2 != 0)
    return op.emitOpError()
           << "expected an even rotary size from 2 to the head size ("
           << headDim << "), found " << rotated;
  return success();
}

// C44
static LogicalResult verifyAngles(RotaryEmbeddingOp op) {
  bool hasTables = op.getCos() && op.getSin();
  if (bool(op.getCos()) != bool(op.getSin()) ||
      hasTables == op.getTheta().has_value())
    return op.emitOpError()
           << "expected either 'theta', or both 'cos' and 'sin'";
  if (!hasTables) {
    double theta = op.getTheta()->convertToDouble();
    if (theta > 0 && op.getTheta()->isFinite())
      return success();
    return op.emitOpError()
           << "expected a theta that is positive and finite, found " << theta;
  }
  ArrayRef<int64_t> cos = cast<ShapedType>(op.getCos().getType()).getShape();
  ArrayRef<int64_t> sin = cast<ShapedType>(op.getSin().getType()).getShape();
  bool agree = cos.size() == sin.size() &&
               llvm::all_of_zip(cos, sin, areCompatibleSizes);
  int64_t pairs = op.getRotarySize() / 2;
  if (cos.size() == 2 && (cos.front() == 0 || sin.front() == 0))
    return op.emitOpError() << "expected tables with at least one position, "
                               "found "
                            << op.getCos().getType();
  if (agree && cos.back() == pairs && sin.back() == pairs)
    return success();
  return op.emitOpError() << "expected 'cos' and 'sin' of one shape with "
                          << pairs << " columns, found "
                          << op.getCos().getType() << " and "
                          << op.getSin().getType();
}

// C45
static LogicalResult verifyPositions(RotaryEmbeddingOp op) {
  bool hasRows = op.getCos() && getRank(op.getCos()) == 3;
  if (bool(op.getPositionIds()) + bool(op.getOffset()) + hasRows > 1)
    return op.emitOpError() << "expected at most one of 'position_ids', "
                               "'offset' and tables of rank 3";
  SmallVector<NamedShape> shapes{
      nameShape("input", op.getInput(), op.getLayout().getAxes())};
  if (op.getPositionIds())
    shapes.push_back(nameShape("position_ids", op.getPositionIds(), "bs"));
  if (hasRows)
    shapes.push_back(nameShape("cos", op.getCos(), "bsm"));
  if (hasRows)
    shapes.push_back(nameShape("sin", op.getSin(), "bsm"));
  if (op.getOffset() && isa<ShapedType>(op.getOffset().getType()))
    shapes.push_back(nameShape("offset", op.getOffset(), "b"));
  return verifySizes(op, shapes);
}

LogicalResult RotaryEmbeddingOp::verify() {
  SmallVector<NamedShape> floats{nameShape("input", getInput(), "")};
  for (auto [name, table] :
       {std::pair("cos", getCos()), std::pair("sin", getSin())})
    if (table)
      floats.push_back(nameShape(name, table, ""));
  return success(succeeded(verifyKnownFloats(*this, floats)) &&
                 succeeded(verifyRotaryShapes(*this)) &&
                 succeeded(verifyAngles(*this)) &&
                 succeeded(verifyPositions(*this)) &&
                 // C46
                 succeeded(verifyF64InAllOrNone(*this, floats)));
}

//===----------------------------------------------------------------------===//
// The layer
//===----------------------------------------------------------------------===//

/// The size of `value` along `axis`, one of the letters of `axes`.
static int64_t getSize(Value value, StringRef axes, char axis) {
  return cast<ShapedType>(value.getType()).getDimSize(axes.find(axis));
}

// C33
static LogicalResult verifyNumHeads(LayerOp op) {
  constexpr int64_t maxHeads = 65536;
  if (op.getHeads() >= 1 && op.getKVHeads() >= 1 && op.getHeads() <= maxHeads &&
      op.getHeads() % op.getKVHeads() == 0)
    return success();
  return op.emitOpError() << "expected from 1 to " << maxHeads
                          << " heads, a multiple of key/value heads, found "
                          << op.getHeads() << " and " << op.getKVHeads();
}

// C34
static LogicalResult verifyWhichWeights(LayerOp op) {
  int64_t separate = bool(op.getWQ()) + bool(op.getWK()) + bool(op.getWV());
  if (op.getWQkv() ? separate != 0 : separate != 3)
    return op.emitOpError()
           << "expected either w_q, w_k and w_v, or w_qkv alone";
  bool layoutsFit = bool(op.getWQkv()) == op.getWQkvLayout().has_value() &&
                    llvm::all_of(getInputProjections(op),
                                 [](const LayerProjection &projection) {
                                   return bool(projection.weight) ==
                                          projection.layout.has_value();
                                 });
  if (!layoutsFit)
    return op.emitOpError()
           << "expected the layout of each weight that is there, and no other";
  if (op.getBQkv() && (op.getBQ() || op.getBK() || op.getBV()))
    return op.emitOpError()
           << "expected b_qkv or biases of their own, found both";
  return success();
}

/// Sizes of a weight: its outputs are static and split into heads, which are
/// not empty, and nothing maps an input without elements.
static LogicalResult verifyWeight(LayerOp op, StringRef name, int64_t outputs,
                                  int64_t inputs, int64_t heads) {
  if (ShapedType::isDynamic(outputs))
    return op.emitOpError()
           << "expected a static number of outputs of " << name;
  if (outputs % heads != 0)
    return op.emitOpError()
           << "expected the outputs of " << name << " (" << outputs
           << ") to split into " << heads << " heads";
  if (outputs == 0 || inputs == 0)
    return op.emitOpError()
           << "expected at least one input and output of " << name;
  return success();
}

// C34
static FailureOr<int64_t> findPackedHeadDim(LayerOp op) {
  StringRef axes = stringifyWeightLayout(*op.getWQkvLayout());
  int64_t width = getSize(op.getWQkv(), axes, 'o');
  int64_t heads = op.getHeads() + 2 * op.getKVHeads();
  if (failed(verifyWeight(op, "w_qkv", width, getSize(op.getWQkv(), axes, 'e'),
                          heads)))
    return failure();
  SmallVector<NamedSize> inputs{{"w_qkv", getSize(op.getWQkv(), axes, 'e')}};
  for (const LayerProjection &projection : getInputProjections(op))
    inputs.emplace_back(projection.inputName,
                        getSize(projection.input, "bse", 'e'));
  if (failed(verifyAgree(op, "the input size", inputs)))
    return failure();
  return width / heads;
}

// C35
static FailureOr<int64_t> findHeadDim(LayerOp op,
                                      const LayerProjection &projection) {
  StringRef axes = stringifyWeightLayout(*projection.layout);
  int64_t width = getSize(projection.weight, axes, 'o');
  int64_t inputs = getSize(projection.weight, axes, 'e');
  if (failed(verifyWeight(op, projection.weightName, width, inputs,
                          projection.heads)) ||
      failed(verifyAgree(
          op, "the input size",
          {{projection.inputName, getSize(projection.input, "bse", 'e')},
           {projection.weightName, inputs}})))
    return failure();
  return width / projection.heads;
}

namespace {
/// What is said of a vector: its name, and how many elements it has.
struct ExpectedVector {
  StringRef name;
  Value value;
  int64_t size;
};
} // namespace

static LogicalResult verifyVector(LayerOp op, const ExpectedVector &expected) {
  if (!expected.value || getSize(expected.value, "o", 'o') == expected.size)
    return success();
  return op.emitOpError() << "expected " << expected.name << " of "
                          << expected.size << " elements, found "
                          << expected.value.getType();
}

// C35
static LogicalResult verifyOutputProjection(LayerOp op, int64_t valueDim) {
  StringRef axes = stringifyWeightLayout(op.getWOLayout());
  int64_t inputs = getSize(op.getWO(), axes, 'e'),
          outputs = getSize(op.getWO(), axes, 'o');
  int64_t expected = 0;
  if (failed(verifyWeight(op, "w_o", outputs, inputs, /*heads=*/1)))
    return failure();
  if (llvm::MulOverflow(op.getHeads(), valueDim, expected) ||
      inputs != expected)
    return op.emitOpError()
           << "expected w_o of " << op.getHeads() << " x " << valueDim
           << " inputs, the heads' values behind one another, found "
           << op.getWO().getType();
  return verifyVector(op, {"b_o", op.getBO(), outputs});
}

// C33, C34, C35, C37
static LogicalResult verifyProjections(LayerOp op) {
  int64_t queries = 0, keys = 0, values = 0;
  if (op.getWQkv()) {
    FailureOr<int64_t> dim = findPackedHeadDim(op);
    if (failed(dim))
      return failure();
    queries = keys = values = *dim;
  } else {
    SmallVector<int64_t> dims;
    for (const LayerProjection &projection : getInputProjections(op)) {
      FailureOr<int64_t> dim = findHeadDim(op, projection);
      if (failed(dim))
        return failure();
      dims.push_back(*dim);
    }
    queries = dims[0], keys = dims[1], values = dims[2];
  }
  if (queries != keys)
    return op.emitOpError() << "expected query heads of the size of key heads, "
                               "found "
                            << queries << " and " << keys;
  if (bool(op.getExtraKey()) != bool(op.getExtraValue()))
    return op.emitOpError()
           << "expected extra_key and extra_value together, found one";
  int64_t ofQueries = op.getHeads() * queries, ofKeys = op.getKVHeads() * keys,
          ofValues = op.getKVHeads() * values;
  const ExpectedVector vectors[] = {
      {"b_q", op.getBQ(), ofQueries},
      {"b_k", op.getBK(), ofKeys},
      {"b_v", op.getBV(), ofValues},
      {"b_qkv", op.getBQkv(), ofQueries + ofKeys + ofValues},
      {"extra_key", op.getExtraKey(), ofKeys},
      {"extra_value", op.getExtraValue(), ofValues}};
  for (const ExpectedVector &vector : vectors)
    if (failed(verifyVector(op, vector)))
      return failure();
  return verifyOutputProjection(op, values);
}

// C36, C39
static LogicalResult verifySharedSizes(LayerOp op) {
  SmallVector<LayerShape> shapes = getLayerShapes(op);
  for (auto [axis, what] :
       {std::pair('b', "the batch size"), std::pair('i', "the length"),
        std::pair('j', "the length")}) {
    SmallVector<NamedSize> sizes;
    for (const LayerShape &shape : shapes)
      if (StringRef(shape.axes).contains(axis))
        sizes.emplace_back(shape.name,
                           shape.type.getDimSize(shape.axes.find(axis)));
    if (failed(verifyAgree(op, what, sizes)))
      return failure();
  }
  SmallVector<NamedShape> ofOutputs{
      nameShape("output", op.getOutput(), "..o"),
      nameShape("w_o", op.getWO(), stringifyWeightLayout(op.getWOLayout()))};
  if (op.getResidual())
    ofOutputs.push_back(nameShape("residual", op.getResidual(), "..o"));
  return verifySizes(op, ofOutputs);
}

static LogicalResult verifyHeadGate(LayerOp op) {
  if (!op.getHeadGate())
    return success();
  auto type = cast<ShapedType>(op.getHeadGate().getType());
  return verifyAgree(op, "the number of heads",
                     {NamedSize("heads", op.getHeads()),
                      NamedSize("head_gate", type.getShape().back())});
}

// C38
static LogicalResult verifyPolarity(LayerOp op) {
  bool isOfBooleans = op.getKeyPadding() &&
                      getElementTypeOrSelf(op.getKeyPadding()).isInteger(1);
  if (isOfBooleans == op.getPolarity().has_value())
    return success();
  return op.emitOpError()
         << "expected 'hidden' or 'visible' with a key_padding of i1, and only "
            "with that";
}

// C39, C41
static LogicalResult verifyElementTypes(LayerOp op) {
  SmallVector<NamedShape> shapes;
  auto add = [&](StringRef name, Value value) {
    if (value && isa<FloatType>(getElementTypeOrSelf(value)))
      shapes.push_back({name, cast<ShapedType>(value.getType()), ""});
  };
  add("query", op.getQuery());
  add("output", op.getOutput());
  for (const LayerProjection &projection : getInputProjections(op)) {
    add(projection.inputName, projection.input);
    add(projection.weightName, projection.weight);
    add(projection.biasName, projection.bias);
  }
  add("w_qkv", op.getWQkv());
  add("w_o", op.getWO());
  add("b_qkv", op.getBQkv());
  add("b_o", op.getBO());
  add("extra_key", op.getExtraKey());
  add("extra_value", op.getExtraValue());
  add("residual", op.getResidual());
  if (failed(verifyKnownFloats(op, shapes)) ||
      failed(verifyF64InAllOrNone(op, shapes)))
    return failure();
  const std::pair<StringRef, Value> others[] = {
      {"dense_mask", op.getDenseMask()},
      {"key_padding", op.getKeyPadding()},
      {"head_gate", op.getHeadGate()},
      {"scale", op.getScaleValue()}};
  for (auto [name, value] : others)
    if (failed(verifyKnownFloat(op, name, value)))
      return failure();
  return verifyOneElementType(op, ArrayRef(shapes).take_front(2));
}

// C40
static LogicalResult verifyAttention(LayerOp op) {
  llvm::SmallDenseMap<char, int64_t> known = getKnownSizes(getLayerShapes(op));
  auto find = [&](char axis) {
    auto size = known.find(axis);
    return size == known.end() ? ShapedType::kDynamic : size->second;
  };
  int64_t queryLen = find('i');
  int64_t keyLen = find(op.getKeyInput() == op.getQuery() ? 'i' : 'j');
  bool isPositional = op.getMaskAttr() != nullptr;
  return success(
      succeeded(verifyAlign({op, op.getAlign(), bool(op.getQueryOffset()),
                             isPositional, /*hasOrigin=*/false,
                             bool(op.getKvLengths()), queryLen, keyLen})) &&
      succeeded(
          verifyScale({op, op.getScale(), bool(op.getScaleValue()),
                       getComputeType(op.getQuery()), op.getHeadDim()})) &&
      succeeded(verifyDenseMask(op, op.getDenseMask(),
                                {find('b'), op.getHeads(), queryLen, keyLen})));
}

LogicalResult LayerOp::verify() {
  return success(
      succeeded(verifyNumHeads(*this)) &&
      succeeded(verifyWhichWeights(*this)) &&
      succeeded(verifyElementTypes(*this)) &&
      succeeded(verifyPolarity(*this)) && succeeded(verifyProjections(*this)) &&
      succeeded(verifySharedSizes(*this)) && succeeded(verifyHeadGate(*this)) &&
      succeeded(verifyAttention(*this)));
}
