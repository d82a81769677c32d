// RUN: mha-opt %s --split-input-file --verify-diagnostics

// What `mha.attention` requires as well is tested in invalid.mlir; here is one of each kind, and what is of states alone.

func.func @c1(%q: tensor<2x6x7x5xf32>, %k: memref<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>) {
  // expected-error @+1 {{'mha.online_attention' op expected all shaped operands to be tensors, or all to be memrefs, found 'tensor<2x6x7x5xf32>' and 'memref<2x3x11x5xf32>'}}
  %r:3 = mha.online_attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : memref<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)  state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) -> tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>
  return
}

// -----

func.func @c2(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>) {
  // expected-error @+1 {{'mha.online_attention' op expected query of rank 5 for its layout 'bkgsd', found 'tensor<2x6x7x5xf32>'}}
  %r:3 = mha.online_attention query(%q : tensor<2x6x7x5xf32>, bkgsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)  state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) -> tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>
  return
}

// -----

func.func @c3(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>, %len: tensor<3xi64>) {
  // expected-error @+1 {{'mha.online_attention' op expected the batch size of lengths (3) to be that of query (2)}}
  %r:3 = mha.online_attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) lengths(%len : tensor<3xi64>) state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) -> tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>
  return
}

// -----

func.func @c4(%q: tensor<2x5x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %a: tensor<2x5x7x4xf32>, %m: tensor<2x5x7xf32>, %s: tensor<2x5x7xf32>) {
  // expected-error @+1 {{'mha.online_attention' op expected the number of query heads (5) to be a multiple of the number of key heads (3)}}
  %r:3 = mha.online_attention query(%q : tensor<2x5x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)  state(%a, %m, %s : tensor<2x5x7x4xf32>, tensor<2x5x7xf32>, tensor<2x5x7xf32>) -> tensor<2x5x7x4xf32>, tensor<2x5x7xf32>, tensor<2x5x7xf32>
  return
}

// -----

func.func @c5(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x6xf32>, %v: tensor<2x3x11x4xf32>, %a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>) {
  // expected-error @+1 {{'mha.online_attention' op expected the head size of key (6) to be that of query (5)}}
  %r:3 = mha.online_attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x6xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)  state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) -> tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>
  return
}

// -----

func.func @c6(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x12x4xf32>, %a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>) {
  // expected-error @+1 {{'mha.online_attention' op expected the length of value (12) to be that of key (11)}}
  %r:3 = mha.online_attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x12x4xf32>, bhsd)  state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) -> tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>
  return
}

// -----

func.func @c9(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf64>, %a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>) {
  // expected-error @+1 {{'mha.online_attention' op expected f64 in all of query, key and value or in none, found 'f32' in query and 'f64' in value}}
  %r:3 = mha.online_attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf64>, bhsd)  state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) -> tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>
  return
}

// -----

func.func @c10(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>) {
  // expected-error @+1 {{'mha.online_attention' op expected an 'align' for the mask: only where query and key have the same static length, and there are no lengths and no origin, top left and bottom right are the same}}
  %r:3 = mha.online_attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) mask<causal> state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) -> tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>
  return
}

// -----

func.func @c14(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>) {
  // expected-error @+1 {{'mha.online_attention' op expected a scale that is finite in 'f32', found 1.000000e+300}}
  %r:3 = mha.online_attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) scale(1.0e300) state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) -> tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>
  return
}

// -----

func.func @c15(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>, %i: index) {
  // expected-error @+1 {{'mha.online_attention' op expected an origin of 4 values (b, h, i, j), found 1}}
  %r:3 = mha.online_attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) origin(%i) state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) -> tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>
  return
}

// -----

func.func @c18(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>, %d: tensor<7x10xi1>) {
  // expected-error @+1 {{'mha.online_attention' op expected size 1 of dense_mask to be 1 or 11, since it broadcasts to (B, Hq, Sq, Sk) from the right, found 'tensor<7x10xi1>'}}
  %r:3 = mha.online_attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) dense_mask(%d : tensor<7x10xi1>) state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) -> tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>
  return
}

// -----

func.func @c19(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>) {
  // expected-error @+1 {{'mha.online_attention' op expected 'slopes' with bias<alibi> and bias<alibi_symmetric>, and only with them}}
  %r:3 = mha.online_attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) align(top_left) bias<alibi> state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) -> tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>
  return
}

// -----

