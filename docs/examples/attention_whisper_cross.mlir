// Whisper small, cross attention of the decoder: 12 heads of size 64, 4 prompt tokens
// look at the 1500 frames that the encoder makes of 30 seconds of audio. No mask.
// The log-sum-exp is a second result.
//
//   mha-run docs/examples/attention_whisper_cross.mlir --input=random:1 --verify
func.func @main(%query: tensor<1x12x4x64xf32>, %key: tensor<1x12x1500x64xf32>,
                %value: tensor<1x12x1500x64xf32>)
    -> (tensor<1x12x4x64xf32>, tensor<1x12x4xf32>) {
  %output, %lse = mha.attention
      query(%query : tensor<1x12x4x64xf32>, bhsd)
      key(%key : tensor<1x12x1500x64xf32>, bhsd)
      value(%value : tensor<1x12x1500x64xf32>, bhsd)
      -> (tensor<1x12x4x64xf32>, lse tensor<1x12x4xf32>)
  return %output, %lse : tensor<1x12x4x64xf32>, tensor<1x12x4xf32>
}
