//===- ExpandFloatConversions.cpp - f16 and bf16 without instructions -----===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exact: the bits are those of IEEE 754 conversions, rounded to nearest even.
// Formats are sign, exponent and mantissa of 1, 8, 23 bits (f32), 1, 8, 7
// (bf16) and 1, 5, 10 (f16), so that most of a conversion is a shift.
//
//===----------------------------------------------------------------------===//

#include "mha/Support/CPUTarget.h"
#include "mha/Transforms/Passes.h"
#include "mha/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

#define DEBUG_TYPE "mha-expand-float-conversions"

namespace mlir::mha {
#define GEN_PASS_DEF_EXPANDFLOATCONVERSIONSPASS
#include "mha/Transforms/Passes.h.inc"
} // namespace mlir::mha

using namespace mlir;
using namespace mlir::mha;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

namespace {
/// Arithmetic on the bits of scalars or of vectors of one shape.
class BitBuilder {
public:
  BitBuilder(OpBuilder &builder, Location loc, Type shape)
      : builder(builder), loc(loc), shape(shape) {}

  /// `element`, or vectors of it.
  Type of(Type element) {
    auto vector = dyn_cast<VectorType>(shape);
    return vector ? Type(vector.clone(element)) : element;
  }
  Type bits(unsigned width) { return of(builder.getIntegerType(width)); }
  Type f32() { return of(builder.getF32Type()); }

  Value integer(int64_t value, unsigned width = 32) {
    return constant(builder.getIntegerAttr(builder.getIntegerType(width),
                                           APInt(width, value,
                                                 /*isSigned=*/false,
                                                 /*implicitTrunc=*/true)));
  }
  Value bitcast(Type type, Value value) {
    return arith::BitcastOp::create(builder, loc, type, value);
  }
  Value toF32(Value bits) { return bitcast(f32(), bits); }
  Value toBits(Value number) { return bitcast(bits(32), number); }

  Value add(Value lhs, Value rhs) {
    return arith::AddIOp::create(builder, loc, lhs, rhs);
  }
  Value add(Value lhs, int64_t rhs) { return add(lhs, integer(rhs)); }
  Value bitAnd(Value lhs, int64_t rhs) {
    return arith::AndIOp::create(builder, loc, lhs, integer(rhs));
  }
  Value bitOr(Value lhs, Value rhs) {
    return arith::OrIOp::create(builder, loc, lhs, rhs);
  }
  Value shiftRight(Value lhs, int64_t count) {
    return arith::ShRUIOp::create(builder, loc, lhs, integer(count));
  }
  Value shiftLeft(Value lhs, int64_t count) {
    return arith::ShLIOp::create(builder, loc, lhs, integer(count));
  }
  Value narrow(Value bits) {
    return arith::TruncIOp::create(builder, loc, this->bits(16), bits);
  }
  Value widen(Value bits) {
    return arith::ExtUIOp::create(builder, loc, this->bits(32), bits);
  }
  Value truncF(Type type, Value number) {
    return arith::TruncFOp::create(builder, loc, type, number);
  }
  Value extF(Type type, Value number) {
    return arith::ExtFOp::create(builder, loc, type, number);
  }
  Value addF(Value lhs, Value rhs) {
    return arith::AddFOp::create(builder, loc, lhs, rhs);
  }
  /// Unsigned.
  Value isAtLeast(Value lhs, int64_t rhs) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, lhs,
                                 integer(rhs));
  }
  Value isEqual(Value lhs, int64_t rhs) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, lhs,
                                 integer(rhs));
  }
  Value compare(arith::CmpFPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpFOp::create(builder, loc, predicate, lhs, rhs);
  }
  Value select(Value condition, Value lhs, Value rhs) {
    return arith::SelectOp::create(builder, loc, condition, lhs, rhs);
  }

private:
  Value constant(IntegerAttr attr) {
    auto vector = dyn_cast<VectorType>(shape);
    if (!vector)
      return arith::ConstantOp::create(builder, loc, attr);
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(vector.clone(attr.getType()), attr.getValue()));
  }

  OpBuilder &builder;
  Location loc;
  Type shape;
};
} // namespace

constexpr int64_t kF32Sign = int64_t(1) << 31;
constexpr int64_t kF32Infinity = 0xFF << 23;

//===----------------------------------------------------------------------===//
// Conversions of bits
//===----------------------------------------------------------------------===//

