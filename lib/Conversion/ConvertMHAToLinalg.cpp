//===- ConvertMHAToLinalg.cpp - Attention by its definition ---------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The definition of mha.attention as linalg ops, to be read beside the formula
// in the op's description. Exact, and untiled: readable before fast.
//
// Loops carry letters: b batch, h query head, i query, j key, d and n the two
// head sizes. A tensor is described by the letters of its dimensions, so a
// contraction reads like an einsum. The letter k is no loop: it stands for
// h floordiv G, the key/value head of a query head, so that grouped keys and
// values are read in place.
//
//===----------------------------------------------------------------------===//

#include "mha/Conversion/Conversions.h"
#include "mha/Conversion/Passes.h"
#include "mha/IR/AttentionDims.h"
#include "mha/IR/MHA.h"
#include "mha/Support/QueryPosition.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#define DEBUG_TYPE "convert-mha-to-linalg"

namespace mlir::mha {
#define GEN_PASS_DEF_CONVERTMHATOLINALGPASS
#include "mha/Conversion/Passes.h.inc"
} // namespace mlir::mha

using namespace mlir;
using namespace mlir::mha;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

constexpr double kInfinity = std::numeric_limits<double>::infinity();

namespace {
/// A tensor or memref with the letter of each of its dimensions.
struct Lettered {
  Value value;
  std::string letters;
};

/// Builds the ops of one attention.
class DefinitionBuilder {
public:
  DefinitionBuilder(RewriterBase &rewriter, AttentionOp op);

  /// Emits everything; returns the output and, where asked for, the lse, in
  /// the types of the op's results or destinations.
  std::pair<Value, Value> build();

  /// The buffers that were allocated for it, on memrefs.
  ArrayRef<Value> getTemporaries() const { return temporaries; }

private:
  using BodyFn = function_ref<Value(OpBuilder &, ValueRange)>;

  OpFoldResult buildGroup();
  OpFoldResult getSize(const Lettered &holder, char letter);
  Lettered makeEmpty(StringRef letters);
  Lettered makeFilled(Lettered destination, double value);
  Lettered makeDestination(StringRef letters, Value init);
  AffineMap getMap(StringRef letters, StringRef loops);
  bool isReadByIndex(const Lettered &input);
  Value readByIndex(OpBuilder &builder, const Lettered &input, StringRef loops);
  Lettered generic(StringRef loops, ArrayRef<Lettered> inputs, Lettered init,
                   BodyFn body);

  bool hasLse() { return op.getLse() || op.getLseInit(); }
  Value asResult(Value value, Value result);
  std::pair<Value, Value> buildEmpty();
  Value buildScale();
  Value buildVisible(OpBuilder &builder, StringRef loops);
  Lettered buildScores();
  Lettered buildMasked(Lettered scores);
  Lettered buildRowMax(Lettered masked);
  Lettered buildWeights(Lettered masked, Lettered rowMax);
  Lettered buildRowSum(Lettered weights);
  Lettered buildOutput(Lettered weights, Lettered masked, Lettered rowSum);
  Lettered buildLse(Lettered rowMax, Lettered rowSum);

  Value constant(OpBuilder &builder, double value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(element, value));
  }
  Value equals(OpBuilder &builder, Value lhs, double rhs) {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, lhs,
                                 constant(builder, rhs));
  }
  Value expOfDifference(OpBuilder &builder, Value score, Value rowMax);

  RewriterBase &rewriter;
  AttentionOp op;
  Location loc;
  FloatType element;
  /// Size of each loop, by its letter.
  llvm::SmallDenseMap<char, OpFoldResult> sizes;
  /// G, query heads per key/value head.
  OpFoldResult group;
  Lettered query, key, value;
  /// Allocated so far.
  SmallVector<Value> temporaries;
};
} // namespace

/// The letters of a layout's axes, with `h`, `s` and `d` renamed.
static std::string getLetters(StringRef axes, char heads, char sequence,
                              char head) {
  std::string letters = axes.str();
  for (char &letter : letters)
    letter = letter == 'h'   ? heads
             : letter == 's' ? sequence
             : letter == 'd' ? head
                             : letter;
  return letters;
}

