// RUN: mha-opt %s --convert-mha-to-linalg --split-input-file | FileCheck %s

// What is computed has the sizes that the operands know; results keep their own types, which know less.
// CHECK-LABEL: func.func @knows_less
// CHECK: math.log
// CHECK: %[[OUTPUT:.+]] = tensor.cast %{{.+}} : tensor<2x6x7x4xf32> to tensor<?x6x?x4xf32>
// CHECK: %[[LSE:.+]] = tensor.cast %{{.+}} : tensor<2x6x7xf32> to tensor<2x?x7xf32>
// CHECK: return %[[OUTPUT]], %[[LSE]] : tensor<?x6x?x4xf32>, tensor<2x?x7xf32>
func.func @knows_less(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) -> (tensor<?x6x?x4xf32>, tensor<2x?x7xf32>) {
  %o, %lse = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    -> (tensor<?x6x?x4xf32>, lse tensor<2x?x7xf32>)
  return %o, %lse : tensor<?x6x?x4xf32>, tensor<2x?x7xf32>
}

// -----

// Or more: the entry point checks that the sizes are as promised.
// CHECK-LABEL: func.func @knows_more
// CHECK: math.log
// CHECK: %[[OUTPUT:.+]] = tensor.cast %{{.+}} : tensor<?x6x7x4xf32> to tensor<2x6x7x4xf32>
// CHECK: %[[LSE:.+]] = tensor.cast %{{.+}} : tensor<?x6x7xf32> to tensor<2x6x7xf32>
// CHECK: return %[[OUTPUT]], %[[LSE]]
func.func @knows_more(%q: tensor<?x6x7x5xf32>, %k: tensor<?x3x11x5xf32>, %v: tensor<?x3x11x4xf32>) -> (tensor<2x6x7x4xf32>, tensor<2x6x7xf32>) {
  %o, %lse = mha.attention query(%q : tensor<?x6x7x5xf32>, bhsd) key(%k : tensor<?x3x11x5xf32>, bhsd) value(%v : tensor<?x3x11x4xf32>, bhsd)
    -> (tensor<2x6x7x4xf32>, lse tensor<2x6x7xf32>)
  return %o, %lse : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>
}
