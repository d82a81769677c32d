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
// contraction reads like an einsum. The letters k and g, the key/value head of
// a query head and its place in the group, stand for h floordiv G and h mod G
// where they are no loops, so that grouped keys and values are read in place; 1
// is a dimension that is not walked along.
//
//===----------------------------------------------------------------------===//

#include "mha/Conversion/Conversions.h"
#include "mha/Conversion/Passes.h"
#include "mha/IR/AttentionDims.h"
#include "mha/IR/MHA.h"
#include "mha/Support/PositionalBias.h"
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

  Lettered makeEmpty(StringRef letters, Type element = {});
  Lettered makeFilled(Lettered destination, double value);
  Lettered makeDestination(StringRef letters, Value init, Type element);
  AffineExpr getExpr(char letter, StringRef loops);
  AffineMap getMap(StringRef letters, StringRef loops);
  bool isReadByIndex(const Lettered &input, StringRef loops);
  Value buildIndex(OpBuilder &builder, char letter, StringRef loops);
  Value readByIndex(OpBuilder &builder, const Lettered &input, StringRef loops);
  Lettered generic(StringRef loops, ArrayRef<Lettered> inputs, Lettered init,
                   BodyFn body);

  bool hasLse() { return op.getLse() || op.getLseInit(); }
  Value asResult(Value value, Value result);
  std::pair<Value, Value> buildEmpty();
  Lettered getDenseMask();
  Value buildDenselyMasked(OpBuilder &builder, Value score, Value mask);
  QueryKeyPair getPair(OpBuilder &builder, StringRef loops);
  Value buildScale();
  Value buildCapped(OpBuilder &builder, Value score);
  Value buildBiased(OpBuilder &builder, Value score, StringRef loops);
  Lettered buildScores();
  Lettered buildMasked(Lettered scores);
  Lettered buildRowMax(Lettered masked);
  Lettered buildSink();
  Lettered addSinkToMax(Lettered rowMax);
  Lettered addSinkToSum(Lettered rowSum, Lettered rowMax);
  Lettered buildWeights(Lettered masked, Lettered rowMax);
  Lettered buildRowSum(Lettered weights);
  Lettered buildWeighted(Lettered init, Lettered weights, Lettered masked);
  Lettered buildOutput(Lettered weights, Lettered masked, Lettered rowSum,
                       Lettered divisor);
  Lettered buildLse(Lettered rowMax, Lettered rowSum);

  Value constant(OpBuilder &builder, double value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(compute, value));
  }
  Value equals(OpBuilder &builder, Value lhs, double rhs) {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, lhs,
                                 constant(builder, rhs));
  }
  Value expOfDifference(OpBuilder &builder, Value score, Value rowMax);

  RewriterBase &rewriter;
  AttentionOp op;
  Location loc;
  /// Of everything between the operands and the results.
  FloatType compute;
  /// Size of each loop, by its letter; g is the group.
  llvm::SmallDenseMap<char, OpFoldResult> sizes;
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
      compute(op.getComputeType()) {
  StringRef queryAxes = op.getQueryLayout().getAxes();
  StringRef keyAxes = op.getKeyLayout().getAxes();
  StringRef valueAxes = op.getValueLayout().getAxes();
  query = {op.getQuery(), getLetters(queryAxes, 'h', 'i', 'd')};
  key = {op.getKey(), getLetters(keyAxes, 'k', 'j', 'd')};
  value = {op.getValue(), getLetters(valueAxes, 'k', 'j', 'n')};

  if (op.sharesKeysInBatch())
    for (Lettered *shared : {&key, &value})
      llvm::replace(shared->letters, 'b', '1');

  auto sizeOf = [&](int64_t known, char axis) -> OpFoldResult {
    if (!ShapedType::isDynamic(known))
      return rewriter.getIndexAttr(known);
    return getMixedOutputSize(rewriter, loc, op, axis);
  };
  AttentionDims dims = AttentionDims::get(op);
  sizes['b'] = sizeOf(dims.batch, 'b');
  sizes['h'] = sizeOf(dims.numQueryHeads, 'h');
  sizes['i'] = sizeOf(dims.queryLen, 's');
  sizes['n'] = sizeOf(dims.valueDim, 'd');
  sizes['d'] =
      getMixedAxisSize(rewriter, loc, op.getQuery(), op.getQueryLayout(), 'd');
  if (!ShapedType::isDynamic(dims.headDim))
    sizes['d'] = rewriter.getIndexAttr(dims.headDim);
  sizes['j'] =
      ShapedType::isDynamic(dims.keyLen)
          ? getMixedAxisSize(rewriter, loc, op.getKey(), op.getKeyLayout(), 's')
          : OpFoldResult(rewriter.getIndexAttr(dims.keyLen));
}

