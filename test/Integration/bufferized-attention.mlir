// Attention that is bufferized as an op, by upstream's one-shot bufferization, and lowered on memrefs.
// DEFINE: %{pipeline} = '--pipeline=%to_entry_points,convert-elementwise-to-linalg,one-shot-bufferize{bufferize-function-boundaries=1 allow-return-allocs-from-loops=1},%memrefs_to_llvm'
// DEFINE: %{entry} = main
// DEFINE: %{inputs} = --input=random:1 --input=k=2x3x11x5xf32=random --input=v=2x3x11x4xf32=random
// DEFINE: %{run} = mha-run %s -e %{entry} %{inputs} --verify %{pipeline} | FileCheck %s --check-prefixes=CHECK,%{entry}

// RUN: %{run}
// CHECK: result 0 {{.*}}: verified
// main:  result 1 {{.*}}: verified
func.func @main(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x?x5xf32>, %v: tensor<2x3x?x4xf32>, %length: tensor<2xi64>,
    %offset: tensor<2xi64>) -> (tensor<2x7x6x4xf32>, tensor<2x6x7xf32>) {
  %o, %lse = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x?x5xf32>, bhsd)
    value(%v : tensor<2x3x?x4xf32>, bhsd) mask<causal> align(end) lengths(%length : tensor<2xi64>)
    query_offset(%offset : tensor<2xi64>) -> (tensor<2x7x6x4xf32>, bshd, lse tensor<2x6x7xf32>)
  return %o, %lse : tensor<2x7x6x4xf32>, tensor<2x6x7xf32>
}

