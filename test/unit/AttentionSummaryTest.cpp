//===- AttentionSummaryTest.cpp - The line that a run ends with -----------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/AttentionRemarks.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Remarks.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::mha;

static Location at(MLIRContext &context, unsigned line) {
  return FileLineColLoc::get(&context, "folder/model.mlir", line, 3);
}

static void remarkFused(Location loc) {
  remark::passed(loc,
                 remark::RemarkOpts::name("outlined-kernel").category("a"));
}

static void remarkUnfused(Location loc, const char *reason, const char *hint) {
  auto remark = remark::missed(
      loc, remark::RemarkOpts::name("computed-by-definition").category("b"));
  remark << remark::reason("{0}", reason);
  if (hint)
    remark << remark::suggest("{0}", hint);
}

TEST(AttentionSummary, NamesPlacesReasonsAndHints) {
  MLIRContext context;
  AttentionRemarks remarks(context);
  remarkFused(at(context, 7));
  remarkUnfused(at(context, 812), "mask computed", "try mha-simplify-masks");
  AttentionSummary summary{remarks.getSites(), {{"mha_attention_d64", 1}}};
  EXPECT_EQ(summary.toLine(),
            "attention: 2 found, 1 fused, 1 not (mask computed at "
            "model.mlir:812: try mha-simplify-masks); kernels: "
            "mha_attention_d64 x1, fallback x1");
}

TEST(AttentionSummary, GroupsPlacesByReasonInTheOrderOfTheSource) {
  MLIRContext context;
  AttentionRemarks remarks(context);
  for (unsigned line : {40, 8, 30, 20, 10, 30})
    remarkUnfused(at(context, line), line == 8 ? "f64" : "lse", nullptr);
  AttentionSummary summary{remarks.getSites(), {}};
  // Two at line 30 are one place: a function that is called twice.
  EXPECT_EQ(summary.toLine(),
            "attention: 6 found, 0 fused, 6 not (f64 at model.mlir:8; lse at "
            "model.mlir:10, model.mlir:20, model.mlir:30 and 1 more); "
            "kernels: fallback x6");
}

TEST(AttentionSummary, LooksAtNoOtherRemarkAndNoneOutsideOfItsLife) {
  MLIRContext context;
  remarkFused(at(context, 1));
  {
    AttentionRemarks remarks(context);
    remark::passed(at(context, 2),
                   remark::RemarkOpts::name("unrolled").category("a"));
    remark::missed(at(context, 3),
                   remark::RemarkOpts::name("unrolled").category("a"));
    EXPECT_TRUE(remarks.getSites().empty());
    EXPECT_EQ((AttentionSummary{remarks.getSites(), {}}).toLine(),
              "attention: 0 found");
  }
  remarkFused(at(context, 4));
  AttentionRemarks remarks(context);
  remarkFused(at(context, 5));
  remarkUnfused(UnknownLoc::get(&context), "f64", nullptr);
  ASSERT_EQ(remarks.getSites().size(), 2u);
  EXPECT_TRUE(remarks.getSites().front().fused);
}

TEST(AttentionSummary, RequiresEachAttentionToBeFused) {
  MLIRContext context;
  AttentionRemarks remarks(context);
  std::string said;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    llvm::raw_string_ostream os(said);
    os << diagnostic << "\n";
    for (Diagnostic &note : diagnostic.getNotes())
      os << "note: " << note << "\n";
  });
  remarkFused(at(context, 1));
  EXPECT_TRUE(succeeded(requireFused(remarks.getSites())));
  EXPECT_EQ(said, "");
  remarkUnfused(at(context, 2), "mask computed", "try mha-simplify-masks");
  remarkUnfused(at(context, 3), "f64", nullptr);
  EXPECT_TRUE(failed(requireFused(remarks.getSites())));
  EXPECT_EQ(said, "expected this attention to be fused, found it without a "
                  "kernel: mask computed\n"
                  "note: try mha-simplify-masks\n"
                  "expected this attention to be fused, found it without a "
                  "kernel: f64\n");
}
