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

#include "mha/IR/MHA.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::mha;

/// The axes of a weight.
static StringRef getAxes(WeightLayout layout) {
  return layout == WeightLayout::OE ? "oe" : "eo";
}

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
      nameShape("weight", op.getWeight(), getAxes(op.getWeightLayout()))};
  if (op.getBias())
    shapes.push_back(nameShape("bias", op.getBias(), "o"));
  return shapes;
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
  if (failed(verifyTensorsOrMemRefs(*this)))
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

// C31, C32
LogicalResult QKVProjectionOp::verify() {
  if (failed(verifyTensorsOrMemRefs(*this)))
    return failure();
  if (getOutputInits().empty())
    return emitOpError() << "expected a result, found none";
  SmallVector<NamedShape> shapes = nameInputs(*this);
  int64_t width = 0;
  for (Value output : getOutputInits()) {
    if (failed(verifyRankOfOutput(*this, "outputs", output)))
      return failure();
    // Widths are their own, and add up.
    shapes.push_back(
        nameShape("output", output, getRank(output) == 3 ? "bsw" : "sw"));
    int64_t own = shapes.back().size('w');
    if (ShapedType::isDynamic(own) || ShapedType::isDynamic(width) ||
        llvm::AddOverflow(width, own, width))
      width = ShapedType::kDynamic;
  }
  if (failed(verifyKnownFloats(*this, shapes)) ||
      failed(verifyF64InAllOrNone(*this, shapes)) ||
      failed(verifySizes(*this, shapes)))
    return failure();
  return verifyAgree(*this, "the output size",
                     {NamedSize("weight", shapes[1].size('o')),
                      NamedSize("all outputs together", width)});
}

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

