// RUN: mha-opt %s --mha-tile-keys=block-k=4 --canonicalize --cse | FileCheck %s
// RUN: not mha-opt %s --mha-tile-keys=block-k=0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not mha-opt %s --mha-tile-keys=block-k=2147483649 2>&1 | FileCheck %s --check-prefix=ZERO

// ZERO: error: expected the option block-k to be from 1 to 2147483648, found {{0|2147483649}}

// 11 keys: two blocks of 4, and 3. The state goes from one loop into the next; a block's keys and masks are cut, its queries are not;
// its origin counts on from that of the op.
// CHECK-LABEL: func.func @all(
// CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<2x6x7x5xf32>, %[[K:[a-z0-9]+]]: tensor<2x3x11x5xf32>, %[[V:[a-z0-9]+]]: tensor<2x11x3x4xf32>, %[[M:[a-z0-9]+]]: tensor<7x11xf32>, %[[ONE:[a-z0-9]+]]: tensor<7x1xi1>, %[[J0:[a-z0-9]+]]: index, %[[A:[a-z0-9]+]]: tensor<2x6x7x4xf32>, %[[X:[a-z0-9]+]]: tensor<2x6x7xf32>, %[[S:[a-z0-9]+]]: tensor<2x6x7xf32>)
// CHECK-DAG: %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG: %[[C4:.+]] = arith.constant 4 : index
// CHECK-DAG: %[[C8:.+]] = arith.constant 8 : index
// CHECK: %[[W:.+]]:3 = scf.for %[[J:.+]] = %[[C0]] to %[[C8]] step %[[C4]] iter_args(%[[A1:.+]] = %[[A]], %[[X1:.+]] = %[[X]], %[[S1:.+]] = %[[S]])
// CHECK: %[[KT:.+]] = tensor.extract_slice %[[K]][0, 0, %[[J]], 0] [2, 3, 4, 5]
// CHECK: %[[VT:.+]] = tensor.extract_slice %[[V]][0, %[[J]], 0, 0] [2, 4, 3, 4]
// CHECK: %[[MT:.+]] = tensor.extract_slice %[[M]][0, %[[J]]] [7, 4]
// CHECK: %[[O:.+]] = affine.apply {{.*}}[%[[J0]], %[[J]]]
// CHECK: %[[N:.+]]:3 = mha.online_attention query(%[[Q]] : {{.*}} key(%[[KT]] : {{.*}} value(%[[VT]] : {{.*}} dense_mask(%[[MT]] :
// CHECK-SAME: origin(%[[C0]], %[[C0]], %[[C0]], %[[O]]) state(%[[A1]], %[[X1]], %[[S1]] :
// CHECK: scf.yield %[[N]]#0, %[[N]]#1, %[[N]]#2
// CHECK: tensor.extract_slice %[[K]][0, 0, 8, 0] [2, 3, 3, 5]
// CHECK: %[[R:.+]]:3 = mha.online_attention {{.*}} state(%[[W]]#0, %[[W]]#1, %[[W]]#2 :
// CHECK: return %[[R]]#0
func.func @all(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x11x3x4xf32>, %m: tensor<7x11xf32>, %one: tensor<7x1xi1>, %j0: index, %a: tensor<2x6x7x4xf32>, %x: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>) -> tensor<2x6x7x4xf32> {
  %c0 = arith.constant 0 : index
  %r:3 = mha.online_attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x11x3x4xf32>, bshd) dense_mask(%m : tensor<7x11xf32>)
    origin(%c0, %c0, %c0, %j0) state(%a, %x, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) -> tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>
  return %r#0 : tensor<2x6x7x4xf32>
}

