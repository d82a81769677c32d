// RUN: mha-opt %s --split-input-file --allow-unregistered-dialect --mha-specialize-layouts | FileCheck %s

// An argument takes the type from which its one call casts, and views of it follow.
// CHECK-LABEL: func.func @caller
// CHECK-SAME:    %[[P:[a-z0-9]+]]: memref<8x16xf32>
// CHECK:         %[[S:.+]] = memref.subview %[[P]]{{.*}} to memref<8x4xf32, strided<[16, 1], offset: 4>>
// CHECK:         call @callee(%[[S]], %{{.+}}) : (memref<8x4xf32, strided<[16, 1], offset: 4>>, index) -> f32
// CHECK:       func.func private @callee(%[[A:[a-z0-9]+]]: memref<8x4xf32, strided<[16, 1], offset: 4>>, %{{.+}}: index) -> f32
// CHECK-NOT:     memref.cast
// CHECK:         memref.subview %[[A]]{{.*}} to memref<2x4xf32, strided<[16, 1], offset: ?>>
func.func @caller(%p: memref<8x16xf32>, %i: index) -> f32 {
  %s = memref.subview %p[0, 4] [8, 4] [1, 1] : memref<8x16xf32> to memref<8x4xf32, strided<[16, 1], offset: 4>>
  %c = memref.cast %s : memref<8x4xf32, strided<[16, 1], offset: 4>> to memref<?x4xf32, strided<[?, ?], offset: ?>>
  %r = call @callee(%c, %i) : (memref<?x4xf32, strided<[?, ?], offset: ?>>, index) -> f32
  return %r : f32
}
func.func private @callee(%a: memref<?x4xf32, strided<[?, ?], offset: ?>>, %i: index) -> f32 {
  %s = memref.subview %a[%i, 0] [2, 4] [1, 1] : memref<?x4xf32, strided<[?, ?], offset: ?>> to memref<2x4xf32, strided<[?, ?], offset: ?>>
  %r = memref.load %s[%i, %i] : memref<2x4xf32, strided<[?, ?], offset: ?>>
  return %r : f32
}

// -----

// A result takes the type from which the function's returns cast; so does what the caller makes of it and passes on. What a
// public function takes and returns stays as it is.
// CHECK-LABEL: func.func @caller
// CHECK-SAME:    -> memref<3x5xf32, strided<[?, ?], offset: ?>>
// CHECK:         %[[R:.+]] = call @make() : () -> memref<3x5xf32>
// CHECK:         %[[V:.+]] = call @view(%[[R]]) : (memref<3x5xf32>) -> memref<3x2xf32, strided<[5, 1], offset: 1>>
// CHECK:         call @read(%[[V]]) : (memref<3x2xf32, strided<[5, 1], offset: 1>>) -> ()
// CHECK:         return %{{.+}} : memref<3x5xf32, strided<[?, ?], offset: ?>>
// CHECK:       func.func private @make() -> memref<3x5xf32>
// CHECK:       func.func private @view(%{{.+}}: memref<3x5xf32>) -> memref<3x2xf32, strided<[5, 1], offset: 1>>
// CHECK:       func.func private @read(%{{.+}}: memref<3x2xf32, strided<[5, 1], offset: 1>>)
!t = memref<3x5xf32, strided<[?, ?], offset: ?>>
!v = memref<3x2xf32, strided<[?, ?], offset: ?>>
func.func @caller() -> !t {
  %r = call @make() : () -> !t
  %v = call @view(%r) : (!t) -> !v
  call @read(%v) : (!v) -> ()
  return %r : !t
}
func.func private @make() -> !t {
  %a = memref.alloc() : memref<3x5xf32>
  %c = memref.cast %a : memref<3x5xf32> to !t
  return %c : !t
}
func.func private @view(%a: !t) -> !v {
  %s = memref.subview %a[0, 1] [3, 2] [1, 1] : !t to !v
  return %s : !v
}
func.func private @read(%a: !v) {
  "test.read"(%a) : (!v) -> ()
  return
}

// -----

