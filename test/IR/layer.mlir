// RUN: mha-opt %s | FileCheck %s
// RUN: mha-opt %s --emit-bytecode | mha-opt | FileCheck %s
// RUN: mha-opt %s --mlir-print-op-generic | mha-opt | FileCheck %s

// Everything that separate weights can have, each of its own type.
// CHECK-LABEL: func.func @separate
// CHECK: mha.layer heads(6) kv_heads(2) query(%{{[^ ]+}} : tensor<7x2x5xbf16>) key(%{{[^ ]+}} : tensor<?x2x11xf32>) value(%{{[^ ]+}} : tensor<9x?x13xf16>) sequence_first
// CHECK-SAME: w_q(%{{[^ ]+}} : tensor<24x5xf16>, oe) w_k(%{{[^ ]+}} : tensor<11x8xf32>, eo) w_v(%{{[^ ]+}} : tensor<6x13xf32>, oe) w_o(%{{[^ ]+}} : tensor<18x10xf32>, eo)
// CHECK-SAME: b_q(%{{[^ ]+}} : tensor<24xf32>) b_v(%{{[^ ]+}} : tensor<6xf32>) b_o(%{{[^ ]+}} : tensor<10xf32>)
// CHECK-SAME: extra_key(%{{[^ ]+}} : tensor<8xf32>) extra_value(%{{[^ ]+}} : tensor<6xf32>) zero_attn
// CHECK-SAME: mask<causal, window<3, 0>> align(end) scale(2.500000e-01) dense_mask(%{{[^ ]+}} : tensor<6x7x9xf32>) key_padding(%{{[^ ]+}} : tensor<2x9xi1>, hidden)
// CHECK-SAME: lengths(%{{[^ ]+}} : tensor<2xi64>) query_offset(%{{[^ ]+}} : i64) head_gate(%{{[^ ]+}} : tensor<2x6xf32>) residual(%{{[^ ]+}} : tensor<7x2x10xf32>) -> tensor<7x2x10xbf16>
func.func @separate(%x: tensor<7x2x5xbf16>, %k: tensor<?x2x11xf32>, %v: tensor<9x?x13xf16>, %wq: tensor<24x5xf16>, %wk: tensor<11x8xf32>, %wv: tensor<6x13xf32>,
    %wo: tensor<18x10xf32>, %bq: tensor<24xf32>, %bv: tensor<6xf32>, %bo: tensor<10xf32>, %ek: tensor<8xf32>, %m: tensor<6x7x9xf32>, %p: tensor<2x9xi1>,
    %n: tensor<2xi64>, %off: i64, %g: tensor<2x6xf32>, %r: tensor<7x2x10xf32>) -> tensor<7x2x10xbf16> {
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<7x2x5xbf16>) key(%k : tensor<?x2x11xf32>) value(%v : tensor<9x?x13xf16>) sequence_first
    w_q(%wq : tensor<24x5xf16>, oe) w_k(%wk : tensor<11x8xf32>, eo) w_v(%wv : tensor<6x13xf32>, oe) w_o(%wo : tensor<18x10xf32>, eo)
    b_q(%bq : tensor<24xf32>) b_v(%bv : tensor<6xf32>) b_o(%bo : tensor<10xf32>)
    extra_key(%ek : tensor<8xf32>) extra_value(%bv : tensor<6xf32>) zero_attn
    mask<causal, window<3, 0>> align(end) scale(0.25) dense_mask(%m : tensor<6x7x9xf32>) key_padding(%p : tensor<2x9xi1>, hidden)
    lengths(%n : tensor<2xi64>) query_offset(%off : i64) head_gate(%g : tensor<2x6xf32>) residual(%r : tensor<7x2x10xf32>) -> tensor<7x2x10xbf16>
  return %0 : tensor<7x2x10xbf16>
}

// A packed weight, a scale of run time, and a padding that is added.
// CHECK-LABEL: func.func @packed
// CHECK: mha.layer heads(4) query(%{{[^ ]+}} : tensor<?x?x?xf64>) w_qkv(%{{[^ ]+}} : tensor<36x?xf64>, oe) w_o(%{{[^ ]+}} : tensor<7x12xf64>, oe) b_qkv(%{{[^ ]+}} : tensor<36xf64>)
// CHECK-SAME: scale(%{{[^ ]+}} : f64) key_padding(%{{[^ ]+}} : tensor<?x?xf64>) head_gate(%{{[^ ]+}} : tensor<4xi1>) -> tensor<?x?x7xf64>
func.func @packed(%x: tensor<?x?x?xf64>, %w: tensor<36x?xf64>, %wo: tensor<7x12xf64>, %b: tensor<36xf64>, %s: f64, %p: tensor<?x?xf64>, %g: tensor<4xi1>) -> tensor<?x?x7xf64> {
  %0 = mha.layer heads(4) query(%x : tensor<?x?x?xf64>) w_qkv(%w : tensor<36x?xf64>, oe) w_o(%wo : tensor<7x12xf64>, oe) b_qkv(%b : tensor<36xf64>)
    scale(%s : f64) key_padding(%p : tensor<?x?xf64>) head_gate(%g : tensor<4xi1>) -> tensor<?x?x7xf64>
  return %0 : tensor<?x?x7xf64>
}
