// RUN: split-file %s %t
// RUN: mha-run %t/top-left.mlir --compare=%t/top-left-halves.mlir | FileCheck %s
// RUN: mha-run %t/end.mlir --compare=%t/end-tile.mlir --input=len=int:9:11 --input=off=int:-3:-2 | FileCheck %s
// RUN: mha-run %t/end-full.mlir --compare=%t/end-full-tile.mlir --input=off=int:-5:-5 | FileCheck %s
// RUN: not mha-run %t/end.mlir --compare=%t/wrong-origin.mlir --input=len=int:9:11 --input=off=int:-3:-2 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WRONG

// A tile of keys counts its keys from its origin; lengths and the end of the keys are those of the problem.
// CHECK-COUNT-4: result {{[01]}} {{.*}} verified

// One key further on: told apart.
// WRONG: result 0 {{.*}}FAILED
// WRONG: first difference at

// Positions from the top left: the first keys are an op of their own, the others a tile. Their results merge by the lse.

//--- top-left.mlir
func.func @main(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) -> (tensor<2x6x7x4xf32>, tensor<2x6x7xf32>) {
  %o, %l = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    mask<window<6, 3>> align(top_left) -> (tensor<2x6x7x4xf32>, lse tensor<2x6x7xf32>)
  return %o, %l : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>
}

//--- top-left-halves.mlir
#row = affine_map<(b, h, i, n) -> (b, h, i)>
#all = affine_map<(b, h, i, n) -> (b, h, i, n)>
func.func @main(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>) -> (tensor<2x6x7x4xf32>, tensor<2x6x7xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %k1 = tensor.extract_slice %k[0, 0, 0, 0] [2, 3, 4, 5] [1, 1, 1, 1] : tensor<2x3x11x5xf32> to tensor<2x3x4x5xf32>
  %v1 = tensor.extract_slice %v[0, 0, 0, 0] [2, 3, 4, 4] [1, 1, 1, 1] : tensor<2x3x11x4xf32> to tensor<2x3x4x4xf32>
  %k2 = tensor.extract_slice %k[0, 0, 4, 0] [2, 3, 7, 5] [1, 1, 1, 1] : tensor<2x3x11x5xf32> to tensor<2x3x7x5xf32>
  %v2 = tensor.extract_slice %v[0, 0, 4, 0] [2, 3, 7, 4] [1, 1, 1, 1] : tensor<2x3x11x4xf32> to tensor<2x3x7x4xf32>
  %o1, %l1 = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k1 : tensor<2x3x4x5xf32>, bhsd) value(%v1 : tensor<2x3x4x4xf32>, bhsd)
    mask<window<6, 3>> align(top_left) -> (tensor<2x6x7x4xf32>, lse tensor<2x6x7xf32>)
  %o2, %l2 = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k2 : tensor<2x3x7x5xf32>, bhsd) value(%v2 : tensor<2x3x7x4xf32>, bhsd)
    mask<window<6, 3>> align(top_left) origin(%c0, %c0, %c0, %c4) -> (tensor<2x6x7x4xf32>, lse tensor<2x6x7xf32>)
  %e1 = math.exp %l1 : tensor<2x6x7xf32>
  %e2 = math.exp %l2 : tensor<2x6x7xf32>
  %e = arith.addf %e1, %e2 : tensor<2x6x7xf32>
  %l = math.log %e : tensor<2x6x7xf32>
  %empty = tensor.empty() : tensor<2x6x7x4xf32>
  %o = linalg.generic {indexing_maps = [#all, #all, #row, #row, #row, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%o1, %o2, %e1, %e2, %e : tensor<2x6x7x4xf32>, tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>)
      outs(%empty : tensor<2x6x7x4xf32>) {
  ^bb0(%x1: f32, %x2: f32, %w1: f32, %w2: f32, %w: f32, %unused: f32):
    %y1 = arith.mulf %x1, %w1 : f32
    %y2 = arith.mulf %x2, %w2 : f32
    %sum = arith.addf %y1, %y2 : f32
    %mean = arith.divf %sum, %w : f32
    linalg.yield %mean : f32
  } -> tensor<2x6x7x4xf32>
  return %o, %l : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>
}

// Positions from the end of the keys, lengths above the number of keys in the tile. No query sees a key before the tile: the
// first position is at least 9 - 3, and the window goes 2 back.

//--- end.mlir
func.func @main(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %len: tensor<2xi64>, %off: tensor<2xi64>)
    -> (tensor<2x6x7x4xf32>, tensor<2x6x7xf32>) {
  %o, %l = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    mask<window<2, 1>> align(end) lengths(%len : tensor<2xi64>) query_offset(%off : tensor<2xi64>)
    -> (tensor<2x6x7x4xf32>, lse tensor<2x6x7xf32>)
  return %o, %l : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>
}

//--- end-tile.mlir
func.func @main(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %len: tensor<2xi64>, %off: tensor<2xi64>)
    -> (tensor<2x6x7x4xf32>, tensor<2x6x7xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %kt = tensor.extract_slice %k[0, 0, 4, 0] [2, 3, 7, 5] [1, 1, 1, 1] : tensor<2x3x11x5xf32> to tensor<2x3x7x5xf32>
  %vt = tensor.extract_slice %v[0, 0, 4, 0] [2, 3, 7, 4] [1, 1, 1, 1] : tensor<2x3x11x4xf32> to tensor<2x3x7x4xf32>
  %o, %l = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%kt : tensor<2x3x7x5xf32>, bhsd) value(%vt : tensor<2x3x7x4xf32>, bhsd)
    mask<window<2, 1>> align(end) lengths(%len : tensor<2xi64>) query_offset(%off : tensor<2xi64>) origin(%c0, %c0, %c0, %c4)
    -> (tensor<2x6x7x4xf32>, lse tensor<2x6x7xf32>)
  return %o, %l : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>
}

