// RUN: mha-opt %s --convert-mha-to-linalg | FileCheck %s
// RUN: mha-opt %s --convert-mha-to-linalg=free-temporaries | FileCheck %s --check-prefix=FREED

// The maximum is raised to that of the block; what was there decays by exp(old - new), and the block's weights are added to both sums.
// CHECK-LABEL: func.func @online(
// CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<2x6x7x5xf32>, %[[K:[a-z0-9]+]]: tensor<2x3x11x5xf32>, %[[V:[a-z0-9]+]]: tensor<2x3x11x4xf32>, %[[A:[a-z0-9]+]]: tensor<2x6x7x4xf32>, %[[M:[a-z0-9]+]]: tensor<2x6x7xf32>, %[[S:[a-z0-9]+]]: tensor<2x6x7xf32>)
// CHECK: %[[MASKED:[0-9]+]] = linalg.generic {{.*}} outs(%{{[0-9]+}} : tensor<2x6x7x11xf32>)
// CHECK: arith.mulf
// CHECK: %[[MASKED2:[0-9]+]] = linalg.generic
// CHECK: %[[BLOCK:[0-9]+]] = linalg.generic {{.*}} ins(%[[MASKED2]] : {{.*}} outs(%{{[0-9]+}} : tensor<2x6x7xf32>)
// CHECK: arith.maximumf
// CHECK: %[[DECAY:[0-9]+]] = linalg.generic {{.*}} ins(%[[M]], %[[BLOCK]] :
// CHECK: arith.maximumf
// CHECK: math.exp
// CHECK: %[[RAISED:[0-9]+]] = linalg.generic {{.*}} ins(%[[BLOCK]] : {{.*}} outs(%[[M]] :
// CHECK: arith.maximumf
// CHECK: %[[WEIGHTS:[0-9]+]] = linalg.generic {{.*}} ins(%[[MASKED2]], %[[RAISED]] :
// CHECK: %[[S1:[0-9]+]] = linalg.generic {{.*}} ins(%[[DECAY]] : {{.*}} outs(%[[S]] :
// CHECK: arith.mulf
// CHECK: %[[S2:[0-9]+]] = linalg.generic {{.*}} ins(%[[WEIGHTS]] : {{.*}} outs(%[[S1]] :
// CHECK: arith.addf
// CHECK: %[[A1:[0-9]+]] = linalg.generic {{.*}} ins(%[[DECAY]] : {{.*}} outs(%[[A]] :
// CHECK: arith.mulf
// CHECK: %[[A2:[0-9]+]] = linalg.generic {{.*}} ins(%[[WEIGHTS]], %[[MASKED2]], %[[V]] : {{.*}} outs(%[[A1]] :
// CHECK: return %[[A2]], %[[RAISED]], %[[S2]]
func.func @online(%q: tensor<2x6x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>) -> (tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) {
  %r:3 = mha.online_attention query(%q : tensor<2x6x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) -> tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>
  return %r#0, %r#1, %r#2 : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>
}

// Parts are the outermost loop, so they are added in their order; a part whose maximum is -inf is selected away.
// CHECK-LABEL: func.func @merge(
// CHECK-SAME: %[[PA:[a-z0-9]+]]: tensor<3x2x6x7x4xf32>, %[[PM:[a-z0-9]+]]: tensor<3x2x6x7xf32>, %[[PS:[a-z0-9]+]]: tensor<3x2x6x7xf32>
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "parallel", "parallel", "parallel"]} ins(%[[PM]]
// CHECK: arith.maximumf
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "parallel", "parallel", "parallel"]} ins(%[[PS]], %{{[0-9]+}}, %[[PM]]
// CHECK: arith.cmpf oeq
// CHECK: arith.select
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "parallel", "parallel", "parallel", "parallel"]} ins(%[[PA]], %{{[0-9]+}}, %[[PM]]
// CHECK: arith.cmpf oeq
// CHECK: arith.select
func.func @merge(%pa: tensor<3x2x6x7x4xf32>, %pm: tensor<3x2x6x7xf32>, %ps: tensor<3x2x6x7xf32>, %a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>) -> tensor<2x6x7x4xf32> {
  %r:3 = mha.merge parts(%pa, %pm, %ps : tensor<3x2x6x7x4xf32>, tensor<3x2x6x7xf32>, tensor<3x2x6x7xf32>)
    state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) -> tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>
  return %r#0 : tensor<2x6x7x4xf32>
}

