// RUN: mha-opt %s --convert-mha-to-linalg --split-input-file | FileCheck %s

// Two contractions with a softmax between; a group of two heads reads its key head in place.
// CHECK-DAG: #[[Q:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
// CHECK-DAG: #[[K:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 floordiv 2, d3, d4)>
// CHECK-DAG: #[[S:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @plain
// CHECK-SAME: %[[QUERY:[a-z0-9]+]]: tensor<2x6x7x5xf32>, %[[KEY:[a-z0-9]+]]: tensor<2x3x11x5xf32>, %[[VALUE:[a-z0-9]+]]: tensor<2x3x11x4xf32>
// CHECK: %[[SCORES:.+]] = linalg.generic {indexing_maps = [#[[Q]], #[[K]], #[[S]]]
// CHECK-SAME: ins(%[[QUERY]], %[[KEY]]
// CHECK-SAME: tensor<2x6x7x11xf32>
// CHECK: %[[SCALE:.+]] = arith.constant 0.44721359{{[0-9]*}} : f32
// CHECK: %[[MASKED:.+]] = linalg.generic {{.*}} outs(%[[SCORES]]
// CHECK: arith.mulf %{{.+}}, %[[SCALE]]
// CHECK-NOT: arith.select
// CHECK: %[[MAX:.+]] = linalg.generic {{.*}} ins(%[[MASKED]]
// CHECK: arith.maximumf
// CHECK: %[[WEIGHTS:.+]] = linalg.generic {{.*}} ins(%[[MASKED]], %[[MAX]]
// CHECK: math.exp
// CHECK: %[[SUM:.+]] = linalg.generic {{.*}} ins(%[[WEIGHTS]]
// CHECK: arith.addf
// CHECK: %[[ACC:.+]] = linalg.generic {indexing_maps = [#[[S]], #[[S]], #[[K]], #[[Q]]]
// CHECK-SAME: ins(%[[WEIGHTS]], %[[MASKED]], %[[VALUE]]
// CHECK: arith.mulf
// CHECK: arith.select
// CHECK: arith.addf
// CHECK: %[[OUTPUT:.+]] = linalg.generic {{.*}} ins(%[[MAX]], %[[SUM]] {{.*}} outs(%[[ACC]]
// CHECK: arith.divf
// CHECK: return %[[OUTPUT]] : tensor<2x6x7x4xf32>
func.func @plain(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) -> tensor<2x6x7x4xf32> {
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd)
    value(%v : tensor<2x3x11x4xf32>, bhsd) -> tensor<2x6x7x4xf32>
  return %o : tensor<2x6x7x4xf32>
}

// -----

// Causal from the bottom right: key j <= (11 - 7) + i, the difference being computed from the sizes.
// CHECK-LABEL: func.func @causal
// CHECK: %[[I:.+]] = linalg.index 2
// CHECK: %[[J:.+]] = linalg.index 3
// CHECK: %[[OFFSET:.+]] = arith.subi %c11, %c7
// CHECK: %[[P:.+]] = arith.addi %[[OFFSET]], %[[I]]
// CHECK: %[[SEEN:.+]] = arith.cmpi sle, %[[J]], %[[P]]
// CHECK: arith.select %[[SEEN]]
func.func @causal(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) -> tensor<2x6x7x4xf32> {
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd)
    value(%v : tensor<2x3x11x4xf32>, bhsd) mask<causal> align(bottom_right) -> tensor<2x6x7x4xf32>
  return %o : tensor<2x6x7x4xf32>
}

// -----

// A window, lengths and an offset for each batch entry, in a tile that begins at query %i0 of batch entry %b0.
// CHECK-LABEL: func.func @tile
// CHECK-SAME: tensor<2x3x11x4xf32>, %[[LEN:[a-z0-9]+]]: tensor<9xi64>, %[[OFF:[a-z0-9]+]]: tensor<9xi64>, %[[B0:[a-z0-9]+]]: index, %[[I0:[a-z0-9]+]]: index
// CHECK: %[[B:.+]] = linalg.index 0
// CHECK: %[[I:.+]] = linalg.index 2
// CHECK: %[[J:.+]] = linalg.index 3
// CHECK: arith.addi %[[I]], %[[I0]]
// CHECK: %[[BATCH:.+]] = arith.addi %[[B]], %[[B0]]
// CHECK: tensor.extract %[[LEN]][%[[BATCH]]]
// CHECK: tensor.extract %[[OFF]]
// CHECK: arith.cmpi sge
// CHECK: arith.cmpi sle
// CHECK: arith.cmpi slt
func.func @tile(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %len: tensor<9xi64>, %off: tensor<9xi64>,
                %b0: index, %i0: index) -> tensor<2x6x7x4xf32> {
  %zero = arith.constant 0 : index
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    mask<window<3, 1>> align(end) lengths(%len : tensor<9xi64>) query_offset(%off : tensor<9xi64>) origin(%b0, %zero, %i0, %zero)
    -> tensor<2x6x7x4xf32>
  return %o : tensor<2x6x7x4xf32>
}

// -----

