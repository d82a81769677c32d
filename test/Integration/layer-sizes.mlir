// Only dense masks broadcast: a size of 1 beside one that only run time knows has to be that size.
// RUN: split-file %s %t
// RUN: mha-run %t/padding.mlir --input=x=1x3x4xf32=random:1 --input=random:1 --verify | FileCheck %s
// RUN: not mha-run %t/padding.mlir --input=x=2x3x4xf32=random:1 --input=random:1 2>&1 | FileCheck %s --check-prefix=MISFIT
// RUN: mha-run %t/key.mlir --input=x=1x3x4xf32=random:1 --input=random:1 --verify | FileCheck %s
// RUN: not mha-run %t/key.mlir --input=x=2x3x4xf32=random:1 --input=random:1 2>&1 | FileCheck %s --check-prefix=MISFIT
// RUN: not mha-run %t/length.mlir --input=k=2x5x4xf32=random:1 --input=random:1 2>&1 | FileCheck %s --check-prefix=MISFIT
// CHECK: verified
// MISFIT: error: 'main' refused its arguments: the sizes of the arguments do not fit together

// Two finite masks whose sum is beyond f32 do not hide: every key counts as much.
// RUN: mha-run %t/large.mlir --input=m=const:-3.4e38 --input=p=const:-3.4e38 --input=random:1 --verify | FileCheck %s

//--- padding.mlir
func.func @main(%x: tensor<?x3x4xf32> {mha.name = "x"}, %p: tensor<1x3xi1>, %w: tensor<12x4xf32>, %wo: tensor<4x4xf32>) -> tensor<?x3x4xf32> {
  %0 = mha.layer heads(2) query(%x : tensor<?x3x4xf32>) w_qkv(%w : tensor<12x4xf32>, oe) w_o(%wo : tensor<4x4xf32>, oe) key_padding(%p : tensor<1x3xi1>, hidden) -> tensor<?x3x4xf32>
  return %0 : tensor<?x3x4xf32>
}

//--- key.mlir
func.func @main(%x: tensor<?x3x4xf32> {mha.name = "x"}, %k: tensor<1x5x4xf32>, %w: tensor<12x4xf32>, %wo: tensor<4x4xf32>) -> tensor<?x3x4xf32> {
  %0 = mha.layer heads(2) query(%x : tensor<?x3x4xf32>) key(%k : tensor<1x5x4xf32>) w_qkv(%w : tensor<12x4xf32>, oe) w_o(%wo : tensor<4x4xf32>, oe) -> tensor<?x3x4xf32>
  return %0 : tensor<?x3x4xf32>
}

//--- length.mlir
func.func @main(%x: tensor<2x3x4xf32>, %k: tensor<2x?x4xf32> {mha.name = "k"}, %p: tensor<2x1xi1>, %w: tensor<12x4xf32>, %wo: tensor<4x4xf32>) -> tensor<2x3x4xf32> {
  %0 = mha.layer heads(2) query(%x : tensor<2x3x4xf32>) key(%k : tensor<2x?x4xf32>) w_qkv(%w : tensor<12x4xf32>, oe) w_o(%wo : tensor<4x4xf32>, oe) key_padding(%p : tensor<2x1xi1>, visible) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

//--- large.mlir
func.func @main(%x: tensor<1x3x4xf32>, %m: tensor<3x3xf32> {mha.name = "m"}, %p: tensor<1x3xf32> {mha.name = "p"}, %w: tensor<12x4xf32>, %wo: tensor<4x4xf32>) -> tensor<1x3x4xf32> {
  %0 = mha.layer heads(2) query(%x : tensor<1x3x4xf32>) w_qkv(%w : tensor<12x4xf32>, oe) w_o(%wo : tensor<4x4xf32>, oe) dense_mask(%m : tensor<3x3xf32>) key_padding(%p : tensor<1x3xf32>) -> tensor<1x3x4xf32>
  return %0 : tensor<1x3x4xf32>
}
