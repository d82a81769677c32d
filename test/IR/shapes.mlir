// RUN: mha-opt %s --resolve-ranked-shaped-type-result-dims --canonicalize | FileCheck %s

// Sizes of the results are those of the operands, found by the layouts: the op is not needed for them.
// CHECK-LABEL: func.func @sizes
// CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<?x?x?x?xf32>, %[[K:[a-z0-9]+]]: tensor<?x?x?x?xf32>, %[[V:[a-z0-9]+]]: tensor<?x?x?x?xf32>
// CHECK-NOT: mha.attention
// CHECK-DAG: %[[B:.+]] = tensor.dim %[[Q]], %c3
// CHECK-DAG: %[[S:.+]] = tensor.dim %[[Q]], %c0
// CHECK-DAG: %[[D:.+]] = tensor.dim %[[V]], %c1
// CHECK-DAG: %[[H:.+]] = tensor.dim %[[Q]], %c2
// CHECK: return %[[B]], %[[S]], %[[D]], %[[H]]
func.func @sizes(%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %v: tensor<?x?x?x?xf32>) -> (index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %o, %lse = mha.attention query(%q : tensor<?x?x?x?xf32>, sdhb) key(%k : tensor<?x?x?x?xf32>, bhsd) value(%v : tensor<?x?x?x?xf32>, bdhs)
    -> (tensor<?x?x?x?xf32>, bshd, lse tensor<?x?x?xf32>)
  %b = tensor.dim %o, %c0 : tensor<?x?x?x?xf32>
  %s = tensor.dim %o, %c1 : tensor<?x?x?x?xf32>
  %d = tensor.dim %o, %c3 : tensor<?x?x?x?xf32>
  %h = tensor.dim %lse, %c1 : tensor<?x?x?xf32>
  return %b, %s, %d, %h : index, index, index, index
}
