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

// Near misses: an argument, another block, another type, a destination that others may write.
// CHECK-LABEL: func.func @near_misses
// CHECK-NOT: to_tensor
// CHECK: return
func.func @near_misses(%a: tensor<3x5xf32>, %out: memref<3x5xf32>, %dynamic: memref<?x5xf32>, %c: i1) {
  bufferization.materialize_in_destination %a in restrict writable %out : (tensor<3x5xf32>, memref<3x5xf32>) -> ()
  %empty = tensor.empty() : tensor<3x5xf32>
  scf.if %c {
    bufferization.materialize_in_destination %empty in restrict writable %out : (tensor<3x5xf32>, memref<3x5xf32>) -> ()
  }
  bufferization.materialize_in_destination %empty in restrict writable %dynamic : (tensor<3x5xf32>, memref<?x5xf32>) -> ()
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
