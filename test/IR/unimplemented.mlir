// RUN: mha-opt %s --split-input-file --verify-diagnostics

// What the signature has room for is refused by name until a lowering covers it.

// A dense mask.
func.func @attention_dense_mask(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %m: tensor<7x11xi1>) {
  // expected-error @below {{'mha.attention' op a dense mask is not implemented yet}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    dense_mask(%m : tensor<7x11xi1>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A run-time scale.
func.func @attention_runtime_scale(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %s: f32) {
  // expected-error @below {{'mha.attention' op a run-time scale is not implemented yet}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    scale(%s : f32) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A positional bias.
func.func @attention_bias(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %s: tensor<6xf32>) {
  // expected-error @below {{'mha.attention' op a positional bias is not implemented yet}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    align(top_left) bias<alibi> slopes(%s : tensor<6xf32>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A positional bias.
func.func @attention_relative_table(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %t: tensor<6x21xf32>) {
  // expected-error @below {{'mha.attention' op a positional bias is not implemented yet}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    align(top_left) bias<relative, origin = 10> relative_table(%t : tensor<6x21xf32>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A soft cap.
func.func @attention_softcap(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op a soft cap is not implemented yet}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    softcap(30.0) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A sink.
func.func @attention_sink(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %s: tensor<6xf32>) {
  // expected-error @below {{'mha.attention' op a sink is not implemented yet}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    sink(%s : tensor<6xf32>) -> tensor<2x6x7x4xf32>
  return
}

// -----

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

// A layout with split heads.
func.func @attention_split_heads(%q: tensor<2x3x2x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op a layout with split heads is not implemented yet}}
  %o = mha.attention query(%q : tensor<2x3x2x7x5xf32>, bkgsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) -> (tensor<2x6x7x4xf32>, bhsd)
  return
}

// -----

// Half precision.
func.func @attention_f16(%q: tensor<2x6x7x5xf16>, %k: tensor<2x3x11x5xf16>, %v: tensor<2x3x11x4xf16>) {
  // expected-error @below {{'mha.attention' op element type 'f16' is not implemented yet, expected f32 or f64}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf16>, bhsd) key(%k : tensor<2x3x11x5xf16>, bhsd) value(%v : tensor<2x3x11x4xf16>, bhsd) -> tensor<2x6x7x4xf16>
  return
}

// -----

// One batch entry of keys for all queries.
func.func @attention_shared_keys(%q: tensor<2x6x7x5xf32>, %k: tensor<1x3x11x5xf32>, %v: tensor<1x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op one batch entry of key for 2 of query is not implemented yet}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<1x3x11x5xf32>, bhsd) value(%v : tensor<1x3x11x4xf32>, bhsd) -> tensor<2x6x7x4xf32>
  return
}
