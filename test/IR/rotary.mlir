// RUN: mha-opt %s | FileCheck %s
// RUN: mha-opt %s --emit-bytecode | mha-opt | FileCheck %s
// RUN: mha-opt %s --mlir-print-op-generic | mha-opt | FileCheck %s

// CHECK-LABEL: func.func @tensors
// CHECK: mha.rotary_embedding %{{[^ ]+}} : tensor<2x?x3x8xbf16>, bshd interleaved rotary_dim(6) theta(1.000000e+04) offset(%{{[^ ]+}} : tensor<2xi64>) outs(%{{[^ ]+}} : tensor<2x?x3x8xbf16>) -> tensor<2x?x3x8xbf16>
// CHECK: mha.rotary_embedding %{{[^ ]+}} : tensor<2x?x3x8xbf16>, bshd cos(%{{[^ ]+}} : tensor<?x4xf32>) sin(%{{[^ ]+}} : tensor<9x4xf16>) position_ids(%{{[^ ]+}} : tensor<2x7xi64>) outs(%{{[^ ]+}} : tensor<2x?x3x8xbf16>) -> tensor<2x?x3x8xbf16>
func.func @tensors(%x: tensor<2x?x3x8xbf16>, %o: tensor<2xi64>, %c: tensor<?x4xf32>, %s: tensor<9x4xf16>, %p: tensor<2x7xi64>) -> (tensor<2x?x3x8xbf16>, tensor<2x?x3x8xbf16>) {
  %0 = mha.rotary_embedding %x : tensor<2x?x3x8xbf16>, bshd interleaved rotary_dim(6) theta(10000.0) offset(%o : tensor<2xi64>) outs(%x : tensor<2x?x3x8xbf16>) -> tensor<2x?x3x8xbf16>
  %1 = mha.rotary_embedding %x : tensor<2x?x3x8xbf16>, bshd cos(%c : tensor<?x4xf32>) sin(%s : tensor<9x4xf16>) position_ids(%p : tensor<2x7xi64>) outs(%x : tensor<2x?x3x8xbf16>) -> tensor<2x?x3x8xbf16>
  return %0, %1 : tensor<2x?x3x8xbf16>, tensor<2x?x3x8xbf16>
}

// CHECK-LABEL: func.func @buffers
// CHECK: mha.rotary_embedding %{{[^ ]+}} : memref<2x3x7x8xf64>, bhsd cos(%{{[^ ]+}} : memref<2x7x4xf64>) sin(%{{[^ ]+}} : memref<2x7x4xf64>) outs(%{{[^ ]+}} : memref<2x3x7x8xf64>){{$}}
// CHECK: mha.rotary_embedding %{{[^ ]+}} : memref<2x3x7x8xf64>, bhsd theta(5.000000e+05) offset(%{{[^ ]+}} : index) outs(%{{[^ ]+}} : memref<2x3x7x8xf64>){{$}}
func.func @buffers(%x: memref<2x3x7x8xf64>, %c: memref<2x7x4xf64>, %o: index, %y: memref<2x3x7x8xf64>) {
  mha.rotary_embedding %x : memref<2x3x7x8xf64>, bhsd cos(%c : memref<2x7x4xf64>) sin(%c : memref<2x7x4xf64>) outs(%y : memref<2x3x7x8xf64>)
  mha.rotary_embedding %x : memref<2x3x7x8xf64>, bhsd theta(5.0e5) offset(%o : index) outs(%y : memref<2x3x7x8xf64>)
  return
}
