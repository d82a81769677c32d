//===- AttentionRemarks.cpp - What passes say of attention ----------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/AttentionRemarks.h"

#include "mlir/IR/Remarks.h"

#include <mutex>

using namespace mlir;
using namespace mlir::mha;

static constexpr llvm::StringLiteral kFused = "outlined-kernel";
static constexpr llvm::StringLiteral kUnfused[] = {"computed-by-definition",
                                                   "computed-by-general-path"};

struct AttentionRemarks::Collection {
  std::mutex mutex;
  SmallVector<AttentionSite> sites;
};

/// The value of the remark's argument `key`, which `remark::reason` and
/// `remark::suggest` write; empty without one.
static std::string findArgument(const remark::detail::Remark &remark,
                                StringRef key) {
  for (const remark::detail::Remark::Arg &argument : remark.getArgs())
    if (argument.key == key)
      return argument.val;
  return {};
}

namespace {
template <typename Collection>
struct Streamer : remark::detail::MLIRRemarkStreamerBase {
  explicit Streamer(std::shared_ptr<Collection> collection)
      : collection(std::move(collection)) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    bool fused = remark.getRemarkName() == kFused;
    if (!fused && !llvm::is_contained(kUnfused, remark.getRemarkName()))
      return;
    std::lock_guard<std::mutex> lock(collection->mutex);
    collection->sites.push_back({remark.getLocation(), fused,
                                 findArgument(remark, "Reason"),
                                 findArgument(remark, "Suggestion")});
  }

  std::shared_ptr<Collection> collection;
};
} // namespace

AttentionRemarks::AttentionRemarks(MLIRContext &context)
    : context(context), collection(std::make_shared<Collection>()) {
  remark::RemarkCategories everything;
  everything.passed = ".*";
  everything.missed = ".*";
  LogicalResult enabled = remark::enableOptimizationRemarks(
      context, std::make_unique<Streamer<Collection>>(collection),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), everything);
  // Fails only where there is no streamer.
  assert(succeeded(enabled));
  (void)enabled;
}

AttentionRemarks::~AttentionRemarks() { context.setRemarkEngine(nullptr); }

/// By file, line and column; places without those come last.
static bool isBefore(const AttentionSite &lhs, const AttentionSite &rhs) {
  auto left = lhs.loc->findInstanceOf<FileLineColLoc>();
  auto right = rhs.loc->findInstanceOf<FileLineColLoc>();
  if (!left || !right)
    return left && !right;
  return std::make_tuple(left.getFilename().getValue(), left.getLine(),
                         left.getColumn()) <
         std::make_tuple(right.getFilename().getValue(), right.getLine(),
                         right.getColumn());
}

SmallVector<AttentionSite> AttentionRemarks::getSites() const {
  std::lock_guard<std::mutex> lock(collection->mutex);
  SmallVector<AttentionSite> sites = collection->sites;
  llvm::stable_sort(sites, isBefore);
  return sites;
}
