// RUN: mha-opt %s --split-input-file --verify-diagnostics

// What the signature has room for is refused by name until a lowering covers it.

// A head gate.
func.func @attention_head_gate(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %g: tensor<2x6xi1>) {
  // expected-error @below {{'mha.attention' op a head gate is not implemented yet}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    head_gate(%g : tensor<2x6xi1>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// Dropout.
func.func @attention_dropout(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %s: i64) {
  // expected-error @below {{'mha.attention' op dropout is not implemented yet}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    dropout(0.1) dropout_seed(%s, %s) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A scale of 8-bit storage.
func.func @attention_storage_scales(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %s: f32, %t: tensor<6xf32>) {
  // expected-error @below {{'mha.attention' op a scale of 8-bit storage is not implemented yet}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    q_scale(%s : f32) k_scale(%t : tensor<6xf32>) v_scale(%s : f32) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A score region.
func.func @attention_score(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op a score region is not implemented yet}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %p: index):
      mha.yield %s : f32
    } -> tensor<2x6x7x4xf32>
  return
}

// -----

// A visible region.
func.func @attention_visible(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op a visible region is not implemented yet}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    visible {
    ^bb0(%b: index, %h: index, %i: index, %j: index, %p: index):
      %t = arith.constant true
      mha.yield %t : i1
    } -> tensor<2x6x7x4xf32>
  return
}

// -----

// A prob region.
func.func @attention_prob(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op a prob region is not implemented yet}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    prob {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %p: index):
      mha.yield %s : f32
    } -> tensor<2x6x7x4xf32>
  return
}

// -----

// Captures of a region.
func.func @attention_captures(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %c: tensor<6xf32>) {
  // expected-error @below {{'mha.attention' op captures of a region is not implemented yet}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    captures(%c : tensor<6xf32>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// Weights.
func.func @attention_weights(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op a weights result is not implemented yet}}
  %o, %w = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    -> (tensor<2x6x7x4xf32>, weights tensor<2x6x7x11xf32>)
  return
}

// -----

// A float of 8 bits.
func.func @attention_f8_query(%q: tensor<2x6x7x5xf8E4M3FN>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op element type 'f8E4M3FN' of query is not implemented yet, expected f16, bf16, f32 or f64}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf8E4M3FN>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    -> tensor<2x6x7x4xf8E4M3FN>
  return
}

// -----

// Beside others.
func.func @attention_f8_key(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf8E4M3FN>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op element type 'f8E4M3FN' of key is not implemented yet, expected f16, bf16, f32 or f64}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf8E4M3FN>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    -> tensor<2x6x7x4xf32>
  return
}

// -----

// In a mask.
func.func @attention_f8_mask(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %m: tensor<7x11xf8E4M3FN>) {
  // expected-error @below {{'mha.attention' op element type 'f8E4M3FN' of dense_mask is not implemented yet, expected f16, bf16, f32 or f64}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    dense_mask(%m : tensor<7x11xf8E4M3FN>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// As a scale.
func.func @attention_f8_scale(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %s: f8E4M3FN) {
  // expected-error @below {{'mha.attention' op element type 'f8E4M3FN' of scale is not implemented yet, expected f16, bf16, f32 or f64}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    scale(%s : f8E4M3FN) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A wide one.
func.func @attention_f80(%q: tensor<2x6x7x5xf80>, %k: tensor<2x3x11x5xf80>, %v: tensor<2x3x11x4xf80>) {
  // expected-error @below {{'mha.attention' op element type 'f80' of query is not implemented yet, expected f16, bf16, f32 or f64}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf80>, bhsd) key(%k : tensor<2x3x11x5xf80>, bhsd) value(%v : tensor<2x3x11x4xf80>, bhsd)
    -> tensor<2x6x7x4xf80>
  return
}
