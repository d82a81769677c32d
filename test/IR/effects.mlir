// RUN: mha-opt %s --split-input-file --affine-scalrep | FileCheck %s --check-prefix=STORES
// RUN: mha-opt %s --split-input-file --cse --canonicalize | FileCheck %s --check-prefix=CSE
// RUN: mha-opt %s --split-input-file --loop-invariant-code-motion | FileCheck %s --check-prefix=HOIST

// On memrefs the op reads its operands and writes its destinations. A store to an operand before it is not dead, even though
// the same place is stored to again after it.
// STORES-LABEL: func.func @reads
// STORES: affine.store %{{.+}}, %{{.+}}[0, 0, 0, 0] : memref<2x6x7x5xf32>
// STORES: affine.store %{{.+}}, %{{.+}}[0, 0, 0, 0] : memref<2x3x11x5xf32>
// STORES: affine.store %{{.+}}, %{{.+}}[0, 0, 0, 0] : memref<2x3x11x4xf32>
// STORES: affine.store %{{.+}}, %{{.+}}[0] : memref<2xi64>
// STORES: mha.attention
// STORES-COUNT-4: affine.store
func.func @reads(%x: f32, %y: f32, %m: i64, %n: i64, %q: memref<2x6x7x5xf32>, %k: memref<2x3x11x5xf32>, %v: memref<2x3x11x4xf32>,
                 %len: memref<2xi64>, %o: memref<2x6x7x4xf32>) {
  affine.store %x, %q[0, 0, 0, 0] : memref<2x6x7x5xf32>
  affine.store %x, %k[0, 0, 0, 0] : memref<2x3x11x5xf32>
  affine.store %x, %v[0, 0, 0, 0] : memref<2x3x11x4xf32>
  affine.store %m, %len[0] : memref<2xi64>
  mha.attention query(%q : memref<2x6x7x5xf32>, bhsd) key(%k : memref<2x3x11x5xf32>, bhsd) value(%v : memref<2x3x11x4xf32>, bhsd)
    lengths(%len : memref<2xi64>) outs(%o : memref<2x6x7x4xf32>)
  affine.store %y, %q[0, 0, 0, 0] : memref<2x6x7x5xf32>
  affine.store %y, %k[0, 0, 0, 0] : memref<2x3x11x5xf32>
  affine.store %y, %v[0, 0, 0, 0] : memref<2x3x11x4xf32>
  affine.store %n, %len[0] : memref<2xi64>
  return
}

// -----

// Near miss: with no reader between them the first of two stores is dead.
// STORES-LABEL: func.func @unread
// STORES-NOT: affine.store
// STORES: mha.attention
// STORES: affine.store
// STORES-NOT: affine.store
// STORES: return
func.func @unread(%x: f32, %y: f32, %q: memref<2x6x7x5xf32>, %o: memref<2x6x7x5xf32>) {
  %other = memref.alloc() : memref<3xf32>
  affine.store %x, %other[0] : memref<3xf32>
  mha.attention query(%q : memref<2x6x7x5xf32>, bhsd) key(%q : memref<2x6x7x5xf32>, bhsd) value(%q : memref<2x6x7x5xf32>, bhsd)
    outs(%o : memref<2x6x7x5xf32>)
  affine.store %y, %other[0] : memref<3xf32>
  call @use(%other) : (memref<3xf32>) -> ()
  return
}
func.func private @use(memref<3xf32>)

// -----

// Destinations are written: what was loaded before is loaded again, what the op does not write is not; and of two equal ops
// both stay.
// CSE-LABEL: func.func @writes
// CSE: memref.load %{{.+}} : memref<2x6x7x5xf32>
// CSE: memref.load %{{.+}} : memref<2x6x7xf32>
// CSE: mha.attention
// CSE: memref.load %{{.+}} : memref<2x6x7x5xf32>
// CSE: memref.load %{{.+}} : memref<2x6x7xf32>
// CSE: mha.attention
func.func @writes(%q: memref<2x6x7x5xf32>, %o: memref<2x6x7x5xf32>, %lse: memref<2x6x7xf32>) -> (f32, f32, f32, f32) {
  %c0 = arith.constant 0 : index
  %a = memref.load %o[%c0, %c0, %c0, %c0] : memref<2x6x7x5xf32>
  %b = memref.load %lse[%c0, %c0, %c0] : memref<2x6x7xf32>
  mha.attention query(%q : memref<2x6x7x5xf32>, bhsd) key(%q : memref<2x6x7x5xf32>, bhsd) value(%q : memref<2x6x7x5xf32>, bhsd)
    outs(%o : memref<2x6x7x5xf32>, lse %lse : memref<2x6x7xf32>)
  %c = memref.load %o[%c0, %c0, %c0, %c0] : memref<2x6x7x5xf32>
  %d = memref.load %lse[%c0, %c0, %c0] : memref<2x6x7xf32>
  mha.attention query(%q : memref<2x6x7x5xf32>, bhsd) key(%q : memref<2x6x7x5xf32>, bhsd) value(%q : memref<2x6x7x5xf32>, bhsd)
    outs(%o : memref<2x6x7x5xf32>, lse %lse : memref<2x6x7xf32>)
  return %a, %b, %c, %d : f32, f32, f32, f32
}

