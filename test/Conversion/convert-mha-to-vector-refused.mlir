// RUN: mha-opt %s --convert-mha-to-vector --remarks-filter=convert-mha-to-vector --remark-format=emitRemark 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

// What makes an op more than one item, and each operand whose innermost stride is not known to be 1: left as it is, with the reason.

#one = #mha.cpu_schedule<block_q = 4, block_g = 1, block_k = 8, lanes = 4, qk_rows = 2, pv_rows = 2, vectors = 1, unroll = 2, prefetch = false>
#two = #mha.cpu_schedule<block_q = 4, block_g = 2, block_k = 8, lanes = 4, qk_rows = 2, pv_rows = 2, vectors = 1, unroll = 2, prefetch = false>

// CHECK-NOT: vector.

// CHECK-LABEL: func.func @items(
// CHECK-COUNT-6: mha.attention
func.func @items(%q: memref<1x2x4x8xf32>, %qlong: memref<1x2x5x8xf32>, %qany: memref<1x2x?x8xf32>, %k: memref<1x1x11x8xf32>, %k2: memref<1x2x11x8xf32>, %qn: memref<?x2x4x8xf32>, %kn: memref<?x1x11x8xf32>, %qh: memref<1x?x4x8xf32>) {
  // One head of a group of two.
  // REMARK: [[#@LINE+1]]:{{.*}}[Missed] not-vectorized{{.*}}it is more than one item: run mha-tile-attention first
  mha.attention query(%q : memref<1x2x4x8xf32>, bhsd) key(%k : memref<1x1x11x8xf32>, bhsd) value(%k : memref<1x1x11x8xf32>, bhsd) schedule(#one) outs(%q : memref<1x2x4x8xf32>)
  // Two key heads.
  // REMARK: [[#@LINE+1]]:{{.*}}it is more than one item: run mha-tile-attention first
  mha.attention query(%q : memref<1x2x4x8xf32>, bhsd) key(%k2 : memref<1x2x11x8xf32>, bhsd) value(%k2 : memref<1x2x11x8xf32>, bhsd) schedule(#one) outs(%q : memref<1x2x4x8xf32>)
  // Batch entries that run time counts.
  // REMARK: [[#@LINE+1]]:{{.*}}it is more than one item: run mha-tile-attention first
  mha.attention query(%qn : memref<?x2x4x8xf32>, bhsd) key(%kn : memref<?x1x11x8xf32>, bhsd) value(%kn : memref<?x1x11x8xf32>, bhsd) schedule(#two) outs(%qn : memref<?x2x4x8xf32>)
  // Heads that run time counts.
  // REMARK: [[#@LINE+1]]:{{.*}}it is more than one item: run mha-tile-attention first
  mha.attention query(%qh : memref<1x?x4x8xf32>, bhsd) key(%k : memref<1x1x11x8xf32>, bhsd) value(%k : memref<1x1x11x8xf32>, bhsd) schedule(#one) outs(%qh : memref<1x?x4x8xf32>)
  // One query more than a block takes.
  // REMARK: [[#@LINE+1]]:{{.*}}it is more than one item: run mha-tile-attention first
  mha.attention query(%qlong : memref<1x2x5x8xf32>, bhsd) key(%k : memref<1x1x11x8xf32>, bhsd) value(%k : memref<1x1x11x8xf32>, bhsd) schedule(#two) outs(%qlong : memref<1x2x5x8xf32>)
  // Queries that run time counts, of no part of anything.
  // REMARK: [[#@LINE+1]]:{{.*}}it is more than one item: run mha-tile-attention first
  mha.attention query(%qany : memref<1x2x?x8xf32>, bhsd) key(%k : memref<1x1x11x8xf32>, bhsd) value(%k : memref<1x1x11x8xf32>, bhsd) schedule(#two) outs(%qany : memref<1x2x?x8xf32>)
  return
}

// A list of schedules is a choice.
// CHECK-LABEL: func.func @choice(
// CHECK: mha.attention
func.func @choice(%q: memref<1x2x4x8xf32>, %k: memref<1x1x11x8xf32>) {
  // REMARK: [[#@LINE+1]]:{{.*}}it has no CPU schedule: run mha-assign-schedule, and mha-outline-kernels where a list of schedules leaves a choice
  mha.attention query(%q : memref<1x2x4x8xf32>, bhsd) key(%k : memref<1x1x11x8xf32>, bhsd) value(%k : memref<1x1x11x8xf32>, bhsd) schedule([#two]) outs(%q : memref<1x2x4x8xf32>)
  return
}

// Keys stored transposed have no schedule: d is not innermost.
// CHECK-LABEL: func.func @transposed_keys(
// CHECK: mha.attention
func.func @transposed_keys(%q: memref<1x2x4x8xf32>, %kt: memref<1x1x8x11xf32>, %k: memref<1x1x11x8xf32>) {
  // REMARK: [[#@LINE+1]]:{{.*}}it has no CPU schedule
  mha.attention query(%q : memref<1x2x4x8xf32>, bhsd) key(%kt : memref<1x1x8x11xf32>, bhds) value(%k : memref<1x1x11x8xf32>, bhsd) outs(%q : memref<1x2x4x8xf32>)
  return
}

// CHECK-LABEL: func.func @strides(
// CHECK-COUNT-3: mha.attention
// CHECK-NOT: vector.
// CHECK: return
func.func @strides(%q: memref<1x2x4x8xf32>, %k: memref<1x1x11x8xf32>, %apart: memref<1x1x11x8xf32, strided<[176, 176, 16, 2]>>, %o: memref<1x2x4x8xf32, strided<[?, ?, ?, ?]>>) {
  // REMARK: [[#@LINE+1]]:{{.*}}the innermost stride of an operand is not known to be 1
  mha.attention query(%q : memref<1x2x4x8xf32>, bhsd) key(%apart : memref<1x1x11x8xf32, strided<[176, 176, 16, 2]>>, bhsd) value(%k : memref<1x1x11x8xf32>, bhsd) schedule(#two) outs(%q : memref<1x2x4x8xf32>)
  // REMARK: [[#@LINE+1]]:{{.*}}the innermost stride of an operand is not known to be 1
  mha.attention query(%q : memref<1x2x4x8xf32>, bhsd) key(%k : memref<1x1x11x8xf32>, bhsd) value(%apart : memref<1x1x11x8xf32, strided<[176, 176, 16, 2]>>, bhsd) schedule(#two) outs(%q : memref<1x2x4x8xf32>)
  // REMARK: [[#@LINE+1]]:{{.*}}the innermost stride of an operand is not known to be 1
  mha.attention query(%q : memref<1x2x4x8xf32>, bhsd) key(%k : memref<1x1x11x8xf32>, bhsd) value(%k : memref<1x1x11x8xf32>, bhsd) schedule(#two) outs(%o : memref<1x2x4x8xf32, strided<[?, ?, ?, ?]>>)
  return
}
