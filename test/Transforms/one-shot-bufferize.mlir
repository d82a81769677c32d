// RUN: mha-opt %s --split-input-file --one-shot-bufferize="bufferize-function-boundaries allow-return-allocs-from-loops" --canonicalize | FileCheck %s
// RUN: mha-opt %s --split-input-file --one-shot-bufferize="bufferize-function-boundaries allow-return-allocs-from-loops" | FileCheck %s --check-prefix=RAW

// Upstream's bufferization with the model of mha.attention.

// Without destinations: contiguous buffers of the results' sizes, in their layouts; scalars, clauses and attributes stay.
// CHECK-LABEL: func.func @without_destinations
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: memref<2x6x?x5xf32, strided<[?, ?, ?, ?], offset: ?>>, %[[K:[a-z0-9]+]]:
// CHECK-SAME:    %[[V:[a-z0-9]+]]: memref<2x3x11x4xf32, {{[^%]*}}%[[LENGTH:[a-z0-9]+]]: memref<2xi64, {{[^%]*}}%[[OFFSET:[a-z0-9]+]]: index
// CHECK-SAME:    -> (memref<2x?x6x4xf32>, memref<2x6x?xf32>)
// CHECK:         %[[SQ:.+]] = memref.dim %[[Q]], %c2
// CHECK:         %[[O:.+]] = memref.alloc(%[[SQ]]) {{.*}} : memref<2x?x6x4xf32>
// CHECK:         %[[L:.+]] = memref.alloc(%{{.+}}) {{.*}} : memref<2x6x?xf32>
// CHECK-NOT:     memref.copy
// CHECK:         mha.attention query(%[[Q]] : {{.+}}, bhsd) key(%[[K]] : {{.+}}, bhsd) value(%[[V]] : {{.+}}, bhsd)
// CHECK-SAME:      mask<causal> align(explicit) lengths(%[[LENGTH]] : {{.+}}) query_offset(%[[OFFSET]] : index) {tag = "kept"}
// CHECK-SAME:      outs(%[[O]] : memref<2x?x6x4xf32>, bshd, lse %[[L]] : memref<2x6x?xf32>)
// CHECK-NEXT:    return %[[O]], %[[L]]
func.func @without_destinations(%q: tensor<2x6x?x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>,
    %length: tensor<2xi64>, %offset: index) -> (tensor<2x?x6x4xf32>, tensor<2x6x?xf32>) {
  %o, %lse = mha.attention query(%q : tensor<2x6x?x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd)
    value(%v : tensor<2x3x11x4xf32>, bhsd) mask<causal> align(explicit) lengths(%length : tensor<2xi64>)
    query_offset(%offset : index) {tag = "kept"} -> (tensor<2x?x6x4xf32>, bshd, lse tensor<2x6x?xf32>)
  return %o, %lse : tensor<2x?x6x4xf32>, tensor<2x6x?xf32>
}

// -----

// A destination that nobody else needs is written where it is, whatever its strides.
// CHECK-LABEL: func.func @destinations
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: memref<{{[^%]*}}%[[O:[a-z0-9]+]]: memref<{{[^%]*}}%[[L:[a-z0-9]+]]: memref
// CHECK-NEXT:    mha.attention query(%[[Q]] {{.+}} outs(%[[O]] : {{.+}}, lse %[[L]] : {{.+}})
// CHECK-NEXT:    return %[[O]], %[[L]]
func.func @destinations(%q: tensor<1x2x3x4xf32>, %o: tensor<1x2x3x4xf32>, %l: tensor<1x2x3xf32>)
    -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>) {
  %0, %1 = mha.attention query(%q : tensor<1x2x3x4xf32>, bhsd) key(%q : tensor<1x2x3x4xf32>, bhsd)
    value(%q : tensor<1x2x3x4xf32>, bhsd) outs(%o : tensor<1x2x3x4xf32>, lse %l : tensor<1x2x3xf32>)
    -> (tensor<1x2x3x4xf32>, lse tensor<1x2x3xf32>)
  return %0, %1 : tensor<1x2x3x4xf32>, tensor<1x2x3xf32>
}

// -----

// One destination of two.
// CHECK-LABEL: func.func @one_destination
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: memref<{{[^%]*}}%[[O:[a-z0-9]+]]: memref
// CHECK-NEXT:    %[[L:.+]] = memref.alloc() {{.*}} : memref<1x2x3xf32>
// CHECK-NEXT:    mha.attention query(%[[Q]] {{.+}} outs(%[[O]] : {{.+}}, lse %[[L]] : memref<1x2x3xf32>)
// CHECK-NEXT:    return %[[O]], %[[L]]
func.func @one_destination(%q: tensor<1x2x3x4xf32>, %o: tensor<1x2x3x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>) {
  %0, %1 = mha.attention query(%q : tensor<1x2x3x4xf32>, bhsd) key(%q : tensor<1x2x3x4xf32>, bhsd)
    value(%q : tensor<1x2x3x4xf32>, bhsd) outs(%o : tensor<1x2x3x4xf32>) -> (tensor<1x2x3x4xf32>, lse tensor<1x2x3xf32>)
  return %0, %1 : tensor<1x2x3x4xf32>, tensor<1x2x3xf32>
}