/// A tensor, or on memrefs a new buffer, with nothing in it; of the type of
/// computation unless told otherwise.
Lettered DefinitionBuilder::makeEmpty(StringRef letters, Type element) {
  if (!element)
    element = compute;
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

/// The op's own destination, or a new one of the element type of the result.
Lettered DefinitionBuilder::makeDestination(StringRef letters, Value init,
                                            Type element) {
  if (init)
    return {init, letters.str()};
  return makeEmpty(letters, element);
}

/// The index that `letter` stands for in terms of `loops`; the group is static
/// where it is needed.
AffineExpr DefinitionBuilder::getExpr(char letter, StringRef loops) {
  if (letter == '1')
    return rewriter.getAffineConstantExpr(0);
  auto loop = [&](char name) {
    return rewriter.getAffineDimExpr(loops.find(name));
  };
  if (loops.contains(letter))
    return loop(letter);
  int64_t group = *getConstantIntValue(sizes['g']);
  if (letter == 'h')
    return loop('k') * group + loop('g');
  return letter == 'k' ? loop('h').floorDiv(group) : loop('h') % group;
}

AffineMap DefinitionBuilder::getMap(StringRef letters, StringRef loops) {
  SmallVector<AffineExpr> exprs;
  for (char letter : letters)
    exprs.push_back(getExpr(letter, loops));
  return AffineMap::get(loops.size(), 0, exprs, rewriter.getContext());
}

/// Whether `input` has an index that no affine map can express: one by a group
/// that only run time knows.
bool DefinitionBuilder::isReadByIndex(const Lettered &input, StringRef loops) {
  return !getConstantIntValue(sizes['g']) &&
         llvm::any_of(input.letters, [&](char letter) {
           return letter != '1' && !loops.contains(letter);
         });
}

/// The index that `letter` stands for inside a generic over `loops`.
Value DefinitionBuilder::buildIndex(OpBuilder &builder, char letter,
                                    StringRef loops) {
  if (letter == '1')
    return arith::ConstantIndexOp::create(builder, loc, 0);
  auto loop = [&](char name) -> Value {
    return linalg::IndexOp::create(builder, loc, loops.find(name));
  };
  if (loops.contains(letter))
    return loop(letter);
  Value group = getValueOrCreateConstantIndexOp(builder, loc, sizes['g']);
  if (letter == 'h')
    return arith::AddIOp::create(
        builder, loc, arith::MulIOp::create(builder, loc, loop('k'), group),
        loop('g'));
  if (letter == 'k')
    return arith::DivUIOp::create(builder, loc, loop('h'), group);
  return arith::RemUIOp::create(builder, loc, loop('h'), group);
}

Value DefinitionBuilder::readByIndex(OpBuilder &builder, const Lettered &input,
                                     StringRef loops) {
  SmallVector<Value> indices;
  for (char letter : input.letters)
    indices.push_back(buildIndex(builder, letter, loops));
  if (op.hasTensorSemantics())
    return tensor::ExtractOp::create(builder, loc, input.value, indices);
  return memref::LoadOp::create(builder, loc, input.value, indices);
}

/// One linalg.generic over `loops`, outermost first. A loop that the init does
/// not have is a reduction. `body` gets the elements of the inputs, floats in
/// the type of computation, and of the init.
Lettered DefinitionBuilder::generic(StringRef loops, ArrayRef<Lettered> inputs,
                                    Lettered init, BodyFn body) {
  SmallVector<AffineMap> maps;
  SmallVector<Value> operands;
  for (const Lettered &input : inputs) {
    if (isReadByIndex(input, loops))
      continue;
    maps.push_back(getMap(input.letters, loops));
    operands.push_back(input.value);
  }
  // A loop whose operands are all read by index takes its size from an operand
  // that nobody reads.
  std::string walked = init.letters;
  for (const Lettered &input : inputs)
    if (!isReadByIndex(input, loops))
      walked += input.letters;
  size_t numRead = operands.size();
  for (char loop : loops) {
    if (StringRef(walked).contains(loop))
      continue;
    Lettered size = makeEmpty(StringRef(&loop, 1));
    maps.push_back(getMap(size.letters, loops));
    operands.push_back(size.value);
  }
  size_t numUnread = operands.size() - numRead;
  maps.push_back(getMap(init.letters, loops));
  SmallVector<utils::IteratorType> iterators;
  for (char loop : loops)
    iterators.push_back(StringRef(init.letters).contains(loop)
                            ? utils::IteratorType::parallel
                            : utils::IteratorType::reduction);
  auto buildBody = [&](OpBuilder &builder, Location, ValueRange arguments) {
    SmallVector<Value> elements;
    for (const Lettered &input : inputs) {
      Value element;
      if (isReadByIndex(input, loops)) {
        element = readByIndex(builder, input, loops);
      } else {
        element = arguments.front();
        arguments = arguments.drop_front();
      }
      if (isa<FloatType>(element.getType()))
        element = buildFloatCast(builder, loc, element, compute);
      elements.push_back(element);
    }
    elements.push_back(arguments.drop_front(numUnread).front());
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

/// The scale as a value of the type of computation: what is given, or
/// 1/sqrt(D).
Value DefinitionBuilder::buildScale() {
  if (Value scale = op.getScaleValue())
    return buildFloatCast(rewriter, loc, scale, compute);
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
  return buildFloatCast(rewriter, loc, scale, compute);
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

/// Query and key of a step of a generic over `loops`.
QueryKeyPair DefinitionBuilder::getPair(OpBuilder &builder, StringRef loops) {
  auto index = [&](char loop) -> Value {
    return linalg::IndexOp::create(builder, loc, loops.find(loop));
  };
  auto size = [&](char loop) {
    return getValueOrCreateConstantIndexOp(builder, loc, sizes[loop]);
  };
  return {index('b'), index('i'), index('j'), size('i'), size('j')};
}

/// cap * tanh(score / cap).
Value DefinitionBuilder::buildCapped(OpBuilder &builder, Value score) {
  std::optional<APFloat> softcap = op.getSoftcap();
  if (!softcap)
    return score;
  Value cap = constant(builder, softcap->convertToDouble());
  Value tanh = math::TanhOp::create(
      builder, loc, arith::DivFOp::create(builder, loc, score, cap));
  return arith::MulFOp::create(builder, loc, cap, tanh);
}

Value DefinitionBuilder::buildBiased(OpBuilder &builder, Value score,
                                     StringRef loops) {
  if (!op.getBiasAttr())
    return score;
  Value head = linalg::IndexOp::create(builder, loc, loops.find('h'));
  Value bias =
      buildPositionalBias(builder, loc, op, head, getPair(builder, loops));
  return arith::AddFOp::create(builder, loc, score, bias);
}

/// The dense mask, whose dimensions are the last ones of (b, h, i, j); it is
/// not walked along those of size 1.
Lettered DefinitionBuilder::getDenseMask() {
  auto type = cast<ShapedType>(op.getDenseMask().getType());
  std::string letters = StringRef("bhij").take_back(type.getRank()).str();
  for (auto [letter, size] : llvm::zip_equal(letters, type.getShape()))
    if (size == 1)
      letter = '1';
  return {op.getDenseMask(), letters};
}

/// -inf in a mask that is added hides a key whatever its score is: NaN - inf
/// would be NaN.
Value DefinitionBuilder::buildDenselyMasked(OpBuilder &builder, Value score,
                                            Value mask) {
  Value hidden = constant(builder, -kInfinity);
  if (mask.getType().isInteger(1))
    return arith::SelectOp::create(builder, loc, mask, score, hidden);
  Value isHidden = equals(builder, mask, -kInfinity);
  Value sum = arith::AddFOp::create(builder, loc, score, mask);
  return arith::SelectOp::create(builder, loc, isHidden, hidden, sum);
}

/// What the softmax is taken of: scores with their scale, soft cap and biases,
/// -inf where a key is hidden.
Lettered DefinitionBuilder::buildMasked(Lettered scores) {
  Value scale = buildScale();
  StringRef loops = "bhij";
  SmallVector<Lettered> masks;
  if (op.getDenseMask())
    masks.push_back(getDenseMask());
  return generic(
      loops, masks, scores,
      [&](OpBuilder &builder, ValueRange elements) -> Value {
        Value score =
            arith::MulFOp::create(builder, loc, elements.back(), scale);
        score = buildCapped(builder, score);
        score = buildBiased(builder, score, loops);
        Value hidden = constant(builder, -kInfinity);
        if (!masks.empty())
          score = buildDenselyMasked(builder, score, elements.front());
        Value visible =
            buildVisibility(builder, loc, op, getPair(builder, loops));
        if (!visible)
          return score;
        return arith::SelectOp::create(builder, loc, visible, score, hidden);
      });
}

Lettered DefinitionBuilder::buildRowMax(Lettered masked) {
  return generic("bhij", {masked}, makeFilled(makeEmpty("bhi"), -kInfinity),
                 [&](OpBuilder &builder, ValueRange elements) -> Value {
                   return arith::MaximumFOp::create(builder, loc, elements[1],
                                                    elements[0]);
                 });
}

/// The sink of each head, counted from the first head of the whole problem.
Lettered DefinitionBuilder::buildSink() {
  return generic("h", {}, makeEmpty("h"),
                 [&](OpBuilder &builder, ValueRange) -> Value {
                   Value head = linalg::IndexOp::create(builder, loc, 0);
                   return buildPerHead(builder, loc, op, op.getSink(), head);
                 });
}

/// A sink is one more score: no weight is larger than 1.
Lettered DefinitionBuilder::addSinkToMax(Lettered rowMax) {
  return generic("bhi", {buildSink()}, rowMax,
                 [&](OpBuilder &builder, ValueRange elements) -> Value {
                   return arith::MaximumFOp::create(builder, loc, elements[1],
                                                    elements[0]);
                 });
}

/// The sums that divide, beside those of the keys' weights alone.
Lettered DefinitionBuilder::addSinkToSum(Lettered rowSum, Lettered rowMax) {
  return generic("bhi", {buildSink(), rowMax, rowSum}, makeEmpty("bhi"),
                 [&](OpBuilder &builder, ValueRange elements) -> Value {
                   Value weight =
                       expOfDifference(builder, elements[0], elements[1]);
                   return arith::AddFOp::create(builder, loc, elements[2],
                                                weight);
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

/// sum over visible j of weight * V. Hidden keys are selected away: 0 * NaN is
/// NaN. A weight is rounded to the type of the values, which it meets as a
/// factor.
Lettered DefinitionBuilder::buildWeighted(Lettered init, Lettered weights,
                                          Lettered masked) {
  auto valueType = cast<FloatType>(getElementTypeOrSelf(op.getValue()));
  return generic(
      "bhijn", {weights, masked, value}, makeFilled(init, 0.0),
      [&](OpBuilder &builder, ValueRange elements) -> Value {
        Value rounded = buildFloatCast(builder, loc, elements[0], valueType);
        Value weight = buildFloatCast(builder, loc, rounded, compute);
        Value product =
            arith::MulFOp::create(builder, loc, weight, elements[2]);
        Value isHidden = equals(builder, elements[1], -kInfinity);
        Value zero = constant(builder, 0.0);
        Value term =
            arith::SelectOp::create(builder, loc, isHidden, zero, product);
        return arith::AddFOp::create(builder, loc, elements[3], term);
      });
}

/// The weighted sum divided by the sum of weights; 0 in a row without visible
/// keys, whatever its sink is. Dividing last spares a division for each weight.
Lettered DefinitionBuilder::buildOutput(Lettered weights, Lettered masked,
                                        Lettered rowSum, Lettered divisor) {
  LayoutAttr layout = op.getOutputLayout();
  std::string letters = getLetters(layout.getAxes(), 'h', 'i', 'n');
  auto element = cast<FloatType>(getElementTypeOrSelf(op.getQuery()));
  Lettered output = makeDestination(letters, op.getOutputInit(), element);
  // Elements: sum of weights, divisor, weighted sum.
  auto divide = [&](OpBuilder &builder, ValueRange elements) -> Value {
    Value isEmpty = equals(builder, elements[0], 0.0);
    Value one = constant(builder, 1.0);
    Value safe =
        arith::SelectOp::create(builder, loc, isEmpty, one, elements[1]);
    Value quotient = arith::DivFOp::create(builder, loc, elements[2], safe);
    return buildFloatCast(builder, loc, quotient, element);
  };
  // Sums are formed where the output will be, if they fit there.
  if (element == compute && !layout.splitsHeads())
    return generic("bhin", {rowSum, divisor},
                   buildWeighted(output, weights, masked), divide);
  Lettered weighted = buildWeighted(makeEmpty("bhin"), weights, masked);
  return generic(layout.splitsHeads() ? "bkgin" : "bhin",
                 {rowSum, divisor, weighted}, output, divide);
}

/// max + log(sum); -inf in a row without visible keys.
Lettered DefinitionBuilder::buildLse(Lettered rowMax, Lettered rowSum) {
  return generic("bhi", {rowMax, rowSum},
                 makeDestination("bhi", op.getLseInit(), compute),
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
  Type element = getElementTypeOrSelf(op.getQuery());
  Value output = makeDestination(letters, op.getOutputInit(), element).value;
  Value lse = hasLse() ? makeDestination("bhi", op.getLseInit(), compute).value
                       : Value();
  return {asResult(output, op.getOutput()), asResult(lse, op.getLse())};
}

std::pair<Value, Value> DefinitionBuilder::build() {
  sizes['k'] = getMixedOutputSize(rewriter, loc, op, 'k');
  sizes['g'] = getMixedOutputSize(rewriter, loc, op, 'g');
  if (getConstantIntValue(sizes['h']) == 0)
    return buildEmpty();
  // Where there are no query heads, no index is divided by 0.
  if (auto group = dyn_cast<Value>(sizes['g'])) {
    Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    sizes['g'] = rewriter.createOrFold<arith::MaxUIOp>(loc, group, one);
  }
  Lettered masked = buildMasked(buildScores());
  Lettered rowMax = buildRowMax(masked);
  if (op.getSink())
    rowMax = addSinkToMax(rowMax);
  Lettered weights = buildWeights(masked, rowMax);
  Lettered rowSum = buildRowSum(weights);
  Lettered divisor = op.getSink() ? addSinkToSum(rowSum, rowMax) : rowSum;
  Lettered output = buildOutput(weights, masked, rowSum, divisor);
  Lettered lse = hasLse() ? buildLse(rowMax, divisor) : Lettered();
  return {asResult(output.value, op.getOutput()),
          asResult(lse.value, op.getLse())};
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
