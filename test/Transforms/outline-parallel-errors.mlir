// RUN: mha-opt %s --mha-outline-parallel --split-input-file --verify-diagnostics --allow-unregistered-dialect

func.func @nested(%m: memref<?x?xf32>, %n: index, %x: f32) {
  scf.forall (%i) in (%n) {
    // expected-error @below {{expected loops over items not to nest}}
    scf.forall (%j) in (%n) {
      memref.store %x, %m[%i, %j] : memref<?x?xf32>
    } {mapping = [#mha.item<0>]}
  } {mapping = [#mha.item<0>]}
  return
}

// -----

func.func @tensors(%t: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected a loop over items on memrefs, found results}}
  %r = scf.forall (%i) in (4) shared_outs(%o = %t) -> (tensor<4xf32>) {
    %s = tensor.extract_slice %t[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  } {mapping = [#mha.item<0>]}
  return %r : tensor<4xf32>
}

// -----

func.func @homeless() {
  // expected-error @below {{'mha.scratch' op expected a loop over items around it}}
  %s = mha.scratch : memref<4xf32>
  return
}

// -----

func.func private @indirect(%m: memref<4xf32>, %x: f32) {
  scf.forall (%i) in (4) {
    memref.store %x, %m[%i] : memref<4xf32>
  } {mapping = [#mha.item<0>]}
  return
}
func.func @taken() -> ((memref<4xf32>, f32) -> ()) {
  // expected-error @below {{expected 'indirect', which runs parallel work, to be called by name only}}
  %f = constant @indirect : (memref<4xf32>, f32) -> ()
  return %f : (memref<4xf32>, f32) -> ()
}

// -----

// expected-error @below {{expected the name 'mha_parallel_for' to be the runtime's function of type '(i64, i32, !llvm.ptr, !llvm.ptr) -> ()'}}
func.func private @mha_parallel_for(i32)
func.func @clash(%m: memref<4xf32>, %x: f32) {
  scf.forall (%i) in (4) {
    memref.store %x, %m[%i] : memref<4xf32>
  } {mapping = [#mha.item<0>]}
  return
}

// -----

func.func @no_llvm_type(%c: complex<f32>, %t: tensor<4xf32>, %m: memref<4xf32>) {
  // expected-error @below {{expected what a parallel loop uses from outside to have an LLVM type, found 'tensor<4xf32>'}}
  scf.forall (%i) in (4) {
    %x = tensor.extract %t[%i] : tensor<4xf32>
    memref.store %x, %m[%i] : memref<4xf32>
  } {mapping = [#mha.item<0>]}
  return
}

// -----

// expected-error @below {{expected a loop over items inside a function}}
scf.forall (%i) in (4) {
} {mapping = [#mha.item<0>]}

// -----

// What an op that nobody knows does with the function, nobody knows either.
"foo.op"() ({
}) : () -> ()
// expected-error @below {{expected all uses of 'used_by_others', which runs parallel work, to be known, found ops of unknown dialects with regions}}
func.func @used_by_others(%m: memref<4xf32>, %x: f32) {
  scf.forall (%i) in (4) {
    memref.store %x, %m[%i] : memref<4xf32>
  } {mapping = [#mha.item<0>]}
  return
}
