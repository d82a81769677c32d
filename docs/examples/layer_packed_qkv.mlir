// A layer with one packed projection: queries of 8 heads, keys and values of 2, are parts
// of its rows, and attention reads them there. Nothing is copied for them.
//
//   mha-run docs/examples/layer_packed_qkv.mlir --input=x=100x512xf32=random:1 --verify
func.func @main(%x: tensor<?x512xf32>, %wqkv: tensor<512x768xf32>, %wo: tensor<512x512xf32>) -> tensor<?x512xf32> {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %x, %c0 : tensor<?x512xf32>
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty(%s) : tensor<?x768xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x768xf32>) -> tensor<?x768xf32>
  %p = linalg.matmul ins(%x, %wqkv : tensor<?x512xf32>, tensor<512x768xf32>) outs(%f0 : tensor<?x768xf32>)
    -> tensor<?x768xf32>
  %q2 = tensor.extract_slice %p[0, 0] [%s, 512] [1, 1] : tensor<?x768xf32> to tensor<?x512xf32>
  %q = tensor.expand_shape %q2 [[0, 1], [2, 3]] output_shape [1, %s, 8, 64] : tensor<?x512xf32> into tensor<1x?x8x64xf32>
  %k2 = tensor.extract_slice %p[0, 512] [%s, 128] [1, 1] : tensor<?x768xf32> to tensor<?x128xf32>
  %k = tensor.expand_shape %k2 [[0, 1], [2, 3]] output_shape [1, %s, 2, 64] : tensor<?x128xf32> into tensor<1x?x2x64xf32>
  %v2 = tensor.extract_slice %p[0, 640] [%s, 128] [1, 1] : tensor<?x768xf32> to tensor<?x128xf32>
  %v = tensor.expand_shape %v2 [[0, 1], [2, 3]] output_shape [1, %s, 2, 64] : tensor<?x128xf32> into tensor<1x?x2x64xf32>
  %o = mha.attention query(%q : tensor<1x?x8x64xf32>, bshd) key(%k : tensor<1x?x2x64xf32>, bshd)
    value(%v : tensor<1x?x2x64xf32>, bshd) mask<causal> align(top_left) -> tensor<1x?x8x64xf32>
  %o2 = tensor.collapse_shape %o [[0, 1], [2, 3]] : tensor<1x?x8x64xf32> into tensor<?x512xf32>
  %e1 = tensor.empty(%s) : tensor<?x512xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x512xf32>) -> tensor<?x512xf32>
  %r = linalg.matmul ins(%o2, %wo : tensor<?x512xf32>, tensor<512x512xf32>) outs(%f1 : tensor<?x512xf32>)
    -> tensor<?x512xf32>
  return %r : tensor<?x512xf32>
}
