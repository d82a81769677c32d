// RUN: mha-opt %s --mha-place-results | FileCheck %s
// RUN: mha-opt %s --mha-place-results --remarks-filter=mha-place-results --remark-format=emitRemark -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// A chain of destination-style ops begins in the out-parameter.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: %[[OUT:[a-z0-9]+]]: memref<3x5xf32, strided<[?, ?], offset: ?>>
// CHECK: %[[T:.+]] = bufferization.to_tensor %[[OUT]] restrict writable
// CHECK-NOT: tensor.empty
// CHECK: %[[F:.+]] = linalg.fill {{.*}} outs(%[[T]]
// CHECK: %[[E:.+]] = linalg.exp {{.*}} outs(%[[F]]
// CHECK: bufferization.materialize_in_destination %[[E]] in restrict writable %[[OUT]]
func.func @chain(%a: tensor<3x5xf32>, %out: memref<3x5xf32, strided<[?, ?], offset: ?>>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3x5xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x5xf32>) -> tensor<3x5xf32>
  %exp = linalg.exp ins(%a : tensor<3x5xf32>) outs(%fill : tensor<3x5xf32>) -> tensor<3x5xf32>
  bufferization.materialize_in_destination %exp in restrict writable %out : (tensor<3x5xf32>, memref<3x5xf32, strided<[?, ?], offset: ?>>) -> ()
  return
}

// Two results that share a fill: each gets a fill of its own, in its own out-parameter.
// CHECK-LABEL: func.func @shared_fill
// CHECK-SAME: %[[OUT0:[a-z0-9]+]]: memref<3x5xf32>, %[[OUT1:[a-z0-9]+]]: memref<3x5xf32>
// CHECK-DAG: %[[T0:.+]] = bufferization.to_tensor %[[OUT0]] restrict writable
// CHECK-DAG: %[[F0:.+]] = linalg.fill {{.*}} outs(%[[T0]]
// CHECK-DAG: %[[T1:.+]] = bufferization.to_tensor %[[OUT1]] restrict writable
// CHECK-DAG: %[[F1:.+]] = linalg.fill {{.*}} outs(%[[T1]]
// CHECK: linalg.exp {{.*}} outs(%[[F0]]
// CHECK: linalg.tanh {{.*}} outs(%[[F1]]
func.func @shared_fill(%a: tensor<3x5xf32>, %out0: memref<3x5xf32>, %out1: memref<3x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3x5xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x5xf32>) -> tensor<3x5xf32>
  %exp = linalg.exp ins(%a : tensor<3x5xf32>) outs(%fill : tensor<3x5xf32>) -> tensor<3x5xf32>
  %tanh = linalg.tanh ins(%a : tensor<3x5xf32>) outs(%fill : tensor<3x5xf32>) -> tensor<3x5xf32>
  bufferization.materialize_in_destination %exp in restrict writable %out0 : (tensor<3x5xf32>, memref<3x5xf32>) -> ()
  bufferization.materialize_in_destination %tanh in restrict writable %out1 : (tensor<3x5xf32>, memref<3x5xf32>) -> ()
  return
}

// A value on the way is a result itself: computed apart and copied, and so is the one after it.
// CHECK-LABEL: func.func @intermediate_result
// CHECK-NOT: to_tensor
// CHECK: bufferization.materialize_in_destination
// REMARK: place-results.mlir:[[# @LINE + 7]]:3: remark: [Missed] result-is-copied
// REMARK: place-results.mlir:[[# @LINE + 7]]:3: remark: [Missed] result-is-copied
func.func @intermediate_result(%a: tensor<3x5xf32>, %out0: memref<3x5xf32>, %out1: memref<3x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3x5xf32>
  %exp = linalg.exp ins(%a : tensor<3x5xf32>) outs(%empty : tensor<3x5xf32>) -> tensor<3x5xf32>
  %tanh = linalg.tanh ins(%a : tensor<3x5xf32>) outs(%exp : tensor<3x5xf32>) -> tensor<3x5xf32>
  bufferization.materialize_in_destination %tanh in restrict writable %out0 : (tensor<3x5xf32>, memref<3x5xf32>) -> ()
  bufferization.materialize_in_destination %exp in restrict writable %out1 : (tensor<3x5xf32>, memref<3x5xf32>) -> ()
  return
}

