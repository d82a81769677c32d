// DEFINE: %{run} = mha-opt %s --split-input-file --allow-unregistered-dialect '--mha-specialize-layouts=max-versions=2'
// RUN: %{run} | FileCheck %s
// RUN: %{run} -o /dev/null --remarks-filter=mha-specialize-layouts --remark-format=emitRemark 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:

// Types stay as they are, with the reason, where calls need more versions than allowed. What all calls agree on does not stay.
// REMARK: specialize-layouts-remarks.mlir:[[# @LINE + 22]]:1: remark: [Missed] too-many-layouts | Category:mha-specialize-layouts | Function=callee | Reason="the types of its arguments stay as they are: its calls need 3 versions, at most 2 are made"
// CHECK-LABEL: func.func @caller
// CHECK:       func.func private @two(%{{.+}}: memref<3xf32>)
// CHECK:       func.func private @two_layout1(%{{.+}}: memref<4xf32>)
// CHECK:       func.func private @callee(%{{.+}}: memref<?xf32, strided<[?], offset: ?>>, %{{.+}}: memref<3xf32>)
// CHECK-NOT:   func.func
// CHECK:       // -----
!t = memref<?xf32, strided<[?], offset: ?>>
func.func @caller(%a: memref<3xf32>, %b: memref<4xf32>, %c: memref<5xf32>) {
  %0 = memref.cast %a : memref<3xf32> to !t
  %1 = memref.cast %b : memref<4xf32> to !t
  %2 = memref.cast %c : memref<5xf32> to !t
  call @callee(%0, %0) : (!t, !t) -> ()
  call @callee(%1, %0) : (!t, !t) -> ()
  call @callee(%2, %0) : (!t, !t) -> ()
  call @two(%0) : (!t) -> ()
  call @two(%1) : (!t) -> ()
  return
}
func.func private @two(%a: !t) {
  return
}
func.func private @callee(%a: !t, %b: !t) {
  "test.read"(%a) : (!t) -> ()
  return
}

// -----

// Two versions are enough for a function that is called by the versions of another, which are made first.
// CHECK-LABEL: func.func @caller
// CHECK:       func.func private @inner(%{{.+}}: memref<{{3|4}}xf32>)
// CHECK:       func.func private @inner_layout1(%{{.+}}: memref<{{3|4}}xf32>)
!t = memref<?xf32, strided<[?], offset: ?>>
func.func @caller(%a: memref<3xf32>, %b: memref<4xf32>) {
  %0 = memref.cast %a : memref<3xf32> to !t
  %1 = memref.cast %b : memref<4xf32> to !t
  call @inner(%0) : (!t) -> ()
  call @inner(%1) : (!t) -> ()
  call @outer(%0) : (!t) -> ()
  call @outer(%1) : (!t) -> ()
  return
}
func.func private @inner(%a: !t) {
  return
}
func.func private @outer(%a: !t) {
  call @inner(%a) : (!t) -> ()
  return
}

// -----

// Its address is taken.
// REMARK: specialize-layouts-remarks.mlir:[[# @LINE + 8]]:1: remark: [Missed] unknown-callers | Category:mha-specialize-layouts | Function=callee | Reason="the types of its arguments stay as they are: something else than a call may refer to it"
// CHECK:       func.func private @callee(%{{.+}}: memref<?xf32>)
func.func @caller(%a: memref<3xf32>) -> ((memref<?xf32>) -> ()) {
  %0 = memref.cast %a : memref<3xf32> to memref<?xf32>
  call @callee(%0) : (memref<?xf32>) -> ()
  %f = func.constant @callee : (memref<?xf32>) -> ()
  return %f : (memref<?xf32>) -> ()
}
func.func private @callee(%a: memref<?xf32>) {
  return
}

// -----

// An op whose regions may be a table of symbols of its own.
// REMARK: specialize-layouts-remarks.mlir:[[# @LINE + 10]]:1: remark: [Missed] unknown-callers | Category:mha-specialize-layouts | Function=callee | Reason=
// CHECK:       func.func private @callee(%{{.+}}: memref<?xf32>)
func.func @caller(%a: memref<3xf32>) {
  "test.unknown"() ({
    "test.end"() : () -> ()
  }) : () -> ()
  %0 = memref.cast %a : memref<3xf32> to memref<?xf32>
  call @callee(%0) : (memref<?xf32>) -> ()
  return
}
func.func private @callee(%a: memref<?xf32>) {
  return
}
