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

// RUN: mha-run %t/packed.mlir --input=random:3 --compare=%t/apart.mlir | FileCheck %s --check-prefix=PACKED
// RUN: mha-run %t/packed.mlir --input=random:3 --verify '--pipeline=%to_entry_points,mha-add-destinations,mha-place-results,mha-bufferize,canonicalize,%memrefs_to_llvm' | FileCheck %s --check-prefix=PACKED-BUFFERS
// PACKED-COUNT-8: verified
// PACKED-BUFFERS-COUNT-4: verified

// Widths that only run time knows add up, or are refused.
// RUN: mha-run %t/widths.mlir --input=x=7x5xf32=random:1 --input=w=9x5xf32=random:2 --input=b=9xf32=random:3 --input=like=3xf32=random:4 --verify | FileCheck %s --check-prefix=WIDTHS
// WIDTHS-COUNT-2: verified
// RUN: not mha-run %t/widths.mlir --input=x=7x5xf32=random:1 --input=w=10x5xf32=random:2 --input=b=10xf32=random:3 --input=like=3xf32=random:4 2>&1 | FileCheck %s --check-prefix=MISFIT
// RUN: not mha-run %t/widths.mlir --input=x=7x5xf32=random:1 --input=w=9x5xf32=random:2 --input=b=8xf32=random:3 --input=like=3xf32=random:4 2>&1 | FileCheck %s --check-prefix=MISFIT

// A width below 0 does not make up for one that is too large: nothing is read beside the weight.
// RUN: mha-run %t/computed.mlir --input=n=const:5 --input=random:1 --verify | FileCheck %s --check-prefix=COMPUTED
// RUN: mha-run %t/computed.mlir --input=n=const:12 --input=random:1 --verify | FileCheck %s --check-prefix=COMPUTED
// RUN: not mha-run %t/computed.mlir --input=n=const:-5 --input=random:1 2>&1 | FileCheck %s --check-prefix=MISFIT
// RUN: not mha-run %t/computed.mlir --input=n=const:13 --input=random:1 2>&1 | FileCheck %s --check-prefix=MISFIT
// COMPUTED: verified

// Rotary embeddings on buffers, where halves, strided pairs and what is left are views of one destination; into their own input as well.
// RUN: mha-run %t/rotary.mlir --input=p=int:0:8 --input=o=int:0:5 --input=random:1 --verify '--pipeline=%to_entry_points,mha-add-destinations,mha-place-results,mha-bufferize,canonicalize,%memrefs_to_llvm' | FileCheck %s --check-prefix=ROTARY
// ROTARY-COUNT-4: verified
// RUN: not mha-run %t/tables.mlir --input=x=random:1 --input=c=0x4xf32=random:1 --input=s=0x4xf32=random:1 2>&1 | FileCheck %s --check-prefix=MISFIT
// RUN: not mha-run %t/tables.mlir --input=x=random:1 --input=c=7x4xf32=random:1 --input=s=8x4xf32=random:1 2>&1 | FileCheck %s --check-prefix=MISFIT

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

