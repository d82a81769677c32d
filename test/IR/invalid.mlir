// RUN: mha-opt %s --split-input-file --verify-diagnostics

// One function for each constraint of the op's description, named after it.

// Tensors and memrefs together.
func.func @attention_c1(%q: tensor<2x6x7x5xf32>, %k: memref<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected all shaped operands to be tensors, or all to be memrefs, found 'tensor<2x6x7x5xf32>' and 'memref<2x3x11x5xf32>'}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : memref<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A memref of lengths beside tensors.
func.func @attention_c1_lengths(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %len: memref<2xi64>) {
  // expected-error @below {{'mha.attention' op expected all shaped operands to be tensors, or all to be memrefs, found 'tensor<2x6x7x5xf32>' and 'memref<2xi64>'}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    lengths(%len : memref<2xi64>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A rank-5 query with a layout of four letters.
func.func @attention_c2(%q: tensor<2x3x2x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected query of rank 4 for its layout 'bhsd', found 'tensor<2x3x2x7x5xf32>'}}
  %o = mha.attention query(%q : tensor<2x3x2x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A rank-5 output with a layout of four letters.
func.func @attention_c2_output(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected output of rank 4 for its layout 'bhsd', found 'tensor<2x3x2x7x4xf32>'}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) -> tensor<2x3x2x7x4xf32>
  return
}

// -----

// Batch sizes of query and key differ.
func.func @attention_c3_key(%q: tensor<2x6x7x5xf32>, %k: tensor<3x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected the batch size of key (3) to be that of query (2)}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<3x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) -> tensor<2x6x7x4xf32>
  return
}

// -----

// Batch sizes of query and value differ.
func.func @attention_c3_value(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<3x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected the batch size of value (3) to be that of query (2)}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<3x3x11x4xf32>, bhsd) -> tensor<2x6x7x4xf32>
  return
}

// -----

// Batch sizes that contradict each other beside a query that does not say.
func.func @attention_c3_dynamic_query(%q: tensor<?x6x7x5xf32>, %k: tensor<?x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected the batch size of output (3) to be that of value (2)}}
  %o = mha.attention query(%q : tensor<?x6x7x5xf32>, bhsd) key(%k : tensor<?x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) -> tensor<3x6x7x4xf32>
  return
}

// -----

// One length too many.
func.func @attention_c3_lengths(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %len: tensor<3xi64>) {
  // expected-error @below {{'mha.attention' op expected the batch size of lengths (3) to be that of query (2)}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    lengths(%len : tensor<3xi64>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// One offset too many.
func.func @attention_c3_offset(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %off: tensor<3xi64>) {
  // expected-error @below {{'mha.attention' op expected the batch size of query_offset (3) to be that of query (2)}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    mask<causal> align(explicit) query_offset(%off : tensor<3xi64>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// Six query heads cannot share four key heads.
func.func @attention_c4(%q: tensor<2x6x7x5xf32>, %k: tensor<2x4x11x5xf32>, %v: tensor<2x4x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected the number of query heads (6) to be a multiple of the number of key heads (4)}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x4x11x5xf32>, bhsd) value(%v : tensor<2x4x11x4xf32>, bhsd) -> tensor<2x6x7x4xf32>
  return
}

// -----

// The value alone says how many heads there are.
func.func @attention_c4_value(%q: tensor<2x6x7x5xf32>, %k: tensor<2x?x11x5xf32>, %v: tensor<2x4x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected the number of query heads (6) to be a multiple of the number of value heads (4)}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x?x11x5xf32>, bhsd) value(%v : tensor<2x4x11x4xf32>, bhsd) -> tensor<2x6x7x4xf32>
  return
}

// -----

// The output alone says how many query heads there are.
func.func @attention_c4_output(%q: tensor<2x?x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected the number of query heads (8) to be a multiple of the number of key heads (3)}}
  %o = mha.attention query(%q : tensor<2x?x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) -> tensor<2x8x7x4xf32>
  return
}

// -----

// No key heads at all.
func.func @attention_c4_none(%q: tensor<2x6x7x5xf32>, %k: tensor<2x0x11x5xf32>, %v: tensor<2x0x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected at least one key/value head, found none in key}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x0x11x5xf32>, bhsd) value(%v : tensor<2x0x11x4xf32>, bhsd) -> tensor<2x6x7x4xf32>
  return
}

