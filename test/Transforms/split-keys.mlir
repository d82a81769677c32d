// RUN: mha-opt %s --mha-split-keys=parts=3 --canonicalize --cse | FileCheck %s
// RUN: mha-opt %s --mha-split-keys=parts=3 --remarks-filter=mha-split-keys -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not mha-opt %s --mha-split-keys=parts=0 2>&1 | FileCheck %s --check-prefix=PARTS
// RUN: not mha-opt %s --mha-split-keys=parts=65537 2>&1 | FileCheck %s --check-prefix=PARTS

// PARTS: error: expected the option parts to be from 1 to 65536, found {{0|65537}}

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

// REMARK-DAG: remark: [Missed] keys-not-split {{.*}} Function=buffers | Reason="the parts of a state are on tensors only"
// REMARK-DAG: remark: [Missed] keys-not-split {{.*}} Function=nothing | Reason="operands without elements"
// REMARK-DAG: remark: [Missed] keys-not-split {{.*}} Function=items | Reason="parts are parallel work, which does not nest"

// A group that only run time knows is whole.
// CHECK-LABEL: func.func @dynamic_heads(
// CHECK: scf.forall
// CHECK: mha.merge
// Near misses: no elements; an item already.
// CHECK-LABEL: func.func @nothing(
// CHECK-NOT: scf.forall
// CHECK-LABEL: func.func @items(
// CHECK: scf.forall (
// CHECK-NOT: scf.forall (
// CHECK-NOT: mha.merge
func.func @dynamic_heads(%q: tensor<1x?x7x5xf32>, %k: tensor<1x?x11x5xf32>, %a: tensor<1x?x7x5xf32>, %x: tensor<1x?x7xf32>) -> tensor<1x?x7x5xf32> {
  %r:3 = mha.online_attention query(%q : tensor<1x?x7x5xf32>, bhsd) key(%k : tensor<1x?x11x5xf32>, bhsd) value(%k : tensor<1x?x11x5xf32>, bhsd)
    state(%a, %x, %x : tensor<1x?x7x5xf32>, tensor<1x?x7xf32>, tensor<1x?x7xf32>) -> tensor<1x?x7x5xf32>, tensor<1x?x7xf32>, tensor<1x?x7xf32>
  return %r#0 : tensor<1x?x7x5xf32>
}
func.func @nothing(%q: tensor<1x2x7x5xf32>, %k: tensor<1x2x0x5xf32>, %a: tensor<1x2x7x5xf32>, %x: tensor<1x2x7xf32>) -> tensor<1x2x7x5xf32> {
  %r:3 = mha.online_attention query(%q : tensor<1x2x7x5xf32>, bhsd) key(%k : tensor<1x2x0x5xf32>, bhsd) value(%k : tensor<1x2x0x5xf32>, bhsd)
    state(%a, %x, %x : tensor<1x2x7x5xf32>, tensor<1x2x7xf32>, tensor<1x2x7xf32>) -> tensor<1x2x7x5xf32>, tensor<1x2x7xf32>, tensor<1x2x7xf32>
  return %r#0 : tensor<1x2x7x5xf32>
}
func.func @items(%q: tensor<1x2x7x5xf32>, %k: tensor<1x2x11x5xf32>, %a: tensor<1x2x7x5xf32>, %x: tensor<1x2x7xf32>) -> tensor<1x2x7x5xf32> {
  %o = scf.forall (%i) in (3) shared_outs(%t = %a) -> tensor<1x2x7x5xf32> {
    %r:3 = mha.online_attention query(%q : tensor<1x2x7x5xf32>, bhsd) key(%k : tensor<1x2x11x5xf32>, bhsd) value(%k : tensor<1x2x11x5xf32>, bhsd)
      state(%a, %x, %x : tensor<1x2x7x5xf32>, tensor<1x2x7xf32>, tensor<1x2x7xf32>) -> tensor<1x2x7x5xf32>, tensor<1x2x7xf32>, tensor<1x2x7xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r#0 into %t[0, 0, 0, 0] [1, 2, 7, 5] [1, 1, 1, 1] : tensor<1x2x7x5xf32> into tensor<1x2x7x5xf32>
    }
  }
  return %o : tensor<1x2x7x5xf32>
}
