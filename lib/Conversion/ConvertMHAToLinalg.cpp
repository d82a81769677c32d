//===- ConvertMHAToLinalg.cpp - Attention by its definition ---------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The definition of attention and of its partial states as linalg ops, to be
// read beside the formulas in the descriptions of the ops. Exact, and untiled:
// readable before fast. Letters of loops are those of LetteredLoops.h.
//
//===----------------------------------------------------------------------===//

#include "AttentionScores.h"
#include "Projections.h"
#include "RotaryEmbedding.h"

#include "mha/Conversion/Conversions.h"
#include "mha/Conversion/Passes.h"
#include "mha/IR/MHA.h"
#include "mha/Support/PositionalBias.h"
#include "mha/Support/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#define DEBUG_TYPE "convert-mha-to-linalg"

namespace mlir::mha {
#define GEN_PASS_DEF_CONVERTMHATOLINALGPASS
#include "mha/Conversion/Passes.h.inc"
} // namespace mlir::mha

using namespace mlir;
using namespace mlir::mha;

//===----------------------------------------------------------------------===//
// The closed form
//===----------------------------------------------------------------------===//

namespace {
/// Builds the ops of one attention.
class DefinitionBuilder : public ScoresBuilder {
public:
  DefinitionBuilder(OpBuilder &builder, AttentionOp op)
      : ScoresBuilder(builder, op), op(op) {}

  /// Emits everything; returns the values of the results.
  SmallVector<Value> build();

private:
  bool hasLse() { return op.getLse() || op.getLseInit(); }
  Lettered makeDestination(StringRef letters, Value init, Type element);
  Value asResult(Value value, Value result);
  SmallVector<Value> getResults(Lettered output, Lettered lse);
  Lettered buildSink();
  Lettered addSinkToMax(Lettered rowMax);
  Lettered addSinkToSum(Lettered rowSum, Lettered rowMax);
  Lettered buildOutput(Lettered weights, Lettered masked, Lettered keysMax,
                       Lettered divisor);

  AttentionOp op;
};
} // namespace

/// The op's own destination, or a new one of the element type of the result.
Lettered DefinitionBuilder::makeDestination(StringRef letters, Value init,
                                            Type element) {
  if (init)
    return {init, letters.str()};
  return makeEmpty(letters, element);
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
  return generic("bhi", {buildSink(), rowMax}, makeEmpty("bhi"),
                 [&](OpBuilder &builder, ValueRange elements) -> Value {
                   return arith::MaximumFOp::create(builder, loc, elements[1],
                                                    elements[0]);
                 });
}

/// The sums that divide, beside those of the keys' weights alone.
Lettered DefinitionBuilder::addSinkToSum(Lettered rowSum, Lettered rowMax) {
  return generic(
      "bhi", {buildSink(), rowMax, rowSum}, makeEmpty("bhi"),
      [&](OpBuilder &builder, ValueRange elements) -> Value {
        Value weight = expOfDifference(builder, elements[0], elements[1]);
        return arith::AddFOp::create(builder, loc, elements[2], weight);
      });
}

/// The weighted sum divided by the sum of weights; 0 in a row without visible
/// keys, whatever its sink is. Dividing last spares a division for each weight.
Lettered DefinitionBuilder::buildOutput(Lettered weights, Lettered masked,
                                        Lettered keysMax, Lettered divisor) {
  LayoutAttr layout = op.getOutputLayout();
  std::string letters = getLetters(layout.getAxes(), 'h', 'i', 'n');
  auto element = cast<FloatType>(getElementTypeOrSelf(op.getQuery()));
  Lettered output = makeDestination(letters, op.getOutputInit(), element);
  // Elements: maximum of the keys' scores, divisor, weighted sum.
  auto divide = [&](OpBuilder &builder, ValueRange elements) -> Value {
    Value isEmpty = equals(builder, elements[0], -kInfinity);
    Value one = constant(builder, 1.0);
    Value safe =
        arith::SelectOp::create(builder, loc, isEmpty, one, elements[1]);
    Value quotient = arith::DivFOp::create(builder, loc, elements[2], safe);
    return buildFloatCast(builder, loc, quotient, element);
  };
  // Sums are formed where the output will be, if they fit there.
  if (element == compute && !layout.splitsHeads())
    return generic("bhin", {keysMax, divisor},
                   addWeighted(makeFilled(output, 0.0), weights, masked),
                   divide);
  Lettered weighted =
      addWeighted(makeFilled(makeEmpty("bhin"), 0.0), weights, masked);
  return generic(layout.splitsHeads() ? "bkgin" : "bhin",
                 {keysMax, divisor, weighted}, output, divide);
}

