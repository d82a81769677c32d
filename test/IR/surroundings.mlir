// RUN: mha-opt %s | FileCheck %s
// RUN: mha-opt %s --emit-bytecode | mha-opt | FileCheck %s
// RUN: mha-opt %s --mlir-print-op-generic | mha-opt | FileCheck %s

// CHECK-LABEL: func.func @tensors
// CHECK: mha.projection input(%{{[^ ]+}} : tensor<2x?x5xbf16>) weight(%{{[^ ]+}} : tensor<3x5xf16>, oe) bias(%{{[^ ]+}} : tensor<3xf32>) outs(%{{[^ ]+}} : tensor<2x?x3xf16>) -> tensor<2x?x3xf16>
// CHECK: mha.repeat_kv %{{[^ ]+}} : tensor<2x7x3x5xf16>, bshd times 4 outs(%{{[^ ]+}} : tensor<2x7x12x5xf16>) -> tensor<2x7x12x5xf16>
func.func @tensors(%x: tensor<2x?x5xbf16>, %w: tensor<3x5xf16>, %b: tensor<3xf32>, %y: tensor<2x?x3xf16>, %k: tensor<2x7x3x5xf16>, %r: tensor<2x7x12x5xf16>) -> (tensor<2x?x3xf16>, tensor<2x7x12x5xf16>) {
  %0 = mha.projection input(%x : tensor<2x?x5xbf16>) weight(%w : tensor<3x5xf16>, oe) bias(%b : tensor<3xf32>) outs(%y : tensor<2x?x3xf16>) -> tensor<2x?x3xf16>
  %1 = mha.repeat_kv %k : tensor<2x7x3x5xf16>, bshd times 4 outs(%r : tensor<2x7x12x5xf16>) -> tensor<2x7x12x5xf16>
  return %0, %1 : tensor<2x?x3xf16>, tensor<2x7x12x5xf16>
}

// CHECK-LABEL: func.func @buffers
// CHECK: mha.projection input(%{{[^ ]+}} : memref<7x5xf64>) weight(%{{[^ ]+}} : memref<5x3xf64>, eo) outs(%{{[^ ]+}} : memref<7x3xf64>){{$}}
// CHECK: mha.repeat_kv %{{[^ ]+}} : memref<2x3x7x5xf64>, bhsd times 1 outs(%{{[^ ]+}} : memref<2x3x7x5xf64>){{$}}
func.func @buffers(%x: memref<7x5xf64>, %w: memref<5x3xf64>, %y: memref<7x3xf64>, %k: memref<2x3x7x5xf64>, %r: memref<2x3x7x5xf64>) {
  mha.projection input(%x : memref<7x5xf64>) weight(%w : memref<5x3xf64>, eo) outs(%y : memref<7x3xf64>)
  mha.repeat_kv %k : memref<2x3x7x5xf64>, bhsd times 1 outs(%r : memref<2x3x7x5xf64>)
  return
}

// CHECK-LABEL: func.func @packed
// CHECK: mha.qkv_projection input(%{{[^ ]+}} : tensor<?x5xbf16>) weight(%{{[^ ]+}} : tensor<?x5xf16>, oe) bias(%{{[^ ]+}} : tensor<9xf32>) outs(%{{[^ ]+}}, %{{[^ ]+}} : tensor<7x6xf16>, tensor<7x3xf32>) -> tensor<7x6xf16>, tensor<7x3xf32>
// CHECK: mha.qkv_projection input(%{{[^ ]+}} : memref<2x7x5xf64>) weight(%{{[^ ]+}} : memref<5x9xf64>, eo) outs(%{{[^ ]+}} : memref<2x7x9xf64>){{$}}
// CHECK: mha.projection input(%{{[^ ]+}} : memref<2x7x5xf64>) weight(%{{[^ ]+}} : memref<5x9xf64>, eo) residual(%{{[^ ]+}} : memref<2x7x9xf64>) outs(%{{[^ ]+}} : memref<2x7x9xf64>){{$}}
func.func @packed(%x: tensor<?x5xbf16>, %w: tensor<?x5xf16>, %b: tensor<9xf32>, %q: tensor<7x6xf16>, %k: tensor<7x3xf32>, %xm: memref<2x7x5xf64>, %wm: memref<5x9xf64>, %rm: memref<2x7x9xf64>, %ym: memref<2x7x9xf64>) -> (tensor<7x6xf16>, tensor<7x3xf32>) {
  %0:2 = mha.qkv_projection input(%x : tensor<?x5xbf16>) weight(%w : tensor<?x5xf16>, oe) bias(%b : tensor<9xf32>) outs(%q, %k : tensor<7x6xf16>, tensor<7x3xf32>) -> tensor<7x6xf16>, tensor<7x3xf32>
  mha.qkv_projection input(%xm : memref<2x7x5xf64>) weight(%wm : memref<5x9xf64>, eo) outs(%ym : memref<2x7x9xf64>)
  mha.projection input(%xm : memref<2x7x5xf64>) weight(%wm : memref<5x9xf64>, eo) residual(%rm : memref<2x7x9xf64>) outs(%ym : memref<2x7x9xf64>)
  return %0#0, %0#1 : tensor<7x6xf16>, tensor<7x3xf32>
}
