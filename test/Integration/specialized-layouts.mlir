// Private functions that are not inlined, and have other types after mha-specialize-layouts: the same numbers.
// DEFINE: %{bufferize} = convert-elementwise-to-linalg,mha-add-destinations,canonicalize,cse,mha-place-results,mha-bufferize,canonicalize,cse,mha-specialize-layouts,canonicalize,cse
// DEFINE: %{entry} = main
// DEFINE: %{run} = mha-run %s -e %{entry} --input=random:1 --verify '--pipeline=mha-wrap-entry-points,canonicalize,cse,%{bufferize},%memrefs_to_llvm' | FileCheck %s
// RUN: %{run}
// CHECK: result 0 {{.*}}: verified
// CHECK: result 1 {{.*}}: verified
// RUN: mha-opt %s '--pass-pipeline=builtin.module(mha-wrap-entry-points,canonicalize,cse,%{bufferize})' | FileCheck %s --check-prefix=IR

// Attention on parts of a tensor, on transposed parts and on what it has computed itself: a version for each.
// IR-DAG: func.func private @attend{{[_a-z0-9]*}}(%{{[a-z0-9]+}}: memref<1x2x4x3xf32>, %{{[a-z0-9]+}}: memref<1x2x4x3xf32>)
// IR-DAG: func.func private @attend{{[_a-z0-9]*}}(%{{[a-z0-9]+}}: memref<1x2x4x3xf32, strided<[48, 24, 6, 1]>>, %{{[a-z0-9]+}}: memref<1x2x4x3xf32, strided<[48, 24, 6, 1], offset: 27>>)
// IR-DAG: func.func private @attend{{[_a-z0-9]*}}(%{{[a-z0-9]+}}: memref<1x2x4x3xf32, strided<[48, 24, 6, 2], offset: 1>>, %{{[a-z0-9]+}}: memref<1x2x4x3xf32, strided<[48, 24, 6, 1], offset: 27>>)
!part = tensor<1x2x4x3xf32>
func.func private @attend(%q: !part, %k: !part) -> !part {
  %o = mha.attention query(%q : !part, bhsd) key(%k : !part, bhsd) value(%q : !part, bhsd) mask<causal> -> !part
  return %o : !part
}
func.func @main(%x: tensor<3x4x6xf32>) -> (!part, !part) {
  %y = math.sin %x : tensor<3x4x6xf32>
  %a3 = tensor.extract_slice %y[0, 0, 0] [2, 4, 3] [1, 1, 1] : tensor<3x4x6xf32> to tensor<2x4x3xf32>
  %b3 = tensor.extract_slice %y[1, 0, 3] [2, 4, 3] [1, 1, 1] : tensor<3x4x6xf32> to tensor<2x4x3xf32>
  %c3 = tensor.extract_slice %y[0, 0, 1] [2, 4, 3] [1, 1, 2] : tensor<3x4x6xf32> to tensor<2x4x3xf32>
  %a = tensor.expand_shape %a3 [[0, 1], [2], [3]] output_shape [1, 2, 4, 3] : tensor<2x4x3xf32> into !part
  %b = tensor.expand_shape %b3 [[0, 1], [2], [3]] output_shape [1, 2, 4, 3] : tensor<2x4x3xf32> into !part
  %c = tensor.expand_shape %c3 [[0, 1], [2], [3]] output_shape [1, 2, 4, 3] : tensor<2x4x3xf32> into !part
  %0 = call @attend(%a, %b) : (!part, !part) -> !part
  %1 = call @attend(%c, %b) : (!part, !part) -> !part
  %2 = call @attend(%0, %1) : (!part, !part) -> !part
  %3 = call @attend(%a, %b) : (!part, !part) -> !part
  %4 = arith.addf %2, %3 : !part
  return %4, %1 : !part, !part
}

// REDEFINE: %{entry} = circle
// RUN: %{run}
// Functions that call each other and, one with an argument that it may write, themselves.
func.func private @even(%x: !part, %again: i1) -> !part {
  %r = scf.if %again -> !part {
    %0 = func.call @odd(%x) : (!part) -> !part
    scf.yield %0 : !part
  } else {
    %0 = func.call @attend(%x, %x) : (!part, !part) -> !part
    scf.yield %0 : !part
  }
  return %r : !part
}
func.func private @odd(%x: !part) -> !part {
  %false = arith.constant false
  %0 = mha.attention query(%x : !part, bhsd) key(%x : !part, bhsd) value(%x : !part, bhsd) -> !part
  %1 = call @even(%0, %false) : (!part, i1) -> !part
  %2 = arith.addf %1, %x : !part
  return %2 : !part
}
func.func private @add(%x: !part, %n: index) -> !part {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %isLast = arith.cmpi eq, %n, %c0 : index
  %r = scf.if %isLast -> !part {
    scf.yield %x : !part
  } else {
    %0 = arith.addf %x, %x : !part
    %1 = arith.subi %n, %c1 : index
    %2 = func.call @add(%0, %1) : (!part, index) -> !part
    scf.yield %2 : !part
  }
  return %r : !part
}
func.func @circle(%x: tensor<3x4x6xf32>) -> (!part, !part) {
  %true = arith.constant true
  %c3 = arith.constant 3 : index
  %a3 = tensor.extract_slice %x[0, 0, 0] [2, 4, 3] [1, 1, 1] : tensor<3x4x6xf32> to tensor<2x4x3xf32>
  %a = tensor.expand_shape %a3 [[0, 1], [2], [3]] output_shape [1, 2, 4, 3] : tensor<2x4x3xf32> into !part
  %0 = call @even(%a, %true) : (!part, i1) -> !part
  %1 = call @odd(%a) : (!part) -> !part
  %2 = call @add(%0, %c3) : (!part, index) -> !part
  %3 = arith.mulf %0, %1 : !part
  %4 = arith.addf %2, %3 : !part
  return %4, %3 : !part, !part
}
