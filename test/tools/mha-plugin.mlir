// The distribution's own mlir-opt, with our plugin, does what mha-opt does: same IR, same diagnostics, same remarks.
// REQUIRES: stock-mlir-opt

// RUN: split-file %s %t
// DEFINE: %{file} = %t/attention.mlir
// DEFINE: %{pipeline} =
// DEFINE: %{flags} =
// DEFINE: %{ours} = mha-opt %{file} --pass-pipeline='builtin.module(%{pipeline})' %{flags}
// DEFINE: %{stock} = %stock_mlir_opt %mha_plugin %{file} --pass-pipeline='builtin.module(%{pipeline})' %{flags}
// DEFINE: %{same} = %{ours} > %t/ours 2>&1 && %{stock} > %t/stock 2>&1 && diff %t/ours %t/stock
// DEFINE: %{same-failure} = not %{ours} > %t/ours 2>&1 && not %{stock} > %t/stock 2>&1 && diff %t/ours %t/stock

// Every pass of ours, under its name.
// RUN: mha-opt --list-passes | grep mha | sed 's/  */ /g' > %t/ours
// RUN: %stock_mlir_opt %mha_plugin --list-passes | grep mha | sed 's/  */ /g' > %t/stock
// RUN: diff %t/ours %t/stock
// RUN: FileCheck %s --check-prefix=LIST < %t/stock
// LIST: --convert-mha-to-linalg -
// LIST: --mha-promote-floats -

// Pipelines.
// REDEFINE: %{pipeline} = mha-cpu-pipeline
// RUN: %{same} && FileCheck %s --check-prefix=LLVM < %t/stock
// REDEFINE: %{pipeline} = mha-reference-pipeline
// RUN: %{same} && FileCheck %s --check-prefix=LLVM < %t/stock
// REDEFINE: %{pipeline} = mha-reference-pipeline{promote-floats=false}
// RUN: %{same} && FileCheck %s --check-prefix=LLVM < %t/stock
// LLVM-NOT: mha.attention
// LLVM: llvm.func @_mlir_ciface_main

// Single passes, alone and with those of MLIR.
// REDEFINE: %{pipeline} = convert-mha-to-linalg
// RUN: %{same} && FileCheck %s --check-prefix=LINALG < %t/stock
// LINALG: linalg.generic
// REDEFINE: %{pipeline} = mha-promote-floats
// RUN: %{same} && FileCheck %s --check-prefix=PROMOTE < %t/stock
// PROMOTE: mha.attention{{.*}}xf64
// REDEFINE: %{pipeline} = mha-wrap-entry-points
// RUN: %{same} && FileCheck %s --check-prefix=WRAP < %t/stock
// WRAP: func.func {{.*}}@main_workspace
// REDEFINE: %{pipeline} = convert-mha-to-linalg,canonicalize,cse,mha-decompose-softmax,func.func(linalg-generalize-named-ops)
// RUN: %{same} && FileCheck %s --check-prefix=LINALG < %t/stock

// The op alone: text, generic form, bytecode.
// REDEFINE: %{pipeline} =
// RUN: %{same} && FileCheck %s --check-prefix=OP < %t/stock
// OP: %output = mha.attention query(
// REDEFINE: %{flags} = --mlir-print-op-generic
// RUN: %{same} && FileCheck %s --check-prefix=GENERIC < %t/stock
// GENERIC: "mha.attention"(
// REDEFINE: %{flags} =
// RUN: %{stock} --emit-bytecode | mha-opt > %t/ours
// RUN: %{ours} --emit-bytecode | %stock_mlir_opt %mha_plugin > %t/stock
// RUN: diff %t/ours %t/stock
// RUN: FileCheck %s --check-prefix=OP < %t/stock

// A remark.
// REDEFINE: %{pipeline} = convert-mha-to-linalg
// REDEFINE: %{flags} = --remarks-filter=convert-mha-to-linalg --remark-format=emitRemark
// RUN: %{same} && FileCheck %s --check-prefix=REMARK < %t/stock
// REMARK: attention.mlir:3:{{.*}}: remark: [Missed] computed-by-definition

// Errors: of a pass, of the verifier, of a pass that is not there.
// REDEFINE: %{flags} =
// REDEFINE: %{file} = %t/memref.mlir
// REDEFINE: %{pipeline} = mha-wrap-entry-points
// RUN: %{same-failure} && FileCheck %s --check-prefix=ENTRY < %t/stock
// ENTRY: memref.mlir:1:1: error: expected argument 0 of entry point 'memrefs' to be a scalar or a ranked tensor of scalars, found 'memref<3xf32>'
// REDEFINE: %{file} = %t/heads.mlir
// REDEFINE: %{pipeline} =
// RUN: %{same-failure} && FileCheck %s --check-prefix=HEADS < %t/stock
// HEADS: heads.mlir:2:{{.*}}error: {{.*}}expected the number of query heads (6) to be a multiple of the number of key heads (4)
// REDEFINE: %{file} = %t/attention.mlir
// REDEFINE: %{pipeline} = mha-no-such-pass
// RUN: %{same-failure} && FileCheck %s --check-prefix=UNKNOWN < %t/stock
// UNKNOWN: 'mha-no-such-pass' does not refer to a registered pass or pass pipeline

// Where our passes are registered already, nothing is registered twice: in a tool of ours, and in a second loading.
// REDEFINE: %{pipeline} = mha-cpu-pipeline
// RUN: %{ours} > %t/ours
// RUN: %{ours} %mha_plugin | diff %t/ours -
// RUN: %{stock} %mha_plugin | diff %t/ours -
// RUN: mha-run %{file} --input=random:1 %mha_plugin | FileCheck %s --check-prefix=RUN-OURS
// RUN-OURS: result 0 (2x6x7x4xf32)

//--- attention.mlir
func.func @main(%query: tensor<2x6x7x5xf32>, %key: tensor<2x3x11x5xf32>,
                %value: tensor<2x3x11x4xf32>) -> tensor<2x6x7x4xf32> {
  %output = mha.attention query(%query : tensor<2x6x7x5xf32>, bhsd)
      key(%key : tensor<2x3x11x5xf32>, bhsd) value(%value : tensor<2x3x11x4xf32>, bhsd)
      mask<causal> align(bottom_right) -> tensor<2x6x7x4xf32>
  return %output : tensor<2x6x7x4xf32>
}

//--- memref.mlir
func.func @memrefs(%x: memref<3xf32>) {
  return
}

//--- heads.mlir
func.func @heads(%q: tensor<2x6x7x5xf32>, %k: tensor<2x4x7x5xf32>) -> tensor<2x6x7x5xf32> {
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x4x7x5xf32>, bhsd) value(%k : tensor<2x4x7x5xf32>, bhsd)
    -> tensor<2x6x7x5xf32>
  return %o : tensor<2x6x7x5xf32>
}
