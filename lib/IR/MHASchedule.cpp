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

#include <cmath>
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

/// Why no CPU kernel computes `op`, whatever the schedule.
static std::string explainNoKernel(AttentionOp op) {
  for (Value operand : {op.getQuery(), op.getKey(), op.getValue()}) {
    Type element = getElementTypeOrSelf(operand);
    if (element.isF32())
      continue;
    std::string text;
    llvm::raw_string_ostream(text) << "no kernel for elements of " << element;
    return text;
  }
  BiasAttr bias = op.getBiasAttr();
  const std::pair<bool, StringRef> features[] = {
      {bias && bias.getKind() == BiasKind::Relative, "a relative table"},
      {op.getSoftcap().has_value(), "a soft cap"}};
  for (auto [isThere, feature] : features)
    if (isThere)
      return ("no kernel for " + feature).str();
  AttentionDims dims = AttentionDims::get(op);
  // A tile of nothing is no valid view.
  for (int64_t size : {dims.batch, dims.numQueryHeads, dims.numKVHeads,
                       dims.queryLen, dims.keyLen})
    if (size == 0)
      return "no kernel for operands without elements";
  // Larger heads would not leave room for keys in a cache.
  constexpr int64_t maxHeadDim = 1024;
  for (int64_t size : {dims.headDim, dims.valueDim}) {
    if (ShapedType::isDynamic(size))
      return "no kernel for a head size that is not static";
    if (size == 0 || size > maxHeadDim)
      return "no kernel for a head size of " + std::to_string(size) +
             ", outside 1 to " + std::to_string(maxHeadDim);
  }
  for (LayoutAttr layout : {op.getQueryLayout(), op.getKeyLayout(),
                            op.getValueLayout(), op.getOutputLayout()})
    if (layout.getDim('d') + 1 != layout.getRank())
      return "no kernel for the layout '" + layout.getAxes().str() +
             "', in which d is not innermost";
  // Scores are multiplied by scale * log2(e) in f32.
  constexpr double maxScale = 1 << 20;
  double scale = op.getScale() ? std::abs(op.getScale()->convertToDouble())
                               : 1 / std::sqrt(double(dims.headDim));
  if (scale != 0 && (scale > maxScale || scale < 1 / maxScale))
    return "no kernel for a scale outside 2^-20 to 2^20";
  return "";
}

std::string CPUScheduleAttr::explainMisfit(Operation *operation) const {
  auto op = cast<AttentionOp>(operation);
  std::string reason = explainNoKernel(op);
  if (!reason.empty() || getBlockG() == 1)
    return reason;
  std::string blockG = std::to_string(getBlockG());
  int64_t group = AttentionDims::get(op).getGroup();
  if (ShapedType::isDynamic(group))
    return "block_g of " + blockG + " with a group that is not static";
  if (group % getBlockG() != 0)
    return "block_g of " + blockG + " does not divide the group of " +
           std::to_string(group);
  return "";
}

std::string CPUScheduleAttr::getKernelTag() const {
  std::string tag = "q" + std::to_string(getBlockQ());
  if (getBlockG() != 1)
    tag += "g" + std::to_string(getBlockG());
  return tag + "k" + std::to_string(getBlockK());
}

//===----------------------------------------------------------------------===//
// Lists of schedules
//===----------------------------------------------------------------------===//

SmallVector<ScheduleAttrInterface> mlir::mha::getSchedules(Attribute attr) {
  SmallVector<ScheduleAttrInterface> schedules;
  auto list = dyn_cast<ArrayAttr>(attr);
  for (Attribute item : list ? list.getValue() : ArrayRef(attr)) {
    auto guarded = dyn_cast<GuardedScheduleAttr>(item);
    schedules.push_back(guarded ? guarded.getSchedule()
                                : cast<ScheduleAttrInterface>(item));
  }
  return schedules;
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