// -----

// A destination that is an operand as well: apart from it, and not copied, since a destination is not read.
// CHECK-LABEL: func.func @destination_is_query
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: memref
// CHECK-NEXT:    %[[O:.+]] = memref.alloc()
// CHECK-NEXT:    mha.attention query(%[[Q]] {{.+}} outs(%[[O]] :
// CHECK-NEXT:    return %[[O]]
func.func @destination_is_query(%q: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %0 = mha.attention query(%q : tensor<1x2x3x4xf32>, bhsd) key(%q : tensor<1x2x3x4xf32>, bhsd)
    value(%q : tensor<1x2x3x4xf32>, bhsd) outs(%q : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return %0 : tensor<1x2x3x4xf32>
}

// -----

// A destination that overlaps an operand: one of them moves.
// CHECK-LABEL: func.func @destination_overlaps_query
// CHECK:         %[[Q:.+]] = memref.alloc()
// CHECK:         memref.copy %{{.+}}, %[[Q]]
// CHECK:         mha.attention query(%[[Q]] : {{.+}}) key(%[[Q]] {{.+}}) value(%[[Q]] {{.+}}) outs(%subview{{[_0-9]*}} :
func.func @destination_overlaps_query(%t: tensor<1x2x6x4xf32>) -> tensor<1x2x3x4xf32> {
  %q = tensor.extract_slice %t[0, 0, 0, 0] [1, 2, 3, 4] [1, 1, 1, 1] : tensor<1x2x6x4xf32> to tensor<1x2x3x4xf32>
  %o = tensor.extract_slice %t[0, 0, 1, 0] [1, 2, 3, 4] [1, 1, 1, 1] : tensor<1x2x6x4xf32> to tensor<1x2x3x4xf32>
  %0 = mha.attention query(%q : tensor<1x2x3x4xf32>, bhsd) key(%q : tensor<1x2x3x4xf32>, bhsd)
    value(%q : tensor<1x2x3x4xf32>, bhsd) outs(%o : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return %0 : tensor<1x2x3x4xf32>
}

// -----

// Two destinations in one buffer: one of them moves.
// CHECK-LABEL: func.func @destinations_overlap
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: memref<{{[^%]*}}%[[O:[a-z0-9]+]]: memref
// CHECK:         %[[L:.+]] = memref.alloc() {{.*}} : memref<1x2x3xf32>
// CHECK:         mha.attention {{.+}} outs(%[[O]] : {{.+}}, lse %[[L]] :
func.func @destinations_overlap(%q: tensor<1x2x3x1xf32>, %o: tensor<1x2x3x1xf32>) -> (tensor<1x2x3x1xf32>, tensor<1x2x3xf32>) {
  %l = tensor.collapse_shape %o [[0], [1], [2, 3]] : tensor<1x2x3x1xf32> into tensor<1x2x3xf32>
  %0, %1 = mha.attention query(%q : tensor<1x2x3x1xf32>, bhsd) key(%q : tensor<1x2x3x1xf32>, bhsd)
    value(%q : tensor<1x2x3x1xf32>, bhsd) outs(%o : tensor<1x2x3x1xf32>, lse %l : tensor<1x2x3xf32>)
    -> (tensor<1x2x3x1xf32>, lse tensor<1x2x3xf32>)
  return %0, %1 : tensor<1x2x3x1xf32>, tensor<1x2x3xf32>
}

// -----

// A destination whose old value is needed afterwards.
// CHECK-LABEL: func.func @destination_is_kept
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: memref<{{[^%]*}}%[[O:[a-z0-9]+]]: memref
// CHECK-NEXT:    %[[NEW:.+]] = memref.alloc()
// CHECK-NEXT:    mha.attention {{.+}} outs(%[[NEW]] :
// CHECK-NEXT:    return %[[NEW]], %[[O]]
func.func @destination_is_kept(%q: tensor<1x2x3x4xf32>, %o: tensor<1x2x3x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) {
  %0 = mha.attention query(%q : tensor<1x2x3x4xf32>, bhsd) key(%q : tensor<1x2x3x4xf32>, bhsd)
    value(%q : tensor<1x2x3x4xf32>, bhsd) outs(%o : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return %0, %o : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>
}

// -----

// A loop carries the buffer that is allocated in it: the layout is known before the op is bufferized.
// RAW-LABEL: func.func @loop
// RAW:         scf.for {{.*}} -> (memref<1x2x3x4xf32>) {
// RAW:         mha.attention query(%{{.+}} : memref<1x2x3x4xf32>, bhsd)
func.func @loop(%n: index) -> tensor<1x2x3x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = tensor.empty() : tensor<1x2x3x4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %first) -> tensor<1x2x3x4xf32> {
    %o = mha.attention query(%x : tensor<1x2x3x4xf32>, bhsd) key(%x : tensor<1x2x3x4xf32>, bhsd)
      value(%x : tensor<1x2x3x4xf32>, bhsd) -> tensor<1x2x3x4xf32>
    scf.yield %o : tensor<1x2x3x4xf32>
  }
  return %r : tensor<1x2x3x4xf32>
}