//--- wrong-origin.mlir
func.func @main(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %len: tensor<2xi64>, %off: tensor<2xi64>)
    -> (tensor<2x6x7x4xf32>, tensor<2x6x7xf32>) {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %kt = tensor.extract_slice %k[0, 0, 4, 0] [2, 3, 7, 5] [1, 1, 1, 1] : tensor<2x3x11x5xf32> to tensor<2x3x7x5xf32>
  %vt = tensor.extract_slice %v[0, 0, 4, 0] [2, 3, 7, 4] [1, 1, 1, 1] : tensor<2x3x11x4xf32> to tensor<2x3x7x4xf32>
  %o, %l = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%kt : tensor<2x3x7x5xf32>, bhsd) value(%vt : tensor<2x3x7x4xf32>, bhsd)
    mask<window<2, 1>> align(end) lengths(%len : tensor<2xi64>) query_offset(%off : tensor<2xi64>) origin(%c0, %c0, %c0, %c5)
    -> (tensor<2x6x7x4xf32>, lse tensor<2x6x7xf32>)
  return %o, %l : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>
}

// Without lengths the end is that of the tile's keys, counted from its origin: position 11 - 5, window 2 back.

//--- end-full.mlir
func.func @main(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %off: i64)
    -> (tensor<2x6x7x4xf32>, tensor<2x6x7xf32>) {
  %o, %l = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    mask<window<2, 1>> align(end) query_offset(%off : i64) -> (tensor<2x6x7x4xf32>, lse tensor<2x6x7xf32>)
  return %o, %l : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>
}

//--- end-full-tile.mlir
func.func @main(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %off: i64)
    -> (tensor<2x6x7x4xf32>, tensor<2x6x7xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %kt = tensor.extract_slice %k[0, 0, 4, 0] [2, 3, 7, 5] [1, 1, 1, 1] : tensor<2x3x11x5xf32> to tensor<2x3x7x5xf32>
  %vt = tensor.extract_slice %v[0, 0, 4, 0] [2, 3, 7, 4] [1, 1, 1, 1] : tensor<2x3x11x4xf32> to tensor<2x3x7x4xf32>
  %o, %l = mha.attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%kt : tensor<2x3x7x5xf32>, bhsd) value(%vt : tensor<2x3x7x4xf32>, bhsd)
    mask<window<2, 1>> align(end) query_offset(%off : i64) origin(%c0, %c0, %c0, %c4) -> (tensor<2x6x7x4xf32>, lse tensor<2x6x7xf32>)
  return %o, %l : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>
}
