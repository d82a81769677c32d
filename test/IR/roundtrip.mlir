// RUN: mha-opt %s | FileCheck %s
// RUN: mha-opt %s | mha-opt | FileCheck %s
// RUN: mha-opt %s --mlir-print-op-generic | mha-opt | FileCheck %s
// RUN: mha-opt %s --emit-bytecode -o %t.mlirbc
// RUN: mha-opt %t.mlirbc | FileCheck %s

// The least that can be written: the output has the layout of the query.
// CHECK-LABEL: func.func @plain
// CHECK: mha.attention query(%{{.+}} : tensor<2x6x7x5xf32>, bhsd) key(%{{.+}} : tensor<2x3x11x5xf32>, bhsd)
// CHECK-SAME: value(%{{.+}} : tensor<2x3x11x4xf32>, bhsd) -> tensor<2x6x7x4xf32>{{$}}
func.func @plain(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) -> tensor<2x6x7x4xf32> {
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd)
    value(%v : tensor<2x3x11x4xf32>, bhsd) -> tensor<2x6x7x4xf32>
  return %o : tensor<2x6x7x4xf32>
}

// The query's layout is not written again for the output.
// CHECK-LABEL: func.func @output_of_query_layout
// CHECK: query(%{{.+}} : tensor<2x7x6x5xf64>, bshd)
// CHECK-SAME: -> tensor<2x7x6x4xf64>{{$}}
func.func @output_of_query_layout(%q: tensor<2x7x6x5xf64>, %k: tensor<2x3x11x5xf64>, %v: tensor<2x3x11x4xf64>) -> tensor<2x7x6x4xf64> {
  %o = mha.attention query(%q : tensor<2x7x6x5xf64>, bshd) key(%k : tensor<2x3x11x5xf64>, bhsd)
    value(%v : tensor<2x3x11x4xf64>, bhsd) -> (tensor<2x7x6x4xf64>, bshd)
  return %o : tensor<2x7x6x4xf64>
}

// CHECK-LABEL: func.func @every_clause
// CHECK: mask<causal, window<3, 0>> align(end) scale(1.250000e-01)
// CHECK-SAME: lengths(%{{.+}} : tensor<?xi64>) query_offset(%{{.+}} : tensor<?xi64>)
// CHECK-SAME: origin(%[[ZERO:.+]], %[[ZERO]], %{{.+}}, %[[ZERO]]) {note = "kept"}
// CHECK-SAME: outs(%{{.+}} : tensor<2x7x6x4xf32>, lse %{{.+}} : tensor<2x6x7xf32>) ->
// CHECK-SAME: (tensor<2x7x6x4xf32>, bshd, lse tensor<2x6x7xf32>)
func.func @every_clause(%q: tensor<2x6x7x5xf32>, %k: tensor<2x11x3x5xf32>, %v: tensor<4x3x11x2xf32>, %lengths: tensor<?xi64>,
                        %offset: tensor<?xi64>, %i0: index, %oi: tensor<2x7x6x4xf32>, %li: tensor<2x6x7xf32>)
    -> (tensor<2x7x6x4xf32>, tensor<2x6x7xf32>) {
  %zero = arith.constant 0 : index
  %o, %lse = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x11x3x5xf32>, bshd)
    value(%v : tensor<4x3x11x2xf32>, dhsb) mask<causal, window<3, 0>> align(end) scale(0.125) lengths(%lengths : tensor<?xi64>)
    query_offset(%offset : tensor<?xi64>) origin(%zero, %zero, %i0, %zero) {note = "kept"}
    outs(%oi : tensor<2x7x6x4xf32>, lse %li : tensor<2x6x7xf32>) -> (tensor<2x7x6x4xf32>, bshd, lse tensor<2x6x7xf32>)
  return %o, %lse : tensor<2x7x6x4xf32>, tensor<2x6x7xf32>
}

