// RUN: split-file %s %t
// RUN: mha-run %t/tensors.mlir --compare=%t/memrefs.mlir | FileCheck %s

// The form on memrefs computes what the form on tensors does, lse and lengths included.
// CHECK-COUNT-2: result 0 {{.*}} <= {{[0-9]}}
// CHECK: attention: 1 found

//--- tensors.mlir
func.func @main(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %len: tensor<2xi64>)
    -> (tensor<2x7x6x4xf32>, tensor<2x6x7xf32>) {
  %o, %lse = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    mask<causal> align(bottom_right) lengths(%len : tensor<2xi64>) -> (tensor<2x7x6x4xf32>, bshd, lse tensor<2x6x7xf32>)
  return %o, %lse : tensor<2x7x6x4xf32>, tensor<2x6x7xf32>
}

//--- memrefs.mlir
func.func @main(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %len: tensor<2xi64>)
    -> (tensor<2x7x6x4xf32>, tensor<2x6x7xf32>) {
  %qm = bufferization.to_buffer %q : tensor<2x6x7x5xf32> to memref<2x6x7x5xf32, strided<[?, ?, ?, ?], offset: ?>>
  %km = bufferization.to_buffer %k : tensor<2x3x11x5xf32> to memref<2x3x11x5xf32, strided<[?, ?, ?, ?], offset: ?>>
  %vm = bufferization.to_buffer %v : tensor<2x3x11x4xf32> to memref<2x3x11x4xf32, strided<[?, ?, ?, ?], offset: ?>>
  %lm = bufferization.to_buffer %len : tensor<2xi64> to memref<2xi64, strided<[?], offset: ?>>
  %om = memref.alloc() : memref<2x7x6x4xf32>
  %sm = memref.alloc() : memref<2x6x7xf32>
  mha.attention query(%qm : memref<2x6x7x5xf32, strided<[?, ?, ?, ?], offset: ?>>, bhsd)
    key(%km : memref<2x3x11x5xf32, strided<[?, ?, ?, ?], offset: ?>>, bhsd)
    value(%vm : memref<2x3x11x4xf32, strided<[?, ?, ?, ?], offset: ?>>, bhsd)
    mask<causal> align(bottom_right) lengths(%lm : memref<2xi64, strided<[?], offset: ?>>)
    outs(%om : memref<2x7x6x4xf32>, bshd, lse %sm : memref<2x6x7xf32>)
  %o = bufferization.to_tensor %om restrict : memref<2x7x6x4xf32> to tensor<2x7x6x4xf32>
  %lse = bufferization.to_tensor %sm restrict : memref<2x6x7xf32> to tensor<2x6x7xf32>
  return %o, %lse : tensor<2x7x6x4xf32>, tensor<2x6x7xf32>
}