// REDEFINE: %{entry} = chain
// REDEFINE: %{inputs} = --input=random:1
// RUN: %{run}
// Destinations that are operands, or overlap one, or hold a value that is needed: whoever wrote them first would show.
// chain: result 1 {{.*}}: verified
func.func @chain(%a: tensor<1x2x6x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x6x4xf32>) {
  %x = math.sin %a : tensor<1x2x6x4xf32>
  %q = tensor.extract_slice %x[0, 0, 0, 0] [1, 2, 3, 4] [1, 1, 1, 1] : tensor<1x2x6x4xf32> to tensor<1x2x3x4xf32>
  %late = tensor.extract_slice %x[0, 0, 1, 0] [1, 2, 3, 4] [1, 1, 1, 1] : tensor<1x2x6x4xf32> to tensor<1x2x3x4xf32>
  %0 = mha.attention query(%q : tensor<1x2x3x4xf32>, bhsd) key(%q : tensor<1x2x3x4xf32>, bhsd)
    value(%q : tensor<1x2x3x4xf32>, bhsd) outs(%late : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  %1 = mha.attention query(%0 : tensor<1x2x3x4xf32>, bhsd) key(%0 : tensor<1x2x3x4xf32>, bhsd)
    value(%0 : tensor<1x2x3x4xf32>, bhsd) outs(%0 : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  %2 = mha.attention query(%x : tensor<1x2x6x4xf32>, bhsd) key(%1 : tensor<1x2x3x4xf32>, bhsd)
    value(%0 : tensor<1x2x3x4xf32>, bhsd) outs(%x : tensor<1x2x6x4xf32>) -> tensor<1x2x6x4xf32>
  %sum = arith.addf %2, %x : tensor<1x2x6x4xf32>
  return %1, %sum : tensor<1x2x3x4xf32>, tensor<1x2x6x4xf32>
}

// REDEFINE: %{entry} = shared
// RUN: %{run}
// Destinations of two attentions in one tensor, and both destinations of one.
// shared: result 1 {{.*}}: verified
// shared: result 2 {{.*}}: verified
func.func @shared(%q: tensor<1x2x3x4xf32>, %v: tensor<1x2x3x1xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3x1xf32>, tensor<1x2x3xf32>) {
  %empty = tensor.empty() : tensor<1x2x3x4xf32>
  %0 = mha.attention query(%q : tensor<1x2x3x4xf32>, bhsd) key(%q : tensor<1x2x3x4xf32>, bhsd)
    value(%q : tensor<1x2x3x4xf32>, bhsd) outs(%empty : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  %1 = mha.attention query(%q : tensor<1x2x3x4xf32>, bhsd) key(%0 : tensor<1x2x3x4xf32>, bhsd)
    value(%q : tensor<1x2x3x4xf32>, bhsd) mask<causal> outs(%empty : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  %2 = arith.addf %0, %1 : tensor<1x2x3x4xf32>
  %narrow = tensor.empty() : tensor<1x2x3x1xf32>
  %row = tensor.collapse_shape %narrow [[0], [1], [2, 3]] : tensor<1x2x3x1xf32> into tensor<1x2x3xf32>
  %3, %lse = mha.attention query(%q : tensor<1x2x3x4xf32>, bhsd) key(%q : tensor<1x2x3x4xf32>, bhsd)
    value(%v : tensor<1x2x3x1xf32>, bhsd) outs(%narrow : tensor<1x2x3x1xf32>, lse %row : tensor<1x2x3xf32>)
    -> (tensor<1x2x3x1xf32>, lse tensor<1x2x3xf32>)
  return %2, %3, %lse : tensor<1x2x3x4xf32>, tensor<1x2x3x1xf32>, tensor<1x2x3xf32>
}

// REDEFINE: %{entry} = loop
// RUN: %{run}
// A loop that carries the result.
// loop: attention: 1 found
func.func @loop(%q: tensor<1x2x7x5xf32>) -> tensor<1x2x7x5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %q) -> tensor<1x2x7x5xf32> {
    %o = mha.attention query(%x : tensor<1x2x7x5xf32>, bhsd) key(%x : tensor<1x2x7x5xf32>, bhsd)
      value(%x : tensor<1x2x7x5xf32>, bhsd) mask<causal> -> tensor<1x2x7x5xf32>
    scf.yield %o : tensor<1x2x7x5xf32>
  }
  return %r : tensor<1x2x7x5xf32>
}

// The same with destinations from the start.
// REDEFINE: %{pipeline} = '--pipeline=%to_entry_points,convert-elementwise-to-linalg,mha-add-destinations,canonicalize,cse,one-shot-bufferize{bufferize-function-boundaries=1 allow-return-allocs-from-loops=1},%memrefs_to_llvm'
// RUN: %{run}
// REDEFINE: %{entry} = main
// REDEFINE: %{inputs} = --input=random:1 --input=k=2x3x11x5xf32=random --input=v=2x3x11x4xf32=random
// RUN: %{run}
// REDEFINE: %{entry} = sizes
// REDEFINE: %{inputs} = --input=q=7x5x2x6xf32=random --input=k=2x3x11x5xf32=random:1 --input=v=11x3x4x2xf32=random:2
// RUN: %{run}

// The same with results in their out-parameters, by mha-bufferize.
// REDEFINE: %{pipeline} = '--pipeline=%to_entry_points,convert-elementwise-to-linalg,mha-add-destinations,canonicalize,cse,mha-place-results,mha-bufferize,%memrefs_to_llvm'
// RUN: %{run}
// REDEFINE: %{entry} = shared
// REDEFINE: %{inputs} = --input=random:1
// RUN: %{run}
// REDEFINE: %{entry} = twice
// RUN: %{run}

// Two results that share everything but the mask, and casts on the way to them.
// twice: result 1 {{.*}}: verified
func.func @twice(%q: tensor<1x2x3x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) {
  %empty = tensor.empty() : tensor<1x2x3x4xf32>
  %cast = tensor.cast %empty : tensor<1x2x3x4xf32> to tensor<1x2x?x4xf32>
  %0 = mha.attention query(%q : tensor<1x2x3x4xf32>, bhsd) key(%q : tensor<1x2x3x4xf32>, bhsd)
    value(%q : tensor<1x2x3x4xf32>, bhsd) outs(%cast : tensor<1x2x?x4xf32>) -> tensor<1x2x?x4xf32>
  %1 = mha.attention query(%q : tensor<1x2x3x4xf32>, bhsd) key(%q : tensor<1x2x3x4xf32>, bhsd)
    value(%q : tensor<1x2x3x4xf32>, bhsd) mask<causal> outs(%cast : tensor<1x2x?x4xf32>) -> tensor<1x2x?x4xf32>
  %2 = tensor.cast %0 : tensor<1x2x?x4xf32> to tensor<1x2x3x4xf32>
  %3 = tensor.cast %1 : tensor<1x2x?x4xf32> to tensor<1x2x3x4xf32>
  return %2, %3 : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>
}

// Every size from an operand, in layouts of four kinds.
// sizes: result 1 {{.*}}: verified
func.func @sizes(%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %v: tensor<?x3x4x?xf32>) -> (tensor<?x?x7x?xf32>, tensor<?x?x?xf32>) {
  %o, %lse = mha.attention query(%q : tensor<?x?x?x?xf32>, sdbh) key(%k : tensor<?x?x?x?xf32>, bhsd)
    value(%v : tensor<?x3x4x?xf32>, shdb) -> (tensor<?x?x7x?xf32>, hdsb, lse tensor<?x?x?xf32>)
  return %o, %lse : tensor<?x?x7x?xf32>, tensor<?x?x?xf32>
}
