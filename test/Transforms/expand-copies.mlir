// RUN: mha-opt %s --mha-expand-copies | FileCheck %s

// CHECK-LABEL: func.func @strided_target
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<3x5xf32>, %[[B:[a-z0-9]+]]: memref<3x5xf32, strided<[?, ?], offset: ?>>
// CHECK-NOT: memref.copy
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[A]] : memref<3x5xf32>) outs(%[[B]] : memref<3x5xf32, strided<[?, ?], offset: ?>>)
func.func @strided_target(%a: memref<3x5xf32>, %b: memref<3x5xf32, strided<[?, ?], offset: ?>>) {
  memref.copy %a, %b : memref<3x5xf32> to memref<3x5xf32, strided<[?, ?], offset: ?>>
  return
}

// CHECK-LABEL: func.func @strided_source
// CHECK-NOT: memref.copy
// CHECK: linalg.generic
func.func @strided_source(%a: memref<?x5xi1, strided<[8, 1]>>, %b: memref<?x5xi1>) {
  memref.copy %a, %b : memref<?x5xi1, strided<[8, 1]>> to memref<?x5xi1>
  return
}

// Both sides contiguous: a memcpy.
// CHECK-LABEL: func.func @contiguous
// CHECK: memref.copy
func.func @contiguous(%a: memref<3x5xf32>, %b: memref<3x5xf32, strided<[5, 1], offset: 10>>) {
  memref.copy %a, %b : memref<3x5xf32> to memref<3x5xf32, strided<[5, 1], offset: 10>>
  return
}

// Sizes that nobody knows are left to upstream.
// CHECK-LABEL: func.func @unranked
// CHECK: memref.copy
func.func @unranked(%a: memref<*xf32>, %b: memref<*xf32>) {
  memref.copy %a, %b : memref<*xf32> to memref<*xf32>
  return
}
