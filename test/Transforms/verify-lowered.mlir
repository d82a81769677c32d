// RUN: mha-opt %s --mha-verify-lowered --split-input-file --verify-diagnostics

module @lowered {
  module {
    llvm.func @f() {
      llvm.return
    }
  }
}

// -----

llvm.func @f(%re: f32, %im: f32) {
  // expected-error @below {{expected every op to be lowered to the LLVM dialect, found 'complex.create'}}
  %c = complex.create %re, %im : complex<f32>
  llvm.return
}

// -----

// The region that the parser adds to a named op has no location: the op itself has.
func.func @named(%a: tensor<?xf32>, %b: tensor<?xf32>, %init: tensor<?xf32>) {
  // expected-error @below {{expected every op to be lowered to the LLVM dialect, found 'linalg.conv_1d'}}
  %o = linalg.conv_1d ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%init : tensor<?xf32>) -> tensor<?xf32>
  return
}