// Division last, rounded once; the layout and the split heads of the output.
// CHECK-LABEL: func.func @finalize(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<2x6x7x4xf32>, %[[M:[a-z0-9]+]]: tensor<2x6x7xf32>, %[[S:[a-z0-9]+]]: tensor<2x6x7xf32>, %[[O:[a-z0-9]+]]: tensor<2x3x2x7x4xbf16>)
// CHECK-NOT: arith.maximumf
// CHECK: linalg.generic {{.*}} ins(%[[S]], %[[S]], %[[A]] : {{.*}} outs(%[[O]] :
// CHECK: arith.divf
// CHECK: arith.select
// CHECK: arith.truncf
// CHECK: linalg.generic {{.*}} ins(%[[M]], %[[S]] : {{.*}} outs(%[[M]] :
// CHECK: math.log
func.func @finalize(%a: tensor<2x6x7x4xf32>, %m: tensor<2x6x7xf32>, %s: tensor<2x6x7xf32>, %o: tensor<2x3x2x7x4xbf16>) -> (tensor<2x3x2x7x4xbf16>, tensor<2x6x7xf32>) {
  %r:2 = mha.finalize state(%a, %m, %s : tensor<2x6x7x4xf32>, tensor<2x6x7xf32>, tensor<2x6x7xf32>) outs(%o : tensor<2x3x2x7x4xbf16>, bkgsd, lse %m : tensor<2x6x7xf32>)
    -> tensor<2x3x2x7x4xbf16>, tensor<2x6x7xf32>
  return %r#0, %r#1 : tensor<2x3x2x7x4xbf16>, tensor<2x6x7xf32>
}

// A sink is one more key: the larger of both maxima, the keys' sum decayed, and its own weight.
// CHECK-LABEL: func.func @sink(
// CHECK-SAME: %[[M:[a-z0-9]+]]: memref<2x6x7xf32>, %[[S:[a-z0-9]+]]: memref<2x6x7xf32>, %[[SINK:[a-z0-9]+]]: memref<6xf16>
// CHECK: %[[BOTH:.+]] = memref.alloc() : memref<2x6x7xf32>
// CHECK: linalg.generic {{.*}} ins(%[[M]], %[[SINK]] : {{.*}} outs(%[[BOTH]] :
// CHECK: arith.extf
// CHECK: arith.maximumf
// CHECK: %[[FACTOR:.+]] = memref.alloc()
// CHECK: linalg.generic {{.*}} ins(%[[M]], %[[BOTH]] : {{.*}} outs(%[[FACTOR]] :
// CHECK: %[[DIVISOR:.+]] = memref.alloc()
// CHECK: linalg.generic {{.*}} ins(%[[S]], %[[FACTOR]], %[[SINK]], %[[BOTH]] : {{.*}} outs(%[[DIVISOR]] :
// CHECK: linalg.generic {{.*}} ins(%[[S]], %[[DIVISOR]], %{{.+}}, %[[FACTOR]] :
// CHECK-NOT: dealloc
// FREED-LABEL: func.func @sink(
// FREED-COUNT-3: memref.dealloc
func.func @sink(%m: memref<2x6x7xf32>, %s: memref<2x6x7xf32>, %sink: memref<6xf16>, %a: memref<2x6x7x4xf32>, %o: memref<2x7x6x4xf32>) {
  mha.finalize state(%a, %m, %s : memref<2x6x7x4xf32>, memref<2x6x7xf32>, memref<2x6x7xf32>) sink(%sink : memref<6xf16>) outs(%o : memref<2x7x6x4xf32>, bshd)
  return
}

// Without query heads a state stays what it is.
// CHECK-LABEL: func.func @no_heads(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<2x0x7x4xf32>
// CHECK-NEXT: return %[[A]]
func.func @no_heads(%q: tensor<2x0x7x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x4xf32>, %a: tensor<2x0x7x4xf32>, %m: tensor<2x0x7xf32>) -> tensor<2x0x7x4xf32> {
  %r:3 = mha.online_attention query(%q : tensor<2x0x7x5xf32>, bhsd) key(%k : tensor<2x3x11x5xf32>, bhsd) value(%v : tensor<2x3x11x4xf32>, bhsd)
    state(%a, %m, %m : tensor<2x0x7x4xf32>, tensor<2x0x7xf32>, tensor<2x0x7xf32>) -> tensor<2x0x7x4xf32>, tensor<2x0x7xf32>, tensor<2x0x7xf32>
  return %r#0 : tensor<2x0x7x4xf32>
}