// -----

// On tensors equal ops are one.
// CSE-LABEL: func.func @equal
// CSE: %[[O:.+]] = mha.attention
// CSE-NOT: mha.attention
// CSE: return %[[O]], %[[O]]
func.func @equal(%q: tensor<?x6x7x5xf32>) -> (tensor<?x6x7x5xf32>, tensor<?x6x7x5xf32>) {
  %a = mha.attention query(%q : tensor<?x6x7x5xf32>, bhsd) key(%q : tensor<?x6x7x5xf32>, bhsd) value(%q : tensor<?x6x7x5xf32>, bhsd)
    -> tensor<?x6x7x5xf32>
  %b = mha.attention query(%q : tensor<?x6x7x5xf32>, bhsd) key(%q : tensor<?x6x7x5xf32>, bhsd) value(%q : tensor<?x6x7x5xf32>, bhsd)
    -> tensor<?x6x7x5xf32>
  return %a, %b : tensor<?x6x7x5xf32>, tensor<?x6x7x5xf32>
}

// -----

// Static sizes on tensors have been compared: the op may run where the loop does not.
// HOIST-LABEL: func.func @static
// HOIST: mha.attention
// HOIST: scf.for
func.func @static(%n: index, %q: tensor<2x6x7x5xf32>, %init: tensor<2x6x7x5xf32>) -> tensor<2x6x7x5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %init) -> tensor<2x6x7x5xf32> {
    %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%q : tensor<2x6x7x5xf32>, bhsd) value(%q : tensor<2x6x7x5xf32>, bhsd)
      -> tensor<2x6x7x5xf32>
    %next = arith.addf %sum, %o : tensor<2x6x7x5xf32>
    scf.yield %next : tensor<2x6x7x5xf32>
  }
  return %r : tensor<2x6x7x5xf32>
}

// -----

// A dynamic size, of whichever value, may not fit where the op did not run before.
// HOIST-LABEL: func.func @dynamic_operand
// HOIST: scf.for
// HOIST: mha.attention
func.func @dynamic_operand(%n: index, %q: tensor<2x6x7x5xf32>, %k: tensor<2x3x?x5xf32>, %v: tensor<2x3x?x5xf32>, %init: tensor<2x6x7x5xf32>)
    -> tensor<2x6x7x5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %init) -> tensor<2x6x7x5xf32> {
    %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x?x5xf32>, bhsd) value(%v : tensor<2x3x?x5xf32>, bhsd)
      -> tensor<2x6x7x5xf32>
    %next = arith.addf %sum, %o : tensor<2x6x7x5xf32>
    scf.yield %next : tensor<2x6x7x5xf32>
  }
  return %r : tensor<2x6x7x5xf32>
}

// -----

// HOIST-LABEL: func.func @dynamic_lengths
// HOIST: scf.for
// HOIST: mha.attention
func.func @dynamic_lengths(%n: index, %q: tensor<2x6x7x5xf32>, %len: tensor<?xi64>, %init: tensor<2x6x7x5xf32>) -> tensor<2x6x7x5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %init) -> tensor<2x6x7x5xf32> {
    %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%q : tensor<2x6x7x5xf32>, bhsd) value(%q : tensor<2x6x7x5xf32>, bhsd)
      lengths(%len : tensor<?xi64>) -> tensor<2x6x7x5xf32>
    %next = arith.addf %sum, %o : tensor<2x6x7x5xf32>
    scf.yield %next : tensor<2x6x7x5xf32>
  }
  return %r : tensor<2x6x7x5xf32>
}

// -----

// On memrefs the op stays, and so does a load of what it writes.
// HOIST-LABEL: func.func @memrefs
// HOIST: scf.for
// HOIST: mha.attention
// HOIST: memref.load
func.func @memrefs(%n: index, %q: memref<2x6x7x5xf32>, %o: memref<2x6x7x5xf32>, %init: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %init) -> f32 {
    mha.attention query(%q : memref<2x6x7x5xf32>, bhsd) key(%q : memref<2x6x7x5xf32>, bhsd) value(%q : memref<2x6x7x5xf32>, bhsd)
      outs(%o : memref<2x6x7x5xf32>)
    %x = memref.load %o[%c0, %c0, %c0, %c0] : memref<2x6x7x5xf32>
    %next = arith.addf %sum, %x : f32
    scf.yield %next : f32
  }
  return %r : f32
}
