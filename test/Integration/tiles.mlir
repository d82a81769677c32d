// Attention in tiles is attention: tiles by their definition, on tensors and on memrefs, against the reference.
// RUN: split-file %s %t

// DEFINE: %{sizes} = 1,1,1,3,0
// DEFINE: %{program} = masks.mlir
// DEFINE: %{tensors} = mha-run %t/%{program} --input=random:3 --verify '--pipeline=%to_entry_points,mha-tile-attention{tile-sizes=%{sizes}},mha-add-destinations,mha-place-results,mha-bufferize,canonicalize,func.func(scf-forall-to-for),%memrefs_to_llvm' | FileCheck %s
// DEFINE: %{memrefs} = mha-run %t/%{program} --input=random:3 --verify '--pipeline=%to_entry_points,mha-add-destinations,mha-place-results,mha-bufferize,canonicalize,mha-tile-attention{tile-sizes=%{sizes}},func.func(scf-forall-to-for),%memrefs_to_llvm' | FileCheck %s
// CHECK-COUNT-6: verified
// CHECK-NOT: FAILED

// One batch entry, one key head, one query head, 3 of 7 queries; whole groups of both key heads; part of the group; part of the head.
// RUN: %{memrefs}
// REDEFINE: %{sizes} = 0,0,0,2,0
// RUN: %{memrefs}
// REDEFINE: %{sizes} = 1,1,2,0,0
// RUN: %{memrefs}
// REDEFINE: %{sizes} = 2,1,0,5,3
// RUN: %{memrefs}

// The same on tensors, whose tiles are put together.
// REDEFINE: %{sizes} = 1,1,1,3,0
// RUN: %{tensors}
// REDEFINE: %{sizes} = 0,0,0,2,0
// RUN: %{tensors}
// REDEFINE: %{sizes} = 2,1,0,5,3
// RUN: %{tensors}

// An lse and its output from one tile.
// REDEFINE: %{program} = lse.mlir
// REDEFINE: %{sizes} = 1,1,1,3,0
// RUN: mha-run %t/lse.mlir --input=random:3 --verify '--pipeline=%to_entry_points,mha-tile-attention{tile-sizes=1,1,1,3,0},mha-add-destinations,mha-place-results,mha-bufferize,canonicalize,func.func(scf-forall-to-for),%memrefs_to_llvm' | FileCheck %s --check-prefix=LSE
// LSE-COUNT-2: verified
// RUN: not mha-opt %t/lse.mlir --mha-tile-attention=tile-sizes=1,1,1,3,2 2>&1 | FileCheck %s --check-prefix=PART
// PART: error: 'mha.attention' op expected tile sizes with one key/value head or all of a group, and the whole head size beside an lse

// A tile that its consumer asks for: attention is fused into the loop over the consumer's tiles, through the output and, in the second
// program, through the lse.
// RUN: mha-opt %t/fused.mlir --transform-preload-library=transform-library-paths=%t/library.mlir --transform-interpreter | FileCheck %s --check-prefix=IR
// IR-LABEL: func.func @main(
// IR: scf.forall
// IR: mha.attention {{.*}} origin(
// IR: linalg.exp
// IR-LABEL: func.func @rows(
// IR: scf.forall
// IR: mha.attention {{.*}} origin(
// IR: linalg.exp
// RUN: mha-run %t/fused.mlir -e main --input=random:3 --verify '--pipeline=transform-preload-library{transform-library-paths=%t/library.mlir},transform-interpreter,%to_entry_points,mha-add-destinations,mha-place-results,mha-bufferize,canonicalize,func.func(scf-forall-to-for),%memrefs_to_llvm' | FileCheck %s --check-prefix=FUSED
// RUN: mha-run %t/fused.mlir -e rows --input=random:3 --verify '--pipeline=transform-preload-library{transform-library-paths=%t/library.mlir},transform-interpreter,%to_entry_points,mha-add-destinations,mha-place-results,mha-bufferize,canonicalize,func.func(scf-forall-to-for),%memrefs_to_llvm' | FileCheck %s --check-prefix=FUSED
// FUSED: verified