// -----

// Head sizes of query and key differ.
func.func @attention_c5(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x6xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected the head size of key (6) to be that of query (5)}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x6xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) -> tensor<2x6x7x4xf32>
  return
}

// -----

// Heads of key and value differ.
func.func @attention_c6_heads(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x6x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected the number of heads of value (6) to be that of key (3)}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x6x11x4xf32>, bhsd) -> tensor<2x6x7x4xf32>
  return
}

// -----

// Lengths of key and value differ.
func.func @attention_c6_length(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x12x4xf32>) {
  // expected-error @below {{'mha.attention' op expected the length of value (12) to be that of key (11)}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x12x4xf32>, bhsd) -> tensor<2x6x7x4xf32>
  return
}

// -----

// Batch size of the output.
func.func @attention_c7_batch(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected the batch size of output (1) to be that of query (2)}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) -> tensor<1x6x7x4xf32>
  return
}

// -----

// Heads of the output, which has the layout bshd.
func.func @attention_c7_heads(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected the number of heads of output (7) to be that of query (6)}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) -> (tensor<2x6x7x4xf32>, bshd)
  return
}

// -----

// Length of the output.
func.func @attention_c7_length(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected the length of output (11) to be that of query (7)}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) -> tensor<2x6x11x4xf32>
  return
}

// -----

// The output has the head size of the value, not of the query.
func.func @attention_c7_head_size(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected the head size of output (5) to be that of value (4)}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) -> tensor<2x6x7x5xf32>
  return
}

// -----

// The output has the element type of the query.
func.func @attention_c7_element(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected the element type of output to be that of query ('f32'), found 'f64'}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) -> tensor<2x6x7x4xf64>
  return
}

// -----

// The lse has no head size.
func.func @attention_c8_rank(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected lse of rank 3 (B, Hq, Sq), found 'tensor<2x6x7x1xf32>'}}
  %o, %l = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) -> (tensor<2x6x7x4xf32>, lse tensor<2x6x7x1xf32>)
  return
}

// -----

// Batch size of the lse.
func.func @attention_c8_batch(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected the batch size of lse (3) to be that of query (2)}}
  %o, %l = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) -> (tensor<2x6x7x4xf32>, lse tensor<3x6x7xf32>)
  return
}

// -----

// The lse is B x Hq x Sq in every layout.
func.func @attention_c8_heads(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected the number of heads of lse (7) to be that of query (6)}}
  %o, %l = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) -> (tensor<2x6x7x4xf32>, lse tensor<2x7x6xf32>)
  return
}

// -----

// Length of the lse.
func.func @attention_c8_length(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected the length of lse (8) to be that of query (7)}}
  %o, %l = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) -> (tensor<2x6x7x4xf32>, lse tensor<2x6x8xf32>)
  return
}

// -----

// The lse of f32 is f32.
func.func @attention_c8_element(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected lse of element type 'f32', found 'f64'}}
  %o, %l = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) -> (tensor<2x6x7x4xf32>, lse tensor<2x6x7xf64>)
  return
}

// -----

// Which way a causal mask leans is not guessed where lengths differ.
func.func @attention_c10(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected an 'align' for the mask: only where query and key have the same static length, and there are no lengths and no origin, top left and bottom right are the same}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    mask<causal> -> tensor<2x6x7x4xf32>
  return
}

// -----

// Lengths that may differ.
func.func @attention_c10_dynamic(%q: tensor<2x6x?x5xf32>, %k: tensor<2x3x?x5xf32>, %v: tensor<2x3x?x4xf32>) {
  // expected-error @below {{'mha.attention' op expected an 'align' for the mask: only where query and key have the same static length, and there are no lengths and no origin, top left and bottom right are the same}}
  %o = mha.attention query(%q : tensor<2x6x?x5xf32>, bhsd) key(%k : tensor<2x3x?x5xf32>, bhsd) value(%v : tensor<2x3x?x4xf32>, bhsd)
    mask<window<3, 0>> -> tensor<2x6x?x4xf32>
  return
}

