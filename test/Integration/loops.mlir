// RUN: split-file %s %t
// RUN: mha-run %t/loop.mlir --compare=%t/unrolled.mlir | FileCheck %s

// Attention on a tensor that a loop carries.
// CHECK: result 0 {{.*}} verified
// CHECK: result 0 {{.*}} verified

//--- loop.mlir
func.func @main(%q: tensor<1x2x7x5xf32>) -> tensor<1x2x7x5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %q) -> tensor<1x2x7x5xf32> {
    %o = mha.attention query(%x : tensor<1x2x7x5xf32>, bhsd) key(%x : tensor<1x2x7x5xf32>, bhsd) value(%x : tensor<1x2x7x5xf32>, bhsd)
      mask<causal> -> tensor<1x2x7x5xf32>
    scf.yield %o : tensor<1x2x7x5xf32>
  }
  return %r : tensor<1x2x7x5xf32>
}

//--- unrolled.mlir
func.func @main(%q: tensor<1x2x7x5xf32>) -> tensor<1x2x7x5xf32> {
  %0 = mha.attention query(%q : tensor<1x2x7x5xf32>, bhsd) key(%q : tensor<1x2x7x5xf32>, bhsd) value(%q : tensor<1x2x7x5xf32>, bhsd)
    mask<causal> -> tensor<1x2x7x5xf32>
  %1 = mha.attention query(%0 : tensor<1x2x7x5xf32>, bhsd) key(%0 : tensor<1x2x7x5xf32>, bhsd) value(%0 : tensor<1x2x7x5xf32>, bhsd)
    mask<causal> -> tensor<1x2x7x5xf32>
  %2 = mha.attention query(%1 : tensor<1x2x7x5xf32>, bhsd) key(%1 : tensor<1x2x7x5xf32>, bhsd) value(%1 : tensor<1x2x7x5xf32>, bhsd)
    mask<causal> -> tensor<1x2x7x5xf32>
  return %2 : tensor<1x2x7x5xf32>
}
