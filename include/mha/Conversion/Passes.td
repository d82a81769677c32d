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
    op means. It is the reference that every other lowering is judged by; it keeps
    the scores of all queries and keys of the op in memory and fuses nothing. Each
    attention that it converts is named by a missed remark.

    The ops of partial states, `mha.online_attention`, `mha.merge` and
    `mha.finalize`, and what surrounds attention, `mha.projection`,
    `mha.qkv_projection`, `mha.rotary_embedding` and `mha.repeat_kv`, become the
    formulas of their descriptions in the same way, without a remark.

    Query head h reads key/value head h floordiv G in place; grouped keys and
    values are never repeated. On memrefs the ops are on memrefs and write
    into `outs`; temporaries are allocated, and freed by the deallocation
    pipeline or, behind it, with `free-temporaries`.

    Numerics: products, sums and exponentials are in f32, or f64 for a query of
    f64, in the order of the loops; the division comes last, so that a
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
  let options = [
    Option<"unscheduledOnly", "unscheduled-only", "bool", /*default=*/"false",
           "Leave attention with a schedule to the passes that follow it">,
    Option<"freeTemporaries", "free-temporaries", "bool", /*default=*/"false",
           "On memrefs, free temporaries: after the deallocation pipeline">
  ];
  let statistics = [
    Statistic<"numConverted", "num-converted", "Attention ops converted">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def ConvertMHAToVectorPass : Pass<"convert-mha-to-vector"> {
  let summary = "Replaces items of attention by vector code for a CPU";
  let description = [{
    Writes each `mha.attention` with a `#mha.cpu_schedule` as a kernel in the
    vector dialect that holds one query in each lane: Q is packed once, K and V
    are read in place, and the softmax runs along with the keys, so that nothing
    of size Sq x Sk is stored. Covers one item of `mha-tile-attention` (one batch
    entry, one key/value head, at most `block_q` queries; where Sq is dynamic, an
    `origin` is taken to say so), on memrefs of f32 whose innermost axis is d,
    with stride 1: full, causal and windowed attention with every alignment,
    offset, length and origin, dense masks of any type, ALiBi, scales of run
    time, sinks, groups of any size, lse, and any Sk, D and Dv.
    Anything else stays as it is, named with the reason by a missed remark.

    Exact up to rounding. Products, sums and the softmax are in f32; exponentials
    are 2^x by a polynomial of relative error below 1e-7; weights below 2^-126 are 0; the division
    comes last. What a query does not see has no influence on it, NaN or not,
    and keys that no query sees are not read. Sums run over the keys in order and
    begin anew with each block, so that `block_k` shows in the last bits.

    ```mlir
    mha.attention query(%q : memref<1x1x16x64xf32, strided<...>>, bhsd)
      key(%k : memref<1x1x512x64xf32, strided<...>>, bhsd) ...
      schedule(#mha.cpu_schedule<block_q = 16, ...>) outs(%o : ...)
    ```

    becomes

    ```mlir
    %qt = mha.scratch : memref<1x64x16xf32>
    ...                                        // Q, transposed
    %state:2 = scf.for %key = %c0 to %end step %c64 iter_args(...) {
      ... vector.fma ...                       // S = K Q^T
      ... vector.fma ...                       // P = 2^(c S - e)
      ... vector.fma ...                       // O^T = alpha O^T + V P
    }
    ...                                        // O, transposed back
    ```

    Source: Milakov and Gimelshein 2018 (the running softmax); Dao et al. 2022,
    algorithm 1.
  }];
  let statistics = [
    Statistic<"numConverted", "num-converted", "Attention ops converted">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // MHA_CONVERSION_PASSES_TD
