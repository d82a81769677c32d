//===- MHAAttrs.cpp - Attributes of the mha dialect -----------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/IR/MHA.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::mha;

#include "mha/IR/MHAEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "mha/IR/MHAAttrs.cpp.inc"

void MHADialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "mha/IR/MHAAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// BiasAttr
//===----------------------------------------------------------------------===//

LogicalResult BiasAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               BiasKind, int64_t origin) {
  // Far from overflow in sums with positions.
  constexpr int64_t maxOrigin = int64_t(1) << 60;
  if (-maxOrigin <= origin && origin <= maxOrigin)
    return success();
  return emitError() << "expected an origin of the bias within 2^60, found "
                     << origin;
}

//===----------------------------------------------------------------------===//
// LayoutAttr
//===----------------------------------------------------------------------===//

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  StringRef axes;
  SMLoc loc;
  if (parser.parseLess() || parser.getCurrentLocation(&loc) ||
      parser.parseKeyword(&axes) || parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    axes);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << '<' << getAxes() << '>';
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef axes) {
  SmallString<8> sorted(axes);
  llvm::sort(sorted);
  if (sorted == "bdhs" || axes == "bkgsd" || axes == "bskgd" || axes == "bksgd")
    return success();
  return emitError() << "expected a layout that is a permutation of 'bhsd', or "
                        "'bkgsd', 'bskgd' or 'bksgd', found '"
                     << axes << "'";
}

//===----------------------------------------------------------------------===//
// MaskAttr
//===----------------------------------------------------------------------===//

namespace {
/// The items of a mask while its list is being parsed.
struct MaskItems {
  bool causal = false;
  std::optional<int64_t> windowLeft, windowRight;
};
} // namespace

static ParseResult parseWindow(AsmParser &parser, MaskItems &items) {
  int64_t left, right;
  if (parser.parseLess() || parser.parseInteger(left) || parser.parseComma() ||
      parser.parseInteger(right) || parser.parseGreater())
    return failure();
  items.windowLeft = left;
  items.windowRight = right;
  return success();
}

static ParseResult parseMaskItem(AsmParser &parser, MaskItems &items) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  bool isWindow = name == "window";
  if (!isWindow && name != "causal")
    return parser.emitError(loc)
           << "expected 'causal' or 'window', found '" << name << "'";
  if (isWindow ? items.windowLeft.has_value() : items.causal)
    return parser.emitError(loc) << "'" << name << "' is there twice";
  if (isWindow)
    return parseWindow(parser, items);
  items.causal = true;
  return success();
}

Attribute MaskAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  MaskItems items;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&] {
        return parseMaskItem(parser, items);
      }))
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    items.causal, items.windowLeft, items.windowRight);
}

void MaskAttr::print(AsmPrinter &printer) const {
  printer << '<';
  if (getCausal())
    printer << (hasWindow() ? "causal, " : "causal");
  if (hasWindow())
    printer << "window<" << *getWindowLeft() << ", " << *getWindowRight()
            << '>';
  printer << '>';
}

LogicalResult MaskAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               bool causal, std::optional<int64_t> left,
                               std::optional<int64_t> right) {
  if (left.has_value() != right.has_value())
    return emitError() << "expected a window with a left and a right size";
  if (!causal && !left)
    return emitError() << "expected a mask with at least one of 'causal' and "
                          "'window'";
  // Half of where query offsets saturate (lib/Support/QueryPosition.cpp), so
  // that a saturated offset is out of every window's reach, and p - l and
  // p + r are far from overflow.
  constexpr int64_t maxWindow = int64_t(1) << 60;
  for (std::optional<int64_t> size : {left, right})
    if (size && (*size < 0 || *size > maxWindow))
      return emitError() << "expected a window size between 0 and " << maxWindow
                         << ", found " << *size;
  return success();
}
