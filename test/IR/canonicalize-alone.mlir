// RUN: mha-opt %s --canonicalize | FileCheck %s

// In a file of its own: nothing but attention has loaded a dialect when the cast is made.
// CHECK-LABEL: func.func @refine
// CHECK: tensor.cast
func.func @refine(%q: tensor<1x1x3x1xf32>) -> tensor<?x1x3x1xf32> {
  %o = mha.attention query(%q : tensor<1x1x3x1xf32>, bhsd) key(%q : tensor<1x1x3x1xf32>, bhsd) value(%q : tensor<1x1x3x1xf32>, bhsd)
    -> tensor<?x1x3x1xf32>
  return %o : tensor<?x1x3x1xf32>
}
