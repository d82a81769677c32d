// RUN: mha-opt %s | mha-opt | FileCheck %s
// RUN: mha-opt %s --mlir-print-op-generic | mha-opt | FileCheck %s
// RUN: mha-opt %s --emit-bytecode | mha-opt | FileCheck %s

// CHECK-LABEL: func.func @one
// CHECK: schedule(#mha.cpu_schedule<block_q = 32, block_g = 1, block_k = 96, lanes = 16, qk_rows = 6, pv_rows = 5, vectors = 2, unroll = 4, prefetch = false>)
func.func @one(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) -> tensor<2x6x7x4xf32> {
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    schedule(#mha.cpu_schedule<block_q = 32, block_g = 1, block_k = 96, lanes = 16, qk_rows = 6, pv_rows = 5, vectors = 2, unroll = 4, prefetch = false>)
    -> tensor<2x6x7x4xf32>
  return %o : tensor<2x6x7x4xf32>
}

// CHECK-LABEL: func.func @list
// CHECK: schedule([#mha.when<query_len at_most 8, #mha.cpu_schedule<block_q = 8,
// CHECK-SAME: #mha.when<key_len at_most 100, #mha.cpu_schedule<block_q = 16,
// CHECK-SAME: #mha.when<batch at_most 1, #mha.cpu_schedule<block_q = 24,
// CHECK-SAME: #mha.when<kv_heads at_most 2, #mha.cpu_schedule<block_q = 32,
// CHECK-SAME: #mha.cpu_schedule<block_q = 40, block_g = 2,
#s8 = #mha.cpu_schedule<block_q = 8, block_g = 1, block_k = 64, lanes = 8, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 2, prefetch = true>
#s16 = #mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 8, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 2, prefetch = true>
#s24 = #mha.cpu_schedule<block_q = 24, block_g = 1, block_k = 64, lanes = 8, qk_rows = 4, pv_rows = 4, vectors = 3, unroll = 2, prefetch = true>
#s32 = #mha.cpu_schedule<block_q = 32, block_g = 1, block_k = 64, lanes = 8, qk_rows = 4, pv_rows = 4, vectors = 2, unroll = 2, prefetch = true>
#s40 = #mha.cpu_schedule<block_q = 40, block_g = 2, block_k = 64, lanes = 8, qk_rows = 4, pv_rows = 4, vectors = 5, unroll = 2, prefetch = true>
func.func @list(%q: tensor<?x6x?x5xf32>, %k: tensor<?x3x?x5xf32>) -> tensor<?x6x?x5xf32> {
  %o = mha.attention query(%q : tensor<?x6x?x5xf32>, bhsd) key(%k : tensor<?x3x?x5xf32>, bhsd) value(%k : tensor<?x3x?x5xf32>, bhsd)
    schedule([#mha.when<query_len at_most 8, #s8>, #mha.when<key_len at_most 100, #s16>, #mha.when<batch at_most 1, #s24>,
              #mha.when<kv_heads at_most 2, #s32>, #s40])
    -> tensor<?x6x?x5xf32>
  return %o : tensor<?x6x?x5xf32>
}

// CHECK-LABEL: func.func @items
// CHECK: mapping = [#mha.item<1>, #mha.item<0, descending>]
// CHECK: mha.scratch : memref<3x5xf32>
// CHECK: mha.scratch_size : i64
func.func @items(%n: index, %m: memref<?x?xf32>, %x: f32) -> i64 {
  scf.forall (%i, %j) in (%n, 3) {
    memref.store %x, %m[%i, %j] : memref<?x?xf32>
  } {mapping = [#mha.item<1>, #mha.item<0, descending>]}
  %s = mha.scratch : memref<3x5xf32>
  %bytes = mha.scratch_size : i64
  return %bytes : i64
}
