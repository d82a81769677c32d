// RUN: mha-opt %s --mha-outline-parallel | FileCheck %s
// RUN: mha-opt %s --mha-outline-parallel --mha-outline-parallel | FileCheck %s

// CHECK: func.func private @mha_parallel_for(i64, i32, !llvm.ptr, !llvm.ptr)

// What the body uses from outside travels in a struct; constants do not. The share of a worker is the footprint of its buffers: 3 x 5
// floats, a page and 17 lines, and room to align them.
// CHECK-LABEL: func.func @parallel(
// CHECK-SAME: %[[M:[a-z0-9]+]]: memref<?x?xf32>, %[[N:[a-z0-9]+]]: index, %[[X:[a-z0-9]+]]: f32, %[[WS:[a-z0-9]+]]: !llvm.ptr {mha.workspace}, %[[T:[a-z0-9]+]]: i32 {mha.threads})
// CHECK: %[[CTX:.+]] = llvm.alloca {{.*}} x !llvm.struct<(f32, struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>, i64, ptr)>
// CHECK: %[[ITEMS:.+]] = arith.muli %[[N]], %c3
// CHECK: %[[COUNT:.+]] = arith.index_cast %[[ITEMS]] : index to i64
// CHECK: %[[BODY:.+]] = constant @parallel_item
// CHECK: %[[ADDRESS:.+]] = builtin.unrealized_conversion_cast %[[BODY]]
// CHECK: call @mha_parallel_for(%[[COUNT]], %[[T]], %[[ADDRESS]], %[[CTX]])
// CHECK: %[[SIZE:.+]] = arith.constant 5248 : i64
// CHECK: return %[[SIZE]]
// CHECK-LABEL: func.func private @parallel_item(
// CHECK-SAME: %{{.+}}: !llvm.ptr, %[[ITEM:.+]]: i64, %[[WORKER:.+]]: i32)
// CHECK-SAME: llvm.linkage = #llvm.linkage<internal>
// The workspace of this worker, aligned.
// CHECK: %[[A:.+]] = llvm.ptrtoint %[[W:.+]] : !llvm.ptr to i64
// CHECK: arith.andi %{{.+}}, %c63
// CHECK: %[[WIDE:.+]] = arith.extsi %[[WORKER]]
// CHECK: arith.muli %[[WIDE]], %c5248
// CHECK: llvm.getelementptr %[[W]]
// Loop j moves slowest, from its last iteration on.
// CHECK: %[[I0:.+]] = arith.index_cast %[[ITEM]] : i64 to index
// CHECK: %[[I:.+]] = arith.remui %[[I0]], %[[N1:.+]] : index
// CHECK: %[[REST:.+]] = arith.divui %[[I0]], %[[N1]]
// CHECK: %[[J0:.+]] = arith.remui %[[REST]], %[[THREE:.+]] : index
// CHECK: %[[LAST:.+]] = arith.subi %{{.+}}, %{{.+}} : index
// CHECK: arith.subi %[[LAST]], %[[J0]] : index
// CHECK: memref.store
// CHECK-NOT: mha.scratch
// CHECK: return
func.func @parallel(%m: memref<?x?xf32>, %n: index, %x: f32) -> i64 {
  scf.forall (%i, %j) in (%n, 3) {
    %s = mha.scratch : memref<3x5xf32>
    memref.store %x, %s[%j, %j] : memref<3x5xf32>
    memref.store %x, %m[%i, %j] : memref<?x?xf32>
  } {mapping = [#mha.item<1>, #mha.item<0, descending>]}
  %bytes = mha.scratch_size : i64
  return %bytes : i64
}

// Callers pass workspace and threads down; one that has them passes its own, wherever they stand.
// CHECK-LABEL: func.func @caller(
// CHECK-SAME: %[[WS:[a-z0-9]+]]: !llvm.ptr {mha.workspace}, %[[T:[a-z0-9]+]]: i32 {mha.threads})
// CHECK: call @parallel(%{{.+}}, %{{.+}}, %{{.+}}, %[[WS]], %[[T]])
func.func @caller(%m: memref<?x?xf32>, %n: index, %x: f32) {
  func.call @parallel(%m, %n, %x) : (memref<?x?xf32>, index, f32) -> i64
  return
}
// CHECK-LABEL: func.func @has_them(
// CHECK-SAME: %[[T:[a-z0-9]+]]: i32 {mha.threads}, %[[WS:[a-z0-9]+]]: !llvm.ptr {mha.workspace}, %{{[a-z0-9]+}}: memref<?x?xf32>, %{{[a-z0-9]+}}: index, %{{[a-z0-9]+}}: f32)
// CHECK: call @caller(%{{.+}}, %{{.+}}, %{{.+}}, %[[WS]], %[[T]])
func.func @has_them(%t: i32 {mha.threads}, %w: !llvm.ptr {mha.workspace}, %m: memref<?x?xf32>, %n: index, %x: f32) {
  func.call @caller(%m, %n, %x) : (memref<?x?xf32>, index, f32) -> ()
  return
}

// Near misses: loops that are no items, functions that run none.
// CHECK-LABEL: func.func @no_items(%{{[a-z0-9]+}}: memref<?x?xf32>, %{{[a-z0-9]+}}: index, %{{[a-z0-9]+}}: f32) {
// CHECK: scf.forall
func.func @no_items(%m: memref<?x?xf32>, %n: index, %x: f32) {
  scf.forall (%i, %j) in (%n, 3) {
    memref.store %x, %m[%i, %j] : memref<?x?xf32>
  }
  return
}

// Names inside of a module inside are its own: callers, the runtime's function, and the share of its workers, 20000 bytes in 5 pages and 17
// lines, and 64 to align them.
// CHECK-LABEL: module @inside {
// CHECK: func.func private @mha_parallel_for(
// CHECK: func.func @parallel(%{{[a-z0-9]+}}: memref<?xf32>, %{{[a-z0-9]+}}: !llvm.ptr {mha.workspace}, %{{[a-z0-9]+}}: i32 {mha.threads}) {
// CHECK: constant @parallel_item :
// CHECK: func.func private @parallel_item(
// CHECK: arith.muli %{{.+}}, %c21632_i64
// CHECK: func.func @caller(%[[M:[a-z0-9]+]]: memref<?xf32>, %[[WS:[a-z0-9]+]]: !llvm.ptr {mha.workspace}, %[[T:[a-z0-9]+]]: i32 {mha.threads}) {
// CHECK: call @parallel(%[[M]], %[[WS]], %[[T]])
module @inside {
  func.func @parallel(%m: memref<?xf32>) {
    scf.forall (%i) in (7) {
      %s = mha.scratch : memref<5000xf32>
      %x = memref.load %m[%i] : memref<?xf32>
      memref.store %x, %s[%i] : memref<5000xf32>
    } {mapping = [#mha.item<0>]}
    return
  }
  func.func @caller(%m: memref<?xf32>) {
    func.call @parallel(%m) : (memref<?xf32>) -> ()
    return
  }
}