// Only the keys that some query sees: the last of 7 queries at 3 sees key 9, the first one with a window of 2 no key before 1. Positions
// from the end go on counting from the end of all keys. A mask that repeats along the keys is not cut.
// CHECK-LABEL: func.func @seen(
// CHECK-DAG: %[[C1:.+]] = arith.constant 1 : index
// CHECK-DAG: %[[C9:.+]] = arith.constant 9 : index
// CHECK-DAG: %[[C11:.+]] = arith.constant 11 : index
// CHECK: scf.for %{{.+}} = %[[C1]] to %[[C9]] step
// CHECK: mha.online_attention {{.*}} mask<causal, window<2, 0>> align(end) dense_mask(%{{.+}} : tensor<7x1xi1>) query_offset(%{{.+}} : index) origin({{.*}}) num_keys(%[[C11]])
// CHECK: tensor.extract_slice %{{.+}}[0, 0, 9, 0] [1, 3, 1, 5]
// CHECK: mha.online_attention {{.*}} num_keys(%[[C11]])
func.func @seen(%q: tensor<1x6x7x5xf32>, %k: tensor<1x3x11x5xf32>, %one: tensor<7x1xi1>, %a: tensor<1x6x7x5xf32>, %x: tensor<1x6x7xf32>, %s: tensor<1x6x7xf32>) -> tensor<1x6x7x5xf32> {
  %back = arith.constant -8 : index
  %r:3 = mha.online_attention query(%q : tensor<1x6x7x5xf32>, bhsd) key(%k : tensor<1x3x11x5xf32>, bhsd) value(%k : tensor<1x3x11x5xf32>, bhsd) mask<causal, window<2, 0>> align(end) dense_mask(%one : tensor<7x1xi1>) query_offset(%back : index)
    state(%a, %x, %s : tensor<1x6x7x5xf32>, tensor<1x6x7xf32>, tensor<1x6x7xf32>) -> tensor<1x6x7x5xf32>, tensor<1x6x7xf32>, tensor<1x6x7xf32>
  return %r#0 : tensor<1x6x7x5xf32>
}

// Batch entries of different lengths: all keys, of which a length then hides some. Buffers have no results.
// CHECK-LABEL: func.func @lengths(
// CHECK-SAME: %[[Q:[a-z0-9]+]]: memref<2x1x3x4xf32>, %[[K:[a-z0-9]+]]: memref<2x1x8x4xf32>, %[[LEN:[a-z0-9]+]]: memref<2xi64>, %[[A:[a-z0-9]+]]: memref<2x1x3x4xf32>, %[[X:[a-z0-9]+]]: memref<2x1x3xf32>
// CHECK-DAG: %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG: %[[C8:.+]] = arith.constant 8 : index
// CHECK: scf.for %[[J:.+]] = %[[C0]] to %[[C8]] step
// CHECK: %[[KT:.+]] = memref.subview %[[K]][0, 0, %[[J]], 0] [2, 1, 4, 4]
// CHECK: mha.online_attention {{.*}} key(%[[KT]] : {{.*}} lengths(%[[LEN]] :
// CHECK-NOT: mha.online_attention
// CHECK: return
func.func @lengths(%q: memref<2x1x3x4xf32>, %k: memref<2x1x8x4xf32>, %len: memref<2xi64>, %a: memref<2x1x3x4xf32>, %x: memref<2x1x3xf32>, %s: memref<2x1x3xf32>) {
  mha.online_attention query(%q : memref<2x1x3x4xf32>, bhsd) key(%k : memref<2x1x8x4xf32>, bhsd) value(%k : memref<2x1x8x4xf32>, bhsd) lengths(%len : memref<2xi64>)
    state(%a, %x, %s : memref<2x1x3x4xf32>, memref<2x1x3xf32>, memref<2x1x3xf32>)
  return
}

// A group that only run time knows is whole; what has no elements is not cut.
// CHECK-LABEL: func.func @dynamic_heads(
// CHECK: scf.for
// CHECK: mha.online_attention {{.*}} key(%{{[^ ]+}} : tensor<1x?x4x5xf32>, bhsd)
// CHECK-LABEL: func.func @nothing(
// CHECK-NOT: scf.for
// CHECK: mha.online_attention
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
