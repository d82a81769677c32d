// RUN: mha-opt %s --convert-mha-to-vector --canonicalize --cse | FileCheck %s

#one = #mha.cpu_schedule<block_q = 4, block_g = 1, block_k = 8, lanes = 4, qk_rows = 2, pv_rows = 2, vectors = 1, unroll = 2, prefetch = false>
#two = #mha.cpu_schedule<block_q = 4, block_g = 2, block_k = 8, lanes = 4, qk_rows = 2, pv_rows = 2, vectors = 1, unroll = 2, prefetch = false>
#fetch = #mha.cpu_schedule<block_q = 4, block_g = 2, block_k = 32, lanes = 4, qk_rows = 2, pv_rows = 2, vectors = 1, unroll = 2, prefetch = true>

// Sizes that fill neither vectors of 4 nor register tiles of 2. D = 5: one element is left, in vectors and in the loop over D. Of 11 keys
// 10 fill register rows, and the last one is masked, with itself in place of the row behind it. Dv = 3: three elements of a vector are
// stored, for rows that are there.
// CHECK-LABEL: func.func @tails(
// CHECK-SAME: %[[Q:[a-z0-9]+]]: memref<1x1x?x5xf32>, %[[K:[a-z0-9]+]]: memref<1x1x11x5xf32>, %[[V:[a-z0-9]+]]: memref<1x1x11x3xf32>, %[[O:[a-z0-9]+]]: memref<1x1x?x3xf32>
// CHECK-DAG: %[[ONE_OF_4:.+]] = arith.constant dense<[true, false, false, false]> : vector<4xi1>
// CHECK-DAG: %[[THREE_OF_4:.+]] = arith.constant dense<[true, true, true, false]> : vector<4xi1>
// CHECK: mha.scratch : memref<1x5x4xf32>
// CHECK: mha.scratch : memref<1x8x4xf32>
// CHECK: mha.scratch : memref<1x3x4xf32>
// CHECK: %[[SQ:.+]] = memref.dim %[[Q]], %c2
// CHECK: %[[LAST:.+]] = arith.subi %[[SQ]], %c1
// CHECK: %[[ROW3:.+]] = arith.minsi %[[LAST]], %c3
// CHECK-NEXT: vector.load %[[Q]][%c0, %c0, %[[ROW3]], %c0]
// CHECK: vector.maskedload %[[Q]][%c0, %c0, %[[ROW3]], %c4], %[[ONE_OF_4]],
// CHECK: %[[FULL:.+]]:2 = scf.for {{.*}} = %c0 to %c10 step %c8 iter_args
// CHECK: scf.for {{.*}} = %c0 to %c4 step %c2
// CHECK: memref.load %[[K]][%c0, %c0, %{{.+}}, %c4]
// CHECK: memref.load %[[V]][%c0, %c0, %{{.+}}, %c2]
// CHECK: scf.yield
// CHECK-NOT: memref.load %{{.+}}[%c0, %c0, %c11
// CHECK: memref.load %[[K]][%c0, %c0, %c10, %
// CHECK-NOT: memref.load %{{.+}}[%c0, %c0, %c11
// CHECK: memref.load %[[V]][%c0, %c0, %c10, %
// CHECK-NOT: vector.store %{{.+}}, %[[O]]
// CHECK-NOT: memref.load %{{.+}}[%c0, %c0, %c11
// CHECK: %[[IS_THERE:.+]] = arith.cmpi sgt, %[[SQ]], %c3
// CHECK-NEXT: scf.if %[[IS_THERE]] {
// CHECK-NEXT: vector.maskedstore %[[O]][%c0, %c0, %c3, %c0], %[[THREE_OF_4]],
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @tails(%q: memref<1x1x?x5xf32>, %k: memref<1x1x11x5xf32>, %v: memref<1x1x11x3xf32>, %o: memref<1x1x?x3xf32>, %b: index, %h: index, %i: index, %j: index) {
  mha.attention query(%q : memref<1x1x?x5xf32>, bhsd) key(%k : memref<1x1x11x5xf32>, bhsd) value(%v : memref<1x1x11x3xf32>, bhsd)
    origin(%b, %h, %i, %j) schedule(#one) outs(%o : memref<1x1x?x3xf32>)
  return
}

// Every operand by its own layout: two heads of 4 queries in a loop over heads, keys and values of one.
// CHECK-LABEL: func.func @layouts(
// CHECK-SAME: %[[Q:[a-z0-9]+]]: memref<1x4x2x8xf32>, %[[K:[a-z0-9]+]]: memref<1x16x1x8xf32>, %[[V:[a-z0-9]+]]: memref<16x1x1x12xf32>, %[[O:[a-z0-9]+]]: memref<4x1x2x12xf32>)
// CHECK: scf.for %[[HEAD:[a-z0-9]+]] = %c0 to %c2 step %c1 {
// CHECK: vector.load %[[Q]][%c0, %c3, %[[HEAD]], %{{.+}}]
// CHECK: scf.for %[[FIRST:[a-z0-9]+]] = %c0 to %c16 step %c8 iter_args
// CHECK: %[[KEY:.+]] = arith.addi %[[FIRST]], %{{.+}} : index
// CHECK: memref.load %[[K]][%c0, %[[KEY]], %c0, %{{.+}}]
// CHECK: %[[ROW:.+]] = arith.addi %[[FIRST]], %{{.+}} : index
// CHECK: memref.load %[[V]][%[[ROW]], %c0, %c0, %{{.+}}]
// CHECK: scf.for %[[OF:[a-z0-9]+]] = %c0 to %c2 step %c1 {
// CHECK: vector.store %{{.+}}, %[[O]][%c3, %c0, %[[OF]], %{{.+}}]
func.func @layouts(%q: memref<1x4x2x8xf32>, %k: memref<1x16x1x8xf32>, %v: memref<16x1x1x12xf32>, %o: memref<4x1x2x12xf32>) {
  mha.attention query(%q : memref<1x4x2x8xf32>, bshd) key(%k : memref<1x16x1x8xf32>, bshd) value(%v : memref<16x1x1x12xf32>, sbhd)
    schedule(#two) outs(%o : memref<4x1x2x12xf32>, sbhd)
  return
}

// Query i at p + i sees keys from p + i - 3 to p + i + 2. Keys before those that all see are compared with both sides, those that all see
// with none, those behind with both again; none outside of p - 3 to p + 3 + 2 are visited.
// CHECK-LABEL: func.func @window(
// CHECK-SAME: %[[OFFSET:[a-z0-9]+]]: index)
// CHECK-DAG: %[[RIGHT:.+]] = arith.constant dense<[2, 3, 4, 5]> : vector<4xi64>
// CHECK-DAG: %[[LEFT:.+]] = arith.constant dense<[-3, -2, -1, 0]> : vector<4xi64>
// CHECK: %[[LOW:.+]] = arith.maxsi %[[OFFSET]],
// CHECK: %[[P:.+]] = arith.minsi %[[LOW]],
// CHECK-DAG: arith.addi %[[P]], %c6 : index
// CHECK-DAG: arith.addi %[[P]], %c3 : index
// CHECK-DAG: arith.subi %[[P]], %c3 : index
// CHECK: %[[BEFORE:.+]]:2 = scf.for {{.*}} = %{{.+}} to %[[FULL:[a-z0-9]+]] step %c8 iter_args
// CHECK: arith.cmpi sge, %[[D:.+]], %[[LEFT]] : vector<4xi64>
// CHECK: arith.cmpi sle, %[[D]], %[[RIGHT]] : vector<4xi64>
// CHECK: %[[ALL:.+]]:2 = scf.for {{.*}} = %[[FULL]] to %[[BEHIND:[a-z0-9]+]] step %c8 iter_args({{.*}} = %[[BEFORE]]#0,
// CHECK-NOT: arith.cmpi
// CHECK: scf.for {{.*}} = %[[BEHIND]] to %{{.+}} step %c8 iter_args({{.*}} = %[[ALL]]#0,
// CHECK: arith.cmpi sge, %[[D:.+]], %[[LEFT]] : vector<4xi64>
// CHECK: arith.cmpi sle, %[[D]], %[[RIGHT]] : vector<4xi64>
func.func @window(%q: memref<1x1x4x8xf32>, %k: memref<1x1x32x8xf32>, %v: memref<1x1x32x8xf32>, %o: memref<1x1x4x8xf32>, %p: index) {
  mha.attention query(%q : memref<1x1x4x8xf32>, bhsd) key(%k : memref<1x1x32x8xf32>, bhsd) value(%v : memref<1x1x32x8xf32>, bhsd)
    mask<window<3, 2>> align(explicit) query_offset(%p : index) schedule(#one) outs(%o : memref<1x1x4x8xf32>)
  return
}

// Causal cuts the right side of a window off, and the left side stays.
// CHECK-LABEL: func.func @causal_window(
// CHECK-DAG: %[[DIAGONAL:.+]] = arith.constant dense<[0, 1, 2, 3]> : vector<4xi64>
// CHECK-DAG: %[[LEFT:.+]] = arith.constant dense<[-3, -2, -1, 0]> : vector<4xi64>
// CHECK: scf.for {{.*}} step %c8 iter_args
// CHECK: arith.cmpi sle, %[[D:.+]], %[[DIAGONAL]] : vector<4xi64>
// CHECK: arith.cmpi sge, %[[D]], %[[LEFT]] : vector<4xi64>
func.func @causal_window(%q: memref<1x1x4x8xf32>, %k: memref<1x1x32x8xf32>, %v: memref<1x1x32x8xf32>, %o: memref<1x1x4x8xf32>, %p: index) {
  mha.attention query(%q : memref<1x1x4x8xf32>, bhsd) key(%k : memref<1x1x32x8xf32>, bhsd) value(%v : memref<1x1x32x8xf32>, bhsd)
    mask<causal, window<3, 2>> align(explicit) query_offset(%p : index) schedule(#one) outs(%o : memref<1x1x4x8xf32>)
  return
}

// The length of the batch entry that the origin says, clamped to the keys of the problem and counted from this op's first key; keys behind
// it are not visited. No position is compared.
// CHECK-LABEL: func.func @lengths(
// CHECK-SAME: %[[LEN:[a-z0-9]+]]: memref<?xi64>, %[[B:[a-z0-9]+]]: index, %{{[a-z0-9]+}}: index, %{{[a-z0-9]+}}: index, %[[J:[a-z0-9]+]]: index)
// CHECK: %[[SK:.+]] = arith.addi %[[J]], %c32
// CHECK: %[[GIVEN:.+]] = memref.load %[[LEN]][%[[B]]]
// CHECK: %[[LENGTH:.+]] = arith.index_cast %[[GIVEN]]
// CHECK: %[[LEAST:.+]] = arith.maxsi %[[LENGTH]], %c0
// CHECK: %[[VALID:.+]] = arith.minsi %[[LEAST]], %[[SK]]
// CHECK: %[[HERE:.+]] = arith.subi %[[VALID]], %[[J]]
// CHECK: %[[KEYS:.+]] = arith.maxsi %[[HERE]], %c0
// CHECK-NOT: vector<4xi64>
// CHECK: %[[FULL:.+]]:2 = scf.for {{.*}} to %[[EDGE:[a-z0-9]+]] step %c8 iter_args
// CHECK-NOT: arith.cmpi
// CHECK: scf.for {{.*}} = %[[EDGE]] to %{{.+}} step %c8 iter_args({{.*}} = %[[FULL]]#0,
// CHECK: arith.cmpi slt, %{{.+}}, %[[KEYS]] : index
// CHECK-NOT: vector<4xi64>
// CHECK: return
func.func @lengths(%q: memref<1x1x4x8xf32>, %k: memref<1x1x32x8xf32>, %v: memref<1x1x32x8xf32>, %o: memref<1x1x4x8xf32>, %len: memref<?xi64>, %b: index, %h: index, %i: index, %j: index) {
  mha.attention query(%q : memref<1x1x4x8xf32>, bhsd) key(%k : memref<1x1x32x8xf32>, bhsd) value(%v : memref<1x1x32x8xf32>, bhsd)
    lengths(%len : memref<?xi64>) origin(%b, %h, %i, %j) schedule(#one) outs(%o : memref<1x1x4x8xf32>)
  return
}

// lse = 0.25 * row maximum + log(row sum), of the sum itself, not of the 1 that divides the output of a row without a visible key. Rows and
// heads as in the output, any strides.
// CHECK-LABEL: func.func @lse(
// CHECK-SAME: %[[LSE:[a-z0-9]+]]: memref<1x2x4xf32, strided<[?, ?, ?], offset: ?>>)
// CHECK-DAG: %[[SCALE:.+]] = arith.constant dense<2.500000e-01> : vector<4xf32>
// CHECK: %[[STATE:.+]]:4 = scf.for {{.*}} = %c0 to %c32 step %c8 iter_args
// CHECK: %[[MAX0:.+]] = arith.mulf %[[STATE]]#0, %[[SCALE]]
// CHECK: %[[MAX1:.+]] = arith.mulf %[[STATE]]#1, %[[SCALE]]
// CHECK: arith.divf
// CHECK: %[[LOG0:.+]] = math.log %[[STATE]]#2
// CHECK: %[[ROWS0:.+]] = arith.addf %[[MAX0]], %[[LOG0]]
// CHECK: vector.store %[[ROWS0]], %[[ROWS:.+]][%c0, %c0]
// CHECK: %[[LOG1:.+]] = math.log %[[STATE]]#3
// CHECK: %[[ROWS1:.+]] = arith.addf %[[MAX1]], %[[LOG1]]
// CHECK: vector.store %[[ROWS1]], %[[ROWS]][%c1, %c0]
// CHECK: scf.for %[[H:.+]] = %c0 to %c2 step %c1 {
// CHECK-NEXT: scf.for %[[I:.+]] = %c0 to %c4 step %c1 {
// CHECK-NEXT: %[[ELEMENT:.+]] = memref.load %[[ROWS]][%[[H]], %[[I]]]
// CHECK-NEXT: memref.store %[[ELEMENT]], %[[LSE]][%c0, %[[H]], %[[I]]]
func.func @lse(%q: memref<1x2x4x8xf32>, %k: memref<1x1x32x8xf32>, %v: memref<1x1x32x8xf32>, %o: memref<1x2x4x8xf32>, %lse: memref<1x2x4xf32, strided<[?, ?, ?], offset: ?>>) {
  mha.attention query(%q : memref<1x2x4x8xf32>, bhsd) key(%k : memref<1x1x32x8xf32>, bhsd) value(%v : memref<1x1x32x8xf32>, bhsd)
    scale(0.25) schedule(#two) outs(%o : memref<1x2x4x8xf32>, lse %lse : memref<1x2x4xf32, strided<[?, ?, ?], offset: ?>>)
  return
}

// Near miss: nobody asks for an lse.
// CHECK-LABEL: func.func @no_lse(
// CHECK-NOT: math.log
// CHECK: return
func.func @no_lse(%q: memref<1x2x4x8xf32>, %k: memref<1x1x32x8xf32>, %v: memref<1x1x32x8xf32>, %o: memref<1x2x4x8xf32>) {
  mha.attention query(%q : memref<1x2x4x8xf32>, bhsd) key(%k : memref<1x1x32x8xf32>, bhsd) value(%v : memref<1x1x32x8xf32>, bhsd)
    scale(0.25) schedule(#two) outs(%o : memref<1x2x4x8xf32>)
  return
}

// The sign of a scale goes into Q when it is packed: the row maximum is that of the scores.
// CHECK-LABEL: func.func @negative_scale(
// CHECK-DAG: %[[MINUS:.+]] = arith.constant dense<-1.000000e+00> : vector<4xf32>
// CHECK: %[[QT:.+]] = mha.scratch : memref<1x8x4xf32>
// CHECK: %[[NEGATED:.+]] = arith.mulf %{{.+}}, %[[MINUS]]
// CHECK: vector.store %[[NEGATED]], %[[QT]][
func.func @negative_scale(%q: memref<1x1x4x8xf32>, %k: memref<1x1x32x8xf32>, %v: memref<1x1x32x8xf32>, %o: memref<1x1x4x8xf32>) {
  mha.attention query(%q : memref<1x1x4x8xf32>, bhsd) key(%k : memref<1x1x32x8xf32>, bhsd) value(%v : memref<1x1x32x8xf32>, bhsd)
    scale(-0.25) schedule(#one) outs(%o : memref<1x1x4x8xf32>)
  return
}

// Scores in natural units: a scale of run time, the slopes of both heads counted from the origin, and distances from row 0, -|j - p|, which are rounded once. A
// sink ends in the sums: its weight and that of the keys beside it.
// CHECK-LABEL: func.func @terms(
// CHECK-SAME: %[[SCALE:[a-z0-9]+]]: f32, %[[SLOPES:[a-z0-9]+]]: memref<12xf32>, %[[SINK:[a-z0-9]+]]: memref<12xf32>, %[[H0:[a-z0-9]+]]: index
// CHECK-DAG: %[[ROWS:.+]] = arith.constant dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00]> : vector<4xf32>
// CHECK: %[[FACTOR:.+]] = vector.broadcast %[[SCALE]] : f32 to vector<4xf32>
// CHECK: memref.load %[[SLOPES]][%[[H0]]]
// CHECK: %[[H1:.+]] = arith.addi %[[H0]], %c1
// CHECK: memref.load %[[SLOPES]][%[[H1]]]
// CHECK: %[[SCALED:.+]] = arith.mulf %{{.+}}, %[[FACTOR]]
// CHECK: %[[FROM_0:.+]] = arith.sitofp %[[EXACT:.+]] : i64 to f32
// CHECK: %[[BACK:.+]] = arith.fptosi %[[FROM_0]]
// CHECK: %[[OFF:.+]] = arith.subi %[[EXACT]], %[[BACK]]
// CHECK: %[[OFF_F:.+]] = arith.sitofp %[[OFF]]
// CHECK: %[[OFF_ALL:.+]] = vector.broadcast %[[OFF_F]] : f32 to vector<4xf32>
// CHECK: %[[OFF_ROWS:.+]] = arith.subf %[[OFF_ALL]], %[[ROWS]]
// CHECK: %[[ALL:.+]] = vector.broadcast %[[FROM_0]] : f32 to vector<4xf32>
// CHECK: %[[DISTANCE:.+]] = arith.addf %[[ALL]], %[[OFF_ROWS]]
// CHECK: %[[FAR:.+]] = math.absf %[[DISTANCE]]
// CHECK: %[[NEAR:.+]] = arith.negf %[[FAR]]
// CHECK: %[[BIAS:.+]] = arith.mulf %{{.+}}, %[[NEAR]]
// CHECK: arith.addf %[[SCALED]], %[[BIAS]]
// CHECK: memref.load %[[SINK]][%[[H0]]]
// CHECK: memref.load %[[SINK]][%[[H1]]]
func.func @terms(%q: memref<1x2x4x8xf32>, %k: memref<1x1x32x8xf32>, %o: memref<1x2x4x8xf32>, %scale: f32, %slopes: memref<12xf32>, %sink: memref<12xf32>, %h: index, %i: index) {
  mha.attention query(%q : memref<1x2x4x8xf32>, bhsd) key(%k : memref<1x1x32x8xf32>, bhsd) value(%k : memref<1x1x32x8xf32>, bhsd)
    align(top_left) scale(%scale : f32) bias<alibi_symmetric> slopes(%slopes : memref<12xf32>) sink(%sink : memref<12xf32>)
    origin(%i, %h, %i, %i) schedule(#two) outs(%o : memref<1x2x4x8xf32>)
  return
}

// A group beside its key head: heads are counted along g.
// CHECK-LABEL: func.func @split(
// CHECK-SAME: %[[Q:[a-z0-9]+]]: memref<1x1x4x2x8xf32>, %[[K:[a-z0-9]+]]: memref<1x1x32x8xf32>, %[[O:[a-z0-9]+]]: memref<1x4x1x2x8xf32>)
// CHECK: scf.for %[[G:[a-z0-9]+]] = %c0 to %c2 step %c1 {
// CHECK: vector.load %[[Q]][%c0, %c0, %c3, %[[G]], %{{.+}}]
// CHECK: vector.store %{{.+}}, %[[O]][%c0, %c3, %c0, %{{.+}}, %{{.+}}]
func.func @split(%q: memref<1x1x4x2x8xf32>, %k: memref<1x1x32x8xf32>, %o: memref<1x4x1x2x8xf32>) {
  mha.attention query(%q : memref<1x1x4x2x8xf32>, bksgd) key(%k : memref<1x1x32x8xf32>, bhsd) value(%k : memref<1x1x32x8xf32>, bhsd)
    schedule(#two) outs(%o : memref<1x4x1x2x8xf32>, bskgd)
  return
}

// A mask of booleans for each score: where its keys are side by side in squares of bytes, transposed to -inf and 0, a row in each lane, and
// what is left of the keys that are there one at a time. -inf hides a score and is not added.
// CHECK-LABEL: func.func @dense_mask(
// CHECK-SAME: %[[M:[a-z0-9]+]]: memref<1x1x4x32xi1, strided<[?, ?, ?, ?], offset: ?>>
// CHECK-DAG: %[[HIDDEN:.+]] = arith.constant dense<0xFF800000> : vector<4xf32>
// CHECK: mha.scratch : memref<2x4xf32>
// CHECK: %[[MT:.+]] = mha.scratch : memref<2x8x4xf32>
// CHECK: %{{.+}}, %{{.+}}, %{{.+}}, %[[STRIDES:.+]]:4 = memref.extract_strided_metadata %[[M]]
// CHECK: %[[SIDE_BY_SIDE:.+]] = arith.cmpi eq, %[[STRIDES]]#3, %c1
// CHECK: scf.if %[[SIDE_BY_SIDE]]
// CHECK: %[[BYTES:.+]] = builtin.unrealized_conversion_cast %{{.+}} to memref<1x1x4x32xi8, strided<[?, ?, ?, 1], offset: ?>>
// CHECK: vector.load %[[BYTES]][%c0, %c0, %{{.+}}, %{{.+}}] : {{.+}}, vector<4xi8>
// CHECK: vector.shuffle
// CHECK: vector.store %{{.+}}, %[[MT]][
// CHECK: memref.load %[[M]][%c0, %c0, %{{.+}}, %{{.+}}]
// CHECK: %[[MASK:.+]] = vector.load %[[MT]][
// CHECK: %[[IS_HIDDEN:.+]] = arith.cmpf oeq, %[[MASK]], %[[HIDDEN]]
// CHECK: arith.select %[[IS_HIDDEN]], %[[HIDDEN]], %{{.+}} : vector<4xi1>, vector<4xf32>
func.func @dense_mask(%m: memref<1x1x4x32xi1, strided<[?, ?, ?, ?], offset: ?>>, %q: memref<1x2x4x8xf32>, %k: memref<1x1x32x8xf32>, %o: memref<1x2x4x8xf32>) {
  mha.attention query(%q : memref<1x2x4x8xf32>, bhsd) key(%k : memref<1x1x32x8xf32>, bhsd) value(%k : memref<1x1x32x8xf32>, bhsd)
    dense_mask(%m : memref<1x1x4x32xi1, strided<[?, ?, ?, ?], offset: ?>>) schedule(#two) outs(%o : memref<1x2x4x8xf32>)
  return
}

// One for each key: an element for all rows. A number is added to the scaled score.
// CHECK-LABEL: func.func @mask_of_keys(
// CHECK-SAME: %[[M:[a-z0-9]+]]: memref<32xf16>
// CHECK-DAG: %[[SCALE:.+]] = arith.constant dense<2.500000e-01> : vector<4xf32>
// CHECK-NOT: memref.extract_strided_metadata
// CHECK: %[[SCALED:.+]] = arith.mulf %{{.+}}, %[[SCALE]]
// CHECK: %[[ELEMENT:.+]] = memref.load %[[M]][%{{.+}}]
// CHECK: %[[WIDE:.+]] = arith.extf %[[ELEMENT]]
// CHECK: %[[MASK:.+]] = vector.broadcast %[[WIDE]]
// CHECK: %[[IS_HIDDEN:.+]] = arith.cmpf oeq, %[[MASK]]
// CHECK: %[[SUM:.+]] = arith.addf %[[SCALED]], %[[MASK]]
// CHECK: arith.select %[[IS_HIDDEN]], %{{.+}}, %[[SUM]]
func.func @mask_of_keys(%m: memref<32xf16>, %q: memref<1x1x4x8xf32>, %k: memref<1x1x32x8xf32>, %o: memref<1x1x4x8xf32>) {
  mha.attention query(%q : memref<1x1x4x8xf32>, bhsd) key(%k : memref<1x1x32x8xf32>, bhsd) value(%k : memref<1x1x32x8xf32>, bhsd)
    scale(0.25) dense_mask(%m : memref<32xf16>) schedule(#one) outs(%o : memref<1x1x4x8xf32>)
  return
}

// One for each row of each head, for all keys: brought to the lanes once, before the keys.
// CHECK-LABEL: func.func @mask_of_rows(
// CHECK-SAME: %[[M:[a-z0-9]+]]: memref<2x4x1xf32>
// CHECK: %[[MT:.+]] = mha.scratch : memref<2x1x4xf32>
// CHECK: scf.for %[[HEAD:[a-z0-9]+]] = %c0 to %c2 step %c1 {
// CHECK-NEXT: scf.for %[[ROW:[a-z0-9]+]] = %c0 to %c4 step %c1 {
// CHECK-NEXT: %[[ELEMENT:.+]] = memref.load %[[M]][%[[HEAD]], %[[ROW]], %c0]
// CHECK-NEXT: memref.store %[[ELEMENT]], %[[MT]][%[[HEAD]], %c0, %[[ROW]]]
// CHECK: scf.for {{.*}} = %c0 to %c32 step %c8 iter_args
// CHECK-NOT: %[[M]]
// CHECK: vector.load %[[MT]][%c0, %c0, %c0]
// CHECK: vector.load %[[MT]][%c1, %c0, %c0]
func.func @mask_of_rows(%m: memref<2x4x1xf32>, %q: memref<1x2x4x8xf32>, %k: memref<1x1x32x8xf32>, %o: memref<1x2x4x8xf32>) {
  mha.attention query(%q : memref<1x2x4x8xf32>, bhsd) key(%k : memref<1x1x32x8xf32>, bhsd) value(%k : memref<1x1x32x8xf32>, bhsd)
    dense_mask(%m : memref<2x4x1xf32>) schedule(#two) outs(%o : memref<1x2x4x8xf32>)
  return
}

// A mask of 8 rows, four for each of two heads, and blocks of 32 keys, of which two are multiplied at a time: meanwhile a line of 16 keys
// of one row is fetched, of the block behind this one. Once: not where a block is computed again.
// CHECK-LABEL: func.func @fetched_mask(
// CHECK-SAME: %[[M:[a-z0-9]+]]: memref<2x4x64xf32>
// CHECK: scf.for %[[FIRST:[a-z0-9]+]] = %c0 to %c64 step %c32 iter_args
// CHECK: scf.for %[[IN:[a-z0-9]+]] = %c0 to %{{.+}} step %c2 iter_args
// CHECK: %[[NUMBER:.+]] = arith.divui %[[IN]], %c2
// CHECK-DAG: %[[NEXT:.+]] = arith.addi %[[FIRST]], %c32
// CHECK-DAG: %[[ROW:.+]] = arith.remui %[[NUMBER]], %c8
// CHECK-DAG: %[[LINE:.+]] = arith.divui %[[NUMBER]], %c8
// CHECK-DAG: %[[KEYS:.+]] = arith.muli %[[LINE]], %c16
// CHECK-DAG: %[[KEY:.+]] = arith.addi %[[NEXT]], %[[KEYS]]
// CHECK-DAG: %[[QUERY:.+]] = arith.remui %[[ROW]], %c4
// CHECK-DAG: %[[HEAD:.+]] = arith.divui %[[ROW]], %c4
// CHECK: memref.prefetch %[[M]][%[[HEAD]], %[[QUERY]], %[[KEY]]], read, locality<2>, data
// CHECK-NOT: memref.prefetch %[[M]]
// CHECK: return
func.func @fetched_mask(%q: memref<1x2x4x8xf32>, %k: memref<1x1x64x8xf32>, %m: memref<2x4x64xf32>, %o: memref<1x2x4x8xf32>) {
  mha.attention query(%q : memref<1x2x4x8xf32>, bhsd) key(%k : memref<1x1x64x8xf32>, bhsd) value(%k : memref<1x1x64x8xf32>, bhsd)
    dense_mask(%m : memref<2x4x64xf32>) schedule(#fetch) outs(%o : memref<1x2x4x8xf32>)
  return
}
