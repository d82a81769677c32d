// RUN: mha-opt %s --mha-reference-pipeline | FileCheck %s
// RUN: mha-opt %s --mha-reference-pipeline=promote-floats=false | FileCheck %s --check-prefix=DECLARED

// Everything is computed in f64, or, as the naive computation, in the declared types.
// CHECK-NOT: f32
// CHECK: llvm.fmul %{{.+}}, %{{.+}} : f64
// CHECK: llvm.intr.exp(%{{.+}}) : (f64) -> f64
// CHECK-NOT: f32
// DECLARED-NOT: f64
// DECLARED: llvm.intr.exp(%{{.+}}) : (f32) -> f32
// DECLARED-NOT: f64
func.func @attention(%q: tensor<2x6x7x5xf32>) -> tensor<2x6x7x5xf32> {
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%q : tensor<2x6x7x5xf32>, bhsd) value(%q : tensor<2x6x7x5xf32>, bhsd)
    mask<causal> -> tensor<2x6x7x5xf32>
  return %o : tensor<2x6x7x5xf32>
}