// -----

// Square, but with lengths that may be shorter.
func.func @attention_c10_lengths(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x7x5xf32>, %v: tensor<2x3x7x4xf32>, %len: tensor<2xi64>) {
  // expected-error @below {{'mha.attention' op expected an 'align' for the mask: only where query and key have the same static length, and there are no lengths and no origin, top left and bottom right are the same}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x7x5xf32>, bhsd) value(%v : tensor<2x3x7x4xf32>, bhsd)
    mask<causal> lengths(%len : tensor<2xi64>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// Square, but a tile.
func.func @attention_c10_origin(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x7x5xf32>, %v: tensor<2x3x7x4xf32>, %i: index) {
  // expected-error @below {{'mha.attention' op expected an 'align' for the mask: only where query and key have the same static length, and there are no lengths and no origin, top left and bottom right are the same}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x7x5xf32>, bhsd) value(%v : tensor<2x3x7x4xf32>, bhsd)
    mask<causal> origin(%i, %i, %i, %i) -> tensor<2x6x7x4xf32>
  return
}

// -----

// An explicit position that is not there.
func.func @attention_c11_missing(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected 'query_offset' beside align(explicit)}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    mask<causal> align(explicit) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A position from the end that is not there.
func.func @attention_c11_end(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected 'query_offset' beside align(end)}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    mask<causal> align(end) -> tensor<2x6x7x4xf32>
  return
}

// -----

// Two positions of query 0.
func.func @attention_c11_contradiction(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %off: i64) {
  // expected-error @below {{'mha.attention' op expected align(explicit) or align(end) beside 'query_offset', found align(top_left)}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    mask<causal> align(top_left) query_offset(%off : i64) -> tensor<2x6x7x4xf32>
  return
}

// -----

// An offset from nowhere.
func.func @attention_c11_no_align(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %off: i64) {
  // expected-error @below {{'mha.attention' op expected align(explicit) or align(end) beside 'query_offset', found none}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    query_offset(%off : i64) -> tensor<2x6x7x4xf32>
  return
}

// -----

// The query length of a tile is not that of the problem.
func.func @attention_c12(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %i: index) {
  // expected-error @below {{'mha.attention' op expected align(end) with the query length as offset on a tile, found align(bottom_right)}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    mask<causal> align(bottom_right) origin(%i, %i, %i, %i) -> tensor<2x6x7x4xf32>
  return
}

// -----

// Nothing to align: a forgotten mask.
func.func @attention_c13(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected a positional mask or bias for align(bottom_right) to align}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    align(bottom_right) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A scale that is not a number to multiply by.
func.func @attention_c14_infinite(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected a scale that is finite in 'f32', found INF}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    scale(0x7FF0000000000000) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A scale that the type of the query cannot hold.
func.func @attention_c14_large(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected a scale that is finite in 'f32', found 1.000000e+39}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    scale(1.0e39) -> tensor<2x6x7x4xf32>
  return
}

// -----

// 1/sqrt(0).
func.func @attention_c14_default(%q: tensor<2x6x7x0xf32>, %k: tensor<2x3x11x0xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected a head size of at least 1 for the default scale 1/sqrt(D), found 0}}
  %o = mha.attention query(%q : tensor<2x6x7x0xf32>, bhsd) key(%k : tensor<2x3x11x0xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) -> tensor<2x6x7x4xf32>
  return
}

// -----

// An origin is a place in four dimensions.
func.func @attention_c15(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %i: index) {
  // expected-error @below {{'mha.attention' op expected an origin of 4 values (b, h, i, j), found 2}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    origin(%i, %i) -> tensor<2x6x7x4xf32>
  return
}

// -----

// Memrefs without a destination.
func.func @attention_c16_no_outs(%q: memref<2x6x7x5xf32>, %k: memref<2x3x11x5xf32>, %v: memref<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected 'outs' on memrefs}}
  mha.attention query(%q : memref<2x6x7x5xf32>, bhsd) key(%k : memref<2x3x11x5xf32>, bhsd) value(%v : memref<2x3x11x4xf32>, bhsd)
  return
}

// -----

