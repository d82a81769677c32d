// RUN: mha-opt %s --convert-mha-to-linalg=free-temporaries | FileCheck %s
// RUN: mha-opt %s --convert-mha-to-linalg | FileCheck %s --check-prefix=KEPT

// Behind the deallocation pipeline nobody else frees what the definition allocates; its destination is not its own.
// CHECK-LABEL: func.func @memrefs
// CHECK-SAME:    %[[O:[a-z0-9]+]]: memref<2x6x7x4xf32>)
// CHECK:         %[[SCORES:.+]] = memref.alloc() : memref<2x6x7x11xf32>
// CHECK:         %[[MAX:.+]] = memref.alloc() : memref<2x6x7xf32>
// CHECK:         %[[WEIGHTS:.+]] = memref.alloc() : memref<2x6x7x11xf32>
// CHECK:         %[[SUM:.+]] = memref.alloc() : memref<2x6x7xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[MAX]], %[[SUM]] : {{.*}}) outs(%[[O]] :
// CHECK:           linalg.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    memref.dealloc %[[SCORES]]
// CHECK-NEXT:    memref.dealloc %[[MAX]]
// CHECK-NEXT:    memref.dealloc %[[WEIGHTS]]
// CHECK-NEXT:    memref.dealloc %[[SUM]]
// CHECK-NEXT:    return
// KEPT-NOT:      dealloc
func.func @memrefs(%q: memref<2x6x7x5xf32>, %k: memref<2x3x11x5xf32>, %v: memref<2x3x11x4xf32>, %o: memref<2x6x7x4xf32>) {
  mha.attention query(%q : memref<2x6x7x5xf32>, bhsd) key(%k : memref<2x3x11x5xf32>, bhsd) value(%v : memref<2x3x11x4xf32>, bhsd)
    outs(%o : memref<2x6x7x4xf32>)
  return
}

// Tensors have nothing to free.
// CHECK-LABEL: func.func @tensors
// CHECK-NOT:     dealloc
func.func @tensors(%q: tensor<2x6x7x5xf32>) -> tensor<2x6x7x5xf32> {
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%q : tensor<2x6x7x5xf32>, bhsd) value(%q : tensor<2x6x7x5xf32>, bhsd)
    -> tensor<2x6x7x5xf32>
  return %o : tensor<2x6x7x5xf32>
}
