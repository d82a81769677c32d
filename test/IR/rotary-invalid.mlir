// RUN: mha-opt %s --split-input-file --verify-diagnostics

func.func @c42_kind(%x: tensor<2x3x7x8xf32>, %y: tensor<2x3x7x8xf32>, %o: memref<2xi64>) {
  // expected-error @+1 {{'mha.rotary_embedding' op expected all shaped operands to be tensors, or all to be memrefs, found 'tensor<2x3x7x8xf32>' and 'memref<2xi64>'}}
  %0 = mha.rotary_embedding %x : tensor<2x3x7x8xf32>, bhsd theta(10000.0) offset(%o : memref<2xi64>) outs(%y : tensor<2x3x7x8xf32>) -> tensor<2x3x7x8xf32>
  return
}

// -----

func.func @c42_layout(%x: tensor<2x3x7x8xf32>, %y: tensor<2x3x7x8xf32>) {
  // expected-error @+1 {{'mha.rotary_embedding' op expected a layout that does not split the heads, found 'bkgsd'}}
  %0 = mha.rotary_embedding %x : tensor<2x3x7x8xf32>, bkgsd theta(10000.0) outs(%y : tensor<2x3x7x8xf32>) -> tensor<2x3x7x8xf32>
  return
}

// -----

func.func @c42_shape(%x: tensor<2x3x7x8xf32>, %y: tensor<2x3x9x8xf32>) {
  // expected-error @+1 {{'mha.rotary_embedding' op expected the length of output (9) to be that of input (7)}}
  %0 = mha.rotary_embedding %x : tensor<2x3x7x8xf32>, bhsd theta(10000.0) outs(%y : tensor<2x3x9x8xf32>) -> tensor<2x3x9x8xf32>
  return
}

// -----

func.func @c42_type(%x: tensor<2x3x7x8xf32>, %y: tensor<2x3x7x8xbf16>) {
  // expected-error @+1 {{'mha.rotary_embedding' op expected the element type of output to be that of input ('f32'), found 'bf16'}}
  %0 = mha.rotary_embedding %x : tensor<2x3x7x8xf32>, bhsd theta(10000.0) outs(%y : tensor<2x3x7x8xbf16>) -> tensor<2x3x7x8xbf16>
  return
}

// -----

func.func @c42_dynamic(%x: tensor<2x3x7x?xf32>, %y: tensor<2x3x7x?xf32>) {
  // expected-error @+1 {{'mha.rotary_embedding' op expected a static head size, found 'tensor<2x3x7x?xf32>'}}
  %0 = mha.rotary_embedding %x : tensor<2x3x7x?xf32>, bhsd rotary_dim(4) theta(10000.0) outs(%y : tensor<2x3x7x?xf32>) -> tensor<2x3x7x?xf32>
  return
}

// -----

func.func @c42_overlap(%x: memref<2x3x7x8xf32>) {
  // expected-error @+1 {{'mha.rotary_embedding' op expected destinations that overlap no other operand, found one that is another operand}}
  mha.rotary_embedding %x : memref<2x3x7x8xf32>, bhsd theta(10000.0) outs(%x : memref<2x3x7x8xf32>)
  return
}

// -----

func.func @c43_odd(%x: tensor<2x3x7x8xf32>, %y: tensor<2x3x7x8xf32>) {
  // expected-error @+1 {{'mha.rotary_embedding' op expected an even rotary size from 2 to the head size (8), found 5}}
  %0 = mha.rotary_embedding %x : tensor<2x3x7x8xf32>, bhsd rotary_dim(5) theta(10000.0) outs(%y : tensor<2x3x7x8xf32>) -> tensor<2x3x7x8xf32>
  return
}

// -----

func.func @c43_large(%x: tensor<2x3x7x8xf32>, %y: tensor<2x3x7x8xf32>) {
  // expected-error @+1 {{'mha.rotary_embedding' op expected an even rotary size from 2 to the head size (8), found 10}}
  %0 = mha.rotary_embedding %x : tensor<2x3x7x8xf32>, bhsd rotary_dim(10) theta(10000.0) outs(%y : tensor<2x3x7x8xf32>) -> tensor<2x3x7x8xf32>
  return
}

// -----

func.func @c43_zero(%x: tensor<2x3x7x8xf32>, %y: tensor<2x3x7x8xf32>) {
  // expected-error @+1 {{'mha.rotary_embedding' op expected an even rotary size from 2 to the head size (8), found 0}}
  %0 = mha.rotary_embedding %x : tensor<2x3x7x8xf32>, bhsd rotary_dim(0) theta(10000.0) outs(%y : tensor<2x3x7x8xf32>) -> tensor<2x3x7x8xf32>
  return
}