/// A value in the type of a result, which may know less, or more, than the
/// operands; unchanged on memrefs.
Value DefinitionBuilder::asResult(Value value, Value result) {
  if (!result || value.getType() == result.getType())
    return value;
  return tensor::CastOp::create(builder, loc, result.getType(), value);
}

SmallVector<Value> DefinitionBuilder::getResults(Lettered output,
                                                 Lettered lse) {
  SmallVector<Value> results;
  if (op.getOutput())
    results.push_back(asResult(output.value, op.getOutput()));
  if (op.getLse())
    results.push_back(asResult(lse.value, op.getLse()));
  return results;
}

SmallVector<Value> DefinitionBuilder::build() {
  // Without query heads the results have no element, and a group has no size.
  if (getConstantIntValue(sizes['h']) == 0) {
    std::string letters =
        getLetters(op.getOutputLayout().getAxes(), 'h', 'i', 'n');
    Type element = getElementTypeOrSelf(op.getQuery());
    return getResults(makeDestination(letters, op.getOutputInit(), element),
                      hasLse()
                          ? makeDestination("bhi", op.getLseInit(), compute)
                          : Lettered());
  }
  Lettered masked = buildMasked();
  Lettered keysMax = buildRowMax(masked);
  Lettered rowMax = op.getSink() ? addSinkToMax(keysMax) : keysMax;
  Lettered weights = buildWeights(masked, rowMax);
  Lettered rowSum = addWeights(makeFilled(makeEmpty("bhi"), 0.0), weights);
  Lettered divisor = op.getSink() ? addSinkToSum(rowSum, rowMax) : rowSum;
  Lettered output = buildOutput(weights, masked, keysMax, divisor);
  return getResults(
      output, hasLse()
                  ? buildLse(rowMax, divisor,
                             makeDestination("bhi", op.getLseInit(), compute))
                  : Lettered());
}

//===----------------------------------------------------------------------===//
// Partial states
//===----------------------------------------------------------------------===//

namespace {
class OnlineBuilder : public ScoresBuilder {
public:
  OnlineBuilder(OpBuilder &builder, OnlineAttentionOp op)
      : ScoresBuilder(builder, op), state{{op.getAcc(), "bhin"},
                                          {op.getRowMax(), "bhi"},
                                          {op.getRowSum(), "bhi"}} {}

  SmallVector<Value> build();

private:
  State state;
};

class MergeBuilder : public LoopBuilder {
public:
  MergeBuilder(OpBuilder &builder, MergeOp op);

  SmallVector<Value> build();

private:
  Lettered addParts(StringRef loops, Lettered summands, Lettered weights,
                    Lettered init);

  State parts, state;
};

class FinalizeBuilder : public LoopBuilder {
public:
  FinalizeBuilder(OpBuilder &builder, FinalizeOp op);

  SmallVector<Value> build();

private:
  void addSink();
  Lettered buildOutput();

  FinalizeOp op;
  State state;
  /// What divides the sum of weighted values, and what that is multiplied with
  /// before, where there is a sink.
  Lettered divisor, factor;
};
} // namespace

SmallVector<Value> OnlineBuilder::build() {
  // Without query heads there is nothing to do, and a group has no size.
  if (getConstantIntValue(sizes['h']) == 0)
    return state.getValues();
  Lettered masked = buildMasked();
  Lettered blockMax = buildRowMax(masked);
  Lettered decay = raiseMax(state, blockMax);
  Lettered weights = buildWeights(masked, state.rowMax);
  // Both sums in one order, so that a row of equal values comes back as that
  // value.
  state.rowSum = addWeights(multiply("bhi", decay, state.rowSum), weights);
  state.acc = addWeighted(multiply("bhin", decay, state.acc), weights, masked);
  return state.getValues();
}

MergeBuilder::MergeBuilder(OpBuilder &builder, MergeOp op)
    : LoopBuilder(builder, op.getLoc(),
                  cast<FloatType>(getElementTypeOrSelf(op.getAcc())),
                  op.hasTensorSemantics()),
      parts{{op.getPartsAcc(), "pbhin"},
            {op.getPartsMax(), "pbhi"},
            {op.getPartsSum(), "pbhi"}},
      state{{op.getAcc(), "bhin"},
            {op.getRowMax(), "bhi"},
            {op.getRowSum(), "bhi"}} {
  learnSizes(parts.acc);
}

