// RUN: mha-opt %s --mha-outline-parallel | FileCheck %s

// Three buffers of one item, one behind the other from the first aligned byte of the worker's share on. Each begins at a multiple of 64
// bytes and takes whole pages and 17 lines: 60 bytes take 4096 + 1088 = 5184, 8200 bytes 12288 + 1088 = 13376, so that the third begins
// at 18560; 7 bytes take 5184 again. With the 64 bytes to align the first one a share is of 23808, a multiple of 64 itself.
// CHECK-LABEL: func.func private @buffers_item(
// CHECK-SAME: %[[WORKER:[a-z0-9]+]]: i32)
// CHECK: %[[ADDRESS:.+]] = llvm.ptrtoint %[[WS:.+]] : !llvm.ptr to i64
// CHECK: %[[NEGATIVE:.+]] = arith.subi %c0_i64, %[[ADDRESS]]
// CHECK: %[[SKIPPED:.+]] = arith.andi %[[NEGATIVE]], %c63_i64
// CHECK: %[[WIDE:.+]] = arith.extsi %[[WORKER]]
// CHECK: %[[SHARE:.+]] = arith.muli %[[WIDE]], %c23808_i64
// CHECK: %[[START:.+]] = arith.addi %[[SHARE]], %[[SKIPPED]]
// CHECK: %[[A0:.+]] = arith.addi %[[START]], %c0_i64
// CHECK: %[[A1:.+]] = llvm.getelementptr %[[WS]][%[[A0]]] : {{.*}}, i8
// CHECK: llvm.insertvalue %[[A1]], %{{.+}}[1]
// CHECK: %[[A:.+]] = builtin.unrealized_conversion_cast %{{.+}} to memref<3x5xf32>
// CHECK: %[[B0:.+]] = arith.addi %[[START]], %c5184_i64
// CHECK: %[[B1:.+]] = llvm.getelementptr %[[WS]][%[[B0]]] : {{.*}}, i8
// CHECK: llvm.insertvalue %[[B1]], %{{.+}}[1]
// CHECK: %[[B:.+]] = builtin.unrealized_conversion_cast %{{.+}} to memref<1025xf64>
// CHECK: %[[C0:.+]] = arith.addi %[[START]], %c18560_i64
// CHECK: %[[C1:.+]] = llvm.getelementptr %[[WS]][%[[C0]]] : {{.*}}, i8
// CHECK: llvm.insertvalue %[[C1]], %{{.+}}[1]
// CHECK: %[[C:.+]] = builtin.unrealized_conversion_cast %{{.+}} to memref<7xi8>
// CHECK: memref.store %{{.+}}, %[[C]][
// CHECK: memref.store %{{.+}}, %[[B]][
// CHECK: memref.store %{{.+}}, %[[A]][
func.func @buffers(%n: index, %x: f32, %y: f64, %w: i8) {
  scf.forall (%i, %j) in (%n, 3) {
    %a = mha.scratch : memref<3x5xf32>
    %b = mha.scratch : memref<1025xf64>
    %c = mha.scratch : memref<7xi8>
    memref.store %w, %c[%j] : memref<7xi8>
    memref.store %y, %b[%i] : memref<1025xf64>
    memref.store %x, %a[%j, %j] : memref<3x5xf32>
  } {mapping = [#mha.item<0>, #mha.item<1>]}
  return
}

// Two loops of one function share its workspace and threads, and each has a body and a context of its own. They run one after the other:
// a share is that of the larger one, wherever it stands.
// CHECK-LABEL: func.func @loops(
// CHECK-SAME: %[[N:[a-z0-9]+]]: index, %{{[a-z0-9]+}}: f32, %[[WS:[a-z0-9]+]]: !llvm.ptr {mha.workspace}, %[[T:[a-z0-9]+]]: i32 {mha.threads}) -> i64 {
// CHECK: %[[SEVEN:.+]] = arith.index_cast %c7{{.*}} : index to i64
// CHECK: %[[F0:.+]] = constant @[[FIRST:loops_item.*]] :
// CHECK: %[[A0:.+]] = builtin.unrealized_conversion_cast %[[F0]]
// CHECK: call @mha_parallel_for(%[[SEVEN]], %[[T]], %[[A0]], %[[CONTEXT:[a-z0-9]+]])
// CHECK-NOT: %[[CONTEXT]]
// CHECK: %[[COUNT:.+]] = arith.index_cast %[[N]] : index to i64
// CHECK: %[[F1:.+]] = constant @[[SECOND:loops_item.*]] :
// CHECK: %[[A1:.+]] = builtin.unrealized_conversion_cast %[[F1]]
// CHECK: call @mha_parallel_for(%[[COUNT]], %[[T]], %[[A1]],
// CHECK-NOT: scf.forall
// CHECK: %[[SHARE:.+]] = arith.constant 23808 : i64
// CHECK: return %[[SHARE]]
// CHECK: func.func private @[[SECOND]](
// CHECK: arith.muli %{{.+}}, %c23808_i64
// CHECK: memref.store %{{.+}} : memref<5xf32>
// CHECK: func.func private @[[FIRST]](
// CHECK-NOT: llvm.ptrtoint
// CHECK: memref.store %{{.+}} : memref<?xf32>
func.func @loops(%m: memref<?xf32>, %n: index, %x: f32) -> i64 {
  scf.forall (%i) in (7) {
    memref.store %x, %m[%i] : memref<?xf32>
  } {mapping = [#mha.item<0>]}
  scf.forall (%i) in (%n) {
    %s = mha.scratch : memref<5xf32>
    memref.store %x, %s[%i] : memref<5xf32>
  } {mapping = [#mha.item<0>]}
  %bytes = mha.scratch_size : i64
  return %bytes : i64
}

// A loop inside of an item that is over no items stays one; its scratch is its worker's. Around items, loops stay too, and the context is
// made once.
// CHECK-LABEL: func.func @nests(
// CHECK: llvm.alloca
// CHECK: scf.for
// CHECK-NOT: llvm.alloca
// CHECK: scf.forall
// CHECK-NOT: llvm.alloca
// CHECK: call @mha_parallel_for(
// CHECK: return
// CHECK: func.func private @nests_item(
// CHECK: %[[S:.+]] = builtin.unrealized_conversion_cast %{{.+}} to memref<5xf32>
// CHECK: scf.forall (%{{.+}}) in (%{{.+}}) {
// CHECK-NEXT: memref.store %{{.+}}, %[[S]][
func.func @nests(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    scf.forall (%l) in (%n) {
      scf.forall (%i) in (%n) {
        scf.forall (%j) in (%k) {
          %s = mha.scratch : memref<5xf32>
          memref.store %x, %s[%i] : memref<5xf32>
        }
      } {mapping = [#mha.item<0>]}
    }
  }
  return
}
