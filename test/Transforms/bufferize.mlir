// RUN: mha-opt %s --split-input-file --mha-bufferize --canonicalize | FileCheck %s

// What a caller outside of the module passes is copied before it is written; strides and offsets are anybody's.
// CHECK-LABEL: func.func @public
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: memref<3x5xf32, strided<[?, ?], offset: ?>>, %{{.+}}) -> memref<3x5xf32, strided<[?, ?], offset: ?>> {
// CHECK:         %[[NEW:.+]] = memref.alloc() {{.*}} : memref<3x5xf32>
// CHECK:         memref.copy %[[X]], %[[NEW]]
// CHECK:         memref.store %{{.+}}, %[[NEW]]
// CHECK:         %[[R:.+]] = memref.cast %[[NEW]]
// CHECK:         return %[[R]]
func.func @public(%x: tensor<3x5xf32>, %v: f32, %i: index) -> tensor<3x5xf32> {
  %0 = tensor.insert %v into %x[%i, %i] : tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

// An argument that may be written says so. No attribute of bufferization stays.
// CHECK-LABEL: func.func @writable
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: memref<3xf32, strided<[?], offset: ?>>, %[[Y:[a-z0-9]+]]: memref<3xf32, strided<[?], offset: ?>> {mha.name = "y"}, %{{[^{}]+}})
// CHECK-NOT:     memref.copy
// CHECK:         memref.store %{{.+}}, %[[X]]
// CHECK-NOT:     bufferization.
func.func @writable(%x: tensor<3xf32> {bufferization.writable = true}, %y: tensor<3xf32> {mha.name = "y"}, %v: f32, %i: index) -> tensor<3xf32> {
  %0 = tensor.insert %v into %x[%i] : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// Nor does one of a declaration.
// CHECK:     func.func private @reader(memref<3xf32>)
// CHECK:     func.func @reads(%[[X:[a-z0-9]+]]: memref<3xf32>) {
// CHECK-NOT: memref.copy
// CHECK:     call @reader(%[[X]])
func.func private @reader(tensor<3xf32> {bufferization.access = "read", bufferization.buffer_layout = affine_map<(d0) -> (d0)>})
func.func @reads(%x: tensor<3xf32> {bufferization.access = "read", bufferization.buffer_layout = affine_map<(d0) -> (d0)>}) {
  call @reader(%x) : (tensor<3xf32>) -> ()
  return
}

// -----

// A private function writes what it is passed. Its caller, the only one to know, copies what it needs afterwards.
// CHECK-LABEL: func.func private @callee
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: memref<3xf32, strided<[?], offset: ?>>, %{{.+}}) -> memref<3xf32, strided<[?], offset: ?>> {
// CHECK-NOT:     memref.copy
// CHECK:         memref.store %{{.+}}, %[[X]]
// CHECK:         return %[[X]]
func.func private @callee(%x: tensor<3xf32>, %v: f32, %i: index) -> tensor<3xf32> {
  %0 = tensor.insert %v into %x[%i] : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @caller
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: memref
// CHECK:         memref.copy %[[X]], %[[NEW:.+]] :
// CHECK:         %[[CAST:.+]] = memref.cast %[[NEW]]
// CHECK:         %[[Y:.+]] = call @callee(%[[CAST]]
func.func @caller(%x: tensor<3xf32>, %v: f32, %i: index) -> f32 {
  %0 = call @callee(%x, %v, %i) : (tensor<3xf32>, f32, index) -> tensor<3xf32>
  %1 = call @callee(%0, %v, %i) : (tensor<3xf32>, f32, index) -> tensor<3xf32>
  %2 = tensor.extract %1[%i] : tensor<3xf32>
  %3 = tensor.extract %x[%i] : tensor<3xf32>
  %4 = arith.addf %2, %3 : f32
  return %4 : f32
}

// -----

// Views of one tensor pass a call as views.
// CHECK-LABEL: func.func private @attend
// CHECK-SAME:    (%[[Q:[a-z0-9]+]]: memref<1x?x8x64xf32, strided<[?, ?, ?, ?], offset: ?>>, %[[K:[a-z0-9]+]]:
// CHECK:         %[[O:.+]] = memref.alloc(%{{.+}}) {{.*}} : memref<1x?x8x64xf32>
// CHECK:         mha.attention query(%[[Q]] : {{.+}}) key(%[[K]] : {{.+}} outs(%[[O]] :
func.func private @attend(%q: tensor<1x?x8x64xf32>, %k: tensor<1x?x2x64xf32>) -> tensor<1x?x8x64xf32> {
  %o = mha.attention query(%q : tensor<1x?x8x64xf32>, bshd) key(%k : tensor<1x?x2x64xf32>, bshd)
    value(%k : tensor<1x?x2x64xf32>, bshd) -> tensor<1x?x8x64xf32>
  return %o : tensor<1x?x8x64xf32>
}

// CHECK-LABEL: func.func @packed
// CHECK-NOT:     memref.copy
// CHECK-NOT:     memref.alloc
// CHECK:         call @attend
func.func @packed(%p: tensor<?x640xf32>, %s: index) -> tensor<1x?x8x64xf32> {
  %q2 = tensor.extract_slice %p[0, 0] [%s, 512] [1, 1] : tensor<?x640xf32> to tensor<?x512xf32>
  %k2 = tensor.extract_slice %p[0, 512] [%s, 128] [1, 1] : tensor<?x640xf32> to tensor<?x128xf32>
  %q = tensor.expand_shape %q2 [[0, 1], [2, 3]] output_shape [1, %s, 8, 64] : tensor<?x512xf32> into tensor<1x?x8x64xf32>
  %k = tensor.expand_shape %k2 [[0, 1], [2, 3]] output_shape [1, %s, 2, 64] : tensor<?x128xf32> into tensor<1x?x2x64xf32>
  %o = call @attend(%q, %k) : (tensor<1x?x8x64xf32>, tensor<1x?x2x64xf32>) -> tensor<1x?x8x64xf32>
  return %o : tensor<1x?x8x64xf32>
}

// -----

// A loop that allocates what it carries.
// CHECK-LABEL: func.func @loop
// CHECK:         scf.for
// CHECK:           mha.attention
// CHECK:           scf.yield
func.func @loop(%x: tensor<1x2x3x4xf32>, %n: index) -> tensor<1x2x3x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> tensor<1x2x3x4xf32> {
    %o = mha.attention query(%y : tensor<1x2x3x4xf32>, bhsd) key(%y : tensor<1x2x3x4xf32>, bhsd)
      value(%y : tensor<1x2x3x4xf32>, bhsd) -> tensor<1x2x3x4xf32>
    scf.yield %o : tensor<1x2x3x4xf32>
  }
  return %r : tensor<1x2x3x4xf32>
}

// -----

// A wrapped entry point has its donated result in the argument: no result of the function, nothing to tell any more.
// CHECK-LABEL: func.func @donated
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: memref<3xf32, strided<[?], offset: ?>>, %{{[a-z0-9]+}}: index, %[[OK:[a-z0-9]+]]: i1) -> i32
// CHECK-NOT:     memref.copy
// CHECK:         scf.if %[[OK]]
// CHECK:           memref.store %{{.+}}, %[[X]]
// CHECK-NOT:     memref.copy
// CHECK:         return %{{[a-z0-9_]+}} : i32
func.func @donated(%x: tensor<3xf32> {bufferization.writable = true, mha.donated = 0 : i64}, %i: index, %ok: i1) -> (i32, tensor<3xf32>)
    attributes {mha.entry_type = (tensor<3xf32>, index, i1) -> tensor<3xf32>} {
  %status = arith.constant 0 : i32
  %v = arith.constant 2.5 : f32
  %r = scf.if %ok -> tensor<3xf32> {
    %0 = tensor.insert %v into %x[%i] : tensor<3xf32>
    %1 = bufferization.materialize_in_destination %0 in %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    scf.yield %1 : tensor<3xf32>
  } else {
    scf.yield %x : tensor<3xf32>
  }
  return %status, %r : i32, tensor<3xf32>
}

// -----

// From whichever block it returns.
// CHECK-LABEL: func.func @donated_in_blocks
// CHECK-SAME:    -> i32
// CHECK:         return %{{[a-z0-9_]+}} : i32
// CHECK:         return %{{[a-z0-9_]+}} : i32
func.func @donated_in_blocks(%x: tensor<3xf32> {bufferization.writable = true, mha.donated = 0 : i64}, %i: index, %c: i1) -> (i32, tensor<3xf32>)
    attributes {mha.entry_type = (tensor<3xf32>, index, i1) -> tensor<3xf32>} {
  %ok = arith.constant 0 : i32
  %no = arith.constant 1 : i32
  cf.cond_br %c, ^write, ^keep
^write:
  %v = arith.constant 2.5 : f32
  %0 = tensor.insert %v into %x[%i] : tensor<3xf32>
  return %ok, %0 : i32, tensor<3xf32>
^keep:
  return %no, %x : i32, tensor<3xf32>
}

// -----

// Without a wrapper nobody has promised to lose the argument, and its result is one as others.
// CHECK-LABEL: func.func @unwrapped
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: memref<3xf32, strided<[?], offset: ?>>, %{{[a-z0-9]+}}: index) -> memref<3xf32
// CHECK:         memref.copy %[[X]]
func.func @unwrapped(%x: tensor<3xf32> {mha.donated = 0 : i64}, %i: index) -> tensor<3xf32> {
  %v = arith.constant 2.5 : f32
  %0 = tensor.insert %v into %x[%i] : tensor<3xf32>
  return %0 : tensor<3xf32>
}
