// RUN: mha-opt %s --mha-wrap-entry-points --split-input-file --verify-diagnostics --allow-unregistered-dialect

// expected-error @below {{expected argument 1 of entry point 'memrefs' to be a scalar or a ranked tensor of scalars, found 'memref<3xf32>'}}
func.func @memrefs(%x: tensor<3xf32>, %y: memref<3xf32>) {
  return
}

// -----

// expected-error @below {{expected result 0 of entry point 'unranked' to be a scalar or a ranked tensor of scalars, found 'tensor<*xf32>'}}
func.func @unranked(%x: tensor<3xf32>) -> tensor<*xf32> {
  %y = tensor.cast %x : tensor<3xf32> to tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

// expected-error @below {{expected argument 0 of entry point 'complex' to be a scalar or a ranked tensor of scalars, found 'tensor<3xcomplex<f32>>'}}
func.func @complex(%x: tensor<3xcomplex<f32>>) {
  return
}

// -----

// expected-note @below {{entry point is here}}
func.func @f(%x: tensor<3xf32>) {
  return
}
// expected-error @below {{expected the name 'f_workspace' to be free for entry point 'f'}}
func.func private @f_workspace()

// -----

func.func @nested(%q: tensor<2x6x?x5xf32>, %k: tensor<2x6x?x5xf32>, %v: tensor<2x6x?x5xf32>, %again: i1) -> tensor<2x6x?x5xf32> {
  %o = scf.if %again -> tensor<2x6x?x5xf32> {
    // expected-error @below {{expected static sizes and origins inside control flow and in functions that are called from inside the module: sizes are checked once, on entry}}
    %a = mha.attention query(%q : tensor<2x6x?x5xf32>, bhsd) key(%k : tensor<2x6x?x5xf32>, bhsd) value(%v : tensor<2x6x?x5xf32>, bhsd)
      -> tensor<2x6x?x5xf32>
    scf.yield %a : tensor<2x6x?x5xf32>
  } else {
    scf.yield %q : tensor<2x6x?x5xf32>
  }
  return %o : tensor<2x6x?x5xf32>
}

// -----

func.func private @count() -> index

func.func @size_by_call(%x: f32) -> tensor<?xf32> {
  // expected-error @below {{expected the sizes of results to follow from the arguments without side effects: they are told before the function runs}}
  %n = call @count() : () -> index
  %t = tensor.splat %x[%n] : tensor<?xf32>
  return %t : tensor<?xf32>
}

// -----

// A public function that is also called from inside: that call would go around the check.
func.func @called(%q: tensor<?x6x7x5xf32>, %k: tensor<?x3x11x5xf32>) -> tensor<?x6x7x5xf32> attributes {no_inline} {
  // expected-error @below {{expected static sizes and origins inside control flow and in functions that are called from inside the module: sizes are checked once, on entry}}
  %o = mha.attention query(%q : tensor<?x6x7x5xf32>, bhsd) key(%k : tensor<?x3x11x5xf32>, bhsd) value(%k : tensor<?x3x11x5xf32>, bhsd)
    -> tensor<?x6x7x5xf32>
  return %o : tensor<?x6x7x5xf32>
}
func.func @caller(%q: tensor<?x6x7x5xf32>, %k: tensor<?x3x11x5xf32>) -> tensor<?x6x7x5xf32> {
  %o = call @called(%q, %k) : (tensor<?x6x7x5xf32>, tensor<?x3x11x5xf32>) -> tensor<?x6x7x5xf32>
  return %o : tensor<?x6x7x5xf32>
}

// -----

func.func @unknown_end(%a: f32) -> f32 {
  // expected-error @below {{expected the blocks of entry point 'unknown_end' to end in a known terminator, found 'other.return'}}
  "other.return"(%a) : (f32) -> ()
}

// -----

// expected-error @below {{expected 'wrapped' not to be the wrapper of an entry point already, found its attribute 'mha.entry_type'}}
func.func @wrapped(%x: tensor<3xf32> {mha.donated = 0 : i64}) -> (i32, tensor<3xf32>) attributes {mha.entry_type = (tensor<3xf32>) -> tensor<3xf32>} {
  %c0 = arith.constant 0 : i32
  return %c0, %x : i32, tensor<3xf32>
}