// -----

func.func @c43_head(%x: tensor<2x3x5x7xf32>, %y: tensor<2x3x5x7xf32>) {
  // expected-error @+1 {{'mha.rotary_embedding' op expected an even rotary size from 2 to the head size (7), found 7}}
  %0 = mha.rotary_embedding %x : tensor<2x3x5x7xf32>, bhsd theta(10000.0) outs(%y : tensor<2x3x5x7xf32>) -> tensor<2x3x5x7xf32>
  return
}

// -----

func.func @c44_none(%x: tensor<2x3x7x8xf32>, %y: tensor<2x3x7x8xf32>) {
  // expected-error @+1 {{'mha.rotary_embedding' op expected either 'theta', or both 'cos' and 'sin'}}
  %0 = mha.rotary_embedding %x : tensor<2x3x7x8xf32>, bhsd  outs(%y : tensor<2x3x7x8xf32>) -> tensor<2x3x7x8xf32>
  return
}

// -----

func.func @c44_both(%x: tensor<2x3x7x8xf32>, %y: tensor<2x3x7x8xf32>, %c: tensor<9x4xf32>, %s: tensor<9x4xf32>) {
  // expected-error @+1 {{'mha.rotary_embedding' op expected either 'theta', or both 'cos' and 'sin'}}
  %0 = mha.rotary_embedding %x : tensor<2x3x7x8xf32>, bhsd theta(10000.0) cos(%c : tensor<9x4xf32>) sin(%s : tensor<9x4xf32>) outs(%y : tensor<2x3x7x8xf32>) -> tensor<2x3x7x8xf32>
  return
}

// -----

func.func @c44_one(%x: tensor<2x3x7x8xf32>, %y: tensor<2x3x7x8xf32>, %c: tensor<9x4xf32>, %s: tensor<9x4xf32>) {
  // expected-error @+1 {{'mha.rotary_embedding' op expected either 'theta', or both 'cos' and 'sin'}}
  %0 = mha.rotary_embedding %x : tensor<2x3x7x8xf32>, bhsd cos(%c : tensor<9x4xf32>) outs(%y : tensor<2x3x7x8xf32>) -> tensor<2x3x7x8xf32>
  return
}

// -----

func.func @c44_theta(%x: tensor<2x3x7x8xf32>, %y: tensor<2x3x7x8xf32>) {
  // expected-error @+1 {{'mha.rotary_embedding' op expected a theta that is positive and finite, found 0}}
  %0 = mha.rotary_embedding %x : tensor<2x3x7x8xf32>, bhsd theta(0.0) outs(%y : tensor<2x3x7x8xf32>) -> tensor<2x3x7x8xf32>
  return
}

// -----

func.func @c44_columns(%x: tensor<2x3x7x8xf32>, %y: tensor<2x3x7x8xf32>, %c: tensor<9x4xf32>, %s: tensor<9x4xf32>) {
  // expected-error @+1 {{'mha.rotary_embedding' op expected 'cos' and 'sin' of one shape with 3 columns, found 'tensor<9x4xf32>' and 'tensor<9x4xf32>'}}
  %0 = mha.rotary_embedding %x : tensor<2x3x7x8xf32>, bhsd rotary_dim(6) cos(%c : tensor<9x4xf32>) sin(%s : tensor<9x4xf32>) outs(%y : tensor<2x3x7x8xf32>) -> tensor<2x3x7x8xf32>
  return
}

// -----

func.func @c44_no_rows(%x: tensor<2x3x7x8xf32>, %y: tensor<2x3x7x8xf32>, %c: tensor<0x4xf32>) {
  // expected-error @+1 {{'mha.rotary_embedding' op expected tables with at least one position, found 'tensor<0x4xf32>'}}
  %0 = mha.rotary_embedding %x : tensor<2x3x7x8xf32>, bhsd cos(%c : tensor<0x4xf32>) sin(%c : tensor<0x4xf32>) outs(%y : tensor<2x3x7x8xf32>) -> tensor<2x3x7x8xf32>
  return
}

// -----

func.func @c44_shapes(%x: tensor<2x3x7x8xf32>, %y: tensor<2x3x7x8xf32>, %c: tensor<9x4xf32>, %s: tensor<10x4xf32>) {
  // expected-error @+1 {{'mha.rotary_embedding' op expected 'cos' and 'sin' of one shape with 4 columns, found 'tensor<9x4xf32>' and 'tensor<10x4xf32>'}}
  %0 = mha.rotary_embedding %x : tensor<2x3x7x8xf32>, bhsd cos(%c : tensor<9x4xf32>) sin(%s : tensor<10x4xf32>) outs(%y : tensor<2x3x7x8xf32>) -> tensor<2x3x7x8xf32>
  return
}

