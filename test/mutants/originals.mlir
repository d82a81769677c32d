// RUN: mha-opt %s --split-input-file

// Valid modules for the mutants: every clause of the op, and what surrounds it.

// Every clause that is implemented.
func.func @every_clause(%q: tensor<2x6x7x5xf32>, %k: tensor<2x11x3x5xf32>, %v: tensor<4x3x11x2xf32>, %lengths: tensor<2xi64>,
                        %offset: tensor<2xi64>, %oi: tensor<2x7x6x4xf32>, %li: tensor<2x6x7xf32>)
    -> (tensor<2x7x6x4xf32>, tensor<2x6x7xf32>) {
  %o, %lse = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x11x3x5xf32>, bshd)
    value(%v : tensor<4x3x11x2xf32>, dhsb) mask<causal, window<3, 1>> align(end) scale(0.125) lengths(%lengths : tensor<2xi64>)
    query_offset(%offset : tensor<2xi64>) {note = "kept"}
    outs(%oi : tensor<2x7x6x4xf32>, lse %li : tensor<2x6x7xf32>) -> (tensor<2x7x6x4xf32>, bshd, lse tensor<2x6x7xf32>)
  return %o, %lse : tensor<2x7x6x4xf32>, tensor<2x6x7xf32>
}

// -----

// A tile with its origin.
func.func @tile(%q: tensor<1x6x3x5xf64>, %k: tensor<1x3x11x5xf64>, %v: tensor<1x3x11x4xf64>, %lengths: tensor<2xi64>, %b: index,
                %i: index, %offset: i64) -> tensor<1x6x3x4xf64> {
  %zero = arith.constant 0 : index
  %o = mha.attention query(%q : tensor<1x6x3x5xf64>, bhsd) key(%k : tensor<1x3x11x5xf64>, bhsd) value(%v : tensor<1x3x11x4xf64>, bhsd)
    mask<causal> align(explicit) lengths(%lengths : tensor<2xi64>) query_offset(%offset : i64) origin(%b, %zero, %i, %zero)
    -> tensor<1x6x3x4xf64>
  return %o : tensor<1x6x3x4xf64>
}

// -----

// All sizes dynamic, each alignment, an offset of each type.
func.func @alignments(%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %i: i64, %x: index, %t: tensor<?xi64>)
    -> (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) {
  %0 = mha.attention query(%q : tensor<?x?x?x?xf32>, bhsd) key(%k : tensor<?x?x?x?xf32>, bshd) value(%k : tensor<?x?x?x?xf32>, bshd)
    mask<causal> align(top_left) -> tensor<?x?x?x?xf32>
  %1 = mha.attention query(%0 : tensor<?x?x?x?xf32>, bhsd) key(%k : tensor<?x?x?x?xf32>, bshd) value(%k : tensor<?x?x?x?xf32>, bshd)
    mask<window<0, 2>> align(bottom_right) lengths(%t : tensor<?xi64>) -> (tensor<?x?x?x?xf32>, bshd)
  %2 = mha.attention query(%1 : tensor<?x?x?x?xf32>, bshd) key(%k : tensor<?x?x?x?xf32>, bshd) value(%k : tensor<?x?x?x?xf32>, bshd)
    mask<window<2, 1>> align(explicit) query_offset(%i : i64) -> tensor<?x?x?x?xf32>
  %3 = mha.attention query(%q : tensor<?x?x?x?xf32>, bhsd) key(%k : tensor<?x?x?x?xf32>, bshd) value(%k : tensor<?x?x?x?xf32>, bshd)
    mask<causal> align(end) query_offset(%x : index) -> tensor<?x?x?x?xf32>
  return %2, %3 : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>
}

// -----

// On memrefs, with strides.
func.func private @memrefs(%q: memref<2x6x7x5xf32, strided<[?, ?, ?, ?], offset: ?>>, %k: memref<2x3x11x5xf32>, %v: memref<2x3x11x4xf32>,
                           %len: memref<2xi64>, %o: memref<2x7x6x4xf32>, %lse: memref<2x6x7xf32>) {
  mha.attention query(%q : memref<2x6x7x5xf32, strided<[?, ?, ?, ?], offset: ?>>, bhsd) key(%k : memref<2x3x11x5xf32>, bhsd)
    value(%v : memref<2x3x11x4xf32>, bhsd) mask<causal> align(bottom_right) lengths(%len : memref<2xi64>)
    outs(%o : memref<2x7x6x4xf32>, bshd, lse %lse : memref<2x6x7xf32>)
  return
}

// -----

