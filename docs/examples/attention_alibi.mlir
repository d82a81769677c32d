// ALiBi instead of position embeddings, as in BLOOM, with 16 heads of size 64 and 200
// tokens: slope(h) * (j - p) is added to each score, with the slopes 2^(-1/2), 2^(-1),
// ..., 2^(-8) of Press et al. 2022.
//
//   mha-run docs/examples/attention_alibi.mlir --input=random:1 --verify
func.func @main(%query: tensor<1x16x200x64xf32>, %key: tensor<1x16x200x64xf32>,
                %value: tensor<1x16x200x64xf32>) -> tensor<1x16x200x64xf32> {
  %slopes = arith.constant dense<[
      0.70710678, 0.5, 0.35355339, 0.25, 0.17677670, 0.125, 0.08838835, 0.0625,
      0.04419417, 0.03125, 0.02209709, 0.015625, 0.01104854, 0.0078125, 0.00552427, 0.00390625
  ]> : tensor<16xf32>
  %output = mha.attention
      query(%query : tensor<1x16x200x64xf32>, bhsd)
      key(%key : tensor<1x16x200x64xf32>, bhsd)
      value(%value : tensor<1x16x200x64xf32>, bhsd)
      mask<causal> bias<alibi> slopes(%slopes : tensor<16xf32>) -> tensor<1x16x200x64xf32>
  return %output : tensor<1x16x200x64xf32>
}
