// A layer with an extra key is computed by the general path, and that is said.
// RUN: mha-run %s --input=random:1 --verify | FileCheck %s
// RUN: not mha-run %s --input=random:1 --require=fused 2>&1 | FileCheck %s --check-prefix=REQUIRED
// CHECK: verified
// CHECK: attention: 1 found, 0 fused, 1 not
// CHECK: no kernel for an extra key
// REQUIRED: layer-without-kernel.mlir:[[@LINE+4]]:{{[0-9]+}}: error: {{.*}}no kernel for an extra key

func.func @main(%x: tensor<2x7x24xf32>, %w: tensor<40x24xf32>, %wo: tensor<24x24xf32>, %e: tensor<8xf32>) -> tensor<2x7x24xf32> {
  // The op is in the next line.
  %y = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_qkv(%w : tensor<40x24xf32>, oe) w_o(%wo : tensor<24x24xf32>, oe)
    extra_key(%e : tensor<8xf32>) extra_value(%e : tensor<8xf32>) mask<causal> -> tensor<2x7x24xf32>
  return %y : tensor<2x7x24xf32>
}
