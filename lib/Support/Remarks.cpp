//===- Remarks.cpp - What passes say of what they did not do --------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Support/Remarks.h"

#include "mha/IR/MHA.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::mha;

void mlir::mha::remarkMissed(Operation *op, StringRef category, StringRef name,
                             const Twine &reason) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  remark::missed(op->getLoc(),
                 remark::RemarkOpts::name(name).category(category).function(
                     function ? function.getName() : StringRef()))
      << remark::reason("{0}", reason.str());
}

/// What the planner has left behind, if it has run.
static std::string explainUnfused(AttentionOp op) {
  if (auto reason = op->getAttrOfType<StringAttr>(kNoScheduleAttrName))
    return reason.str();
  return op.getSchedule() ? "its schedule is not asked for"
                          : "no schedule was planned for it";
}

void mlir::mha::remarkUnfused(AttentionOp op, StringRef category,
                              StringRef name) {
  remarkMissed(op, category, name, explainUnfused(op));
}
