// RUN: mha-opt %s --mha-tile-attention --canonicalize | FileCheck %s
// RUN: mha-opt %s --mha-tile-attention=tile-sizes=0,1,0,3,2 --canonicalize | FileCheck %s --check-prefix=FORCED
// RUN: mha-opt %s --mha-tile-attention=tile-sizes=0,0,0,0,0 | FileCheck %s --check-prefix=WHOLE
// RUN: mha-opt %s --mha-tile-attention='tile-sizes=1,1,1,5,0 unscheduled-only' | FileCheck %s --check-prefix=LEFT
// RUN: not mha-opt %s --mha-tile-attention=tile-sizes=1,1,1 2>&1 | FileCheck %s --check-prefix=FIVE
// RUN: not mha-opt %s --mha-tile-attention=tile-sizes=1,1,1,1,1,1 2>&1 | FileCheck %s --check-prefix=FIVE
// RUN: not mha-opt %s --mha-tile-attention=tile-sizes=1,1,1,-1,0 2>&1 | FileCheck %s --check-prefix=FIVE
// RUN: not mha-opt %s --mha-tile-attention=tile-sizes=1,1,1,2147483649,0 2>&1 | FileCheck %s --check-prefix=FIVE
// RUN: not mha-opt /dev/null --mha-cpu-pipeline=block-q=-1 2>&1 | FileCheck %s --check-prefix=FIVE
// RUN: not mha-opt %s --mha-tile-attention=tile-sizes=1,2,1,0,0 2>&1 | FileCheck %s --check-prefix=HEADS

// FIVE: error: expected the option tile-sizes (of which block-q of mha-cpu-pipeline is the fourth) to be five sizes from 0 to 2147483648, for (b, k, g, i, n)
// HEADS: error: 'mha.attention' op expected tile sizes with one key/value head or all of a group, and the whole head size beside an lse

// Query heads 4 k + g to 4 k + g + 1; key head k; the last query block is short. Later queries see more keys, so their blocks come
// first. Sq of the tile is not Sq of the problem.
// CHECK-LABEL: func.func @causal(
// CHECK-SAME: %[[Q:[a-z0-9]+]]: memref<3x40x8x5xf32>, %[[K:[a-z0-9]+]]: memref<3x2x11x5xf32>, %[[V:[a-z0-9]+]]: memref<3x2x11x4xf32>, %[[LEN:[a-z0-9]+]]: memref<3xi64>, %[[O:[a-z0-9]+]]: memref<3x8x40x4xf32>
// CHECK-DAG: %[[OFFSET:[a-z0-9_-]+]] = arith.constant -40 : index
// CHECK-DAG: %[[ZERO:[a-z0-9_-]+]] = arith.constant 0 : index
// CHECK: scf.forall (%[[B:[a-z0-9_-]+]], %[[KV:[a-z0-9_-]+]], %[[G:[a-z0-9_-]+]], %[[I:[a-z0-9_-]+]]) = (0, 0, 0, 0) to (3, 2, 4, 40) step (1, 1, 2, 16) {
// CHECK: %[[ROWS:[a-z0-9_-]+]] = affine.min {{.*}}(%[[I]])
// CHECK: %[[H:[a-z0-9_-]+]] = affine.apply {{.*}}[%[[KV]], %[[G]]]
// CHECK: %[[QT:[a-z0-9_-]+]] = memref.subview %[[Q]][%[[B]], %[[I]], %[[H]], 0] [1, %[[ROWS]], 2, 5] [1, 1, 1, 1]
// CHECK: %[[KT:[a-z0-9_-]+]] = memref.subview %[[K]][%[[B]], %[[KV]], 0, 0] [1, 1, 11, 5] [1, 1, 1, 1]
// CHECK: %[[VT:[a-z0-9_-]+]] = memref.subview %[[V]][%[[B]], %[[KV]], 0, 0] [1, 1, 11, 4] [1, 1, 1, 1]
// CHECK: %[[OT:[a-z0-9_-]+]] = memref.subview %[[O]][%[[B]], %[[H]], %[[I]], 0] [1, 2, %[[ROWS]], 4] [1, 1, 1, 1]
// CHECK: mha.attention query(%[[QT]] {{.*}} key(%[[KT]] {{.*}} value(%[[VT]] {{.*}} mask<causal> align(end)
// CHECK-SAME: lengths(%[[LEN]] : memref<3xi64>) query_offset(%[[OFFSET]] : index) origin(%[[B]], %{{.+}}, %[[I]], %[[ZERO]])
// CHECK-SAME: schedule(#mha.cpu_schedule
// CHECK-SAME: outs(%[[OT]]
// CHECK: } {mapping = [#mha.item<0>, #mha.item<1>, #mha.item<2>, #mha.item<3, descending>]}

