// Functions that compiled code calls or defines, and names that are taken.

// RUN: mha-run %s -e math --input=const:0 | FileCheck %s --check-prefix=MATH
// RUN: not mha-run %s -e unknown 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not mha-run %s -e _mlir_taken 2>&1 | FileCheck %s --check-prefix=TAKEN
// RUN: mha-run %s -e malloc | FileCheck %s --check-prefix=MALLOC
// RUN: mha-run %s -e half --verify | FileCheck %s --check-prefix=HALF
// RUN: not mha-run %s -e other_target 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not mha-run %s -e nonsense 2>&1 | FileCheck %s --check-prefix=NONSENSE
// RUN: not mha-run - < %S/Inputs/nested-module.mlir 2>&1 | FileCheck %s --check-prefix=NESTED
// RUN: mha-run %s -e 'two words' | FileCheck %s --check-prefix=WORDS

// A function of the process.
// MATH: result 0 (f32): {{.*}} values 1{{$}}
func.func private @expf(f32) -> f32
func.func @math(%x: f32) -> f32 {
  %y = call @expf(%x) : (f32) -> f32
  return %y : f32
}

// UNKNOWN: mha-run-linking.mlir:[[#@LINE+2]]:1: error: the function 'mha_nobody_has_this' is called but has no body, and this process has no function of that name
// UNKNOWN: error: the program cannot be run
func.func private @mha_nobody_has_this(f32) -> f32
func.func @unknown(%x: f32) -> f32 {
  %y = call @mha_nobody_has_this(%x) : (f32) -> f32
  return %y : f32
}

// TAKEN: mha-run-linking.mlir:[[#@LINE+1]]:1: error: the function name '_mlir_taken' is reserved
func.func @_mlir_taken(%x: f32) -> f32 {
  return %x : f32
}

// A name of the C library is the program's own here.
// MALLOC: @malloc of
func.func @malloc(%x: f32) -> f32 {
  return %x : f32
}

// Conversions of types that the CPU may not have.
// HALF: result 0 (3xf16): verified
// HALF: result 1 (3xbf16): verified
func.func @half(%x: tensor<3xf16>, %y: tensor<3xbf16>) -> (tensor<3xf16>, tensor<3xbf16>) {
  %x_init = tensor.empty() : tensor<3xf16>
  %y_init = tensor.empty() : tensor<3xbf16>
  %xx = linalg.mul ins(%x, %x : tensor<3xf16>, tensor<3xf16>) outs(%x_init : tensor<3xf16>) -> tensor<3xf16>
  %yy = linalg.mul ins(%y, %y : tensor<3xbf16>, tensor<3xbf16>) outs(%y_init : tensor<3xbf16>) -> tensor<3xbf16>
  return %xx, %yy : tensor<3xf16>, tensor<3xbf16>
}

// What only another processor can do ends LLVM's code generator, and the run with a sentence.
// TARGET: error: LLVM cannot go on: {{.*}}llvm.nvvm.ex2.approx
func.func private @llvm.nvvm.ex2.approx.ftz.f32(f32) -> f32
func.func @other_target(%x: f32) -> f32 {
  %y = call @llvm.nvvm.ex2.approx.ftz.f32(%x) : (f32) -> f32
  return %y : f32
}

// Nor does a name of LLVM's make a function.
// NONSENSE: error: cannot link the compiled code: {{.+}}
func.func private @llvm.nonsense(f32) -> f32
func.func @nonsense(%x: f32) -> f32 {
  %y = call @llvm.nonsense(%x) : (f32) -> f32
  return %y : f32
}

// NESTED: <stdin>:[[#]]:{{.*}} error: 'builtin.module' is not in the LLVM dialect after the pipeline
// NESTED: error: the program cannot be run

// WORDS: @two words of
func.func @"two words"(%x: f32) -> f32 {
  return %x : f32
}