// -----

func.func @c45_both(%x: tensor<2x3x7x8xf32>, %y: tensor<2x3x7x8xf32>, %p: tensor<2x7xi64>, %o: i64) {
  // expected-error @+1 {{'mha.rotary_embedding' op expected at most one of 'position_ids', 'offset' and tables of rank 3}}
  %0 = mha.rotary_embedding %x : tensor<2x3x7x8xf32>, bhsd theta(10000.0) position_ids(%p : tensor<2x7xi64>) offset(%o : i64) outs(%y : tensor<2x3x7x8xf32>) -> tensor<2x3x7x8xf32>
  return
}

// -----

func.func @c45_rows(%x: tensor<2x3x7x8xf32>, %y: tensor<2x3x7x8xf32>, %c: tensor<2x7x4xf32>, %o: i64) {
  // expected-error @+1 {{'mha.rotary_embedding' op expected at most one of 'position_ids', 'offset' and tables of rank 3}}
  %0 = mha.rotary_embedding %x : tensor<2x3x7x8xf32>, bhsd cos(%c : tensor<2x7x4xf32>) sin(%c : tensor<2x7x4xf32>) offset(%o : i64) outs(%y : tensor<2x3x7x8xf32>) -> tensor<2x3x7x8xf32>
  return
}

// -----

func.func @c45_ids(%x: tensor<2x3x7x8xf32>, %y: tensor<2x3x7x8xf32>, %p: tensor<2x8xi64>) {
  // expected-error @+1 {{'mha.rotary_embedding' op expected the length of position_ids (8) to be that of input (7)}}
  %0 = mha.rotary_embedding %x : tensor<2x3x7x8xf32>, bhsd theta(10000.0) position_ids(%p : tensor<2x8xi64>) outs(%y : tensor<2x3x7x8xf32>) -> tensor<2x3x7x8xf32>
  return
}

// -----

func.func @c45_offset(%x: tensor<2x3x7x8xf32>, %y: tensor<2x3x7x8xf32>, %o: tensor<3xi64>) {
  // expected-error @+1 {{'mha.rotary_embedding' op expected the batch size of offset (3) to be that of input (2)}}
  %0 = mha.rotary_embedding %x : tensor<2x3x7x8xf32>, bhsd theta(10000.0) offset(%o : tensor<3xi64>) outs(%y : tensor<2x3x7x8xf32>) -> tensor<2x3x7x8xf32>
  return
}

// -----

func.func @c45_tables(%x: tensor<2x3x7x8xf32>, %y: tensor<2x3x7x8xf32>, %c: tensor<2x6x4xf32>) {
  // expected-error @+1 {{'mha.rotary_embedding' op expected the length of cos (6) to be that of input (7)}}
  %0 = mha.rotary_embedding %x : tensor<2x3x7x8xf32>, bhsd cos(%c : tensor<2x6x4xf32>) sin(%c : tensor<2x6x4xf32>) outs(%y : tensor<2x3x7x8xf32>) -> tensor<2x3x7x8xf32>
  return
}

// -----

func.func @c46(%x: tensor<2x3x7x8xf32>, %y: tensor<2x3x7x8xf32>, %c: tensor<9x4xf32>, %s: tensor<9x4xf64>) {
  // expected-error @+1 {{'mha.rotary_embedding' op expected f64 in all operands or in none, found 'f32' in input and 'f64' in sin}}
  %0 = mha.rotary_embedding %x : tensor<2x3x7x8xf32>, bhsd cos(%c : tensor<9x4xf32>) sin(%s : tensor<9x4xf64>) outs(%y : tensor<2x3x7x8xf32>) -> tensor<2x3x7x8xf32>
  return
}

// -----

func.func @f8(%x: tensor<2x3x7x8xf8E5M2>, %y: tensor<2x3x7x8xf8E5M2>) {
  // expected-error @+1 {{'mha.rotary_embedding' op element type 'f8E5M2' of input is not implemented yet, expected f16, bf16, f32 or f64}}
  %0 = mha.rotary_embedding %x : tensor<2x3x7x8xf8E5M2>, bhsd theta(10000.0) outs(%y : tensor<2x3x7x8xf8E5M2>) -> tensor<2x3x7x8xf8E5M2>
  return
}
