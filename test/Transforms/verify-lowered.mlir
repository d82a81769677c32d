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
