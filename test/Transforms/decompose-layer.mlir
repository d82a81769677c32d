// RUN: mha-opt %s --mha-decompose-layer --canonicalize --remarks-filter=mha-decompose-layer --remark-format=emitRemark 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// REMARK-COUNT-1: remark: [Missed] computed-by-general-path | Category:mha-decompose-layer | Function=extra | Reason="no kernel for an extra key"
// REMARK-NOT: remark:

// Self attention with a packed weight: one op for three projections, heads in place, the residual in the last projection.
// CHECK-LABEL: func.func @packed(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x7x24xf32>, %[[W:[a-z0-9]+]]: tensor<40x24xf32>, %[[WO:[a-z0-9]+]]: tensor<24x24xf32>, %[[B:[a-z0-9]+]]: tensor<40xf32>
// CHECK: %[[QKV:.+]]:3 = mha.qkv_projection input(%[[X]] : {{.*}}) weight(%[[W]] : {{.*}}, oe) bias(%[[B]] : {{.*}}) outs({{.*}}) -> tensor<2x7x24xf32>, tensor<2x7x8xf32>, tensor<2x7x8xf32>
// CHECK-NOT: linalg
// CHECK-DAG: %[[Q:.+]] = tensor.expand_shape %[[QKV]]#0 {{\[\[}}0], [1], [2, 3]] output_shape [2, 7, 6, 4]
// CHECK-DAG: %[[K:.+]] = tensor.expand_shape %[[QKV]]#1 {{\[\[}}0], [1], [2, 3]] output_shape [2, 7, 2, 4]
// CHECK-DAG: %[[V:.+]] = tensor.expand_shape %[[QKV]]#2 {{\[\[}}0], [1], [2, 3]] output_shape [2, 7, 2, 4]
// CHECK: %[[O:.+]] = mha.attention query(%[[Q]] : {{.*}}, bshd) key(%[[K]] : {{.*}}, bshd) value(%[[V]] : {{.*}}, bshd) mask<causal> -> tensor<2x7x6x4xf32>
// CHECK: %[[ROWS:.+]] = tensor.collapse_shape %[[O]] {{\[\[}}0], [1], [2, 3]]
// CHECK: %[[Y:.+]] = mha.projection input(%[[ROWS]] : {{.*}}) weight(%[[WO]] : {{.*}}, oe) residual(%[[X]] : {{.*}}) outs(
// CHECK: return %[[Y]]
func.func @packed(%x: tensor<2x7x24xf32>, %w: tensor<40x24xf32>, %wo: tensor<24x24xf32>, %b: tensor<40xf32>) -> tensor<2x7x24xf32> {
  %y = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_qkv(%w : tensor<40x24xf32>, oe) w_o(%wo : tensor<24x24xf32>, oe)
    b_qkv(%b : tensor<40xf32>) mask<causal> residual(%x : tensor<2x7x24xf32>) -> tensor<2x7x24xf32>
  return %y : tensor<2x7x24xf32>
}

// Not self attention: parts of the packed weight and bias, each for its input, with the outputs in the second dimension of `eo`.
// CHECK-LABEL: func.func @packed_cross(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x7x24xf32>, %[[C:[a-z0-9]+]]: tensor<2x9x24xf32>, %[[W:[a-z0-9]+]]: tensor<24x40xf32>, %[[WO:[a-z0-9]+]]: tensor<24x24xf32>, %[[B:[a-z0-9]+]]: tensor<40xf32>
// CHECK-NOT: qkv_projection
// CHECK-DAG: %[[WQ:.+]] = tensor.extract_slice %[[W]][0, 0] [24, 24] [1, 1]
// CHECK-DAG: %[[BQ:.+]] = tensor.extract_slice %[[B]][0] [24] [1]
// CHECK: mha.projection input(%[[X]] : {{.*}}) weight(%[[WQ]] : tensor<24x24xf32>, eo) bias(%[[BQ]] :
// CHECK-DAG: %[[WK:.+]] = tensor.extract_slice %[[W]][0, 24] [24, 8] [1, 1]
// CHECK-DAG: %[[BK:.+]] = tensor.extract_slice %[[B]][24] [8] [1]
// CHECK: mha.projection input(%[[C]] : {{.*}}) weight(%[[WK]] : tensor<24x8xf32>, eo) bias(%[[BK]] :
// CHECK-DAG: %[[WV:.+]] = tensor.extract_slice %[[W]][0, 32] [24, 8] [1, 1]
// CHECK-DAG: %[[BV:.+]] = tensor.extract_slice %[[B]][32] [8] [1]
// CHECK: mha.projection input(%[[C]] : {{.*}}) weight(%[[WV]] : tensor<24x8xf32>, eo) bias(%[[BV]] :
func.func @packed_cross(%x: tensor<2x7x24xf32>, %c: tensor<2x9x24xf32>, %w: tensor<24x40xf32>, %wo: tensor<24x24xf32>, %b: tensor<40xf32>) -> tensor<2x7x24xf32> {
  %y = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) key(%c : tensor<2x9x24xf32>) w_qkv(%w : tensor<24x40xf32>, eo)
    w_o(%wo : tensor<24x24xf32>, oe) b_qkv(%b : tensor<40xf32>) -> tensor<2x7x24xf32>
  return %y : tensor<2x7x24xf32>
}