/// f32 to bf16: half of the last place is added, and with it what makes a tie
/// even. NaN stays NaN, quiet, with the upper bits of its payload.
static Value narrowToBF16(BitBuilder &b, Value bits) {
  Value isOdd = b.bitAnd(b.shiftRight(bits, 16), 1);
  Value rounded = b.shiftRight(b.add(b.add(bits, 0x7FFF), isOdd), 16);
  Value quiet = b.bitOr(b.shiftRight(bits, 16), b.integer(0x40));
  Value isNaN = b.isAtLeast(b.bitAnd(bits, kF32Sign - 1), kF32Infinity + 1);
  return b.narrow(b.select(isNaN, quiet, rounded));
}

/// f32 to f16. The exponent loses 112; what is too small for f16's exponents is
/// rounded by an addition whose last place is that of the smallest f16.
static Value narrowToF16(BitBuilder &b, Value bits) {
  constexpr int64_t tooLarge = (127 + 16) << 23;
  constexpr int64_t smallestNormal = (127 - 14) << 23;
  constexpr int64_t rounder = ((127 - 15) + (23 - 10) + 1) << 23;
  constexpr int64_t infinity = 0x7C00;
  Value magnitude = b.bitAnd(bits, kF32Sign - 1);
  Value sign = b.shiftRight(b.bitAnd(bits, kF32Sign), 16);

  Value isOdd = b.bitAnd(b.shiftRight(magnitude, 13), 1);
  Value rebiased = b.add(magnitude, ((15 - 127) * (int64_t(1) << 23)) + 0xFFF);
  Value normal = b.shiftRight(b.add(rebiased, isOdd), 13);
  Value sum = b.addF(b.toF32(magnitude), b.toF32(b.integer(rounder)));
  Value subnormal = b.add(b.toBits(sum), -rounder);
  Value payload = b.bitOr(b.shiftRight(magnitude, 13), b.integer(0x200));
  Value quiet = b.bitOr(b.bitAnd(payload, 0x3FF), b.integer(infinity));

  Value isNaN = b.isAtLeast(magnitude, kF32Infinity + 1);
  Value isNormal = b.isAtLeast(magnitude, smallestNormal);
  Value result = b.select(isNormal, normal, subnormal);
  result =
      b.select(b.isAtLeast(magnitude, tooLarge), b.integer(infinity), result);
  result = b.select(isNaN, quiet, result);
  return b.narrow(b.bitOr(result, sign));
}

/// f16 to f32. Exponents gain 112, that of infinity twice; a subnormal number
/// is written behind an exponent that is then taken away.
static Value widenF16(BitBuilder &b, Value half) {
  constexpr int64_t exponents = 0x7C00 << 13;
  constexpr int64_t bias = (127 - 15) << 23;
  constexpr int64_t smallestNormal = (127 - 14) << 23;
  Value bits = b.widen(half);
  Value sign = b.shiftLeft(b.bitAnd(bits, 0x8000), 16);
  Value shifted = b.shiftLeft(b.bitAnd(bits, 0x7FFF), 13);
  Value exponent = b.bitAnd(shifted, exponents);
  Value normal = b.add(shifted, bias);
  Value special = b.add(normal, bias);
  Value behind = b.toF32(b.add(normal, int64_t(1) << 23));
  Value taken = b.toF32(b.integer(smallestNormal | kF32Sign));
  Value subnormal = b.toBits(b.addF(behind, taken));
  Value result = b.select(b.isEqual(exponent, 0), subnormal, normal);
  result = b.select(b.isEqual(exponent, exponents), special, result);
  return b.toF32(b.bitOr(result, sign));
}

/// f64 to f32, rounded to odd: towards zero, with the last bit set where that
/// has changed the number. Another rounding, to a format that is shorter by two
/// bits or more, then gives what one rounding would have (Boldo and
/// Melquiond 2008, theorem 3).
static Value narrowToOddF32(BitBuilder &b, Value number) {
  Value nearest = b.truncF(b.f32(), number);
  Value back = b.extF(number.getType(), nearest);
  Value bits = b.toBits(nearest);
  // Away from zero, that is: the magnitude has grown.
  Value grew = b.compare(arith::CmpFPredicate::OGT, back, number);
  Value shrank = b.compare(arith::CmpFPredicate::OLT, back, number);
  Value isNegative = b.isAtLeast(bits, kF32Sign);
  Value isAway = b.select(isNegative, shrank, grew);
  Value towardsZero = b.select(isAway, b.add(bits, -1), bits);
  Value isInexact = b.compare(arith::CmpFPredicate::ONE, back, number);
  Value odd = b.bitOr(towardsZero, b.integer(1));
  return b.toF32(b.select(isInexact, odd, bits));
}