// Memrefs with a result.
func.func @attention_c16_results(%q: memref<2x6x7x5xf32>, %k: memref<2x3x11x5xf32>, %v: memref<2x3x11x4xf32>, %i: memref<2x6x7x4xf32>) {
  // expected-error @below {{'mha.attention' op expected no results on memrefs, found 1}}
  %o = mha.attention query(%q : memref<2x6x7x5xf32>, bhsd) key(%k : memref<2x3x11x5xf32>, bhsd) value(%v : memref<2x3x11x4xf32>, bhsd)
    outs(%i : memref<2x6x7x4xf32>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// Tensors without a result.
func.func @attention_c16_no_result(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %i: tensor<2x6x7x4xf32>) {
  // expected-error @below {{'mha.attention' op expected an output result on tensors}}
  mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) outs(%i : tensor<2x6x7x4xf32>)
  return
}

// -----

// A destination for an lse that nobody asked for.
func.func @attention_c16_lse(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %i: tensor<2x6x7x4xf32>, %l: tensor<2x6x7xf32>) {
  // expected-error @below {{'mha.attention' op expected an lse result for the lse destination}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    outs(%i : tensor<2x6x7x4xf32>, lse %l : tensor<2x6x7xf32>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A destination of the lse alone, which the text form could not say.
func.func @attention_c16_lse_alone(%q: tensor<1x2x3x4xf32>, %l: tensor<1x2x3xf32>) {
  // expected-error @below {{'mha.attention' op expected a destination of the output beside that of the lse}}
  %0:2 = "mha.attention"(%q, %q, %q, %l) <{
      query_layout = #mha.layout<bhsd>, key_layout = #mha.layout<bhsd>, value_layout = #mha.layout<bhsd>,
      output_layout = #mha.layout<bhsd>,
      operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0>,
      resultSegmentSizes = array<i32: 1, 1, 0>}> ({}, {}, {})
    : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
    -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}

// -----

// A destination of another type than the result.
func.func @attention_c16_type(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %i: tensor<2x6x?x4xf32>) {
  // expected-error @below {{'mha.attention' op expected a destination of the result's type 'tensor<2x6x7x4xf32>', found 'tensor<2x6x?x4xf32>'}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    outs(%i : tensor<2x6x?x4xf32>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// Three dimensions.
func.func @attention_rank(%q: tensor<6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op operand #0 must be tensor or memref of rank 4 (5 with split heads) of floats, but got 'tensor<6x7x5xf32>'}}
  %o = mha.attention query(%q : tensor<6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) -> tensor<2x6x7x4xf32>
  return
}

// -----

// Integers.
func.func @attention_integers(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xi32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op operand #1 must be tensor or memref of rank 4 (5 with split heads) of floats, but got 'tensor<2x3x11x5xi32>'}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xi32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) -> tensor<2x6x7x4xf32>
  return
}

// -----

// Lengths of another width.
func.func @attention_lengths_type(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %len: tensor<2xi32>) {
  // expected-error @below {{'mha.attention' op operand #3 must be tensor or memref of rank 1 of i64, one value for each batch entry, but got 'tensor<2xi32>'}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    lengths(%len : tensor<2xi32>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// Keys have no group that splits their heads.
func.func @attention_c2_split_key(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x1x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected key heads of one axis, which no group splits, found the layout 'bkgsd'}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x1x11x5xf32>, bkgsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    -> tensor<2x6x7x4xf32>
  return
}

// -----

// Nor have values.
func.func @attention_c2_split_value(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x11x3x1x4xf32>) {
  // expected-error @below {{'mha.attention' op expected value heads of one axis, which no group splits, found the layout 'bskgd'}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x11x3x1x4xf32>, bskgd)
    -> tensor<2x6x7x4xf32>
  return
}

// -----

// One batch entry of keys, and another number of values.
func.func @attention_c3_one_key(%q: tensor<2x6x7x5xf32>, %k: tensor<1x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected the batch size of key (1) to be that of query (2)}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<1x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    -> tensor<2x6x7x4xf32>
  return
}

// -----

// Heads split otherwise than the keys' heads say.
func.func @attention_c4_split_query(%q: tensor<2x2x3x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected the number of key/value heads of query (2) to be that of key (3)}}
  %o = mha.attention query(%q : tensor<2x2x3x7x5xf32>, bkgsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    -> (tensor<2x6x7x4xf32>, bhsd)
  return
}

// -----

// The same in the output.
func.func @attention_c4_split_output(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected the number of key/value heads of output (6) to be that of key (3)}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    -> (tensor<2x6x1x7x4xf32>, bkgsd)
  return
}

