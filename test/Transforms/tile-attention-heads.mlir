// RUN: mha-opt %s --mha-tile-attention --canonicalize --cse | FileCheck %s
// RUN: mha-opt %s --mha-tile-attention=tile-sizes=0,1,0,0,0 --canonicalize --cse | FileCheck %s --check-prefix=GROUP
// RUN: mha-opt %s --mha-tile-attention=tile-sizes=0,0,0,16,0 --canonicalize --cse | FileCheck %s --check-prefix=WHOLE
// RUN: not mha-opt %s --mha-tile-attention=tile-sizes=0,2,1,0,0 2>&1 | FileCheck %s --check-prefix=PART

// Numbers of heads that run time tells: G is their quotient, and no division by no key heads. Query head k * G + g reads key head k.
// CHECK: #[[HEAD:.+]] = affine_map<()[s0, s1, s2] -> (s0 * s1 + s2)>
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[Q:[a-z0-9]+]]: memref<3x?x37x6xf32>, %[[K:[a-z0-9]+]]: memref<3x?x11x6xf32>, %[[V:[a-z0-9]+]]: memref<3x?x11x4xf32>, %[[O:[a-z0-9]+]]: memref<3x?x37x4xf32>
// CHECK: %[[ONE:.+]] = arith.constant 1 : index
// CHECK-DAG: %[[HKV:.+]] = memref.dim %[[K]], %[[ONE]]
// CHECK-DAG: %[[HQ:.+]] = memref.dim %[[Q]], %[[ONE]]
// CHECK: %[[DIVISOR:.+]] = arith.maxui %[[HKV]], %[[ONE]]
// CHECK: %[[G:.+]] = arith.divui %[[HQ]], %[[DIVISOR]]
// CHECK: scf.forall (%[[B:[a-z0-9]+]], %[[KV:[a-z0-9]+]], %[[IN:[a-z0-9]+]], %[[I:[a-z0-9]+]]) = (0, 0, 0, 0) to (3, %[[HKV]], %[[G]], 37) step (1, 1, 1, 16) {
// CHECK: %[[H:.+]] = affine.apply #[[HEAD]]()[%[[KV]], %{{.+}}, %[[IN]]]
// CHECK: memref.subview %[[Q]][%[[B]], %[[H]], %[[I]], 0] [1, 1, %{{.+}}, 6]
// CHECK: memref.subview %[[K]][%[[B]], %[[KV]], 0, 0] [1, 1, 11, 6]
// CHECK: memref.subview %[[V]][%[[B]], %[[KV]], 0, 0] [1, 1, 11, 4]
// CHECK: memref.subview %[[O]][%[[B]], %[[H]], %[[I]], 0] [1, 1, %{{.+}}, 4]
// CHECK: origin(%[[B]], %[[H]], %[[I]], %

// One key head with all of its group, G heads.
// GROUP: #[[HEAD:.+]] = affine_map<()[s0, s1] -> (s0 * s1)>
// GROUP-LABEL: func.func @dynamic(
// GROUP-SAME: %[[Q:[a-z0-9]+]]: memref<3x?x37x6xf32>, %[[K:[a-z0-9]+]]: memref<3x?x11x6xf32>
// GROUP: scf.forall (%[[KV:[a-z0-9]+]]) in (%{{.+}}) {
// GROUP: %[[G:.+]] = arith.divui
// GROUP: %[[H:.+]] = affine.apply #[[HEAD]]()[%[[KV]], %{{.+}}]
// GROUP: memref.subview %[[Q]][0, %[[H]], 0, 0] [3, %[[G]], 37, 6]
// GROUP: memref.subview %[[K]][0, %[[KV]], 0, 0] [3, 1, 11, 6]

// All key heads with all of their groups; several with a part of them are no interval of query heads.
// WHOLE-LABEL: func.func @dynamic(
// WHOLE: scf.forall (%[[I:[a-z0-9]+]]) = (0) to (37) step (16) {
// WHOLE: memref.subview %{{.+}}[0, 0, %[[I]], 0] [3, %{{.+}}, %{{.+}}, 6]
// PART: tile-attention-heads.mlir:[[#@LINE+2]]:{{.*}}error: 'mha.attention' op expected tile sizes with one key/value head or all of a group, and the whole head size beside an lse
func.func @dynamic(%q: memref<3x?x37x6xf32>, %k: memref<3x?x11x6xf32>, %v: memref<3x?x11x4xf32>, %o: memref<3x?x37x4xf32>) {
  mha.attention query(%q : memref<3x?x37x6xf32>, bhsd) key(%k : memref<3x?x11x6xf32>, bhsd) value(%v : memref<3x?x11x4xf32>, bhsd)
    schedule(#mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>)
    outs(%o : memref<3x?x37x4xf32>)
  return
}