// CHECK-LABEL: func.func @alignments
// CHECK: mask<causal> align(top_left) ->
// CHECK: mask<causal> align(bottom_right) ->
// CHECK: mask<window<2, 1>> align(explicit) query_offset(%{{.+}} : i64) ->
// CHECK: mask<window<2, 1>> align(end) query_offset(%{{.+}} : index) ->
func.func @alignments(%q: tensor<?x?x?x?xf32>, %i: i64, %x: index) {
  %0 = mha.attention query(%q : tensor<?x?x?x?xf32>, bhsd) key(%q : tensor<?x?x?x?xf32>, bhsd) value(%q : tensor<?x?x?x?xf32>, bhsd)
    mask<causal> align(top_left) -> tensor<?x?x?x?xf32>
  %1 = mha.attention query(%q : tensor<?x?x?x?xf32>, bhsd) key(%q : tensor<?x?x?x?xf32>, bhsd) value(%q : tensor<?x?x?x?xf32>, bhsd)
    mask<causal> align(bottom_right) -> tensor<?x?x?x?xf32>
  %2 = mha.attention query(%q : tensor<?x?x?x?xf32>, bhsd) key(%q : tensor<?x?x?x?xf32>, bhsd) value(%q : tensor<?x?x?x?xf32>, bhsd)
    mask<window<2, 1>> align(explicit) query_offset(%i : i64) -> tensor<?x?x?x?xf32>
  %3 = mha.attention query(%q : tensor<?x?x?x?xf32>, bhsd) key(%q : tensor<?x?x?x?xf32>, bhsd) value(%q : tensor<?x?x?x?xf32>, bhsd)
    mask<window<2, 1>> align(end) query_offset(%x : index) -> tensor<?x?x?x?xf32>
  return
}

// On memrefs the layout of the output stands in `outs`.
// CHECK-LABEL: func.func @memrefs
// CHECK: mha.attention query(%{{.+}} : memref<2x6x7x5xf32>, bhsd)
// CHECK-SAME: lengths(%{{.+}} : memref<2xi64>) outs(%{{.+}} : memref<2x7x6x4xf32>, bshd, lse %{{.+}} : memref<2x6x7xf32>){{$}}
func.func @memrefs(%q: memref<2x6x7x5xf32>, %k: memref<2x3x11x5xf32>, %v: memref<2x3x11x4xf32>, %len: memref<2xi64>,
                   %o: memref<2x7x6x4xf32>, %lse: memref<2x6x7xf32>) {
  mha.attention query(%q : memref<2x6x7x5xf32>, bhsd) key(%k : memref<2x3x11x5xf32>, bhsd) value(%v : memref<2x3x11x4xf32>, bhsd)
    lengths(%len : memref<2xi64>) outs(%o : memref<2x7x6x4xf32>, bshd, lse %lse : memref<2x6x7xf32>)
  return
}

// Empty sizes are sizes.
// CHECK-LABEL: func.func @empty
// CHECK: -> tensor<0x6x0x0xf32>
func.func @empty(%q: tensor<0x6x0x5xf32>, %k: tensor<0x3x0x5xf32>, %v: tensor<0x3x0x0xf32>) -> tensor<0x6x0x0xf32> {
  %o = mha.attention query(%q : tensor<0x6x0x5xf32>, bhsd) key(%k : tensor<0x3x0x5xf32>, bhsd) value(%v : tensor<0x3x0x0xf32>, bhsd)
    mask<causal> -> tensor<0x6x0x0xf32>
  return %o : tensor<0x6x0x0xf32>
}

// Attributes on their own.
// CHECK-LABEL: func.func @attributes
// CHECK-SAME: #mha.align<bottom_right>
// CHECK-SAME: #mha.bias<alibi>
// CHECK-SAME: #mha.bias<relative, origin = 7>
// CHECK-SAME: #mha.layout<bkgsd>
// CHECK-SAME: #mha.mask<causal>
// CHECK-SAME: #mha.mask<window<3, 0>>
func.func @attributes() attributes {
    a = #mha.align<bottom_right>, b = #mha.bias<alibi>, c = #mha.bias<relative, origin = 7>, d = #mha.layout<bkgsd>,
    e = #mha.mask<causal>, f = #mha.mask<window<3, 0>>} {
  return
}