/// `init` and the sum over p of weights[p] * parts[p], without the parts that
/// have met no visible key.
Lettered MergeBuilder::addParts(StringRef loops, Lettered summands,
                                Lettered weights, Lettered init) {
  return generic(
      loops, {summands, weights, parts.rowMax}, init,
      [&](OpBuilder &builder, ValueRange elements) -> Value {
        Value product =
            arith::MulFOp::create(builder, loc, elements[1], elements[0]);
        Value isEmpty = equals(builder, elements[2], -kInfinity);
        Value term = arith::SelectOp::create(builder, loc, isEmpty,
                                             constant(builder, 0.0), product);
        return arith::AddFOp::create(builder, loc, elements[3], term);
      });
}

SmallVector<Value> MergeBuilder::build() {
  Lettered partMax =
      generic("pbhi", {parts.rowMax}, makeFilled(makeEmpty("bhi"), -kInfinity),
              [&](OpBuilder &builder, ValueRange elements) -> Value {
                return arith::MaximumFOp::create(builder, loc, elements[1],
                                                 elements[0]);
              });
  Lettered decay = raiseMax(state, partMax);
  Lettered weights =
      generic("pbhi", {parts.rowMax, state.rowMax}, makeEmpty("pbhi"),
              [&](OpBuilder &builder, ValueRange elements) -> Value {
                return expOfDifference(builder, elements[0], elements[1]);
              });
  state.rowSum = addParts("pbhi", parts.rowSum, weights,
                          multiply("bhi", decay, state.rowSum));
  state.acc =
      addParts("pbhin", parts.acc, weights, multiply("bhin", decay, state.acc));
  return state.getValues();
}

FinalizeBuilder::FinalizeBuilder(OpBuilder &builder, FinalizeOp op)
    : LoopBuilder(builder, op.getLoc(),
                  cast<FloatType>(getElementTypeOrSelf(op.getAcc())),
                  op.hasTensorSemantics()),
      op(op), state{{op.getAcc(), "bhin"},
                    {op.getRowMax(), "bhi"},
                    {op.getRowSum(), "bhi"}} {
  learnSizes(state.acc);
}

/// A sink is one more key, of the value 0: it may be the largest one.
void FinalizeBuilder::addSink() {
  Lettered sink{op.getSink(), "h"}, oldMax = state.rowMax;
  state.rowMax = generic("bhi", {oldMax, sink}, makeEmpty("bhi"),
                         [&](OpBuilder &builder, ValueRange elements) -> Value {
                           return arith::MaximumFOp::create(
                               builder, loc, elements[0], elements[1]);
                         });
  factor = generic("bhi", {oldMax, state.rowMax}, makeEmpty("bhi"),
                   [&](OpBuilder &builder, ValueRange elements) -> Value {
                     return expOfDifference(builder, elements[0], elements[1]);
                   });
  divisor = generic(
      "bhi", {state.rowSum, factor, sink, state.rowMax}, makeEmpty("bhi"),
      [&](OpBuilder &builder, ValueRange elements) -> Value {
        Value ofKeys =
            arith::MulFOp::create(builder, loc, elements[0], elements[1]);
        Value ofSink = expOfDifference(builder, elements[2], elements[3]);
        return arith::AddFOp::create(builder, loc, ofKeys, ofSink);
      });
}

/// acc / divisor; 0 where no key was visible, whatever the sink is.
Lettered FinalizeBuilder::buildOutput() {
  LayoutAttr layout = op.getOutputLayout();
  Lettered output{op.getOutputInit(),
                  getLetters(layout.getAxes(), 'h', 'i', 'n')};
  learnSizes(output);
  SmallVector<Lettered> inputs{state.rowSum, divisor, state.acc};
  if (op.getSink())
    inputs.push_back(factor);
  return generic(
      layout.splitsHeads() ? "bkgin" : "bhin", inputs, output,
      [&](OpBuilder &builder, ValueRange elements) -> Value {
        Value weighted = elements[2];
        if (op.getSink())
          weighted = arith::MulFOp::create(builder, loc, weighted, elements[3]);
        Value quotient =
            arith::DivFOp::create(builder, loc, weighted, elements[1]);
        Value isEmpty = equals(builder, elements[0], 0.0);
        Value zero = constant(builder, 0.0);
        Value result =
            arith::SelectOp::create(builder, loc, isEmpty, zero, quotient);
        return buildFloatCast(
            builder, loc, result,
            cast<FloatType>(getElementTypeOrSelf(output.value)));
      });
}

