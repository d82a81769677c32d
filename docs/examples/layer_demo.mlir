// One attention layer with its projections, around mha.attention: width E = 15, six query
// heads and three key/value heads (GQA) of size 5, seven tokens, causal. The heads are made
// by reshaping the projections' results, so the layout is bshd.
//
//   mha-run docs/examples/layer_demo.mlir --input=random:1 --verify
func.func @main(%x: tensor<1x7x15xf32>, %wq: tensor<15x30xf32>, %wk: tensor<15x15xf32>,
                %wv: tensor<15x15xf32>, %wo: tensor<30x15xf32>) -> tensor<1x7x15xf32> {
  %zero = arith.constant 0.0 : f32
  %empty30 = tensor.empty() : tensor<7x30xf32>
  %empty15 = tensor.empty() : tensor<7x15xf32>
  %zero30 = linalg.fill ins(%zero : f32) outs(%empty30 : tensor<7x30xf32>) -> tensor<7x30xf32>
  %zero15 = linalg.fill ins(%zero : f32) outs(%empty15 : tensor<7x15xf32>) -> tensor<7x15xf32>
  %tokens = tensor.collapse_shape %x [[0, 1], [2]] : tensor<1x7x15xf32> into tensor<7x15xf32>

  %xq = linalg.matmul ins(%tokens, %wq : tensor<7x15xf32>, tensor<15x30xf32>)
      outs(%zero30 : tensor<7x30xf32>) -> tensor<7x30xf32>
  %xk = linalg.matmul ins(%tokens, %wk : tensor<7x15xf32>, tensor<15x15xf32>)
      outs(%zero15 : tensor<7x15xf32>) -> tensor<7x15xf32>
  %xv = linalg.matmul ins(%tokens, %wv : tensor<7x15xf32>, tensor<15x15xf32>)
      outs(%zero15 : tensor<7x15xf32>) -> tensor<7x15xf32>

  %query = tensor.expand_shape %xq [[0, 1], [2, 3]] output_shape [1, 7, 6, 5]
      : tensor<7x30xf32> into tensor<1x7x6x5xf32>
  %key = tensor.expand_shape %xk [[0, 1], [2, 3]] output_shape [1, 7, 3, 5]
      : tensor<7x15xf32> into tensor<1x7x3x5xf32>
  %value = tensor.expand_shape %xv [[0, 1], [2, 3]] output_shape [1, 7, 3, 5]
      : tensor<7x15xf32> into tensor<1x7x3x5xf32>

  %heads = mha.attention
      query(%query : tensor<1x7x6x5xf32>, bshd)
      key(%key : tensor<1x7x3x5xf32>, bshd)
      value(%value : tensor<1x7x3x5xf32>, bshd)
      mask<causal> -> tensor<1x7x6x5xf32>

  %joined = tensor.collapse_shape %heads [[0, 1], [2, 3]] : tensor<1x7x6x5xf32> into tensor<7x30xf32>
  %xo = linalg.matmul ins(%joined, %wo : tensor<7x30xf32>, tensor<30x15xf32>)
      outs(%zero15 : tensor<7x15xf32>) -> tensor<7x15xf32>
  %output = tensor.expand_shape %xo [[0, 1], [2]] output_shape [1, 7, 15]
      : tensor<7x15xf32> into tensor<1x7x15xf32>
  return %output : tensor<1x7x15xf32>
}