// The sequence first, of any length: another layout, and nothing is transposed. A key of zeros is a sink of zeros.
// CHECK-LABEL: func.func @sequence_first(
// CHECK: mha.attention query(%{{[^ ]+}} : tensor<?x?x6x4xbf16>, sbhd) key(%{{[^ ]+}} : tensor<?x?x2x4xbf16>, sbhd) value(%{{[^ ]+}} : tensor<?x?x2x3xbf16>, sbhd)
// CHECK-SAME: scale(5.000000e-01) lengths(%{{[^ ]+}} : tensor<?xi64>) sink(%{{[^ ]+}} : tensor<6xf32>) -> tensor<?x?x6x3xbf16>
// CHECK-NOT: transpose
func.func @sequence_first(%x: tensor<?x?x24xbf16>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<24x18xf32>, %n: tensor<?xi64>) -> tensor<?x?x24xbf16> {
  %y = mha.layer heads(6) kv_heads(2) query(%x : tensor<?x?x24xbf16>) sequence_first w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe)
    w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<24x18xf32>, oe) zero_attn scale(0.5) lengths(%n : tensor<?xi64>) -> tensor<?x?x24xbf16>
  return %y : tensor<?x?x24xbf16>
}

// One more key is one more state: keys are not written behind one another, and no mask hides it.
// CHECK-LABEL: func.func @extra(
// CHECK-SAME: %[[EK:[a-z0-9]+]]: tensor<8xf32>, %[[EV:[a-z0-9]+]]: tensor<6xf32>
// CHECK: %[[ALL:.+]]:3 = mha.online_attention {{.*}} mask<causal>
// CHECK-DAG: %[[K:.+]] = tensor.expand_shape %[[EK]] {{.*}} into tensor<1x1x2x4xf32>
// CHECK-DAG: %[[V:.+]] = tensor.expand_shape %[[EV]] {{.*}} into tensor<1x1x2x3xf32>
// CHECK: %[[ONE:.+]]:3 = mha.online_attention {{.*}} key(%[[K]] : {{.*}}, bshd) value(%[[V]] : {{.*}}, bshd) state(%[[ALL]]#0, %[[ALL]]#1, %[[ALL]]#2 :
// CHECK: mha.finalize state(%[[ONE]]#0, %[[ONE]]#1, %[[ONE]]#2 : {{.*}}) outs(
// CHECK-NOT: concat
func.func @extra(%ek: tensor<8xf32>, %ev: tensor<6xf32>, %x: tensor<2x7x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<8x24xf32>, %wv: tensor<6x24xf32>, %wo: tensor<24x18xf32>) -> tensor<2x7x24xf32> {
  %y = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_q(%wq : tensor<24x24xf32>, oe) w_k(%wk : tensor<8x24xf32>, oe)
    w_v(%wv : tensor<6x24xf32>, oe) w_o(%wo : tensor<24x18xf32>, oe) extra_key(%ek : tensor<8xf32>) extra_value(%ev : tensor<6xf32>) mask<causal> -> tensor<2x7x24xf32>
  return %y : tensor<2x7x24xf32>
}