// Several entry points, calls, control flow, scalars, a declaration.
func.func private @outside(f32) -> f32
func.func private @scaled(%x: tensor<?x4xf32>, %s: f32) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %w = linalg.fill ins(%s : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %r = linalg.mul ins(%x, %w : tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
func.func @main(%x: tensor<?x4xf32>, %flag: i1) -> (tensor<?x4xf32>, i64) {
  %one = arith.constant 1.0 : f32
  %count = arith.constant 3 : i64
  %y = func.call @scaled(%x, %one) : (tensor<?x4xf32>, f32) -> tensor<?x4xf32>
  %z = scf.if %flag -> (tensor<?x4xf32>) {
    %t = linalg.exp ins(%y : tensor<?x4xf32>) outs(%y : tensor<?x4xf32>) -> tensor<?x4xf32>
    scf.yield %t : tensor<?x4xf32>
  } else {
    scf.yield %y : tensor<?x4xf32>
  }
  return %z, %count : tensor<?x4xf32>, i64
}
func.func @other(%x: tensor<4xf64>, %n: index) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<4xf64>) {
    %b = linalg.add ins(%a, %x : tensor<4xf64>, tensor<4xf64>) outs(%a : tensor<4xf64>) -> tensor<4xf64>
    scf.yield %b : tensor<4xf64>
  }
  %s = tensor.extract_slice %f[0] [%n] [1] : tensor<4xf64> to tensor<?xf64>
  return %s : tensor<?xf64>
}

// -----

// Several blocks, and an attention below one of them.
func.func @blocks(%q: tensor<1x2x3x4xf32>, %flag: i1) -> tensor<1x2x3x4xf32> {
  cf.cond_br %flag, ^one, ^two(%q : tensor<1x2x3x4xf32>)
^one:
  %o = mha.attention query(%q : tensor<1x2x3x4xf32>, bhsd) key(%q : tensor<1x2x3x4xf32>, bhsd) value(%q : tensor<1x2x3x4xf32>, bhsd)
    mask<causal> -> tensor<1x2x3x4xf32>
  cf.br ^two(%o : tensor<1x2x3x4xf32>)
^two(%r: tensor<1x2x3x4xf32>):
  return %r : tensor<1x2x3x4xf32>
}

// -----

// Narrow floats, casts, constants, a private caller.
func.func @casts(%x: tensor<3xf16>, %s: bf16) -> (tensor<3xf16>, f32) {
  %table = arith.constant dense<[1.0, -0.0, 0x7FC0]> : tensor<3xbf16>
  %wide = arith.extf %table : tensor<3xbf16> to tensor<3xf32>
  %y = arith.extf %x : tensor<3xf16> to tensor<3xf32>
  %z = arith.addf %wide, %y : tensor<3xf32>
  %n = arith.truncf %z : tensor<3xf32> to tensor<3xf16>
  %t = arith.extf %s : bf16 to f32
  return %n, %t : tensor<3xf16>, f32
}

// -----

// A module with a name, attributes and a module inside.
module @outer attributes {mha.note = 1 : i64} {
  module @inner {
    func.func @f(%x: tensor<2xf32> {mha.name = "x"}) -> tensor<2xf32> attributes {mha.note} {
      return %x : tensor<2xf32>
    }
  }
  func.func @f(%q: tensor<1x2x3x4xf64> {mha.name = "q"}, %c: tensor<1x2x?x4xf64>) -> (tensor<1x2x3x4xf64> {mha.name = "o"}) {
    %k = tensor.cast %q : tensor<1x2x3x4xf64> to tensor<1x2x?x4xf64>
    %o = mha.attention query(%q : tensor<1x2x3x4xf64>, bhsd) key(%k : tensor<1x2x?x4xf64>, bhsd) value(%c : tensor<1x2x?x4xf64>, bhsd)
      scale(-1.5) -> tensor<1x2x3x4xf64>
    return %o : tensor<1x2x3x4xf64>
  }
}

// -----

// Attributes on their own, and empty sizes.
func.func @empty(%q: tensor<0x6x0x5xf32>, %k: tensor<0x3x0x5xf32>, %v: tensor<0x3x0x0xf32>) -> tensor<0x6x0x0xf32> attributes {
    a = #mha.align<bottom_right>, b = #mha.bias<alibi>, c = #mha.bias<relative, origin = 7>, d = #mha.layout<bkgsd>,
    e = #mha.mask<causal>, f = #mha.mask<window<3, 0>>} {
  %o = mha.attention query(%q : tensor<0x6x0x5xf32>, bhsd) key(%k : tensor<0x3x0x5xf32>, bhsd) value(%v : tensor<0x3x0x0xf32>, bhsd)
    mask<causal> -> tensor<0x6x0x0xf32>
  return %o : tensor<0x6x0x0xf32>
}
