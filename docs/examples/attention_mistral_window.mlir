// Mistral 7B, its sliding window in small: 32 query heads, 8 key/value heads of size 128,
// 320 tokens of which each sees itself and the 127 before it (the model has 4095 before
// it). Blocks of keys outside of the window are skipped.
//
//   mha-run docs/examples/attention_mistral_window.mlir --input=random:1 --verify
func.func @main(%query: tensor<1x32x320x128xf32>, %key: tensor<1x8x320x128xf32>,
                %value: tensor<1x8x320x128xf32>) -> tensor<1x32x320x128xf32> {
  %output = mha.attention
      query(%query : tensor<1x32x320x128xf32>, bhsd)
      key(%key : tensor<1x8x320x128xf32>, bhsd)
      value(%value : tensor<1x8x320x128xf32>, bhsd)
      mask<causal, window<127, 0>> -> tensor<1x32x320x128xf32>
  return %output : tensor<1x32x320x128xf32>
}
