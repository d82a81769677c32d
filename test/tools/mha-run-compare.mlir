// Two programs without an op of ours, written in different ways: told apart when they differ in meaning, and only then.

// RUN: split-file %s %t
// RUN: mha-run %t/a.mlir --compare=%t/b.mlir | FileCheck %s --check-prefix=EQUAL
// RUN: mha-run %t/b.mlir --compare=%t/a.mlir --json | FileCheck %s --check-prefix=JSON
// RUN: not mha-run %t/a.mlir --compare=%t/inverted.mlir 2>&1 | FileCheck %s --check-prefix=INVERTED
// RUN: mha-run %t/a.mlir --compare=%t/op.mlir | FileCheck %s --check-prefix=OP
// RUN: not mha-run %t/a.mlir --compare=%t/shape.mlir 2>&1 | FileCheck %t/shape.mlir
// RUN: not mha-run %t/a.mlir --compare=%t/type.mlir 2>&1 | FileCheck %t/type.mlir
// RUN: not mha-run %t/a.mlir --compare=%t/count.mlir 2>&1 | FileCheck %t/count.mlir
// RUN: not mha-run %t/a.mlir --compare=%t/many.mlir 2>&1 | FileCheck %t/many.mlir
// RUN: not mha-run %t/a.mlir --compare=%t/nowhere.mlir 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: not mha-run %t/dynamic.mlir --input=x=3xf32=random --compare=%t/static.mlir 2>&1 | FileCheck %t/static.mlir
// RUN: mha-run %t/dynamic.mlir --input=x=4xf32=random --compare=%t/static.mlir | FileCheck %t/dynamic.mlir

// EQUAL:      result 0 (7x4xf32): min
// EQUAL-NEXT: result 0 (7x4xf32): verified, max error {{[0-9.e-]+}} <= {{[0-9.e-]+$}}
// EQUAL-NEXT: result 0 (7x4xf32) of b.mlir: verified, max error {{[0-9.e-]+}} <= {{[0-9.e-]+$}}
// EQUAL-NEXT: attention: 0 found{{$}}
// JSON:       "passed": true
// INVERTED:      result 0 (7x4xf32): verified, max error {{[0-9.e-]+}} <= {{[0-9.e-]+$}}
// INVERTED-NEXT: result 0 (7x4xf32) of inverted.mlir: FAILED, max error {{[0-9.e-]+}} > {{[0-9.e-]+$}}
// INVERTED-NEXT: attention: 0 found
// INVERTED-NEXT: error: result 0 (7x4xf32) of inverted.mlir is not what was expected: {{.+}}; first difference at (0, 0): expected {{.+}}, found {{.+}}
// OP:         result 0 (7x4xf32) of op.mlir: verified
// NOWHERE:    error: cannot read '{{.*}}nowhere.mlir': No such file or directory

