// Passes and dialects from plugins. (mha-run-verify.mlir has a pass of one that --verify notices.)

// RUN: not mha-run %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: mha-run %s --load-dialect-plugin=%mha_lib/MHATestPlugin.so --load-pass-plugin=%mha_lib/MHATestPlugin.so \
// RUN:   --pipeline=mha-test-erase-markers | FileCheck %s
// RUN: not mha-run %s --load-dialect-plugin=%mha_lib/MHATestPlugin.so --pipeline=mha-test-erase-markers 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PASS
// RUN: not mha-run %s --load-dialect-plugin=%mha_lib/MHATestPlugin.so --load-pass-plugin=%mha_lib/MHATestPlugin.so \
// RUN:   --pipeline=mha-test-fail --output=@%t.npy 2>&1 | FileCheck %s --check-prefix=FAIL
// RUN: not ls %t.npy
// RUN: not mha-run %s --load-pass-plugin=%t.so 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not mha-run %s --load-dialect-plugin=%s 2>&1 | FileCheck %s --check-prefix=MISSING

// UNKNOWN: mha-run-plugin.mlir:[[#@LINE+8]]:{{.*}}: error: operation being parsed with an unregistered dialect
// CHECK:   result 0 (f32)
// PASS:    error: --pipeline=mha-test-erase-markers: {{.*}}does not refer to a registered pass
// FAIL:    error: this pass always fails
// FAIL:    error: the pipeline failed
// FAIL-NOT: result
// MISSING: error: Could not load library '{{.*}}mha-run-plugin.mlir{{.*}}'
func.func @main(%x: f32) -> f32 {
  "mha_test.marker"() : () -> ()
  return %x : f32
}
