// RUN: mha-opt %s --mha-split-keys=parts=3 --canonicalize --cse | FileCheck %s
// RUN: not mha-opt %s --mha-split-keys=parts=0 2>&1 | FileCheck %s --check-prefix=PARTS

// PARTS: error: expected the option parts to be at least 1, found 0

// 11 keys in parts of 4, 4 and 3. Each part has a state of its own, which starts before any key; they are merged into the state that
// the op had.
// CHECK-LABEL: func.func @parts(
// CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<2x6x7x5xf32>, %[[K:[a-z0-9]+]]: tensor<2x3x11x5xf32>, %[[A:[a-z0-9]+]]: tensor<2x6x7x5xf32>, %[[X:[a-z0-9]+]]: tensor<2x6x7xf32>, %[[S:[a-z0-9]+]]: tensor<2x6x7xf32>)
// CHECK-DAG: %[[LOWEST:.+]] = arith.constant 0xFF800000 : f32
// CHECK-DAG: %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: %[[A0:.+]] = linalg.fill ins(%[[ZERO]] : f32) outs(%{{.+}} : tensor<3x2x6x7x5xf32>)
// CHECK-DAG: %[[X0:.+]] = linalg.fill ins(%[[LOWEST]] : f32) outs(%{{.+}} : tensor<3x2x6x7xf32>)
// CHECK-DAG: %[[S0:.+]] = linalg.fill ins(%[[ZERO]] : f32) outs(%{{.+}} : tensor<3x2x6x7xf32>)
// CHECK: %[[P:.+]]:3 = scf.forall (%[[I:.+]]) in (3) shared_outs(%[[PA:.+]] = %[[A0]], %[[PX:.+]] = %[[X0]], %[[PS:.+]] = %[[S0]])
// CHECK: %[[J:.+]] = affine.apply {{.*}}(%[[I]])
// CHECK: %[[N:.+]] = affine.min {{.*}}(%[[I]])
// CHECK: tensor.extract_slice %[[PX]][%[[I]], 0, 0, 0] [1, 2, 6, 7] [1, 1, 1, 1] : tensor<3x2x6x7xf32> to tensor<2x6x7xf32>
// CHECK: %[[KT:.+]] = tensor.extract_slice %[[K]][0, 0, %[[J]], 0] [2, 3, %[[N]], 5]
// CHECK: mha.online_attention query(%[[Q]] {{.*}} key(%[[KT]] {{.*}} origin(%{{.+}}, %{{.+}}, %{{.+}}, %[[J]])
// CHECK: tensor.parallel_insert_slice %{{.+}} into %[[PS]][%[[I]], 0, 0, 0] [1, 2, 6, 7]
// CHECK: {mapping = [#mha.item<0>]}
// CHECK: %[[R:.+]]:3 = mha.merge parts(%[[P]]#0, %[[P]]#1, %[[P]]#2 : {{.*}} state(%[[A]], %[[X]], %[[S]] :
// CHECK: return %[[R]]#0
func.func @parts(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %a: tensor<2x6x7x5xf32>, %x: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>) -> tensor<2x6x7x5xf32> {
  %r:3 = mha.online_attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%k : tensor<2x3x11x5xf32>, bhsd)
    state(%a, %x, %s : tensor<2x6x7x5xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) -> tensor<2x6x7x5xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>
  return %r#0 : tensor<2x6x7x5xf32>
}

// Near miss: on memrefs nothing changes.
// CHECK-LABEL: func.func @buffers(
// CHECK-NEXT: mha.online_attention
// CHECK-NEXT: return
func.func @buffers(%q: memref<2x1x3x4xf32>, %k: memref<2x1x8x4xf32>, %a: memref<2x1x3x4xf32>, %x: memref<2x1x3xf32>, %s: memref<2x1x3xf32>) {
  mha.online_attention query(%q : memref<2x1x3x4xf32>, bhsd) key(%k : memref<2x1x8x4xf32>, bhsd) value(%k : memref<2x1x8x4xf32>, bhsd)
    state(%a, %x, %s : memref<2x1x3x4xf32>, memref<2x1x3xf32>, memref<2x1x3xf32>)
  return
}