//--- a.mlir
// Causal attention of one head with a softmax that subtracts the largest score.
#rows = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @main(%q: tensor<7x5xf32>, %k: tensor<7x5xf32>, %v: tensor<7x4xf32>) -> tensor<7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.5 : f32
  %scores_init = tensor.empty() : tensor<7x7xf32>
  %rows_init = tensor.empty() : tensor<7xf32>
  %out_init = tensor.empty() : tensor<7x4xf32>
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_init : tensor<7x7xf32>) -> tensor<7x7xf32>
  %scores = linalg.matmul indexing_maps = [affine_map<(i, j, d) -> (i, d)>, affine_map<(i, j, d) -> (j, d)>, affine_map<(i, j, d) -> (i, j)>]
      ins(%q, %k : tensor<7x5xf32>, tensor<7x5xf32>) outs(%scores_zero : tensor<7x7xf32>) -> tensor<7x7xf32>
  %masked = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<7x7xf32>) outs(%scores_init : tensor<7x7xf32>) {
  ^bb0(%s: f32, %unused: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi ule, %j, %i : index
    %scaled = arith.mulf %s, %scale : f32
    %m = arith.select %seen, %scaled, %hidden : f32
    linalg.yield %m : f32
  } -> tensor<7x7xf32>
  %max_init = linalg.fill ins(%hidden : f32) outs(%rows_init : tensor<7xf32>) -> tensor<7xf32>
  %max = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%masked : tensor<7x7xf32>) outs(%max_init : tensor<7xf32>) {
  ^bb0(%s: f32, %m: f32):
    %larger = arith.maximumf %s, %m : f32
    linalg.yield %larger : f32
  } -> tensor<7xf32>
  %weights = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%masked, %max : tensor<7x7xf32>, tensor<7xf32>) outs(%scores_init : tensor<7x7xf32>) {
  ^bb0(%s: f32, %m: f32, %unused: f32):
    %difference = arith.subf %s, %m : f32
    %w = math.exp %difference : f32
    linalg.yield %w : f32
  } -> tensor<7x7xf32>
  %sum_init = linalg.fill ins(%zero : f32) outs(%rows_init : tensor<7xf32>) -> tensor<7xf32>
  %sum = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%weights : tensor<7x7xf32>) outs(%sum_init : tensor<7xf32>) {
  ^bb0(%w: f32, %s: f32):
    %t = arith.addf %w, %s : f32
    linalg.yield %t : f32
  } -> tensor<7xf32>
  %out_zero = linalg.fill ins(%zero : f32) outs(%out_init : tensor<7x4xf32>) -> tensor<7x4xf32>
  %weighted = linalg.matmul ins(%weights, %v : tensor<7x7xf32>, tensor<7x4xf32>) outs(%out_zero : tensor<7x4xf32>) -> tensor<7x4xf32>
  %o = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%weighted, %sum : tensor<7x4xf32>, tensor<7xf32>) outs(%out_init : tensor<7x4xf32>) {
  ^bb0(%w: f32, %s: f32, %unused: f32):
    %r = arith.divf %w, %s : f32
    linalg.yield %r : f32
  } -> tensor<7x4xf32>
  return %o : tensor<7x4xf32>
}

//--- b.mlir
// The same from one loop nest over what is seen: no masked scores, no largest score, sums in one pass.
func.func @attend(%q: tensor<7x5xf32>, %k: tensor<7x5xf32>, %v: tensor<7x4xf32>) -> tensor<7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = arith.constant 5 : index
  %half = arith.constant 0.5 : f32
  %o = tensor.generate {
  ^bb0(%i: index, %n: index):
    %end = arith.addi %i, %c1 : index
    %sums:2 = scf.for %j = %c0 to %end step %c1 iter_args(%acc = %zero, %total = %zero) -> (f32, f32) {
      %dot = scf.for %e = %c0 to %d step %c1 iter_args(%s = %zero) -> f32 {
        %qe = tensor.extract %q[%i, %e] : tensor<7x5xf32>
        %ke = tensor.extract %k[%j, %e] : tensor<7x5xf32>
        %p = arith.mulf %qe, %ke : f32
        %t = arith.addf %s, %p : f32
        scf.yield %t : f32
      }
      %scaled = arith.mulf %dot, %half : f32
      %w = math.exp %scaled : f32
      %value = tensor.extract %v[%j, %n] : tensor<7x4xf32>
      %p = arith.mulf %w, %value : f32
      %next = arith.addf %acc, %p : f32
      %next_total = arith.addf %total, %w : f32
      scf.yield %next, %next_total : f32, f32
    }
    %r = arith.divf %sums#0, %sums#1 : f32
    tensor.yield %r : f32
  } : tensor<7x4xf32>
  return %o : tensor<7x4xf32>
}

