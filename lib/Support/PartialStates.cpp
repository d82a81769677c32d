//===- PartialStates.cpp - Where computing a state begins -----------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Support/PartialStates.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <limits>

using namespace mlir;
using namespace mlir::mha;

Value mlir::mha::buildEmpty(OpBuilder &builder, Location loc,
                            ArrayRef<OpFoldResult> sizes, Type element,
                            bool onTensors) {
  if (onTensors)
    return tensor::EmptyOp::create(builder, loc, sizes, element);
  SmallVector<Value> dynamicSizes;
  SmallVector<int64_t> staticSizes;
  dispatchIndexOpFoldResults(sizes, dynamicSizes, staticSizes);
  return memref::AllocOp::create(
      builder, loc, MemRefType::get(staticSizes, element), dynamicSizes);
}

SmallVector<Value>
mlir::mha::buildStateOfNoKeys(OpBuilder &builder, Location loc,
                              ArrayRef<SmallVector<OpFoldResult>> sizes,
                              FloatType element, bool onTensors) {
  const double firstValues[] = {0, -std::numeric_limits<double>::infinity(), 0};
  SmallVector<Value> state;
  for (auto [shape, first] : llvm::zip_equal(sizes, firstValues)) {
    Value empty = buildEmpty(builder, loc, shape, element, onTensors);
    Value value = arith::ConstantOp::create(
        builder, loc, builder.getFloatAttr(element, first));
    auto fill = linalg::FillOp::create(builder, loc, value, empty);
    state.push_back(onTensors ? fill.getResult(0) : empty);
  }
  return state;
}
