// RUN: mha-opt %s --mha-expand-float-conversions | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: mha-opt %s --mha-expand-float-conversions=cpu=x86-64 | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: mha-opt %s --mha-expand-float-conversions=cpu=x86-64-v3 | FileCheck %s --check-prefixes=CHECK,F16C
// RUN: mha-opt %s --mha-expand-float-conversions=cpu=generic-aarch64 | FileCheck %s --check-prefixes=CHECK,F16C
// RUN: not mha-opt %s --mha-expand-float-conversions=cpu=abacus 2>&1 | FileCheck %s --check-prefix=CPU

// What the bits are, all of them, is tested by test/numeric/test_conversions.py.
// CPU: error: expected the option cpu to be a CPU that LLVM knows, such as x86-64-v3 or znver4, found 'abacus'

// The upper half of an f32. Nobody has it as an instruction that the compiler needs.
// CHECK-LABEL: func.func @widen_bf16
// CHECK-SAME: %[[X:[a-z0-9]+]]: bf16
// CHECK: %[[BITS:.+]] = arith.bitcast %[[X]] : bf16 to i16
// CHECK: %[[WIDE:.+]] = arith.extui %[[BITS]] : i16 to i32
// CHECK: %[[SHIFT:.+]] = arith.constant 16 : i32
// CHECK: %[[SHIFTED:.+]] = arith.shli %[[WIDE]], %[[SHIFT]]
// CHECK: %[[Y:.+]] = arith.bitcast %[[SHIFTED]] : i32 to f32
// CHECK: return %[[Y]]
func.func @widen_bf16(%x: bf16) -> f32 {
  %y = arith.extf %x : bf16 to f32
  return %y : f32
}

// Vectors, and f64 by way of f32.
// CHECK-LABEL: func.func @widen_vector
// CHECK: arith.bitcast %{{.+}} : vector<4xbf16> to vector<4xi16>
// CHECK: arith.extf %{{.+}} : vector<4xf32> to vector<4xf64>
func.func @widen_vector(%x: vector<4xbf16>) -> vector<4xf64> {
  %y = arith.extf %x : vector<4xbf16> to vector<4xf64>
  return %y : vector<4xf64>
}

// CHECK-LABEL: func.func @narrow_bf16
// CHECK-NOT: arith.truncf
// CHECK: arith.bitcast %{{.+}} : i16 to bf16
func.func @narrow_bf16(%x: f32) -> bf16 {
  %y = arith.truncf %x : f32 to bf16
  return %y : bf16
}

// f16 where there is no instruction for it.
// CHECK-LABEL: func.func @f16
// NONE-NOT: arith.extf
// NONE-NOT: arith.truncf
// F16C: arith.extf %{{.+}} : f16 to f32
// F16C: arith.truncf %{{.+}} : f32 to f16
// CHECK: return
func.func @f16(%x: f16, %y: f32) -> (f32, f16) {
  %0 = arith.extf %x : f16 to f32
  %1 = arith.truncf %y : f32 to f16
  return %0, %1 : f32, f16
}

// From f64 the rounding to f32 is to odd, so that the second one is the only one; with an instruction for the second one, too.
// CHECK-LABEL: func.func @f64_to_f16
// CHECK: %[[SINGLE:.+]] = arith.truncf %{{.+}} : f64 to f32
// CHECK: arith.extf %[[SINGLE]] : f32 to f64
// NONE-NOT: arith.truncf
// F16C: arith.truncf %{{.+}} : f32 to f16
// CHECK: return
func.func @f64_to_f16(%x: f64) -> f16 {
  %y = arith.truncf %x : f64 to f16
  return %y : f16
}

// Near misses: other types, and another rounding.
// CHECK-LABEL: func.func @others
// CHECK: arith.extf %{{.+}} : f32 to f64
// CHECK: arith.truncf %{{.+}} : f64 to f32
// CHECK: arith.truncf %{{.+}} toward_zero : f32 to bf16
func.func @others(%x: f32, %y: f64) -> (f64, f32, bf16) {
  %0 = arith.extf %x : f32 to f64
  %1 = arith.truncf %y : f64 to f32
  %2 = arith.truncf %x toward_zero : f32 to bf16
  return %0, %1, %2 : f64, f32, bf16
}

// Near misses: tensors are no numbers yet, and only f32 and f64 have a way from and to bits here.
// CHECK-LABEL: func.func @not_numbers
// CHECK: arith.extf %{{.+}} : tensor<4xbf16> to tensor<4xf32>
// CHECK: arith.truncf %{{.+}} : tensor<4xf32> to tensor<4xbf16>
func.func @not_numbers(%x: tensor<4xbf16>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xbf16>) {
  %0 = arith.extf %x : tensor<4xbf16> to tensor<4xf32>
  %1 = arith.truncf %y : tensor<4xf32> to tensor<4xbf16>
  return %0, %1 : tensor<4xf32>, tensor<4xbf16>
}

// CHECK-LABEL: func.func @wider_types
// CHECK: arith.extf %{{.+}} : bf16 to f128
// CHECK: arith.extf %{{.+}} : bf16 to f80
// CHECK: arith.extf %{{.+}} : bf16 to tf32
// CHECK: arith.truncf %{{.+}} : f128 to bf16
// CHECK: arith.truncf %{{.+}} : f80 to f16
// CHECK: arith.truncf %{{.+}} : tf32 to bf16
func.func @wider_types(%x: bf16, %y: f128, %z: f80, %t: tf32) -> (f128, f80, tf32, bf16, f16, bf16) {
  %0 = arith.extf %x : bf16 to f128
  %1 = arith.extf %x : bf16 to f80
  %2 = arith.extf %x : bf16 to tf32
  %3 = arith.truncf %y : f128 to bf16
  %4 = arith.truncf %z : f80 to f16
  %5 = arith.truncf %t : tf32 to bf16
  return %0, %1, %2, %3, %4, %5 : f128, f80, tf32, bf16, f16, bf16
}
