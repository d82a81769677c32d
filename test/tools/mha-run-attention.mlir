// A run from file to report: the inputs that were made, each result, and what became of the attention.

// RUN: mha-run %s --target=x86-64 | FileCheck %s
// RUN: mha-run - --target=x86-64 < %s | FileCheck %s --check-prefix=STDIN
// RUN: mha-opt %s --emit-bytecode -o %t.mlirbc
// RUN: mha-run %t.mlirbc --verify | FileCheck %s --check-prefix=BYTECODE
// RUN: mha-run %s --target=x86-64 -e @two_layers | FileCheck %s --check-prefix=TWO
// RUN: mha-run %s -e dynamic --input=2x6x7x5xf32=random:1 --input=k=2x3x11x5xf32=iota \
// RUN:   --input=v=2x3x11x4xf32=uniform:2 --input=lengths=2xi64=random --input=offset=random --threads=1 \
// RUN:   | FileCheck %s --check-prefix=DYNAMIC
// RUN: mha-run %s --target=x86-64 -e five --verify | FileCheck %s --check-prefix=FIVE

// CHECK:      @main of {{.*}}mha-run-attention.mlir, by mha-cpu-pipeline
// CHECK-NEXT: input q=2x6x7x5xf32=random:0
// CHECK-NEXT: input keys=2x3x11x5xf32=random:0
// CHECK-NEXT: input arg2=2x3x11x4xf32=random:0
// CHECK-NEXT: result 0 (2x6x7x4xf32): min {{-?[0-9.]+}}, max {{-?[0-9.]+}}, mean {{.*}}, values {{[-0-9.e ]+}} ...
// CHECK-NEXT: attention: 1 found, 0 fused, 1 not (no kernel for a CPU without fused multiply-add on vectors at mha-run-attention.mlir:[[#@LINE+9]]); kernels: fallback x1
// CHECK-NOT:  {{.}}
// STDIN:      @main of -, by mha-cpu-pipeline
// STDIN:      attention: 1 found, 0 fused, 1 not (no kernel for a CPU without fused multiply-add on vectors at <stdin>:[[#@LINE+6]]); kernels: fallback x1
// BYTECODE:      @main of {{.*}}.mlirbc, by mha-cpu-pipeline
// BYTECODE-NEXT: input arg0=2x6x7x5xf32=random:0
// BYTECODE-NEXT: input keys=2x3x11x5xf32=random:0
// BYTECODE:      result 0 (2x6x7x4xf32): verified, max error {{.+}} <= {{.+}}
func.func @main(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32> {mha.name = "keys"}, %0: tensor<2x3x11x4xf32>) -> tensor<2x6x7x4xf32> {
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%0 : tensor<2x3x11x4xf32>, bhsd) -> tensor<2x6x7x4xf32>
  return %o : tensor<2x6x7x4xf32>
}

// Shapes that only the inputs give, several results, scalars by value.
// DYNAMIC:      input q=2x6x7x5xf32=random:1
// DYNAMIC-NEXT: input k=2x3x11x5xf32=iota
// DYNAMIC-NEXT: input v=2x3x11x4xf32=uniform:2
// DYNAMIC-NEXT: input lengths=2xi64=random
// DYNAMIC-NEXT: input offset=i64=random
// DYNAMIC-NEXT: result 0 (2x6x7x4xf32):
// DYNAMIC-NEXT: result 1 (2x6x7xf32):
// DYNAMIC-NEXT: result 2 (i64):
// DYNAMIC-NEXT: attention: 1 found
func.func @dynamic(%q: tensor<?x6x?x5xf32>, %k: tensor<?x3x?x5xf32>, %v: tensor<?x3x?x4xf32>,
                   %lengths: tensor<?xi64>, %offset: i64) -> (tensor<?x6x?x4xf32>, tensor<?x6x?xf32>, i64) {
  %o, %lse = mha.attention query(%q : tensor<?x6x?x5xf32>, bhsd) key(%k : tensor<?x3x?x5xf32>, bhsd) value(%v : tensor<?x3x?x4xf32>, bhsd)
      mask<causal> align(explicit) lengths(%lengths : tensor<?xi64>) query_offset(%offset : i64) -> (tensor<?x6x?x4xf32>, lse tensor<?x6x?xf32>)
  return %o, %lse, %offset : tensor<?x6x?x4xf32>, tensor<?x6x?xf32>, i64
}

// Attention in functions that the entry point calls counts; `@main` is not called. One that is inlined twice is two, at one place.
// TWO: attention: 2 found, 0 fused, 2 not (no kernel for a CPU without fused multiply-add on vectors at mha-run-attention.mlir:[[#@LINE+2]]); kernels: fallback x2
func.func private @layer(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %o = mha.attention query(%x : tensor<1x2x3x4xf32>, bhsd) key(%x : tensor<1x2x3x4xf32>, bhsd) value(%x : tensor<1x2x3x4xf32>, bhsd) -> tensor<1x2x3x4xf32>
  return %o : tensor<1x2x3x4xf32>
}
func.func @two_layers(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %first = call @layer(%x) : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  %second = call @layer(%first) : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return %second : tensor<1x2x3x4xf32>
}

// The line stays short for many.
// FIVE: attention: 5 found, 0 fused, 5 not (no kernel for a CPU without fused multiply-add on vectors at mha-run-attention.mlir:[[#@LINE+3]], mha-run-attention.mlir:[[#@LINE+4]], mha-run-attention.mlir:[[#@LINE+5]] and 2 more); kernels: fallback x5
func.func @five(%q: tensor<1x1x3x4xf32>, %k: tensor<1x1x5x4xf32>) -> (
    tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>) {
  %0 = mha.attention query(%q : tensor<1x1x3x4xf32>, bhsd) key(%k : tensor<1x1x5x4xf32>, bhsd) value(%k : tensor<1x1x5x4xf32>, bhsd) scale(1.0) -> tensor<1x1x3x4xf32>
  %1 = mha.attention query(%q : tensor<1x1x3x4xf32>, bhsd) key(%k : tensor<1x1x5x4xf32>, bhsd) value(%k : tensor<1x1x5x4xf32>, bhsd) scale(2.0) -> tensor<1x1x3x4xf32>
  %2 = mha.attention query(%q : tensor<1x1x3x4xf32>, bhsd) key(%k : tensor<1x1x5x4xf32>, bhsd) value(%k : tensor<1x1x5x4xf32>, bhsd) scale(3.0) -> tensor<1x1x3x4xf32>
  %3 = mha.attention query(%q : tensor<1x1x3x4xf32>, bhsd) key(%k : tensor<1x1x5x4xf32>, bhsd) value(%k : tensor<1x1x5x4xf32>, bhsd) scale(4.0) -> tensor<1x1x3x4xf32>
  %4 = mha.attention query(%q : tensor<1x1x3x4xf32>, bhsd) key(%k : tensor<1x1x5x4xf32>, bhsd) value(%k : tensor<1x1x5x4xf32>, bhsd) scale(5.0) -> tensor<1x1x3x4xf32>
  return %0, %1, %2, %3, %4 : tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>
}