// Attention in its two out-parameters: with destinations it goes on from what they are.
// CHECK-LABEL: func.func @attention
// CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<1x2x3x4xf32>, %[[OUT0:[a-z0-9]+]]: memref<1x2x3x4xf32>, %[[OUT1:[a-z0-9]+]]: memref<1x2x3xf32>
// CHECK-DAG: %[[T0:.+]] = bufferization.to_tensor %[[OUT0]] restrict writable
// CHECK-DAG: %[[T1:.+]] = bufferization.to_tensor %[[OUT1]] restrict writable
// CHECK: %[[O:.+]], %[[L:.+]] = mha.attention {{.+}} outs(%[[T0]] : tensor<1x2x3x4xf32>, lse %[[T1]] : tensor<1x2x3xf32>)
// CHECK: bufferization.materialize_in_destination %[[O]] in restrict writable %[[OUT0]]
// CHECK: bufferization.materialize_in_destination %[[L]] in restrict writable %[[OUT1]]
func.func @attention(%q: tensor<1x2x3x4xf32>, %out0: memref<1x2x3x4xf32>, %out1: memref<1x2x3xf32>) {
  %e0 = tensor.empty() : tensor<1x2x3x4xf32>
  %e1 = tensor.empty() : tensor<1x2x3xf32>
  %o, %lse = mha.attention query(%q : tensor<1x2x3x4xf32>, bhsd) key(%q : tensor<1x2x3x4xf32>, bhsd)
    value(%q : tensor<1x2x3x4xf32>, bhsd) outs(%e0 : tensor<1x2x3x4xf32>, lse %e1 : tensor<1x2x3xf32>)
    -> (tensor<1x2x3x4xf32>, lse tensor<1x2x3xf32>)
  bufferization.materialize_in_destination %o in restrict writable %out0 : (tensor<1x2x3x4xf32>, memref<1x2x3x4xf32>) -> ()
  bufferization.materialize_in_destination %lse in restrict writable %out1 : (tensor<1x2x3xf32>, memref<1x2x3xf32>) -> ()
  return
}

