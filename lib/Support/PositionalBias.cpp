//===- PositionalBias.cpp - What a position adds to a score ---------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Support/PositionalBias.h"

#include "mha/IR/MHA.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::mha;

Value mlir::mha::buildFloatCast(OpBuilder &builder, Location loc, Value value,
                                FloatType type) {
  auto from = cast<FloatType>(value.getType());
  if (from == type)
    return value;
  if (from.getWidth() < type.getWidth())
    return arith::ExtFOp::create(builder, loc, type, value);
  if (from.getWidth() > type.getWidth())
    return arith::TruncFOp::create(builder, loc, type, value);
  // f16 and bf16: each has numbers that the other one has not.
  Value wide = arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
  return arith::TruncFOp::create(builder, loc, type, wide);
}

Value mlir::mha::buildFloatElement(OpBuilder &builder, Location loc,
                                   Value shaped, ValueRange indices,
                                   FloatType type) {
  Value element =
      isa<TensorType>(shaped.getType())
          ? tensor::ExtractOp::create(builder, loc, shaped, indices).getResult()
          : memref::LoadOp::create(builder, loc, shaped, indices).getResult();
  return buildFloatCast(builder, loc, element, type);
}

/// The query head of the whole problem.
static Value buildGlobalHead(OpBuilder &builder, Location loc,
                             AttentionOpInterface op, Value head) {
  return op.getOrigin().empty() ? head
                                : builder.createOrFold<arith::AddIOp>(
                                      loc, head, op.getOrigin()[1]);
}

Value mlir::mha::buildPerHead(OpBuilder &builder, Location loc,
                              AttentionOpInterface op, Value operand,
                              Value head) {
  Value global = buildGlobalHead(builder, loc, op, head);
  return buildFloatElement(builder, loc, operand, global, op.getComputeType());
}

/// j - p.
static Value buildDistance(OpBuilder &builder, Location loc,
                           AttentionOpInterface op, const QueryKeyPair &pair) {
  Value key = op.getOrigin().empty() ? pair.key
                                     : builder.createOrFold<arith::AddIOp>(
                                           loc, pair.key, op.getOrigin()[3]);
  Value position = buildQueryPosition(builder, loc, op, pair);
  return arith::SubIOp::create(builder, loc, key, position);
}

/// slope(h) * (j - p), or -slope(h) * |j - p|.
static Value buildAlibi(OpBuilder &builder, Location loc,
                        AttentionOpInterface op, Value head, Value distance) {
  FloatType type = op.getComputeType();
  if (op.getBiasAttr().getKind() == BiasKind::AlibiSymmetric) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value negated = arith::SubIOp::create(builder, loc, zero, distance);
    distance = arith::MinSIOp::create(builder, loc, distance, negated);
  }
  Value number = arith::SIToFPOp::create(
      builder, loc, type,
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), distance));
  Value slope = buildPerHead(builder, loc, op, op.getSlopes(), head);
  return arith::MulFOp::create(builder, loc, slope, number);
}

/// table[h, clamp(j - p + origin, 0, n - 1)].
static Value buildRelative(OpBuilder &builder, Location loc,
                           AttentionOpInterface op, Value head,
                           Value distance) {
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value table = op.getRelativeTable();
  Value size = isa<TensorType>(table.getType())
                   ? tensor::DimOp::create(builder, loc, table, 1).getResult()
                   : memref::DimOp::create(builder, loc, table, 1).getResult();
  Value last = arith::SubIOp::create(builder, loc, size, index(1));
  // The distance is clamped before the origin is added: both may be far out.
  int64_t origin = op.getBiasAttr().getOrigin();
  Value first = index(-origin);
  Value place = arith::SubIOp::create(
      builder, loc, arith::MaxSIOp::create(builder, loc, distance, first),
      first);
  place = arith::MinSIOp::create(builder, loc, place, last);
  Value global = buildGlobalHead(builder, loc, op, head);
  return buildFloatElement(builder, loc, table, {global, place},
                           op.getComputeType());
}

Value mlir::mha::buildPositionalBias(OpBuilder &builder, Location loc,
                                     AttentionOpInterface op, Value head,
                                     const QueryKeyPair &pair) {
  Value distance = buildDistance(builder, loc, op, pair);
  if (op.getBiasAttr().getKind() == BiasKind::Relative)
    return buildRelative(builder, loc, op, head, distance);
  return buildAlibi(builder, loc, op, head, distance);
}
