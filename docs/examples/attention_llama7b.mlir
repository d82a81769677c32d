// LLaMA 7B, one layer's attention over a prompt of 128 tokens: 32 heads of size 128.
// Causal self attention. Operands are `bshd`, the layout in which the projections
// leave them: no transpose is needed around the op.
//
//   mha-run docs/examples/attention_llama7b.mlir --input=random:1 --verify
func.func @main(%query: tensor<1x128x32x128xf32>, %key: tensor<1x128x32x128xf32>,
                %value: tensor<1x128x32x128xf32>) -> tensor<1x128x32x128xf32> {
  %output = mha.attention
      query(%query : tensor<1x128x32x128xf32>, bshd)
      key(%key : tensor<1x128x32x128xf32>, bshd)
      value(%value : tensor<1x128x32x128xf32>, bshd)
      mask<causal> -> tensor<1x128x32x128xf32>
  return %output : tensor<1x128x32x128xf32>
}