DefinitionBuilder::DefinitionBuilder(RewriterBase &rewriter, AttentionOp op)
    : rewriter(rewriter), op(op), loc(op.getLoc()),
      element(cast<FloatType>(getElementTypeOrSelf(op.getQuery()))) {
  StringRef queryAxes = op.getQueryLayout().getAxes();
  StringRef keyAxes = op.getKeyLayout().getAxes();
  StringRef valueAxes = op.getValueLayout().getAxes();
  query = {op.getQuery(), getLetters(queryAxes, 'h', 'i', 'd')};
  key = {op.getKey(), getLetters(keyAxes, 'k', 'j', 'd')};
  value = {op.getValue(), getLetters(valueAxes, 'k', 'j', 'n')};

  auto sizeOf = [&](int64_t known, const Lettered &holder,
                    char letter) -> OpFoldResult {
    if (!ShapedType::isDynamic(known))
      return rewriter.getIndexAttr(known);
    return getSize(holder, letter);
  };
  AttentionDims dims = AttentionDims::get(op);
  sizes['b'] = sizeOf(dims.batch, query, 'b');
  sizes['h'] = sizeOf(dims.numQueryHeads, query, 'h');
  sizes['i'] = sizeOf(dims.queryLen, query, 'i');
  sizes['d'] = sizeOf(dims.headDim, query, 'd');
  sizes['j'] = sizeOf(dims.keyLen, key, 'j');
  sizes['n'] = sizeOf(dims.valueDim, value, 'n');
}

/// G, at least 1: where there are no query heads, no index is divided by 0.
OpFoldResult DefinitionBuilder::buildGroup() {
  int64_t known = AttentionDims::get(op).getGroup();
  if (!ShapedType::isDynamic(known))
    return rewriter.getIndexAttr(known);
  Value heads = getValueOrCreateConstantIndexOp(rewriter, loc, sizes['h']);
  Value kvHeads =
      getValueOrCreateConstantIndexOp(rewriter, loc, getSize(key, 'k'));
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  Value divisor = arith::MaxUIOp::create(rewriter, loc, kvHeads, one);
  Value quotient = arith::DivUIOp::create(rewriter, loc, heads, divisor);
  return arith::MaxUIOp::create(rewriter, loc, quotient, one).getResult();
}

/// The size of a tensor or memref along the dimension with `letter`.
OpFoldResult DefinitionBuilder::getSize(const Lettered &holder, char letter) {
  int64_t dim = holder.letters.find(letter);
  return op.hasTensorSemantics()
             ? tensor::getMixedSize(rewriter, loc, holder.value, dim)
             : memref::getMixedSize(rewriter, loc, holder.value, dim);
}

/// A tensor, or on memrefs a new buffer, with nothing in it.
Lettered DefinitionBuilder::makeEmpty(StringRef letters) {
  SmallVector<OpFoldResult> shape;
  for (char letter : letters)
    shape.push_back(sizes[letter]);
  if (op.hasTensorSemantics())
    return {tensor::EmptyOp::create(rewriter, loc, shape, element),
            letters.str()};
  SmallVector<Value> dynamicSizes;
  SmallVector<int64_t> staticSizes;
  dispatchIndexOpFoldResults(shape, dynamicSizes, staticSizes);
  temporaries.push_back(memref::AllocOp::create(
      rewriter, loc, MemRefType::get(staticSizes, element), dynamicSizes));
  return {temporaries.back(), letters.str()};
}

Lettered DefinitionBuilder::makeFilled(Lettered destination, double value) {
  auto fill = linalg::FillOp::create(rewriter, loc, constant(rewriter, value),
                                     destination.value);
  return {op.hasTensorSemantics() ? fill.getResult(0) : destination.value,
          destination.letters};
}

/// The op's own destination, or a new one.
Lettered DefinitionBuilder::makeDestination(StringRef letters, Value init) {
  if (init)
    return {init, letters.str()};
  return makeEmpty(letters);
}

