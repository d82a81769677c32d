// The open form is cut along every axis by tools that know the interfaces of tiling alone, on tensors and on memrefs.
// RUN: split-file %s %t

// DEFINE: %{library} = rows.mlir
// DEFINE: %{first} = mha-convert-to-online
// DEFINE: %{run} = mha-run %t/main.mlir --input=random:3 --verify '--pipeline=%to_entry_points,%{first},transform-preload-library{transform-library-paths=%t/%{library}},transform-interpreter,mha-add-destinations,mha-place-results,mha-bufferize,canonicalize,func.func(scf-forall-to-for),%memrefs_to_llvm' | FileCheck %s
// CHECK-COUNT-5: verified
// CHECK-NOT: FAILED

// Part of the group of one head, 3 of 7 queries, and 4 of 11 keys with the state carried along.
// RUN: mha-opt %t/main.mlir --mha-convert-to-online --transform-preload-library=transform-library-paths=%t/rows.mlir --transform-interpreter --canonicalize | FileCheck %s --check-prefix=ROWS
// ROWS: scf.for
// ROWS: scf.for
// ROWS: mha.online_attention query(%{{[^ ]+}} : tensor<1x1x?x5xf32>, bhsd) key(%{{[^ ]+}} : tensor<1x1x?x5xf32>, bhsd)
// ROWS-SAME: origin(%{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}})
// RUN: %{run}

// Whole groups of one head, 2 batch entries, items of a parallel loop.
// REDEFINE: %{library} = items.mlir
// RUN: %{run}

// Tiles of tiles: origins add up.
// REDEFINE: %{first} = mha-tile-attention{tile-sizes=2,1,1,4,0},mha-convert-to-online
// RUN: %{run}
// REDEFINE: %{library} = rows.mlir
// RUN: %{run}
// REDEFINE: %{first} = mha-convert-to-online,mha-split-keys{parts=2}
// RUN: %{run}

// On memrefs: blocks of keys, and what nobody has cut.
// RUN: mha-run %t/main.mlir --input=random:3 --verify '--pipeline=%to_entry_points,mha-add-destinations,mha-place-results,mha-bufferize,canonicalize,mha-convert-to-online,mha-tile-keys{block-k=3},%memrefs_to_llvm' | FileCheck %s
// RUN: mha-run %t/main.mlir --input=random:3 --verify '--pipeline=%to_entry_points,mha-add-destinations,mha-place-results,mha-bufferize,canonicalize,mha-convert-to-online,%memrefs_to_llvm' | FileCheck %s
// Ops on states that the program has itself go through bufferization.
// RUN: mha-run %t/main.mlir --input=random:3 --verify '--pipeline=%to_entry_points,mha-convert-to-online,mha-add-destinations,mha-place-results,mha-bufferize,canonicalize,%memrefs_to_llvm' | FileCheck %s

//--- rows.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %ops = transform.structured.match ops{["mha.online_attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:5 = transform.structured.tile_using_for %ops tile_sizes [1, 1, 1, 3, 4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

//--- items.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %ops = transform.structured.match ops{["mha.online_attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops = transform.structured.tile_using_forall %ops tile_sizes [2, 1, 0, 3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

//--- main.mlir
!q = tensor<3x6x7x5xf32>
!k = tensor<3x2x11x5xf32>
!v = tensor<3x2x11x4xf32>
!o = tensor<3x6x7x4xf32>
func.func @main(%q: !q, %k: !k, %v: !v, %len: tensor<3xi64> {mha.kind = "length"}, %mask: tensor<3x1x7x11xf32>, %slopes: tensor<6xf32>, %sink: tensor<6xf32>) -> (!o, !o, !o, !o, tensor<3x6x7xf32>) {
  %offset = arith.constant dense<[4, -2, 0]> : tensor<3xi64>
  %0 = mha.attention query(%q : !q, bhsd) key(%k : !k, bhsd) value(%v : !v, bhsd) dense_mask(%mask : tensor<3x1x7x11xf32>) -> !o
  %1 = mha.attention query(%q : !q, bhsd) key(%k : !k, bhsd) value(%v : !v, bhsd) mask<causal> align(bottom_right) lengths(%len : tensor<3xi64>) -> !o
  %2 = mha.attention query(%q : !q, bhsd) key(%k : !k, bhsd) value(%v : !v, bhsd) mask<window<3, 1>> align(explicit) query_offset(%offset : tensor<3xi64>) bias<alibi> slopes(%slopes : tensor<6xf32>) -> !o
  %3, %lse = mha.attention query(%q : !q, bhsd) key(%k : !k, bhsd) value(%v : !v, bhsd) softcap(2.0) sink(%sink : tensor<6xf32>) -> (!o, lse tensor<3x6x7xf32>)
  return %0, %1, %2, %3, %lse : !o, !o, !o, !o, tensor<3x6x7xf32>
}
