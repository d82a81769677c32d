// RUN: mha-opt %s --mha-wrap-entry-points --split-input-file | FileCheck %s
// RUN: mha-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(mha-wrap-entry-points,inline,symbol-dce,canonicalize,cse)' \
// RUN:   | FileCheck %s --check-prefix=INLINED

// Static sizes: nothing to check, nothing to ask for a shape.
// CHECK-LABEL: func.func private @static_status
// CHECK-NEXT: %c0_i32 = arith.constant 0 : i32
// CHECK-NEXT: return %c0_i32
// CHECK-LABEL: func.func @static
// CHECK-SAME: (%[[Q:.+]]: tensor<2x6x7x5xf32> {bufferization.writable = false, mha.name = "query"},
// CHECK-SAME: %[[N:[a-z0-9]+]]: i32,
// CHECK-SAME: %[[OUT:.+]]: memref<2x6x7x5xf32, strided<[?, ?, ?, ?], offset: ?>>,
// CHECK-SAME: %[[SCALAR:.+]]: memref<i32, strided<[], offset: ?>>,
// CHECK-SAME: %{{.+}}: !llvm.ptr {mha.workspace}, %{{.+}}: i64 {mha.workspace_bytes}, %{{.+}}: i32 {mha.threads}) -> i32 attributes {llvm.emit_c_interface,
// CHECK-SAME: mha.entry_type = (tensor<2x6x7x5xf32>, i32) -> (tensor<2x6x7x5xf32>, i32), other.note = "kept"}
// CHECK: %[[SIZES:.+]] = call @static_status(%[[Q]], %[[N]])
// CHECK: %[[STATUS:.+]] = arith.select %{{.+}}, %{{.+}}, %[[SIZES]] : i32
// CHECK: scf.if
// CHECK: %[[R:.+]]:2 = func.call @static_body(%[[Q]], %[[N]])
// CHECK: bufferization.materialize_in_destination %[[R]]#0 in restrict writable %[[OUT]]
// CHECK: %[[T:.+]] = tensor.from_elements %[[R]]#1 : tensor<i32>
// CHECK: bufferization.materialize_in_destination %[[T]] in restrict writable %[[SCALAR]]
// CHECK: return %[[STATUS]] : i32
// CHECK-NOT: _shape
// CHECK: func.func @static_workspace(%{{.+}}: i32) -> i64 attributes {llvm.emit_c_interface}
// CHECK: func.func private @static_body(%{{.+}}: tensor<2x6x7x5xf32> {mha.name = "query"}, %{{.+}}: i32)

// INLINED-LABEL: func.func @static
// INLINED: scf.if
// INLINED: mha.attention
func.func @static(%q: tensor<2x6x7x5xf32> {mha.name = "query"}, %n: i32) -> (tensor<2x6x7x5xf32>, i32)
    attributes {other.note = "kept"} {
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%q : tensor<2x6x7x5xf32>, bhsd) value(%q : tensor<2x6x7x5xf32>, bhsd)
    -> tensor<2x6x7x5xf32>
  return %o, %n : tensor<2x6x7x5xf32>, i32
}

// -----

// Sizes of the result are found without computing the result: no attention in the shape function.
// CHECK-LABEL: func.func private @dynamic_sizes
// CHECK-NOT: mha.attention
// CHECK: return
// CHECK-LABEL: func.func @dynamic(
// CHECK: func.func @dynamic_shape(%{{.+}}: tensor<?x6x?x5xf32> {{{.*}}}, %{{.+}}: tensor<?x3x?x5xf32> {{{.*}}},
// CHECK-SAME: %{{.+}}: memref<2xi64, strided<[?], offset: ?>>) -> i32
// CHECK: func.func @dynamic_workspace(%{{.+}}: i64, %{{.+}}: i64, %{{.+}}: i64, %{{.+}}: i64, %{{.+}}: i32) -> i64