// With forced sizes: no loop over batch entries nor over the group, value elements in twos.
// FORCED-LABEL: func.func @causal(
// FORCED: scf.forall (%[[KV:[a-z0-9_-]+]], %[[I:[a-z0-9_-]+]], %[[N:[a-z0-9_-]+]]) = (0, 0, 0) to (2, 40, 4) step (1, 3, 2) {
// FORCED: memref.subview %{{.+}}[0, %[[I]], %{{.+}}, 0] [3, %{{.+}}, 4, 5]
// FORCED: memref.subview %{{.+}}[0, %[[KV]], 0, %[[N]]] [3, 1, 11, 2]
// FORCED: memref.subview %{{.+}}[0, %{{.+}}, %[[I]], %[[N]]] [3, 4, %{{.+}}, 2]
func.func @causal(%q: memref<3x40x8x5xf32>, %k: memref<3x2x11x5xf32>, %v: memref<3x2x11x4xf32>, %len: memref<3xi64>, %o: memref<3x8x40x4xf32>) {
  mha.attention query(%q : memref<3x40x8x5xf32>, bshd) key(%k : memref<3x2x11x5xf32>, bhsd) value(%v : memref<3x2x11x4xf32>, bhsd)
    mask<causal> align(bottom_right) lengths(%len : memref<3xi64>) schedule(#mha.cpu_schedule<block_q = 16, block_g = 2, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 2, unroll = 4, prefetch = true>)
    outs(%o : memref<3x8x40x4xf32>, bhsd)
  return
}

// A static square problem says no more where its tiles begin; results of tensors are put together. Full: ascending.
// CHECK-LABEL: func.func @tensors(
// CHECK: %[[R:[a-z0-9_-]+]] = scf.forall {{.*}} shared_outs(%[[ACC:[a-z0-9_-]+]] = %{{.+}}) -> (tensor<1x2x32x4xf32>) {
// CHECK: %[[P:[a-z0-9_-]+]] = tensor.extract_slice %[[ACC]][0, 0, %{{.+}}, 0] [1, 2, 16, 4]
// CHECK: %[[T:[a-z0-9_-]+]] = mha.attention {{.*}} mask<window<3, 0>> align(top_left) origin(
// CHECK-SAME: outs(%[[P]] : tensor<1x2x16x4xf32>) -> tensor<1x2x16x4xf32>
// CHECK: tensor.parallel_insert_slice %[[T]] into %[[ACC]]
// CHECK: mapping = [#mha.item<0>, #mha.item<1>, #mha.item<2>, #mha.item<3>]
// CHECK: return %[[R]]
func.func @tensors(%q: tensor<1x2x32x4xf32>, %k: tensor<1x1x32x4xf32>) -> tensor<1x2x32x4xf32> {
  %o = mha.attention query(%q : tensor<1x2x32x4xf32>, bhsd) key(%k : tensor<1x1x32x4xf32>, bhsd) value(%k : tensor<1x1x32x4xf32>, bhsd)
    mask<window<3, 0>> schedule(#mha.cpu_schedule<block_q = 16, block_g = 2, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 2, unroll = 4, prefetch = true>) -> tensor<1x2x32x4xf32>
  return %o : tensor<1x2x32x4xf32>
}

// Near misses: no schedule; an item already.
// CHECK-LABEL: func.func @no_schedule(
// CHECK-NOT: scf.forall
// CHECK: return
// Axes of 0 are not cut, schedule or not.
// WHOLE-LABEL: func.func @causal(
// WHOLE-NOT: scf.forall
// WHOLE: mha.attention {{.*}} align(bottom_right)
// WHOLE-LABEL: func.func @tensors(
// WHOLE-NOT: scf.forall
// WHOLE: mha.attention
// LEFT-LABEL: func.func @causal(
// LEFT-NOT: scf.forall
// LEFT-LABEL: func.func @no_schedule(
// LEFT: scf.forall
func.func @no_schedule(%q: memref<1x2x32x4xf32>, %k: memref<1x1x32x4xf32>, %o: memref<1x2x32x4xf32>) {
  mha.attention query(%q : memref<1x2x32x4xf32>, bhsd) key(%k : memref<1x1x32x4xf32>, bhsd) value(%k : memref<1x1x32x4xf32>, bhsd) outs(%o : memref<1x2x32x4xf32>)
  return
}
// CHECK-LABEL: func.func @item(
// CHECK: scf.forall
// CHECK-NOT: scf.forall
// CHECK: return
func.func @item(%q: memref<1x2x32x4xf32>, %k: memref<1x1x32x4xf32>, %o: memref<1x2x32x4xf32>) {
  scf.forall (%i) in (3) {
    mha.attention query(%q : memref<1x2x32x4xf32>, bhsd) key(%k : memref<1x1x32x4xf32>, bhsd) value(%k : memref<1x1x32x4xf32>, bhsd) schedule(#mha.cpu_schedule<block_q = 16, block_g = 2, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 2, unroll = 4, prefetch = true>) outs(%o : memref<1x2x32x4xf32>)
  } {mapping = [#mha.item<0>]}
  return
}

// A dense mask is cut as what it broadcasts to, but along its sizes of 1; per-head operands stay whole, with the origin to find their own;
// keys and values of one batch entry are those of each tile.
// CHECK-LABEL: func.func @terms(
// CHECK-SAME: %[[K:[a-z0-9]+]]: memref<1x2x11x5xf32>, %[[M:[a-z0-9]+]]: memref<3x1x40x11xi1>, %[[S:[a-z0-9]+]]: memref<8xf32>, %[[SINK:[a-z0-9]+]]: memref<8xf16>
// CHECK: scf.forall (%[[B:[a-z0-9_-]+]], %[[KV:[a-z0-9_-]+]], %[[G:[a-z0-9_-]+]], %[[I:[a-z0-9_-]+]]) = (0, 0, 0, 0) to (3, 2, 4, 40) step (1, 1, 2, 16) {
// CHECK: %[[ROWS:[a-z0-9_-]+]] = affine.min {{.*}}(%[[I]])
// CHECK: %[[H:[a-z0-9_-]+]] = affine.apply {{.*}}[%[[KV]], %[[G]]]
// CHECK: %[[KT:[a-z0-9_-]+]] = memref.subview %[[K]][0, %[[KV]], 0, 0] [1, 1, 11, 5] [1, 1, 1, 1]
// CHECK: %[[VT:[a-z0-9_-]+]] = memref.subview %[[K]][0, %[[KV]], 0, 0] [1, 1, 11, 5] [1, 1, 1, 1]
// CHECK: %[[MT:[a-z0-9_-]+]] = memref.subview %[[M]][%[[B]], 0, %[[I]], 0] [1, 1, %[[ROWS]], 11] [1, 1, 1, 1]
// CHECK: mha.attention {{.*}} key(%[[KT]] {{.*}} value(%[[VT]] {{.*}} dense_mask(%[[MT]] {{.*}} bias<alibi> slopes(%[[S]] : memref<8xf32>)
// CHECK-SAME: sink(%[[SINK]] : memref<8xf16>) origin(%[[B]], %{{.+}}, %[[I]], %{{.+}})
func.func @terms(%k: memref<1x2x11x5xf32>, %m: memref<3x1x40x11xi1>, %s: memref<8xf32>, %sink: memref<8xf16>, %q: memref<3x40x8x5xf32>, %o: memref<3x8x40x5xf32>) {
  mha.attention query(%q : memref<3x40x8x5xf32>, bshd) key(%k : memref<1x2x11x5xf32>, bhsd) value(%k : memref<1x2x11x5xf32>, bhsd)
    align(top_left) dense_mask(%m : memref<3x1x40x11xi1>) bias<alibi> slopes(%s : memref<8xf32>) sink(%sink : memref<8xf16>)
    schedule(#mha.cpu_schedule<block_q = 16, block_g = 2, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 2, unroll = 4, prefetch = true>)
    outs(%o : memref<3x8x40x5xf32>, bhsd)
  return
}

// Split heads are cut along k and along g; a mask of heads and keys along its heads.
// CHECK-LABEL: func.func @split(
// CHECK-SAME: %[[Q:[a-z0-9]+]]: memref<3x2x40x4x5xf32>, %{{.+}}: memref<3x2x11x5xf32>, %[[M:[a-z0-9]+]]: memref<8x1x11xf32>, %[[O:[a-z0-9]+]]: memref<3x40x2x4x5xf32>
// CHECK: scf.forall (%[[B:[a-z0-9_-]+]], %[[KV:[a-z0-9_-]+]], %[[G:[a-z0-9_-]+]], %[[I:[a-z0-9_-]+]]) =
// CHECK: %[[H:[a-z0-9_-]+]] = affine.apply {{.*}}[%[[KV]], %[[G]]]
// CHECK: memref.subview %[[Q]][%[[B]], %[[KV]], %[[I]], %[[G]], 0] [1, 1, %[[ROWS:.+]], 2, 5] [1, 1, 1, 1, 1]
// CHECK: memref.subview %[[O]][%[[B]], %[[I]], %[[KV]], %[[G]], 0] [1, %[[ROWS]], 1, 2, 5] [1, 1, 1, 1, 1]
// CHECK: memref.subview %[[M]][%[[H]], 0, 0] [2, 1, 11] [1, 1, 1]
func.func @split(%q: memref<3x2x40x4x5xf32>, %k: memref<3x2x11x5xf32>, %m: memref<8x1x11xf32>, %o: memref<3x40x2x4x5xf32>) {
  mha.attention query(%q : memref<3x2x40x4x5xf32>, bksgd) key(%k : memref<3x2x11x5xf32>, bhsd) value(%k : memref<3x2x11x5xf32>, bhsd)
    dense_mask(%m : memref<8x1x11xf32>)
    schedule(#mha.cpu_schedule<block_q = 16, block_g = 2, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 2, unroll = 4, prefetch = true>)
    outs(%o : memref<3x40x2x4x5xf32>, bskgd)
  return
}

// In a parallel loop of somebody else tiles are no items: they follow one another. What has no elements is not cut.
// LEFT-LABEL: func.func @in_parallel(
// LEFT: scf.forall (%{{.+}}) in (3)
// LEFT-NOT: scf.forall
// LEFT: scf.for %{{.+}} = %{{.+}} to %{{.+}} step
// LEFT: mha.attention {{.*}} origin(
// LEFT-LABEL: func.func @nothing(
// LEFT-NEXT: mha.attention
// LEFT-NEXT: return
func.func @in_parallel(%q: memref<1x2x32x4xf32>, %k: memref<1x1x32x4xf32>, %o: memref<1x2x32x4xf32>) {
  scf.forall (%i) in (3) {
    mha.attention query(%q : memref<1x2x32x4xf32>, bhsd) key(%k : memref<1x1x32x4xf32>, bhsd) value(%k : memref<1x1x32x4xf32>, bhsd) outs(%o : memref<1x2x32x4xf32>)
  }
  return
}
func.func @nothing(%q: memref<1x2x32x4xf32>, %k: memref<1x1x0x4xf32>, %o: memref<1x2x32x4xf32>) {
  mha.attention query(%q : memref<1x2x32x4xf32>, bhsd) key(%k : memref<1x1x0x4xf32>, bhsd) value(%k : memref<1x1x0x4xf32>, bhsd) outs(%o : memref<1x2x32x4xf32>)
  return
}
