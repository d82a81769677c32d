// RUN: mha-opt %s --convert-mha-to-vector --canonicalize --remarks-filter=convert-mha-to-vector --remark-format=emitRemark 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

// Nothing is masked, and the keys fill whole blocks: one loop over the keys, no comparison of positions, no memory but scratch.
// Where a sum is not finite all is done once more, leaving out the values of hidden keys.
// CHECK-LABEL: func.func @full(
// CHECK-NOT: memref.alloc
// CHECK: mha.scratch : memref<1x32x32xf32>
// CHECK: mha.scratch : memref<1x64x32xf32>
// CHECK: mha.scratch : memref<1x32x32xf32>
// CHECK: mha.scratch : memref<2x16xf32>
// CHECK-NOT: memref.alloc
// CHECK: vector.shuffle
// CHECK: scf.for {{.*}} = %c0 to %c128 step %c64 iter_args
// CHECK-NOT: arith.cmpi
// CHECK: vector.fma
// CHECK-NOT: arith.cmpi
// CHECK: %[[SUM:.+]] = vector.reduction <add>
// CHECK: %[[NAN:.+]] = arith.cmpf uno, %[[SUM]], %[[SUM]]
// CHECK: scf.if %[[NAN]]
// CHECK: scf.for
// CHECK: arith.cmpi sge, %{{.+}}, %{{.+}} : vector<16xi32>
// CHECK: vector.shuffle
// CHECK-NOT: mha.attention
// CHECK: return
func.func @full(%q: memref<1x2x16x32xf32, strided<[?, ?, 32, 1], offset: ?>>, %k: memref<1x1x128x32xf32, strided<[?, ?, 32, 1], offset: ?>>, %o: memref<1x2x16x32xf32, strided<[?, ?, 32, 1], offset: ?>>) {
  mha.attention query(%q : memref<1x2x16x32xf32, strided<[?, ?, 32, 1], offset: ?>>, bhsd) key(%k : memref<1x1x128x32xf32, strided<[?, ?, 32, 1], offset: ?>>, bhsd) value(%k : memref<1x1x128x32xf32, strided<[?, ?, 32, 1], offset: ?>>, bhsd) schedule(#mha.cpu_schedule<block_q = 16, block_g = 2, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 2, unroll = 4, prefetch = true>) outs(%o : memref<1x2x16x32xf32, strided<[?, ?, 32, 1], offset: ?>>)
  return
}

// Keys that all rows see, then those at the edge: compared with the rows' positions, rows clamped to the last visible key. Only
// where all is done once more hidden weights are marked by their sign.
// CHECK-LABEL: func.func @causal(
// CHECK: %[[FULL:.+]]:4 = scf.for {{.*}} step %c64 iter_args
// CHECK-NOT: vector<16xi64>
// CHECK: scf.for {{.*}} step %c64 iter_args(%{{.+}} = %[[FULL]]#0
// CHECK: arith.minsi
// CHECK: arith.cmpi sle, %{{.+}}, %{{.+}} : vector<16xi64>
// CHECK: arith.select %{{.+}}, %{{.+}}, %{{.+}} : vector<16xi1>, vector<16xf32>
// CHECK-NOT: vector<16xi32>, vector<16xi1>
// CHECK: vector.reduction <add>
// CHECK: scf.if
// CHECK: arith.cmpi sge, %{{.+}}, %{{.+}} : vector<16xi32>
// CHECK-NOT: mha.attention
// CHECK: return
func.func @causal(%q: memref<1x2x16x32xf32, strided<[?, ?, 32, 1], offset: ?>>, %k: memref<1x1x128x32xf32, strided<[?, ?, 32, 1], offset: ?>>, %o: memref<1x2x16x32xf32, strided<[?, ?, 32, 1], offset: ?>>, %p: index) {
  mha.attention query(%q : memref<1x2x16x32xf32, strided<[?, ?, 32, 1], offset: ?>>, bhsd) key(%k : memref<1x1x128x32xf32, strided<[?, ?, 32, 1], offset: ?>>, bhsd) value(%k : memref<1x1x128x32xf32, strided<[?, ?, 32, 1], offset: ?>>, bhsd) mask<causal> align(explicit) query_offset(%p : index) schedule(#mha.cpu_schedule<block_q = 16, block_g = 2, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 2, unroll = 4, prefetch = true>) outs(%o : memref<1x2x16x32xf32, strided<[?, ?, 32, 1], offset: ?>>)
  return
}

// What is refused stays as it is.
// CHECK-LABEL: func.func @refused(
// CHECK-NOT: vector.fma
// CHECK-COUNT-4: mha.attention
// CHECK-NOT: vector.fma
// CHECK: return
func.func @refused(%q: memref<1x2x16x32xf32, strided<[?, ?, 32, 1], offset: ?>>, %k: memref<1x1x128x32xf32, strided<[?, ?, 32, 1], offset: ?>>, %o: memref<1x2x16x32xf32, strided<[?, ?, 32, 1], offset: ?>>, %t: tensor<1x2x16x32xf32>, %u: tensor<1x1x128x32xf32>,
                   %q2: memref<2x2x16x32xf32>, %k2: memref<2x1x128x32xf32>, %x: memref<1x2x16x32xf32, strided<[?, ?, ?, ?]>>) -> tensor<1x2x16x32xf32> {
  // REMARK: [[#@LINE+1]]:{{.*}}[Missed] not-vectorized{{.*}}it has no CPU schedule
  mha.attention query(%q : memref<1x2x16x32xf32, strided<[?, ?, 32, 1], offset: ?>>, bhsd) key(%k : memref<1x1x128x32xf32, strided<[?, ?, 32, 1], offset: ?>>, bhsd) value(%k : memref<1x1x128x32xf32, strided<[?, ?, 32, 1], offset: ?>>, bhsd) outs(%o : memref<1x2x16x32xf32, strided<[?, ?, 32, 1], offset: ?>>)
  // REMARK: [[#@LINE+1]]:{{.*}}it is on tensors: bufferize first
  %r = mha.attention query(%t : tensor<1x2x16x32xf32>, bhsd) key(%u : tensor<1x1x128x32xf32>, bhsd) value(%u : tensor<1x1x128x32xf32>, bhsd) schedule(#mha.cpu_schedule<block_q = 16, block_g = 2, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 2, unroll = 4, prefetch = true>) -> tensor<1x2x16x32xf32>
  // REMARK: [[#@LINE+1]]:{{.*}}it is more than one item: run mha-tile-attention first
  mha.attention query(%q2 : memref<2x2x16x32xf32>, bhsd) key(%k2 : memref<2x1x128x32xf32>, bhsd) value(%k2 : memref<2x1x128x32xf32>, bhsd) schedule(#mha.cpu_schedule<block_q = 16, block_g = 2, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 2, unroll = 4, prefetch = true>) outs(%q2 : memref<2x2x16x32xf32>)
  // REMARK: [[#@LINE+1]]:{{.*}}the innermost stride of an operand is not known to be 1
  mha.attention query(%x : memref<1x2x16x32xf32, strided<[?, ?, ?, ?]>>, bhsd) key(%k : memref<1x1x128x32xf32, strided<[?, ?, 32, 1], offset: ?>>, bhsd) value(%k : memref<1x1x128x32xf32, strided<[?, ?, 32, 1], offset: ?>>, bhsd) schedule(#mha.cpu_schedule<block_q = 16, block_g = 2, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 2, unroll = 4, prefetch = true>) outs(%o : memref<1x2x16x32xf32, strided<[?, ?, 32, 1], offset: ?>>)
  return %r : tensor<1x2x16x32xf32>
}
