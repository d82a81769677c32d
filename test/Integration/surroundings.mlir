// Projections and repeated heads against what MLIR's own ops compute, in every layout, type and form; sizes of run time are checked.
// RUN: split-file %s %t
// RUN: mha-run %t/ours.mlir --input=random:3 --compare=%t/theirs.mlir | FileCheck %s
// RUN: mha-run %t/ours.mlir --input=random:3 --verify '--pipeline=%to_entry_points,mha-add-destinations,mha-place-results,mha-bufferize,canonicalize,%memrefs_to_llvm' | FileCheck %s --check-prefix=BUFFERS
// CHECK-COUNT-12: verified
// CHECK-NOT: FAILED
// BUFFERS-COUNT-6: verified

// RUN: mha-run %t/dynamic.mlir --input=x=2x7x5xf32=random:1 --input=w=3x5xf32=random:2 --input=k=2x3x7x5xf32=random:4 --verify | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC-COUNT-2: verified
// RUN: not mha-run %t/dynamic.mlir --input=x=2x7x5xf32=random:1 --input=w=3x6xf32=random:2 --input=k=2x3x7x5xf32=random:4 2>&1 | FileCheck %s --check-prefix=MISFIT
// MISFIT: error:

//--- ours.mlir
func.func @main(%x: tensor<2x7x5xf32>, %w: tensor<3x5xf32>, %b: tensor<3xf32>, %rows: tensor<7x5xbf16>, %u: tensor<5x4xbf16>, %k: tensor<2x7x3x4xf32>, %wide: tensor<2x7x3xf64>, %m: tensor<3x5xf64>, %c: tensor<5xf64>, %v: tensor<2x3x4x7xf16>)
    -> (tensor<2x7x3xf32>, tensor<2x7x3xf32>, tensor<7x4xbf16>, tensor<2x7x6x4xf32>, tensor<2x7x5xf64>, tensor<2x9x4x7xf16>) {
  %y = tensor.empty() : tensor<2x7x3xf32>
  %0 = mha.projection input(%x : tensor<2x7x5xf32>) weight(%w : tensor<3x5xf32>, oe) bias(%b : tensor<3xf32>) outs(%y : tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
  %1 = mha.projection input(%x : tensor<2x7x5xf32>) weight(%w : tensor<3x5xf32>, oe) outs(%y : tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
  %z = tensor.empty() : tensor<7x4xbf16>
  %2 = mha.projection input(%rows : tensor<7x5xbf16>) weight(%u : tensor<5x4xbf16>, eo) outs(%z : tensor<7x4xbf16>) -> tensor<7x4xbf16>
  %r = tensor.empty() : tensor<2x7x6x4xf32>
  %3 = mha.repeat_kv %k : tensor<2x7x3x4xf32>, bshd times 2 outs(%r : tensor<2x7x6x4xf32>) -> tensor<2x7x6x4xf32>
  %n = tensor.empty() : tensor<2x7x5xf64>
  %4 = mha.projection input(%wide : tensor<2x7x3xf64>) weight(%m : tensor<3x5xf64>, eo) bias(%c : tensor<5xf64>) outs(%n : tensor<2x7x5xf64>) -> tensor<2x7x5xf64>
  %q = tensor.empty() : tensor<2x9x4x7xf16>
  %5 = mha.repeat_kv %v : tensor<2x3x4x7xf16>, bhds times 3 outs(%q : tensor<2x9x4x7xf16>) -> tensor<2x9x4x7xf16>
  return %0, %1, %2, %3, %4, %5 : tensor<2x7x3xf32>, tensor<2x7x3xf32>, tensor<7x4xbf16>, tensor<2x7x6x4xf32>, tensor<2x7x5xf64>, tensor<2x9x4x7xf16>
}

//--- theirs.mlir
func.func @main(%x: tensor<2x7x5xf32>, %w: tensor<3x5xf32>, %b: tensor<3xf32>, %rows: tensor<7x5xbf16>, %u: tensor<5x4xbf16>, %k: tensor<2x7x3x4xf32>, %wide: tensor<2x7x3xf64>, %m: tensor<3x5xf64>, %c: tensor<5xf64>, %v: tensor<2x3x4x7xf16>)
    -> (tensor<2x7x3xf32>, tensor<2x7x3xf32>, tensor<7x4xbf16>, tensor<2x7x6x4xf32>, tensor<2x7x5xf64>, tensor<2x9x4x7xf16>) {
  %zero = arith.constant 0.0 : f32
  // x W^T, all rows at once.
  %flat = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x7x5xf32> into tensor<14x5xf32>
  %e = tensor.empty() : tensor<14x3xf32>
  %e0 = linalg.fill ins(%zero : f32) outs(%e : tensor<14x3xf32>) -> tensor<14x3xf32>
  %t = tensor.empty() : tensor<5x3xf32>
  %wt = linalg.transpose ins(%w : tensor<3x5xf32>) outs(%t : tensor<5x3xf32>) permutation = [1, 0]
  %mm = linalg.matmul ins(%flat, %wt : tensor<14x5xf32>, tensor<5x3xf32>) outs(%e0 : tensor<14x3xf32>) -> tensor<14x3xf32>
  %1 = tensor.expand_shape %mm [[0, 1], [2]] output_shape [2, 7, 3] : tensor<14x3xf32> into tensor<2x7x3xf32>
  %be = tensor.empty() : tensor<2x7x3xf32>
  %bb = linalg.broadcast ins(%b : tensor<3xf32>) outs(%be : tensor<2x7x3xf32>) dimensions = [0, 1]
  %0 = arith.addf %1, %bb : tensor<2x7x3xf32>
  // bf16: products and sums in f32, rounded once.
  %rw = arith.extf %rows : tensor<7x5xbf16> to tensor<7x5xf32>
  %uw = arith.extf %u : tensor<5x4xbf16> to tensor<5x4xf32>
  %f = tensor.empty() : tensor<7x4xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%f : tensor<7x4xf32>) -> tensor<7x4xf32>
  %fm = linalg.matmul ins(%rw, %uw : tensor<7x5xf32>, tensor<5x4xf32>) outs(%f0 : tensor<7x4xf32>) -> tensor<7x4xf32>
  %2 = arith.truncf %fm : tensor<7x4xf32> to tensor<7x4xbf16>
  // Each head twice, one behind the other.
  %he = tensor.empty() : tensor<2x7x3x2x4xf32>
  %hb = linalg.broadcast ins(%k : tensor<2x7x3x4xf32>) outs(%he : tensor<2x7x3x2x4xf32>) dimensions = [3]
  %3 = tensor.collapse_shape %hb [[0], [1], [2, 3], [4]] : tensor<2x7x3x2x4xf32> into tensor<2x7x6x4xf32>
  %z64 = arith.constant 0.0 : f64
  %g = tensor.empty() : tensor<14x5xf64>
  %g0 = linalg.fill ins(%z64 : f64) outs(%g : tensor<14x5xf64>) -> tensor<14x5xf64>
  %rows64 = tensor.collapse_shape %wide [[0, 1], [2]] : tensor<2x7x3xf64> into tensor<14x3xf64>
  %gm = linalg.matmul ins(%rows64, %m : tensor<14x3xf64>, tensor<3x5xf64>) outs(%g0 : tensor<14x5xf64>) -> tensor<14x5xf64>
  %gx = tensor.expand_shape %gm [[0, 1], [2]] output_shape [2, 7, 5] : tensor<14x5xf64> into tensor<2x7x5xf64>
  %ce = tensor.empty() : tensor<2x7x5xf64>
  %cb = linalg.broadcast ins(%c : tensor<5xf64>) outs(%ce : tensor<2x7x5xf64>) dimensions = [0, 1]
  %4 = arith.addf %gx, %cb : tensor<2x7x5xf64>
  %ve = tensor.empty() : tensor<2x3x3x4x7xf16>
  %vb = linalg.broadcast ins(%v : tensor<2x3x4x7xf16>) outs(%ve : tensor<2x3x3x4x7xf16>) dimensions = [2]
  %5 = tensor.collapse_shape %vb [[0], [1, 2], [3], [4]] : tensor<2x3x3x4x7xf16> into tensor<2x9x4x7xf16>
  return %0, %1, %2, %3, %4, %5 : tensor<2x7x3xf32>, tensor<2x7x3xf32>, tensor<7x4xbf16>, tensor<2x7x6x4xf32>, tensor<2x7x5xf64>, tensor<2x9x4x7xf16>
}

//--- dynamic.mlir
func.func @main(%x: tensor<?x?x?xf32> {mha.name = "x"}, %w: tensor<?x?xf32> {mha.name = "w"}, %k: tensor<?x?x?x?xf32> {mha.name = "k"}) -> (tensor<?x?x?xf32>, tensor<?x?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %o = tensor.dim %w, %c0 : tensor<?x?xf32>
  %y = tensor.empty(%b, %s, %o) : tensor<?x?x?xf32>
  %0 = mha.projection input(%x : tensor<?x?x?xf32>) weight(%w : tensor<?x?xf32>, oe) outs(%y : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %kb = tensor.dim %k, %c0 : tensor<?x?x?x?xf32>
  %kh = tensor.dim %k, %c1 : tensor<?x?x?x?xf32>
  %ks = tensor.dim %k, %c2 : tensor<?x?x?x?xf32>
  %kd = tensor.dim %k, %c3 : tensor<?x?x?x?xf32>
  %h = arith.muli %kh, %c3 : index
  %r = tensor.empty(%kb, %h, %ks, %kd) : tensor<?x?x?x?xf32>
  %1 = mha.repeat_kv %k : tensor<?x?x?x?xf32>, bhsd times 3 outs(%r : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %0, %1 : tensor<?x?x?xf32>, tensor<?x?x?x?xf32>
}
