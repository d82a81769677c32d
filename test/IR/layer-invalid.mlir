// RUN: mha-opt %s --split-input-file --verify-diagnostics

func.func @c33_heads(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>) {
  // expected-error @+1 {{'mha.layer' op expected from 1 to 65536 heads, a multiple of key/value heads, found 6 and 4}}
  %0 = mha.layer heads(6) kv_heads(4) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c33_no_heads(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>) {
  // expected-error @+1 {{'mha.layer' op expected from 1 to 65536 heads, a multiple of key/value heads, found 0 and 0}}
  %0 = mha.layer heads(0) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c33_no_kv_heads(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>) {
  // expected-error @+1 {{'mha.layer' op expected from 1 to 65536 heads, a multiple of key/value heads, found 6 and 0}}
  %0 = mha.layer heads(6) kv_heads(0) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c33_dynamic(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<?x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>) {
  // expected-error @+1 {{'mha.layer' op expected a static number of outputs of w_k}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<?x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c33_dynamic_output(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<?x18xf32>) {
  // expected-error @+1 {{'mha.layer' op expected a static number of outputs of w_o}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<?x18xf32>, oe) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c33_dynamic_packed(%x: tensor<2x7x24xf32>, %wo: tensor<10x18xf32>, %w: tensor<?x24xf32>) {
  // expected-error @+1 {{'mha.layer' op expected a static number of outputs of w_qkv}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_qkv(%w : tensor<?x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c33_no_input(%x: tensor<2x7x0xf32>, %wo: tensor<10x18xf32>, %w: tensor<40x0xf32>) {
  // expected-error @+1 {{'mha.layer' op expected at least one input and output of w_qkv}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x0xf32>) w_qkv(%w : tensor<40x0xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c33_too_many(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>) {
  // expected-error @+1 {{'mha.layer' op expected from 1 to 65536 heads, a multiple of key/value heads, found 65537 and 65537}}
  %0 = mha.layer heads(65537) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c34_no_layout(%x: tensor<2x7x24xf32>, %w: tensor<40x24xf32>, %wo: tensor<10x24xf32>) {
  // expected-error @+1 {{'mha.layer' op expected the layout of each weight that is there, and no other}}
  %0 = "mha.layer"(%x, %w, %wo) <{num_heads = 6 : i64, num_kv_heads = 2 : i64, w_o_layout = #mha.weight_layout<oe>, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>}> : (tensor<2x7x24xf32>, tensor<40x24xf32>, tensor<10x24xf32>) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c34_other_layout(%x: tensor<2x7x24xf32>, %w: tensor<40x24xf32>, %wo: tensor<10x24xf32>) {
  // expected-error @+1 {{'mha.layer' op expected the layout of each weight that is there, and no other}}
  %0 = "mha.layer"(%x, %w, %wo) <{num_heads = 6 : i64, num_kv_heads = 2 : i64, w_o_layout = #mha.weight_layout<oe>, w_q_layout = #mha.weight_layout<oe>, w_qkv_layout = #mha.weight_layout<oe>, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>}> : (tensor<2x7x24xf32>, tensor<40x24xf32>, tensor<10x24xf32>) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c34_missing(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>) {
  // expected-error @+1 {{'mha.layer' op expected either w_q, w_k and w_v, or w_qkv alone}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c34_both(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>, %w: tensor<40x24xf32>) {
  // expected-error @+1 {{'mha.layer' op expected either w_q, w_k and w_v, or w_qkv alone}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_qkv(%w : tensor<40x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c34_biases(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>, %bq: tensor<24xf32>, %b: tensor<38xf32>) {
  // expected-error @+1 {{'mha.layer' op expected b_qkv or biases of their own, found both}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) b_q(%bq : tensor<24xf32>) b_qkv(%b : tensor<38xf32>) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c34_split(%x: tensor<2x7x24xf32>, %wo: tensor<10x18xf32>, %w: tensor<24x42xf32>) {
  // expected-error @+1 {{'mha.layer' op expected the outputs of w_qkv (42) to split into 10 heads}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_qkv(%w : tensor<24x42xf32>, eo) w_o(%wo : tensor<10x18xf32>, oe) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c34_inputs(%x: tensor<2x7x24xf32>, %wo: tensor<10x18xf32>, %w: tensor<40x24xf32>, %k: tensor<2x9x20xf32>) {
  // expected-error @+1 {{'mha.layer' op expected the input size of key (20) to be that of w_qkv (24)}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) key(%k : tensor<2x9x20xf32>) w_qkv(%w : tensor<40x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c35_input(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x23xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>) {
  // expected-error @+1 {{'mha.layer' op expected the input size of w_k (23) to be that of key (24)}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x23xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c35_width(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<7x24xf32>, %wo: tensor<10x18xf32>) {
  // expected-error @+1 {{'mha.layer' op expected the outputs of w_v (7) to split into 2 heads}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<7x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c35_layout(%x: tensor<2x7x24xf32>, %wq: tensor<24x25xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>) {
  // expected-error @+1 {{'mha.layer' op expected the outputs of w_q (25) to split into 6 heads}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x25xf32>, eo) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c35_head_size(%x: tensor<2x7x24xf32>, %wq: tensor<30x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>) {
  // expected-error @+1 {{'mha.layer' op expected query heads of the size of key heads, found 5 and 4}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<30x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c35_bias(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>, %b: tensor<9xf32>) {
  // expected-error @+1 {{'mha.layer' op expected b_k of 8 elements, found 'tensor<9xf32>'}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) b_k(%b : tensor<9xf32>) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c35_dynamic_bias(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>, %b: tensor<?xf32>) {
  // expected-error @+1 {{'mha.layer' op expected b_q of 24 elements, found 'tensor<?xf32>'}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) b_q(%b : tensor<?xf32>) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c35_packed_bias(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>, %b: tensor<40xf32>) {
  // expected-error @+1 {{'mha.layer' op expected b_qkv of 38 elements, found 'tensor<40xf32>'}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) b_qkv(%b : tensor<40xf32>) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c35_output(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x17xf32>) {
  // expected-error @+1 {{'mha.layer' op expected w_o of 6 x 3 inputs, the heads' values behind one another, found 'tensor<10x17xf32>'}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x17xf32>, oe) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c35_output_bias(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>, %b: tensor<18xf32>) {
  // expected-error @+1 {{'mha.layer' op expected b_o of 10 elements, found 'tensor<18xf32>'}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) b_o(%b : tensor<18xf32>) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c36_batch(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>, %k: tensor<3x9x24xf32>) {
  // expected-error @+1 {{'mha.layer' op expected the batch size of key (3) to be that of query (2)}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) key(%k : tensor<3x9x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c36_sequence_first(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>, %k: tensor<2x9x24xf32>) {
  // expected-error @+1 {{'mha.layer' op expected the batch size of key (9) to be that of query (7)}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) key(%k : tensor<2x9x24xf32>) sequence_first w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c36_value(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>, %k: tensor<2x9x24xf32>, %v: tensor<2x8x24xf32>) {
  // expected-error @+1 {{'mha.layer' op expected the length of value (8) to be that of key (9)}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) key(%k : tensor<2x9x24xf32>) value(%v : tensor<2x8x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c36_padding(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>, %p: tensor<2x9xi1>) {
  // expected-error @+1 {{'mha.layer' op expected the length of key_padding (9) to be that of query (7)}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) key_padding(%p : tensor<2x9xi1>, hidden) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c36_lengths(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>, %n: tensor<3xi64>) {
  // expected-error @+1 {{'mha.layer' op expected the batch size of lengths (3) to be that of query (2)}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) lengths(%n : tensor<3xi64>) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c36_offset(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>, %n: tensor<3xi64>) {
  // expected-error @+1 {{'mha.layer' op expected the batch size of query_offset (3) to be that of query (2)}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) mask<causal> align(end) query_offset(%n : tensor<3xi64>) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c36_gate_batch(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>, %g: tensor<3x6xf32>) {
  // expected-error @+1 {{'mha.layer' op expected the batch size of head_gate (3) to be that of query (2)}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) head_gate(%g : tensor<3x6xf32>) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c36_gate(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>, %g: tensor<2xf32>) {
  // expected-error @+1 {{'mha.layer' op expected the number of heads of head_gate (2) to be that of heads (6)}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) head_gate(%g : tensor<2xf32>) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c36_across(%x: tensor<?x?x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>, %v: tensor<5x?x24xf32>, %g: tensor<2x6xf32>) {
  // expected-error @+1 {{'mha.layer' op expected the batch size of head_gate (2) to be that of value (5)}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<?x?x24xf32>) value(%v : tensor<5x?x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) head_gate(%g : tensor<2x6xf32>) -> tensor<?x?x10xf32>
  return
}

// -----

func.func @c36_output(%x: tensor<?x?x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>, %k: tensor<5x?x24xf32>) {
  // expected-error @+1 {{'mha.layer' op expected the batch size of output (2) to be that of key (5)}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<?x?x24xf32>) key(%k : tensor<5x?x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c37_extra(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>, %e: tensor<8xf32>) {
  // expected-error @+1 {{'mha.layer' op expected extra_key and extra_value together, found one}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) extra_key(%e : tensor<8xf32>) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c37_size(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>, %e: tensor<8xf32>) {
  // expected-error @+1 {{'mha.layer' op expected extra_value of 6 elements, found 'tensor<8xf32>'}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) extra_key(%e : tensor<8xf32>) extra_value(%e : tensor<8xf32>) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c38_missing(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>, %p: tensor<2x7xi1>) {
  // expected-error @+1 {{'mha.layer' op expected 'hidden' or 'visible' with a key_padding of i1, and only with that}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) key_padding(%p : tensor<2x7xi1>) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c38_float(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>, %p: tensor<2x7xf32>) {
  // expected-error @+1 {{'mha.layer' op expected 'hidden' or 'visible' with a key_padding of i1, and only with that}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) key_padding(%p : tensor<2x7xf32>, visible) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @polarity(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>, %p: tensor<2x7xi1>) {
  // expected-error @+1 {{expected 'hidden' or 'visible', found 'shown'}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) key_padding(%p : tensor<2x7xi1>, shown) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c39_type(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>) {
  // expected-error @+1 {{'mha.layer' op expected the element type of output to be that of query ('f32'), found 'f16'}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) -> tensor<2x7x10xf16>
  return
}

// -----

func.func @c39_width(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>) {
  // expected-error @+1 {{'mha.layer' op expected the output size of w_o (10) to be that of output (11)}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) -> tensor<2x7x11xf32>
  return
}

// -----

func.func @c39_residual(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>, %r: tensor<2x8x10xf32>) {
  // expected-error @+1 {{'mha.layer' op expected the length of residual (8) to be that of query (7)}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) residual(%r : tensor<2x8x10xf32>) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c40_align(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>, %k: tensor<2x9x24xf32>) {
  // expected-error @+1 {{'mha.layer' op expected an 'align' for the mask: only where query and key have the same static length, and there are no lengths and no origin, top left and bottom right are the same}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) key(%k : tensor<2x9x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) mask<causal> -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c40_nothing(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>) {
  // expected-error @+1 {{'mha.layer' op expected a positional mask or bias for align(top_left) to align}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) align(top_left) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c40_offset(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>) {
  // expected-error @+1 {{'mha.layer' op expected 'query_offset' beside align(explicit)}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) mask<causal> align(explicit) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c40_no_offset(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>, %n: i64) {
  // expected-error @+1 {{'mha.layer' op expected align(explicit) or align(end) beside 'query_offset', found none}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) mask<causal> query_offset(%n : i64) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c40_scale(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>) {
  // expected-error @+1 {{'mha.layer' op expected a scale that is finite in 'f32', found 1.000000e+39}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) scale(1.0e39) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c33_empty(%x: tensor<2x7x24xf32>, %wq: tensor<0x24xf32>, %wk: tensor<0x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>) {
  // expected-error @+1 {{'mha.layer' op expected at least one input and output of w_q}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<0x24xf32>, oe) w_k(%wk : tensor<0x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c40_mask(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>, %m: tensor<2x2x7x7xi1>) {
  // expected-error @+1 {{'mha.layer' op expected size 1 of dense_mask to be 1 or 6, since it broadcasts to (B, Hq, Sq, Sk) from the right, found 'tensor<2x2x7x7xi1>'}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) dense_mask(%m : tensor<2x2x7x7xi1>) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @c40_mask_batch(%x: tensor<?x?x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>, %p: tensor<5x?xf32>, %m: tensor<3x1x7x1xi1>) {
  // expected-error @+1 {{'mha.layer' op expected size 0 of dense_mask to be 1 or 5, since it broadcasts to (B, Hq, Sq, Sk) from the right, found 'tensor<3x1x7x1xi1>'}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<?x?x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) dense_mask(%m : tensor<3x1x7x1xi1>) key_padding(%p : tensor<5x?xf32>) -> tensor<?x?x10xf32>
  return
}

// -----

func.func @c41(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>, %b: tensor<6xf64>) {
  // expected-error @+1 {{'mha.layer' op expected f64 in all operands or in none, found 'f32' in query and 'f64' in b_v}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) b_v(%b : tensor<6xf64>) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @f8(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf8E5M2>) {
  // expected-error @+1 {{'mha.layer' op element type 'f8E5M2' of w_o is not implemented yet, expected f16, bf16, f32 or f64}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf8E5M2>, oe) -> tensor<2x7x10xf32>
  return
}

// -----

func.func @f8_gate(%x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<10x18xf32>, %g: tensor<6xf8E5M2>) {
  // expected-error @+1 {{'mha.layer' op element type 'f8E5M2' of head_gate is not implemented yet, expected f16, bf16, f32 or f64}}
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe) w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<10x18xf32>, oe) head_gate(%g : tensor<6xf8E5M2>) -> tensor<2x7x10xf32>
  return
}
