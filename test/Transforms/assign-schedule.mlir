// RUN: mha-opt %s --mha-assign-schedule=cpu=x86-64-v4 | FileCheck %s --check-prefixes=CHECK,V4
// RUN: mha-opt %s --mha-assign-schedule | FileCheck %s --check-prefixes=CHECK,V3
// RUN: mha-opt %s --mha-assign-schedule=cpu=znver4 | FileCheck %s --check-prefixes=CHECK,V4
// RUN: mha-opt %s --mha-assign-schedule=cpu=haswell | FileCheck %s --check-prefixes=CHECK,V3
// RUN: mha-opt %s --mha-assign-schedule=cpu=neoverse-n1 | FileCheck %s --check-prefixes=CHECK,NEON
// RUN: mha-opt %s --mha-assign-schedule=cpu=generic-aarch64 | FileCheck %s --check-prefixes=CHECK,NEON
// RUN: mha-opt %s --mha-assign-schedule --remarks-filter=mha-assign-schedule --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: mha-opt %s --mha-assign-schedule=cpu=x86-64 --remarks-filter=mha-assign-schedule --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=BASELINE
// RUN: not mha-opt %s --mha-assign-schedule=cpu=abacus 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: error: expected the option cpu to be a CPU that LLVM knows, such as x86-64-v3 or znver4, found 'abacus'
// BASELINE: no kernel for a CPU without fused multiply-add on vectors

// Alone, a head fills the register tile: 16 of 32 accumulators, 12 of 16.
// CHECK-LABEL: func.func @full
// V4: block_q = 64, block_g = 1, block_k = 128, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 4, unroll = 4
// V3: block_q = 16, block_g = 1, block_k = 96, lanes = 8, qk_rows = 6, pv_rows = 6, vectors = 2, unroll = 2
// NEON: block_q = 16, block_g = 1, block_k = 128, lanes = 4, qk_rows = 4, pv_rows = 4, vectors = 4, unroll = 4
func.func @full(%q: tensor<2x6x100x64xf32>) -> tensor<2x6x100x64xf32> {
  %o = mha.attention query(%q : tensor<2x6x100x64xf32>, bhsd) key(%q : tensor<2x6x100x64xf32>, bhsd) value(%q : tensor<2x6x100x64xf32>, bhsd) -> tensor<2x6x100x64xf32>
  return %o : tensor<2x6x100x64xf32>
}

// Two vectors under a mask.
// CHECK-LABEL: func.func @causal
// V4: block_q = 32, block_g = 1, block_k = 128, lanes = 16, qk_rows = 8, pv_rows = 8, vectors = 2
// V3: block_q = 16, block_g = 1, block_k = 96, lanes = 8, qk_rows = 6, pv_rows = 6, vectors = 2
// NEON: block_q = 8, block_g = 1, block_k = 128, lanes = 4, qk_rows = 8, pv_rows = 8, vectors = 2
func.func @causal(%q: tensor<2x6x100x64xf32>) -> tensor<2x6x100x64xf32> {
  %o = mha.attention query(%q : tensor<2x6x100x64xf32>, bhsd) key(%q : tensor<2x6x100x64xf32>, bhsd) value(%q : tensor<2x6x100x64xf32>, bhsd) mask<causal> -> tensor<2x6x100x64xf32>
  return %o : tensor<2x6x100x64xf32>
}

// No more vectors than queries fill.
// CHECK-LABEL: func.func @few_queries
// V4: block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 8, pv_rows = 8, vectors = 1
// V3: block_q = 16, block_g = 1
func.func @few_queries(%q: tensor<2x6x9x64xf32>, %k: tensor<2x6x100x64xf32>) -> tensor<2x6x9x64xf32> {
  %o = mha.attention query(%q : tensor<2x6x9x64xf32>, bhsd) key(%k : tensor<2x6x100x64xf32>, bhsd) value(%k : tensor<2x6x100x64xf32>, bhsd) -> tensor<2x6x9x64xf32>
  return %o : tensor<2x6x9x64xf32>
}

