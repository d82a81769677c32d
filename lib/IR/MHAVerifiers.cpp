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

#include "SharedConstraints.h"

#include "mha/IR/AttentionDims.h"
#include "mha/IR/MHA.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::mha;

//===----------------------------------------------------------------------===//
// What the signature has room for and no lowering covers yet
//===----------------------------------------------------------------------===//

static LogicalResult verifyImplementedTypes(AttentionOpInterface op) {
  const std::pair<StringRef, Value> operands[] = {
      {"query", op.getQuery()},
      {"key", op.getKey()},
      {"value", op.getValue()},
      {"dense_mask", op.getDenseMask()},
      {"scale", op.getScaleValue()},
      {"slopes", op.getSlopes()},
      {"relative_table", op.getRelativeTable()}};
  for (auto [name, operand] : operands)
    if (failed(verifyKnownFloat(op, name, operand)))
      return failure();
  return success();
}

static LogicalResult verifyImplemented(AttentionOp op) {
  const std::pair<bool, StringRef> features[] = {
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
  };
  for (auto [isThere, feature] : features)
    if (isThere)
      return op.emitOpError() << feature << " is not implemented yet";
  return verifyKnownFloat(op, "sink", op.getSink());
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

namespace {
/// The shaped values of a signature whose layouts fit (C2).
struct Shapes {
  NamedShape query, key, value;
  /// What has the output's sizes, and what has one number for each query.
  NamedShape output;
  SmallVector<NamedShape, 2> perQuery;

  explicit Shapes(AttentionOp op)
      : Shapes(op, "output",
               op.getOutput() ? Value(op.getOutput()) : op.getOutputInit(),
               op.getOutputLayout().getAxes()) {
    if (Value lse = op.getLse() ? Value(op.getLse()) : op.getLseInit())
      perQuery.push_back(nameShape("lse", lse, "bhs"));
  }
  explicit Shapes(OnlineAttentionOp op)
      : Shapes(op, "acc", op.getAcc(), "bhsd") {
    perQuery = {nameShape("row_max", op.getRowMax(), "bhs"),
                nameShape("row_sum", op.getRowSum(), "bhs")};
  }

  SmallVector<NamedShape> getOfQueries() const {
    SmallVector<NamedShape> shapes{query, output};
    llvm::append_range(shapes, perQuery);
    return shapes;
  }

private:
  Shapes(AttentionOpInterface op, StringRef outputName, Value output,
         StringRef outputAxes)
      : query(nameShape("query", op.getQuery(), op.getQueryLayout().getAxes())),
        key(nameShape("key", op.getKey(), op.getKeyLayout().getAxes())),
        value(nameShape("value", op.getValue(), op.getValueLayout().getAxes())),
        output(nameShape(outputName, output, outputAxes)) {}
};

} // namespace

// C16
static LogicalResult verifyDestinations(AttentionOp op) {
  if (!op.hasTensorSemantics()) {
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
  if (op.getLseInit() && !op.getOutputInit())
    return op.emitOpError()
           << "expected a destination of the output beside that of the lse";
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
static LogicalResult verifyInputRanks(AttentionOpInterface op) {
  if (failed(verifyRank(op, "query", op.getQuery(), op.getQueryLayout())))
    return failure();
  const std::tuple<StringRef, Value, LayoutAttr> ofKeys[] = {
      {"key", op.getKey(), op.getKeyLayout()},
      {"value", op.getValue(), op.getValueLayout()}};
  for (auto [name, value, layout] : ofKeys) {
    if (failed(verifyRank(op, name, value, layout)))
      return failure();
    if (layout.splitsHeads())
      return op.emitOpError() << "expected " << name
                              << " heads of one axis, which no group splits, "
                                 "found the layout '"
                              << layout.getAxes() << "'";
  }
  return success();
}

// C2, C8
static LogicalResult verifyRanks(AttentionOp op) {
  Value output = op.hasTensorSemantics() ? Value(op.getOutput())
                                         : Value(op.getOutputInit());
  if (failed(verifyInputRanks(op)) ||
      failed(verifyRank(op, "output", output, op.getOutputLayout())))
    return failure();
  Value lse = op.hasTensorSemantics() ? Value(op.getLse()) : op.getLseInit();
  if (lse && cast<ShapedType>(lse.getType()).getRank() != 3)
    return op.emitOpError()
           << "expected lse of rank 3 (B, Hq, Sq), found " << lse.getType();
  return success();
}

// C9
static LogicalResult verifyElementTypes(AttentionOpInterface op,
                                        const Shapes &shapes) {
  Type element = shapes.query.type.getElementType();
  for (const NamedShape &other : {shapes.key, shapes.value})
    if (other.type.getElementType().isF64() != element.isF64())
      return op.emitOpError()
             << "expected f64 in all of query, key and value or in none, found "
             << element << " in query and " << other.type.getElementType()
             << " in " << other.name;
  return success();
}

/// The sizes along `axis` of `shapes`.
static SmallVector<NamedSize> getSizes(ArrayRef<NamedShape> shapes, char axis) {
  return llvm::map_to_vector(shapes, [&](const NamedShape &shape) {
    return NamedSize(shape.name, shape.size(axis));
  });
}

// C4, C7, C8
static LogicalResult verifyHeads(AttentionOpInterface op,
                                 const Shapes &shapes) {
  SmallVector<NamedSize> queryHeads = getSizes(shapes.getOfQueries(), 'h');
  int64_t numQueryHeads = firstStatic(queryHeads);
  SmallVector<NamedSize> keyHeads = getSizes({shapes.key, shapes.value}, 'h');
  for (auto [name, numKVHeads] : keyHeads) {
    if (numKVHeads == 0)
      return op.emitOpError()
             << "expected at least one key/value head, found none in " << name;
    if (!ShapedType::isDynamic(numQueryHeads) &&
        !ShapedType::isDynamic(numKVHeads) && numQueryHeads % numKVHeads != 0)
      return op.emitOpError()
             << "expected the number of query heads (" << numQueryHeads
             << ") to be a multiple of the number of " << name << " heads ("
             << numKVHeads << ")";
  }
  if (failed(verifyAgree(op, "the number of heads", keyHeads)))
    return failure();
  for (const NamedShape &shape : {shapes.query, shapes.output})
    if (shape.axes.contains('k'))
      keyHeads.emplace_back(shape.name, shape.size('k'));
  if (failed(verifyAgree(op, "the number of key/value heads", keyHeads)))
    return failure();
  return verifyAgree(op, "the number of heads", queryHeads);
}

// C3
static LogicalResult verifyBatch(AttentionOpInterface op,
                                 const Shapes &shapes) {
  SmallVector<NamedSize> sizes = getSizes(shapes.query, 'b');
  if (!op.sharesKeysInBatch())
    llvm::append_range(sizes, getSizes({shapes.key, shapes.value}, 'b'));
  sizes.emplace_back(shapes.output.name, shapes.output.size('b'));
  llvm::append_range(sizes, getSizes(shapes.perQuery, 'b'));
  // A tile keeps the lengths and offsets of the whole problem.
  const std::pair<StringRef, Value> perBatch[] = {
      {"lengths", op.getKvLengths()}, {"query_offset", op.getQueryOffset()}};
  for (auto [name, operand] : perBatch)
    if (operand && isa<ShapedType>(operand.getType()) && op.getOrigin().empty())
      sizes.emplace_back(name,
                         cast<ShapedType>(operand.getType()).getDimSize(0));
  return verifyAgree(op, "the batch size", sizes);
}

// C5, C6, C7, C8
static LogicalResult verifyLengthsAndHeadSizes(AttentionOpInterface op,
                                               const Shapes &shapes) {
  if (failed(verifyAgree(op, "the head size",
                         getSizes({shapes.query, shapes.key}, 'd'))) ||
      failed(verifyAgree(op, "the length",
                         getSizes({shapes.key, shapes.value}, 's'))) ||
      failed(
          verifyAgree(op, "the length", getSizes(shapes.getOfQueries(), 's'))))
    return failure();
  return verifyAgree(op, "the head size",
                     getSizes({shapes.value, shapes.output}, 'd'));
}

// C8, C22
static LogicalResult verifyStatisticTypes(AttentionOpInterface op,
                                          ArrayRef<NamedShape> shapes) {
  for (const NamedShape &shape : shapes)
    if (shape.type.getElementType() != op.getComputeType())
      return op.emitOpError() << "expected " << shape.name
                              << " of element type " << op.getComputeType()
                              << ", found " << shape.type.getElementType();
  return success();
}

// C7, C8
static LogicalResult verifyResultTypes(AttentionOp op, const Shapes &shapes) {
  Type element = shapes.query.type.getElementType();
  if (shapes.output.type.getElementType() != element)
    return op.emitOpError()
           << "expected the element type of output to be that of query ("
           << element << "), found " << shapes.output.type.getElementType();
  return verifyStatisticTypes(op, shapes.perQuery);
}

// C10, C11, C12, C13
static LogicalResult verifyAlign(AttentionOpInterface op,
                                 const Shapes &shapes) {
  if (failed(verifyAlign({op, op.getAlign(), bool(op.getQueryOffset()),
                          op.isPositional(), !op.getOrigin().empty(),
                          bool(op.getKvLengths()), shapes.query.size('s'),
                          shapes.key.size('s')})))
    return failure();
  if (op.getAlign() == Align::BottomRight && !op.getOrigin().empty())
    return op.emitOpError() << "expected align(end) with the query length as "
                               "offset on a tile, found align(bottom_right)";
  return success();
}

// C14
static LogicalResult verifyScale(AttentionOpInterface op,
                                 const Shapes &shapes) {
  bool isEmpty = shapes.query.size('d') == 0 || shapes.key.size('d') == 0;
  return verifyScale({op, op.getScale(), bool(op.getScaleValue()),
                      op.getComputeType(), isEmpty ? 0 : 1});
}

// C15
static LogicalResult verifyOrigin(AttentionOpInterface op) {
  if (op.getOrigin().empty() || op.getOrigin().size() == 4)
    return success();
  return op.emitOpError()
         << "expected an origin of 4 values (b, h, i, j), found "
         << op.getOrigin().size();
}

// C18
static LogicalResult verifyDenseMask(AttentionOpInterface op,
                                     const Shapes &shapes) {
  return verifyDenseMask(op, op.getDenseMask(),
                         {shapes.query.size('b'), shapes.query.size('h'),
                          shapes.query.size('s'), shapes.key.size('s')});
}

/// `operand` has a value for each query head of the whole problem.
static LogicalResult verifyPerHead(AttentionOpInterface op,
                                   const Shapes &shapes, StringRef name,
                                   Value operand) {
  if (!operand || !op.getOrigin().empty())
    return success();
  SmallVector<NamedSize> sizes = getSizes({shapes.query}, 'h');
  sizes.emplace_back(name, cast<ShapedType>(operand.getType()).getDimSize(0));
  return verifyAgree(op, "the number of heads", sizes);
}

// C19
static LogicalResult verifyBias(AttentionOpInterface op, const Shapes &shapes) {
  BiasAttr bias = op.getBiasAttr();
  bool isRelative = bias && bias.getKind() == BiasKind::Relative;
  bool isAlibi = bias && !isRelative;
  if (isAlibi != bool(op.getSlopes()))
    return op.emitOpError() << "expected 'slopes' with bias<alibi> and "
                               "bias<alibi_symmetric>, and only with them";
  if (isRelative != bool(op.getRelativeTable()))
    return op.emitOpError() << "expected a 'relative_table' with "
                               "bias<relative>, and only with it";
  if (isAlibi && bias.getOrigin() != 0)
    return op.emitOpError() << "expected an origin of the bias with "
                               "bias<relative> only, found "
                            << bias;
  if (isRelative &&
      cast<ShapedType>(op.getRelativeTable().getType()).getDimSize(1) == 0)
    return op.emitOpError()
           << "expected a relative_table with at least one distance, found "
           << op.getRelativeTable().getType();
  if (failed(verifyPerHead(op, shapes, "slopes", op.getSlopes())))
    return failure();
  return verifyPerHead(op, shapes, "relative_table", op.getRelativeTable());
}

// C20
static LogicalResult verifySoftcap(AttentionOpInterface op) {
  std::optional<APFloat> softcap = op.getSoftcap();
  if (!softcap)
    return success();
  double value = softcap->convertToDouble();
  if (value > 0 && isFinite(*softcap, op.getComputeType()) &&
      (op.getComputeType().isF64() || float(value) > 0))
    return success();
  return op.emitOpError() << "expected a soft cap that is positive and finite "
                             "in "
                          << op.getComputeType() << ", found " << value;
}

// C17
static LogicalResult verifySchedule(AttentionOp op) {
  Attribute attr = op.getScheduleAttr();
  if (!attr)
    return success();
  SmallVector<Attribute> cases;
  if (auto list = dyn_cast<ArrayAttr>(attr))
    llvm::append_range(cases, list);
  else
    cases.push_back(attr);
  if (cases.empty())
    return op.emitOpError() << "expected a schedule in the list of schedules";
  for (Attribute item : ArrayRef(cases).drop_back())
    if (!isa<GuardedScheduleAttr>(item))
      return op.emitOpError() << "expected '#mha.when' before the last item of "
                                 "a list of schedules, found "
                              << item;
  if (!isa<ScheduleAttrInterface>(cases.back()))
    return op.emitOpError()
           << "expected a schedule, or a list that ends in one, found "
           << cases.back();
  for (ScheduleAttrInterface schedule : getSchedules(attr)) {
    std::string reason = schedule.explainMisfit(op);
    if (!reason.empty())
      return op.emitOpError() << "expected a schedule that fits: " << reason;
  }
  return success();
}

/// What both forms of attention have to fulfil, once types and ranks fit.
static LogicalResult verifyShared(AttentionOpInterface op,
                                  const Shapes &shapes) {
  return success(
      succeeded(verifyElementTypes(op, shapes)) &&
      succeeded(verifyHeads(op, shapes)) &&
      succeeded(verifyBatch(op, shapes)) &&
      succeeded(verifyLengthsAndHeadSizes(op, shapes)) &&
      succeeded(verifyOrigin(op)) && succeeded(verifyAlign(op, shapes)) &&
      succeeded(verifyScale(op, shapes)) &&
      succeeded(verifyDenseMask(op, shapes)) &&
      succeeded(verifyBias(op, shapes)) && succeeded(verifySoftcap(op)));
}

LogicalResult AttentionOp::verify() {
  if (failed(verifyImplemented(*this)) ||
      failed(verifyImplementedTypes(*this)) ||
      failed(verifyTensorsOrMemRefs(*this)) ||
      failed(verifyDestinations(*this)) || failed(verifyRanks(*this)))
    return failure();
  Shapes shapes(*this);
  return success(succeeded(verifyShared(*this, shapes)) &&
                 succeeded(verifyResultTypes(*this, shapes)) &&
                 // C21
                 succeeded(verifyPerHead(*this, shapes, "sink", getSink())) &&
                 succeeded(verifySchedule(*this)));
}

//===----------------------------------------------------------------------===//
// Partial states
//===----------------------------------------------------------------------===//

LogicalResult OnlineAttentionOp::verify() {
  if (failed(verifyImplementedTypes(*this)) ||
      failed(verifyTensorsOrMemRefs(*this)) || failed(verifyInputRanks(*this)))
    return failure();
  Shapes shapes(*this);
  SmallVector<NamedShape> state{shapes.output};
  llvm::append_range(state, shapes.perQuery);
  if (failed(verifyShared(*this, shapes)) ||
      failed(verifyStatisticTypes(*this, state)))
    return failure();
  // C23
  if (getNumKeys() && getOrigin().empty())
    return emitOpError() << "expected 'num_keys' beside an 'origin' only";
  return success();
}

// C24
LogicalResult MergeOp::verify() {
  const NamedShape shapes[] = {
      nameShape("acc", getAcc(), "bhsd"),
      nameShape("row_max", getRowMax(), "bhs"),
      nameShape("row_sum", getRowSum(), "bhs"),
      nameShape("acc of the parts", getPartsAcc(), "pbhsd"),
      nameShape("row_max of the parts", getPartsMax(), "pbhs"),
      nameShape("row_sum of the parts", getPartsSum(), "pbhs")};
  return success(succeeded(verifyTensorsOrMemRefs(*this)) &&
                 succeeded(verifyOneElementType(*this, shapes)) &&
                 succeeded(verifySizes(*this, shapes)));
}

// C25, C26
LogicalResult FinalizeOp::verify() {
  if (failed(verifyTensorsOrMemRefs(*this)) ||
      failed(verifyRank(*this, "output", getOutputInit(), getOutputLayout())) ||
      failed(verifyKnownFloat(*this, "output", getOutputInit())) ||
      failed(verifyKnownFloat(*this, "sink", getSink())))
    return failure();
  SmallVector<NamedShape> shapes{nameShape("acc", getAcc(), "bhsd"),
                                 nameShape("row_max", getRowMax(), "bhs"),
                                 nameShape("row_sum", getRowSum(), "bhs")};
  if (getLseInit())
    shapes.push_back(nameShape("lse", getLseInit(), "bhs"));
  if (failed(verifyOneElementType(*this, shapes)))
    return failure();
  Type state = shapes.front().type.getElementType();
  Type output = getElementTypeOrSelf(getOutputInit());
  if (state.isF64() != output.isF64())
    return emitOpError() << "expected f64 in the state and the output or in "
                            "neither, found "
                         << state << " and " << output;
  shapes.push_back(
      nameShape("output", getOutputInit(), getOutputLayout().getAxes()));
  if (getSink())
    shapes.push_back(nameShape("sink", getSink(), "h"));
  return verifySizes(*this, shapes);
}

//===----------------------------------------------------------------------===//
// ScratchOp
//===----------------------------------------------------------------------===//

LogicalResult ScratchOp::verify() {
  MemRefType type = getBuffer().getType();
  if (!type.getLayout().isIdentity() || type.getMemorySpace())
    return emitOpError()
           << "expected a contiguous buffer in the default memory space, found "
           << type;
  Type element = type.getElementType();
  if (!element.isSignlessIntOrIndex() &&
      !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element))
    return emitOpError() << "expected elements that are signless integers, "
                            "index, f16, bf16, f32 or f64, found "
                         << element;
  // A workspace of any size is counted in 64 bits.
  constexpr int64_t maxElements = int64_t(1) << 31;
  int64_t elements = 1;
  for (int64_t size : type.getShape())
    if (llvm::MulOverflow(elements, size, elements) || elements > maxElements)
      return emitOpError() << "expected at most " << maxElements
                           << " elements, found " << type;
  return success();
}
