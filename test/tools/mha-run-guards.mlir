// Compiled code that leaves its buffers: what it writes beside one is an error that names it, what it reads there is NaN.

// RUN: rm -f %t.npy
// RUN: split-file %s %t
// RUN: not mha-run %t/arguments.mlir -e before --output=@%t.npy 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not ls %t.npy
// RUN: not mha-run %t/arguments.mlir -e scaled --reference 2>&1 | FileCheck %s --check-prefix=SECOND
// RUN: mha-run %t/arguments.mlir -e reads | FileCheck %s --check-prefix=READS
// RUN: not mha-run %t/arguments.mlir -e behind --input=at=const:15 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: mha-run %t/arguments.mlir -e behind --input=at=const:14 | FileCheck %s --check-prefix=INSIDE

// DEFINE: %{byte} = 0
// DEFINE: %{source} = sed s/BYTE/%{byte}/ %t/workspace.mlir
// DEFINE: %{run} = mha-run - --threads=3 \
// DEFINE:   --pipeline='symbol-privatize{exclude=_mlir_ciface_main,_mlir_ciface_main_workspace},symbol-dce'
// RUN: %{source} | %{run} | FileCheck %s --check-prefix=WORKSPACE
// REDEFINE: %{byte} = 29
// RUN: %{source} | %{run} | FileCheck %s --check-prefix=WORKSPACE
// REDEFINE: %{byte} = 30
// RUN: %{source} | not %{run} 2>&1 | FileCheck %s --check-prefix=BEHIND
// REDEFINE: %{byte} = 4125
// RUN: %{source} | not %{run} 2>&1 | FileCheck %s --check-prefix=FAR-BEHIND
// REDEFINE: %{byte} = -4096
// RUN: %{source} | not %{run} 2>&1 | FileCheck %s --check-prefix=FAR-BEFORE

// RUN: not mha-run %t/shape.mlir --input=3xf32=random \
// RUN:   --pipeline='symbol-privatize{exclude=_mlir_ciface_main_shape,_mlir_ciface_main,_mlir_ciface_main_workspace},symbol-dce' \
// RUN:   2>&1 | FileCheck %s --check-prefix=SHAPE

//--- arguments.mlir
// ARGUMENT: error: expected 'before' to write inside its buffers only, found byte 1 before the start of argument 'x' changed
func.func @before(%x: tensor<15xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %i = arith.constant -1 : index
  %m = bufferization.to_buffer %x read_only : tensor<15xf32> to memref<15xf32, strided<[?], offset: ?>>
  memref.store %zero, %m[%i] : memref<15xf32, strided<[?], offset: ?>>
  return %zero : f32
}

// In f64, the second of two. The element next to it stays as it is.
// SECOND: error: expected 'scaled' to write inside its buffers only, found byte 9 behind the end of argument 'y' changed
func.func @scaled(%x: tensor<15xf32>, %y: tensor<15xf32>) {
  %zero = arith.constant 0.0 : f32
  %i = arith.constant 16 : index
  %m = bufferization.to_buffer %y read_only : tensor<15xf32> to memref<15xf32, strided<[?], offset: ?>>
  memref.store %zero, %m[%i] : memref<15xf32, strided<[?], offset: ?>>
  return
}

// READS: result 0 (f32): 1 NaN
func.func @reads(%x: tensor<15xf32>) -> f32 {
  %i = arith.constant 15 : index
  %m = bufferization.to_buffer %x read_only : tensor<15xf32> to memref<15xf32, strided<[?], offset: ?>>
  %r = memref.load %m[%i] : memref<15xf32, strided<[?], offset: ?>>
  return %r : f32
}

// The result is computed where the caller wants it, so an index beyond it is beyond the caller's memory.
// RESULT: error: expected 'behind' to write inside its buffers only, found byte 1 behind the end of result 0 changed
// INSIDE: result 0 (15xf32): {{.*}} 14 NaN
func.func @behind(%x: f32, %at: index) -> tensor<15xf32> {
  %init = tensor.empty() : tensor<15xf32>
  %r = tensor.insert %x into %init[%at] : tensor<15xf32>
  return %r : tensor<15xf32>
}

//--- workspace.mlir
// Compiled by hand: writes a byte of its workspace, of which there are 10 for each thread. Before, that
// byte was part of a NaN.
// WORKSPACE:  result 0 (2xi8): {{.*}} values 7 -1
// BEHIND:     error: expected 'main' to write inside its buffers only, found byte 1 behind the end of the workspace changed
// FAR-BEHIND: error: expected 'main' to write inside its buffers only, found byte 4096 behind the end of the workspace changed
// FAR-BEFORE: error: expected 'main' to write inside its buffers only, found byte 4096 before the start of the workspace changed
func.func @main() -> tensor<2xi8> {
  %nothing = tensor.empty() : tensor<2xi8>
  return %nothing : tensor<2xi8>
}
llvm.func @_mlir_ciface_main(%out: !llvm.ptr, %workspace: !llvm.ptr, %bytes: i64, %threads: i32) -> i32
    attributes {mha.entry_type = () -> tensor<2xi8>} {
  %seven = llvm.mlir.constant(7 : i8) : i8
  %byte = llvm.getelementptr %workspace[BYTE] : (!llvm.ptr) -> !llvm.ptr, i8
  %before = llvm.load %byte : !llvm.ptr -> i8
  llvm.store %seven, %byte : i8, !llvm.ptr
  %aligned = llvm.getelementptr %out[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %first = llvm.load %aligned : !llvm.ptr -> !llvm.ptr
  llvm.store %seven, %first : i8, !llvm.ptr
  %second = llvm.getelementptr %first[1] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.store %before, %second : i8, !llvm.ptr
  %ok = llvm.mlir.constant(0 : i32) : i32
  llvm.return %ok : i32
}
llvm.func @_mlir_ciface_main_workspace(%threads: i32) -> i64 {
  %share = llvm.mlir.constant(10 : i64) : i64
  %wide = llvm.sext %threads : i32 to i64
  %bytes = llvm.mul %share, %wide : i64
  llvm.return %bytes : i64
}

//--- shape.mlir
// Compiled by hand: tells one size more than its result has.
// SHAPE: error: expected 'main' to write inside its buffers only, found byte 1 behind the end of the sizes of its results changed
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
llvm.func @_mlir_ciface_main(%x: !llvm.ptr, %out: !llvm.ptr, %workspace: !llvm.ptr, %bytes: i64, %threads: i32) -> i32
    attributes {mha.entry_type = (tensor<?xf32>) -> tensor<?xf32>} {
  %ok = llvm.mlir.constant(0 : i32) : i32
  llvm.return %ok : i32
}
llvm.func @_mlir_ciface_main_shape(%x: !llvm.ptr, %sizes: !llvm.ptr) -> i32 {
  %three = llvm.mlir.constant(3 : i64) : i64
  %aligned = llvm.getelementptr %sizes[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %first = llvm.load %aligned : !llvm.ptr -> !llvm.ptr
  llvm.store %three, %first : i64, !llvm.ptr
  %second = llvm.getelementptr %first[1] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %three, %second : i64, !llvm.ptr
  %ok = llvm.mlir.constant(0 : i32) : i32
  llvm.return %ok : i32
}
llvm.func @_mlir_ciface_main_workspace(%size: i64, %threads: i32) -> i64 {
  %none = llvm.mlir.constant(0 : i64) : i64
  llvm.return %none : i64
}