// CHECK-LABEL: func.func @dynamic_queries
// V4: schedule([#mha.when<query_len at_most 16, #mha.cpu_schedule<block_q = 16, {{.*}}>>, #mha.cpu_schedule<block_q = 64,
// V3: schedule([#mha.when<query_len at_most 8, #mha.cpu_schedule<block_q = 8, {{.*}}>>, #mha.cpu_schedule<block_q = 16,
// NEON: schedule([#mha.when<query_len at_most 4, #mha.cpu_schedule<block_q = 4, {{.*}}>>, #mha.cpu_schedule<block_q = 16,
func.func @dynamic_queries(%q: tensor<2x6x?x64xf32>) -> tensor<2x6x?x64xf32> {
  %o = mha.attention query(%q : tensor<2x6x?x64xf32>, bhsd) key(%q : tensor<2x6x?x64xf32>, bhsd) value(%q : tensor<2x6x?x64xf32>, bhsd) -> tensor<2x6x?x64xf32>
  return %o : tensor<2x6x?x64xf32>
}

// Groups of 8 share items in fours, or twos; of 3 all three, or not at all; of 5 not at all.
// CHECK-LABEL: func.func @group_of_8
// V4: block_q = 16, block_g = 4, block_k = 128, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 4
// V3: block_q = 8, block_g = 2, block_k = 96, lanes = 8, qk_rows = 6, pv_rows = 6, vectors = 2
func.func @group_of_8(%q: tensor<2x8x100x64xf32>, %k: tensor<2x1x100x64xf32>) -> tensor<2x8x100x64xf32> {
  %o = mha.attention query(%q : tensor<2x8x100x64xf32>, bhsd) key(%k : tensor<2x1x100x64xf32>, bhsd) value(%k : tensor<2x1x100x64xf32>, bhsd) -> tensor<2x8x100x64xf32>
  return %o : tensor<2x8x100x64xf32>
}
// CHECK-LABEL: func.func @group_of_3
// V4: block_q = 16, block_g = 3, block_k = 128, lanes = 16, qk_rows = 4, pv_rows = 4, vectors = 3
// V3: block_q = 16, block_g = 1
func.func @group_of_3(%q: tensor<2x6x100x64xf32>, %k: tensor<2x2x100x64xf32>) -> tensor<2x6x100x64xf32> {
  %o = mha.attention query(%q : tensor<2x6x100x64xf32>, bhsd) key(%k : tensor<2x2x100x64xf32>, bhsd) value(%k : tensor<2x2x100x64xf32>, bhsd) -> tensor<2x6x100x64xf32>
  return %o : tensor<2x6x100x64xf32>
}
// CHECK-LABEL: func.func @group_of_5
// CHECK: block_g = 1
func.func @group_of_5(%q: tensor<2x5x100x64xf32>, %k: tensor<2x1x100x64xf32>) -> tensor<2x5x100x64xf32> {
  %o = mha.attention query(%q : tensor<2x5x100x64xf32>, bhsd) key(%k : tensor<2x1x100x64xf32>, bhsd) value(%k : tensor<2x1x100x64xf32>, bhsd) -> tensor<2x5x100x64xf32>
  return %o : tensor<2x5x100x64xf32>
}

// Under a mask too there is a guard, and behind it two vectors.
// CHECK-LABEL: func.func @dynamic_causal
// V4: schedule([#mha.when<query_len at_most 16, #mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 64, lanes = 16, qk_rows = 8, pv_rows = 8, vectors = 1, {{[^>]*}}>>, #mha.cpu_schedule<block_q = 32, block_g = 1, block_k = 128, lanes = 16, qk_rows = 8, pv_rows = 8, vectors = 2, {{[^>]*}}>])
// V3: schedule([#mha.when<query_len at_most 8, #mha.cpu_schedule<block_q = 8, block_g = 1, block_k = 64, lanes = 8, qk_rows = 8, pv_rows = 8, vectors = 1, {{[^>]*}}>>, #mha.cpu_schedule<block_q = 16, block_g = 1, block_k = 96, lanes = 8, qk_rows = 6, pv_rows = 6, vectors = 2, {{[^>]*}}>])
// NEON: schedule([#mha.when<query_len at_most 4, #mha.cpu_schedule<block_q = 4, block_g = 1, block_k = 64, lanes = 4, qk_rows = 8, pv_rows = 8, vectors = 1, {{[^>]*}}>>, #mha.cpu_schedule<block_q = 8, block_g = 1, block_k = 128, lanes = 4, qk_rows = 8, pv_rows = 8, vectors = 2, {{[^>]*}}>])
func.func @dynamic_causal(%q: tensor<2x6x?x64xf32>, %k: tensor<2x6x101x64xf32>) -> tensor<2x6x?x64xf32> {
  %o = mha.attention query(%q : tensor<2x6x?x64xf32>, bhsd) key(%k : tensor<2x6x101x64xf32>, bhsd) value(%k : tensor<2x6x101x64xf32>, bhsd) mask<causal> align(bottom_right) -> tensor<2x6x?x64xf32>
  return %o : tensor<2x6x?x64xf32>
}