// Attentions that share an empty tensor: each has its own out-parameter.
// CHECK-LABEL: func.func @shared_empty
// CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<1x2x3x4xf32>, %[[OUT0:[a-z0-9]+]]: memref<1x2x3x4xf32>, %[[OUT1:[a-z0-9]+]]: memref<1x2x3x4xf32>
// CHECK-DAG: %[[T0:.+]] = bufferization.to_tensor %[[OUT0]] restrict writable
// CHECK-DAG: %[[T1:.+]] = bufferization.to_tensor %[[OUT1]] restrict writable
// CHECK: mha.attention {{.+}} outs(%[[T0]] :
// CHECK: mha.attention {{.+}} outs(%[[T1]] :
func.func @shared_empty(%q: tensor<1x2x3x4xf32>, %out0: memref<1x2x3x4xf32>, %out1: memref<1x2x3x4xf32>) {
  %e = tensor.empty() : tensor<1x2x3x4xf32>
  %0 = mha.attention query(%q : tensor<1x2x3x4xf32>, bhsd) key(%q : tensor<1x2x3x4xf32>, bhsd)
    value(%q : tensor<1x2x3x4xf32>, bhsd) outs(%e : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  %1 = mha.attention query(%q : tensor<1x2x3x4xf32>, bhsd) key(%q : tensor<1x2x3x4xf32>, bhsd)
    value(%q : tensor<1x2x3x4xf32>, bhsd) mask<causal> outs(%e : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  bufferization.materialize_in_destination %0 in restrict writable %out0 : (tensor<1x2x3x4xf32>, memref<1x2x3x4xf32>) -> ()
  bufferization.materialize_in_destination %1 in restrict writable %out1 : (tensor<1x2x3x4xf32>, memref<1x2x3x4xf32>) -> ()
  return
}

// Near misses of attention: it has no destination; it reads what it would be computed in through another operand.
// CHECK-LABEL: func.func @attention_near_misses
// CHECK-NOT: to_tensor
// CHECK: return
func.func @attention_near_misses(%q: tensor<1x2x3x4xf32>, %out0: memref<1x2x3x4xf32>, %out1: memref<1x2x3x4xf32>) {
  %0 = mha.attention query(%q : tensor<1x2x3x4xf32>, bhsd) key(%q : tensor<1x2x3x4xf32>, bhsd)
    value(%q : tensor<1x2x3x4xf32>, bhsd) -> tensor<1x2x3x4xf32>
  bufferization.materialize_in_destination %0 in restrict writable %out0 : (tensor<1x2x3x4xf32>, memref<1x2x3x4xf32>) -> ()
  %e = tensor.empty() : tensor<1x2x3x4xf32>
  %exp = linalg.exp ins(%q : tensor<1x2x3x4xf32>) outs(%e : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  %1 = mha.attention query(%q : tensor<1x2x3x4xf32>, bhsd) key(%exp : tensor<1x2x3x4xf32>, bhsd)
    value(%q : tensor<1x2x3x4xf32>, bhsd) outs(%exp : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  bufferization.materialize_in_destination %1 in restrict writable %out1 : (tensor<1x2x3x4xf32>, memref<1x2x3x4xf32>) -> ()
  return
}

// Casts on the way: after the op, before it, and a type that knows other sizes than the out-parameter does.
// CHECK-LABEL: func.func @casts
// CHECK-SAME: %[[OUT:[a-z0-9]+]]: memref<3x5xf32>
// CHECK: %[[T:.+]] = bufferization.to_tensor %[[OUT]] restrict writable : memref<3x5xf32> to tensor<3x5xf32>
// CHECK: %[[C0:.+]] = tensor.cast %[[T]] : tensor<3x5xf32> to tensor<?x5xf32>
// CHECK: %[[C1:.+]] = tensor.cast %[[C0]] : tensor<?x5xf32> to tensor<?x?xf32>
// CHECK: %[[E:.+]] = linalg.exp {{.*}} outs(%[[C1]] : tensor<?x?xf32>)
// CHECK: %[[C2:.+]] = tensor.cast %[[E]] : tensor<?x?xf32> to tensor<3x?xf32>
// CHECK: bufferization.materialize_in_destination %[[C2]] in restrict writable %[[OUT]]
func.func @casts(%a: tensor<?x?xf32>, %out: memref<3x5xf32>, %n: index) {
  %empty = tensor.empty(%n) : tensor<?x5xf32>
  %0 = tensor.cast %empty : tensor<?x5xf32> to tensor<?x?xf32>
  %exp = linalg.exp ins(%a : tensor<?x?xf32>) outs(%0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = tensor.cast %exp : tensor<?x?xf32> to tensor<3x?xf32>
  bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<3x?xf32>, memref<3x5xf32>) -> ()
  return
}

// An out-parameter that knows less, and a cast that is shared with the empty tensor before it.
// CHECK-LABEL: func.func @shared_cast
// CHECK-SAME: %[[OUT0:[a-z0-9]+]]: memref<?x5xf32>, %[[OUT1:[a-z0-9]+]]: memref<?x5xf32>
// CHECK-DAG: %[[T0:.+]] = bufferization.to_tensor %[[OUT0]] restrict writable : memref<?x5xf32> to tensor<?x5xf32>
// CHECK-DAG: %[[C0:.+]] = tensor.cast %[[T0]] : tensor<?x5xf32> to tensor<3x5xf32>
// CHECK-DAG: %[[D0:.+]] = tensor.cast %[[C0]] : tensor<3x5xf32> to tensor<?x5xf32>
// CHECK-DAG: %[[T1:.+]] = bufferization.to_tensor %[[OUT1]] restrict writable : memref<?x5xf32> to tensor<?x5xf32>
// CHECK-DAG: %[[C1:.+]] = tensor.cast %[[T1]] : tensor<?x5xf32> to tensor<3x5xf32>
// CHECK-DAG: %[[D1:.+]] = tensor.cast %[[C1]] : tensor<3x5xf32> to tensor<?x5xf32>
// CHECK: linalg.exp {{.*}} outs(%[[D0]]
// CHECK: linalg.tanh {{.*}} outs(%[[D1]]
func.func @shared_cast(%a: tensor<?x5xf32>, %out0: memref<?x5xf32>, %out1: memref<?x5xf32>) {
  %empty = tensor.empty() : tensor<3x5xf32>
  %cast = tensor.cast %empty : tensor<3x5xf32> to tensor<?x5xf32>
  %exp = linalg.exp ins(%a : tensor<?x5xf32>) outs(%cast : tensor<?x5xf32>) -> tensor<?x5xf32>
  %tanh = linalg.tanh ins(%a : tensor<?x5xf32>) outs(%cast : tensor<?x5xf32>) -> tensor<?x5xf32>
  bufferization.materialize_in_destination %exp in restrict writable %out0 : (tensor<?x5xf32>, memref<?x5xf32>) -> ()
  bufferization.materialize_in_destination %tanh in restrict writable %out1 : (tensor<?x5xf32>, memref<?x5xf32>) -> ()
  return
}

// Near misses: a cast or a fill that is shared and stands after something that is not cheap; sizes that contradict each other.
// CHECK-LABEL: func.func @cast_near_misses
// CHECK-NOT: to_tensor
// CHECK-COUNT-2: linalg.exp
// CHECK-NOT: linalg.exp
// CHECK: return
func.func @cast_near_misses(%a: tensor<3x5xf32>, %out0: memref<?x5xf32>, %out1: memref<?x5xf32>, %out2: memref<4x5xf32>) -> (tensor<?x5xf32>, tensor<3x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty0 = tensor.empty() : tensor<3x5xf32>
  %exp0 = linalg.exp ins(%a : tensor<3x5xf32>) outs(%empty0 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %cast = tensor.cast %exp0 : tensor<3x5xf32> to tensor<?x5xf32>
  bufferization.materialize_in_destination %cast in restrict writable %out0 : (tensor<?x5xf32>, memref<?x5xf32>) -> ()
  %empty1 = tensor.empty() : tensor<3x5xf32>
  %exp1 = linalg.exp ins(%a : tensor<3x5xf32>) outs(%empty1 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%exp1 : tensor<3x5xf32>) -> tensor<3x5xf32>
  bufferization.materialize_in_destination %fill in restrict writable %out1 : (tensor<3x5xf32>, memref<?x5xf32>) -> ()
  %empty2 = tensor.empty() : tensor<3x5xf32>
  %to_dynamic = tensor.cast %empty2 : tensor<3x5xf32> to tensor<?x5xf32>
  %contradiction = tensor.cast %to_dynamic : tensor<?x5xf32> to tensor<4x5xf32>
  bufferization.materialize_in_destination %contradiction in restrict writable %out2 : (tensor<4x5xf32>, memref<4x5xf32>) -> ()
  return %cast, %fill : tensor<?x5xf32>, tensor<3x5xf32>
}

// Near misses: an argument, another block, a destination that others may write.
// CHECK-LABEL: func.func @near_misses
// CHECK-NOT: to_tensor
// CHECK: return
func.func @near_misses(%a: tensor<3x5xf32>, %out: memref<3x5xf32>, %c: i1) {
  bufferization.materialize_in_destination %a in restrict writable %out : (tensor<3x5xf32>, memref<3x5xf32>) -> ()
  %empty = tensor.empty() : tensor<3x5xf32>
  scf.if %c {
    bufferization.materialize_in_destination %empty in restrict writable %out : (tensor<3x5xf32>, memref<3x5xf32>) -> ()
  }
  bufferization.materialize_in_destination %empty in writable %out : (tensor<3x5xf32>, memref<3x5xf32>) -> ()
  return
}

// Two writes to one memref, the second of what was computed first: in place, the second would find the first one's value.
// CHECK-LABEL: func.func @written_twice
// CHECK-NOT: to_tensor
// CHECK: return
func.func @written_twice(%a: tensor<3x5xf32>, %out: memref<3x5xf32>) {
  %empty0 = tensor.empty() : tensor<3x5xf32>
  %empty1 = tensor.empty() : tensor<3x5xf32>
  %exp = linalg.exp ins(%a : tensor<3x5xf32>) outs(%empty0 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %tanh = linalg.tanh ins(%a : tensor<3x5xf32>) outs(%empty1 : tensor<3x5xf32>) -> tensor<3x5xf32>
  bufferization.materialize_in_destination %tanh in restrict writable %out : (tensor<3x5xf32>, memref<3x5xf32>) -> ()
  bufferization.materialize_in_destination %exp in restrict writable %out : (tensor<3x5xf32>, memref<3x5xf32>) -> ()
  return
}

// A donated argument is a tensor and no out-parameter: nothing to place, and nothing to say.
// CHECK-LABEL: func.func @donated
// CHECK: bufferization.materialize_in_destination %{{.+}} in %{{.+}} : (tensor<3x5xf32>, tensor<3x5xf32>)
// REMARK-NOT: place-results.mlir:[[# @LINE + 4]]
func.func @donated(%a: tensor<3x5xf32>, %x: tensor<3x5xf32> {mha.donated = 0 : i64}) -> tensor<3x5xf32> {
  %empty = tensor.empty() : tensor<3x5xf32>
  %exp = linalg.exp ins(%a : tensor<3x5xf32>) outs(%empty : tensor<3x5xf32>) -> tensor<3x5xf32>
  %r = bufferization.materialize_in_destination %exp in %x : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

// A view: whoever has the buffer that it is of can see into it.
// CHECK-LABEL: func.func @view
// CHECK-NOT: to_tensor
// CHECK: return
func.func @view(%a: tensor<3x5xf32>, %whole: memref<9x5xf32>) {
  %out = memref.subview %whole[3, 0] [3, 5] [1, 1] : memref<9x5xf32> to memref<3x5xf32, strided<[5, 1], offset: 15>>
  %empty = tensor.empty() : tensor<3x5xf32>
  %exp = linalg.exp ins(%a : tensor<3x5xf32>) outs(%empty : tensor<3x5xf32>) -> tensor<3x5xf32>
  bufferization.materialize_in_destination %exp in restrict writable %out : (tensor<3x5xf32>, memref<3x5xf32, strided<[5, 1], offset: 15>>) -> ()
  return
}

// What a loop carries begins in its init; parallel loops have destinations.
// CHECK-LABEL: func.func @loops
// CHECK-SAME: %[[OUT:[a-z0-9]+]]: memref<3x5xf32, strided<[?, ?], offset: ?>>, %[[OTHER:[a-z0-9]+]]: memref<3x5xf32, strided<[?, ?], offset: ?>>
// CHECK-NOT: tensor.empty
// CHECK: %[[T:.+]] = bufferization.to_tensor %[[OUT]] restrict writable
// CHECK: scf.for {{.*}} iter_args(%{{.+}} = %[[T]])
// CHECK: %[[T2:.+]] = bufferization.to_tensor %[[OTHER]] restrict writable
// CHECK: scf.forall {{.*}} shared_outs(%{{.+}} = %[[T2]])
func.func @loops(%a: tensor<5xf32>, %out: memref<3x5xf32, strided<[?, ?], offset: ?>>, %other: memref<3x5xf32, strided<[?, ?], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %empty = tensor.empty() : tensor<3x5xf32>
  %rows = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %empty) -> tensor<3x5xf32> {
    %next = tensor.insert_slice %a into %t[%i, 0] [1, 5] [1, 1] : tensor<5xf32> into tensor<3x5xf32>
    scf.yield %next : tensor<3x5xf32>
  }
  bufferization.materialize_in_destination %rows in restrict writable %out : (tensor<3x5xf32>, memref<3x5xf32, strided<[?, ?], offset: ?>>) -> ()
  %empty2 = tensor.empty() : tensor<3x5xf32>
  %items = scf.forall (%i) in (3) shared_outs(%t = %empty2) -> tensor<3x5xf32> {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %t[%i, 0] [1, 5] [1, 1] : tensor<5xf32> into tensor<3x5xf32>
    }
  }
  bufferization.materialize_in_destination %items in restrict writable %other : (tensor<3x5xf32>, memref<3x5xf32, strided<[?, ?], offset: ?>>) -> ()
  return
}
