// RUN: mha-opt %s --mha-convert-to-online --canonicalize --cse | FileCheck %s
// RUN: mha-opt %s --mha-convert-to-online='unscheduled-only keep-f64' | FileCheck %s --check-prefix=KEPT
// RUN: mha-opt %s --mha-convert-to-online --remarks-filter=mha-convert-to-online -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: remark: [Missed] computed-by-general-path {{.*}} Function=terms | Reason="no kernel for a soft cap"
// REMARK: remark: [Missed] computed-by-general-path {{.*}} Function=scheduled | Reason="its schedule is not asked for"
// REMARK: remark: [Missed] computed-by-general-path {{.*}} Function=wide | Reason="no schedule was planned for it"

// The state before any key, all keys, the output in its layout and type. A tile has its own part of the sinks; everything that says
// which keys are seen and how they score goes along.
// CHECK-LABEL: func.func @terms(
// CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<2x7x6x5xbf16>, %[[K:[a-z0-9]+]]: tensor<2x3x11x5xbf16>, %[[V:[a-z0-9]+]]: tensor<2x3x11x4xbf16>, %[[LEN:[a-z0-9]+]]: tensor<2xi64>, %[[SINK:[a-z0-9]+]]: tensor<12xf32>, %[[MASK:[a-z0-9]+]]: tensor<11xi1>, %[[H:[a-z0-9]+]]: index
// CHECK-DAG: %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: %[[LOWEST:.+]] = arith.constant 0xFF800000 : f32
// CHECK-DAG: %[[ACC:[0-9]+]] = linalg.fill ins(%[[ZERO]] : f32) outs(%{{.+}} : tensor<2x6x7x4xf32>)
// CHECK-DAG: %[[MAX:[0-9]+]] = linalg.fill ins(%[[LOWEST]] : f32) outs(%{{.+}} : tensor<2x6x7xf32>)
// CHECK-DAG: %[[SUM:[0-9]+]] = linalg.fill ins(%[[ZERO]] : f32) outs(%{{.+}} : tensor<2x6x7xf32>)
// CHECK: %[[S:.+]]:3 = mha.online_attention query(%[[Q]] : {{.*}}, bshd) key(%[[K]] : {{.*}} value(%[[V]] :
// CHECK-SAME: mask<causal> align(explicit) scale(2.500000e-01) dense_mask(%[[MASK]] : {{.*}} lengths(%[[LEN]] : {{.*}} query_offset(%[[H]] : index) softcap(3.000000e+01) origin(%{{[a-z0-9]+}}, %[[H]], %{{[a-z0-9]+}}, %{{[a-z0-9]+}})
// CHECK-SAME: state(%[[ACC]], %[[MAX]], %[[SUM]] :
// CHECK: %[[OWN:.+]] = tensor.extract_slice %[[SINK]][%[[H]]] [6] [1]
// CHECK: %[[O:.+]]:2 = mha.finalize state(%[[S]]#0, %[[S]]#1, %[[S]]#2 : {{.*}} sink(%[[OWN]] : tensor<6xf32>)
// CHECK-SAME: outs(%{{.+}} : tensor<2x7x6x4xbf16>, bshd, lse %{{.+}} : tensor<2x6x7xf32>)
// CHECK: return %[[O]]#0, %[[O]]#1
func.func @terms(%q: tensor<2x7x6x5xbf16>, %k: tensor<2x3x11x5xbf16>, %v: tensor<2x3x11x4xbf16>, %len: tensor<2xi64>, %sink: tensor<12xf32>, %mask: tensor<11xi1>, %h: index) -> (tensor<2x7x6x4xbf16>, tensor<2x6x7xf32>) {
  %c0 = arith.constant 0 : index
  %o, %lse = mha.attention query(%q : tensor<2x7x6x5xbf16>, bshd) key(%k : tensor<2x3x11x5xbf16>, bhsd) value(%v : tensor<2x3x11x4xbf16>, bhsd)
    mask<causal> align(explicit) scale(0.25) dense_mask(%mask : tensor<11xi1>) lengths(%len : tensor<2xi64>) query_offset(%h : index) softcap(30.0)
    sink(%sink : tensor<12xf32>) origin(%c0, %h, %c0, %c0) {mha.no_schedule = "no kernel for a soft cap"} -> (tensor<2x7x6x4xbf16>, bshd, lse tensor<2x6x7xf32>)
  return %o, %lse : tensor<2x7x6x4xbf16>, tensor<2x6x7xf32>
}

// A destination stays the destination.
// CHECK-LABEL: func.func @scheduled(
// CHECK-SAME: %[[D:[a-z0-9]+]]: tensor<1x2x32x4xf32>)
// CHECK: mha.online_attention
// CHECK: mha.finalize {{.*}} outs(%[[D]] : tensor<1x2x32x4xf32>, bhsd)
// KEPT-LABEL: func.func @scheduled(
// KEPT: mha.attention
func.func @scheduled(%q: tensor<1x2x32x4xf32>, %k: tensor<1x1x32x4xf32>, %d: tensor<1x2x32x4xf32>) -> tensor<1x2x32x4xf32> {
  %o = mha.attention query(%q : tensor<1x2x32x4xf32>, bhsd) key(%k : tensor<1x1x32x4xf32>, bhsd) value(%k : tensor<1x1x32x4xf32>, bhsd)
    schedule(#mha.cpu_schedule<block_q = 16, block_g = 2, block_k = 64, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 2, unroll = 4, prefetch = true>)
    outs(%d : tensor<1x2x32x4xf32>) -> tensor<1x2x32x4xf32>
  return %o : tensor<1x2x32x4xf32>
}

// Buffers, sizes of run time, and f64.
// CHECK-LABEL: func.func @wide(
// CHECK-SAME: %[[Q:[a-z0-9]+]]: memref<?x2x?x8xf64>, %{{.+}}: memref<?x1x?x8xf64>, %[[O:[a-z0-9]+]]: memref<?x2x?x8xf64>)
// CHECK: %[[ACC:.+]] = memref.alloc(%[[B:.+]], %[[I:.+]]) : memref<?x2x?x8xf64>
// CHECK: linalg.fill ins(%{{.+}} : f64) outs(%[[ACC]]
// CHECK: %[[MAX:.+]] = memref.alloc(%[[B]], %[[I]]) : memref<?x2x?xf64>
// CHECK: %[[SUM:.+]] = memref.alloc(%[[B]], %[[I]]) : memref<?x2x?xf64>
// CHECK: mha.online_attention {{.*}} state(%[[ACC]], %[[MAX]], %[[SUM]] : {{.*}}memref<?x2x?xf64>){{$}}
// CHECK: mha.finalize state(%[[ACC]], %[[MAX]], %[[SUM]] : {{.*}} outs(%[[O]] : memref<?x2x?x8xf64>, bhsd){{$}}
// KEPT-LABEL: func.func @wide(
// KEPT: mha.attention
func.func @wide(%q: memref<?x2x?x8xf64>, %k: memref<?x1x?x8xf64>, %o: memref<?x2x?x8xf64>) {
  mha.attention query(%q : memref<?x2x?x8xf64>, bhsd) key(%k : memref<?x1x?x8xf64>, bhsd) value(%k : memref<?x1x?x8xf64>, bhsd) outs(%o : memref<?x2x?x8xf64>)
  return
}
