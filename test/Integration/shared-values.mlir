// RUN: split-file %s %t
// RUN: mha-run %t/two.mlir --compare=%t/apart.mlir | FileCheck %s
// RUN: mha-run %t/intermediate.mlir --compare=%t/intermediate-apart.mlir | FileCheck %s

// Results whose computations share an empty tensor, a fill or each other keep apart. The programs on the right compute one
// result in another place, so that nothing is shared.
// CHECK: result 0 {{.*}} verified
// CHECK: result 1 {{.*}} verified
// CHECK: result 0 {{.*}} verified
// CHECK: result 1 {{.*}} verified

//--- two.mlir
func.func @main(%q: tensor<1x2x3x5xf32>, %p: tensor<1x2x3x5xf32>) -> (tensor<1x2x3x5xf32>, tensor<1x2x3x5xf32>) {
  %0 = mha.attention query(%q : tensor<1x2x3x5xf32>, bhsd) key(%q : tensor<1x2x3x5xf32>, bhsd) value(%q : tensor<1x2x3x5xf32>, bhsd)
    -> tensor<1x2x3x5xf32>
  %1 = mha.attention query(%p : tensor<1x2x3x5xf32>, bhsd) key(%q : tensor<1x2x3x5xf32>, bhsd) value(%q : tensor<1x2x3x5xf32>, bhsd)
    -> tensor<1x2x3x5xf32>
  return %0, %1 : tensor<1x2x3x5xf32>, tensor<1x2x3x5xf32>
}

//--- apart.mlir
func.func @main(%q: tensor<1x2x3x5xf32>, %p: tensor<1x2x3x5xf32>) -> (tensor<1x2x3x5xf32>, tensor<1x2x3x5xf32>) {
  // One attention over both queries, one after the other.
  %both = tensor.concat dim(2) %q, %p : (tensor<1x2x3x5xf32>, tensor<1x2x3x5xf32>) -> tensor<1x2x6x5xf32>
  %o = mha.attention query(%both : tensor<1x2x6x5xf32>, bhsd) key(%q : tensor<1x2x3x5xf32>, bhsd) value(%q : tensor<1x2x3x5xf32>, bhsd)
    -> tensor<1x2x6x5xf32>
  %0 = tensor.extract_slice %o[0, 0, 0, 0] [1, 2, 3, 5] [1, 1, 1, 1] : tensor<1x2x6x5xf32> to tensor<1x2x3x5xf32>
  %1 = tensor.extract_slice %o[0, 0, 3, 0] [1, 2, 3, 5] [1, 1, 1, 1] : tensor<1x2x6x5xf32> to tensor<1x2x3x5xf32>
  return %0, %1 : tensor<1x2x3x5xf32>, tensor<1x2x3x5xf32>
}

//--- intermediate.mlir
func.func @main(%a: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  %empty = tensor.empty() : tensor<3x5xf32>
  %exp = linalg.exp ins(%a : tensor<3x5xf32>) outs(%empty : tensor<3x5xf32>) -> tensor<3x5xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]} ins(%a : tensor<3x5xf32>) outs(%exp : tensor<3x5xf32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<3x5xf32>
  return %sum, %exp : tensor<3x5xf32>, tensor<3x5xf32>
}

//--- intermediate-apart.mlir
func.func @main(%a: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  %exp = math.exp %a : tensor<3x5xf32>
  %sum = arith.addf %a, %exp : tensor<3x5xf32>
  return %sum, %exp : tensor<3x5xf32>, tensor<3x5xf32>
}
