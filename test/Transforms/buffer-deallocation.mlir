// RUN: mha-opt %s --buffer-deallocation-pipeline --convert-bufferization-to-memref --canonicalize | FileCheck %s

// Upstream's deallocation with the model of mha.attention: a buffer lives until the attention that reads or fills it is done,
// and one that is returned lives on.
// CHECK-LABEL: func.func @freed
// CHECK:         %[[K:.+]] = memref.alloc() : memref<1x2x3x4xf32>
// CHECK:         %[[O:.+]] = memref.alloc() : memref<1x2x3x4xf32>
// CHECK:         %[[L:.+]] = memref.alloc() : memref<1x2x3xf32>
// CHECK:         mha.attention {{.+}} key(%[[K]] {{.+}} outs(%[[O]] : {{.+}}, lse %[[L]] : {{.+}})
// CHECK-NOT:     dealloc %[[O]]
// CHECK-DAG:     memref.dealloc %[[K]]
// CHECK-DAG:     memref.dealloc %[[L]]
// CHECK-NOT:     dealloc %[[O]]
// CHECK:         return %[[O]]
func.func @freed(%q: memref<1x2x3x4xf32>) -> memref<1x2x3x4xf32> {
  %k = memref.alloc() : memref<1x2x3x4xf32>
  memref.copy %q, %k : memref<1x2x3x4xf32> to memref<1x2x3x4xf32>
  %o = memref.alloc() : memref<1x2x3x4xf32>
  %l = memref.alloc() : memref<1x2x3xf32>
  mha.attention query(%q : memref<1x2x3x4xf32>, bhsd) key(%k : memref<1x2x3x4xf32>, bhsd) value(%q : memref<1x2x3x4xf32>, bhsd)
    outs(%o : memref<1x2x3x4xf32>, lse %l : memref<1x2x3xf32>)
  return %o : memref<1x2x3x4xf32>
}

// CHECK-LABEL: func.func @loop
// CHECK:         scf.for
// CHECK:           %[[O:.+]] = memref.alloc() : memref<1x2x3x4xf32>
// CHECK:           mha.attention {{.+}} outs(%[[O]] :
// CHECK:           memref.dealloc
// CHECK:           scf.yield %[[O]]
// CHECK:         memref.dealloc
func.func @loop(%q: memref<1x2x3x4xf32>, %out: memref<1x2x3x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.alloc() : memref<1x2x3x4xf32>
  memref.copy %q, %first : memref<1x2x3x4xf32> to memref<1x2x3x4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %first) -> memref<1x2x3x4xf32> {
    %o = memref.alloc() : memref<1x2x3x4xf32>
    mha.attention query(%x : memref<1x2x3x4xf32>, bhsd) key(%x : memref<1x2x3x4xf32>, bhsd) value(%x : memref<1x2x3x4xf32>, bhsd)
      outs(%o : memref<1x2x3x4xf32>)
    scf.yield %o : memref<1x2x3x4xf32>
  }
  memref.copy %r, %out : memref<1x2x3x4xf32> to memref<1x2x3x4xf32>
  return
}

// On tensors it has nothing to do with buffers.
// CHECK-LABEL: func.func @tensors
// CHECK:         mha.attention
func.func @tensors(%q: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %o = mha.attention query(%q : tensor<1x2x3x4xf32>, bhsd) key(%q : tensor<1x2x3x4xf32>, bhsd) value(%q : tensor<1x2x3x4xf32>, bhsd)
    -> tensor<1x2x3x4xf32>
  return %o : tensor<1x2x3x4xf32>
}

// Scratch memory is the worker's, nobody frees it.
// CHECK-LABEL: func.func @scratch
// CHECK:         mha.scratch
// CHECK-NOT:     dealloc
// CHECK:         return
func.func @scratch(%out: memref<4xf32>, %x: f32, %i: index, %n: index) {
  scf.forall (%item) in (%n) {
    %s = mha.scratch : memref<4xf32>
    memref.store %x, %s[%i] : memref<4xf32>
    memref.copy %s, %out : memref<4xf32> to memref<4xf32>
  } {mapping = [#mha.item<0>]}
  return
}
