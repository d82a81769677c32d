// RUN: not mha-run %s --validate-each-pass --require=fused 2>&1 | FileCheck %s

// f64 has no kernel: every pass is right, and the run fails all the same.
// CHECK: mha-run-validate-fused.mlir:[[#@LINE+4]]:{{.*}}error
// CHECK: error: not every attention is fused
!t = tensor<1x2x3x4xf64>
func.func @main(%q: !t) -> !t {
  %o = mha.attention query(%q : !t, bhsd) key(%q : !t, bhsd) value(%q : !t, bhsd) -> !t
  return %o : !t
}
