// A wrong pass at each stage of the lowering is named, with a harmless one behind it.

// DEFINE: %{begin} = inline
// DEFINE: %{wrap} = %{begin},mha-wrap-entry-points,canonicalize,cse,inline,symbol-dce,canonicalize,cse
// DEFINE: %{plan} = %{wrap},mha-assign-schedule
// DEFINE: %{place} = %{plan},mha-add-destinations,mha-place-results
// DEFINE: %{bufferize} = %{place},mha-bufferize,canonicalize,cse,buffer-deallocation-pipeline,convert-bufferization-to-memref
// DEFINE: %{outline} = %{bufferize},mha-outline-kernels
// DEFINE: %{tile} = %{outline},mha-tile-attention,canonicalize,cse
// DEFINE: %{vector} = %{tile},convert-mha-to-vector,canonicalize,cse
// DEFINE: %{parallel} = %{vector},mha-outline-parallel
// DEFINE: %{branches} = %{parallel},mha-expand-copies,convert-vector-to-scf,convert-scf-to-cf
// DEFINE: %{definition} = %{wrap},convert-mha-to-linalg
// DEFINE: %{buffers} = %{definition},mha-place-results,mha-bufferize
// DEFINE: %{deallocated} = %{buffers},buffer-deallocation-pipeline,convert-bufferization-to-memref
// DEFINE: %{loops} = %{deallocated},func.func(convert-linalg-to-loops)
// DEFINE: %{passes} = cse
// DEFINE: %{options} = --threads=2 --load-dialect-plugin=%mha_lib/MHATestPlugin.so --load-pass-plugin=%mha_lib/MHATestPlugin.so --validate-each-pass
// DEFINE: %{run} = mha-run %s %{options} --pipeline='%{passes}'

// REDEFINE: %{passes} = %{begin},mha-test-corrupt{op=mha.attention},canonicalize
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=WRONG -DCHANGE='op=mha.attention'
// REDEFINE: %{passes} = %{wrap},mha-test-corrupt{op=mha.attention},canonicalize
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=WRONG -DCHANGE='op=mha.attention'
// REDEFINE: %{passes} = %{plan},mha-test-corrupt{op=mha.attention},canonicalize
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=WRONG -DCHANGE='op=mha.attention'
// REDEFINE: %{passes} = %{bufferize},mha-test-corrupt{op=mha.attention},canonicalize
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=WRONG -DCHANGE='op=mha.attention'
// REDEFINE: %{passes} = %{tile},mha-test-corrupt{op=mha.attention},canonicalize
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=WRONG -DCHANGE='op=mha.attention'
// REDEFINE: %{passes} = %{vector},mha-test-corrupt{op=vector.fma},canonicalize
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=WRONG -DCHANGE='op=vector.fma'
// REDEFINE: %{passes} = %{branches},mha-test-corrupt{op=vector.fma},canonicalize
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=WRONG -DCHANGE='op=vector.fma'
// REDEFINE: %{passes} = mha-cpu-pipeline,mha-test-corrupt{number=3 op=llvm.fadd to=llvm.fsub},canonicalize
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=WRONG -DCHANGE='number=3 op=llvm.fadd to=llvm.fsub'
// REDEFINE: %{passes} = %{definition},mha-test-corrupt{op=arith.addf to=arith.subf},canonicalize
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=WRONG -DCHANGE='op=arith.addf to=arith.subf'
// REDEFINE: %{passes} = %{buffers},mha-test-corrupt{op=math.exp to=math.exp2},canonicalize
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=WRONG -DCHANGE='op=math.exp to=math.exp2'
// REDEFINE: %{passes} = %{deallocated},mha-test-corrupt{op=arith.mulf to=arith.addf},canonicalize
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=WRONG -DCHANGE='op=arith.mulf to=arith.addf'
// REDEFINE: %{passes} = %{loops},mha-test-corrupt{op=arith.divf},canonicalize
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=WRONG -DCHANGE='op=arith.divf'
// WRONG:      pass [[#NUMBER:]] mha-test-corrupt{[[CHANGE]]}: FAILED, max error {{.+}} > {{.+}}
// WRONG-NEXT: pass [[#NUMBER+1]] canonicalize
// WRONG:      error: the first wrong results are behind pass [[#NUMBER]], 'mha-test-corrupt{[[CHANGE]]}': result 0 is not what was expected: max error {{.+}} > bound {{.+}}; first difference at (b=0, h={{[0-9]+}}, i={{[0-9]+}}, n={{[0-9]+}}):
// WRONG:      error: a result is not what was expected
func.func @main(%q: tensor<1x4x7x8xf32>, %k: tensor<1x2x11x8xf32>, %v: tensor<1x2x11x3xf32>) -> tensor<1x4x7x3xf32> {
  %o = mha.attention query(%q : tensor<1x4x7x8xf32>, bhsd) key(%k : tensor<1x2x11x8xf32>, bhsd) value(%v : tensor<1x2x11x3xf32>, bhsd)
      mask<causal> align(bottom_right) -> tensor<1x4x7x3xf32>
  return %o : tensor<1x4x7x3xf32>
}
