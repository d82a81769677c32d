// RUN: mha-opt %s --mha-decompose-softmax | FileCheck %s

// CHECK-LABEL: func.func @tensors
// CHECK-NOT: linalg.softmax
// CHECK: arith.maxnumf
// CHECK: arith.subf
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: arith.divf
func.func @tensors(%s: tensor<3x?xf32>, %e: tensor<3x?xf32>) -> tensor<3x?xf32> {
  %p = linalg.softmax dimension(1) ins(%s : tensor<3x?xf32>) outs(%e : tensor<3x?xf32>) -> tensor<3x?xf32>
  return %p : tensor<3x?xf32>
}

// On memrefs there is no decomposition: left for upstream to refuse.
// CHECK-LABEL: func.func @memrefs
// CHECK: linalg.softmax
func.func @memrefs(%s: memref<3x5xf32>, %p: memref<3x5xf32>) {
  linalg.softmax dimension(1) ins(%s : memref<3x5xf32>) outs(%p : memref<3x5xf32>)
  return
}

// On integers there is none either.
// CHECK-LABEL: func.func @integers
// CHECK: linalg.softmax
func.func @integers(%s: tensor<3x5xi8>, %e: tensor<3x5xi8>) -> tensor<3x5xi8> {
  %p = linalg.softmax dimension(1) ins(%s : tensor<3x5xi8>) outs(%e : tensor<3x5xi8>) -> tensor<3x5xi8>
  return %p : tensor<3x5xi8>
}
