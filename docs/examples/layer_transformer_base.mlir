// The attention layer of an encoder of Transformer base: model width 512, 8 heads of size 64, biases,
// a residual, and a padding in PyTorch's polarity: true hides a token.
//
//   mha-run docs/examples/layer_transformer_base.mlir --input=random:1 --verify
func.func @main(%x: tensor<2x50x512xf32>, %padding: tensor<2x50xi1>, %wqkv: tensor<1536x512xf32>, %bqkv: tensor<1536xf32>,
    %wo: tensor<512x512xf32>, %bo: tensor<512xf32>) -> tensor<2x50x512xf32> {
  %y = mha.layer heads(8) query(%x : tensor<2x50x512xf32>)
      w_qkv(%wqkv : tensor<1536x512xf32>, oe) w_o(%wo : tensor<512x512xf32>, oe)
      b_qkv(%bqkv : tensor<1536xf32>) b_o(%bo : tensor<512xf32>)
      key_padding(%padding : tensor<2x50xi1>, hidden) residual(%x : tensor<2x50x512xf32>)
      -> tensor<2x50x512xf32>
  return %y : tensor<2x50x512xf32>
}