// INLINED-LABEL: func.func @dynamic(
// INLINED-SAME: %[[Q:[a-z0-9]+]]: tensor<?x6x?x5xf32> {{{.*}}}, %[[K:[a-z0-9]+]]: tensor<?x3x?x5xf32>
// INLINED-DAG: %[[BQ:.+]] = tensor.dim %[[Q]], %c0
// INLINED-DAG: %[[BK:.+]] = tensor.dim %[[K]], %c0
// INLINED: arith.cmpi eq, %[[BQ]], %[[BK]]
// INLINED: scf.if
// INLINED-NEXT: mha.attention
// INLINED-LABEL: func.func @dynamic_shape(
// INLINED-NOT: mha.attention
// INLINED: scf.if
// INLINED: memref.store
// INLINED: memref.store
func.func @dynamic(%q: tensor<?x6x?x5xf32>, %k: tensor<?x3x?x5xf32>) -> tensor<?x?x6x5xf32> {
  %o = mha.attention query(%q : tensor<?x6x?x5xf32>, bhsd) key(%k : tensor<?x3x?x5xf32>, bhsd) value(%k : tensor<?x3x?x5xf32>, bhsd)
    -> (tensor<?x?x6x5xf32>, bshd)
  return %o : tensor<?x?x6x5xf32>
}

// -----

// A donated argument takes its result, for which there is no out-parameter: a tensor that the caller may lose, in which the
// result is written; where the status is not 0 it is left alone. Its sizes have to be those of the result. Nobody else than
// the entry point writes it.
// CHECK-LABEL: func.func @donated(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x5xf32> {bufferization.writable = true, mha.donated = 1 : i64},
// CHECK-SAME: %[[Y:[a-z0-9]+]]: tensor<?x5xf32> {bufferization.writable = false},
// CHECK-SAME: %[[OUT:[a-z0-9]+]]: memref<?x5xf32, strided<[?, ?], offset: ?>>,
// CHECK-SAME: %{{[a-z0-9]+}}: !llvm.ptr {mha.workspace}, %{{.+}}) -> (i32, tensor<?x5xf32>)
// CHECK: call @donated_sizes
// CHECK-DAG: memref.dim %[[OUT]]
// CHECK-DAG: tensor.dim %[[X]]
// CHECK: %[[R:.+]] = scf.if
// CHECK: %[[BODY:.+]]:2 = func.call @donated_body(%[[X]], %[[Y]])
// CHECK: bufferization.materialize_in_destination %[[BODY]]#0 in restrict writable %[[OUT]]
// CHECK: %[[IN:.+]] = bufferization.materialize_in_destination %[[BODY]]#1 in %[[X]]
// CHECK: scf.yield %[[IN]]
// CHECK: } else {
// CHECK: scf.yield %[[X]]
// CHECK: return %{{.+}}, %[[R]]
// CHECK: func.func @donated_shape(%{{.+}}: tensor<?x5xf32> {bufferization.writable = false}, %{{.+}}: tensor<?x5xf32> {bufferization.writable = false}
// CHECK: func.func private @donated_body(%{{[a-z0-9]+}}: tensor<?x5xf32>, %{{[a-z0-9]+}}: tensor<?x5xf32>)
func.func @donated(%x: tensor<?x5xf32> {mha.donated = 1 : i64}, %y: tensor<?x5xf32>) -> (tensor<?x5xf32>, tensor<?x5xf32>) {
  %sum = arith.addf %x, %y : tensor<?x5xf32>
  return %y, %sum : tensor<?x5xf32>, tensor<?x5xf32>
}

// -----

// Each condition has a status of its own: 4 no heads, 2 not a multiple, 3 no head size, 5 wrong out-parameter.
// INLINED-LABEL: func.func @heads(
// INLINED-DAG: %c4_i32 = arith.constant 4 : i32
// INLINED-DAG: %c2_i32 = arith.constant 2 : i32
// INLINED-DAG: %c3_i32 = arith.constant 3 : i32
// INLINED-DAG: %c5_i32 = arith.constant 5 : i32
// INLINED: arith.remsi
func.func @heads(%q: tensor<2x?x7x?xf32>, %k: tensor<2x?x11x?xf32>) -> tensor<2x?x7x?xf32> {
  %o = mha.attention query(%q : tensor<2x?x7x?xf32>, bhsd) key(%k : tensor<2x?x11x?xf32>, bhsd) value(%k : tensor<2x?x11x?xf32>, bhsd)
    -> tensor<2x?x7x?xf32>
  return %o : tensor<2x?x7x?xf32>
}

// -----

