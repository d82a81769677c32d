//===- Passes.td - Conversions of the mha dialect ---------*- tablegen -*--===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_CONVERSION_PASSES_TD
#define MHA_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertMHAToLinalgPass : Pass<"convert-mha-to-linalg"> {
  let summary = "Replaces attention by its definition in linalg ops";
  let description = [{
    Writes each `mha.attention` as the formula of its description: scores by
    one contraction, scale and masks, a row maximum, exponentials and their
    row sum, a second contraction, and the division by the sum. Exact: this is what the
    op means. It is the reference that every other lowering is judged by, and
    the fallback where there is no kernel; it keeps B x Hq x Sq x Sk scores in
    memory and fuses nothing. Each op that it converts is named by a missed
    remark.

    Query head h reads key/value head h floordiv G in place; grouped keys and
    values are never repeated. On memrefs the ops are on memrefs and write
    into `outs`; temporaries are allocated, and freed by the deallocation
    pipeline.

    Numerics: products, sums and exponentials are in the element type of the
    operands, in the order of the loops; the division comes last, so that a
    row of equal values comes back as that value. Hidden keys are
    selected away, so that non-finite values behind a mask have no influence.

    ```mlir
    %o = mha.attention query(%q : tensor<1x6x5x8xf32>, bhsd)
           key(%k : tensor<1x3x7x8xf32>, bhsd)
           value(%v : tensor<1x3x7x4xf32>, bhsd) -> tensor<1x6x5x4xf32>
    ```

    becomes

    ```mlir
    %scores = linalg.generic ... ins(%q, %k) outs(%zero)      // b h i j, d
    %masked = linalg.generic ... outs(%scores)                // scale, masks
    %max = linalg.generic ... ins(%masked) outs(%lowest)      // over j
    %weights = linalg.generic ... ins(%masked, %max)          // exp
    %sum = linalg.generic ... ins(%weights) outs(%zero1)      // over j
    %acc = linalg.generic ... ins(%weights, %masked, %v)      // over j
    %o = linalg.generic ... ins(%sum) outs(%acc)              // division
    ```

    Source: Vaswani et al. 2017, eq. (1).
  }];
  let statistics = [
    Statistic<"numConverted", "num-converted", "Attention ops converted">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

#endif // MHA_CONVERSION_PASSES_TD
