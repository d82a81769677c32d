//===- AttentionSummary.cpp - What became of each attention ---------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/AttentionSummary.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::mha;

//===----------------------------------------------------------------------===//
// Text and JSON
//===----------------------------------------------------------------------===//

std::string mlir::mha::printPlace(Location loc) {
  if (auto place = loc->findInstanceOf<FileLineColLoc>())
    return (llvm::sys::path::filename(place.getFilename()) + ":" +
            Twine(place.getLine()))
        .str();
  std::string text;
  llvm::raw_string_ostream(text) << loc;
  return text;
}

/// `REASON at FILE:LINE, FILE:LINE and 3 more: HINT` for each reason, so that
/// the line stays one line for a model with many layers. A place is named once.
static void printReasons(ArrayRef<AttentionSite> sites, raw_ostream &os) {
  constexpr size_t maxPlaces = 3;
  llvm::MapVector<std::pair<StringRef, StringRef>, SmallVector<std::string>>
      places;
  for (const AttentionSite &site : sites) {
    if (site.fused)
      continue;
    SmallVector<std::string> &where = places[{site.reason, site.hint}];
    std::string place = printPlace(site.loc);
    if (!llvm::is_contained(where, place))
      where.push_back(std::move(place));
  }
  llvm::interleave(
      places, os,
      [&](auto &entry) {
        auto &[why, where] = entry;
        os << why.first << " at ";
        llvm::interleaveComma(ArrayRef(where).take_front(maxPlaces), os);
        if (where.size() > maxPlaces)
          os << " and " << where.size() - maxPlaces << " more";
        if (!why.second.empty())
          os << ": " << why.second;
      },
      "; ");
}

static int64_t countFused(ArrayRef<AttentionSite> sites) {
  return llvm::count_if(sites,
                        [](const AttentionSite &site) { return site.fused; });
}

/// The kernels, and the definition under the name `fallback`.
static SmallVector<KernelUse> listUses(const AttentionSummary &summary) {
  SmallVector<KernelUse> uses = summary.kernels;
  int64_t numOthers = summary.sites.size() - countFused(summary.sites);
  if (numOthers != 0)
    uses.push_back({"fallback", numOthers});
  return uses;
}

std::string AttentionSummary::toLine() const {
  std::string line;
  llvm::raw_string_ostream os(line);
  os << "attention: " << sites.size() << " found";
  if (!sites.empty()) {
    int64_t numFused = countFused(sites);
    int64_t numOthers = sites.size() - numFused;
    os << ", " << numFused << " fused, " << numOthers << " not";
    if (numOthers != 0) {
      os << " (";
      printReasons(sites, os);
      os << ")";
    }
  }
  SmallVector<KernelUse> uses = listUses(*this);
  if (uses.empty() && sites.empty())
    return line;
  os << "; kernels: ";
  llvm::interleaveComma(uses, os, [&](const KernelUse &kernel) {
    os << kernel.name << " x" << kernel.count;
  });
  if (uses.empty())
    os << "none called";
  return line;
}

llvm::json::Object AttentionSummary::toJSON() const {
  llvm::json::Array others, uses;
  for (const AttentionSite &site : sites)
    if (!site.fused)
      others.push_back(llvm::json::Object{{"place", printPlace(site.loc)},
                                          {"reason", site.reason},
                                          {"hint", site.hint}});
  for (const KernelUse &kernel : listUses(*this))
    uses.push_back(
        llvm::json::Object{{"name", kernel.name}, {"count", kernel.count}});
  return llvm::json::Object{{"found", static_cast<int64_t>(sites.size())},
                            {"fused", countFused(sites)},
                            {"not_fused", std::move(others)},
                            {"kernels", std::move(uses)}};
}

//===----------------------------------------------------------------------===//
// Requirements
//===----------------------------------------------------------------------===//

LogicalResult mlir::mha::requireFused(ArrayRef<AttentionSite> sites) {
  LogicalResult result = success();
  for (const AttentionSite &site : sites) {
    if (site.fused)
      continue;
    InFlightDiagnostic diagnostic =
        emitError(site.loc)
        << "expected this attention to be fused, found it without a "
           "kernel: "
        << site.reason;
    if (!site.hint.empty())
      diagnostic.attachNote() << site.hint;
    result = failure();
  }
  return result;
}