//--- packed.mlir
func.func @main(%x: tensor<2x7x5xf32>, %w: tensor<12x5xf32>, %u: tensor<5x12xf32>, %b: tensor<12xf32>, %r: tensor<2x7x4xf32>)
    -> (tensor<2x7x6xf32>, tensor<2x7x2xbf16>, tensor<2x7x4xf32>, tensor<2x7x4xf32>) {
  %q = tensor.empty() : tensor<2x7x6xf32>
  %k = tensor.empty() : tensor<2x7x2xbf16>
  %v = tensor.empty() : tensor<2x7x4xf32>
  %0:3 = mha.qkv_projection input(%x : tensor<2x7x5xf32>) weight(%w : tensor<12x5xf32>, oe) bias(%b : tensor<12xf32>)
    outs(%q, %k, %v : tensor<2x7x6xf32>, tensor<2x7x2xbf16>, tensor<2x7x4xf32>) -> tensor<2x7x6xf32>, tensor<2x7x2xbf16>, tensor<2x7x4xf32>
  %1:3 = mha.qkv_projection input(%x : tensor<2x7x5xf32>) weight(%u : tensor<5x12xf32>, eo)
    outs(%q, %k, %v : tensor<2x7x6xf32>, tensor<2x7x2xbf16>, tensor<2x7x4xf32>) -> tensor<2x7x6xf32>, tensor<2x7x2xbf16>, tensor<2x7x4xf32>
  %w4 = tensor.extract_slice %w[8, 0] [4, 5] [1, 1] : tensor<12x5xf32> to tensor<4x5xf32>
  %2 = mha.projection input(%x : tensor<2x7x5xf32>) weight(%w4 : tensor<4x5xf32>, oe) residual(%r : tensor<2x7x4xf32>) outs(%v : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  return %0#0, %0#1, %1#2, %2 : tensor<2x7x6xf32>, tensor<2x7x2xbf16>, tensor<2x7x4xf32>, tensor<2x7x4xf32>
}

//--- apart.mlir
func.func @main(%x: tensor<2x7x5xf32>, %w: tensor<12x5xf32>, %u: tensor<5x12xf32>, %b: tensor<12xf32>, %r: tensor<2x7x4xf32>)
    -> (tensor<2x7x6xf32>, tensor<2x7x2xbf16>, tensor<2x7x4xf32>, tensor<2x7x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %flat = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x7x5xf32> into tensor<14x5xf32>
  %e = tensor.empty() : tensor<14x12xf32>
  %e0 = linalg.fill ins(%zero : f32) outs(%e : tensor<14x12xf32>) -> tensor<14x12xf32>
  %t = tensor.empty() : tensor<5x12xf32>
  %wt = linalg.transpose ins(%w : tensor<12x5xf32>) outs(%t : tensor<5x12xf32>) permutation = [1, 0]
  %mm = linalg.matmul ins(%flat, %wt : tensor<14x5xf32>, tensor<5x12xf32>) outs(%e0 : tensor<14x12xf32>) -> tensor<14x12xf32>
  %all = tensor.expand_shape %mm [[0, 1], [2]] output_shape [2, 7, 12] : tensor<14x12xf32> into tensor<2x7x12xf32>
  %be = tensor.empty() : tensor<2x7x12xf32>
  %bb = linalg.broadcast ins(%b : tensor<12xf32>) outs(%be : tensor<2x7x12xf32>) dimensions = [0, 1]
  %biased = arith.addf %all, %bb : tensor<2x7x12xf32>
  %0 = tensor.extract_slice %biased[0, 0, 0] [2, 7, 6] [1, 1, 1] : tensor<2x7x12xf32> to tensor<2x7x6xf32>
  %1 = tensor.extract_slice %biased[0, 0, 6] [2, 7, 2] [1, 1, 1] : tensor<2x7x12xf32> to tensor<2x7x2xf32>
  %half = arith.truncf %1 : tensor<2x7x2xf32> to tensor<2x7x2xbf16>
  %mu = linalg.matmul ins(%flat, %u : tensor<14x5xf32>, tensor<5x12xf32>) outs(%e0 : tensor<14x12xf32>) -> tensor<14x12xf32>
  %allu = tensor.expand_shape %mu [[0, 1], [2]] output_shape [2, 7, 12] : tensor<14x12xf32> into tensor<2x7x12xf32>
  %2 = tensor.extract_slice %allu[0, 0, 8] [2, 7, 4] [1, 1, 1] : tensor<2x7x12xf32> to tensor<2x7x4xf32>
  %plain = tensor.extract_slice %all[0, 0, 8] [2, 7, 4] [1, 1, 1] : tensor<2x7x12xf32> to tensor<2x7x4xf32>
  %3 = arith.addf %plain, %r : tensor<2x7x4xf32>
  return %0, %half, %2, %3 : tensor<2x7x6xf32>, tensor<2x7x2xbf16>, tensor<2x7x4xf32>, tensor<2x7x4xf32>
}

//--- widths.mlir
func.func @main(%x: tensor<?x?xf32> {mha.name = "x"}, %w: tensor<?x?xf32> {mha.name = "w"}, %b: tensor<?xf32> {mha.name = "b"}, %like: tensor<?xf32> {mha.name = "like"}) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %s = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %like, %c0 : tensor<?xf32>
  %n2 = arith.muli %n, %c2 : index
  %q = tensor.empty(%s, %n2) : tensor<?x?xf32>
  %k = tensor.empty(%s, %n) : tensor<?x?xf32>
  %0:2 = mha.qkv_projection input(%x : tensor<?x?xf32>) weight(%w : tensor<?x?xf32>, oe) bias(%b : tensor<?xf32>) outs(%q, %k : tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>, tensor<?x?xf32>
  return %0#0, %0#1 : tensor<?x?xf32>, tensor<?x?xf32>
}

//--- computed.mlir
func.func @main(%x: tensor<7x5xf32>, %w: tensor<12x5xf32>, %n: index {mha.name = "n"}) -> tensor<7xf32> {
  %c12 = arith.constant 12 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.subi %c12, %n : index
  %q = tensor.empty(%n) : tensor<7x?xf32>
  %k = tensor.empty(%m) : tensor<7x?xf32>
  %0:2 = mha.qkv_projection input(%x : tensor<7x5xf32>) weight(%w : tensor<12x5xf32>, oe) outs(%q, %k : tensor<7x?xf32>, tensor<7x?xf32>) -> tensor<7x?xf32>, tensor<7x?xf32>
  %e = tensor.empty() : tensor<7xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<7xf32>) -> tensor<7xf32>
  %r = linalg.reduce ins(%0#1 : tensor<7x?xf32>) outs(%f : tensor<7xf32>) dimensions = [1] (%a: f32, %b: f32) { %s = arith.addf %a, %b : f32 linalg.yield %s : f32 }
  return %r : tensor<7xf32>
}

//--- rotary.mlir
func.func @main(%x: tensor<2x3x7x8xf32>, %y: tensor<2x7x3x8xbf16>, %p: tensor<2x7xi64>, %o: tensor<2xi64>, %c: tensor<9x4xf32>, %s: tensor<9x4xf32>, %rc: tensor<2x7x3xf32>) -> (tensor<2x3x7x8xf32>, tensor<2x7x3x8xbf16>, tensor<2x3x7x8xf32>, tensor<2x3x7x8xf32>) {
  %e = tensor.empty() : tensor<2x3x7x8xf32>
  %f = tensor.empty() : tensor<2x7x3x8xbf16>
  %0 = mha.rotary_embedding %x : tensor<2x3x7x8xf32>, bhsd cos(%c : tensor<9x4xf32>) sin(%s : tensor<9x4xf32>) position_ids(%p : tensor<2x7xi64>) outs(%e : tensor<2x3x7x8xf32>) -> tensor<2x3x7x8xf32>
  %1 = mha.rotary_embedding %y : tensor<2x7x3x8xbf16>, bshd interleaved rotary_dim(6) theta(10000.0) offset(%o : tensor<2xi64>) outs(%f : tensor<2x7x3x8xbf16>) -> tensor<2x7x3x8xbf16>
  %2 = mha.rotary_embedding %x : tensor<2x3x7x8xf32>, bhsd rotary_dim(6) cos(%rc : tensor<2x7x3xf32>) sin(%rc : tensor<2x7x3xf32>) outs(%e : tensor<2x3x7x8xf32>) -> tensor<2x3x7x8xf32>
  %3 = mha.rotary_embedding %x : tensor<2x3x7x8xf32>, bhsd theta(10000.0) outs(%x : tensor<2x3x7x8xf32>) -> tensor<2x3x7x8xf32>
  return %0, %1, %2, %3 : tensor<2x3x7x8xf32>, tensor<2x7x3x8xbf16>, tensor<2x3x7x8xf32>, tensor<2x3x7x8xf32>
}

//--- tables.mlir
func.func @main(%x: tensor<2x3x7x8xf32>, %c: tensor<?x4xf32> {mha.name = "c"}, %s: tensor<?x4xf32> {mha.name = "s"}) -> tensor<2x3x7x8xf32> {
  %e = tensor.empty() : tensor<2x3x7x8xf32>
  %0 = mha.rotary_embedding %x : tensor<2x3x7x8xf32>, bhsd cos(%c : tensor<?x4xf32>) sin(%s : tensor<?x4xf32>) outs(%e : tensor<2x3x7x8xf32>) -> tensor<2x3x7x8xf32>
  return %0 : tensor<2x3x7x8xf32>
}
