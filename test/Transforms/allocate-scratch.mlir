// RUN: mha-opt %s --mha-allocate-scratch | FileCheck %s

// A buffer lives until the end of its block: of an item, or of a loop inside of it.
// CHECK-LABEL: func.func @item
// CHECK:         scf.forall
// CHECK-NEXT:      %[[A:.+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT:      memref.store %{{.+}}, %[[A]]
// CHECK-NEXT:      scf.for
// CHECK-NEXT:        %[[B:.+]] = memref.alloc() : memref<2x3xf32>
// CHECK-NEXT:        memref.store %{{.+}}, %[[B]]
// CHECK-NEXT:        memref.dealloc %[[B]]
// CHECK-NEXT:      }
// CHECK-NEXT:      memref.dealloc %[[A]]
// CHECK-NEXT:    }
func.func @item(%x: f32, %c: index, %n: index) {
  scf.forall (%i) in (%n) {
    %a = mha.scratch : memref<4xf32>
    memref.store %x, %a[%c] : memref<4xf32>
    scf.for %j = %c to %n step %n {
      %b = mha.scratch : memref<2x3xf32>
      memref.store %x, %b[%c, %c] : memref<2x3xf32>
    }
  } {mapping = [#mha.item<0>]}
  return
}

// Nothing of it is in a workspace.
// CHECK-LABEL: func.func @size
// CHECK-NEXT:    %[[ZERO:.+]] = arith.constant 0 : i64
// CHECK-NEXT:    return %[[ZERO]]
func.func @size() -> i64 {
  %bytes = mha.scratch_size : i64
  return %bytes : i64
}

// Other buffers are none of its business.
// CHECK-LABEL: func.func @others
// CHECK-NEXT:    memref.alloca()
// CHECK-NEXT:    memref.alloc()
// CHECK-NEXT:    return
func.func @others() -> (memref<2xf32>, memref<3xf32>) {
  %a = memref.alloca() : memref<2xf32>
  %b = memref.alloc() : memref<3xf32>
  return %a, %b : memref<2xf32>, memref<3xf32>
}
