// RUN: mha-opt %s --convert-mha-to-linalg --split-input-file | FileCheck %s

// A length is clamped to 0..Sk, for the keys that are valid and for the positions that count from it.
// CHECK-LABEL: func.func @lengths
// CHECK-SAME: %[[LEN:[a-z0-9]+]]: tensor<2xi64>
// CHECK: %[[B:.+]] = linalg.index 0
// CHECK: %[[J:.+]] = linalg.index 3
// CHECK-DAG: %[[LOW1:.+]] = arith.constant 0 : index
// CHECK-DAG: %[[AT1:.+]] = tensor.extract %[[LEN]][%[[B]]]
// CHECK: %[[GIVEN1:.+]] = arith.index_cast %[[AT1]]
// CHECK: %[[ATLEAST1:.+]] = arith.maxsi %[[GIVEN1]], %[[LOW1]]
// CHECK: %[[LENGTH1:.+]] = arith.minsi %[[ATLEAST1]], %c11
// CHECK: arith.subi %[[LENGTH1]], %c7
// CHECK: arith.cmpi sle, %[[J]]
// CHECK-DAG: %[[LOW2:.+]] = arith.constant 0 : index
// CHECK-DAG: %[[AT2:.+]] = tensor.extract %[[LEN]][%[[B]]]
// CHECK: %[[GIVEN2:.+]] = arith.index_cast %[[AT2]]
// CHECK: %[[ATLEAST2:.+]] = arith.maxsi %[[GIVEN2]], %[[LOW2]]
// CHECK: %[[LENGTH2:.+]] = arith.minsi %[[ATLEAST2]], %c11
// CHECK: arith.cmpi slt, %[[J]], %[[LENGTH2]]
func.func @lengths(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %len: tensor<2xi64>) -> tensor<2x6x7x4xf32> {
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    mask<causal> align(bottom_right) lengths(%len : tensor<2xi64>) -> tensor<2x6x7x4xf32>
  return %o : tensor<2x6x7x4xf32>
}

// -----

// In a tile whose first key is %j0 of the problem, Sk is %j0 more than the tile has.
// CHECK-LABEL: func.func @tile
// CHECK-SAME: %[[J0:[a-z0-9]+]]: index
// CHECK: %[[J:.+]] = linalg.index 3
// CHECK: %[[KEY:.+]] = arith.addi %[[J]], %[[J0]]
// CHECK: %[[ALL:.+]] = arith.addi %[[J0]], %c11
// CHECK: %[[LENGTH:.+]] = arith.minsi %{{.+}}, %[[ALL]]
// CHECK: arith.cmpi slt, %[[KEY]], %[[LENGTH]]
func.func @tile(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %len: tensor<2xi64>, %j0: index) -> tensor<2x6x7x4xf32> {
  %c0 = arith.constant 0 : index
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    lengths(%len : tensor<2xi64>) origin(%c0, %c0, %c0, %j0) -> tensor<2x6x7x4xf32>
  return %o : tensor<2x6x7x4xf32>
}
