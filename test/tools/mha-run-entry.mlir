// Which function is run, and which functions cannot be.

// RUN: split-file %s %t
// RUN: mha-run %t/one.mlir | FileCheck %t/one.mlir
// RUN: mha-run %t/main.mlir | FileCheck %t/main.mlir
// RUN: not mha-run %t/many.mlir 2>&1 | FileCheck %t/many.mlir
// RUN: not mha-run %t/many.mlir -e third 2>&1 | FileCheck %t/many.mlir --check-prefix=WRONG
// RUN: not mha-run %t/many.mlir -e helper 2>&1 | FileCheck %t/many.mlir --check-prefix=PRIVATE
// RUN: not mha-run %t/none.mlir 2>&1 | FileCheck %t/none.mlir
// RUN: not mha-run %t/types.mlir -e buffer 2>&1 | FileCheck %t/types.mlir --check-prefix=BUFFER
// RUN: not mha-run %t/types.mlir -e buffers 2>&1 | FileCheck %t/types.mlir --check-prefix=BUFFERS
// RUN: not mha-run %t/types.mlir -e unranked 2>&1 | FileCheck %t/types.mlir --check-prefix=UNRANKED
// RUN: not mha-run %t/types.mlir -e complex 2>&1 | FileCheck %t/types.mlir --check-prefix=COMPLEX
// RUN: not mha-run %t/types.mlir -e names 2>&1 | FileCheck %t/types.mlir --check-prefix=NAMES
// RUN: mha-run %t/types.mlir -e fine | FileCheck %t/types.mlir --check-prefix=FINE
// RUN: not mha-run %t/missing.mlir 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not mha-run %t/syntax.mlir 2>&1 | FileCheck %t/syntax.mlir
// RUN: not mha-run %t/verifier.mlir 2>&1 | FileCheck %t/verifier.mlir

// MISSING: error: cannot read '{{.*}}missing.mlir': No such file or directory

//--- one.mlir
// The only public function with a body.
// CHECK: @only of
func.func private @elsewhere(f32) -> f32
func.func private @helper(%x: f32) -> f32 {
  return %x : f32
}
func.func @only(%x: f32) -> f32 {
  %y = call @helper(%x) : (f32) -> f32
  return %y : f32
}

//--- main.mlir
// CHECK: @main of
func.func @first(%x: f32) -> f32 {
  return %x : f32
}
func.func @main(%x: f32) -> f32 {
  return %x : f32
}

//--- many.mlir
// CHECK:   many.mlir:{{.*}} error: expected one of the functions 'first', 'second' to be chosen with -e
// WRONG:   many.mlir:{{.*}} error: expected one of the functions 'first', 'second', found 'third'
// PRIVATE: many.mlir:{{.*}} error: expected one of the functions 'first', 'second', found 'helper'
func.func @first(%x: f32) -> f32 {
  return %x : f32
}
func.func @second(%x: f32) -> f32 {
  return %x : f32
}
func.func private @helper(%x: f32) -> f32 {
  return %x : f32
}

//--- none.mlir
// CHECK: none.mlir:{{.*}} error: expected a public function with a body, found none
func.func private @helper(%x: f32) -> f32 {
  return %x : f32
}

//--- types.mlir
// BUFFER: types.mlir:[[#@LINE+1]]:1: error: expected argument 'x' to be a ranked tensor or a scalar of float, integer or index type, found 'memref<3xf32>'
func.func @buffer(%x: memref<3xf32>) {
  return
}
// BUFFERS: types.mlir:[[#@LINE+1]]:1: error: expected result 1 to be a ranked tensor or a scalar of float, integer or index type, found 'memref<3xf32>'
func.func @buffers(%x: f32) -> (f32, memref<3xf32>) {
  %y = memref.alloc() : memref<3xf32>
  return %x, %y : f32, memref<3xf32>
}
// UNRANKED: types.mlir:[[#@LINE+1]]:1: error: expected argument 'x' to be {{.*}}, found 'tensor<*xf32>'
func.func @unranked(%x: tensor<*xf32>) {
  return
}
// COMPLEX: types.mlir:[[#@LINE+1]]:1: error: expected argument 'x' to be {{.*}}, found 'tensor<3xcomplex<f32>>'
func.func @complex(%x: tensor<3xcomplex<f32>>) {
  return
}
// NAMES: types.mlir:[[#@LINE+1]]:1: error: expected arguments of different names, found two with the name 'x'
func.func @names(%x: f32, %y: f32 {mha.name = "x"}) {
  return
}
// The others in the file do not matter.
// FINE: @fine of
func.func @fine(%x: f32) -> f32 {
  return %x : f32
}

//--- syntax.mlir
// CHECK: syntax.mlir:[[#@LINE+3]]:{{.*}}: error: use of undeclared SSA value name
// CHECK: error: cannot run '{{.*}}syntax.mlir': it is not a valid program
func.func @main(%x: f32) -> f32 {
  return %y : f32
}

//--- verifier.mlir
// CHECK: verifier.mlir:[[#@LINE+3]]:{{.*}}: error: {{.*}}heads
// CHECK: error: cannot run '{{.*}}verifier.mlir': it is not a valid program
func.func @main(%q: tensor<1x3x5x4xf32>, %k: tensor<1x2x5x4xf32>) -> tensor<1x3x5x4xf32> {
  %o = mha.attention query(%q : tensor<1x3x5x4xf32>, bhsd) key(%k : tensor<1x2x5x4xf32>, bhsd) value(%k : tensor<1x2x5x4xf32>, bhsd) -> tensor<1x3x5x4xf32>
  return %o : tensor<1x3x5x4xf32>
}