// -----

// Groups of 2 are not all heads.
func.func @attention_c4_split_product(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected the number of heads of output (3) to be that of query (6)}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    -> (tensor<2x3x1x7x4xf32>, bkgsd)
  return
}

// -----

// f64 keys beside f32.
func.func @attention_c9_key(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf64>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected f64 in all of query, key and value or in none, found 'f32' in query and 'f64' in key}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf64>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    -> tensor<2x6x7x4xf32>
  return
}

// -----

// f32 values beside f64.
func.func @attention_c9_value(%q: tensor<2x6x7x5xf64>, %k: tensor<2x3x11x5xf64>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected f64 in all of query, key and value or in none, found 'f64' in query and 'f32' in value}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf64>, bhsd) key(%k : tensor<2x3x11x5xf64>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    -> tensor<2x6x7x4xf64>
  return
}

// -----

// A scale that bf16 has and the f32 of scores has not.
func.func @attention_c14_softscale(%q: tensor<2x6x7x5xbf16>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected a scale that is finite in 'f32', found 1.000000e+39}}
  %o = mha.attention query(%q : tensor<2x6x7x5xbf16>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    scale(1.0e39) -> tensor<2x6x7x4xbf16>
  return
}

// -----

// A mask for other keys.
func.func @attention_c18_keys(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %m: tensor<7x10xi1>) {
  // expected-error @below {{'mha.attention' op expected size 1 of dense_mask to be 1 or 11, since it broadcasts to (B, Hq, Sq, Sk) from the right, found 'tensor<7x10xi1>'}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    dense_mask(%m : tensor<7x10xi1>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A mask that broadcasts from the left only.
func.func @attention_c18_left(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %m: tensor<2x1xf32>) {
  // expected-error @below {{'mha.attention' op expected size 0 of dense_mask to be 1 or 7, since it broadcasts to (B, Hq, Sq, Sk) from the right, found 'tensor<2x1xf32>'}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    dense_mask(%m : tensor<2x1xf32>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A mask for key/value heads.
func.func @attention_c18_kv_heads(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %m: tensor<2x3x7x11xf16>) {
  // expected-error @below {{'mha.attention' op expected size 1 of dense_mask to be 1 or 6, since it broadcasts to (B, Hq, Sq, Sk) from the right, found 'tensor<2x3x7x11xf16>'}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    dense_mask(%m : tensor<2x3x7x11xf16>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A mask without elements.
func.func @attention_c18_empty(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %m: tensor<0xi1>) {
  // expected-error @below {{'mha.attention' op expected size 0 of dense_mask to be 1 or 11, since it broadcasts to (B, Hq, Sq, Sk) from the right, found 'tensor<0xi1>'}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    dense_mask(%m : tensor<0xi1>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// Five dimensions.
func.func @attention_dense_mask_rank(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %m: tensor<1x2x6x7x11xi1>) {
  // expected-error @below {{'mha.attention' op operand #3 must be tensor or memref of rank 0 to 4 of i1 or floats, but got 'tensor<1x2x6x7x11xi1>'}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    dense_mask(%m : tensor<1x2x6x7x11xi1>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// Integers that might be booleans.
func.func @attention_dense_mask_bytes(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %m: tensor<7x11xi8>) {
  // expected-error @below {{'mha.attention' op operand #3 must be tensor or memref of rank 0 to 4 of i1 or floats, but got 'tensor<7x11xi8>'}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    dense_mask(%m : tensor<7x11xi8>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// ALiBi without slopes.
func.func @attention_c19_no_slopes(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected 'slopes' with bias<alibi> and bias<alibi_symmetric>, and only with them}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    align(top_left) bias<alibi> -> tensor<2x6x7x4xf32>
  return
}

// -----

// Slopes without ALiBi.
func.func @attention_c19_no_alibi(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %s: tensor<6xf32>) {
  // expected-error @below {{'mha.attention' op expected 'slopes' with bias<alibi> and bias<alibi_symmetric>, and only with them}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    slopes(%s : tensor<6xf32>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A relative bias without a table.
func.func @attention_c19_no_table(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected a 'relative_table' with bias<relative>, and only with it}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    align(top_left) bias<relative> -> tensor<2x6x7x4xf32>
  return
}

// -----

// A table without a relative bias.
func.func @attention_c19_no_relative(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %t: tensor<6x21xf32>) {
  // expected-error @below {{'mha.attention' op expected a 'relative_table' with bias<relative>, and only with it}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    relative_table(%t : tensor<6x21xf32>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A slope for each key/value head.
func.func @attention_c19_slopes_of_kv_heads(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %s: tensor<3xf32>) {
  // expected-error @below {{'mha.attention' op expected the number of heads of slopes (3) to be that of query (6)}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    align(top_left) bias<alibi> slopes(%s : tensor<3xf32>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A table for each key/value head.
func.func @attention_c19_table_of_kv_heads(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %t: tensor<3x21xf32>) {
  // expected-error @below {{'mha.attention' op expected the number of heads of relative_table (3) to be that of query (6)}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    align(top_left) bias<relative> relative_table(%t : tensor<3x21xf32>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// No distance.
func.func @attention_c19_empty_table(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %t: tensor<6x0xf32>) {
  // expected-error @below {{'mha.attention' op expected a relative_table with at least one distance, found 'tensor<6x0xf32>'}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    align(top_left) bias<relative> relative_table(%t : tensor<6x0xf32>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A table for all heads.
func.func @attention_c19_table_rank(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %t: tensor<21xf32>) {
  // expected-error @below {{'mha.attention' op operand #3 must be tensor or memref of rank 2 of floats, query heads by distances, but got 'tensor<21xf32>'}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    align(top_left) bias<relative> relative_table(%t : tensor<21xf32>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// An origin that ALiBi has not.
func.func @attention_c19_origin(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %s: tensor<6xf32>) {
  // expected-error @below {{'mha.attention' op expected an origin of the bias with bias<relative> only, found #mha.bias<alibi, origin = 3>}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    align(top_left) bias<alibi, origin = 3> slopes(%s : tensor<6xf32>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A bias needs an align as a mask does.
func.func @attention_c10_bias(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %s: tensor<6xf32>) {
  // expected-error @below {{'mha.attention' op expected an 'align' for the mask}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    bias<alibi> slopes(%s : tensor<6xf32>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A cap of nothing.
func.func @attention_c20_zero(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected a soft cap that is positive and finite in 'f32', found 0.000000e+00}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    softcap(0.0) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A negative cap.
func.func @attention_c20_negative(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected a soft cap that is positive and finite in 'f32', found -5.000000e+01}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    softcap(-50.0) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A cap that is 0 in f32.
func.func @attention_c20_small(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected a soft cap that is positive and finite in 'f32', found 1.000000e-60}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    softcap(1.0e-60) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A cap that is no number.
func.func @attention_c20_nan(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected a soft cap that is positive and finite in 'f32', found nan}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    softcap(0x7FF8000000000000) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A sink for each key/value head.
func.func @attention_c21(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %s: tensor<3xf32>) {
  // expected-error @below {{'mha.attention' op expected the number of heads of sink (3) to be that of query (6)}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    sink(%s : tensor<3xf32>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A scale of each kind, which the text has no way to write.
func.func @attention_c14_both(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %s: f32) {
  // expected-error @below {{'mha.attention' op expected one scale, found a constant and one of run time}}
  %o = "mha.attention"(%q, %k, %v, %s) <{key_layout = #mha.layout<bhsd>, output_layout = #mha.layout<bhsd>, query_layout = #mha.layout<bhsd>,
      value_layout = #mha.layout<bhsd>, scale = 0.5 : f64, resultSegmentSizes = array<i32: 1, 0, 0>,
      operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>}> ({}, {}, {})
    : (tensor<2x6x7x5xf32>, tensor<2x3x11x5xf32>, tensor<2x3x11x4xf32>, f32) -> tensor<2x6x7x4xf32>
  return
}
