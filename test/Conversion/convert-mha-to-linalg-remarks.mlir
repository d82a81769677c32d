// RUN: mha-opt %s --convert-mha-to-linalg --remarks-filter=convert-mha-to-linalg --remark-format=emitRemark 2>&1 | FileCheck %s

// Each op that is computed by its definition is named, with its place and its function.
// CHECK: convert-mha-to-linalg-remarks.mlir:[[# @LINE + 3]]:8: remark: [Missed] computed-by-definition
// CHECK-SAME: Function=square{{.*}}no schedule was planned for it
func.func @square(%q: tensor<2x6x7x5xf32>) -> tensor<2x6x7x5xf32> {
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%q : tensor<2x6x7x5xf32>, bhsd) value(%q : tensor<2x6x7x5xf32>, bhsd)
    mask<causal> -> tensor<2x6x7x5xf32>
  return %o : tensor<2x6x7x5xf32>
}
