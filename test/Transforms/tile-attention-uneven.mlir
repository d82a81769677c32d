// RUN: mha-opt %s --mha-tile-attention | FileCheck %s
// RUN: mha-opt %s --mha-tile-attention=tile-sizes=2,2,0,7,3 --canonicalize | FileCheck %s --check-prefix=UNEVEN
// RUN: mha-opt %s --mha-tile-attention=tile-sizes=0,1,3,0,0 --canonicalize | FileCheck %s --check-prefix=PARTS

// Tiles that divide no axis: the last one is what is left, 1 of 3 batch entries, 1 of 5 key heads with all of its group of 2, 2 of
// 37 queries, 1 of 4 value elements. Keys stay whole.
// UNEVEN-DAG: #[[B2:.+]] = affine_map<(d0) -> (-d0 + 3, 2)>
// UNEVEN-DAG: #[[K2:.+]] = affine_map<(d0) -> (-d0 + 5, 2)>
// UNEVEN-DAG: #[[I7:.+]] = affine_map<(d0) -> (-d0 + 37, 7)>
// UNEVEN-DAG: #[[N3:.+]] = affine_map<(d0) -> (-d0 + 4, 3)>
// UNEVEN-DAG: #[[G:.+]] = affine_map<()[s0] -> (s0 * 2)>
// UNEVEN-LABEL: func.func @uneven(
// UNEVEN-SAME: %[[Q:[a-z0-9]+]]: memref<3x10x37x6xf32>, %[[K:[a-z0-9]+]]: memref<3x5x11x6xf32>, %[[V:[a-z0-9]+]]: memref<3x5x11x4xf32>, %[[O:[a-z0-9]+]]: memref<3x37x10x4xf32>
// UNEVEN: scf.forall (%[[B:[a-z0-9]+]], %[[KV:[a-z0-9]+]], %[[I:[a-z0-9]+]], %[[N:[a-z0-9]+]]) = (0, 0, 0, 0) to (3, 5, 37, 4) step (2, 2, 7, 3) {
// UNEVEN-DAG: %[[BS:.+]] = affine.min #[[B2]](%[[B]])
// UNEVEN-DAG: %[[KS:.+]] = affine.min #[[K2]](%[[KV]])
// UNEVEN-DAG: %[[IS:.+]] = affine.min #[[I7]](%[[I]])
// UNEVEN-DAG: %[[NS:.+]] = affine.min #[[N3]](%[[N]])
// UNEVEN-DAG: %[[H:.+]] = affine.apply #[[G]]()[%[[KV]]]
// UNEVEN-DAG: %[[HS:.+]] = affine.apply #[[G]]()[%[[KS]]]
// UNEVEN: memref.subview %[[Q]][%[[B]], %[[H]], %[[I]], 0] [%[[BS]], %[[HS]], %[[IS]], 6] [1, 1, 1, 1]
// UNEVEN: memref.subview %[[K]][%[[B]], %[[KV]], 0, 0] [%[[BS]], %[[KS]], 11, 6] [1, 1, 1, 1]
// UNEVEN: memref.subview %[[V]][%[[B]], %[[KV]], 0, %[[N]]] [%[[BS]], %[[KS]], 11, %[[NS]]] [1, 1, 1, 1]
// UNEVEN: memref.subview %[[O]][%[[B]], %[[I]], %[[H]], %[[N]]] [%[[BS]], %[[IS]], %[[HS]], %[[NS]]] [1, 1, 1, 1]
// UNEVEN: mha.attention

// Without a schedule the option alone says what is cut; axes of 0 are not. A group of 2 in threes is one tile of 2.
// CHECK-LABEL: func.func @uneven(
// CHECK-NOT: scf.forall
// CHECK: return
// PARTS-LABEL: func.func @uneven(
// PARTS: scf.forall (%[[KV:[a-z0-9]+]], %[[G:[a-z0-9]+]]) = (0, 0) to (5, 2) step (1, 3) {
// PARTS: memref.subview %{{.+}}[0, %[[H:[a-z0-9]+]], 0, 0] [3, 2, 37, 6]
// PARTS: memref.subview %{{.+}}[0, %[[KV]], 0, 0] [3, 1, 11, 6]
// PARTS: memref.subview %{{.+}}[0, 0, %[[H]], 0] [3, 37, 2, 4]
func.func @uneven(%q: memref<3x10x37x6xf32>, %k: memref<3x5x11x6xf32>, %v: memref<3x5x11x4xf32>, %o: memref<3x37x10x4xf32>) {
  mha.attention query(%q : memref<3x10x37x6xf32>, bhsd) key(%k : memref<3x5x11x6xf32>, bhsd) value(%v : memref<3x5x11x4xf32>, bhsd)
    outs(%o : memref<3x37x10x4xf32>, bshd)
  return
}
