// RUN: mha-opt %s --mha-outline-kernels --split-input-file | FileCheck %s
// RUN: mha-opt %s --mha-outline-kernels --split-input-file > %t.once
// RUN: mha-opt %t.once --mha-outline-kernels --split-input-file | diff %t.once -
// RUN: mha-opt %s --mha-outline-kernels --split-input-file --remarks-filter=mha-outline-kernels --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

// Equal ops share a kernel, whatever notes they carry and wherever in a buffer their operands lie.
// CHECK-LABEL: func.func @shared(
// CHECK: call @[[KERNEL:mha_attention_bhsd_g1_d4_s32x32_q16k64]](
// CHECK: call @[[KERNEL]](
// CHECK: call @[[KERNEL]](
// CHECK: func.func private @[[KERNEL]](%{{.*}}: memref<1x2x32x4xf32, strided<[?, ?, 4, 1], offset: ?>>,
// CHECK-SAME: attributes {llvm.linkage = #llvm.linkage<internal>, mha.kernel}
// CHECK-NEXT: mha.attention
// CHECK-NOT: mha_attention
// REMARK: outline-kernels.mlir:[[#@LINE+4]]:{{.*}}[Passed] outlined-kernel{{.*}}computed by mha_attention_bhsd_g1_d4_s32x32_q16k64
// REMARK: [Passed] outlined-kernel
// REMARK: [Passed] outlined-kernel
func.func @shared(%q: memref<1x2x32x4xf32>, %k: memref<1x2x32x4xf32>, %big: memref<3x2x32x4xf32>, %o: memref<1x2x32x4xf32>) {
  mha.attention query(%q : memref<1x2x32x4xf32>, bhsd) key(%k : memref<1x2x32x4xf32>, bhsd) value(%k : memref<1x2x32x4xf32>, bhsd) schedule(#mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>) outs(%o : memref<1x2x32x4xf32>)
  mha.attention query(%k : memref<1x2x32x4xf32>, bhsd) key(%q : memref<1x2x32x4xf32>, bhsd) value(%k : memref<1x2x32x4xf32>, bhsd) schedule(#mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>) {note = 2} outs(%o : memref<1x2x32x4xf32>)
  %part = memref.subview %big[1, 0, 0, 0] [1, 2, 32, 4] [1, 1, 1, 1] : memref<3x2x32x4xf32> to memref<1x2x32x4xf32, strided<[256, 128, 4, 1], offset: 256>>
  mha.attention query(%part : memref<1x2x32x4xf32, strided<[256, 128, 4, 1], offset: 256>>, bhsd) key(%k : memref<1x2x32x4xf32>, bhsd) value(%k : memref<1x2x32x4xf32>, bhsd) schedule(#mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>) outs(%o : memref<1x2x32x4xf32>)
  return
}

// -----

// Near misses: another mask, another schedule, another row stride, another scale.
// CHECK-LABEL: func.func @distinct(
// CHECK: call @mha_attention_bhsd_g1_d4_s32x32_q16k64(
// CHECK: call @mha_attention_bhsd_g1_d4_s32x32_causal_q16k64(
// CHECK: call @mha_attention_bhsd_g1_d4_s32x32_q32k64(
// CHECK: call @mha_attention_bhsd_g1_d4_s32x32_q16k64_0(
// CHECK: call @mha_attention_bhsd_g1_d4_s32x32_q16k64_1(
func.func @distinct(%q: memref<1x2x32x4xf32>, %wide: memref<1x2x32x4xf32, strided<[512, 256, 8, 1]>>, %o: memref<1x2x32x4xf32>) {
  mha.attention query(%q : memref<1x2x32x4xf32>, bhsd) key(%q : memref<1x2x32x4xf32>, bhsd) value(%q : memref<1x2x32x4xf32>, bhsd) schedule(#mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>) outs(%o : memref<1x2x32x4xf32>)
  mha.attention query(%q : memref<1x2x32x4xf32>, bhsd) key(%q : memref<1x2x32x4xf32>, bhsd) value(%q : memref<1x2x32x4xf32>, bhsd) mask<causal> schedule(#mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>) outs(%o : memref<1x2x32x4xf32>)
  mha.attention query(%q : memref<1x2x32x4xf32>, bhsd) key(%q : memref<1x2x32x4xf32>, bhsd) value(%q : memref<1x2x32x4xf32>, bhsd) schedule(#mha.cpu_schedule<block_q = 32, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 2, unroll = 4, prefetch = true>) outs(%o : memref<1x2x32x4xf32>)
  mha.attention query(%wide : memref<1x2x32x4xf32, strided<[512, 256, 8, 1]>>, bhsd) key(%q : memref<1x2x32x4xf32>, bhsd) value(%q : memref<1x2x32x4xf32>, bhsd) schedule(#mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>) outs(%o : memref<1x2x32x4xf32>)
  mha.attention query(%q : memref<1x2x32x4xf32>, bhsd) key(%q : memref<1x2x32x4xf32>, bhsd) value(%q : memref<1x2x32x4xf32>, bhsd) scale(0.25) schedule(#mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>) outs(%o : memref<1x2x32x4xf32>)
  return
}

// -----

// Which schedule depends on a size: 32 queries or fewer take the first.
// CHECK-LABEL: func.func @guards(
// CHECK: %[[SQ:.+]] = memref.dim %arg0, %{{.+}}
// CHECK: %[[FEW:.+]] = arith.cmpi sle, %[[SQ]], %c20
// CHECK: scf.if %[[FEW]] {
// CHECK: call @mha_attention_bhsd_g1_d4_snx32_q16k64(
// CHECK: } else {
// CHECK: call @mha_attention_bhsd_g1_d4_snx32_q32k64(
func.func @guards(%q: memref<1x2x?x4xf32>, %k: memref<1x2x32x4xf32>, %o: memref<1x2x?x4xf32>) {
  mha.attention query(%q : memref<1x2x?x4xf32>, bhsd) key(%k : memref<1x2x32x4xf32>, bhsd) value(%k : memref<1x2x32x4xf32>, bhsd)
    schedule([#mha.when<query_len at_most 20, #mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>>, #mha.cpu_schedule<block_q = 32, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 2, unroll = 4, prefetch = true>])
    outs(%o : memref<1x2x?x4xf32>)
  return
}

// -----

// Rows and elements that only run time knows: an operand whose elements are not side by side is packed, and rows as in a contiguous
// buffer have a kernel of their own. The key has its elements side by side already.
// CHECK-LABEL: func.func @strides(
// CHECK-SAME: %[[Q:.+]]: memref<1x2x32x4xf32, strided<[?, ?, ?, ?], offset: ?>>, %[[K:.+]]: memref<1x2x32x4xf32, strided<[?, ?, 9, 1], offset: ?>>, %[[O:.+]]: memref<1x2x32x4xf32, strided<[?, ?, ?, ?], offset: ?>>
// CHECK: %{{.+}}, %{{.+}}, %{{.+}}:4, %[[QS:.+]]:4 = memref.extract_strided_metadata %[[Q]]
// CHECK: %[[QOK:.+]] = arith.cmpi eq, %[[QS]]#3, %c1
// CHECK: %[[QP:.+]] = scf.if %[[QOK]]
// CHECK-NOT: memref.alloc
// CHECK: } else {
// CHECK: %[[QC:.+]] = memref.alloc() : memref<1x2x32x4xf32>
// CHECK: memref.copy %[[Q]], %[[QC]]
// CHECK: %[[OP:.+]] = scf.if
// CHECK: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: %[[ROWS:.+]] = arith.andi
// CHECK: scf.if %[[ROWS]] {
// CHECK: call @mha_attention_bhsd_g1_d4_s32x32_q16k64(
// CHECK: } else {
// CHECK: call @mha_attention_bhsd_g1_d4_s32x32_q16k64_strided(
// CHECK: scf.if
// CHECK-NOT: memref.copy
// CHECK: memref.dealloc %[[QP]]
// CHECK: scf.if
// CHECK: memref.copy %[[OP]], %[[O]]
// CHECK: memref.dealloc %[[OP]]
// CHECK: return
func.func @strides(%q: memref<1x2x32x4xf32, strided<[?, ?, ?, ?], offset: ?>>, %k: memref<1x2x32x4xf32, strided<[?, ?, 9, 1], offset: ?>>,
                   %o: memref<1x2x32x4xf32, strided<[?, ?, ?, ?], offset: ?>>) {
  mha.attention query(%q : memref<1x2x32x4xf32, strided<[?, ?, ?, ?], offset: ?>>, bhsd)
    key(%k : memref<1x2x32x4xf32, strided<[?, ?, 9, 1], offset: ?>>, bhsd) value(%k : memref<1x2x32x4xf32, strided<[?, ?, 9, 1], offset: ?>>, bhsd)
    schedule(#mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>) outs(%o : memref<1x2x32x4xf32, strided<[?, ?, ?, ?], offset: ?>>)
  return
}

// -----

// No schedule, and tensors: left alone.
// CHECK-LABEL: func.func @left(
// CHECK-NOT: call
// CHECK: mha.attention
// CHECK: mha.attention
// CHECK-NOT: func.func
func.func @left(%q: memref<1x2x32x4xf32>, %o: memref<1x2x32x4xf32>, %t: tensor<1x2x32x4xf32>) -> tensor<1x2x32x4xf32> {
  mha.attention query(%q : memref<1x2x32x4xf32>, bhsd) key(%q : memref<1x2x32x4xf32>, bhsd) value(%q : memref<1x2x32x4xf32>, bhsd) outs(%o : memref<1x2x32x4xf32>)
  %r = mha.attention query(%t : tensor<1x2x32x4xf32>, bhsd) key(%t : tensor<1x2x32x4xf32>, bhsd) value(%t : tensor<1x2x32x4xf32>, bhsd) schedule(#mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>) -> tensor<1x2x32x4xf32>
  return %r : tensor<1x2x32x4xf32>
}
