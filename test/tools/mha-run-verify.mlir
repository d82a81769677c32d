// Results judged by the float64 reference, and the first difference named in the letters of the op's result.

// RUN: mha-run %s -e main --verify | FileCheck %s
// RUN: mha-run %s -e main --verify --pipeline=mha-reference-pipeline{promote-floats=false} | FileCheck %s
// RUN: not mha-run %s -e main --verify --load-pass-plugin=%mha_lib/MHATestPlugin.so --pipeline=mha-test-flip-mask 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FLIPPED
// RUN: not mha-run %s -e permuted --verify --load-pass-plugin=%mha_lib/MHATestPlugin.so --pipeline=mha-test-flip-mask 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PERMUTED
// RUN: not mha-run %s -e computed --verify --load-pass-plugin=%mha_lib/MHATestPlugin.so --pipeline=mha-test-flip-mask 2>&1 \
// RUN:   | FileCheck %s --check-prefix=COMPUTED
// RUN: mha-run %s -e no_key --verify | FileCheck %s --check-prefix=NO-KEY
// RUN: mha-run %s -e empty --verify | FileCheck %s --check-prefix=EMPTY
// RUN: mha-run %s -e integers --input=n=int:-9:9 --verify | FileCheck %s --check-prefix=INTEGERS
// RUN: mha-run %s -e main --input=v=const:nan --verify | FileCheck %s --check-prefix=NAN

// CHECK:      result 0 (2x6x7x4xf32): verified, max error {{[0-9.e-]+}} <= {{[0-9.e-]+$}}
// CHECK-NEXT: result 1 (2x6x7xf32): verified, max error {{[0-9.e-]+}} <= {{[0-9.e-]+$}}
// CHECK-NEXT: attention: 1 found
// The last query sees nothing but the last key, and the first one all: the first element differs.
// FLIPPED:      result 0 (2x6x7x4xf32): FAILED, max error {{[0-9.e-]+}} > {{[0-9.e-]+$}}
// FLIPPED-NEXT: result 1 (2x6x7xf32): FAILED, max error {{[0-9.e-]+}} > {{[0-9.e-]+$}}
// FLIPPED-NEXT: attention: 1 found
// FLIPPED-NEXT: error: result 0 (2x6x7x4xf32) is not what was expected: {{.+}}; first difference at (b=0, h=0, i=0, n=0): expected {{.+}}, found {{.+}}
// FLIPPED-NEXT: error: result 1 (2x6x7xf32) is not what was expected: {{.+}}; first difference at (b=0, h=0, i=0): expected {{.+}}, found {{.+}}
// FLIPPED-NEXT: error: a result is not what was expected
// NAN: result 0 (2x6x7x4xf32): 336 NaN, values nan nan nan nan ...
// NAN: result 0 (2x6x7x4xf32): verified, max error 0 <= 0
func.func @main(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) -> (tensor<2x6x7x4xf32>, tensor<2x6x7xf32>) {
  %o, %lse = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
      mask<causal> align(bottom_right) -> (tensor<2x6x7x4xf32>, lse tensor<2x6x7xf32>)
  return %o, %lse : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>
}

// In the order of the result's layout.
// PERMUTED: first difference at (b=0, i=0, h=0, n=0):
func.func @permuted(%q: tensor<2x7x6x5xf32>) -> tensor<2x7x6x5xf32> {
  %o = mha.attention query(%q : tensor<2x7x6x5xf32>, bshd) key(%q : tensor<2x7x6x5xf32>, bshd) value(%q : tensor<2x7x6x5xf32>, bshd)
      mask<causal> -> tensor<2x7x6x5xf32>
  return %o : tensor<2x7x6x5xf32>
}

// A result that something else computes has no letters.
// COMPUTED: first difference at (0, 0, 0):
func.func @computed(%q: tensor<1x2x7x5xf32>) -> tensor<2x7x5xf32> {
  %o = mha.attention query(%q : tensor<1x2x7x5xf32>, bhsd) key(%q : tensor<1x2x7x5xf32>, bhsd) value(%q : tensor<1x2x7x5xf32>, bhsd)
      mask<causal> -> tensor<1x2x7x5xf32>
  %r = tensor.collapse_shape %o [[0, 1], [2], [3]] : tensor<1x2x7x5xf32> into tensor<2x7x5xf32>
  return %r : tensor<2x7x5xf32>
}

// Queries that see no key: 0 and -inf, which have to be where they belong.
// NO-KEY: result 1 (1x1x3xf32): {{.*}}2 infinite
// NO-KEY: result 0 (1x1x3x2xf32): verified, max error {{.+}} <= {{.+}}
// NO-KEY: result 1 (1x1x3xf32): verified, max error {{.+}} <= {{.+}}
func.func @no_key(%q: tensor<1x1x3x2xf32>, %k: tensor<1x1x1x2xf32>) -> (tensor<1x1x3x2xf32>, tensor<1x1x3xf32>) {
  %o, %lse = mha.attention query(%q : tensor<1x1x3x2xf32>, bhsd) key(%k : tensor<1x1x1x2xf32>, bhsd) value(%k : tensor<1x1x1x2xf32>, bhsd)
      mask<causal> align(bottom_right) -> (tensor<1x1x3x2xf32>, lse tensor<1x1x3xf32>)
  return %o, %lse : tensor<1x1x3x2xf32>, tensor<1x1x3xf32>
}

// EMPTY: result 0 (1x1x0x2xf32): no elements
// EMPTY: result 0 (1x1x0x2xf32): verified, max error 0 <= 0
func.func @empty(%q: tensor<1x1x0x2xf32>, %k: tensor<1x1x1x2xf32>) -> tensor<1x1x0x2xf32> {
  %o = mha.attention query(%q : tensor<1x1x0x2xf32>, bhsd) key(%k : tensor<1x1x1x2xf32>, bhsd) value(%k : tensor<1x1x1x2xf32>, bhsd) -> tensor<1x1x0x2xf32>
  return %o : tensor<1x1x0x2xf32>
}

// INTEGERS: result 0 (i32): verified, max error 0 <= 0
func.func @integers(%n: i32) -> i32 {
  %m = arith.muli %n, %n : i32
  return %m : i32
}
