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

// Any size, in the order of the list, wherever it stands in a layout: each choice is behind the guards of those before it, and the last
// has none of its own.
// CHECK-LABEL: func.func @guards_on_all(
// CHECK-SAME: %[[Q:[a-z0-9]+]]: memref<?x?x?x6xf32>, %[[K:[a-z0-9]+]]: memref<?x?x?x6xf32>,
// CHECK: %[[ONE:.+]] = arith.constant 1 : index
// CHECK: %[[SK:.+]] = memref.dim %[[K]], %[[ONE]]
// CHECK: arith.cmpi sle, %[[SK]], %c100
// CHECK-NEXT: scf.if
// CHECK-NOT: scf.if
// CHECK: call @mha_attention_sbhd_hsbd_gn_d6x5_snxn_q16k64_strided(
// CHECK-NEXT: } else {
// CHECK: %[[ONE:.+]] = arith.constant 1 : index
// CHECK: %[[B:.+]] = memref.dim %[[Q]], %[[ONE]]
// CHECK: arith.cmpi sle, %[[B]], %c3
// CHECK-NEXT: scf.if
// CHECK-NOT: scf.if
// CHECK: call @mha_attention_sbhd_hsbd_gn_d6x5_snxn_q32k64_strided(
// CHECK-NEXT: } else {
// CHECK: %[[ZERO:.+]] = arith.constant 0 : index
// CHECK: %[[HKV:.+]] = memref.dim %[[K]], %[[ZERO]]
// CHECK: arith.cmpi sle, %[[HKV]], %c2
// CHECK-NEXT: scf.if
// CHECK-NOT: scf.if
// CHECK: call @mha_attention_sbhd_hsbd_gn_d6x5_snxn_q48k64_strided(
// CHECK-NEXT: } else {
// CHECK: %[[ZERO:.+]] = arith.constant 0 : index
// CHECK: %[[SQ:.+]] = memref.dim %[[Q]], %[[ZERO]]
// CHECK: arith.cmpi sle, %[[SQ]], %c9
// CHECK-NEXT: scf.if
// CHECK-NOT: scf.if
// CHECK: call @mha_attention_sbhd_hsbd_gn_d6x5_snxn_q64k64_strided(
// CHECK-NEXT: } else {
// CHECK-NOT: scf.if
// CHECK: call @mha_attention_sbhd_hsbd_gn_d6x5_snxn_q80k64_strided(
// CHECK-COUNT-4: {{^ +}}}{{$}}
// CHECK-NEXT: return
#q16 = #mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>
#q32 = #mha.cpu_schedule<block_q = 32, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>
#q48 = #mha.cpu_schedule<block_q = 48, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>
#q64 = #mha.cpu_schedule<block_q = 64, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>
#q80 = #mha.cpu_schedule<block_q = 80, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>
func.func @guards_on_all(%q: memref<?x?x?x6xf32>, %k: memref<?x?x?x6xf32>, %v: memref<?x?x?x5xf32>, %o: memref<?x?x?x5xf32>) {
  mha.attention query(%q : memref<?x?x?x6xf32>, sbhd) key(%k : memref<?x?x?x6xf32>, hsbd) value(%v : memref<?x?x?x5xf32>, bshd)
    schedule([#mha.when<key_len at_most 100, #q16>, #mha.when<batch at_most 3, #q32>, #mha.when<kv_heads at_most 2, #q48>,
              #mha.when<query_len at_most 9, #q64>, #q80])
    outs(%o : memref<?x?x?x5xf32>, bhsd)
  return
}

// -----

// A size that the type knows is compared all the same, and choices share kernels with ops that have but one.
// CHECK-LABEL: func.func @guards_share(
// CHECK: %[[SEVEN:.+]] = arith.constant 7 : index
// CHECK: %[[HOLDS:.+]] = arith.cmpi sle, %[[SEVEN]], %c5
// CHECK: scf.if %[[HOLDS]] {
// CHECK: call @[[FEW:mha_attention_.+_q16k64]](
// CHECK: } else {
// CHECK: call @[[MANY:mha_attention_.+_q32k64]](
// CHECK: call @[[MANY]](
// CHECK: call @[[FEW]](
// CHECK-COUNT-2: func.func private @mha_attention
// CHECK-NOT: func.func
#q16 = #mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>
#q32 = #mha.cpu_schedule<block_q = 32, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>
func.func @guards_share(%q: memref<2x6x7x5xf32>, %k: memref<2x3x11x5xf32>, %o: memref<2x6x7x5xf32>) {
  mha.attention query(%q : memref<2x6x7x5xf32>, bhsd) key(%k : memref<2x3x11x5xf32>, bhsd) value(%k : memref<2x3x11x5xf32>, bhsd)
    schedule([#mha.when<query_len at_most 5, #q16>, #q32]) outs(%o : memref<2x6x7x5xf32>)
  mha.attention query(%q : memref<2x6x7x5xf32>, bhsd) key(%k : memref<2x3x11x5xf32>, bhsd) value(%k : memref<2x3x11x5xf32>, bhsd)
    schedule(#q32) outs(%o : memref<2x6x7x5xf32>)
  mha.attention query(%q : memref<2x6x7x5xf32>, bhsd) key(%k : memref<2x3x11x5xf32>, bhsd) value(%k : memref<2x3x11x5xf32>, bhsd)
    schedule(#q16) outs(%o : memref<2x6x7x5xf32>)
  return
}

// -----

// Near misses with equal types: another layout of the query, the key, the value, the output. The last op is the first again.
// CHECK-LABEL: func.func @layouts(
// CHECK: call @[[FIRST:mha_attention_.+]](%
// CHECK-COUNT-4: call @
// CHECK: call @[[FIRST]](%
// CHECK-NEXT: return
// CHECK-COUNT-5: func.func private @mha_attention
// CHECK-NOT: func.func
#s = #mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>
func.func @layouts(%q: memref<?x?x?x5xf32>, %k: memref<?x?x?x5xf32>, %v: memref<?x?x?x4xf32>, %o: memref<?x?x?x4xf32>) {
  mha.attention query(%q : memref<?x?x?x5xf32>, bshd) key(%k : memref<?x?x?x5xf32>, bshd) value(%v : memref<?x?x?x4xf32>, bshd) schedule(#s) outs(%o : memref<?x?x?x4xf32>, bshd)
  mha.attention query(%q : memref<?x?x?x5xf32>, sbhd) key(%k : memref<?x?x?x5xf32>, bshd) value(%v : memref<?x?x?x4xf32>, bshd) schedule(#s) outs(%o : memref<?x?x?x4xf32>, bshd)
  mha.attention query(%q : memref<?x?x?x5xf32>, bshd) key(%k : memref<?x?x?x5xf32>, sbhd) value(%v : memref<?x?x?x4xf32>, bshd) schedule(#s) outs(%o : memref<?x?x?x4xf32>, bshd)
  mha.attention query(%q : memref<?x?x?x5xf32>, bshd) key(%k : memref<?x?x?x5xf32>, bshd) value(%v : memref<?x?x?x4xf32>, sbhd) schedule(#s) outs(%o : memref<?x?x?x4xf32>, bshd)
  mha.attention query(%q : memref<?x?x?x5xf32>, bshd) key(%k : memref<?x?x?x5xf32>, bshd) value(%v : memref<?x?x?x4xf32>, bshd) schedule(#s) outs(%o : memref<?x?x?x4xf32>, sbhd)
  mha.attention query(%q : memref<?x?x?x5xf32>, bshd) key(%k : memref<?x?x?x5xf32>, bshd) value(%v : memref<?x?x?x4xf32>, bshd) schedule(#s) outs(%o : memref<?x?x?x4xf32>, bshd)
  return
}

// -----

// Near misses with equal names of schedules: one that prefetches and one that does not. Another size, a size that is not static, an lse,
// lengths, an alignment. Only batch entries and heads may be apart in another way: the last op is the first again.
// CHECK-LABEL: func.func @schedules_and_shapes(
// CHECK: call @[[FIRST:mha_attention_bhsd_g2_d5_s7x11_q16k64]](%
// CHECK-COUNT-6: call @
// CHECK: call @[[FIRST]](%
// CHECK-NEXT: return
// CHECK-COUNT-7: func.func private @mha_attention
// CHECK-NOT: func.func
#s = #mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>
#calm = #mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = false>
!q = memref<2x6x7x5xf32, strided<[?, ?, 5, 1], offset: ?>>
!k = memref<2x3x11x5xf32, strided<[?, ?, 5, 1], offset: ?>>
!k13 = memref<2x3x13x5xf32, strided<[?, ?, 5, 1], offset: ?>>
!kn = memref<2x3x?x5xf32, strided<[?, ?, 5, 1], offset: ?>>
!apart = memref<2x6x7x5xf32, strided<[999, 111, 5, 1], offset: 3>>
func.func @schedules_and_shapes(%q: !q, %k: !k, %k13: !k13, %kn: !kn, %o: !q, %lse: memref<2x6x7xf32>, %len: memref<2xi64>, %apart: !apart) {
  mha.attention query(%q : !q, bhsd) key(%k : !k, bhsd) value(%k : !k, bhsd) schedule(#s) outs(%o : !q)
  mha.attention query(%q : !q, bhsd) key(%k : !k, bhsd) value(%k : !k, bhsd) schedule(#calm) outs(%o : !q)
  mha.attention query(%q : !q, bhsd) key(%k13 : !k13, bhsd) value(%k13 : !k13, bhsd) schedule(#s) outs(%o : !q)
  mha.attention query(%q : !q, bhsd) key(%kn : !kn, bhsd) value(%kn : !kn, bhsd) schedule(#s) outs(%o : !q)
  mha.attention query(%q : !q, bhsd) key(%k : !k, bhsd) value(%k : !k, bhsd) schedule(#s) outs(%o : !q, lse %lse : memref<2x6x7xf32>)
  mha.attention query(%q : !q, bhsd) key(%k : !k, bhsd) value(%k : !k, bhsd) lengths(%len : memref<2xi64>) schedule(#s) outs(%o : !q)
  mha.attention query(%q : !q, bhsd) key(%k : !k, bhsd) value(%k : !k, bhsd) mask<causal> align(top_left) schedule(#s) outs(%o : !q)
  mha.attention query(%apart : !apart, bhsd) key(%k : !k, bhsd) value(%k : !k, bhsd) schedule(#s) outs(%o : !q)
  return
}

// -----

// Only the alignment tells two causal masks apart, and only what is called what: the kernel for queries from the last key on must not
// compute those from the first.
// CHECK-LABEL: func.func @alignments(
// CHECK: call @[[TOP:[a-z0-9_]+]](
// CHECK-NOT: call @[[TOP]](
// CHECK: call @[[BOTTOM:[a-z0-9_]+]](
// CHECK: return
// CHECK: func.func private @[[TOP]](
// CHECK-NEXT: mha.attention {{.*}} align(top_left)
// CHECK: func.func private @[[BOTTOM]](
// CHECK-NEXT: mha.attention {{.*}} align(bottom_right)
#s = #mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>
func.func @alignments(%q: memref<2x6x7x5xf32>, %k: memref<2x3x11x5xf32>, %o: memref<2x6x7x5xf32>) {
  mha.attention query(%q : memref<2x6x7x5xf32>, bhsd) key(%k : memref<2x3x11x5xf32>, bhsd) value(%k : memref<2x3x11x5xf32>, bhsd)
    mask<causal> align(top_left) schedule(#s) outs(%o : memref<2x6x7x5xf32>)
  mha.attention query(%q : memref<2x6x7x5xf32>, bhsd) key(%k : memref<2x3x11x5xf32>, bhsd) value(%k : memref<2x3x11x5xf32>, bhsd)
    mask<causal> align(bottom_right) schedule(#s) outs(%o : memref<2x6x7x5xf32>)
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

// -----

// A module inside has names of its own: a kernel outside of it could not be called, so it has one.
// CHECK-LABEL: func.func @outside(
// CHECK: call @[[KERNEL:mha_attention.+]](%
// CHECK-LABEL: module @inside {
// CHECK: func.func @inside(
// CHECK: call @[[INNER:mha_attention.+]](%
// CHECK: func.func private @[[INNER]](
// CHECK: {{^  }}}
// CHECK: {{^  }}func.func private @[[KERNEL]](
#s = #mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>
func.func @outside(%q: memref<2x6x7x5xf32>, %k: memref<2x3x11x5xf32>, %o: memref<2x6x7x5xf32>) {
  mha.attention query(%q : memref<2x6x7x5xf32>, bhsd) key(%k : memref<2x3x11x5xf32>, bhsd) value(%k : memref<2x3x11x5xf32>, bhsd)
    schedule(#s) outs(%o : memref<2x6x7x5xf32>)
  return
}
module @inside {
  func.func @inside(%q: memref<2x6x7x5xf32>, %k: memref<2x3x11x5xf32>, %o: memref<2x6x7x5xf32>) {
    mha.attention query(%q : memref<2x6x7x5xf32>, bhsd) key(%k : memref<2x3x11x5xf32>, bhsd) value(%k : memref<2x3x11x5xf32>, bhsd)
      schedule(#s) outs(%o : memref<2x6x7x5xf32>)
    return
  }
}