//--- masks.mlir
!q = tensor<3x6x7x5xf32>
!k = tensor<3x2x11x5xf32>
!v = tensor<3x2x11x4xf32>
!o = tensor<3x6x7x4xf32>
func.func @main(%q: !q, %k: !k, %v: !v, %len: tensor<3xi64> {mha.kind = "length"}) -> (!o, !o, !o, !o, !o, !o) {
  %offset = arith.constant dense<[4, -2, 0]> : tensor<3xi64>
  %minus = arith.constant -6 : i64
  %0 = mha.attention query(%q : !q, bhsd) key(%k : !k, bhsd) value(%v : !v, bhsd) -> !o
  %1 = mha.attention query(%q : !q, bhsd) key(%k : !k, bhsd) value(%v : !v, bhsd) mask<causal> align(top_left) -> !o
  %2 = mha.attention query(%q : !q, bhsd) key(%k : !k, bhsd) value(%v : !v, bhsd) mask<causal> align(bottom_right) lengths(%len : tensor<3xi64>) -> !o
  %3 = mha.attention query(%q : !q, bhsd) key(%k : !k, bhsd) value(%v : !v, bhsd) mask<causal> align(explicit) query_offset(%offset : tensor<3xi64>) -> !o
  %4 = mha.attention query(%q : !q, bhsd) key(%k : !k, bhsd) value(%v : !v, bhsd) mask<window<3, 1>> align(end) query_offset(%minus : i64) -> !o
  %5 = mha.attention query(%q : !q, bhsd) key(%k : !k, bhsd) value(%v : !v, bhsd) lengths(%len : tensor<3xi64>) -> !o
  return %0, %1, %2, %3, %4, %5 : !o, !o, !o, !o, !o, !o
}

//--- lse.mlir
!q = tensor<3x6x7x5xf32>
!k = tensor<3x2x11x5xf32>
!v = tensor<3x2x11x4xf32>
!o = tensor<3x6x7x4xf32>
!l = tensor<3x6x7xf32>
func.func @main(%q: !q, %k: !k, %v: !v) -> (!o, !l) {
  %o, %l = mha.attention query(%q : !q, bhsd) key(%k : !k, bhsd) value(%v : !v, bhsd) mask<causal> align(bottom_right) -> (!o, lse !l)
  return %o, %l : !o, !l
}

//--- fused.mlir
!q = tensor<3x6x7x5xf32>
!o = tensor<3x6x7x5xf32>
!l = tensor<3x6x7xf32>
func.func @main(%q: !q, %k: !q, %v: !q) -> !o {
  %a = mha.attention query(%q : !q, bhsd) key(%k : !q, bhsd) value(%v : !q, bhsd) mask<causal> -> !o
  %e = tensor.empty() : !o
  %x = linalg.exp ins(%a : !o) outs(%e : !o) -> !o
  return %x : !o
}
func.func @rows(%q: !q, %k: !q, %v: !q) -> !l {
  %a, %l = mha.attention query(%q : !q, bhsd) key(%k : !q, bhsd) value(%v : !q, bhsd) mask<causal> -> (!o, lse !l)
  %e = tensor.empty() : !l
  %x = linalg.exp ins(%l : !l) outs(%e : !l) -> !l
  return %x : !l
}

//--- library.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %main = transform.structured.match ops{["linalg.exp"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.foreach %main : !transform.any_op {
    ^bb0(%exp: !transform.any_op):
      %function = transform.get_parent_op %exp {op_name = "func.func"} : (!transform.any_op) -> !transform.any_op
      %attention = transform.structured.match ops{["mha.attention"]} in %function : (!transform.any_op) -> !transform.any_op
      %tile, %loop = transform.structured.tile_using_forall %exp tile_sizes [1, 2, 3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      %fused, %outer = transform.structured.fuse_into_containing_op %attention into %loop
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
      transform.yield
    }
    transform.yield
  }
}