// A group of 2 shares items everywhere, with one vector of queries of each head; then nothing is left for a guard to decide.
// CHECK-LABEL: func.func @group_of_2
// V4: schedule(#mha.cpu_schedule<block_q = 16, block_g = 2, block_k = 128, lanes = 16, qk_rows = 8, pv_rows = 8, vectors = 2, unroll = 4
// V3: schedule(#mha.cpu_schedule<block_q = 8, block_g = 2, block_k = 96, lanes = 8, qk_rows = 6, pv_rows = 6, vectors = 2, unroll = 2
// NEON: schedule(#mha.cpu_schedule<block_q = 4, block_g = 2, block_k = 128, lanes = 4, qk_rows = 8, pv_rows = 8, vectors = 2, unroll = 4
// V4: schedule(#mha.cpu_schedule<block_q = 16, block_g = 2,
// V3: schedule(#mha.cpu_schedule<block_q = 8, block_g = 2,
// NEON: schedule(#mha.cpu_schedule<block_q = 4, block_g = 2,
func.func @group_of_2(%q: tensor<2x6x100x64xf32>, %k: tensor<2x3x101x64xf32>, %n: tensor<2x6x?x64xf32>) -> (tensor<2x6x100x64xf32>, tensor<2x6x?x64xf32>) {
  %0 = mha.attention query(%q : tensor<2x6x100x64xf32>, bhsd) key(%k : tensor<2x3x101x64xf32>, bhsd) value(%k : tensor<2x3x101x64xf32>, bhsd) mask<causal> align(top_left) -> tensor<2x6x100x64xf32>
  %1 = mha.attention query(%n : tensor<2x6x?x64xf32>, bhsd) key(%k : tensor<2x3x101x64xf32>, bhsd) value(%k : tensor<2x3x101x64xf32>, bhsd) -> tensor<2x6x?x64xf32>
  return %0, %1 : tensor<2x6x100x64xf32>, tensor<2x6x?x64xf32>
}

// A group that run time tells shares nothing.
// CHECK-LABEL: func.func @dynamic_group
// CHECK: block_g = 1,
// CHECK-NOT: block_g = {{[^1]}}
// CHECK: return
func.func @dynamic_group(%q: tensor<2x?x100x64xf32>, %k: tensor<2x3x101x64xf32>) -> tensor<2x?x100x64xf32> {
  %o = mha.attention query(%q : tensor<2x?x100x64xf32>, bhsd) key(%k : tensor<2x3x101x64xf32>, bhsd) value(%k : tensor<2x3x101x64xf32>, bhsd) -> tensor<2x?x100x64xf32>
  return %o : tensor<2x?x100x64xf32>
}

