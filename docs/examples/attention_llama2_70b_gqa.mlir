// Llama 2 70B, 16 new tokens after a cache of 240: 64 query heads share 8 key/value
// heads of size 128 (grouped-query attention), Sq = 16, Sk = 256. Causal with
// bottom_right: the last query sees every key.
//
//   mha-run docs/examples/attention_llama2_70b_gqa.mlir --input=random:1 --verify
func.func @main(%query: tensor<1x64x16x128xf32>, %key: tensor<1x8x256x128xf32>,
                %value: tensor<1x8x256x128xf32>) -> tensor<1x64x16x128xf32> {
  %output = mha.attention
      query(%query : tensor<1x64x16x128xf32>, bhsd)
      key(%key : tensor<1x8x256x128xf32>, bhsd)
      value(%value : tensor<1x8x256x128xf32>, bhsd)
      mask<causal> align(bottom_right) -> tensor<1x64x16x128xf32>
  return %output : tensor<1x64x16x128xf32>
}
