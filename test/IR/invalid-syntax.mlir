// RUN: mha-opt %s --split-input-file --verify-diagnostics

// What the parser refuses.

// A letter twice.
func.func @layout_letters(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{expected a layout that is a permutation of 'bhsd', or 'bkgsd', 'bskgd' or 'bksgd', found 'bhss'}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhss) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) -> tensor<2x6x7x4xf32>
  return
}

// -----

// Split heads in an order that no layout has.
func.func @layout_rank_5(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  // expected-error @below {{expected a layout that is a permutation of 'bhsd', or 'bkgsd', 'bskgd' or 'bksgd', found 'bgksd'}}
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bgksd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A mask by a name of another library.
func.func @mask_name(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    // expected-error @below {{expected 'causal' or 'window', found 'is_causal'}}
    mask<is_causal> -> tensor<2x6x7x4xf32>
  return
}

// -----

// Causal twice.
func.func @mask_twice(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    // expected-error @below {{'causal' is there twice}}
    mask<causal, causal> align(top_left) -> tensor<2x6x7x4xf32>
  return
}

// -----

// Two windows.
func.func @mask_window_twice(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    // expected-error @below {{'window' is there twice}}
    mask<window<1, 1>, window<2, 2>> align(top_left) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A mask of nothing.
func.func @mask_empty(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    // expected-error @below {{expected a mask with at least one of 'causal' and 'window'}}
    mask<> -> tensor<2x6x7x4xf32>
  return
}

// -----

// A window that ends before it begins.
func.func @mask_window_negative(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    // expected-error @below {{expected a window size between 0 and 1152921504606846976, found -1}}
    mask<window<-1, 0>> align(top_left) -> tensor<2x6x7x4xf32>
  return
}

// -----

// A window needs both sides.
func.func @mask_window_one_side(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    // expected-error @below {{expected ','}}
    mask<window<3>> align(top_left) -> tensor<2x6x7x4xf32>
  return
}

// -----

// An alignment that does not exist.
func.func @align_name(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    // expected-error @below {{expected 'top_left', 'bottom_right', 'explicit' or 'end', found 'upper_left'}}
    mask<causal> align(upper_left) -> tensor<2x6x7x4xf32>
  return
}

// -----

// Two layouts of the output.
func.func @output_layout_twice(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    // expected-error @below {{expected one layout of the output, found 'bshd' and 'bhsd'}}
    outs(%v : tensor<2x6x7x4xf32>, bshd) -> (tensor<2x6x7x4xf32>, bhsd)
  return
}

// -----

// The lse comes before the weights.
func.func @result_items(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    // expected-error @below {{expected a layout, then 'lse', then 'weights', each at most once}}
    -> (tensor<2x6x7x4xf32>, weights tensor<2x6x7x11xf32>, lse tensor<2x6x7xf32>)
  return
}

// -----

// A scale that is no number.
func.func @scale_text(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) {
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    // expected-error @below {{expected floating point literal}}
    scale(true) -> tensor<2x6x7x4xf32>
  return
}

// -----

// Attributes on their own, where no op checks them.
// expected-error @below {{expected a layout that is a permutation of 'bhsd', or 'bkgsd', 'bskgd' or 'bksgd', found 'bh'}}
func.func @layout_attribute() attributes {a = #mha.layout<bh>} {
  return
}

// -----

// expected-error @below {{expected a mask with at least one of 'causal' and 'window'}}
func.func @mask_attribute() attributes {a = #mha.mask<>} {
  return
}

// -----

// An origin of a bias that sums with positions would overflow with.
// expected-error @below {{expected an origin of the bias within 2^60, found 1152921504606846977}}
func.func private @far() attributes {a = #mha.bias<relative, origin = 1152921504606846977>}
