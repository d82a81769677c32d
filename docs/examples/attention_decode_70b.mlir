// Llama 2 70B, one new token for each of 4 sequences in a cache of 512: 64 query heads,
// 8 key/value heads of size 128. Each sequence has its own number of keys, and its new
// token stands at the last of them; what the cache holds behind is not read.
//
//   mha-run docs/examples/attention_decode_70b.mlir --input=random:1 --verify
func.func @main(%query: tensor<4x64x1x128xf32>, %key: tensor<4x8x512x128xf32>,
                %value: tensor<4x8x512x128xf32>, %lengths: tensor<4xi64>)
    -> tensor<4x64x1x128xf32> {
  %output = mha.attention
      query(%query : tensor<4x64x1x128xf32>, bhsd)
      key(%key : tensor<4x8x512x128xf32>, bhsd)
      value(%value : tensor<4x8x512x128xf32>, bhsd)
      mask<causal> align(bottom_right) lengths(%lengths : tensor<4xi64>)
      -> tensor<4x64x1x128xf32>
  return %output : tensor<4x64x1x128xf32>
}
