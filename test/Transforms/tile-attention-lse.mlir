// RUN: mha-opt %s --mha-tile-attention --canonicalize | FileCheck %s --check-prefixes=CHECK,PLAN
// RUN: mha-opt %s --mha-tile-attention=tile-sizes=1,1,2,16,4 --canonicalize | FileCheck %s --check-prefixes=CHECK,WHOLE
// RUN: not mha-opt %s --mha-tile-attention=tile-sizes=1,1,2,16,3 2>&1 | FileCheck %s --check-prefix=PART
// RUN: not mha-opt %s --mha-tile-attention=tile-sizes=0,0,0,0,2 2>&1 | FileCheck %s --check-prefix=PART

// The lse of a tile has rows and heads of the output's, and no head size. All of the head size in one tile is no cut; parts of it would
// each write the lse.
// PART: tile-attention-lse.mlir:[[#@LINE+17]]:{{.*}}error: 'mha.attention' op expected tile sizes with one key/value head or all of a group, and the whole head size beside an lse

#plan = #mha.cpu_schedule<block_q = 16, block_g = 2, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 2, unroll = 4, prefetch = true>

// CHECK-DAG: #[[ROWS:.+]] = affine_map<(d0) -> (-d0 + 37, 16)>
// CHECK-DAG: #[[HEADS:.+]] = affine_map<()[s0] -> (s0 * 2)>

// CHECK-LABEL: func.func @memrefs(
// CHECK-SAME: %[[O:[a-z0-9]+]]: memref<3x37x10x4xf32>, %[[L:[a-z0-9]+]]: memref<3x10x37xf32>)
// PLAN: scf.forall (%[[B:[a-z0-9]+]], %[[KV:[a-z0-9]+]], %{{.+}}, %[[I:[a-z0-9]+]]) = (0, 0, 0, 0) to (3, 5, 2, 37) step (1, 1, 2, 16) {
// WHOLE: scf.forall (%[[B:[a-z0-9]+]], %[[KV:[a-z0-9]+]], %{{.+}}, %[[I:[a-z0-9]+]], %{{.+}}) = (0, 0, 0, 0, 0) to (3, 5, 2, 37, 4) step (1, 1, 2, 16, 4) {
// CHECK-DAG: %[[N:.+]] = affine.min #[[ROWS]](%[[I]])
// CHECK-DAG: %[[H:.+]] = affine.apply #[[HEADS]]()[%[[KV]]]
// CHECK: %[[OT:.+]] = memref.subview %[[O]][%[[B]], %[[I]], %[[H]], {{.+}}] [1, %[[N]], 2, 4] [1, 1, 1, 1]
// CHECK: %[[LT:.+]] = memref.subview %[[L]][%[[B]], %[[H]], %[[I]]] [1, 2, %[[N]]] [1, 1, 1]
// CHECK: outs(%[[OT]] : {{.+}}, bshd, lse %[[LT]] :
func.func @memrefs(%q: memref<3x10x37x6xf32>, %k: memref<3x5x11x6xf32>, %v: memref<3x5x11x4xf32>, %o: memref<3x37x10x4xf32>, %lse: memref<3x10x37xf32>) {
  mha.attention query(%q : memref<3x10x37x6xf32>, bhsd) key(%k : memref<3x5x11x6xf32>, bhsd) value(%v : memref<3x5x11x4xf32>, bhsd)
    schedule(#plan) outs(%o : memref<3x37x10x4xf32>, bshd, lse %lse : memref<3x10x37xf32>)
  return
}

// Both results are put together, each by its own axes.
// CHECK-LABEL: func.func @tensors(
// CHECK: %[[R:.+]]:2 = scf.forall (%[[B:[a-z0-9]+]], {{.+}} shared_outs(%[[OA:[a-z0-9]+]] = %{{.+}}, %[[LA:[a-z0-9]+]] = %{{.+}}) -> (tensor<3x37x10x4xf32>, tensor<3x10x37xf32>)
// CHECK: %[[O:.+]], %[[L:.+]] = mha.attention {{.*}} -> (tensor<1x?x2x4xf32>, bshd, lse tensor<1x2x?xf32>)
// CHECK: tensor.parallel_insert_slice %[[O]] into %[[OA]][%[[B]], %[[I:[a-z0-9]+]], %{{.+}}] [1, %[[N:[a-z0-9]+]], 2, 4]
// CHECK: tensor.parallel_insert_slice %[[L]] into %[[LA]][%[[B]], %{{[a-z0-9]+}}, %[[I]]] [1, 2, %[[N]]]
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @tensors(%q: tensor<3x10x37x6xf32>, %k: tensor<3x5x11x6xf32>, %v: tensor<3x5x11x4xf32>) -> (tensor<3x37x10x4xf32>, tensor<3x10x37xf32>) {
  %o, %lse = mha.attention query(%q : tensor<3x10x37x6xf32>, bhsd) key(%k : tensor<3x5x11x6xf32>, bhsd) value(%v : tensor<3x5x11x4xf32>, bhsd)
    schedule(#plan) -> (tensor<3x37x10x4xf32>, bshd, lse tensor<3x10x37xf32>)
  return %o, %lse : tensor<3x37x10x4xf32>, tensor<3x10x37xf32>
}