AffineMap DefinitionBuilder::getMap(StringRef letters, StringRef loops) {
  SmallVector<AffineExpr> exprs;
  for (char letter : letters) {
    AffineExpr expr =
        rewriter.getAffineDimExpr(loops.find(letter == 'k' ? 'h' : letter));
    exprs.push_back(letter == 'k' ? expr.floorDiv(*getConstantIntValue(group))
                                  : expr);
  }
  return AffineMap::get(loops.size(), 0, exprs, rewriter.getContext());
}

/// Whether `input` has an index that no affine map can express: a division by
/// a group that only run time knows.
bool DefinitionBuilder::isReadByIndex(const Lettered &input) {
  return StringRef(input.letters).contains('k') && !getConstantIntValue(group);
}

Value DefinitionBuilder::readByIndex(OpBuilder &builder, const Lettered &input,
                                     StringRef loops) {
  SmallVector<Value> indices;
  for (char letter : input.letters) {
    Value index = linalg::IndexOp::create(
        builder, loc, loops.find(letter == 'k' ? 'h' : letter));
    if (letter == 'k')
      index = arith::DivUIOp::create(builder, loc, index, cast<Value>(group));
    indices.push_back(index);
  }
  if (op.hasTensorSemantics())
    return tensor::ExtractOp::create(builder, loc, input.value, indices);
  return memref::LoadOp::create(builder, loc, input.value, indices);
}

/// One linalg.generic over `loops`, outermost first. A loop that the init does
/// not have is a reduction. `body` gets the elements of the inputs and of the
/// init.
Lettered DefinitionBuilder::generic(StringRef loops, ArrayRef<Lettered> inputs,
                                    Lettered init, BodyFn body) {
  SmallVector<AffineMap> maps;
  SmallVector<Value> operands;
  for (const Lettered &input : inputs) {
    if (isReadByIndex(input))
      continue;
    maps.push_back(getMap(input.letters, loops));
    operands.push_back(input.value);
  }
  maps.push_back(getMap(init.letters, loops));
  SmallVector<utils::IteratorType> iterators;
  for (char loop : loops)
    iterators.push_back(StringRef(init.letters).contains(loop)
                            ? utils::IteratorType::parallel
                            : utils::IteratorType::reduction);
  auto buildBody = [&](OpBuilder &builder, Location, ValueRange arguments) {
    SmallVector<Value> elements;
    for (const Lettered &input : inputs) {
      if (isReadByIndex(input)) {
        elements.push_back(readByIndex(builder, input, loops));
      } else {
        elements.push_back(arguments.front());
        arguments = arguments.drop_front();
      }
    }
    elements.push_back(arguments.front());
    linalg::YieldOp::create(builder, loc, body(builder, elements));
  };
  SmallVector<Type> results;
  if (op.hasTensorSemantics())
    results.push_back(init.value.getType());
  auto created = linalg::GenericOp::create(
      rewriter, loc, results, operands, init.value, maps, iterators, buildBody);
  return {op.hasTensorSemantics() ? created.getResult(0) : init.value,
          init.letters};
}

/// exp(score - rowMax). A row without visible keys has maximum -inf, and
/// -inf - -inf would be NaN: there the maximum is taken as 0.
Value DefinitionBuilder::expOfDifference(OpBuilder &builder, Value score,
                                         Value rowMax) {
  Value isEmpty = equals(builder, rowMax, -kInfinity);
  Value zero = constant(builder, 0.0);
  Value shift = arith::SelectOp::create(builder, loc, isEmpty, zero, rowMax);
  Value difference = arith::SubFOp::create(builder, loc, score, shift);
  return math::ExpOp::create(builder, loc, difference);
}

//===----------------------------------------------------------------------===//
// Transformation
//===----------------------------------------------------------------------===//

