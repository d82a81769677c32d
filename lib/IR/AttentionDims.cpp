//===- AttentionDims.cpp - The sizes of one attention problem -------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/IR/AttentionDims.h"

#include "mha/IR/MHA.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::mha;

/// `lhs * rhs`, dynamic where one of them is.
static int64_t multiply(int64_t lhs, int64_t rhs) {
  if (ShapedType::isDynamic(lhs) || ShapedType::isDynamic(rhs))
    return ShapedType::kDynamic;
  return lhs * rhs;
}

int64_t mlir::mha::getAxisSize(ShapedType type, LayoutAttr layout, char axis) {
  if (axis == 'h' && layout.splitsHeads())
    return multiply(getAxisSize(type, layout, 'k'),
                    getAxisSize(type, layout, 'g'));
  return type.getDimSize(layout.getDim(axis));
}

OpFoldResult mlir::mha::getMixedAxisSize(OpBuilder &builder, Location loc,
                                         Value value, LayoutAttr layout,
                                         char axis) {
  int64_t known = getAxisSize(cast<ShapedType>(value.getType()), layout, axis);
  if (!ShapedType::isDynamic(known))
    return builder.getIndexAttr(known);
  if (axis == 'h' && layout.splitsHeads()) {
    auto part = [&](char axis) {
      return getValueOrCreateConstantIndexOp(
          builder, loc, getMixedAxisSize(builder, loc, value, layout, axis));
    };
    Value kvHeads = part('k'), group = part('g');
    return builder.createOrFold<arith::MulIOp>(loc, kvHeads, group);
  }
  unsigned dim = layout.getDim(axis);
  return isa<TensorType>(value.getType())
             ? tensor::getMixedSize(builder, loc, value, dim)
             : memref::getMixedSize(builder, loc, value, dim);
}

/// Hq / Hkv. No key heads, which are an error of run time, divide as one does.
static OpFoldResult getMixedGroup(OpBuilder &builder, Location loc,
                                  AttentionOpInterface op) {
  int64_t known = AttentionDims::get(op).getGroup();
  if (!ShapedType::isDynamic(known))
    return builder.getIndexAttr(known);
  auto heads = [&](Value value, LayoutAttr layout) {
    return getValueOrCreateConstantIndexOp(
        builder, loc, getMixedAxisSize(builder, loc, value, layout, 'h'));
  };
  Value queryHeads = heads(op.getQuery(), op.getQueryLayout());
  Value kvHeads = heads(op.getKey(), op.getKeyLayout());
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value divisor = builder.createOrFold<arith::MaxUIOp>(loc, kvHeads, one);
  return builder.createOrFold<arith::DivUIOp>(loc, queryHeads, divisor);
}

OpFoldResult mlir::mha::getMixedOutputSize(OpBuilder &builder, Location loc,
                                           AttentionOpInterface op, char axis) {
  switch (axis) {
  case 'g':
    return getMixedGroup(builder, loc, op);
  case 'k':
    return getMixedAxisSize(builder, loc, op.getKey(), op.getKeyLayout(), 'h');
  case 'd':
    return getMixedAxisSize(builder, loc, op.getValue(), op.getValueLayout(),
                            'd');
  default:
    return getMixedAxisSize(builder, loc, op.getQuery(), op.getQueryLayout(),
                            axis);
  }
}

bool mlir::mha::areCompatibleSizes(int64_t lhs, int64_t rhs) {
  return ShapedType::isDynamic(lhs) || ShapedType::isDynamic(rhs) || lhs == rhs;
}

AttentionDims AttentionDims::get(AttentionOpInterface op) {
  auto query = cast<ShapedType>(op.getQuery().getType());
  auto key = cast<ShapedType>(op.getKey().getType());
  auto value = cast<ShapedType>(op.getValue().getType());
  auto ofQuery = [&](char axis) {
    return getAxisSize(query, op.getQueryLayout(), axis);
  };
  auto ofKey = [&](char axis) {
    return getAxisSize(key, op.getKeyLayout(), axis);
  };
  auto ofValue = [&](char axis) {
    return getAxisSize(value, op.getValueLayout(), axis);
  };
  auto firstStatic = [](int64_t lhs, int64_t rhs) {
    return ShapedType::isDynamic(lhs) ? rhs : lhs;
  };

  AttentionDims dims;
  dims.batch = ofQuery('b');
  if (!op.sharesKeysInBatch())
    dims.batch = firstStatic(dims.batch, firstStatic(ofKey('b'), ofValue('b')));
  dims.numQueryHeads = ofQuery('h');
  dims.numKVHeads = firstStatic(ofKey('h'), ofValue('h'));
  dims.queryLen = ofQuery('s');
  dims.keyLen = firstStatic(ofKey('s'), ofValue('s'));
  dims.headDim = firstStatic(ofQuery('d'), ofKey('d'));
  dims.valueDim = ofValue('d');
  return dims;
}

int64_t AttentionDims::getOutputSize(char axis) const {
  switch (axis) {
  case 'b':
    return batch;
  case 'h':
    return numQueryHeads;
  case 'k':
    return numKVHeads;
  case 'g':
    return getGroup();
  case 's':
    return queryLen;
  case 'd':
    return valueDim;
  }
  llvm_unreachable("the output has no such axis");
}

bool AttentionDims::isEmpty() const {
  return llvm::is_contained(
      {batch, numQueryHeads, numKVHeads, queryLen, keyLen, headDim, valueDim},
      0);
}

int64_t AttentionDims::getGroup() const {
  if (ShapedType::isDynamic(numQueryHeads) || ShapedType::isDynamic(numKVHeads))
    return ShapedType::kDynamic;
  return numQueryHeads / numKVHeads;
}