//--- op.mlir
func.func @main(%q: tensor<7x5xf32>, %k: tensor<7x5xf32>, %v: tensor<7x4xf32>) -> tensor<7x4xf32> {
  %q4 = tensor.expand_shape %q [[0, 1, 2], [3]] output_shape [1, 1, 7, 5] : tensor<7x5xf32> into tensor<1x1x7x5xf32>
  %k4 = tensor.expand_shape %k [[0, 1, 2], [3]] output_shape [1, 1, 7, 5] : tensor<7x5xf32> into tensor<1x1x7x5xf32>
  %v4 = tensor.expand_shape %v [[0, 1, 2], [3]] output_shape [1, 1, 7, 4] : tensor<7x4xf32> into tensor<1x1x7x4xf32>
  %o = mha.attention query(%q4 : tensor<1x1x7x5xf32>, bhsd) key(%k4 : tensor<1x1x7x5xf32>, bhsd) value(%v4 : tensor<1x1x7x4xf32>, bhsd)
      mask<causal> scale(0.5) -> tensor<1x1x7x4xf32>
  %r = tensor.collapse_shape %o [[0, 1, 2], [3]] : tensor<1x1x7x4xf32> into tensor<7x4xf32>
  return %r : tensor<7x4xf32>
}

//--- inverted.mlir
// `b.mlir` with the condition turned round: a query sees itself and the keys behind it.
func.func @main(%q: tensor<7x5xf32>, %k: tensor<7x5xf32>, %v: tensor<7x4xf32>) -> tensor<7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = arith.constant 5 : index
  %end = arith.constant 7 : index
  %half = arith.constant 0.5 : f32
  %o = tensor.generate {
  ^bb0(%i: index, %n: index):
    %sums:2 = scf.for %j = %i to %end step %c1 iter_args(%acc = %zero, %total = %zero) -> (f32, f32) {
      %dot = scf.for %e = %c0 to %d step %c1 iter_args(%s = %zero) -> f32 {
        %qe = tensor.extract %q[%i, %e] : tensor<7x5xf32>
        %ke = tensor.extract %k[%j, %e] : tensor<7x5xf32>
        %p = arith.mulf %qe, %ke : f32
        %t = arith.addf %s, %p : f32
        scf.yield %t : f32
      }
      %scaled = arith.mulf %dot, %half : f32
      %w = math.exp %scaled : f32
      %value = tensor.extract %v[%j, %n] : tensor<7x4xf32>
      %p = arith.mulf %w, %value : f32
      %next = arith.addf %acc, %p : f32
      %next_total = arith.addf %total, %w : f32
      scf.yield %next, %next_total : f32, f32
    }
    %r = arith.divf %sums#0, %sums#1 : f32
    tensor.yield %r : f32
  } : tensor<7x4xf32>
  return %o : tensor<7x4xf32>
}

//--- shape.mlir
// CHECK: shape.mlir:[[#@LINE+2]]:1: error: expected the signature of the program that it is compared with: 7x4xf32 as argument 2, found 7x3xf32
// CHECK: error: '{{.*}}shape.mlir' cannot be compared with '{{.*}}a.mlir'
func.func @main(%q: tensor<7x5xf32>, %k: tensor<7x5xf32>, %v: tensor<7x3xf32>) -> tensor<7x3xf32> {
  return %v : tensor<7x3xf32>
}

//--- type.mlir
// CHECK: type.mlir:[[#@LINE+1]]:1: error: expected the signature of the program that it is compared with: 7x4xf32 as result 0, found 7x4xf64
func.func @main(%q: tensor<7x5xf32>, %k: tensor<7x5xf32>, %v: tensor<7x4xf32>) -> tensor<7x4xf64> {
  %o = arith.constant dense<0.0> : tensor<7x4xf64>
  return %o : tensor<7x4xf64>
}

//--- count.mlir
// CHECK: count.mlir:[[#@LINE+1]]:1: error: expected the signature of the program that it is compared with: 3 arguments, found 1
func.func @main(%v: tensor<7x4xf32>) -> tensor<7x4xf32> {
  return %v : tensor<7x4xf32>
}

//--- many.mlir
// CHECK: many.mlir:{{.*}} error: expected one of the functions 'f', 'g' to be chosen with -e
func.func @f() {
  return
}
func.func @g() {
  return
}

//--- dynamic.mlir
// CHECK: result 0 (4xf32) of static.mlir: verified
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

//--- static.mlir
// CHECK: error: argument 'y': expected 4xf32, found 3xf32
func.func @main(%y: tensor<4xf32>) -> tensor<4xf32> {
  return %y : tensor<4xf32>
}
