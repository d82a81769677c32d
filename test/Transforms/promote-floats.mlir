// RUN: mha-opt %s --mha-promote-floats | FileCheck %s

// Types, constants and attention become f64; the scale is f64 already.
// CHECK-LABEL: func.func @types
// CHECK-SAME: (%[[Q:.+]]: tensor<2x6x7x5xf64>, %{{.+}}: f64, %{{.+}}: tensor<2xi64>) -> (tensor<2x6x7x5xf64>, tensor<2x6x7xf64>)
// CHECK: arith.constant 0.10000000149011612 : f64
// CHECK: mha.attention query(%[[Q]] : tensor<2x6x7x5xf64>, bhsd)
// CHECK-SAME: scale(1.250000e-01)
// CHECK-SAME: lengths(%{{.+}} : tensor<2xi64>)
// CHECK-SAME: -> (tensor<2x6x7x5xf64>, lse tensor<2x6x7xf64>)
func.func @types(%q: tensor<2x6x7x5xf32>, %x: f32, %len: tensor<2xi64>) -> (tensor<2x6x7x5xf32>, tensor<2x6x7xf32>) {
  %tenth = arith.constant 0.1 : f32
  %o, %lse = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%q : tensor<2x6x7x5xf32>, bhsd) value(%q : tensor<2x6x7x5xf32>, bhsd)
    scale(0.125) lengths(%len : tensor<2xi64>) -> (tensor<2x6x7x5xf32>, lse tensor<2x6x7xf32>)
  return %o, %lse : tensor<2x6x7x5xf32>, tensor<2x6x7xf32>
}

// Constants keep the value that they have in their declared type: 0.1 in f16 is 0.0999755859375.
// CHECK-LABEL: func.func @constants
// CHECK-DAG: dense<[0.0999755859375, -2.000000e+00, 6.550400e+04]> : tensor<3xf64>
// CHECK-DAG: dense<0.0999755859375> : tensor<7xf64>
// CHECK-DAG: dense<[1, 2]> : tensor<2xi64>
// CHECK-DAG: dense_resource<ints> : tensor<2xi32>
// CHECK-DAG: dense<[1.000000e+00, -2.500000e+00]> : tensor<2xf64>
func.func @constants() {
  %0 = arith.constant dense<[0.1, -2.0, 65504.0]> : tensor<3xf16>
  %1 = arith.constant dense<0.1> : tensor<7xf16>
  %2 = arith.constant dense<[1, 2]> : tensor<2xi64>
  %3 = arith.constant dense_resource<ints> : tensor<2xi32>
  %4 = arith.constant dense_resource<floats> : tensor<2xf32>
  return
}

// A narrowing cast stays as a rounding step, with its rounding mode; a widening one has nothing to do.
// CHECK-LABEL: func.func @casts
// CHECK-SAME: (%[[X:.+]]: f64, %[[T:.+]]: tensor<3xf64>)
// CHECK: %[[R:.+]] = arith.truncf %[[X]] to_nearest_even : f64 to bf16
// CHECK: %[[E:.+]] = arith.extf %[[R]] : bf16 to f64
// CHECK: %[[RT:.+]] = arith.truncf %[[T]] : tensor<3xf64> to tensor<3xf32>
// CHECK: %[[ET:.+]] = arith.extf %[[RT]] : tensor<3xf32> to tensor<3xf64>
// CHECK: return %[[E]], %[[X]], %[[ET]] : f64, f64, tensor<3xf64>
func.func @casts(%x: f32, %t: tensor<3xf64>) -> (bf16, f64, tensor<3xf32>) {
  %narrow = arith.truncf %x to_nearest_even : f32 to bf16
  %wide = arith.extf %x : f32 to f64
  %narrowed = arith.truncf %t : tensor<3xf64> to tensor<3xf32>
  return %narrow, %wide, %narrowed : bf16, f64, tensor<3xf32>
}

// Bodies of structured ops follow, with the casts inside.
// CHECK-LABEL: func.func @bodies
// CHECK: linalg.generic
// CHECK: ^bb0(%[[A:.+]]: f64, %[[ACC:.+]]: f64)
// CHECK-NEXT: %[[SUM:.+]] = arith.addf %[[ACC]], %[[A]] : f64
// CHECK-NEXT: linalg.yield %[[SUM]] : f64
func.func @bodies(%a: tensor<3xf16>, %init: tensor<f32>) -> tensor<f32> {
  %sum = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%a : tensor<3xf16>) outs(%init : tensor<f32>) {
  ^bb0(%x: f16, %acc: f32):
    %wide = arith.extf %x : f16 to f32
    %next = arith.addf %acc, %wide : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  return %sum : tensor<f32>
}

// Arrays of floats, in attributes of anybody, and fast-math flags.
// CHECK-LABEL: func.func @attributes
// CHECK-SAME: note = array<f64: 0.10000000149011612, -2.000000e+00>
// CHECK: arith.addf %{{.+}}, %{{.+}} : f64
func.func @attributes(%x: f32) -> f32 attributes {note = array<f32: 0.1, -2.0>} {
  %y = arith.addf %x, %x fastmath<fast> : f32
  return %y : f32
}

// A declared function without floats can stay.
// CHECK: func.func private @declared(index) -> i32
func.func private @declared(index) -> i32

{-#
  dialect_resources: {
    builtin: {
      ints: "0x040000000100000002000000",
      floats: "0x040000000000803F000020C0"
    }
  }
#-}
