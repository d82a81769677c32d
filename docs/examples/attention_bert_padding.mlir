// BERT base, two sentences of 67 and 128 tokens in one batch: 12 heads of size 64, full
// attention. The mask of (B, 1, 1, Sk) is true for tokens and false for padding, which
// no query sees, whatever lies in its keys and values.
//
//   mha-run docs/examples/attention_bert_padding.mlir --input=random:1 --verify
func.func @main(%query: tensor<2x12x128x64xf32>, %key: tensor<2x12x128x64xf32>,
                %value: tensor<2x12x128x64xf32>, %tokens: tensor<2x1x1x128xi1>)
    -> tensor<2x12x128x64xf32> {
  %output = mha.attention
      query(%query : tensor<2x12x128x64xf32>, bhsd)
      key(%key : tensor<2x12x128x64xf32>, bhsd)
      value(%value : tensor<2x12x128x64xf32>, bhsd)
      dense_mask(%tokens : tensor<2x1x1x128xi1>) -> tensor<2x12x128x64xf32>
  return %output : tensor<2x12x128x64xf32>
}