// A group that only run time knows: keys and values are read by index; the default scale is computed from D.
// CHECK-LABEL: func.func @dynamic_group
// CHECK-SAME: %{{.+}}: tensor<?x?x?x?xf32>, %[[K:[a-z0-9]+]]: tensor<?x?x?x?xf32>, %[[V:[a-z0-9]+]]: tensor<?x?x?x?xf32>
// CHECK: %[[RATIO:.+]] = arith.divui
// CHECK: %[[G:.+]] = arith.maxui %[[RATIO]]
// CHECK: arith.divui %{{.+}}, %[[G]]
// CHECK: tensor.extract %[[K]]
// CHECK: math.sqrt
// CHECK: tensor.extract %[[V]]
func.func @dynamic_group(%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %v: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %o = mha.attention query(%q : tensor<?x?x?x?xf32>, bhsd) key(%k : tensor<?x?x?x?xf32>, bhsd) value(%v : tensor<?x?x?x?xf32>, bhsd)
    -> tensor<?x?x?x?xf32>
  return %o : tensor<?x?x?x?xf32>
}

// -----

// Destinations lend their buffers; layouts are in the maps, nothing is transposed; the result's own type is kept.
// CHECK: #[[OUT:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>
// CHECK-LABEL: func.func @destinations
// CHECK-SAME: %[[O:[a-z0-9]+]]: tensor<2x?x6x4xf64>, %[[L:[a-z0-9]+]]: tensor<2x6x7xf64>
// CHECK-NOT: linalg.transpose
// CHECK: linalg.fill {{.*}} outs(%[[O]]
// CHECK: linalg.generic {{.*}}#[[OUT]]]
// CHECK: math.log
// CHECK: return %{{.+}}, %{{.+}} : tensor<2x?x6x4xf64>, tensor<2x6x7xf64>
func.func @destinations(%q: tensor<2x6x7x5xf64>, %k: tensor<2x3x11x5xf64>, %v: tensor<2x3x11x4xf64>, %oi: tensor<2x?x6x4xf64>, %li: tensor<2x6x7xf64>)
    -> (tensor<2x?x6x4xf64>, tensor<2x6x7xf64>) {
  %o, %lse = mha.attention query(%q : tensor<2x6x7x5xf64>, bhsd) key(%k : tensor<2x3x11x5xf64>, bhsd) value(%v : tensor<2x3x11x4xf64>, bhsd)
    outs(%oi : tensor<2x?x6x4xf64>, lse %li : tensor<2x6x7xf64>) -> (tensor<2x?x6x4xf64>, bshd, lse tensor<2x6x7xf64>)
  return %o, %lse : tensor<2x?x6x4xf64>, tensor<2x6x7xf64>
}

// -----

// On memrefs the ops are on memrefs and write into the destinations.
// CHECK-LABEL: func.func @memrefs
// CHECK-SAME: %[[LEN:[a-z0-9]+]]: memref<2xi64>, %[[O:[a-z0-9]+]]: memref<2x6x7x4xf32>, %[[L:[a-z0-9]+]]: memref<2x6x7xf32>
// CHECK-NOT: bufferization.
// CHECK: memref.alloc() : memref<2x6x7x11xf32>
// CHECK: memref.load %[[LEN]]
// CHECK: linalg.fill {{.*}} outs(%[[O]]
// CHECK: linalg.generic {{.*}} outs(%[[O]]
// CHECK: linalg.generic {{.*}} outs(%[[L]]
func.func @memrefs(%q: memref<2x6x7x5xf32>, %k: memref<2x3x11x5xf32>, %v: memref<2x3x11x4xf32>, %len: memref<2xi64>,
                   %o: memref<2x6x7x4xf32>, %lse: memref<2x6x7xf32>) {
  mha.attention query(%q : memref<2x6x7x5xf32>, bhsd) key(%k : memref<2x3x11x5xf32>, bhsd) value(%v : memref<2x3x11x4xf32>, bhsd)
    lengths(%len : memref<2xi64>) outs(%o : memref<2x6x7x4xf32>, lse %lse : memref<2x6x7xf32>)
  return
}

// -----

// No query heads at all: nothing to read, nothing to divide by.
// CHECK-LABEL: func.func @no_heads
// CHECK: return %{{.+}} : tensor<2x0x7x5xf32>
func.func @no_heads(%q: tensor<2x0x7x5xf32>, %k: tensor<2x3x11x5xf32>) -> tensor<2x0x7x5xf32> {
  %o = mha.attention query(%q : tensor<2x0x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%k : tensor<2x3x11x5xf32>, bhsd)
    -> tensor<2x0x7x5xf32>
  return %o : tensor<2x0x7x5xf32>
}

// -----

// Nothing to do, and nothing done to ops of others.
// CHECK-LABEL: func.func @foreign
// CHECK-NEXT: linalg.softmax
// CHECK-NEXT: return
func.func @foreign(%x: tensor<3x5xf32>, %y: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %s = linalg.softmax dimension(1) ins(%x : tensor<3x5xf32>) outs(%y : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %s : tensor<3x5xf32>
}
