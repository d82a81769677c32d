// States that cannot be judged, passes that fail, and calls that do.

// DEFINE: %{passes} = cse
// DEFINE: %{entry} = main
// DEFINE: %{run} = mha-run %s -e %{entry} --load-dialect-plugin=%mha_lib/MHATestPlugin.so --load-pass-plugin=%mha_lib/MHATestPlugin.so \
// DEFINE:   --validate-each-pass --pipeline='%{passes}'

// What the reference lowering cannot complete is said, and no failure where a later pass makes up for it.
// REDEFINE: %{passes} = mha-test-add-markers,canonicalize,mha-test-erase-markers
// RUN: %{run} | FileCheck %s --check-prefix=AGAIN
// AGAIN:      program: verified
// AGAIN-NEXT: pass 1 mha-test-add-markers: not completed, the reference lowering failed: ops with unknown memory side effects are not supported at mha-run-validate-errors.mlir:[[#@LINE+22]]
// AGAIN-NEXT: pass 2 canonicalize: unchanged
// AGAIN-NEXT: pass 3 mha-test-erase-markers: verified
// AGAIN-NEXT: result 0
// AGAIN-NEXT: attention: 0 found
// AGAIN-NOT:  {{.}}

// Then the wrong pass is one of those that could not be judged.
// REDEFINE: %{passes} = cse,mha-test-add-markers,mha-test-corrupt{op=arith.addf to=arith.subf},mha-test-erase-markers
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=AMONG
// AMONG: pass 3 mha-test-corrupt{op=arith.addf to=arith.subf}: not completed
// AMONG: pass 4 mha-test-erase-markers: FAILED
// AMONG: error: the first wrong results are behind pass 4, 'mha-test-erase-markers' (the last that could be judged before is the program itself): result 0 is not what was expected

// REDEFINE: %{passes} = canonicalize,mha-test-add-markers
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=END
// END: error: the program could not be judged at the end of the pipeline: the last that could is behind the program itself

// REDEFINE: %{passes} = symbol-privatize,symbol-dce
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=GONE
// GONE: pass 2 symbol-dce: not completed, the result of the pipeline cannot be run: expected the pipeline to make the function '_mlir_ciface_main', found none of that name at

func.func @main(%x: f32, %y: f32) -> f32 {
  %z = arith.addf %x, %y : f32
  return %z : f32
}

// REDEFINE: %{passes} = cse,mha-test-fail
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=FAIL
// FAIL: error: this pass always fails
// FAIL: error: the pass mha-test-fail failed

// REDEFINE: %{passes} = cse,nonsense
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: --pipeline=cse,nonsense: {{.*}}'nonsense' does not refer to a registered pass

// REDEFINE: %{passes} = cse,mha-test-unregistered-pipeline
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=NAMELESS
// NAMELESS: error: --validate-each-pass: expected passes that can be run by their text, found 'mha-test-unregistered': {{.+}}

// A call that fails.
// REDEFINE: %{entry} = insert
// REDEFINE: %{passes} = mha-test-corrupt{op=arith.constant}
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=BESIDE
// BESIDE: pass 1 mha-test-corrupt{op=arith.constant}: FAILED, expected 'insert' to write inside its buffers only, found byte 1 behind the end of result 0 changed
// BESIDE: error: the first wrong results are behind pass 1, 'mha-test-corrupt{op=arith.constant}': expected 'insert' to write
func.func @insert(%x: f32) -> tensor<15xf32> {
  %last = arith.constant 14 : index
  %init = tensor.empty() : tensor<15xf32>
  %r = tensor.insert %x into %init[%last] : tensor<15xf32>
  return %r : tensor<15xf32>
}
