// RUN: mha-opt %s --mha-internalize-symbols --split-input-file | FileCheck %s

// What C calls stays, and so does what is only declared.
// CHECK: llvm.func internal @f()
// CHECK: llvm.func @_mlir_ciface_f()
// CHECK: llvm.func internal @helper()
// CHECK: llvm.func @declared()
llvm.func @f() {
  llvm.return
}
llvm.func @_mlir_ciface_f() {
  llvm.return
}
llvm.func @helper() {
  llvm.return
}
llvm.func @declared()

// -----

// No C interface: a module of somebody else.
// CHECK: llvm.func @f()
llvm.func @f() {
  llvm.return
}
