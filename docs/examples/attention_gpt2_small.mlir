// GPT-2 small, one layer's attention over a prompt of 128 tokens: 12 heads of size 64.
// Causal self attention, so Sq = Sk and no alignment has to be named. The scale is
// the default, 1/sqrt(64).
//
//   mha-run docs/examples/attention_gpt2_small.mlir --input=random:1 --verify
func.func @main(%query: tensor<1x12x128x64xf32>, %key: tensor<1x12x128x64xf32>,
                %value: tensor<1x12x128x64xf32>) -> tensor<1x12x128x64xf32> {
  %output = mha.attention
      query(%query : tensor<1x12x128x64xf32>, bhsd)
      key(%key : tensor<1x12x128x64xf32>, bhsd)
      value(%value : tensor<1x12x128x64xf32>, bhsd)
      mask<causal> -> tensor<1x12x128x64xf32>
  return %output : tensor<1x12x128x64xf32>
}
