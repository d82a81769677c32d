// RUN: mha-opt %s --mha-add-destinations | FileCheck %s

// Static sizes.
// CHECK-LABEL: func.func @output
// CHECK-NEXT:    %[[E:.+]] = tensor.empty() : tensor<2x6x7x4xf32>
// CHECK-NEXT:    %[[O:.+]] = mha.attention {{.+}} outs(%[[E]] : tensor<2x6x7x4xf32>) -> tensor<2x6x7x4xf32>
// CHECK-NEXT:    return %[[O]]
func.func @output(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) -> tensor<2x6x7x4xf32> {
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd)
    value(%v : tensor<2x3x11x4xf32>, bhsd) -> tensor<2x6x7x4xf32>
  return %o : tensor<2x6x7x4xf32>
}

// Sizes that the results' types do not say come from the operands, by layout: B, Hq and Sq of the query, Dv of the value; a
// size that only an operand's type says does not change the result's type.
// CHECK-LABEL: func.func @sizes
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x?x?x?xf32>, %[[K:[a-z0-9]+]]: {{[^%]*}}%[[V:[a-z0-9]+]]: tensor<?x2x4x?xf32>
// CHECK-DAG:     %[[B:.+]] = tensor.dim %[[Q]], %c2{{[_0-9]*}}
// CHECK-DAG:     %[[H:.+]] = tensor.dim %[[Q]], %c3{{[_0-9]*}}
// CHECK-DAG:     %[[S:.+]] = tensor.dim %[[Q]], %c0{{[_0-9]*}}
// CHECK:         %[[E0:.+]] = tensor.empty(%[[H]], %c4{{[_0-9]*}}, %[[B]]) : tensor<?x?x7x?xf32>
// CHECK-NEXT:    %[[E1:.+]] = tensor.empty({{%.+}}, {{%.+}}, %[[S]]) : tensor<?x?x?xf32>
// CHECK-NEXT:    mha.attention {{.+}} outs(%[[E0]] : tensor<?x?x7x?xf32>, lse %[[E1]] : tensor<?x?x?xf32>)
// CHECK-SAME:      -> (tensor<?x?x7x?xf32>, hdsb, lse tensor<?x?x?xf32>)
func.func @sizes(%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %v: tensor<?x2x4x?xf32>) -> (tensor<?x?x7x?xf32>, tensor<?x?x?xf32>) {
  %o, %lse = mha.attention query(%q : tensor<?x?x?x?xf32>, sdbh) key(%k : tensor<?x?x?x?xf32>, bhsd)
    value(%v : tensor<?x2x4x?xf32>, shdb) -> (tensor<?x?x7x?xf32>, hdsb, lse tensor<?x?x?xf32>)
  return %o, %lse : tensor<?x?x7x?xf32>, tensor<?x?x?xf32>
}

// A destination that is there stays, beside one that is added.
// CHECK-LABEL: func.func @lse
// CHECK-SAME:    %[[O:[a-z0-9]+]]: tensor<1x2x3x4xf32>)
// CHECK-NEXT:    %[[E:.+]] = tensor.empty() : tensor<1x2x3xf32>
// CHECK-NEXT:    mha.attention {{.+}} outs(%[[O]] : tensor<1x2x3x4xf32>, lse %[[E]] : tensor<1x2x3xf32>)
func.func @lse(%q: tensor<1x2x3x4xf32>, %o: tensor<1x2x3x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>) {
  %0, %1 = mha.attention query(%q : tensor<1x2x3x4xf32>, bhsd) key(%q : tensor<1x2x3x4xf32>, bhsd)
    value(%q : tensor<1x2x3x4xf32>, bhsd) outs(%o : tensor<1x2x3x4xf32>) -> (tensor<1x2x3x4xf32>, lse tensor<1x2x3xf32>)
  return %0, %1 : tensor<1x2x3x4xf32>, tensor<1x2x3xf32>
}

// Near misses: nothing is missing; memrefs.
// CHECK-LABEL: func.func @near_misses
// CHECK-NOT:     tensor.empty
// CHECK:         return
func.func @near_misses(%q: tensor<1x2x3x4xf32>, %o: tensor<1x2x3x4xf32>, %m: memref<1x2x3x4xf32>, %d: memref<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %0 = mha.attention query(%q : tensor<1x2x3x4xf32>, bhsd) key(%q : tensor<1x2x3x4xf32>, bhsd)
    value(%q : tensor<1x2x3x4xf32>, bhsd) outs(%o : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  mha.attention query(%m : memref<1x2x3x4xf32>, bhsd) key(%m : memref<1x2x3x4xf32>, bhsd)
    value(%m : memref<1x2x3x4xf32>, bhsd) outs(%d : memref<1x2x3x4xf32>)
  return %0 : tensor<1x2x3x4xf32>
}
