// Each pass of ours on the way to a kernel, with the wrong one directly behind it: the one before is not blamed, nor the one behind.

// DEFINE: %{begin} = inline
// DEFINE: %{wrap} = %{begin},mha-wrap-entry-points,canonicalize,cse,inline,symbol-dce,canonicalize,cse
// DEFINE: %{plan} = %{wrap},mha-assign-schedule
// DEFINE: %{place} = %{plan},mha-add-destinations,mha-place-results
// DEFINE: %{bufferize} = %{place},mha-bufferize,canonicalize,cse,buffer-deallocation-pipeline,convert-bufferization-to-memref
// DEFINE: %{outline} = %{bufferize},mha-outline-kernels
// DEFINE: %{tile} = %{outline},mha-tile-attention,canonicalize,cse
// DEFINE: %{vector} = %{tile},convert-mha-to-vector,canonicalize,cse
// DEFINE: %{parallel} = %{vector},mha-outline-parallel
// DEFINE: %{passes} = cse
// DEFINE: %{options} = --threads=2 --load-dialect-plugin=%mha_lib/MHATestPlugin.so --load-pass-plugin=%mha_lib/MHATestPlugin.so --validate-each-pass
// DEFINE: %{run} = mha-run %s %{options} --pipeline='%{passes}'

// REDEFINE: %{passes} = %{begin},mha-wrap-entry-points,mha-test-corrupt{op=mha.attention},canonicalize
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=DIRECT -DPASS=mha-wrap-entry-points -DCHANGE='op=mha.attention'
// REDEFINE: %{passes} = %{plan},mha-add-destinations,mha-test-corrupt{op=mha.attention},canonicalize
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=DIRECT -DPASS=mha-add-destinations -DCHANGE='op=mha.attention'
// REDEFINE: %{passes} = %{place},mha-test-corrupt{op=mha.attention},canonicalize
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=DIRECT -DPASS=mha-place-results -DCHANGE='op=mha.attention'
// REDEFINE: %{passes} = %{place},mha-bufferize,mha-test-corrupt{op=mha.attention},canonicalize
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=DIRECT -DPASS=mha-bufferize -DCHANGE='op=mha.attention'
// REDEFINE: %{passes} = %{place},mha-bufferize,canonicalize,cse,mha-specialize-layouts,mha-test-corrupt{op=mha.attention},canonicalize
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=DIRECT -DPASS=mha-specialize-layouts -DCHANGE='op=mha.attention'
// REDEFINE: %{passes} = %{outline},mha-test-corrupt{op=mha.attention},canonicalize
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=DIRECT -DPASS=mha-outline-kernels -DCHANGE='op=mha.attention'
// REDEFINE: %{passes} = %{outline},mha-tile-attention,mha-test-corrupt{op=mha.attention},canonicalize
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=DIRECT -DPASS=mha-tile-attention -DCHANGE='op=mha.attention'
// REDEFINE: %{passes} = %{tile},convert-mha-to-vector,mha-test-corrupt{op=arith.divf},canonicalize
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=DIRECT -DPASS=convert-mha-to-vector -DCHANGE='op=arith.divf'
// REDEFINE: %{passes} = %{parallel},mha-test-corrupt{op=arith.divf},canonicalize
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=DIRECT -DPASS=mha-outline-parallel -DCHANGE='op=arith.divf'
// DIRECT-NOT:  FAILED
// DIRECT:      pass [[#BEFORE:]] [[PASS]]: {{verified, max error|unchanged$}}
// DIRECT-NEXT: pass [[#BEFORE+1]] mha-test-corrupt{[[CHANGE]]}: FAILED, max error {{.+}} > {{.+}}
// DIRECT-NEXT: pass [[#BEFORE+2]] canonicalize
// DIRECT:      error: the first wrong results are behind pass [[#BEFORE+1]], 'mha-test-corrupt{[[CHANGE]]}': result 0 is not what was expected: max error {{.+}} > bound {{.+}}
// DIRECT:      error: a result is not what was expected
func.func @main(%q: tensor<1x4x7x8xf32>, %k: tensor<1x2x11x8xf32>, %v: tensor<1x2x11x3xf32>) -> tensor<1x4x7x3xf32> {
  %o = mha.attention query(%q : tensor<1x4x7x8xf32>, bhsd) key(%k : tensor<1x2x11x8xf32>, bhsd) value(%v : tensor<1x2x11x3xf32>, bhsd)
      mask<causal> align(bottom_right) -> tensor<1x4x7x3xf32>
  return %o : tensor<1x4x7x3xf32>
}
