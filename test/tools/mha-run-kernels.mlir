// The closing line: what passes say of each attention, and which kernels the call of the program has called.

// DEFINE: %{run} = mha-run %s --load-pass-plugin=%mha_lib/MHATestPlugin.so \
// DEFINE:   --pipeline=mha-test-outline-kernels --target=x86-64
// RUN: %{run} --verify | FileCheck %s
// RUN: %{run} --bench=2 --json > %t.json
// RUN: %python -m json.tool %t.json | FileCheck %s --check-prefix=JSON
// RUN: %{run} -e loop --threads=2 | FileCheck %s --check-prefix=LOOP
// RUN: %{run} -e not_called | FileCheck %s --check-prefix=NOT-CALLED
// RUN: %{run} -e no_attention | FileCheck %s --check-prefix=NO-ATTENTION
// RUN: %{run} -e loop --require=fused --verify | FileCheck %s --check-prefix=LOOP
// RUN: not %{run} --require=fused --output=@%t.npy 2>&1 | FileCheck %s --check-prefix=REQUIRED
// RUN: not ls %t.npy
// RUN: not %{run} --require=fused --validate-each-pass 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: not mha-run %s -e loop --target=x86-64 --require=fused 2>&1 | FileCheck %s --check-prefix=LOOP-UNFUSED
// RUN: not mha-run %s -e taken --input=const:1 2>&1 | FileCheck %s --check-prefix=TAKEN

// With one key, attention is that key's value for every query.
func.func private @mha_attention_one_key(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x1x4xf32>, %v: tensor<1x2x1x4xf32>)
    -> tensor<1x2x3x4xf32> attributes {mha.kernel, no_inline} {
  %init = tensor.empty() : tensor<1x2x3x4xf32>
  %row = tensor.collapse_shape %v [[0], [1, 2], [3]] : tensor<1x2x1x4xf32> into tensor<1x2x4xf32>
  %o = linalg.broadcast ins(%row : tensor<1x2x4xf32>) outs(%init : tensor<1x2x3x4xf32>) dimensions = [2]
  return %o : tensor<1x2x3x4xf32>
}

// Two sites of one kernel and one without; the two more runs of --verify and the timed calls of --bench do not count.
// CHECK:      result 0 (1x2x3x4xf32): verified
// CHECK:      attention: 3 found, 2 fused, 1 not (no kernel for a CPU without fused multiply-add on vectors at mha-run-kernels.mlir:[[#@LINE+29]]); kernels: mha_attention_one_key x2, fallback x1
// Required to be fused, it does not run.
// REQUIRED:      mha-run-kernels.mlir:[[#@LINE+27]]:8: error: expected this attention to be fused, found it without a kernel: no kernel for a CPU without fused multiply-add on vectors
// LEFT:          mha-run-kernels.mlir:[[#@LINE+26]]:8: error: expected this attention to be fused, found it without a kernel: the passes leave it to the reference lowering
// LEFT-NOT:      expected
// LEFT:          error: not every attention is fused
// REQUIRED-NOT:  expected
// REQUIRED:      error: not every attention is fused
// REQUIRED-NOT:  result
// JSON:      "attention": {
// JSON-NEXT:   "found": 3,
// JSON-NEXT:   "fused": 2,
// JSON-NEXT:   "kernels": [
// JSON-NEXT:     {
// JSON-NEXT:       "count": 2,
// JSON-NEXT:       "name": "mha_attention_one_key"
// JSON-NEXT:     },
// JSON-NEXT:     {
// JSON-NEXT:       "count": 1,
// JSON-NEXT:       "name": "fallback"
// JSON-NEXT:     }
// JSON-NEXT:   ],
// JSON-NEXT:   "not_fused": [
// JSON-NEXT:     {
// JSON-NEXT:       "hint": "",
// JSON-NEXT:       "place": "mha-run-kernels.mlir:[[#@LINE+4]]",
// JSON-NEXT:       "reason": "no kernel for a CPU without fused multiply-add on vectors"
func.func @main(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x1x4xf32>) -> tensor<1x2x3x4xf32> {
  %0 = mha.attention query(%q : tensor<1x2x3x4xf32>, bhsd) key(%k : tensor<1x2x1x4xf32>, bhsd) value(%k : tensor<1x2x1x4xf32>, bhsd) {kernel = @mha_attention_one_key} -> tensor<1x2x3x4xf32>
  %1 = mha.attention query(%0 : tensor<1x2x3x4xf32>, bhsd) key(%q : tensor<1x2x3x4xf32>, bhsd) value(%q : tensor<1x2x3x4xf32>, bhsd) -> tensor<1x2x3x4xf32>
  %2 = mha.attention query(%1 : tensor<1x2x3x4xf32>, bhsd) key(%k : tensor<1x2x1x4xf32>, bhsd) value(%k : tensor<1x2x1x4xf32>, bhsd) {kernel = @mha_attention_one_key} -> tensor<1x2x3x4xf32>
  %3 = linalg.add ins(%1, %2 : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) outs(%q : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return %3 : tensor<1x2x3x4xf32>
}

// A site is where the op stands, a call is what happens there.
// LOOP: attention: 1 found, 1 fused, 0 not; kernels: mha_attention_one_key x7
func.func @loop(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x1x4xf32>) -> tensor<1x2x3x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  // LOOP-UNFUSED: mha-run-kernels.mlir:[[#@LINE+2]]:10: error: expected this attention to be fused
  %r = scf.for %i = %c0 to %c7 step %c1 iter_args(%x = %q) -> tensor<1x2x3x4xf32> {
    %o = mha.attention query(%x : tensor<1x2x3x4xf32>, bhsd) key(%k : tensor<1x2x1x4xf32>, bhsd) value(%k : tensor<1x2x1x4xf32>, bhsd) {kernel = @mha_attention_one_key} -> tensor<1x2x3x4xf32>
    scf.yield %o : tensor<1x2x3x4xf32>
  }
  return %r : tensor<1x2x3x4xf32>
}

// NOT-CALLED: attention: 1 found, 1 fused, 0 not; kernels: none called
func.func @not_called(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x1x4xf32>) -> tensor<1x2x3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %x = tensor.extract %q[%c0, %c0, %c0, %c0] : tensor<1x2x3x4xf32>
  %never = arith.cmpf une, %x, %x : f32
  %r = scf.if %never -> tensor<1x2x3x4xf32> {
    %o = mha.attention query(%q : tensor<1x2x3x4xf32>, bhsd) key(%k : tensor<1x2x1x4xf32>, bhsd) value(%k : tensor<1x2x1x4xf32>, bhsd) {kernel = @mha_attention_one_key} -> tensor<1x2x3x4xf32>
    scf.yield %o : tensor<1x2x3x4xf32>
  } else {
    scf.yield %q : tensor<1x2x3x4xf32>
  }
  return %r : tensor<1x2x3x4xf32>
}

// A kernel that somebody calls without an attention.
// NO-ATTENTION: attention: 0 found; kernels: mha_attention_one_key x1
func.func @no_attention(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x1x4xf32>) -> tensor<1x2x3x4xf32> {
  %o = call @mha_attention_one_key(%q, %k, %k) : (tensor<1x2x3x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>) -> tensor<1x2x3x4xf32>
  return %o : tensor<1x2x3x4xf32>
}

// TAKEN: mha-run-kernels.mlir:[[#@LINE+1]]:1: error: the name '_mlir_mha_count_kernel' is reserved
func.func private @_mlir_mha_count_kernel(i64)
func.func @taken(%n: i64) -> i64 {
  call @_mlir_mha_count_kernel(%n) : (i64) -> ()
  return %n : i64
}