/// The scale as a value of the element type: the attribute, or 1/sqrt(D).
Value DefinitionBuilder::buildScale() {
  if (std::optional<APFloat> scale = op.getScale())
    return constant(rewriter, scale->convertToDouble());
  if (std::optional<int64_t> headDim = getConstantIntValue(sizes['d']))
    return constant(rewriter, 1.0 / std::sqrt(double(*headDim)));
  Value headDim = arith::IndexCastOp::create(
      rewriter, loc, rewriter.getI64Type(), cast<Value>(sizes['d']));
  Type f64 = rewriter.getF64Type();
  Value root = math::SqrtOp::create(
      rewriter, loc, arith::SIToFPOp::create(rewriter, loc, f64, headDim));
  Value one =
      arith::ConstantOp::create(rewriter, loc, rewriter.getF64FloatAttr(1.0));
  Value scale = arith::DivFOp::create(rewriter, loc, one, root);
  if (element.isF64())
    return scale;
  return arith::TruncFOp::create(rewriter, loc, element, scale);
}

/// sum over d of Q * K.
Lettered DefinitionBuilder::buildScores() {
  return generic(
      "bhijd", {query, key}, makeFilled(makeEmpty("bhij"), 0.0),
      [&](OpBuilder &builder, ValueRange elements) -> Value {
        Value product =
            arith::MulFOp::create(builder, loc, elements[0], elements[1]);
        return arith::AddFOp::create(builder, loc, elements[2], product);
      });
}

/// Whether key j is visible to query i, inside a generic over `loops`; null
/// when every key is.
Value DefinitionBuilder::buildVisible(OpBuilder &builder, StringRef loops) {
  auto index = [&](char loop) -> Value {
    return linalg::IndexOp::create(builder, loc, loops.find(loop));
  };
  auto size = [&](char loop) {
    return getValueOrCreateConstantIndexOp(builder, loc, sizes[loop]);
  };
  return buildVisibility(
      builder, loc, op,
      {index('b'), index('i'), index('j'), size('i'), size('j')});
}

/// The scaled scores, -inf where a key is hidden.
Lettered DefinitionBuilder::buildMasked(Lettered scores) {
  Value scale = buildScale();
  StringRef loops = "bhij";
  return generic(
      loops, {}, scores, [&](OpBuilder &builder, ValueRange elements) -> Value {
        Value score = arith::MulFOp::create(builder, loc, elements[0], scale);
        Value visible = buildVisible(builder, loops);
        if (!visible)
          return score;
        return arith::SelectOp::create(builder, loc, visible, score,
                                       constant(builder, -kInfinity));
      });
}

Lettered DefinitionBuilder::buildRowMax(Lettered masked) {
  return generic("bhij", {masked}, makeFilled(makeEmpty("bhi"), -kInfinity),
                 [&](OpBuilder &builder, ValueRange elements) -> Value {
                   return arith::MaximumFOp::create(builder, loc, elements[1],
                                                    elements[0]);
                 });
}

/// exp(S - max), 0 where a key is hidden.
Lettered DefinitionBuilder::buildWeights(Lettered masked, Lettered rowMax) {
  return generic("bhij", {masked, rowMax}, makeEmpty("bhij"),
                 [&](OpBuilder &builder, ValueRange elements) -> Value {
                   return expOfDifference(builder, elements[0], elements[1]);
                 });
}

Lettered DefinitionBuilder::buildRowSum(Lettered weights) {
  return generic("bhij", {weights}, makeFilled(makeEmpty("bhi"), 0.0),
                 [&](OpBuilder &builder, ValueRange elements) -> Value {
                   return arith::AddFOp::create(builder, loc, elements[1],
                                                elements[0]);
                 });
}

/// (sum over visible j of weight * V) / (sum over j of weight); 0 in a row
/// without visible keys. Hidden keys are selected away: 0 * NaN is NaN.
/// Dividing last makes the average of equal values that value, exactly.
Lettered DefinitionBuilder::buildOutput(Lettered weights, Lettered masked,
                                        Lettered rowSum) {
  std::string letters =
      getLetters(op.getOutputLayout().getAxes(), 'h', 'i', 'n');
  Lettered init = makeDestination(letters, op.getOutputInit());
  Lettered weighted = generic(
      "bhijn", {weights, masked, value}, makeFilled(init, 0.0),
      [&](OpBuilder &builder, ValueRange elements) -> Value {
        Value product =
            arith::MulFOp::create(builder, loc, elements[0], elements[2]);
        Value isHidden = equals(builder, elements[1], -kInfinity);
        Value zero = constant(builder, 0.0);
        Value term =
            arith::SelectOp::create(builder, loc, isHidden, zero, product);
        return arith::AddFOp::create(builder, loc, elements[3], term);
      });
  return generic(
      "bhin", {rowSum}, weighted,
      [&](OpBuilder &builder, ValueRange elements) -> Value {
        Value isEmpty = equals(builder, elements[0], 0.0);
        Value one = constant(builder, 1.0);
        Value divisor =
            arith::SelectOp::create(builder, loc, isEmpty, one, elements[0]);
        return arith::DivFOp::create(builder, loc, elements[1], divisor);
      });
}

