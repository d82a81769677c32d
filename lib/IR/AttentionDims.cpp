//===- AttentionDims.cpp - The sizes of one attention problem -------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/IR/AttentionDims.h"

#include "mha/IR/MHA.h"

using namespace mlir;
using namespace mlir::mha;

int64_t mlir::mha::getAxisSize(ShapedType type, LayoutAttr layout, char axis) {
  return type.getDimSize(layout.getDim(axis));
}

std::pair<Value, LayoutAttr> mlir::mha::getOutputAxisSource(AttentionOp op,
                                                            char axis) {
  if (axis == 'd')
    return {op.getValue(), op.getValueLayout()};
  return {op.getQuery(), op.getQueryLayout()};
}

bool mlir::mha::areCompatibleSizes(int64_t lhs, int64_t rhs) {
  return ShapedType::isDynamic(lhs) || ShapedType::isDynamic(rhs) || lhs == rhs;
}

AttentionDims AttentionDims::get(AttentionOp op) {
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
  dims.batch = firstStatic(ofQuery('b'), firstStatic(ofKey('b'), ofValue('b')));
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
  case 's':
    return queryLen;
  case 'd':
    return valueDim;
  }
  llvm_unreachable("the output has no such axis");
}

int64_t AttentionDims::getGroup() const {
  if (ShapedType::isDynamic(numQueryHeads) || ShapedType::isDynamic(numKVHeads))
    return ShapedType::kDynamic;
  return numQueryHeads / numKVHeads;
}