func.func @c20(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>) {
  // expected-error @+1 {{'mha.online_attention' op expected a soft cap that is positive and finite in 'f32', found -1.000000e+00}}
  %r:3 = mha.online_attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) softcap(-1.0) state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) -> tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>
  return
}

// -----

func.func @c22_acc(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %a: tensor<2x6x7x5xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>) {
  // expected-error @+1 {{'mha.online_attention' op expected the head size of acc (5) to be that of value (4)}}
  %r:3 = mha.online_attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)  state(%a, %m, %s : tensor<2x6x7x5xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) -> tensor<2x6x7x5xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>
  return
}

// -----

func.func @c22_max(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %a: tensor<2x6x7x4xf32>, %m: tensor<2x6x8xf32>, %s: tensor<2x6x7xf32>) {
  // expected-error @+1 {{'mha.online_attention' op expected the length of row_max (8) to be that of query (7)}}
  %r:3 = mha.online_attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)  state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x8xf32>, tensor<2x6x7xf32>) -> tensor<2x6x7x4xf32>, tensor<2x6x8xf32>, tensor<2x6x7xf32>
  return
}

// -----

func.func @c22_sum(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x5x7xf32>) {
  // expected-error @+1 {{'mha.online_attention' op expected the number of heads of row_sum (5) to be that of query (6)}}
  %r:3 = mha.online_attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)  state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x5x7xf32>) -> tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x5x7xf32>
  return
}

// -----

func.func @c22_type(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %a: tensor<2x6x7x4xf64>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>) {
  // expected-error @+1 {{'mha.online_attention' op expected acc of element type 'f32', found 'f64'}}
  %r:3 = mha.online_attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)  state(%a, %m, %s : tensor<2x6x7x4xf64>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) -> tensor<2x6x7x4xf64>, tensor<2x6x7xf32>, tensor<2x6x7xf32>
  return
}

// -----

func.func @c22_statistic(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf64>) {
  // expected-error @+1 {{'mha.online_attention' op expected row_sum of element type 'f32', found 'f64'}}
  %r:3 = mha.online_attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)  state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf64>) -> tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf64>
  return
}

// -----

func.func @c23(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>, %n: index) {
  // expected-error @+1 {{'mha.online_attention' op expected 'num_keys' beside an 'origin' only}}
  %r:3 = mha.online_attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) num_keys(%n) state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) -> tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>
  return
}

// -----

func.func @f8(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf8E5M2>, %a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>) {
  // expected-error @+1 {{'mha.online_attention' op element type 'f8E5M2' of value is not implemented yet, expected f16, bf16, f32 or f64}}
  %r:3 = mha.online_attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf8E5M2>, bhsd)  state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) -> tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>
  return
}

// -----

func.func @c24_parts(%pa: tensor<4x2x6x7x4xf32>, %pm: tensor<4x2x6x7xf32>, %ps: tensor<5x2x6x7xf32>, %a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>) {
  // expected-error @+1 {{'mha.merge' op expected the number of parts of row_sum of the parts (5) to be that of acc of the parts (4)}}
  %r:3 = mha.merge parts(%pa, %pm, %ps : tensor<4x2x6x7x4xf32>, tensor<4x2x6x7xf32>, tensor<5x2x6x7xf32>) state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) -> tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>
  return
}

// -----

func.func @c24_sizes(%pa: tensor<4x2x6x7x5xf32>, %pm: tensor<4x2x6x7xf32>, %ps: tensor<4x2x6x7xf32>, %a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>) {
  // expected-error @+1 {{'mha.merge' op expected the head size of acc of the parts (5) to be that of acc (4)}}
  %r:3 = mha.merge parts(%pa, %pm, %ps : tensor<4x2x6x7x5xf32>, tensor<4x2x6x7xf32>, tensor<4x2x6x7xf32>) state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) -> tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>
  return
}

// -----

func.func @c24_types(%pa: tensor<4x2x6x7x4xf32>, %pm: tensor<4x2x6x7xf64>, %ps: tensor<4x2x6x7xf32>, %a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>) {
  // expected-error @+1 {{'mha.merge' op expected the element type of row_max of the parts to be that of acc ('f32'), found 'f64'}}
  %r:3 = mha.merge parts(%pa, %pm, %ps : tensor<4x2x6x7x4xf32>, tensor<4x2x6x7xf64>, tensor<4x2x6x7xf32>) state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) -> tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>
  return
}

