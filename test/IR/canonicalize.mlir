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

// A dense mask repeats where its type says 1, and only there: behind the cast the size has to be that of the problem.
// CHECK-LABEL: func.func @mask_of_one
// CHECK: %[[MASK:.+]] = tensor.cast
// CHECK: dense_mask(%[[MASK]] : tensor<?x11xf32>)
func.func @mask_of_one(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %m: tensor<1x11xf32>) -> tensor<2x6x7x5xf32> {
  %mask = tensor.cast %m : tensor<1x11xf32> to tensor<?x11xf32>
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%k : tensor<2x3x11x5xf32>, bhsd)
    dense_mask(%mask : tensor<?x11xf32>) -> tensor<2x6x7x5xf32>
  return %o : tensor<2x6x7x5xf32>
}

// Near misses: the type says 1 before and behind the cast; the size that becomes known is another one.
// CHECK-LABEL: func.func @mask_of_others
// CHECK-NOT: tensor.cast
// CHECK: dense_mask(%{{.+}} : tensor<1x11xf32>)
func.func @mask_of_others(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %m: tensor<1x11xf32>) -> tensor<2x6x7x5xf32> {
  %mask = tensor.cast %m : tensor<1x11xf32> to tensor<1x?xf32>
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%k : tensor<2x3x11x5xf32>, bhsd)
    dense_mask(%mask : tensor<1x?xf32>) -> tensor<2x6x7x5xf32>
  return %o : tensor<2x6x7x5xf32>
}

// Likewise keys and values of one batch entry, which all share, in whatever dimension the batch is; on memrefs too.
// CHECK-LABEL: func.func @keys_of_one_batch_entry
// CHECK: %[[K:.+]] = memref.cast %{{.+}} : memref<3x11x1x5xf32> to memref<3x11x?x5xf32>
// CHECK: %[[V:.+]] = memref.cast %{{.+}} : memref<1x3x11x5xf32> to memref<?x3x11x5xf32>
// CHECK: key(%[[K]] : memref<3x11x?x5xf32>, hsbd) value(%[[V]] : memref<?x3x11x5xf32>, bhsd)
func.func @keys_of_one_batch_entry(%q: memref<?x6x7x5xf32>, %k: memref<3x11x1x5xf32>, %v: memref<1x3x11x5xf32>, %o: memref<?x6x7x5xf32>) {
  %key = memref.cast %k : memref<3x11x1x5xf32> to memref<3x11x?x5xf32>
  %value = memref.cast %v : memref<1x3x11x5xf32> to memref<?x3x11x5xf32>
  mha.attention query(%q : memref<?x6x7x5xf32>, bhsd) key(%key : memref<3x11x?x5xf32>, hsbd) value(%value : memref<?x3x11x5xf32>, bhsd)
    outs(%o : memref<?x6x7x5xf32>)
  return
}

// Near misses: a batch of 2, and another dimension of 1.
// CHECK-LABEL: func.func @keys_of_others
// CHECK-NOT: tensor.cast
// CHECK: key(%{{.+}} : tensor<2x3x1x5xf32>, bhsd) value(%{{.+}} : tensor<2x3x1x5xf32>, bhsd)
func.func @keys_of_others(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x1x5xf32>) -> tensor<2x6x7x5xf32> {
  %key = tensor.cast %k : tensor<2x3x1x5xf32> to tensor<2x3x?x5xf32>
  %value = tensor.cast %k : tensor<2x3x1x5xf32> to tensor<?x3x?x5xf32>
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%key : tensor<2x3x?x5xf32>, bhsd) value(%value : tensor<?x3x?x5xf32>, bhsd)
    -> tensor<2x6x7x5xf32>
  return %o : tensor<2x6x7x5xf32>
}
