// RUN: split-file %s %t
// RUN: mha-run %t/reshaped.mlir --compare=%t/static.mlir --input=x=30xf32=random:3 --input=n=const:2 --input=m=const:5 | FileCheck %s
// RUN: not mha-run %t/reshaped.mlir --input=x=30xf32=random:3 --input=n=const:2 --input=m=const:7 2>&1 | FileCheck %s --check-prefix=WRONG

// One dimension becomes three, two of them dynamic; sizes that do not multiply up are refused.
// CHECK: result 0 {{.*}} verified
// CHECK: result 0 {{.*}} verified
// WRONG: error: 'main' refused its arguments: the sizes of the arguments do not fit together

// The product is 16 more than 2^64; a negative one comes in pairs.
// RUN: mha-run %t/square.mlir --input=x=16xf32=random:3 --input=n=const:8 --input=m=const:2 --verify | FileCheck %s --check-prefix=SQUARE
// RUN: not mha-run %t/square.mlir --input=x=16xf32=random:3 --input=n=const:72996552976 --input=m=const:252707057 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not mha-run %t/square.mlir --input=x=16xf32=random:3 --input=n=const:-8 --input=m=const:-2 2>&1 | FileCheck %s --check-prefix=WRONG
// SQUARE: result 0 {{.*}} verified

// Indices that count down, that are divided, and remainders stay inside as well.
// RUN: mha-run %t/computed.mlir --input=x=5xf32=random:3 --input=y=3x2xf32=random:4 --input=n=const:5 --verify | FileCheck %s --check-prefix=COMPUTED
// RUN: mha-run %t/computed.mlir --input=x=9xf32=random:3 --input=y=9x9xf32=random:4 --input=n=const:0 --verify | FileCheck %s --check-prefix=COMPUTED
// RUN: not mha-run %t/computed.mlir --input=x=5xf32=random:3 --input=y=9x9xf32=random:4 --input=n=const:6 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not mha-run %t/computed.mlir --input=x=4xf32=random:3 --input=y=3x2xf32=random:4 --input=n=const:3 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not mha-run %t/computed.mlir --input=x=5xf32=random:3 --input=y=2x2xf32=random:4 --input=n=const:5 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not mha-run %t/computed.mlir --input=x=5xf32=random:3 --input=y=3x1xf32=random:4 --input=n=const:5 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not mha-run %t/computed.mlir --input=x=5xf32=random:3 --input=y=3x1xf32=random:4 --input=n=const:2 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: mha-run %t/computed.mlir --input=x=5xf32=random:3 --input=y=1x1xf32=random:4 --input=n=const:1 --verify | FileCheck %s --check-prefix=COMPUTED
// COMPUTED: result 0 {{.*}} verified

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

//--- square.mlir
func.func @main(%x: tensor<?xf32>, %n: index, %m: index) -> f32 {
  %e = tensor.expand_shape %x [[0, 1]] output_shape [%n, %m] : tensor<?xf32> into tensor<?x?xf32>
  %c1 = arith.constant 1 : index
  %y = tensor.extract %e[%c1, %c1] : tensor<?x?xf32>
  return %y : f32
}

//--- computed.mlir
func.func @main(%x: tensor<?xf32>, %y: tensor<?x?xf32>, %n: index) -> tensor<?xf32> {
  %o = tensor.empty(%n) : tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (4 - i)>, affine_map<(i) -> (i ceildiv 2, i mod 2)>,
      affine_map<(i) -> (i floordiv 3, 0)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%x, %y, %y : tensor<?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %_: f32):
    %ab = arith.mulf %a, %b : f32
    %abc = arith.addf %ab, %c : f32
    linalg.yield %abc : f32
  } -> tensor<?xf32>
  return %sum : tensor<?xf32>
}
