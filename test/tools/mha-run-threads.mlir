// What the caller gives a compiled function beside arguments and results: workspace, its size and threads.

// DEFINE: %{keep} = symbol-privatize{exclude=_mlir_ciface_given,_mlir_ciface_given_workspace},symbol-dce
// RUN: split-file %s %t
// RUN: mha-run %t/given.mlir --threads=3 --pipeline='%{keep}' | FileCheck %s --check-prefix=GIVEN
// RUN: mha-run %t/given.mlir --threads=3 --pipeline='%{keep}' --json | FileCheck %s --check-prefix=JSON
// RUN: mha-run %t/parallel.mlir --threads=1 --verify | FileCheck %s --check-prefix=PARALLEL
// RUN: mha-run %t/parallel.mlir --threads=5 --verify | FileCheck %s --check-prefix=PARALLEL
// RUN: mha-run %t/own.mlir --threads=5 | FileCheck %s --check-prefix=OWN

//--- given.mlir
// Compiled by hand: its results are the size of the workspace, which it asked for, and the number of threads.
// GIVEN: result 0 (2xi64): {{.*}} values 300 3
// JSON:  "alloc_calls": 0,
// JSON:  "peak_bytes": 300,
// JSON:  "threads": 3,
func.func @given() -> tensor<2xi64> {
  %nothing = tensor.empty() : tensor<2xi64>
  return %nothing : tensor<2xi64>
}
llvm.func @_mlir_ciface_given(%out: !llvm.ptr, %workspace: !llvm.ptr, %bytes: i64, %threads: i32) -> i32
    attributes {mha.entry_type = () -> tensor<2xi64>} {
  %aligned = llvm.getelementptr %out[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %first = llvm.load %aligned : !llvm.ptr -> !llvm.ptr
  llvm.store %bytes, %first : i64, !llvm.ptr
  %second = llvm.getelementptr %first[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %wide = llvm.sext %threads : i32 to i64
  llvm.store %wide, %second : i64, !llvm.ptr
  %ok = llvm.mlir.constant(0 : i32) : i32
  llvm.return %ok : i32
}
llvm.func @_mlir_ciface_given_workspace(%threads: i32) -> i64 {
  %share = llvm.mlir.constant(100 : i64) : i64
  %wide = llvm.sext %threads : i32 to i64
  %bytes = llvm.mul %share, %wide : i64
  llvm.return %bytes : i64
}

//--- parallel.mlir
// Items that workers run with scratch memory of their own.
// PARALLEL: result 0 (8xf32): verified
func.func @parallel(%x: tensor<8xf32>) -> tensor<8xf32> {
  %m = bufferization.to_buffer %x : tensor<8xf32> to memref<8xf32, strided<[?], offset: ?>>
  %r = memref.alloc() : memref<8xf32>
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.forall (%i) in (%c8) {
    %s = mha.scratch : memref<4xf32>
    %v = memref.load %m[%i] : memref<8xf32, strided<[?], offset: ?>>
    %vv = arith.mulf %v, %v : f32
    memref.store %vv, %s[%c0] : memref<4xf32>
    %w = memref.load %s[%c0] : memref<4xf32>
    memref.store %w, %r[%i] : memref<8xf32>
  } {mapping = [#mha.item<0>]}
  %t = bufferization.to_tensor %r restrict : memref<8xf32> to tensor<8xf32>
  return %t : tensor<8xf32>
}

//--- own.mlir
// A program may bring a function of the runtime's name.
// OWN: result 0 (i32): {{.*}} values 7{{$}}
func.func private @mha_parallel_for() -> i32 attributes {no_inline} {
  %seven = arith.constant 7 : i32
  return %seven : i32
}
func.func @own() -> i32 {
  %seven = call @mha_parallel_for() : () -> i32
  return %seven : i32
}
