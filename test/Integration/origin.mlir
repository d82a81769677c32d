// RUN: split-file %s %t
// RUN: mha-run %t/whole.mlir --compare=%t/tiles.mlir --input=len=int:5:11 --input=off=int:-9:-3 | FileCheck %s
// RUN: not mha-run %t/whole.mlir --compare=%t/wrong-origin.mlir --input=len=int:5:11 --input=off=int:-9:-3 2>&1 | FileCheck %s --check-prefix=WRONG

// Two tiles of queries of one batch entry each, with their origins, are the whole. Lengths and offsets stay whole.
// CHECK-COUNT-2: result 0 {{.*}} <= {{[0-9]}}

// All queries taken for those three further on: told apart.
// WRONG: result 0 {{.*}}FAILED
// WRONG: first difference at

// A tile begins and ends inside the whole, also where its end is further than numbers go.
// RUN: mha-run %t/any-origin.mlir --input=len=3xi64=int:1:11 --input=first=const:1 --verify | FileCheck %s --check-prefix=INSIDE
// RUN: not mha-run %t/any-origin.mlir --input=len=3xi64=int:1:11 --input=first=const:2 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not mha-run %t/any-origin.mlir --input=len=3xi64=int:1:11 --input=first=const:-1 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not mha-run %t/any-origin.mlir --input=len=3xi64=int:1:11 --input=first=const:9223372036854775807 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// INSIDE: result 0 {{.*}} verified
// OUTSIDE: error: 'main' refused its arguments: the sizes of the arguments do not fit together

//--- whole.mlir
func.func @main(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %len: tensor<2xi64>, %off: tensor<2xi64>)
    -> tensor<2x6x7x4xf32> {
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    mask<window<4, 1>> align(end) lengths(%len : tensor<2xi64>) query_offset(%off : tensor<2xi64>) -> tensor<2x6x7x4xf32>
  return %o : tensor<2x6x7x4xf32>
}

//--- tiles.mlir
func.func @main(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %len: tensor<2xi64>, %off: tensor<2xi64>)
    -> tensor<2x6x7x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %o = tensor.empty() : tensor<2x6x7x4xf32>
  %k1 = tensor.extract_slice %k[1, 0, 0, 0] [1, 3, 11, 5] [1, 1, 1, 1] : tensor<2x3x11x5xf32> to tensor<1x3x11x5xf32>
  %v1 = tensor.extract_slice %v[1, 0, 0, 0] [1, 3, 11, 4] [1, 1, 1, 1] : tensor<2x3x11x4xf32> to tensor<1x3x11x4xf32>
  %k0 = tensor.extract_slice %k[0, 0, 0, 0] [1, 3, 11, 5] [1, 1, 1, 1] : tensor<2x3x11x5xf32> to tensor<1x3x11x5xf32>
  %v0 = tensor.extract_slice %v[0, 0, 0, 0] [1, 3, 11, 4] [1, 1, 1, 1] : tensor<2x3x11x4xf32> to tensor<1x3x11x4xf32>
  %q0 = tensor.extract_slice %q[0, 0, 0, 0] [1, 6, 7, 5] [1, 1, 1, 1] : tensor<2x6x7x5xf32> to tensor<1x6x7x5xf32>
  %q1a = tensor.extract_slice %q[1, 0, 0, 0] [1, 6, 3, 5] [1, 1, 1, 1] : tensor<2x6x7x5xf32> to tensor<1x6x3x5xf32>
  %q1b = tensor.extract_slice %q[1, 0, 3, 0] [1, 6, 4, 5] [1, 1, 1, 1] : tensor<2x6x7x5xf32> to tensor<1x6x4x5xf32>
  %o0 = mha.attention query(%q0 : tensor<1x6x7x5xf32>, bhsd) key(%k0 : tensor<1x3x11x5xf32>, bhsd) value(%v0 : tensor<1x3x11x4xf32>, bhsd)
    mask<window<4, 1>> align(end) lengths(%len : tensor<2xi64>) query_offset(%off : tensor<2xi64>)
    origin(%c0, %c0, %c0, %c0) -> tensor<1x6x7x4xf32>
  %o1a = mha.attention query(%q1a : tensor<1x6x3x5xf32>, bhsd) key(%k1 : tensor<1x3x11x5xf32>, bhsd) value(%v1 : tensor<1x3x11x4xf32>, bhsd)
    mask<window<4, 1>> align(end) lengths(%len : tensor<2xi64>) query_offset(%off : tensor<2xi64>)
    origin(%c1, %c0, %c0, %c0) -> tensor<1x6x3x4xf32>
  %o1b = mha.attention query(%q1b : tensor<1x6x4x5xf32>, bhsd) key(%k1 : tensor<1x3x11x5xf32>, bhsd) value(%v1 : tensor<1x3x11x4xf32>, bhsd)
    mask<window<4, 1>> align(end) lengths(%len : tensor<2xi64>) query_offset(%off : tensor<2xi64>)
    origin(%c1, %c0, %c3, %c0) -> tensor<1x6x4x4xf32>
  %w0 = tensor.insert_slice %o0 into %o[0, 0, 0, 0] [1, 6, 7, 4] [1, 1, 1, 1] : tensor<1x6x7x4xf32> into tensor<2x6x7x4xf32>
  %w1 = tensor.insert_slice %o1a into %w0[1, 0, 0, 0] [1, 6, 3, 4] [1, 1, 1, 1] : tensor<1x6x3x4xf32> into tensor<2x6x7x4xf32>
  %w2 = tensor.insert_slice %o1b into %w1[1, 0, 3, 0] [1, 6, 4, 4] [1, 1, 1, 1] : tensor<1x6x4x4xf32> into tensor<2x6x7x4xf32>
  return %w2 : tensor<2x6x7x4xf32>
}

//--- wrong-origin.mlir
func.func @main(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %len: tensor<2xi64>, %off: tensor<2xi64>)
    -> tensor<2x6x7x4xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    mask<window<4, 1>> align(end) lengths(%len : tensor<2xi64>) query_offset(%off : tensor<2xi64>)
    origin(%c0, %c0, %c3, %c0) -> tensor<2x6x7x4xf32>
  return %o : tensor<2x6x7x4xf32>
}

//--- any-origin.mlir
func.func @main(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %len: tensor<?xi64>, %first: index)
    -> tensor<2x6x7x4xf32> {
  %c0 = arith.constant 0 : index
  %o = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    lengths(%len : tensor<?xi64>) origin(%first, %c0, %c0, %c0) -> tensor<2x6x7x4xf32>
  return %o : tensor<2x6x7x4xf32>
}
