// RUN: mha-opt %s | FileCheck %s
// RUN: mha-opt %s | mha-opt | FileCheck %s
// RUN: mha-opt %s --emit-bytecode | mha-opt | FileCheck %s
// RUN: mha-opt %s --mlir-print-op-generic | mha-opt | FileCheck %s

// CHECK-LABEL: func.func @state_of_tensors
// CHECK: mha.online_attention query(%{{[^ ,)]+}} : tensor<2x7x6x5xf16>, bshd) key(%{{[^ ,)]+}} : tensor<2x3x11x5xf32>, bhsd) value(%{{[^ ,)]+}} : tensor<2x3x11x4xbf16>, bhsd)
// CHECK-SAME: mask<causal> align(end) scale(5.000000e-01) dense_mask(%{{[^ ,)]+}} : tensor<7x11xi1>) lengths(%{{[^ ,)]+}} : tensor<9xi64>) query_offset(%{{[^ ,)]+}} : index) bias<alibi> slopes(%{{[^ ,)]+}} : tensor<12xf32>) softcap(3.000000e+01) origin(%{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}}) num_keys(%{{[^ ,)]+}})
// CHECK-SAME: state(%{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) -> tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>
// CHECK: mha.merge parts(%{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<?x2x6x7x4xf32>, tensor<?x2x6x7xf32>, tensor<?x2x6x7xf32>) state(%{{[0-9]+}}#0, %{{[0-9]+}}#1, %{{[0-9]+}}#2 : {{.*}}) -> tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>
// CHECK: mha.finalize state(%{{[0-9]+}}#0, %{{[0-9]+}}#1, %{{[0-9]+}}#2 : {{.*}}) sink(%{{[^ ,)]+}} : tensor<6xf16>) outs(%{{[^ ,)]+}} : tensor<2x3x2x7x4xf16>, bkgsd, lse %{{[^ ,)]+}} : tensor<2x6x7xf32>) -> tensor<2x3x2x7x4xf16>, tensor<2x6x7xf32>
func.func @state_of_tensors(%q: tensor<2x7x6x5xf16>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xbf16>, %m: tensor<7x11xi1>, %len: tensor<9xi64>, %slopes: tensor<12xf32>,
    %i: index, %acc: tensor<2x6x7x4xf32>, %max: tensor<2x6x7xf32>, %sum: tensor<2x6x7xf32>, %pacc: tensor<?x2x6x7x4xf32>, %pmax: tensor<?x2x6x7xf32>, %psum: tensor<?x2x6x7xf32>,
    %sink: tensor<6xf16>, %o: tensor<2x3x2x7x4xf16>) -> (tensor<2x3x2x7x4xf16>, tensor<2x6x7xf32>) {
  %s:3 = mha.online_attention query(%q : tensor<2x7x6x5xf16>, bshd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xbf16>, bhsd)
    mask<causal> align(end) scale(0.5) dense_mask(%m : tensor<7x11xi1>) lengths(%len : tensor<9xi64>) query_offset(%i : index) bias<alibi> slopes(%slopes : tensor<12xf32>)
    softcap(30.0) origin(%i, %i, %i, %i) num_keys(%i) state(%acc, %max, %sum : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>)
    -> tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>
  %t:3 = mha.merge parts(%pacc, %pmax, %psum : tensor<?x2x6x7x4xf32>, tensor<?x2x6x7xf32>, tensor<?x2x6x7xf32>)
    state(%s#0, %s#1, %s#2 : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) -> tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>
  %r:2 = mha.finalize state(%t#0, %t#1, %t#2 : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) sink(%sink : tensor<6xf16>)
    outs(%o : tensor<2x3x2x7x4xf16>, bkgsd, lse %max : tensor<2x6x7xf32>) -> tensor<2x3x2x7x4xf16>, tensor<2x6x7xf32>
  return %r#0, %r#1 : tensor<2x3x2x7x4xf16>, tensor<2x6x7xf32>
}

// CHECK-LABEL: func.func @state_in_buffers
// CHECK: mha.online_attention query({{.*}} state(%{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}} : memref<1x2x?x4xf64>, memref<1x2x?xf64>, memref<1x2x?xf64>){{$}}
// CHECK: mha.merge parts({{.*}}) state({{.*}}){{$}}
// CHECK: mha.finalize state({{.*}}) outs(%{{[^ ,)]+}} : memref<1x2x?x4xf64>, bhsd){{$}}
func.func @state_in_buffers(%q: memref<1x2x?x8xf64>, %k: memref<1x1x?x8xf64>, %v: memref<1x1x?x4xf64>, %acc: memref<1x2x?x4xf64>, %max: memref<1x2x?xf64>, %sum: memref<1x2x?xf64>,
    %pacc: memref<3x1x2x?x4xf64>, %pmax: memref<3x1x2x?xf64>, %psum: memref<3x1x2x?xf64>, %o: memref<1x2x?x4xf64>) {
  mha.online_attention query(%q : memref<1x2x?x8xf64>, bhsd) key(%k : memref<1x1x?x8xf64>, bhsd) value(%v : memref<1x1x?x4xf64>, bhsd)
    state(%acc, %max, %sum : memref<1x2x?x4xf64>, memref<1x2x?xf64>, memref<1x2x?xf64>)
  mha.merge parts(%pacc, %pmax, %psum : memref<3x1x2x?x4xf64>, memref<3x1x2x?xf64>, memref<3x1x2x?xf64>)
    state(%acc, %max, %sum : memref<1x2x?x4xf64>, memref<1x2x?xf64>, memref<1x2x?xf64>)
  mha.finalize state(%acc, %max, %sum : memref<1x2x?x4xf64>, memref<1x2x?xf64>, memref<1x2x?xf64>) outs(%o : memref<1x2x?x4xf64>, bhsd)
  return
}
