// RUN: mha-opt %s --split-input-file --verify-diagnostics

// No queries.
// expected-error @below {{expected block_q between 1 and 4096, found 0}}
func.func private @f() attributes {s = #mha.cpu_schedule<block_q = 0, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>}

// -----

// No heads.
// expected-error @below {{expected block_g between 1 and 4096, found 0}}
func.func private @f() attributes {s = #mha.cpu_schedule<block_q = 16, block_g = 0, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>}

// -----

// More keys than a block takes.
// expected-error @below {{expected block_k between 1 and 4096, found 4100}}
func.func private @f() attributes {s = #mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 4100, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>}

// -----

// More lanes than a vector has.
// expected-error @below {{expected lanes between 1 and 64, found 128}}
func.func private @f() attributes {s = #mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 128, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>}

// -----

// Negative rows.
// expected-error @below {{expected qk_rows between 1 and 64, found -4}}
func.func private @f() attributes {s = #mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = -4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>}

// -----

// Rows of PV.
// expected-error @below {{expected pv_rows between 1 and 64, found 65}}
func.func private @f() attributes {s = #mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 65, vectors = 1, unroll = 4, prefetch = true>}

// -----

// Vectors.
// expected-error @below {{expected vectors between 1 and 64, found 0}}
func.func private @f() attributes {s = #mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 0, unroll = 4, prefetch = true>}

// -----

// Steps.
// expected-error @below {{expected unroll between 1 and 16, found 17}}
func.func private @f() attributes {s = #mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 17, prefetch = true>}

// -----

// One lane is no vector.
// expected-error @below {{expected lanes to be a power of two of at least 2, found 1}}
func.func private @f() attributes {s = #mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 1, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>}

// -----

// Vectors of 12.
// expected-error @below {{expected lanes to be a power of two of at least 2, found 12}}
func.func private @f() attributes {s = #mha.cpu_schedule<block_q = 24, block_g = 1, block_k = 64, lanes = 12, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>}

// -----

// Queries that do not fill vectors.
// expected-error @below {{expected block_q (24) to be a multiple of lanes (16)}}
func.func private @f() attributes {s = #mha.cpu_schedule<block_q = 24, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>}

// -----

// Columns that do not fill panels.
// expected-error @below {{expected block_g * block_q / lanes (3) to be a multiple of vectors (2)}}
func.func private @f() attributes {s = #mha.cpu_schedule<block_q = 48, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 2, unroll = 4, prefetch = true>}

// -----

// Keys that do not fill register rows.
// expected-error @below {{expected block_k (64) to be a multiple of qk_rows (6)}}
func.func private @f() attributes {s = #mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 6, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>}

// -----

// Keys that do not fill the unrolled loop.
// expected-error @below {{expected block_k (60) to be a multiple of unroll (8)}}
func.func private @f() attributes {s = #mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 60, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 8, prefetch = true>}

// -----

// Too many rows.
// expected-error @below {{expected block_g * block_q (8192) to be at most 4096}}
func.func private @f() attributes {s = #mha.cpu_schedule<block_q = 4096, block_g = 2, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>}

// -----

// Too many accumulators of QK.
// expected-error @below {{expected qk_rows * vectors (128) to be at most 64}}
func.func private @f() attributes {s = #mha.cpu_schedule<block_q = 128, block_g = 1, block_k = 64, lanes = 16, qk_rows = 16, pv_rows = 4, vectors = 8, unroll = 4, prefetch = true>}

// -----

// Too many accumulators of PV.
// expected-error @below {{expected pv_rows * vectors (72) to be at most 64}}
func.func private @f() attributes {s = #mha.cpu_schedule<block_q = 128, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 9, vectors = 8, unroll = 4, prefetch = true>}

// -----

// A place that is none.
// expected-error @below {{expected an order between 0 and 63, found 64}}
func.func private @f() attributes {s = #mha.item<64>}

// -----

// A place before the first.
// expected-error @below {{expected an order between 0 and 63, found -1}}
func.func private @f() attributes {s = #mha.item<-1>}

// -----

// Not a schedule.
func.func @C17_not_a_schedule(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{expected a schedule, or a list that ends in one, found "by hand"}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    schedule("by hand") -> tensor<2x6x7x4xf32>
  return
}

// -----

// Nothing to choose from.
func.func @C17_empty_list(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{expected a schedule in the list of schedules}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    schedule([]) -> tensor<2x6x7x4xf32>
  return
}

// -----

// The last choice has a guard.
func.func @C17_no_last_choice(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{expected a schedule, or a list that ends in one, found #mha.when<query_len at_most 8}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    schedule([#mha.when<query_len at_most 8, #mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>>]) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A choice that nothing can get past.
func.func @C17_unreachable(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{expected '#mha.when' before the last item of a list of schedules, found #mha.cpu_schedule}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    schedule([#mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>, #mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>]) -> tensor<2x6x7x4xf32>
  return
}

// -----

// f64.
func.func @C17_element_type(%q: tensor<2x6x7x5xf64>, %k: tensor<2x3x11x5xf64>, %v: tensor<2x3x11x4xf64>) {
  // expected-error @below {{'mha.attention' op expected a schedule that fits: no kernel for elements of f64}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf64>, bhsd) key(%k : tensor<2x3x11x5xf64>, bhsd) value(%v : tensor<2x3x11x4xf64>, bhsd)
    schedule(#mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>) -> tensor<2x6x7x4xf64>
  return
}

// -----

// A head size that run time tells.
func.func @C17_dynamic_head(%q: tensor<2x6x7x?xf32>, %k: tensor<2x3x11x?xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected a schedule that fits: no kernel for a head size that is not static}}
  %o = mha.attention query(%q : tensor<2x6x7x?xf32>, bhsd) key(%k : tensor<2x3x11x?xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    schedule(#mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A head size of 0.
func.func @C17_empty_head(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x0xf32>) {
  // expected-error @below {{'mha.attention' op expected a schedule that fits: no kernel for a head size of 0, outside 1 to 1024}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x0xf32>, bhsd)
    schedule(#mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>) -> tensor<2x6x7x0xf32>
  return
}

// -----

// A huge head.
func.func @C17_huge_head(%q: tensor<2x6x7x1025xf32>, %k: tensor<2x3x11x1025xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected a schedule that fits: no kernel for a head size of 1025, outside 1 to 1024}}
  %o = mha.attention query(%q : tensor<2x6x7x1025xf32>, bhsd) key(%k : tensor<2x3x11x1025xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    schedule(#mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// Nothing to do.
func.func @C17_empty(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x0x5xf32>, %v: tensor<2x3x0x4xf32>) {
  // expected-error @below {{'mha.attention' op expected a schedule that fits: no kernel for operands without elements}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x0x5xf32>, bhsd) value(%v : tensor<2x3x0x4xf32>, bhsd)
    schedule(#mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// Keys stored transposed.
func.func @C17_layout(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x5x11xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected a schedule that fits: no kernel for the layout 'bhds', in which d is not innermost}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x5x11xf32>, bhds) value(%v : tensor<2x3x11x4xf32>, bhsd)
    schedule(#mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A tiny scale.
func.func @C17_scale(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected a schedule that fits: no kernel for a scale outside 2^-20 to 2^20}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) scale(1.0e-9)
    schedule(#mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A huge scale.
func.func @C17_huge_scale(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected a schedule that fits: no kernel for a scale outside 2^-20 to 2^20}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) scale(-3.0e9)
    schedule(#mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A group of 2 in threes.
func.func @C17_group(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected a schedule that fits: block_g of 3 does not divide the group of 2}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    schedule(#mha.cpu_schedule<block_q = 16, block_g = 3, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A group that run time tells.
func.func @C17_dynamic_group(%q: tensor<2x?x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected a schedule that fits: block_g of 2 with a group that is not static}}
  %o = mha.attention query(%q : tensor<2x?x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    schedule(#mha.cpu_schedule<block_q = 16, block_g = 2, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>) -> tensor<2x?x7x4xf32>
  return
}

// -----

// The guarded one has to fit too.
func.func @C17_guarded(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{'mha.attention' op expected a schedule that fits: block_g of 3 does not divide the group of 2}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    schedule([#mha.when<query_len at_most 8, #mha.cpu_schedule<block_q = 16, block_g = 3, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>>, #mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 1, unroll = 4, prefetch = true>]) -> tensor<2x6x7x4xf32>
  return
}