// C29, C30
LogicalResult RepeatKVOp::verify() {
  if (failed(verifyTensorsOrMemRefs(*this)) ||
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

//===----------------------------------------------------------------------===//
// The layer
//===----------------------------------------------------------------------===//

namespace {
/// One projection of the layer: the names and values of what it is made of.
struct LayerProjection {
  StringRef inputName, weightName, biasName;
  Value input, weight, bias;
  std::optional<WeightLayout> layout;
  int64_t heads;
};
} // namespace

static SmallVector<LayerProjection> getProjections(LayerOp op) {
  return {{"query", "w_q", "b_q", op.getQuery(), op.getWQ(), op.getBQ(),
           op.getWQLayout(), op.getHeads()},
          {"key", "w_k", "b_k", op.getKeyInput(), op.getWK(), op.getBK(),
           op.getWKLayout(), op.getKVHeads()},
          {"value", "w_v", "b_v", op.getValueInput(), op.getWV(), op.getBV(),
           op.getWVLayout(), op.getKVHeads()}};
}

/// The size of `value` along `axis`, one of the letters of `axes`.
static int64_t getSize(Value value, StringRef axes, char axis) {
  return cast<ShapedType>(value.getType()).getDimSize(axes.find(axis));
}

// C33
static LogicalResult verifyNumHeads(LayerOp op) {
  if (op.getHeads() >= 1 && op.getKVHeads() >= 1 &&
      op.getHeads() % op.getKVHeads() == 0)
    return success();
  return op.emitOpError()
         << "expected at least one head, and heads that are a multiple of "
            "key/value heads, found "
         << op.getHeads() << " and " << op.getKVHeads();
}

// C34
static LogicalResult verifyWhichWeights(LayerOp op) {
  int64_t separate = bool(op.getWQ()) + bool(op.getWK()) + bool(op.getWV());
  if (op.getWQkv() ? separate != 0 : separate != 3)
    return op.emitOpError()
           << "expected either w_q, w_k and w_v, or w_qkv alone";
  if (op.getBQkv() && (op.getBQ() || op.getBK() || op.getBV()))
    return op.emitOpError()
           << "expected b_qkv or biases of their own, found both";
  return success();
}

/// A size of a weight or bias that has to be static.
static LogicalResult verifyStatic(LayerOp op, StringRef name, int64_t size) {
  if (!ShapedType::isDynamic(size))
    return success();
  return op.emitOpError() << "expected a static number of outputs of " << name;
}

// C34
static FailureOr<int64_t> findPackedHeadDim(LayerOp op) {
  StringRef axes = getAxes(*op.getWQkvLayout());
  int64_t width = getSize(op.getWQkv(), axes, 'o');
  if (failed(verifyStatic(op, "w_qkv", width)))
    return failure();
  int64_t heads = op.getHeads() + 2 * op.getKVHeads();
  if (width % heads != 0)
    return op.emitOpError() << "expected the outputs of w_qkv (" << width
                            << ") to split into " << heads << " heads";
  SmallVector<NamedSize> inputs{{"w_qkv", getSize(op.getWQkv(), axes, 'e')}};
  for (const LayerProjection &projection : getProjections(op))
    inputs.emplace_back(projection.inputName,
                        getSize(projection.input, "bse", 'e'));
  if (failed(verifyAgree(op, "the input size", inputs)))
    return failure();
  return width / heads;
}

// C35
static FailureOr<int64_t> findHeadDim(LayerOp op,
                                      const LayerProjection &projection) {
  StringRef axes = getAxes(*projection.layout);
  int64_t width = getSize(projection.weight, axes, 'o');
  if (failed(verifyStatic(op, projection.weightName, width)) ||
      failed(verifyAgree(
          op, "the input size",
          {{projection.inputName, getSize(projection.input, "bse", 'e')},
           {projection.weightName, getSize(projection.weight, axes, 'e')}})))
    return failure();
  if (width % projection.heads != 0)
    return op.emitOpError()
           << "expected the outputs of " << projection.weightName << " ("
           << width << ") to split into " << projection.heads << " heads";
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
  StringRef axes = getAxes(op.getWOLayout());
  int64_t inputs = getSize(op.getWO(), axes, 'e'),
          outputs = getSize(op.getWO(), axes, 'o');
  if (failed(verifyStatic(op, "w_o", outputs)))
    return failure();
  if (inputs != op.getHeads() * valueDim)
    return op.emitOpError()
           << "expected w_o of " << op.getHeads() * valueDim
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
    for (const LayerProjection &projection : getProjections(op)) {
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
static LogicalResult verifyBatchAndLengths(LayerOp op) {
  bool sequenceFirst = op.getSequenceFirst();
  StringRef axes = sequenceFirst ? "sb" : "bs";
  NamedShape query = nameShape("query", op.getQuery(), axes);
  NamedShape key = nameShape("key", op.getKeyInput(), axes);
  SmallVector<NamedShape> ofKeys{key,
                                 nameShape("value", op.getValueInput(), axes)};
  if (op.getKeyPadding())
    ofKeys.push_back(nameShape("key_padding", op.getKeyPadding(), "bs"));
  StringRef outputAxes = sequenceFirst ? "sbo" : "bso";
  SmallVector<NamedShape> ofQueries{
      query, nameShape("output", op.getOutput(), outputAxes)};
  if (op.getResidual())
    ofQueries.push_back(nameShape("residual", op.getResidual(), outputAxes));
  ofQueries.push_back(nameShape("w_o", op.getWO(), getAxes(op.getWOLayout())));
  if (failed(verifySizes(op, ofKeys)) || failed(verifySizes(op, ofQueries)))
    return failure();
  SmallVector<NamedShape> perBatch{query, key};
  if (op.getKvLengths())
    perBatch.push_back(nameShape("lengths", op.getKvLengths(), "b"));
  Value offset = op.getQueryOffset();
  if (offset && isa<ShapedType>(offset.getType()))
    perBatch.push_back(nameShape("query_offset", offset, "b"));
  if (op.getHeadGate() && getRank(op.getHeadGate()) == 2)
    perBatch.push_back(nameShape("head_gate", op.getHeadGate(), "bh"));
  SmallVector<NamedSize> sizes;
  for (const NamedShape &shape : perBatch)
    sizes.emplace_back(shape.name, shape.size('b'));
  return verifyAgree(op, "the batch size", sizes);
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
  for (const LayerProjection &projection : getProjections(op)) {
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
  StringRef axes = op.getSequenceFirst() ? "sb" : "bs";
  int64_t batch = getSize(op.getQuery(), axes, 'b');
  int64_t queryLen = getSize(op.getQuery(), axes, 's');
  int64_t keyLen = getSize(op.getKeyInput(), axes, 's');
  FloatType compute = Float32Type::get(op.getContext());
  if (getElementTypeOrSelf(op.getQuery()).isF64())
    compute = Float64Type::get(op.getContext());
  bool isPositional = op.getMaskAttr() != nullptr;
  return success(
      succeeded(verifyAlign({op, op.getAlign(), bool(op.getQueryOffset()),
                             isPositional, /*hasOrigin=*/false,
                             bool(op.getKvLengths()), queryLen, keyLen})) &&
      succeeded(verifyScale({op, op.getScale(), bool(op.getScaleValue()),
                             compute, op.getHeadDim()})) &&
      succeeded(verifyDenseMask(op, op.getDenseMask(),
                                {batch, op.getHeads(), queryLen, keyLen})));
}

LogicalResult LayerOp::verify() {
  return success(
      succeeded(verifyNumHeads(*this)) &&
      succeeded(verifyWhichWeights(*this)) &&
      succeeded(verifyElementTypes(*this)) &&
      succeeded(verifyPolarity(*this)) && succeeded(verifyProjections(*this)) &&
      succeeded(verifyBatchAndLengths(*this)) &&
      succeeded(verifyHeadGate(*this)) && succeeded(verifyAttention(*this)));
}
