// RUN: mha-opt %s --canonicalize | FileCheck %s

// Casts that only forget sizes are read through, and the result knows what the operands know.
// CHECK-LABEL: func.func @casts
// CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<2x6x7x5xf32>
// CHECK: %[[O:.+]] = mha.attention query(%[[Q]] : tensor<2x6x7x5xf32>, bhsd)
// CHECK-SAME: -> tensor<2x6x7x4xf32>
// CHECK: %[[CAST:.+]] = tensor.cast %[[O]] : tensor<2x6x7x4xf32> to tensor<?x6x?x?xf32>
// CHECK: return %[[CAST]]
func.func @casts(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) -> tensor<?x6x?x?xf32> {
  %dynamic = tensor.cast %q : tensor<2x6x7x5xf32> to tensor<?x6x?x5xf32>
  %o = mha.attention query(%dynamic : tensor<?x6x?x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    -> tensor<?x6x?x?xf32>
  return %o : tensor<?x6x?x?xf32>
}

// The output's layout decides which size is which; the lse is always B x Hq x Sq.
// CHECK-LABEL: func.func @refine_layout
// CHECK: -> (tensor<4x7x2x6xf32>, dsbh, lse tensor<2x6x7xf32>)
func.func @refine_layout(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>)
    -> (tensor<?x?x?x?xf32>, tensor<?x?x?xf32>) {
  %o, %lse = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    -> (tensor<?x?x?x?xf32>, dsbh, lse tensor<?x?x?xf32>)
  return %o, %lse : tensor<?x?x?x?xf32>, tensor<?x?x?xf32>
}

// A cast that promises a size must stay: only run time knows whether it holds.
// CHECK-LABEL: func.func @promising_cast
// CHECK: tensor.cast %{{.+}} : tensor<2x6x?x5xf32> to tensor<2x6x7x5xf32>
func.func @promising_cast(%q: tensor<2x6x?x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) -> tensor<2x6x7x4xf32> {
  %static = tensor.cast %q : tensor<2x6x?x5xf32> to tensor<2x6x7x5xf32>
  %o = mha.attention query(%static : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    -> tensor<2x6x7x4xf32>
  return %o : tensor<2x6x7x4xf32>
}

// A destination has the type of its result, so its cast stays.
// CHECK-LABEL: func.func @destination_cast
// CHECK: %[[INIT:.+]] = tensor.cast
// CHECK: outs(%[[INIT]] : tensor<2x6x?x4xf32>) -> tensor<2x6x?x4xf32>
func.func @destination_cast(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %i: tensor<2x6x7x4xf32>) -> tensor<2x6x?x4xf32> {
  %init = tensor.cast %i : tensor<2x6x7x4xf32> to tensor<2x6x?x4xf32>
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    outs(%init : tensor<2x6x?x4xf32>) -> tensor<2x6x?x4xf32>
  return %o : tensor<2x6x?x4xf32>
}

// On memrefs casts of destinations are read through as well, and the write is not dead code.
// CHECK-LABEL: func.func @memref_casts
// CHECK-SAME: %[[Q:[a-z0-9]+]]: memref<2x6x7x5xf32>
// CHECK-SAME: %[[O:[a-z0-9]+]]: memref<2x6x7x4xf32>
// CHECK-NOT: memref.cast
// CHECK: mha.attention query(%[[Q]] : memref<2x6x7x5xf32>, bhsd)
// CHECK-SAME: outs(%[[O]] : memref<2x6x7x4xf32>)
func.func @memref_casts(%q: memref<2x6x7x5xf32>, %k: memref<2x3x11x5xf32>, %v: memref<2x3x11x4xf32>, %o: memref<2x6x7x4xf32>) {
  %qs = memref.cast %q : memref<2x6x7x5xf32> to memref<2x6x7x5xf32, strided<[?, ?, ?, ?], offset: ?>>
  %os = memref.cast %o : memref<2x6x7x4xf32> to memref<2x6x7x4xf32, strided<[?, ?, ?, ?], offset: ?>>
  mha.attention query(%qs : memref<2x6x7x5xf32, strided<[?, ?, ?, ?], offset: ?>>, bhsd) key(%k : memref<2x3x11x5xf32>, bhsd)
    value(%v : memref<2x3x11x4xf32>, bhsd) outs(%os : memref<2x6x7x4xf32, strided<[?, ?, ?, ?], offset: ?>>)
  return
}

// On tensors an op without users is dead code.
// CHECK-LABEL: func.func @unused
// CHECK-NEXT: return
func.func @unused(%q: tensor<2x6x7x5xf32>) {
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%q : tensor<2x6x7x5xf32>, bhsd) value(%q : tensor<2x6x7x5xf32>, bhsd)
    -> tensor<2x6x7x5xf32>
  return
}

// Sizes that contradict each other behind a cast stay behind it: that is for run time to report.
// CHECK-LABEL: func.func @contradiction
// CHECK: tensor.cast
// CHECK: mha.attention
func.func @contradiction(%q: tensor<2x6x7x5xf32>, %k: tensor<3x3x11x5xf32>) -> tensor<?x6x7x5xf32> {
  %dynamic = tensor.cast %q : tensor<2x6x7x5xf32> to tensor<?x6x7x5xf32>
  %o = mha.attention query(%dynamic : tensor<?x6x7x5xf32>, bhsd) key(%k : tensor<3x3x11x5xf32>, bhsd) value(%k : tensor<3x3x11x5xf32>, bhsd)
    -> tensor<?x6x7x5xf32>
  return %o : tensor<?x6x7x5xf32>
}