// Calls that differ: a version for each combination of types, and one version for calls that agree.
// CHECK-LABEL: func.func @caller
// CHECK:         call @callee(%{{.+}}, %{{.+}}) : (memref<3xf32>, memref<4xf32>) -> ()
// CHECK:         call @callee_layout1(%{{.+}}, %{{.+}}) : (memref<4xf32>, memref<3xf32>) -> ()
// CHECK:         call @callee(%{{.+}}, %{{.+}}) : (memref<3xf32>, memref<4xf32>) -> ()
// CHECK:         call @callee_layout2(%{{.+}}, %{{.+}}) : (memref<3xf32>, memref<3xf32>) -> ()
// CHECK:       func.func private @callee(%{{.+}}: memref<3xf32>, %{{.+}}: memref<4xf32>)
// CHECK:       func.func private @callee_layout1(%{{.+}}: memref<4xf32>, %{{.+}}: memref<3xf32>)
// CHECK:       func.func private @callee_layout2(%{{.+}}: memref<3xf32>, %{{.+}}: memref<3xf32>)
// CHECK-NOT:   func.func
!t = memref<?xf32, strided<[?], offset: ?>>
func.func @caller(%a: memref<3xf32>, %b: memref<4xf32>) {
  %0 = memref.cast %a : memref<3xf32> to !t
  %1 = memref.cast %b : memref<4xf32> to !t
  call @callee(%0, %1) : (!t, !t) -> ()
  call @callee(%1, %0) : (!t, !t) -> ()
  call @callee(%0, %1) : (!t, !t) -> ()
  call @callee(%0, %0) : (!t, !t) -> ()
  return
}
func.func private @callee(%a: !t, %b: !t) {
  "test.read"(%a, %b) : (!t, !t) -> ()
  return
}

// -----

// A call that knows nothing keeps the function as it is, beside a version for those that do; a result that only one of them
// has stays with it.
// CHECK-LABEL: func.func @caller
// CHECK:         call @callee(%{{.+}}) : (memref<?xf32, strided<[?], offset: ?>>) -> memref<?xf32, strided<[?], offset: ?>>
// CHECK:         %[[R:.+]] = call @callee_layout1(%{{.+}}) : (memref<3xf32>) -> memref<3xf32>
// CHECK:         "test.read"(%[[R]]) : (memref<3xf32>) -> ()
// CHECK:       func.func private @callee(%{{.+}}: memref<?xf32, strided<[?], offset: ?>>) -> memref<?xf32, strided<[?], offset: ?>>
// CHECK:       func.func private @callee_layout1(%{{.+}}: memref<3xf32>) -> memref<3xf32>
!t = memref<?xf32, strided<[?], offset: ?>>
func.func @caller(%a: memref<3xf32>, %b: !t) {
  %0 = memref.cast %a : memref<3xf32> to !t
  %r0 = call @callee(%b) : (!t) -> !t
  %r1 = call @callee(%0) : (!t) -> !t
  %c = memref.cast %r1 : !t to memref<3xf32>
  "test.read"(%c) : (memref<3xf32>) -> ()
  return
}
func.func private @callee(%a: !t) -> !t {
  return %a : !t
}

// -----

// Callers first: the versions of one function call those of another, and none is made for types that nobody has at the end.
// CHECK-LABEL: func.func @caller
// CHECK:         call @outer(%{{.+}}) : (memref<3xf32>) -> ()
// CHECK:         call @outer_layout1(%{{.+}}) : (memref<4xf32>) -> ()
// CHECK:         call @[[INNER4:inner[_a-z0-9]*]](%{{.+}}) : (memref<4xf32>) -> ()
// CHECK:       func.func private @inner
// CHECK:       func.func private @inner
// CHECK:       func.func private @outer(%{{.+}}: memref<3xf32>)
// CHECK-NOT:     call @[[INNER4]](
// CHECK:         call @inner{{[_a-z0-9]*}}(%{{.+}}) : (memref<3xf32>) -> ()
// CHECK:       func.func private @outer_layout1(%{{.+}}: memref<4xf32>)
// CHECK:         call @[[INNER4]](%{{.+}}) : (memref<4xf32>) -> ()
// CHECK-NOT:   func.func
!t = memref<?xf32, strided<[?], offset: ?>>
func.func @caller(%a: memref<3xf32>, %b: memref<4xf32>) {
  %0 = memref.cast %a : memref<3xf32> to !t
  %1 = memref.cast %b : memref<4xf32> to !t
  call @outer(%0) : (!t) -> ()
  call @outer(%1) : (!t) -> ()
  call @inner(%1) : (!t) -> ()
  return
}
func.func private @inner(%a: !t) {
  "test.read"(%a) : (!t) -> ()
  return
}
func.func private @outer(%a: !t) {
  call @inner(%a) : (!t) -> ()
  return
}

// -----

// A function that calls itself with what it was passed.
// CHECK-LABEL: func.func @caller
// CHECK:         call @countdown(%{{.+}}, %{{.+}}) : (memref<3xf32>, i1) -> ()
// CHECK:       func.func private @countdown(%[[A:[a-z0-9]+]]: memref<3xf32>, %{{.+}}: i1)
// CHECK:         func.call @countdown(%[[A]], %{{.+}}) : (memref<3xf32>, i1) -> ()
// CHECK-NOT:   func.func
!t = memref<?xf32, strided<[?], offset: ?>>
func.func @caller(%a: memref<3xf32>, %again: i1) {
  %0 = memref.cast %a : memref<3xf32> to !t
  call @countdown(%0, %again) : (!t, i1) -> ()
  return
}
func.func private @countdown(%a: !t, %again: i1) {
  %false = arith.constant false
  scf.if %again {
    func.call @countdown(%a, %false) : (!t, i1) -> ()
  }
  return
}

