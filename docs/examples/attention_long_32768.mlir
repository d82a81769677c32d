// One causal head of size 64 over 32,768 tokens. All scores would take 4 GiB; a kernel
// keeps one block of them at a time, in the workspace.
//
//   mha-run docs/examples/attention_long_32768.mlir --input=random:1 --json | grep peak_bytes
func.func @main(%query: tensor<1x1x32768x64xf32>, %key: tensor<1x1x32768x64xf32>,
                %value: tensor<1x1x32768x64xf32>) -> tensor<1x1x32768x64xf32> {
  %output = mha.attention
      query(%query : tensor<1x1x32768x64xf32>, bhsd)
      key(%key : tensor<1x1x32768x64xf32>, bhsd)
      value(%value : tensor<1x1x32768x64xf32>, bhsd)
      mask<causal> -> tensor<1x1x32768x64xf32>
  return %output : tensor<1x1x32768x64xf32>
}
