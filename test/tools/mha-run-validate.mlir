// The program behind each pass, completed by the reference lowering, run and judged: passes that keep the meaning.

// DEFINE: %{options} = --threads=2 --load-dialect-plugin=%mha_lib/MHATestPlugin.so --load-pass-plugin=%mha_lib/MHATestPlugin.so --validate-each-pass

// Passes that keep the meaning, by kernels and by the definition, from tensors to the LLVM dialect.
// RUN: mha-run %s %{options} --pipeline=mha-cpu-pipeline --verify | FileCheck %s --check-prefixes=RIGHT,KERNEL
// RUN: mha-run %s %{options} --pipeline='mha-cpu-pipeline{cpu=x86-64}' | FileCheck %s --check-prefixes=RIGHT,FALLBACK
// RUN: mha-run %s %{options} --json > %t.json
// RUN: %python -m json.tool %t.json | FileCheck %s --check-prefix=JSON
// RUN: mha-run %s -e others %{options} | FileCheck %s --check-prefix=RIGHT
// RUN: mha-run %s -e dynamic --input=v=2x5xf32=random %{options} | FileCheck %s --check-prefix=RIGHT
// RIGHT:        program: verified, max error {{.+}} <= {{.+}}
// RIGHT-NEXT:   pass 1 inline: {{unchanged|verified}}
// RIGHT-NEXT:   pass 2 mha-decompose-layer: unchanged
// RIGHT-NEXT:   pass 3 mha-wrap-entry-points: verified, max error {{.+}} <= {{.+}}
// RIGHT-NOT:    {{not completed|FAILED}}
// RIGHT:        pass {{[0-9]+}} mha-bufferize: verified, max error {{.+}} <= {{.+}}
// RIGHT-NOT:    {{not completed|FAILED}}
// KERNEL:       pass {{[0-9]+}} mha-tile-attention: verified, max error {{.+}} <= {{.+}}
// FALLBACK:     pass {{[0-9]+}} mha-tile-attention: unchanged
// RIGHT-NOT:    {{not completed|FAILED}}
// RIGHT:        pass {{[0-9]+}} mha-internalize-symbols: verified, max error {{.+}} <= {{.+}}
// RIGHT-NEXT:   result 0
// The completions' own remarks and kernels do not count.
// KERNEL-NEXT:  attention: 1 found, 1 fused, 0 not; kernels: mha_attention_{{.+}} x1{{$}}
// FALLBACK:     attention: 1 found, 0 fused, 1 not ({{.+}}); kernels: fallback x1{{$}}

// What is nested counts as one, and is replayed as it stands.
// RUN: mha-run %s %{options} --pipeline='func.func(canonicalize{max-iterations=3},cse),mha-wrap-entry-points' | FileCheck %s --check-prefix=NESTED
// NESTED:      pass 1 func.func(canonicalize{ {{.*}}max-iterations=3 {{.*}}},cse): unchanged
// NESTED-NEXT: pass 2 mha-wrap-entry-points: verified

// JSON:      "passed": true,
// JSON:      "passes": [
// JSON-NEXT:   {
// JSON-NEXT:     "checks": [
// JSON:              "passed": true,
// JSON:          "outcome": "verified",
// JSON-NEXT:     "pass": "",
// JSON-NEXT:     "reason": ""
// JSON-NEXT:   },
// JSON-NEXT:   {
// JSON-NEXT:     "checks": [],
// JSON-NEXT:     "outcome": "unchanged",
// JSON-NEXT:     "pass": "inline",
// JSON-NEXT:     "reason": ""
// JSON-NEXT:   },
// JSON:          "outcome": "verified",
// JSON-NEXT:     "pass": "mha-wrap-entry-points",
func.func @main(%q: tensor<1x4x7x8xf32>, %k: tensor<1x2x11x8xf32>, %v: tensor<1x2x11x3xf32>) -> tensor<1x4x7x3xf32> {
  %o = mha.attention query(%q : tensor<1x4x7x8xf32>, bhsd) key(%k : tensor<1x2x11x8xf32>, bhsd) value(%v : tensor<1x2x11x3xf32>, bhsd)
      mask<causal> align(bottom_right) -> tensor<1x4x7x3xf32>
  return %o : tensor<1x4x7x3xf32>
}

// Several results, of which one is a scalar; a function that is called; buffers that the program makes itself, with items of
// parallel work and scratch memory; a loop that carries tensors.
func.func private @square(%x: tensor<8xf32>) -> tensor<8xf32> {
  %m = bufferization.to_buffer %x : tensor<8xf32> to memref<8xf32, strided<[?], offset: ?>>
  %r = memref.alloc() : memref<8xf32>
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.forall (%i) in (%c8) {
    %s = mha.scratch : memref<4xf32>
    %value = memref.load %m[%i] : memref<8xf32, strided<[?], offset: ?>>
    %product = arith.mulf %value, %value : f32
    memref.store %product, %s[%c0] : memref<4xf32>
    %w = memref.load %s[%c0] : memref<4xf32>
    memref.store %w, %r[%i] : memref<8xf32>
  } {mapping = [#mha.item<0>]}
  %t = bufferization.to_tensor %r restrict : memref<8xf32> to tensor<8xf32>
  return %t : tensor<8xf32>
}
func.func @others(%x: tensor<8xf32>, %y: tensor<1x2x3x4xf64>) -> (tensor<8xf32>, f32, tensor<1x2x3x4xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %init = tensor.empty() : tensor<8xf32>
  %p = linalg.softmax dimension(0) ins(%x : tensor<8xf32>) outs(%init : tensor<8xf32>) -> tensor<8xf32>
  %sum = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %p) -> tensor<8xf32> {
    %s = func.call @square(%t) : (tensor<8xf32>) -> tensor<8xf32>
    %a = linalg.add ins(%s, %t : tensor<8xf32>, tensor<8xf32>) outs(%init : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %a : tensor<8xf32>
  }
  %first = tensor.extract %sum[%c0] : tensor<8xf32>
  // In f64 it has no kernel.
  %o = mha.attention query(%y : tensor<1x2x3x4xf64>, bhsd) key(%y : tensor<1x2x3x4xf64>, bhsd) value(%y : tensor<1x2x3x4xf64>, bhsd)
      mask<causal> -> tensor<1x2x3x4xf64>
  return %sum, %first, %o : tensor<8xf32>, f32, tensor<1x2x3x4xf64>
}

// Sizes that only the caller knows.
func.func @dynamic(%v: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %r = math.exp %v : tensor<?x5xf32>
  return %r : tensor<?x5xf32>
}