// A padding that shows is a dense mask as it is; one that hides is turned round; beside a dense mask both become one.
// CHECK-LABEL: func.func @paddings(
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<2x7xi1>, %[[M:[a-z0-9]+]]: tensor<6x1x7xf32>
// CHECK: %[[SHOWN:.+]] = tensor.expand_shape %[[P]] {{\[\[}}0], [1, 2, 3]] output_shape [2, 1, 1, 7]
// CHECK: mha.attention {{.*}} dense_mask(%[[SHOWN]] : tensor<2x1x1x7xi1>)
// CHECK: %[[TURNED:.+]] = linalg.generic {{.*}} ins(%[[P]] : tensor<2x7xi1>)
// CHECK: arith.xori
// CHECK: %[[TURNED4:.+]] = tensor.expand_shape %[[TURNED]]
// CHECK: mha.attention {{.*}} dense_mask(%[[TURNED4]] : tensor<2x1x1x7xi1>)
// CHECK: %[[BOTH:.+]] = linalg.generic {{.*}} ins(%[[M]], %{{.+}} : tensor<6x1x7xf32>, tensor<2x7xi1>) outs(%{{.+}} : tensor<2x6x1x7xf32>)
// CHECK: mha.attention {{.*}} dense_mask(%[[BOTH]] : tensor<2x6x1x7xf32>)
func.func @paddings(%p: tensor<2x7xi1>, %m: tensor<6x1x7xf32>, %x: tensor<2x7x24xf32>, %w: tensor<40x24xf32>, %wo: tensor<24x24xf32>) -> (tensor<2x7x24xf32>, tensor<2x7x24xf32>, tensor<2x7x24xf32>) {
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_qkv(%w : tensor<40x24xf32>, oe) w_o(%wo : tensor<24x24xf32>, oe)
    key_padding(%p : tensor<2x7xi1>, visible) -> tensor<2x7x24xf32>
  %1 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_qkv(%w : tensor<40x24xf32>, oe) w_o(%wo : tensor<24x24xf32>, oe)
    key_padding(%p : tensor<2x7xi1>, hidden) -> tensor<2x7x24xf32>
  %2 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_qkv(%w : tensor<40x24xf32>, oe) w_o(%wo : tensor<24x24xf32>, oe)
    dense_mask(%m : tensor<6x1x7xf32>) key_padding(%p : tensor<2x7xi1>, hidden) -> tensor<2x7x24xf32>
  return %0, %1, %2 : tensor<2x7x24xf32>, tensor<2x7x24xf32>, tensor<2x7x24xf32>
}

// Gates multiply what attention has found, before the last projection; a type that says less than the projection keeps its own.
// CHECK-LABEL: func.func @gated(
// CHECK-SAME: %[[G:[a-z0-9]+]]: tensor<2x6xf32>, %[[ON:[a-z0-9]+]]: tensor<6xi1>
// CHECK: %[[O:.+]] = mha.attention
// CHECK: linalg.generic {{.*}} ins(%[[O]], %[[G]] :
// CHECK: arith.mulf
// CHECK: linalg.generic {{.*}} ins(%{{.+}}, %[[ON]] :
// CHECK: arith.select
// CHECK: mha.projection
// CHECK: tensor.cast %{{.+}} : tensor<2x7x24xf32> to tensor<2x?x?xf32>
func.func @gated(%g: tensor<2x6xf32>, %on: tensor<6xi1>, %x: tensor<2x7x24xf32>, %w: tensor<40x24xf32>, %wo: tensor<24x24xf32>) -> (tensor<2x7x24xf32>, tensor<2x?x?xf32>) {
  %0 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_qkv(%w : tensor<40x24xf32>, oe) w_o(%wo : tensor<24x24xf32>, oe)
    head_gate(%g : tensor<2x6xf32>) -> tensor<2x7x24xf32>
  %1 = mha.layer heads(6) kv_heads(2) query(%x : tensor<2x7x24xf32>) w_qkv(%w : tensor<40x24xf32>, oe) w_o(%wo : tensor<24x24xf32>, oe)
    head_gate(%on : tensor<6xi1>) -> tensor<2x?x?xf32>
  return %0, %1 : tensor<2x7x24xf32>, tensor<2x?x?xf32>
}