// Queries that fill one vector exactly, one query more, and three vectors.
// CHECK-LABEL: func.func @vectors_of_queries
// V4: block_q = 16, {{.*}} vectors = 1
// V4: block_q = 32, {{.*}} vectors = 2
// V4: block_q = 48, {{.*}} vectors = 3
// V3: block_q = 16, {{.*}} vectors = 2
// V3: block_q = 16, {{.*}} vectors = 2
// V3: block_q = 16, {{.*}} vectors = 2
// NEON: block_q = 16, {{.*}} vectors = 4
// NEON: block_q = 16, {{.*}} vectors = 4
// NEON: block_q = 16, {{.*}} vectors = 4
func.func @vectors_of_queries(%q16: tensor<2x6x16x64xf32>, %q17: tensor<2x6x17x64xf32>, %q33: tensor<2x6x33x64xf32>, %k: tensor<2x6x101x64xf32>) -> (tensor<2x6x16x64xf32>, tensor<2x6x17x64xf32>, tensor<2x6x33x64xf32>) {
  %0 = mha.attention query(%q16 : tensor<2x6x16x64xf32>, bhsd) key(%k : tensor<2x6x101x64xf32>, bhsd) value(%k : tensor<2x6x101x64xf32>, bhsd) -> tensor<2x6x16x64xf32>
  %1 = mha.attention query(%q17 : tensor<2x6x17x64xf32>, bhsd) key(%k : tensor<2x6x101x64xf32>, bhsd) value(%k : tensor<2x6x101x64xf32>, bhsd) -> tensor<2x6x17x64xf32>
  %2 = mha.attention query(%q33 : tensor<2x6x33x64xf32>, bhsd) key(%k : tensor<2x6x101x64xf32>, bhsd) value(%k : tensor<2x6x101x64xf32>, bhsd) -> tensor<2x6x33x64xf32>
  return %0, %1, %2 : tensor<2x6x16x64xf32>, tensor<2x6x17x64xf32>, tensor<2x6x33x64xf32>
}

