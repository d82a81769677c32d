//===- MHAVerifiers.cpp - Constraints of mha ops --------------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The labels C1, C2, ... are those of the op's description in MHAOps.td and of
// the functions in test/IR/invalid.mlir.
//
//===----------------------------------------------------------------------===//

#include "mha/IR/AttentionDims.h"
#include "mha/IR/MHA.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::mha;

//===----------------------------------------------------------------------===//
// What the signature has room for and no lowering covers yet
//===----------------------------------------------------------------------===//

static LogicalResult verifyImplemented(AttentionOp op) {
  auto hasSplitHeads = [&](LayoutAttr layout) { return layout.splitsHeads(); };
  const std::pair<bool, StringRef> features[] = {
      {bool(op.getDenseMask()), "a dense mask"},
      {bool(op.getScaleValue()), "a run-time scale"},
      {op.getBias() || op.getSlopes() || op.getRelativeTable(),
       "a positional bias"},
      {bool(op.getSoftcap()), "a soft cap"},
      {bool(op.getSink()), "a sink"},
      {bool(op.getHeadGate()), "a head gate"},
      {op.getDropout() || op.getDropoutSeed() || op.getDropoutOffset(),
       "dropout"},
      {op.getQScale() || op.getKScale() || op.getVScale(),
       "a scale of 8-bit storage"},
      {!op.getScore().empty(), "a score region"},
      {!op.getVisible().empty(), "a visible region"},
      {!op.getProb().empty(), "a prob region"},
      {!op.getCaptures().empty(), "captures of a region"},
      {op.getWeights() || op.getWeightsInit(), "a weights result"},
      {bool(op.getSchedule()), "a schedule"},
      {llvm::any_of(ArrayRef<LayoutAttr>{op.getQueryLayout(), op.getKeyLayout(),
                                         op.getValueLayout(),
                                         op.getOutputLayout()},
                    hasSplitHeads),
       "a layout with split heads"},
  };
  for (auto [isThere, feature] : features)
    if (isThere)
      return op.emitOpError() << feature << " is not implemented yet";

  Type element = getElementTypeOrSelf(op.getQuery());
  if (!element.isF32() && !element.isF64())
    return op.emitOpError() << "element type " << element
                            << " is not implemented yet, expected f32 or f64";
  return success();
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

namespace {
/// A shaped operand or result with the axes of its type, and its name in
/// messages.
struct NamedShape {
  StringRef name;
  ShapedType type;
  StringRef axes;

  int64_t size(char axis) const { return type.getDimSize(axes.find(axis)); }
};

/// The shaped values of a valid signature.
struct Shapes {
  NamedShape query, key, value;

  explicit Shapes(AttentionOp op)
      : query{"query", cast<ShapedType>(op.getQuery().getType()),
              op.getQueryLayout().getAxes()},
        key{"key", cast<ShapedType>(op.getKey().getType()),
            op.getKeyLayout().getAxes()},
        value{"value", cast<ShapedType>(op.getValue().getType()),
              op.getValueLayout().getAxes()} {}
};
} // namespace

static std::string printSize(int64_t size) {
  return ShapedType::isDynamic(size) ? "?" : std::to_string(size);
}

/// Says that two sizes that have to agree do not.
static LogicalResult verifySameSize(AttentionOp op, StringRef what,
                                    StringRef lhsName, int64_t lhs,
                                    StringRef rhsName, int64_t rhs) {
  if (areCompatibleSizes(lhs, rhs))
    return success();
  return op.emitOpError() << "expected " << what << " of " << rhsName << " ("
                          << printSize(rhs) << ") to be that of " << lhsName
                          << " (" << printSize(lhs) << ")";
}

static LogicalResult verifySameAxis(AttentionOp op, StringRef what,
                                    const NamedShape &lhs,
                                    const NamedShape &rhs, char axis) {
  return verifySameSize(op, what, lhs.name, lhs.size(axis), rhs.name,
                        rhs.size(axis));
}

// C1, C16
static LogicalResult verifyTensorsOrMemRefs(AttentionOp op) {
  bool onTensors = op.hasTensorSemantics();
  for (OpOperand &operand : op->getOpOperands()) {
    Type type = operand.get().getType();
    if (isa<ShapedType>(type) && isa<TensorType>(type) != onTensors)
      return op.emitOpError()
             << "expected all shaped operands to be tensors, or all to be "
                "memrefs, found "
             << op.getQuery().getType() << " and " << type;
  }
  if (!onTensors) {
    if (op->getNumResults() != 0)
      return op.emitOpError()
             << "expected no results on memrefs, found " << op->getNumResults();
    if (!op.getOutputInit())
      return op.emitOpError() << "expected 'outs' on memrefs";
    return success();
  }
  if (!op.getOutput())
    return op.emitOpError() << "expected an output result on tensors";
  if (op.getLseInit() && !op.getLse())
    return op.emitOpError() << "expected an lse result for the lse destination";
  const std::pair<Value, Value> destinations[] = {
      {op.getOutputInit(), op.getOutput()}, {op.getLseInit(), op.getLse()}};
  for (auto [init, result] : destinations)
    if (init && init.getType() != result.getType())
      return op.emitOpError()
             << "expected a destination of the result's type "
             << result.getType() << ", found " << init.getType();
  return success();
}

// C2
static LogicalResult verifyLayoutRanks(AttentionOp op) {
  Type outputType = op.hasTensorSemantics() ? op.getOutput().getType()
                                            : op.getOutputInit().getType();
  const std::tuple<StringRef, Type, LayoutAttr> operands[] = {
      {"query", op.getQuery().getType(), op.getQueryLayout()},
      {"key", op.getKey().getType(), op.getKeyLayout()},
      {"value", op.getValue().getType(), op.getValueLayout()},
      {"output", outputType, op.getOutputLayout()}};
  for (auto [name, type, layout] : operands)
    if (cast<ShapedType>(type).getRank() != layout.getRank())
      return op.emitOpError()
             << "expected " << name << " of rank " << layout.getRank()
             << " for its layout '" << layout.getAxes() << "', found " << type;
  return success();
}

// C9
static LogicalResult verifyElementTypes(AttentionOp op, const Shapes &shapes) {
  for (const NamedShape &other : {shapes.key, shapes.value})
    if (other.type.getElementType() != shapes.query.type.getElementType())
      return op.emitOpError()
             << "expected the element type of " << other.name << " to be that "
             << "of query (" << shapes.query.type.getElementType()
             << "), found " << other.type.getElementType();
  return success();
}

// C4
static LogicalResult verifyHeads(AttentionOp op, const Shapes &shapes) {
  int64_t numQueryHeads = shapes.query.size('h');
  for (const NamedShape &other : {shapes.key, shapes.value}) {
    int64_t numKVHeads = other.size('h');
    if (numKVHeads == 0)
      return op.emitOpError()
             << "expected at least one key/value head, found none in "
             << other.name;
    if (!ShapedType::isDynamic(numQueryHeads) &&
        !ShapedType::isDynamic(numKVHeads) && numQueryHeads % numKVHeads != 0)
      return op.emitOpError()
             << "expected the number of query heads (" << numQueryHeads
             << ") to be a multiple of the "
             << "number of " << other.name << " heads (" << numKVHeads << ")";
  }
  return success();
}

// C3
static LogicalResult verifyBatch(AttentionOp op, const Shapes &shapes) {
  const NamedShape &query = shapes.query;
  int64_t batch = query.size('b');
  for (const NamedShape &other : {shapes.key, shapes.value})
    if (other.size('b') == 1 && batch != 1 && !ShapedType::isDynamic(batch))
      return op.emitOpError() << "one batch entry of " << other.name << " for "
                              << batch << " of query is not implemented yet";
  for (const NamedShape &other : {shapes.key, shapes.value})
    if (failed(verifySameAxis(op, "the batch size", query, other, 'b')))
      return failure();
  // A tile keeps the lengths and offsets of the whole problem.
  if (!op.getOrigin().empty())
    return success();
  const std::pair<StringRef, Value> perBatch[] = {
      {"lengths", op.getKvLengths()}, {"query_offset", op.getQueryOffset()}};
  for (auto [name, operand] : perBatch) {
    auto type = operand ? dyn_cast<ShapedType>(operand.getType()) : nullptr;
    if (type && failed(verifySameSize(op, "the batch size", "query", batch,
                                      name, type.getDimSize(0))))
      return failure();
  }
  return success();
}

// C3, C7
static LogicalResult verifyOutput(AttentionOp op, const Shapes &shapes) {
  Value outputValue =
      op.hasTensorSemantics() ? Value(op.getOutput()) : op.getOutputInit();
  NamedShape output{"output", cast<ShapedType>(outputValue.getType()),
                    op.getOutputLayout().getAxes()};
  const NamedShape &query = shapes.query;
  if (failed(verifySameAxis(op, "the batch size", query, output, 'b')) ||
      failed(verifySameAxis(op, "the number of heads", query, output, 'h')) ||
      failed(verifySameAxis(op, "the length", query, output, 's')) ||
      failed(verifySameAxis(op, "the head size", shapes.value, output, 'd')))
    return failure();
  if (output.type.getElementType() != query.type.getElementType())
    return op.emitOpError() << "expected the element type of output to be that "
                               "of query ("
                            << query.type.getElementType() << "), found "
                            << output.type.getElementType();
  return success();
}

// C8
static LogicalResult verifyLse(AttentionOp op, const Shapes &shapes) {
  Value lseValue =
      op.hasTensorSemantics() ? Value(op.getLse()) : op.getLseInit();
  if (!lseValue)
    return success();
  auto type = cast<ShapedType>(lseValue.getType());
  if (type.getRank() != 3)
    return op.emitOpError()
           << "expected lse of rank 3 (B, Hq, Sq), found " << type;
  NamedShape lse{"lse", type, "bhs"};
  const NamedShape &query = shapes.query;
  if (failed(verifySameAxis(op, "the batch size", query, lse, 'b')) ||
      failed(verifySameAxis(op, "the number of heads", query, lse, 'h')) ||
      failed(verifySameAxis(op, "the length", query, lse, 's')))
    return failure();
  Type expected = query.type.getElementType().isF64()
                      ? query.type.getElementType()
                      : Float32Type::get(op.getContext());
  if (type.getElementType() != expected)
    return op.emitOpError() << "expected lse of element type " << expected
                            << ", found " << type.getElementType();
  return success();
}

// C10, C11, C12, C13
static LogicalResult verifyAlign(AttentionOp op, const Shapes &shapes) {
  std::optional<Align> align = op.getAlign();
  bool needsOffset =
      align && (*align == Align::Explicit || *align == Align::End);
  if (needsOffset && !op.getQueryOffset())
    return op.emitOpError() << "expected 'query_offset' beside align("
                            << stringifyAlign(*align) << ")";
  if (!needsOffset && op.getQueryOffset())
    return op.emitOpError()
           << "expected align(explicit) or align(end) beside 'query_offset', "
              "found "
           << (align ? "align(" + stringifyAlign(*align).str() + ")"
                     : std::string("none"));
  if (align && !op.isPositional())
    return op.emitOpError() << "expected a positional mask or bias for align("
                            << stringifyAlign(*align) << ") to align";
  if (align == Align::BottomRight && !op.getOrigin().empty())
    return op.emitOpError() << "expected align(end) with the query length as "
                               "offset on a tile, found align(bottom_right)";
  if (align || !op.isPositional())
    return success();

  int64_t queryLen = shapes.query.size('s'), keyLen = shapes.key.size('s');
  bool isStaticSquare = !ShapedType::isDynamic(queryLen) && queryLen == keyLen;
  if (!isStaticSquare || op.getKvLengths() || !op.getOrigin().empty())
    return op.emitOpError()
           << "expected an 'align' for the mask: only where query and key have "
              "the same static length, and there are no lengths and no origin, "
              "top left and bottom right are the same";
  return success();
}

// C14
static LogicalResult verifyScale(AttentionOp op, const Shapes &shapes) {
  if (std::optional<APFloat> scale = op.getScale()) {
    Type element = shapes.query.type.getElementType();
    APFloat rounded = *scale;
    bool losesInfo;
    rounded.convert(cast<FloatType>(element).getFloatSemantics(),
                    APFloat::rmNearestTiesToEven, &losesInfo);
    if (!rounded.isFinite())
      return op.emitOpError()
             << "expected a scale that is finite in " << element << ", found "
             << scale->convertToDouble();
    return success();
  }
  if (shapes.query.size('d') == 0 || shapes.key.size('d') == 0)
    return op.emitOpError() << "expected a head size of at least 1 for the "
                               "default scale 1/sqrt(D), found 0";
  return success();
}

LogicalResult AttentionOp::verify() {
  if (failed(verifyImplemented(*this)) ||
      failed(verifyTensorsOrMemRefs(*this)) || failed(verifyLayoutRanks(*this)))
    return failure();

  Shapes shapes(*this);
  if (failed(verifyElementTypes(*this, shapes)) ||
      failed(verifyHeads(*this, shapes)) || failed(verifyBatch(*this, shapes)))
    return failure();
  // C5, C6
  if (failed(verifySameAxis(*this, "the head size", shapes.query, shapes.key,
                            'd')) ||
      failed(verifySameAxis(*this, "the number of heads", shapes.key,
                            shapes.value, 'h')) ||
      failed(
          verifySameAxis(*this, "the length", shapes.key, shapes.value, 's')))
    return failure();
  if (failed(verifyOutput(*this, shapes)) || failed(verifyLse(*this, shapes)) ||
      failed(verifyAlign(*this, shapes)) || failed(verifyScale(*this, shapes)))
    return failure();
  // C15
  if (!getOrigin().empty() && getOrigin().size() != 4)
    return emitOpError()
           << "expected an origin of 4 values (b, h, i, j), found "
           << getOrigin().size();
  return success();
}