// -----

func.func @c24_memref(%pa: tensor<4x2x6x7x4xf32>, %pm: memref<4x2x6x7xf32>, %ps: tensor<4x2x6x7xf32>, %a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>) {
  // expected-error @+1 {{'mha.merge' op expected all shaped operands to be tensors, or all to be memrefs, found 'tensor<4x2x6x7x4xf32>' and 'memref<4x2x6x7xf32>'}}
  %r:3 = mha.merge parts(%pa, %pm, %ps : tensor<4x2x6x7x4xf32>, memref<4x2x6x7xf32>, tensor<4x2x6x7xf32>) state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) -> tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>
  return
}

// -----

func.func @c25_rank(%a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>, %o: tensor<2x6x7x4xf32>) {
  // expected-error @+1 {{'mha.finalize' op expected output of rank 5 for its layout 'bkgsd', found 'tensor<2x6x7x4xf32>'}}
  %r = mha.finalize state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>)  outs(%o : tensor<2x6x7x4xf32>, bkgsd) -> tensor<2x6x7x4xf32>
  return
}

// -----

func.func @c25_sizes(%a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>, %o: tensor<2x6x6x4xf32>) {
  // expected-error @+1 {{'mha.finalize' op expected the length of output (6) to be that of acc (7)}}
  %r = mha.finalize state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>)  outs(%o : tensor<2x6x6x4xf32>, bshd) -> tensor<2x6x6x4xf32>
  return
}

// -----

func.func @c25_state(%a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf64>, %o: tensor<2x6x7x4xf32>) {
  // expected-error @+1 {{'mha.finalize' op expected the element type of row_sum to be that of acc ('f32'), found 'f64'}}
  %r = mha.finalize state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf64>)  outs(%o : tensor<2x6x7x4xf32>, bhsd) -> tensor<2x6x7x4xf32>
  return
}

// -----

func.func @c25_f64(%a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>, %o: tensor<2x6x7x4xf64>) {
  // expected-error @+1 {{'mha.finalize' op expected f64 in the state and the output or in neither, found 'f32' and 'f64'}}
  %r = mha.finalize state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>)  outs(%o : tensor<2x6x7x4xf64>, bhsd) -> tensor<2x6x7x4xf64>
  return
}

// -----

func.func @c25_f8(%a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>, %o: tensor<2x6x7x4xf8E5M2>) {
  // expected-error @+1 {{'mha.finalize' op element type 'f8E5M2' of output is not implemented yet, expected f16, bf16, f32 or f64}}
  %r = mha.finalize state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>)  outs(%o : tensor<2x6x7x4xf8E5M2>, bhsd) -> tensor<2x6x7x4xf8E5M2>
  return
}

// -----

func.func @c25_memref(%a: tensor<2x6x7x4xf32>, %m: memref<2x6x7xf32>, %s: tensor<2x6x7xf32>, %o: tensor<2x6x7x4xf32>) {
  // expected-error @+1 {{'mha.finalize' op expected all shaped operands to be tensors, or all to be memrefs, found 'tensor<2x6x7x4xf32>' and 'memref<2x6x7xf32>'}}
  %r = mha.finalize state(%a, %m, %s : tensor<2x6x7x4xf32>, memref<2x6x7xf32>, tensor<2x6x7xf32>)  outs(%o : tensor<2x6x7x4xf32>, bhsd) -> tensor<2x6x7x4xf32>
  return
}

// -----

func.func @c26(%a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>, %o: tensor<2x6x7x4xf32>, %k: tensor<5xf32>) {
  // expected-error @+1 {{'mha.finalize' op expected the number of heads of sink (5) to be that of acc (6)}}
  %r = mha.finalize state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) sink(%k : tensor<5xf32>) outs(%o : tensor<2x6x7x4xf32>, bhsd) -> tensor<2x6x7x4xf32>
  return
}

// -----

func.func @c26_f8(%a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>, %o: tensor<2x6x7x4xf32>, %k: tensor<6xf8E5M2>) {
  // expected-error @+1 {{'mha.finalize' op element type 'f8E5M2' of sink is not implemented yet, expected f16, bf16, f32 or f64}}
  %r = mha.finalize state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) sink(%k : tensor<6xf8E5M2>) outs(%o : tensor<2x6x7x4xf32>, bhsd) -> tensor<2x6x7x4xf32>
  return
}