SmallVector<Value> FinalizeBuilder::build() {
  divisor = state.rowSum;
  if (op.getSink())
    addSink();
  SmallVector<Value> results{buildOutput().value};
  if (op.getLseInit())
    results.push_back(
        buildLse(state.rowMax, divisor, {op.getLseInit(), "bhi"}).value);
  return results;
}

//===----------------------------------------------------------------------===//
// What surrounds attention
//===----------------------------------------------------------------------===//

namespace {
class RepeatKVBuilder : public LoopBuilder {
public:
  RepeatKVBuilder(OpBuilder &builder, RepeatKVOp op)
      : LoopBuilder(builder, op.getLoc(), getComputeType(op.getInput()),
                    op.hasTensorSemantics()),
        op(op) {}

  SmallVector<Value> build();

private:
  RepeatKVOp op;
};
} // namespace

SmallVector<Value> RepeatKVBuilder::build() {
  std::string axes = op.getLayout().getAxes().str();
  Lettered input{op.getInput(), getLetters(axes, 'k', 's', 'd')};
  Lettered output{op.getOutputInit(), axes};
  learnSizes(output);
  sizes['g'] = builder.getIndexAttr(op.getTimes());
  auto element = cast<FloatType>(getElementTypeOrSelf(output.value));
  Lettered repeated =
      generic(axes, {input}, output,
              [&](OpBuilder &builder, ValueRange elements) -> Value {
                return buildFloatCast(builder, loc, elements[0], element);
              });
  return {repeated.value};
}

//===----------------------------------------------------------------------===//
// Transformation
//===----------------------------------------------------------------------===//

template <typename Builder, typename Op>
static void convert(RewriterBase &rewriter, Op op, bool freeTemporaries) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Builder builder(rewriter, op);
  SmallVector<Value> results = builder.build();
  if (freeTemporaries)
    for (Value temporary : builder.getTemporaries())
      memref::DeallocOp::create(rewriter, op.getLoc(), temporary);
  // On memrefs everything is in its place.
  if (op->getNumResults() == 0)
    return rewriter.eraseOp(op);
  rewriter.replaceOp(op, results);
}

LogicalResult mlir::mha::convertMHAToLinalg(RewriterBase &rewriter,
                                            Operation *op,
                                            bool freeTemporaries) {
  if (auto attention = dyn_cast<AttentionOp>(op))
    convert<DefinitionBuilder>(rewriter, attention, freeTemporaries);
  else if (auto online = dyn_cast<OnlineAttentionOp>(op))
    convert<OnlineBuilder>(rewriter, online, freeTemporaries);
  else if (auto merge = dyn_cast<MergeOp>(op))
    convert<MergeBuilder>(rewriter, merge, freeTemporaries);
  else if (auto finalize = dyn_cast<FinalizeOp>(op))
    convert<FinalizeBuilder>(rewriter, finalize, freeTemporaries);
  else if (auto projection = dyn_cast<ProjectionOp>(op))
    convert<ProjectionBuilder>(rewriter, projection, freeTemporaries);
  else if (auto packed = dyn_cast<QKVProjectionOp>(op))
    convert<ProjectionBuilder>(rewriter, packed, freeTemporaries);
  else if (auto rotary = dyn_cast<RotaryEmbeddingOp>(op))
    convert<RotaryBuilder>(rewriter, rotary, freeTemporaries);
  else if (auto repeat = dyn_cast<RepeatKVOp>(op))
    convert<RepeatKVBuilder>(rewriter, repeat, freeTemporaries);
  else
    return rewriter.notifyMatchFailure(op, "has no definition in linalg ops");
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct ConvertMHAToLinalgPass
    : mha::impl::ConvertMHAToLinalgPassBase<ConvertMHAToLinalgPass> {
  using ConvertMHAToLinalgPassBase::ConvertMHAToLinalgPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](Operation *op) {
      if (auto attention = dyn_cast<AttentionOp>(op)) {
        if (unscheduledOnly && attention.getSchedule())
          return;
        remarkUnfused(attention, DEBUG_TYPE, "computed-by-definition");
      }
      if (succeeded(convertMHAToLinalg(rewriter, op, freeTemporaries)))
        ++numConverted;
    });
  }
};
} // namespace
