// Buffers are freed while attention is still an op, and after it has read them. The buffers of its definition, which is
// lowered later, are smaller than the program's and go to the stack.
// DEFINE: %{pipeline} = %to_entry_points,convert-elementwise-to-linalg,mha-add-destinations,mha-place-results,mha-bufferize,canonicalize,cse,buffer-deallocation-pipeline,convert-bufferization-to-memref,convert-mha-to-linalg,func.func(promote-buffers-to-stack{max-alloc-size-in-bytes=200}),%freed_memrefs_to_llvm
// RUN: mha-run %s --input=random:1 --verify '--pipeline=%{pipeline}' | FileCheck %s

// CHECK: result 0 {{.*}}: verified
func.func @main(%q: tensor<1x2x3x64xf32>) -> tensor<1x2x3x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = mha.attention query(%q : tensor<1x2x3x64xf32>, bhsd) key(%q : tensor<1x2x3x64xf32>, bhsd) value(%q : tensor<1x2x3x64xf32>, bhsd)
    -> tensor<1x2x3x64xf32>
  %1 = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %0) -> tensor<1x2x3x64xf32> {
    %o, %lse = mha.attention query(%x : tensor<1x2x3x64xf32>, bhsd) key(%0 : tensor<1x2x3x64xf32>, bhsd)
      value(%x : tensor<1x2x3x64xf32>, bhsd) mask<causal> -> (tensor<1x2x3x64xf32>, lse tensor<1x2x3xf32>)
    scf.yield %o : tensor<1x2x3x64xf32>
  }
  %2 = arith.addf %1, %0 : tensor<1x2x3x64xf32>
  %3 = mha.attention query(%2 : tensor<1x2x3x64xf32>, bhsd) key(%1 : tensor<1x2x3x64xf32>, bhsd) value(%q : tensor<1x2x3x64xf32>, bhsd)
    -> tensor<1x2x3x64xf32>
  return %3 : tensor<1x2x3x64xf32>
}