// A plan by hand stays.
// CHECK-LABEL: func.func @by_hand
// CHECK: block_q = 112, block_g = 1, block_k = 6, lanes = 4, qk_rows = 3, pv_rows = 2, vectors = 7, unroll = 1, prefetch = false
func.func @by_hand(%q: tensor<2x6x100x64xf32>) -> tensor<2x6x100x64xf32> {
  %o = mha.attention query(%q : tensor<2x6x100x64xf32>, bhsd) key(%q : tensor<2x6x100x64xf32>, bhsd) value(%q : tensor<2x6x100x64xf32>, bhsd)
    schedule(#mha.cpu_schedule<block_q = 112, block_g = 1, block_k = 6, lanes = 4, qk_rows = 3, pv_rows = 2, vectors = 7, unroll = 1, prefetch = false>)
    -> tensor<2x6x100x64xf32>
  return %o : tensor<2x6x100x64xf32>
}

// So does a list of them, and one for another CPU.
// CHECK-LABEL: func.func @list_by_hand
// CHECK: schedule([#mha.when<batch at_most 1, #mha.cpu_schedule<block_q = 64, block_g = 1, block_k = 64, lanes = 64,
// CHECK-SAME: #mha.cpu_schedule<block_q = 2, block_g = 3, block_k = 64, lanes = 2,
func.func @list_by_hand(%q: tensor<2x6x100x64xf32>, %k: tensor<2x2x101x64xf32>) -> tensor<2x6x100x64xf32> {
  %o = mha.attention query(%q : tensor<2x6x100x64xf32>, bhsd) key(%k : tensor<2x2x101x64xf32>, bhsd) value(%k : tensor<2x2x101x64xf32>, bhsd)
    schedule([#mha.when<batch at_most 1, #mha.cpu_schedule<block_q = 64, block_g = 1, block_k = 64, lanes = 64, qk_rows = 1, pv_rows = 1, vectors = 1, unroll = 1, prefetch = false>>,
              #mha.cpu_schedule<block_q = 2, block_g = 3, block_k = 64, lanes = 2, qk_rows = 1, pv_rows = 1, vectors = 3, unroll = 1, prefetch = false>])
    -> tensor<2x6x100x64xf32>
  return %o : tensor<2x6x100x64xf32>
}

// What no kernel computes.
// CHECK-LABEL: func.func @no_kernel
// CHECK-NOT: schedule(
// CHECK: mha.no_schedule = "no kernel for elements of f64"
// CHECK-NOT: schedule(
// CHECK: mha.no_schedule = "no kernel for the layout 'bhds', in which d is not innermost"
// CHECK-NOT: schedule(
func.func @no_kernel(%d: tensor<2x6x100x64xf64>, %q: tensor<2x6x100x64xf32>, %t: tensor<2x6x64x100xf32>) -> (tensor<2x6x100x64xf64>, tensor<2x6x100x64xf32>) {
  // REMARK: [[#@LINE+1]]:{{.*}}no kernel for elements of f64
  %0 = mha.attention query(%d : tensor<2x6x100x64xf64>, bhsd) key(%d : tensor<2x6x100x64xf64>, bhsd) value(%d : tensor<2x6x100x64xf64>, bhsd) -> tensor<2x6x100x64xf64>
  // REMARK: [[#@LINE+1]]:{{.*}}no kernel for the layout 'bhds'
  %1 = mha.attention query(%q : tensor<2x6x100x64xf32>, bhsd) key(%t : tensor<2x6x64x100xf32>, bhds) value(%q : tensor<2x6x100x64xf32>, bhsd) -> tensor<2x6x100x64xf32>
  return %0, %1 : tensor<2x6x100x64xf64>, tensor<2x6x100x64xf32>
}

// Nor inside a parallel loop: a kernel makes parallel work of its own.
// CHECK-LABEL: func.func @in_parallel
// CHECK-NOT: schedule(
// CHECK: mha.no_schedule = "no kernel inside a parallel loop"
// CHECK-NOT: schedule(
func.func @in_parallel(%q: memref<2x6x100x64xf32>, %o: memref<2x6x100x64xf32>) {
  scf.forall (%b) in (2) {
    %qb = memref.subview %q[%b, 0, 0, 0] [1, 6, 100, 64] [1, 1, 1, 1] : memref<2x6x100x64xf32> to memref<1x6x100x64xf32, strided<[38400, 6400, 64, 1], offset: ?>>
    %ob = memref.subview %o[%b, 0, 0, 0] [1, 6, 100, 64] [1, 1, 1, 1] : memref<2x6x100x64xf32> to memref<1x6x100x64xf32, strided<[38400, 6400, 64, 1], offset: ?>>
    mha.attention query(%qb : memref<1x6x100x64xf32, strided<[38400, 6400, 64, 1], offset: ?>>, bhsd)
        key(%qb : memref<1x6x100x64xf32, strided<[38400, 6400, 64, 1], offset: ?>>, bhsd)
        value(%qb : memref<1x6x100x64xf32, strided<[38400, 6400, 64, 1], offset: ?>>, bhsd)
        outs(%ob : memref<1x6x100x64xf32, strided<[38400, 6400, 64, 1], offset: ?>>)
  }
  return
}

// What a kernel has no form for yet, each by its name, and what it has one for.
// CHECK-LABEL: func.func @features
// CHECK: mha.no_schedule = "no kernel for elements of f16"
// CHECK: mha.no_schedule = "no kernel for elements of bf16"
// CHECK: mha.no_schedule = "no kernel for a relative table"
// CHECK: mha.no_schedule = "no kernel for a soft cap"
// CHECK-NOT: mha.no_schedule
// CHECK-COUNT-4: schedule(
// CHECK-NOT: mha.no_schedule
func.func @features(%q: tensor<2x6x100x64xf32>, %h: tensor<2x3x100x64xf16>, %b: tensor<2x3x100x64xbf16>, %one: tensor<1x3x100x64xf32>,
                    %k: tensor<2x3x100x64xf32>, %s: f32, %t: tensor<6x5xf32>, %head: tensor<6xf32>) {
  mha.attention query(%q : tensor<2x6x100x64xf32>, bhsd) key(%h : tensor<2x3x100x64xf16>, bhsd) value(%k : tensor<2x3x100x64xf32>, bhsd) -> tensor<2x6x100x64xf32>
  mha.attention query(%q : tensor<2x6x100x64xf32>, bhsd) key(%k : tensor<2x3x100x64xf32>, bhsd) value(%b : tensor<2x3x100x64xbf16>, bhsd) -> tensor<2x6x100x64xf32>
  mha.attention query(%q : tensor<2x6x100x64xf32>, bhsd) key(%k : tensor<2x3x100x64xf32>, bhsd) value(%k : tensor<2x3x100x64xf32>, bhsd) bias<relative> relative_table(%t : tensor<6x5xf32>) -> tensor<2x6x100x64xf32>
  mha.attention query(%q : tensor<2x6x100x64xf32>, bhsd) key(%k : tensor<2x3x100x64xf32>, bhsd) value(%k : tensor<2x3x100x64xf32>, bhsd) softcap(30.0) -> tensor<2x6x100x64xf32>
  mha.attention query(%q : tensor<2x6x100x64xf32>, bhsd) key(%k : tensor<2x3x100x64xf32>, bhsd) value(%k : tensor<2x3x100x64xf32>, bhsd) scale(%s : f32) -> tensor<2x6x100x64xf32>
  mha.attention query(%q : tensor<2x6x100x64xf32>, bhsd) key(%one : tensor<1x3x100x64xf32>, bhsd) value(%one : tensor<1x3x100x64xf32>, bhsd) -> tensor<2x6x100x64xf32>
  mha.attention query(%q : tensor<2x6x100x64xf32>, bhsd) key(%k : tensor<2x3x100x64xf32>, bhsd) value(%k : tensor<2x3x100x64xf32>, bhsd) -> (tensor<2x3x2x100x64xf32>, bkgsd)
  mha.attention query(%q : tensor<2x6x100x64xf32>, bhsd) key(%k : tensor<2x3x100x64xf32>, bhsd) value(%k : tensor<2x3x100x64xf32>, bhsd) bias<alibi> slopes(%head : tensor<6xf32>) sink(%head : tensor<6xf32>) -> tensor<2x6x100x64xf32>
  return
}

// Bounds of head sizes and scales are those of a kernel: 1024 and 2^20 are, 1025 and what is beyond 2^20 are not; nor is nothing at all.
// CHECK-LABEL: func.func @bounds
// CHECK-COUNT-3: schedule(
// CHECK-NOT: schedule(
// CHECK: mha.no_schedule = "no kernel for a head size of 1025, outside 1 to 1024"
// CHECK-NOT: schedule(
// CHECK: mha.no_schedule = "no kernel for a scale outside 2^-20 to 2^20"
// CHECK-NOT: schedule(
// CHECK: mha.no_schedule = "no kernel for a head size that is not static"
// CHECK-NOT: schedule(
// CHECK: mha.no_schedule = "no kernel for operands without elements"
// CHECK-NOT: schedule(
// CHECK: return
func.func @bounds(%q: tensor<1x2x7x1024xf32>, %v: tensor<1x2x7x1025xf32>, %d: tensor<1x2x7x?xf32>, %e: tensor<1x2x0x3xf32>, %s: tensor<1x2x7x3xf32>) {
  mha.attention query(%q : tensor<1x2x7x1024xf32>, bhsd) key(%q : tensor<1x2x7x1024xf32>, bhsd) value(%q : tensor<1x2x7x1024xf32>, bhsd) -> tensor<1x2x7x1024xf32>
  mha.attention query(%s : tensor<1x2x7x3xf32>, bhsd) key(%s : tensor<1x2x7x3xf32>, bhsd) value(%s : tensor<1x2x7x3xf32>, bhsd) scale(-1048576.0) -> tensor<1x2x7x3xf32>
  mha.attention query(%s : tensor<1x2x7x3xf32>, bhsd) key(%s : tensor<1x2x7x3xf32>, bhsd) value(%s : tensor<1x2x7x3xf32>, bhsd) scale(0.0) -> tensor<1x2x7x3xf32>
  // REMARK: [[#@LINE+1]]:{{.*}}no kernel for a head size of 1025, outside 1 to 1024
  mha.attention query(%q : tensor<1x2x7x1024xf32>, bhsd) key(%q : tensor<1x2x7x1024xf32>, bhsd) value(%v : tensor<1x2x7x1025xf32>, bhsd) -> tensor<1x2x7x1025xf32>
  // REMARK: [[#@LINE+1]]:{{.*}}no kernel for a scale outside 2^-20 to 2^20
  mha.attention query(%s : tensor<1x2x7x3xf32>, bhsd) key(%s : tensor<1x2x7x3xf32>, bhsd) value(%s : tensor<1x2x7x3xf32>, bhsd) scale(-1048577.0) -> tensor<1x2x7x3xf32>
  // REMARK: [[#@LINE+1]]:{{.*}}no kernel for a head size that is not static
  mha.attention query(%d : tensor<1x2x7x?xf32>, bhsd) key(%d : tensor<1x2x7x?xf32>, bhsd) value(%s : tensor<1x2x7x3xf32>, bhsd) -> tensor<1x2x7x3xf32>
  // REMARK: [[#@LINE+1]]:{{.*}}no kernel for operands without elements
  mha.attention query(%s : tensor<1x2x7x3xf32>, bhsd) key(%e : tensor<1x2x0x3xf32>, bhsd) value(%e : tensor<1x2x0x3xf32>, bhsd) -> tensor<1x2x7x3xf32>
  return
}
