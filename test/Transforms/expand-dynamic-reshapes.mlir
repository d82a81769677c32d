// RUN: mha-opt %s --mha-expand-dynamic-reshapes | FileCheck %s

// The outer of two dynamic sizes spans the inner one.
// CHECK-LABEL: func.func @two_sizes
// CHECK-SAME: %[[X:[a-z0-9]+]]: index, %[[Y:[a-z0-9]+]]: index
// CHECK: %[[BASE:.+]], %[[OFFSET:.+]], %[[SIZES:.+]]:2, %[[STRIDES:.+]]:2 = memref.extract_strided_metadata
// CHECK: %[[OUTER:.+]] = arith.muli %[[STRIDES]]#0, %[[Y]]
// CHECK: memref.reinterpret_cast %[[BASE]] to offset: [%[[OFFSET]]], sizes: [%[[X]], %[[Y]], 5], strides: [%[[OUTER]], %[[STRIDES]]#0, %[[STRIDES]]#1]
func.func @two_sizes(%m: memref<?x5xf32, strided<[?, ?], offset: ?>>, %x: index, %y: index) -> memref<?x?x5xf32, strided<[?, ?, ?], offset: ?>> {
  %e = memref.expand_shape %m [[0, 1], [2]] output_shape [%x, %y, 5]
    : memref<?x5xf32, strided<[?, ?], offset: ?>> into memref<?x?x5xf32, strided<[?, ?, ?], offset: ?>>
  return %e : memref<?x?x5xf32, strided<[?, ?, ?], offset: ?>>
}

// One dynamic size for each dimension: upstream's affair.
// CHECK-LABEL: func.func @one_size
// CHECK: memref.expand_shape
func.func @one_size(%m: memref<?x?xf32>, %x: index, %y: index) -> memref<?x3x?x5xf32> {
  %e = memref.expand_shape %m [[0, 1], [2, 3]] output_shape [%x, 3, %y, 5] : memref<?x?xf32> into memref<?x3x?x5xf32>
  return %e : memref<?x3x?x5xf32>
}
