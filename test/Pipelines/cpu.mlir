// RUN: mha-opt %s --mha-cpu-pipeline | FileCheck %s
// RUN: mha-opt %s --mha-cpu-pipeline | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=LLVM

// Landmarks only: nothing but the LLVM dialect is left, entry points have their C interface, and the only symbols from
// outside are allocation, libm and the runtime.
// CHECK-NOT: mha.attention
// CHECK-NOT: builtin.unrealized_conversion_cast
// CHECK: llvm.func @_mlir_ciface_attention(%{{.+}}: !llvm.ptr, %{{.+}}: !llvm.ptr, %{{.+}}: !llvm.ptr, %{{.+}}: !llvm.ptr {mha.workspace}, %{{.+}}: i64 {mha.workspace_bytes}, %{{.+}}: i32 {mha.threads}) -> i32
// CHECK: llvm.func @_mlir_ciface_attention_shape
// CHECK: llvm.func @_mlir_ciface_attention_workspace(%{{.+}}: i64, %{{.+}}: i64, %{{.+}}: i32) -> i64

// LLVM-NOT: declare {{.*}} @{{memrefCopy|malloc|free|printf|abort}}
// LLVM: define i32 @_mlir_ciface_attention
func.func @attention(%q: tensor<2x?x6x5xf32>, %k: tensor<2x?x3x5xf32>) -> tensor<2x?x6x5xf32> {
  %o = mha.attention query(%q : tensor<2x?x6x5xf32>, bshd) key(%k : tensor<2x?x3x5xf32>, bshd) value(%k : tensor<2x?x3x5xf32>, bshd)
    mask<causal> align(bottom_right) -> tensor<2x?x6x5xf32>
  return %o : tensor<2x?x6x5xf32>
}

// The result is computed in its out-parameter: no copy of it.
// RUN: mha-opt %s --mha-cpu-pipeline --mlir-print-ir-after=buffer-deallocation-simplification 2>&1 | FileCheck %s --check-prefix=BUFFERS
// BUFFERS-LABEL: func.func @attention(
// BUFFERS-SAME: %[[OUT:[a-z0-9]+]]: memref<2x?x6x5xf32, strided<[?, ?, ?, ?], offset: ?>>, %{{[a-z0-9]+}}: !llvm.ptr
// BUFFERS-NOT: memref.copy
// BUFFERS: mha.attention {{.*}} outs(%[[OUT]]
// BUFFERS-NOT: memref.copy
// BUFFERS: return