// An explicit scale needs no head size: near miss of status 3.
// INLINED-LABEL: func.func @explicit_scale(
// INLINED-NOT: arith.constant 3 : i32
// INLINED: mha.attention
func.func @explicit_scale(%q: tensor<2x6x7x?xf32>) -> tensor<2x6x7x?xf32> {
  %o = mha.attention query(%q : tensor<2x6x7x?xf32>, bhsd) key(%q : tensor<2x6x7x?xf32>, bhsd) value(%q : tensor<2x6x7x?xf32>, bhsd)
    scale(0.5) -> tensor<2x6x7x?xf32>
  return %o : tensor<2x6x7x?xf32>
}

// -----

// Linalg ops and casts have conditions as well.
// INLINED-LABEL: func.func @linalg(
// INLINED-SAME: %[[A:[a-z0-9]+]]: tensor<?x?xf32> {{{.*}}}, %[[B:[a-z0-9]+]]: tensor<?x5xf32>
// INLINED-DAG: %[[N:.+]] = tensor.dim %[[A]], %c1
// INLINED-DAG: %[[M:.+]] = tensor.dim %[[B]], %c0
// INLINED: arith.cmpi eq, %[[N]], %[[M]]
// INLINED: arith.cmpi {{eq|ne}}, %{{.+}}, %c3
func.func @linalg(%a: tensor<?x?xf32>, %b: tensor<?x5xf32>) -> tensor<3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %a, %c0 : tensor<?x?xf32>
  %empty = tensor.empty(%rows) : tensor<?x5xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x5xf32>) -> tensor<?x5xf32>
  %c = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x5xf32>) outs(%init : tensor<?x5xf32>) -> tensor<?x5xf32>
  %r = tensor.cast %c : tensor<?x5xf32> to tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

// -----

// A call inside the module keeps calling the function on tensors; private functions stay as they are.
// CHECK-LABEL: func.func @callee(
// CHECK: func.func private @callee_body
// CHECK-LABEL: func.func @caller(
// CHECK: func.func private @caller_body
// CHECK: call @callee_body
// CHECK: func.func private @inside(%{{.+}}: tensor<3xf32>) -> tensor<3xf32>
func.func @callee(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func @caller(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = call @callee(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %z = call @inside(%y) : (tensor<3xf32>) -> tensor<3xf32>
  return %z : tensor<3xf32>
}
func.func private @inside(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}

// -----

// Static sizes inside control flow need no check.
// CHECK-LABEL: func.func @nested_static(
func.func @nested_static(%q: tensor<2x6x7x5xf32>, %again: i1) -> tensor<2x6x7x5xf32> {
  %o = scf.if %again -> tensor<2x6x7x5xf32> {
    %a = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%q : tensor<2x6x7x5xf32>, bhsd) value(%q : tensor<2x6x7x5xf32>, bhsd)
      -> tensor<2x6x7x5xf32>
    scf.yield %a : tensor<2x6x7x5xf32>
  } else {
    scf.yield %q : tensor<2x6x7x5xf32>
  }
  return %o : tensor<2x6x7x5xf32>
}

// -----

// Several blocks: the body stays a function, and so does what it returns.
// CHECK-LABEL: func.func private @blocks_status
// CHECK: %[[OK:.+]] = arith.constant 0 : i32
// CHECK: return %[[OK]]
// CHECK-LABEL: func.func @blocks(
// CHECK: call @blocks_body
func.func @blocks(%x: tensor<3xf32>, %c: i1) -> tensor<3xf32> {
  cf.cond_br %c, ^a, ^b
^a:
  return %x : tensor<3xf32>
^b:
  %y = arith.addf %x, %x : tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

// Side effects of the body do not happen once more while sizes are being told.
// CHECK-LABEL: func.func private @effects_status
// CHECK-NOT: memref.
// CHECK: return
// CHECK-LABEL: func.func private @effects_sizes
// CHECK-NOT: memref.
// CHECK: return
// CHECK-LABEL: func.func private @effects_body
// CHECK: memref.store
func.func @effects(%q: tensor<?x6x7x5xf32>) -> tensor<?x6x7x5xf32> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %q, %c0 : tensor<?x6x7x5xf32>
  %m = memref.alloc(%n) : memref<?x6x7x5xf32>
  memref.store %one, %m[%c0, %c0, %c0, %c0] : memref<?x6x7x5xf32>
  %t = bufferization.to_tensor %m restrict : memref<?x6x7x5xf32> to tensor<?x6x7x5xf32>
  %o = mha.attention query(%q : tensor<?x6x7x5xf32>, bhsd) key(%t : tensor<?x6x7x5xf32>, bhsd) value(%t : tensor<?x6x7x5xf32>, bhsd)
    -> tensor<?x6x7x5xf32>
  return %o : tensor<?x6x7x5xf32>
}

// -----

// Computed indices of a convolution stay inside: the last one is compared with the size, unless there is none.
// INLINED-LABEL: func.func @convolution(
// INLINED-SAME: %[[A:[a-z0-9]+]]: tensor<?xf32> {{{.*}}}, %[[B:[a-z0-9]+]]: tensor<?xf32> {{{.*}}}, %[[C:[a-z0-9]+]]: tensor<?xf32>
// INLINED-DAG: %[[SIZE:.+]] = tensor.dim %[[A]], %c0
// INLINED-DAG: %[[OFB:.+]] = tensor.dim %[[B]], %c0
// INLINED-DAG: %[[OFC:.+]] = tensor.dim %[[C]], %c0
// INLINED-DAG: %[[LASTB:.+]] = arith.subi %[[OFB]], %c1
// INLINED-DAG: %[[LASTC:.+]] = arith.subi %[[OFC]], %c1
// INLINED: %[[LAST:.+]] = arith.addi %[[LASTC]], %[[LASTB]]
// INLINED: arith.cmpi {{slt|sge}}, %[[LAST]], %[[SIZE]]
// INLINED-DAG: arith.cmpi eq, %[[OFB]], %c0
// INLINED-DAG: arith.cmpi eq, %[[OFC]], %c0
func.func @convolution(%a: tensor<?xf32>, %b: tensor<?xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  %o = linalg.conv_1d ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%init : tensor<?xf32>) -> tensor<?xf32>
  return %o : tensor<?xf32>
}

