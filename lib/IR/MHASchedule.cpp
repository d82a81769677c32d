//===- MHASchedule.cpp - How attention is computed ------------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/IR/AttentionDims.h"
#include "mha/IR/MHA.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::mha;

#include "mha/IR/MHAScheduleInterfaces.cpp.inc"

//===----------------------------------------------------------------------===//
// CPUScheduleAttr
//===----------------------------------------------------------------------===//

/// Bounds that keep what is emitted, and the scratch of a worker, small.
constexpr int64_t kMaxRows = 4096;
constexpr int64_t kMaxBlockK = 4096;
constexpr int64_t kMaxAccumulators = 64;
constexpr int64_t kMaxUnroll = 16;
constexpr int64_t kMaxLanes = 64;

LogicalResult
CPUScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        int64_t blockQ, int64_t blockG, int64_t blockK,
                        int64_t lanes, int64_t qkRows, int64_t pvRows,
                        int64_t vectors, int64_t unroll, bool) {
  const std::tuple<StringRef, int64_t, int64_t> bounds[] = {
      {"block_q", blockQ, kMaxRows},
      {"block_g", blockG, kMaxRows},
      {"block_k", blockK, kMaxBlockK},
      {"lanes", lanes, kMaxLanes},
      {"qk_rows", qkRows, kMaxAccumulators},
      {"pv_rows", pvRows, kMaxAccumulators},
      {"vectors", vectors, kMaxAccumulators},
      {"unroll", unroll, kMaxUnroll}};
  for (auto [name, value, bound] : bounds)
    if (value < 1 || value > bound)
      return emitError() << "expected " << name << " between 1 and " << bound
                         << ", found " << value;
  if (lanes == 1 || !llvm::isPowerOf2_64(lanes))
    return emitError() << "expected lanes to be a power of two of at least 2, "
                          "found "
                       << lanes;

  auto verifyMultiple = [&](StringRef name, int64_t value, StringRef ofName,
                            int64_t of) -> LogicalResult {
    if (value % of == 0)
      return success();
    return emitError() << "expected " << name << " (" << value
                       << ") to be a multiple of " << ofName << " (" << of
                       << ")";
  };
  auto verifyAtMost = [&](StringRef name, int64_t value,
                          int64_t bound) -> LogicalResult {
    if (value <= bound)
      return success();
    return emitError() << "expected " << name << " (" << value
                       << ") to be at most " << bound;
  };
  if (failed(verifyMultiple("block_q", blockQ, "lanes", lanes)) ||
      failed(verifyMultiple("block_g * block_q / lanes",
                            blockG * blockQ / lanes, "vectors", vectors)) ||
      failed(verifyMultiple("block_k", blockK, "qk_rows", qkRows)) ||
      failed(verifyMultiple("block_k", blockK, "unroll", unroll)) ||
      failed(verifyAtMost("block_g * block_q", blockG * blockQ, kMaxRows)) ||
      failed(verifyAtMost("qk_rows * vectors", qkRows * vectors,
                          kMaxAccumulators)))
    return failure();
  return verifyAtMost("pv_rows * vectors", pvRows * vectors, kMaxAccumulators);
}

int64_t CPUScheduleAttr::getKeyGranularity() const {
  return std::lcm(getQkRows(), getUnroll());
}

SmallVector<int64_t> CPUScheduleAttr::getTileSizes() const {
  return {1, 1, getBlockG(), getBlockQ(), 0};
}

LogicalResult CPUScheduleAttr::verifyFits(Operation *operation) const {
  auto op = cast<AttentionOp>(operation);
  Type element = getElementTypeOrSelf(op.getQuery());
  if (!element.isF32())
    return op.emitOpError()
           << "expected f32 for a CPU schedule, found " << element;
  AttentionDims dims = AttentionDims::get(op);
  for (auto [name, size] : {std::pair<StringRef, int64_t>{"D", dims.headDim},
                            {"Dv", dims.valueDim}})
    if (ShapedType::isDynamic(size) || size == 0)
      return op.emitOpError()
             << "expected " << name
             << " to be static and positive for a CPU schedule";
  int64_t group = dims.getGroup();
  if (getBlockG() == 1)
    return success();
  if (ShapedType::isDynamic(group))
    return op.emitOpError() << "expected block_g of 1 where the group is not "
                               "static, found "
                            << getBlockG();
  // A tile of a larger op keeps the schedule; its group is whole or smaller.
  if (group % getBlockG() != 0)
    return op.emitOpError() << "expected block_g (" << getBlockG()
                            << ") to divide the group (" << group << ")";
  return success();
}

std::string CPUScheduleAttr::getKernelTag() const {
  std::string tag = "q" + std::to_string(getBlockQ());
  if (getBlockG() != 1)
    tag += "g" + std::to_string(getBlockG());
  return tag + "k" + std::to_string(getBlockK());
}

//===----------------------------------------------------------------------===//
// ItemAttr
//===----------------------------------------------------------------------===//

Attribute ItemAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t order = 0;
  bool descending = false;
  if (parser.parseLess() || parser.parseInteger(order))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("descending"))
      return {};
    descending = true;
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    order, descending);
}

void ItemAttr::print(AsmPrinter &printer) const {
  printer << '<' << getOrder() << (getDescending() ? ", descending>" : ">");
}

LogicalResult ItemAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t order, bool) {
  constexpr int64_t maxOrder = 63;
  if (order >= 0 && order <= maxOrder)
    return success();
  return emitError() << "expected an order between 0 and " << maxOrder
                     << ", found " << order;
}

int64_t ItemAttr::getMappingId() const { return getOrder(); }

/// Every loop has its own place; items are numbered, not places in a grid.
bool ItemAttr::isLinearMapping() const { return false; }

int64_t ItemAttr::getRelativeIndex() const { return getOrder(); }