// -----

// The same with two callers: two versions that call themselves.
// CHECK-LABEL: func.func @caller
// CHECK:         call @countdown_layout{{1|2}}(%{{.+}}, %{{.+}}) : (memref<3xf32>, i1) -> ()
// CHECK:         call @countdown_layout{{1|2}}(%{{.+}}, %{{.+}}) : (memref<4xf32>, i1) -> ()
// CHECK-NOT:   func.func private @countdown(
// CHECK-COUNT-2: func.func private @countdown_layout
// CHECK-NOT:   func.func
!t = memref<?xf32, strided<[?], offset: ?>>
func.func @caller(%a: memref<3xf32>, %b: memref<4xf32>, %again: i1) {
  %0 = memref.cast %a : memref<3xf32> to !t
  %1 = memref.cast %b : memref<4xf32> to !t
  call @countdown(%0, %again) : (!t, i1) -> ()
  call @countdown(%1, %again) : (!t, i1) -> ()
  return
}
func.func private @countdown(%a: !t, %again: i1) {
  %false = arith.constant false
  scf.if %again {
    func.call @countdown(%a, %false) : (!t, i1) -> ()
  }
  return
}

// -----

// Functions that call each other.
// CHECK-LABEL: func.func @caller
// CHECK:         call @even{{[_a-z0-9]*}}(%{{.+}}, %{{.+}}) : (memref<3xf32>, i1) -> ()
// CHECK-DAG:   func.func private @even{{[_a-z0-9]*}}(%{{.+}}: memref<3xf32>, %{{.+}}: i1)
// CHECK-DAG:   func.func private @odd{{[_a-z0-9]*}}(%{{.+}}: memref<3xf32>, %{{.+}}: i1)
!t = memref<?xf32, strided<[?], offset: ?>>
func.func @caller(%a: memref<3xf32>, %again: i1) {
  %0 = memref.cast %a : memref<3xf32> to !t
  call @even(%0, %again) : (!t, i1) -> ()
  return
}
func.func private @even(%a: !t, %again: i1) {
  scf.if %again {
    func.call @odd(%a, %again) : (!t, i1) -> ()
  }
  return
}
func.func private @odd(%a: !t, %again: i1) {
  %false = arith.constant false
  func.call @even(%a, %false) : (!t, i1) -> ()
  return
}

// -----

// Near misses: a cast to a type that knows more, which is a promise of the caller's; a declaration; a function that nobody
// calls; one whose argument has no rank.
// CHECK-LABEL: func.func @caller
// CHECK-COUNT-3: memref.cast
// CHECK:       func.func private @promised(%{{.+}}: memref<3xf32>)
// CHECK:       func.func private @declared(memref<?xf32>)
// CHECK:       func.func private @uncalled(%{{.+}}: memref<?xf32>)
// CHECK:       func.func private @unranked(%{{.+}}: memref<*xf32>)
func.func @caller(%a: memref<?xf32>, %b: memref<3xf32>) {
  %0 = memref.cast %a : memref<?xf32> to memref<3xf32>
  %1 = memref.cast %b : memref<3xf32> to memref<?xf32>
  %2 = memref.cast %b : memref<3xf32> to memref<*xf32>
  call @promised(%0) : (memref<3xf32>) -> ()
  call @declared(%1) : (memref<?xf32>) -> ()
  call @unranked(%2) : (memref<*xf32>) -> ()
  return
}
func.func private @promised(%a: memref<3xf32>) {
  return
}
func.func private @declared(memref<?xf32>)
func.func private @uncalled(%a: memref<?xf32>) {
  return
}
func.func private @unranked(%a: memref<*xf32>) {
  return
}

// -----

// A kernel.
// CHECK-LABEL: func.func @calls_a_kernel(
// CHECK: call @kernel(%{{.+}}) : (memref<3x5xf32, strided<[?, ?], offset: ?>>) -> ()
// CHECK: func.func private @kernel(%{{.+}}: memref<3x5xf32, strided<[?, ?], offset: ?>>) attributes {mha.kernel}
func.func @calls_a_kernel(%m: memref<3x5xf32>) {
  %c = memref.cast %m : memref<3x5xf32> to memref<3x5xf32, strided<[?, ?], offset: ?>>
  call @kernel(%c) : (memref<3x5xf32, strided<[?, ?], offset: ?>>) -> ()
  return
}
func.func private @kernel(%m: memref<3x5xf32, strided<[?, ?], offset: ?>>) attributes {mha.kernel} {
  return
}
