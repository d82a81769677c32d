// RUN: split-file %s %t
// RUN: mha-run %t/op.mlir --compare=%t/softmax.mlir | FileCheck %s

// Attention written by hand with named ops, linalg.softmax and elementwise ops on tensors is what the op computes.
// CHECK: result 0 {{.*}} verified
// CHECK: result 0 {{.*}} verified

//--- op.mlir
func.func @main(%q: tensor<3x7x5xf32>, %k: tensor<3x11x5xf32>, %v: tensor<3x11x4xf32>) -> tensor<3x7x4xf32> {
  %q4 = tensor.expand_shape %q [[0, 1], [2], [3]] output_shape [1, 3, 7, 5] : tensor<3x7x5xf32> into tensor<1x3x7x5xf32>
  %k4 = tensor.expand_shape %k [[0, 1], [2], [3]] output_shape [1, 3, 11, 5] : tensor<3x11x5xf32> into tensor<1x3x11x5xf32>
  %v4 = tensor.expand_shape %v [[0, 1], [2], [3]] output_shape [1, 3, 11, 4] : tensor<3x11x4xf32> into tensor<1x3x11x4xf32>
  %o4 = mha.attention query(%q4 : tensor<1x3x7x5xf32>, bhsd) key(%k4 : tensor<1x3x11x5xf32>, bhsd) value(%v4 : tensor<1x3x11x4xf32>, bhsd)
    scale(0.5) -> tensor<1x3x7x4xf32>
  %o = tensor.collapse_shape %o4 [[0, 1], [2], [3]] : tensor<1x3x7x4xf32> into tensor<3x7x4xf32>
  return %o : tensor<3x7x4xf32>
}

//--- softmax.mlir
func.func @main(%q: tensor<3x7x5xf32>, %k: tensor<3x11x5xf32>, %v: tensor<3x11x4xf32>) -> tensor<3x7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant dense<0.5> : tensor<3x7x11xf32>
  %kt_e = tensor.empty() : tensor<3x5x11xf32>
  %kt = linalg.transpose ins(%k : tensor<3x11x5xf32>) outs(%kt_e : tensor<3x5x11xf32>) permutation = [0, 2, 1]
  %s_e = tensor.empty() : tensor<3x7x11xf32>
  %s_0 = linalg.fill ins(%zero : f32) outs(%s_e : tensor<3x7x11xf32>) -> tensor<3x7x11xf32>
  %s = linalg.batch_matmul ins(%q, %kt : tensor<3x7x5xf32>, tensor<3x5x11xf32>) outs(%s_0 : tensor<3x7x11xf32>) -> tensor<3x7x11xf32>
  %scaled = arith.mulf %s, %half : tensor<3x7x11xf32>
  %p = linalg.softmax dimension(2) ins(%scaled : tensor<3x7x11xf32>) outs(%s_e : tensor<3x7x11xf32>) -> tensor<3x7x11xf32>
  %o_e = tensor.empty() : tensor<3x7x4xf32>
  %o_0 = linalg.fill ins(%zero : f32) outs(%o_e : tensor<3x7x4xf32>) -> tensor<3x7x4xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<3x7x11xf32>, tensor<3x11x4xf32>) outs(%o_0 : tensor<3x7x4xf32>) -> tensor<3x7x4xf32>
  return %o : tensor<3x7x4xf32>
}