/// max + log(sum); -inf in a row without visible keys.
Lettered DefinitionBuilder::buildLse(Lettered rowMax, Lettered rowSum) {
  return generic("bhi", {rowMax, rowSum},
                 makeDestination("bhi", op.getLseInit()),
                 [&](OpBuilder &builder, ValueRange elements) -> Value {
                   Value log = math::LogOp::create(builder, loc, elements[1]);
                   return arith::AddFOp::create(builder, loc, elements[0], log);
                 });
}

/// A value in the type of a result, which may know less, or more, than the
/// operands; unchanged on memrefs.
Value DefinitionBuilder::asResult(Value value, Value result) {
  if (!result || value.getType() == result.getType())
    return value;
  return tensor::CastOp::create(rewriter, loc, result.getType(), value);
}

/// Without query heads the results have no element, and a group has no size.
std::pair<Value, Value> DefinitionBuilder::buildEmpty() {
  std::string letters =
      getLetters(op.getOutputLayout().getAxes(), 'h', 'i', 'n');
  Value output = asResult(makeDestination(letters, op.getOutputInit()).value,
                          op.getOutput());
  if (!hasLse())
    return {output, Value()};
  return {output,
          asResult(makeDestination("bhi", op.getLseInit()).value, op.getLse())};
}

std::pair<Value, Value> DefinitionBuilder::build() {
  if (getConstantIntValue(sizes['h']) == 0)
    return buildEmpty();
  group = buildGroup();
  Lettered masked = buildMasked(buildScores());
  Lettered rowMax = buildRowMax(masked);
  Lettered weights = buildWeights(masked, rowMax);
  Lettered rowSum = buildRowSum(weights);
  Value output =
      asResult(buildOutput(weights, masked, rowSum).value, op.getOutput());
  if (!hasLse())
    return {output, Value()};
  return {output, asResult(buildLse(rowMax, rowSum).value, op.getLse())};
}

void mlir::mha::convertMHAToLinalg(RewriterBase &rewriter, AttentionOp op,
                                   bool freeTemporaries) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  DefinitionBuilder builder(rewriter, op);
  auto [output, lse] = builder.build();
  if (freeTemporaries)
    for (Value temporary : builder.getTemporaries())
      memref::DeallocOp::create(rewriter, op.getLoc(), temporary);
  SmallVector<Value> results;
  if (op.getOutput())
    results.push_back(output);
  if (op.getLse())
    results.push_back(lse);
  rewriter.replaceOp(op, results);
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// What the planner has left behind, if it has run.
static std::string explainUnfused(AttentionOp op) {
  if (auto reason = op->getAttrOfType<StringAttr>(kNoScheduleAttrName))
    return reason.str();
  return op.getSchedule() ? "its schedule is not asked for"
                          : "no schedule was planned for it";
}

static void remarkUnfused(AttentionOp op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  remark::missed(op.getLoc(), remark::RemarkOpts::name("computed-by-definition")
                                  .category(DEBUG_TYPE)
                                  .function(function ? function.getName() : ""))
      << remark::reason("{0}", explainUnfused(op));
}

namespace {
struct ConvertMHAToLinalgPass
    : mha::impl::ConvertMHAToLinalgPassBase<ConvertMHAToLinalgPass> {
  using ConvertMHAToLinalgPassBase::ConvertMHAToLinalgPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](AttentionOp op) {
      if (unscheduledOnly && op.getSchedule())
        return;
      remarkUnfused(op);
      convertMHAToLinalg(rewriter, op, freeTemporaries);
      ++numConverted;
    });
  }
};
} // namespace