//===----------------------------------------------------------------------===//
// Transformation
//===----------------------------------------------------------------------===//

/// Scalars and vectors have bits; tensors are no numbers yet.
static bool hasBits(Type type) { return isa<FloatType, VectorType>(type); }

LogicalResult mlir::mha::expandFloatConversion(RewriterBase &rewriter,
                                               arith::ExtFOp op,
                                               bool hasF16Conversions) {
  Type from = getElementTypeOrSelf(op.getIn());
  Type to = getElementTypeOrSelf(op.getType());
  if (!hasBits(op.getType()) || !(to.isF32() || to.isF64()))
    return rewriter.notifyMatchFailure(
        op, "not to f32 or f64, or not a scalar or vector");
  bool isHalf = from.isF16() && !hasF16Conversions;
  if (!isHalf && !from.isBF16())
    return rewriter.notifyMatchFailure(op, "not bf16, nor f16 to be expanded");
  rewriter.setInsertionPoint(op);
  BitBuilder b(rewriter, op.getLoc(), op.getType());
  Value bits = b.bitcast(b.bits(16), op.getIn());
  Value single =
      isHalf ? widenF16(b, bits) : b.toF32(b.shiftLeft(b.widen(bits), 16));
  if (single.getType() != op.getType())
    single = b.extF(op.getType(), single);
  rewriter.replaceOp(op, single);
  return success();
}

LogicalResult mlir::mha::expandFloatConversion(RewriterBase &rewriter,
                                               arith::TruncFOp op,
                                               bool hasF16Conversions) {
  Type to = getElementTypeOrSelf(op.getType());
  Type from = getElementTypeOrSelf(op.getIn());
  bool isDouble = from.isF64();
  if (!hasBits(op.getType()) || !(from.isF32() || isDouble))
    return rewriter.notifyMatchFailure(
        op, "not from f32 or f64, or not a scalar or vector");
  if (!to.isF16() && !to.isBF16())
    return rewriter.notifyMatchFailure(op,
                                       "the result is neither f16 nor bf16");
  bool hasInstruction = to.isF16() && hasF16Conversions;
  if (hasInstruction && !isDouble)
    return rewriter.notifyMatchFailure(op, "there is an instruction for it");
  std::optional<arith::RoundingMode> mode = op.getRoundingmode();
  if (mode && *mode != arith::RoundingMode::to_nearest_even)
    return rewriter.notifyMatchFailure(op, "it rounds in another way");
  rewriter.setInsertionPoint(op);
  BitBuilder b(rewriter, op.getLoc(), op.getType());
  Value single = isDouble ? narrowToOddF32(b, op.getIn()) : op.getIn();
  Value result;
  if (hasInstruction) {
    result = b.truncF(op.getType(), single);
  } else {
    Value bits = b.toBits(single);
    result = b.bitcast(op.getType(), to.isF16() ? narrowToF16(b, bits)
                                                : narrowToBF16(b, bits));
  }
  rewriter.replaceOp(op, result);
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct ExpandFloatConversionsPass
    : mha::impl::ExpandFloatConversionsPassBase<ExpandFloatConversionsPass> {
  using ExpandFloatConversionsPassBase::ExpandFloatConversionsPassBase;

  void runOnOperation() override {
    bool hasF16Conversions = false;
    if (!cpu.empty()) {
      FailureOr<CPUTarget> target =
          lookupCPUTarget(cpu, [&] { return getOperation()->emitError(); });
      if (failed(target))
        return signalPassFailure();
      hasF16Conversions = target->hasF16Conversions;
    }
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](Operation *op) {
      bool isExpanded = false;
      if (auto widening = dyn_cast<arith::ExtFOp>(op))
        isExpanded = succeeded(
            expandFloatConversion(rewriter, widening, hasF16Conversions));
      else if (auto narrowing = dyn_cast<arith::TruncFOp>(op))
        isExpanded = succeeded(
            expandFloatConversion(rewriter, narrowing, hasF16Conversions));
      numExpanded += isExpanded;
    });
  }
};
} // namespace