// -----

// An expanded shape has as many elements as before, and not so many more that the product wraps round to them.
// INLINED-LABEL: func.func @reshape(
// INLINED: %[[LOW:.+]], %[[HIGH:.+]] = arith.mului_extended
// INLINED-DAG: arith.cmpi {{eq|ne}}, %[[HIGH]], %{{.+}} : i64
// INLINED-DAG: arith.cmpi {{eq|ne}}, %[[LOW]], %{{.+}} : i64
func.func @reshape(%a: tensor<?xf32>, %n: index, %m: index) -> tensor<?x?xf32> {
  %o = tensor.expand_shape %a [[0, 1]] output_shape [%n, %m] : tensor<?xf32> into tensor<?x?xf32>
  return %o : tensor<?x?xf32>
}

// -----

// Lengths of a tile are those of the whole problem: the tile's batch entries must be among them.
// INLINED-LABEL: func.func @tile(
// INLINED-SAME: %[[LEN:[a-z0-9]+]]: tensor<?xi64> {{{.*}}}, %[[B0:[a-z0-9]+]]: index
// INLINED: arith.cmpi {{sge|slt}}, %[[B0]], %c0
// INLINED: %[[LAST:.+]] = arith.subi %{{.+}}, %c2
// INLINED: arith.cmpi {{sle|sgt}}, %[[B0]], %[[LAST]]
func.func @tile(%q: tensor<2x6x7x5xf32>, %len: tensor<?xi64>, %b0: index) -> tensor<2x6x7x5xf32> {
  %c0 = arith.constant 0 : index
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%q : tensor<2x6x7x5xf32>, bhsd) value(%q : tensor<2x6x7x5xf32>, bhsd)
    lengths(%len : tensor<?xi64>) origin(%b0, %c0, %c0, %c0) -> tensor<2x6x7x5xf32>
  return %o : tensor<2x6x7x5xf32>
}

// -----

// The layout that a body would like for its buffer is no promise of the caller's.
// CHECK-LABEL: func.func @layout(
// CHECK-NOT: buffer_layout
// CHECK-SAME: -> i32
func.func @layout(%a: tensor<3xf32> {bufferization.buffer_layout = affine_map<(d0) -> (d0)>}) -> tensor<3xf32> {
  return %a : tensor<3xf32>
}
