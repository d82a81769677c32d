//===- AttributesTest.cpp - Attributes built by C++ -----------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/IR/MHA.h"

#include "mlir/IR/Diagnostics.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::mha;

// The parser always has both sides; C++ may not.
TEST(MaskAttribute, RefusesAWindowOfOneSide) {
  MLIRContext context;
  context.loadDialect<MHADialect>();
  std::string message;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  Location loc = UnknownLoc::get(&context);
  MaskAttr mask = MaskAttr::getChecked(
      [&] { return emitError(loc); }, &context, /*causal=*/true,
      /*windowLeft=*/std::optional<int64_t>(3),
      /*windowRight=*/std::optional<int64_t>());
  EXPECT_FALSE(mask);
  EXPECT_EQ(message, "expected a window with a left and a right size");
}
