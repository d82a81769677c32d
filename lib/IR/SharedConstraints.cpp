//===- SharedConstraints.cpp - What verifiers of several ops ask ----------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedConstraints.h"

#include "mha/IR/AttentionDims.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::mha;

/// Float types that every lowering knows.
static bool isKnownFloat(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
}

LogicalResult mlir::mha::verifyKnownFloat(Operation *op, StringRef name,
                                          Type type) {
  Type element = getElementTypeOrSelf(type);
  if (isa<FloatType>(element) && !isKnownFloat(element))
    return op->emitOpError()
           << "element type " << element << " of " << name
           << " is not implemented yet, expected f16, bf16, f32 or f64";
  return success();
}

LogicalResult mlir::mha::verifyKnownFloat(Operation *op, StringRef name,
                                          Value operand) {
  return operand ? verifyKnownFloat(op, name, operand.getType()) : success();
}

//===----------------------------------------------------------------------===//
// Sizes and types
//===----------------------------------------------------------------------===//

NamedShape mlir::mha::nameShape(StringRef name, Value value, StringRef axes) {
  return {name, cast<ShapedType>(value.getType()), axes};
}

LogicalResult mlir::mha::verifyAgree(Operation *op, StringRef what,
                                     ArrayRef<NamedSize> sizes) {
  const NamedSize *known = nullptr;
  for (const NamedSize &size : sizes) {
    if (ShapedType::isDynamic(size.second))
      continue;
    if (!known)
      known = &size;
    if (size.second != known->second)
      return op->emitOpError() << "expected " << what << " of " << size.first
                               << " (" << size.second << ") to be that of "
                               << known->first << " (" << known->second << ")";
  }
  return success();
}

int64_t mlir::mha::firstStatic(ArrayRef<NamedSize> sizes) {
  for (auto [name, size] : sizes)
    if (!ShapedType::isDynamic(size))
      return size;
  return ShapedType::kDynamic;
}

LogicalResult mlir::mha::verifySizes(Operation *op,
                                     ArrayRef<NamedShape> shapes) {
  for (auto [axis, what] :
       {std::pair('e', "the input size"), std::pair('o', "the output size"),
        std::pair('p', "the number of parts"), std::pair('b', "the batch size"),
        std::pair('h', "the number of heads"), std::pair('s', "the length"),
        std::pair('d', "the head size")}) {
    SmallVector<NamedSize> sizes;
    for (const NamedShape &shape : shapes)
      if (shape.axes.contains(axis) ||
          (axis == 'h' && shape.axes.contains('k')))
        sizes.emplace_back(shape.name, shape.size(axis));
    if (failed(verifyAgree(op, what, sizes)))
      return failure();
  }
  return success();
}

LogicalResult mlir::mha::verifyOneElementType(Operation *op,
                                              ArrayRef<NamedShape> shapes) {
  Type first = shapes.front().type.getElementType();
  for (const NamedShape &shape : shapes)
    if (shape.type.getElementType() != first)
      return op->emitOpError()
             << "expected the element type of " << shape.name
             << " to be that of " << shapes.front().name << " (" << first
             << "), found " << shape.type.getElementType();
  return success();
}

LogicalResult mlir::mha::verifyF64InAllOrNone(Operation *op,
                                              ArrayRef<NamedShape> shapes) {
  const NamedShape &first = shapes.front();
  for (const NamedShape &shape : shapes)
    if (shape.type.getElementType().isF64() !=
        first.type.getElementType().isF64())
      return op->emitOpError()
             << "expected f64 in all operands or in none, found "
             << first.type.getElementType() << " in " << first.name << " and "
             << shape.type.getElementType() << " in " << shape.name;
  return success();
}

LogicalResult mlir::mha::verifyTensorsOrMemRefs(Operation *op) {
  Type first = op->getOperand(0).getType();
  for (Type type : op->getOperandTypes())
    if (isa<ShapedType>(type) &&
        isa<TensorType>(type) != isa<TensorType>(first))
      return op->emitOpError()
             << "expected all shaped operands to be tensors, or all to be "
                "memrefs, found "
             << first << " and " << type;
  return success();
}

LogicalResult mlir::mha::verifyRank(Operation *op, StringRef name, Value value,
                                    LayoutAttr layout) {
  if (cast<ShapedType>(value.getType()).getRank() == layout.getRank())
    return success();
  return op->emitOpError() << "expected " << name << " of rank "
                           << layout.getRank() << " for its layout '"
                           << layout.getAxes() << "', found "
                           << value.getType();
}

//===----------------------------------------------------------------------===//
// Clauses of attention
//===----------------------------------------------------------------------===//

LogicalResult mlir::mha::verifyAlign(const AlignClauses &clauses) {
  auto [op, align, hasOffset, isPositional, hasOrigin, hasLengths, queryLen,
        keyLen] = clauses;
  bool needsOffset =
      align && (*align == Align::Explicit || *align == Align::End);
  if (needsOffset && !hasOffset)
    return op->emitOpError() << "expected 'query_offset' beside align("
                             << stringifyAlign(*align) << ")";
  if (!needsOffset && hasOffset)
    return op->emitOpError()
           << "expected align(explicit) or align(end) beside 'query_offset', "
              "found "
           << (align ? "align(" + stringifyAlign(*align).str() + ")"
                     : std::string("none"));
  if (align && !isPositional)
    return op->emitOpError() << "expected a positional mask or bias for align("
                             << stringifyAlign(*align) << ") to align";
  if (align || !isPositional)
    return success();
  bool isStaticSquare = !ShapedType::isDynamic(queryLen) && queryLen == keyLen;
  if (!isStaticSquare || hasLengths || hasOrigin)
    return op->emitOpError()
           << "expected an 'align' for the mask: only where query and key have "
              "the same static length, and there are no lengths and no origin, "
              "top left and bottom right are the same";
  return success();
}

bool mlir::mha::isFinite(APFloat value, FloatType compute) {
  bool losesInfo;
  value.convert(compute.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.isFinite();
}

LogicalResult mlir::mha::verifyScale(const ScaleClauses &clauses) {
  auto [op, scale, hasScaleValue, compute, headDim] = clauses;
  if (scale && hasScaleValue)
    return op->emitOpError()
           << "expected one scale, found a constant and one of run time";
  if (hasScaleValue)
    return success();
  if (scale) {
    if (!isFinite(*scale, compute))
      return op->emitOpError()
             << "expected a scale that is finite in " << compute << ", found "
             << scale->convertToDouble();
    return success();
  }
  if (headDim == 0)
    return op->emitOpError() << "expected a head size of at least 1 for the "
                                "default scale 1/sqrt(D), found 0";
  return success();
}

LogicalResult mlir::mha::verifyDenseMask(Operation *op, Value mask,
                                         ArrayRef<int64_t> sizes) {
  if (!mask)
    return success();
  auto type = cast<ShapedType>(mask.getType());
  ArrayRef<int64_t> expected = sizes.take_back(type.getRank());
  for (auto [dim, found, size] : llvm::enumerate(type.getShape(), expected))
    if (found != 1 && !areCompatibleSizes(found, size))
      return op->emitOpError()
             << "expected size " << dim << " of dense_mask to be 1 or " << size
             << ", since it broadcasts to (B, Hq, Sq, Sk) from the right, "
                "found "
             << type;
  return success();
}
