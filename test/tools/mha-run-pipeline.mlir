// Passes of the user in place of mha-cpu-pipeline: completed where they stop before the LLVM dialect, refused where they
// leave something else than the function they began with.

// RUN: mha-run %s --verify --pipeline=canonicalize,cse | FileCheck %s
// RUN: mha-run %s --verify '--pipeline=builtin.module(func.func(canonicalize), cse)' | FileCheck %s
// RUN: mha-run %s --verify --pipeline=convert-mha-to-linalg | FileCheck %s
// RUN: mha-run %s --verify --pipeline=mha-cpu-pipeline | FileCheck %s
// RUN: mha-run %s --pipeline=mha-reference-pipeline | FileCheck %s --check-prefix=PROMOTED
// RUN: mha-run %s --pipeline=mha-promote-floats | FileCheck %s --check-prefix=PROMOTED
// RUN: not mha-run %s --pipeline=canonicalise 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not mha-run %s '--pipeline=builtin.module(cse' 2>&1 | FileCheck %s --check-prefix=PARENTHESIS
// RUN: not mha-run %s --pipeline=inline,symbol-privatize,symbol-dce 2>&1 | FileCheck %s --check-prefix=GONE
// RUN: not mha-run %s --pipeline=symbol-privatize 2>&1 | FileCheck %s --check-prefix=PRIVATE
// RUN: not mha-run %s -e copy --pipeline=one-shot-bufferize{bufferize-function-boundaries} 2>&1 | FileCheck %s --check-prefix=BUFFERS
// RUN: not mha-run %s -e scalar --pipeline=convert-func-to-llvm 2>&1 | FileCheck %s --check-prefix=LOWERED
// RUN: not mha-run %s -e wrapped --pipeline=convert-func-to-llvm 2>&1 | FileCheck %s --check-prefix=WRAPPED
// RUN: not mha-run %s -e lying --pipeline=convert-func-to-llvm 2>&1 | FileCheck %s --check-prefix=LYING

// CHECK:       @main of {{.*}}mha-run-pipeline.mlir, by {{.+}}
// CHECK:       result 0 (1x2x3x5xf32): verified, max error {{.+}} <= {{.+}}
// PROMOTED:    result 0 (1x2x3x5xf64)
// UNKNOWN:     error: --pipeline=canonicalise: {{.*}}'canonicalise' does not refer to a registered pass or pass pipeline
// PARENTHESIS: error: --pipeline=builtin.module(cse: {{.+}}
// GONE:        mha-run-pipeline.mlir:{{.*}} error: expected the pipeline to keep the function 'main' on tensors or to lower it by mha-cpu-pipeline, found neither
// GONE:        error: the result of the pipeline cannot be run
// PRIVATE:     mha-run-pipeline.mlir:{{.*}} error: expected the pipeline to make the function '_mlir_ciface_main', found none of that name
func.func @main(%q: tensor<1x2x3x5xf32>) -> tensor<1x2x3x5xf32> {
  %o = mha.attention query(%q : tensor<1x2x3x5xf32>, bhsd) key(%q : tensor<1x2x3x5xf32>, bhsd) value(%q : tensor<1x2x3x5xf32>, bhsd) -> tensor<1x2x3x5xf32>
  return %o : tensor<1x2x3x5xf32>
}

// BUFFERS: mha-run-pipeline.mlir:[[#@LINE+1]]:1: error: expected the pipeline to keep the type of 'copy', '(tensor<3xf32>) -> tensor<3xf32>', found '(memref<3xf32, {{.+}}>) -> memref<3xf32, {{.+}}>'
func.func @copy(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}

// LOWERED: mha-run-pipeline.mlir:{{.*}} error: expected the pipeline to keep the function 'scalar' on tensors or to lower it by mha-cpu-pipeline, found neither
func.func @scalar(%x: f32) -> f32 {
  return %x : f32
}

// With a C interface, but whose?
// WRAPPED: mha-run-pipeline.mlir:[[#@LINE+1]]:1: error: expected the pipeline to leave the lowering of 'wrapped' to mha-cpu-pipeline, found a function without 'mha.entry_type'
func.func @wrapped(%x: f32) -> f32 attributes {llvm.emit_c_interface} {
  return %x : f32
}

// With the type that it was, but not the interface that goes with it.
// LYING: mha-run-pipeline.mlir:[[#@LINE+1]]:1: error: expected the compiled function to have the type '!llvm.func<i32 (f32, ptr, ptr, i64, i32)>', found '!llvm.func<f32 (f32)>'
func.func @lying(%x: f32) -> f32 attributes {llvm.emit_c_interface, mha.entry_type = (f32) -> f32} {
  return %x : f32
}
