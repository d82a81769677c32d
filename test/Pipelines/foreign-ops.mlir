// RUN: mha-opt %s --mha-cpu-pipeline | FileCheck %s
// RUN: mha-opt %s --mha-reference-pipeline | FileCheck %s

// Ops of other dialects in the same module are compiled as well.
// CHECK-NOT: linalg.
// CHECK-NOT: builtin.unrealized_conversion_cast
// CHECK: llvm.func @_mlir_ciface_layer
func.func @layer(%x: tensor<7x12xf32>, %w: tensor<12x12xf32>, %bias: tensor<12xf32>, %first: index) -> (tensor<7x12xf32>, f32) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<7x12xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<7x12xf32>) -> tensor<7x12xf32>
  %p = linalg.matmul ins(%x, %w : tensor<7x12xf32>, tensor<12x12xf32>) outs(%init : tensor<7x12xf32>) -> tensor<7x12xf32>
  %wide = linalg.broadcast ins(%bias : tensor<12xf32>) outs(%empty : tensor<7x12xf32>) dimensions = [0]
  %biased = linalg.add ins(%p, %wide : tensor<7x12xf32>, tensor<7x12xf32>) outs(%empty : tensor<7x12xf32>) -> tensor<7x12xf32>
  %heads = tensor.expand_shape %biased [[0, 1], [2, 3]] output_shape [1, 7, 3, 4] : tensor<7x12xf32> into tensor<1x7x3x4xf32>
  %o = mha.attention query(%heads : tensor<1x7x3x4xf32>, bshd) key(%heads : tensor<1x7x3x4xf32>, bshd) value(%heads : tensor<1x7x3x4xf32>, bshd)
    mask<causal> -> tensor<1x7x3x4xf32>
  %r = tensor.collapse_shape %o [[0, 1], [2, 3]] : tensor<1x7x3x4xf32> into tensor<7x12xf32>
  %tanh = linalg.tanh ins(%r : tensor<7x12xf32>) outs(%empty : tensor<7x12xf32>) -> tensor<7x12xf32>
  %c0 = arith.constant 0 : index
  %corner = tensor.extract %tanh[%first, %c0] : tensor<7x12xf32>
  return %tanh, %corner : tensor<7x12xf32>, f32
}
