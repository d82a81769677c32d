// RUN: split-file %s %t
// RUN: mha-run %t/reshaped.mlir --compare=%t/static.mlir --input=x=30xf32=random:3 --input=n=const:2 --input=m=const:5 | FileCheck %s
// RUN: not mha-run %t/reshaped.mlir --input=x=30xf32=random:3 --input=n=const:2 --input=m=const:7 2>&1 | FileCheck %s --check-prefix=WRONG

// One dimension becomes three, two of them dynamic; sizes that do not multiply up are refused.
// CHECK: result 0 {{.*}} verified
// CHECK: result 0 {{.*}} verified
// WRONG: error: 'main' refused its arguments: the sizes of the arguments do not fit together

//--- reshaped.mlir
func.func @main(%x: tensor<?xf32>, %n: index, %m: index) -> tensor<3xf32> {
  %e = tensor.expand_shape %x [[0, 1, 2]] output_shape [%n, %m, 3] : tensor<?xf32> into tensor<?x?x3xf32>
  %zero = arith.constant dense<0.0> : tensor<3xf32>
  // The position in the two dynamic sizes enters the sum.
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (k)>],
      iterator_types = ["reduction", "reduction", "parallel"]} ins(%e : tensor<?x?x3xf32>) outs(%zero : tensor<3xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c10 = arith.constant 10 : index
    %i10 = arith.muli %i, %c10 : index
    %p = arith.addi %i10, %j : index
    %pi = arith.index_cast %p : index to i32
    %pf = arith.sitofp %pi : i32 to f32
    %w = arith.mulf %a, %pf : f32
    %next = arith.addf %acc, %w : f32
    linalg.yield %next : f32
  } -> tensor<3xf32>
  return %sum : tensor<3xf32>
}

//--- static.mlir
func.func @main(%x: tensor<?xf32>, %n: index, %m: index) -> tensor<3xf32> {
  %s = tensor.cast %x : tensor<?xf32> to tensor<30xf32>
  %e = tensor.expand_shape %s [[0, 1, 2]] output_shape [2, 5, 3] : tensor<30xf32> into tensor<2x5x3xf32>
  %zero = arith.constant dense<0.0> : tensor<3xf32>
  %weights = arith.constant dense<[[0.0, 1.0, 2.0, 3.0, 4.0], [10.0, 11.0, 12.0, 13.0, 14.0]]> : tensor<2x5xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (k)>],
      iterator_types = ["reduction", "reduction", "parallel"]} ins(%e, %weights : tensor<2x5x3xf32>, tensor<2x5xf32>) outs(%zero : tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %w = arith.mulf %a, %b : f32
    %next = arith.addf %acc, %w : f32
    linalg.yield %next : f32
  } -> tensor<3xf32>
  return %sum : tensor<3xf32>
}
