// RUN: mha-opt %s --split-input-file --verify-diagnostics

func.func @c27_kind(%x: tensor<2x7x5xf32>, %w: memref<3x5xf32>, %b: tensor<3xf32>, %y: tensor<2x7x3xf32>) {
  // expected-error @+1 {{'mha.projection' op expected all shaped operands to be tensors, or all to be memrefs, found 'tensor<2x7x5xf32>' and 'memref<3x5xf32>'}}
  %0 = mha.projection input(%x : tensor<2x7x5xf32>) weight(%w : memref<3x5xf32>, oe) bias(%b : tensor<3xf32>) outs(%y : tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
  return
}

// -----

func.func @c27_rank(%x: tensor<2x7x5xf32>, %w: tensor<3x5xf32>, %b: tensor<3xf32>, %y: tensor<7x3xf32>) {
  // expected-error @+1 {{'mha.projection' op expected output of the rank of the input, found 'tensor<2x7x5xf32>' and 'tensor<7x3xf32>'}}
  %0 = mha.projection input(%x : tensor<2x7x5xf32>) weight(%w : tensor<3x5xf32>, oe) bias(%b : tensor<3xf32>) outs(%y : tensor<7x3xf32>) -> tensor<7x3xf32>
  return
}

// -----

func.func @c27_batch(%x: tensor<2x7x5xf32>, %w: tensor<3x5xf32>, %b: tensor<3xf32>, %y: tensor<4x7x3xf32>) {
  // expected-error @+1 {{'mha.projection' op expected the batch size of output (4) to be that of input (2)}}
  %0 = mha.projection input(%x : tensor<2x7x5xf32>) weight(%w : tensor<3x5xf32>, oe) bias(%b : tensor<3xf32>) outs(%y : tensor<4x7x3xf32>) -> tensor<4x7x3xf32>
  return
}

// -----

func.func @c27_length(%x: tensor<2x7x5xf32>, %w: tensor<3x5xf32>, %b: tensor<3xf32>, %y: tensor<2x8x3xf32>) {
  // expected-error @+1 {{'mha.projection' op expected the length of output (8) to be that of input (7)}}
  %0 = mha.projection input(%x : tensor<2x7x5xf32>) weight(%w : tensor<3x5xf32>, oe) bias(%b : tensor<3xf32>) outs(%y : tensor<2x8x3xf32>) -> tensor<2x8x3xf32>
  return
}

// -----

func.func @c27_in(%x: tensor<2x7x5xf32>, %w: tensor<3x6xf32>, %b: tensor<3xf32>, %y: tensor<2x7x3xf32>) {
  // expected-error @+1 {{'mha.projection' op expected the input size of weight (6) to be that of input (5)}}
  %0 = mha.projection input(%x : tensor<2x7x5xf32>) weight(%w : tensor<3x6xf32>, oe) bias(%b : tensor<3xf32>) outs(%y : tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
  return
}

// -----

func.func @c27_in_eo(%x: tensor<2x7x5xf32>, %w: tensor<3x5xf32>, %b: tensor<5xf32>, %y: tensor<2x7x5xf32>) {
  // expected-error @+1 {{'mha.projection' op expected the input size of weight (3) to be that of input (5)}}
  %0 = mha.projection input(%x : tensor<2x7x5xf32>) weight(%w : tensor<3x5xf32>, eo) bias(%b : tensor<5xf32>) outs(%y : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  return
}

// -----

func.func @c27_out(%x: tensor<2x7x5xf32>, %w: tensor<3x5xf32>, %b: tensor<3xf32>, %y: tensor<2x7x4xf32>) {
  // expected-error @+1 {{'mha.projection' op expected the output size of output (4) to be that of weight (3)}}
  %0 = mha.projection input(%x : tensor<2x7x5xf32>) weight(%w : tensor<3x5xf32>, oe) bias(%b : tensor<3xf32>) outs(%y : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

func.func @c27_bias(%x: tensor<2x7x5xf32>, %w: tensor<3x5xf32>, %b: tensor<4xf32>, %y: tensor<2x7x3xf32>) {
  // expected-error @+1 {{'mha.projection' op expected the output size of bias (4) to be that of weight (3)}}
  %0 = mha.projection input(%x : tensor<2x7x5xf32>) weight(%w : tensor<3x5xf32>, oe) bias(%b : tensor<4xf32>) outs(%y : tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
  return
}

// -----

func.func @c28(%x: tensor<2x7x5xf32>, %w: tensor<3x5xf32>, %b: tensor<3xf64>, %y: tensor<2x7x3xf32>) {
  // expected-error @+1 {{'mha.projection' op expected f64 in all operands or in none, found 'f32' in input and 'f64' in bias}}
  %0 = mha.projection input(%x : tensor<2x7x5xf32>) weight(%w : tensor<3x5xf32>, oe) bias(%b : tensor<3xf64>) outs(%y : tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
  return
}

// -----

func.func @f8(%x: tensor<2x7x5xf32>, %w: tensor<3x5xf8E5M2>, %b: tensor<3xf32>, %y: tensor<2x7x3xf32>) {
  // expected-error @+1 {{'mha.projection' op element type 'f8E5M2' of weight is not implemented yet, expected f16, bf16, f32 or f64}}
  %0 = mha.projection input(%x : tensor<2x7x5xf32>) weight(%w : tensor<3x5xf8E5M2>, oe) bias(%b : tensor<3xf32>) outs(%y : tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
  return
}

// -----

func.func @layout(%x: tensor<2x7x5xf32>, %w: tensor<3x5xf32>, %b: tensor<3xf32>, %y: tensor<2x7x3xf32>) {
  // expected-error @+1 {{expected 'oe' or 'eo', found 'io'}}
  %0 = mha.projection input(%x : tensor<2x7x5xf32>) weight(%w : tensor<3x5xf32>, io) bias(%b : tensor<3xf32>) outs(%y : tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
  return
}

// -----

func.func @c27_residual_rank(%x: tensor<2x7x5xf32>, %w: tensor<3x5xf32>, %r: tensor<7x3xf32>, %y: tensor<2x7x3xf32>) {
  // expected-error @+1 {{'mha.projection' op expected residual of the rank of the input, found 'tensor<2x7x5xf32>' and 'tensor<7x3xf32>'}}
  %0 = mha.projection input(%x : tensor<2x7x5xf32>) weight(%w : tensor<3x5xf32>, oe) residual(%r : tensor<7x3xf32>) outs(%y : tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
  return
}

// -----

func.func @c27_residual(%x: tensor<2x7x5xf32>, %w: tensor<3x5xf32>, %r: tensor<2x7x5xf32>, %y: tensor<2x7x3xf32>) {
  // expected-error @+1 {{'mha.projection' op expected the output size of residual (5) to be that of weight (3)}}
  %0 = mha.projection input(%x : tensor<2x7x5xf32>) weight(%w : tensor<3x5xf32>, oe) residual(%r : tensor<2x7x5xf32>) outs(%y : tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
  return
}

// -----

func.func @c31_kind(%x: tensor<7x5xf32>, %w: memref<9x5xf32>, %q: tensor<7x9xf32>) {
  // expected-error @+1 {{'mha.qkv_projection' op expected all shaped operands to be tensors, or all to be memrefs, found 'tensor<7x5xf32>' and 'memref<9x5xf32>'}}
  %0 = mha.qkv_projection input(%x : tensor<7x5xf32>) weight(%w : memref<9x5xf32>, oe) outs(%q : tensor<7x9xf32>) -> tensor<7x9xf32>
  return
}

// -----

func.func @c31_rank(%x: tensor<2x7x5xf32>, %w: tensor<9x5xf32>, %q: tensor<7x9xf32>) {
  // expected-error @+1 {{'mha.qkv_projection' op expected outputs of the rank of the input, found 'tensor<2x7x5xf32>' and 'tensor<7x9xf32>'}}
  %0 = mha.qkv_projection input(%x : tensor<2x7x5xf32>) weight(%w : tensor<9x5xf32>, oe) outs(%q : tensor<7x9xf32>) -> tensor<7x9xf32>
  return
}

// -----

func.func @c31_input(%x: tensor<7x5xf32>, %w: tensor<9x6xf32>, %q: tensor<7x9xf32>) {
  // expected-error @+1 {{'mha.qkv_projection' op expected the input size of weight (6) to be that of input (5)}}
  %0 = mha.qkv_projection input(%x : tensor<7x5xf32>) weight(%w : tensor<9x6xf32>, oe) outs(%q : tensor<7x9xf32>) -> tensor<7x9xf32>
  return
}

// -----

func.func @c31_length(%x: tensor<7x5xf32>, %w: tensor<9x5xf32>, %q: tensor<7x6xf32>, %k: tensor<8x3xf32>) {
  // expected-error @+1 {{'mha.qkv_projection' op expected the length of output (8) to be that of input (7)}}
  %0:2 = mha.qkv_projection input(%x : tensor<7x5xf32>) weight(%w : tensor<9x5xf32>, oe) outs(%q, %k : tensor<7x6xf32>, tensor<8x3xf32>) -> tensor<7x6xf32>, tensor<8x3xf32>
  return
}

// -----

func.func @c31_bias(%x: tensor<7x5xf32>, %w: tensor<5x9xf32>, %b: tensor<5xf32>, %q: tensor<7x9xf32>) {
  // expected-error @+1 {{'mha.qkv_projection' op expected the output size of bias (5) to be that of weight (9)}}
  %0 = mha.qkv_projection input(%x : tensor<7x5xf32>) weight(%w : tensor<5x9xf32>, eo) bias(%b : tensor<5xf32>) outs(%q : tensor<7x9xf32>) -> tensor<7x9xf32>
  return
}

// -----

func.func @c31_f64(%x: tensor<7x5xf32>, %w: tensor<9x5xf32>, %q: tensor<7x9xf64>) {
  // expected-error @+1 {{'mha.qkv_projection' op expected f64 in all operands or in none, found 'f32' in input and 'f64' in output}}
  %0 = mha.qkv_projection input(%x : tensor<7x5xf32>) weight(%w : tensor<9x5xf32>, oe) outs(%q : tensor<7x9xf64>) -> tensor<7x9xf64>
  return
}

// -----

func.func @c31_f8(%x: tensor<7x5xf32>, %w: tensor<9x5xf8E5M2>, %q: tensor<7x9xf32>) {
  // expected-error @+1 {{'mha.qkv_projection' op element type 'f8E5M2' of weight is not implemented yet, expected f16, bf16, f32 or f64}}
  %0 = mha.qkv_projection input(%x : tensor<7x5xf32>) weight(%w : tensor<9x5xf8E5M2>, oe) outs(%q : tensor<7x9xf32>) -> tensor<7x9xf32>
  return
}

// -----

func.func @c32_none(%x: tensor<7x5xf32>, %w: tensor<9x5xf32>) {
  // expected-error @+1 {{'mha.qkv_projection' op expected a result, found none}}
  "mha.qkv_projection"(%x, %w) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, weight_layout = #mha.weight_layout<oe>}> : (tensor<7x5xf32>, tensor<9x5xf32>) -> ()
  return
}

// -----

func.func @c32_sum(%x: tensor<7x5xf32>, %w: tensor<9x5xf32>, %q: tensor<7x6xf32>, %k: tensor<7x2xf32>) {
  // expected-error @+1 {{'mha.qkv_projection' op expected widths that add up to the outputs of weight (9), found 8}}
  %0:2 = mha.qkv_projection input(%x : tensor<7x5xf32>) weight(%w : tensor<9x5xf32>, oe) outs(%q, %k : tensor<7x6xf32>, tensor<7x2xf32>) -> tensor<7x6xf32>, tensor<7x2xf32>
  return
}

// -----

// A width that only run time knows does not make the others fit.
func.func @c32_too_wide(%x: tensor<7x5xf32>, %w: tensor<9x5xf32>, %q: tensor<7x?xf32>, %k: tensor<7x10xf32>) {
  // expected-error @+1 {{'mha.qkv_projection' op expected widths that add up to the outputs of weight (9), found 10}}
  %0:2 = mha.qkv_projection input(%x : tensor<7x5xf32>) weight(%w : tensor<9x5xf32>, oe) outs(%q, %k : tensor<7x?xf32>, tensor<7x10xf32>) -> tensor<7x?xf32>, tensor<7x10xf32>
  return
}

// -----

func.func @c32_overflow(%x: tensor<7x5xf32>, %w: tensor<?x5xf32>, %q: tensor<7x9223372036854775807xf32>) {
  // expected-error @+1 {{'mha.qkv_projection' op expected widths whose sum is a size}}
  %0:2 = mha.qkv_projection input(%x : tensor<7x5xf32>) weight(%w : tensor<?x5xf32>, oe) outs(%q, %q : tensor<7x9223372036854775807xf32>, tensor<7x9223372036854775807xf32>) -> tensor<7x9223372036854775807xf32>, tensor<7x9223372036854775807xf32>
  return
}

// -----

func.func @c32_empty(%x: tensor<7x5xf32>, %w: tensor<9x5xf32>, %q: tensor<7x9xf32>, %k: tensor<7x0xf32>) {
  // expected-error @+1 {{'mha.qkv_projection' op expected outputs that are not empty, found 'tensor<7x0xf32>'}}
  %0:2 = mha.qkv_projection input(%x : tensor<7x5xf32>) weight(%w : tensor<9x5xf32>, oe) outs(%q, %k : tensor<7x9xf32>, tensor<7x0xf32>) -> tensor<7x9xf32>, tensor<7x0xf32>
  return
}

// -----

func.func @c32_no_input(%x: tensor<7x0xf32>, %w: tensor<9x0xf32>, %q: tensor<7x9xf32>) {
  // expected-error @+1 {{'mha.qkv_projection' op expected a weight that is not empty, of strided memory, found 'tensor<9x0xf32>'}}
  %0 = mha.qkv_projection input(%x : tensor<7x0xf32>) weight(%w : tensor<9x0xf32>, oe) outs(%q : tensor<7x9xf32>) -> tensor<7x9xf32>
  return
}

// -----

func.func @c31_strided(%x: memref<7x5xf32>, %w: memref<9x5xf32, affine_map<(i, j) -> (i floordiv 2, j, i mod 2)>>, %q: memref<7x9xf32>) {
  // expected-error @+1 {{'mha.qkv_projection' op expected a weight that is not empty, of strided memory, found 'memref<9x5xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1, d0 mod 2)>>'}}
  mha.qkv_projection input(%x : memref<7x5xf32>) weight(%w : memref<9x5xf32, affine_map<(i, j) -> (i floordiv 2, j, i mod 2)>>, oe) outs(%q : memref<7x9xf32>)
  return
}

// -----

func.func @c31_overlap(%x: memref<7x5xf32>, %w: memref<10x5xf32>, %y: memref<7x5xf32>) {
  // expected-error @+1 {{'mha.qkv_projection' op expected destinations that overlap no other operand, found one that is another operand}}
  mha.qkv_projection input(%x : memref<7x5xf32>) weight(%w : memref<10x5xf32>, oe) outs(%y, %y : memref<7x5xf32>, memref<7x5xf32>)
  return
}

// -----

func.func @c27_overlap(%x: memref<7x5xf32>, %w: memref<3x5xf32>, %y: memref<7x3xf32>) {
  // expected-error @+1 {{'mha.projection' op expected destinations that overlap no other operand, found one that is another operand}}
  mha.projection input(%x : memref<7x5xf32>) weight(%w : memref<3x5xf32>, oe) residual(%y : memref<7x3xf32>) outs(%y : memref<7x3xf32>)
  return
}

// -----

func.func @c29_overlap(%k: memref<2x3x7x5xf32>) {
  // expected-error @+1 {{'mha.repeat_kv' op expected destinations that overlap no other operand, found one that is another operand}}
  mha.repeat_kv %k : memref<2x3x7x5xf32>, bhsd times 1 outs(%k : memref<2x3x7x5xf32>)
  return
}

// -----

func.func @c29_kind(%k: memref<2x3x7x5xf32>, %r: tensor<2x12x7x5xf32>) {
  // expected-error @+1 {{'mha.repeat_kv' op expected all shaped operands to be tensors, or all to be memrefs, found 'memref<2x3x7x5xf32>' and 'tensor<2x12x7x5xf32>'}}
  %0 = mha.repeat_kv %k : memref<2x3x7x5xf32>, bhsd times 4 outs(%r : tensor<2x12x7x5xf32>) -> tensor<2x12x7x5xf32>
  return
}

// -----

func.func @c29_split(%k: tensor<2x3x7x5xf32>, %r: tensor<2x12x7x5xf32>) {
  // expected-error @+1 {{'mha.repeat_kv' op expected a layout that does not split the heads, found 'bkgsd'}}
  %0 = mha.repeat_kv %k : tensor<2x3x7x5xf32>, bkgsd times 4 outs(%r : tensor<2x12x7x5xf32>) -> tensor<2x12x7x5xf32>
  return
}

// -----

func.func @c29_type(%k: tensor<2x3x7x5xf32>, %r: tensor<2x12x7x5xf16>) {
  // expected-error @+1 {{'mha.repeat_kv' op expected the element type of output to be that of input ('f32'), found 'f16'}}
  %0 = mha.repeat_kv %k : tensor<2x3x7x5xf32>, bhsd times 4 outs(%r : tensor<2x12x7x5xf16>) -> tensor<2x12x7x5xf16>
  return
}

// -----

func.func @c29_batch(%k: tensor<2x3x7x5xf32>, %r: tensor<3x12x7x5xf32>) {
  // expected-error @+1 {{'mha.repeat_kv' op expected the batch size of output (3) to be that of input (2)}}
  %0 = mha.repeat_kv %k : tensor<2x3x7x5xf32>, bhsd times 4 outs(%r : tensor<3x12x7x5xf32>) -> tensor<3x12x7x5xf32>
  return
}

// -----

func.func @c29_length(%k: tensor<2x3x7x5xf32>, %r: tensor<2x12x8x5xf32>) {
  // expected-error @+1 {{'mha.repeat_kv' op expected the length of output (8) to be that of input (7)}}
  %0 = mha.repeat_kv %k : tensor<2x3x7x5xf32>, bhsd times 4 outs(%r : tensor<2x12x8x5xf32>) -> tensor<2x12x8x5xf32>
  return
}

// -----

func.func @c29_head(%k: tensor<2x3x7x5xf32>, %r: tensor<2x12x7x6xf32>) {
  // expected-error @+1 {{'mha.repeat_kv' op expected the head size of output (6) to be that of input (5)}}
  %0 = mha.repeat_kv %k : tensor<2x3x7x5xf32>, bhsd times 4 outs(%r : tensor<2x12x7x6xf32>) -> tensor<2x12x7x6xf32>
  return
}

// -----

func.func @c29_heads(%k: tensor<2x3x7x5xf32>, %r: tensor<2x11x7x5xf32>) {
  // expected-error @+1 {{'mha.repeat_kv' op expected 3 x 4 heads in the output, found 11}}
  %0 = mha.repeat_kv %k : tensor<2x3x7x5xf32>, bhsd times 4 outs(%r : tensor<2x11x7x5xf32>) -> tensor<2x11x7x5xf32>
  return
}

// -----

// 4 x 2^62 wraps round to 0.
func.func @c29_wraps(%k: tensor<2x4x7x5xf32>, %r: tensor<2x0x7x5xf32>) {
  // expected-error @+1 {{'mha.repeat_kv' op expected 4 x 4611686018427387904 heads in the output, found 0}}
  %0 = mha.repeat_kv %k : tensor<2x4x7x5xf32>, bhsd times 4611686018427387904 outs(%r : tensor<2x0x7x5xf32>) -> tensor<2x0x7x5xf32>
  return
}

// -----

func.func @c30(%k: tensor<2x3x7x5xf32>, %r: tensor<2x12x7x5xf32>) {
  // expected-error @+1 {{'mha.repeat_kv' op expected to repeat each head at least once, found 0}}
  %0 = mha.repeat_kv %k : tensor<2x3x7x5xf32>, bhsd times 0 outs(%r : tensor<2x12x7x5xf32>) -> tensor<2x12x7x5xf32>
  return
}

// -----

func.func @f8(%k: tensor<2x3x7x5xf8E5M2>, %r: tensor<2x12x7x5xf8E5M2>) {
  // expected-error @+1 {{'mha.repeat_kv' op element type 'f8E5M2' of input is not implemented yet, expected f16, bf16, f32 or f64}}
  %0 = mha.repeat_kv %k : tensor<2x3x7x5xf8E5M2>, bhsd times 4 outs(%r : tensor<2x12x7x5xf8E5M2>) -> tensor<2x12x7x5xf8E5M2>
  return
}
