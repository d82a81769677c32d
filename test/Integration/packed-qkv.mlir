// Query, key and value are parts of one projection. They reach attention as views of it: nothing is copied or allocated for
// them, with static and dynamic lengths, in one function and through a call. In one function two buffers remain: the
// projection, and what attention gives to the next one.

// RUN: split-file %s %t
// DEFINE: %{program} = static
// DEFINE: %{to-entry-points} = %to_entry_points
// DEFINE: %{bufferize} = mha-add-destinations,canonicalize,cse,mha-place-results,mha-bufferize,canonicalize,cse,mha-specialize-layouts,canonicalize,cse
// DEFINE: %{passes} = %{to-entry-points},%{bufferize}
// DEFINE: %{check} = mha-opt %t/%{program}.mlir '--pass-pipeline=builtin.module(%{passes})' | FileCheck %s --check-prefix=%{program} --implicit-check-not=memref.copy --implicit-check-not=memref.alloc
// DEFINE: %{run} = mha-run %t/%{program}.mlir --input=random:1 --input=x=16x512xf32=random --input=wqkv=uniform:2 --verify '--pipeline=%{passes},%memrefs_to_llvm' | FileCheck %s --check-prefix=VERIFIED
// VERIFIED: result 0 {{.*}}: verified

// RUN: %{check}
// static-LABEL: func.func @main(
// static: %[[P:.+]] = memref.alloc() {{.*}} : memref<512x768xf32>
// static: linalg.matmul {{.+}} outs(%[[P]] :
// static: %[[O:.+]] = memref.alloc() {{.*}} : memref<1x512x8x64xf32>
// static: mha.attention query(%{{.+}} : memref<1x512x8x64xf32, strided<[393216, 768, 64, 1]>>, bshd)
// static-SAME: key(%{{.+}} : memref<1x512x2x64xf32, strided<[393216, 768, 64, 1], offset: 512>>, bshd)
// static-SAME: value(%{{.+}} : memref<1x512x2x64xf32, strided<[393216, 768, 64, 1], offset: 640>>, bshd)
// static-SAME: outs(%[[O]] :
// static: linalg.matmul

// REDEFINE: %{program} = dynamic
// RUN: %{check}
// RUN: %{run}
// dynamic-LABEL: func.func @main(
// dynamic: %[[P:.+]] = memref.alloc(%{{.+}}) {{.*}} : memref<?x768xf32>
// dynamic: linalg.matmul {{.+}} outs(%[[P]] :
// dynamic: %[[O:.+]] = memref.alloc(%{{.+}}) {{.*}} : memref<1x?x8x64xf32>
// dynamic: mha.attention query(%{{.+}} : memref<1x?x8x64xf32, strided<[?, 768, 64, 1]>>, bshd)
// dynamic-SAME: key(%{{.+}} : memref<1x?x2x64xf32, strided<[?, 768, 64, 1], offset: 512>>, bshd)
// dynamic-SAME: value(%{{.+}} : memref<1x?x2x64xf32, strided<[?, 768, 64, 1], offset: 640>>, bshd)
// dynamic-SAME: outs(%[[O]] :
// dynamic: linalg.matmul

// Functions that are not inlined.
// REDEFINE: %{to-entry-points} = mha-wrap-entry-points,canonicalize,cse
// REDEFINE: %{program} = call
// RUN: %{check}
// RUN: %{run}
// call: func.func private @attend(%[[Q:[a-z0-9]+]]: memref<1x16x8x64xf32, strided<[12288, 768, 64, 1]>>,
// call-SAME: %[[K:[a-z0-9]+]]: memref<1x16x2x64xf32, strided<[12288, 768, 64, 1], offset: 512>>,
// call-SAME: %[[V:[a-z0-9]+]]: memref<1x16x2x64xf32, strided<[12288, 768, 64, 1], offset: 640>>) -> memref<1x16x8x64xf32>
// call: %[[O:.+]] = memref.alloc() {{.*}} : memref<1x16x8x64xf32>
// call: mha.attention query(%[[Q]] : {{.+}} key(%[[K]] : {{.+}} value(%[[V]] : {{.+}} outs(%[[O]] :
// call: return %[[O]]
// call-LABEL: func.func @main(
// call: memref.copy %{{.+}}, %arg3
// call-LABEL: func.func private @main_body(
// call: memref.alloc() {{.*}} : memref<16x768xf32>
// call: %[[R:.+]] = call @attend
// A result of a function that is not inlined may have any strides, so what its caller reshapes is a copy.
// call: %[[C:.+]] = memref.alloc() {{.*}} : memref<1x16x8x64xf32>
// call: memref.copy %[[R]], %[[C]]
// call: memref.alloc() {{.*}} : memref<16x512xf32>

// Without an entry point, which checks sizes in no function but its own.
// REDEFINE: %{to-entry-points} = cse
// REDEFINE: %{program} = dynamic_call
// RUN: %{check}
// dynamic_call: func.func private @attend(%[[Q:[a-z0-9]+]]: memref<1x?x8x64xf32, strided<[?, 768, 64, 1]>>,
// dynamic_call-SAME: %[[K:[a-z0-9]+]]: memref<1x?x2x64xf32, strided<[?, 768, 64, 1], offset: 512>>,
// dynamic_call-SAME: %[[V:[a-z0-9]+]]: memref<1x?x2x64xf32, strided<[?, 768, 64, 1], offset: 640>>) -> memref<1x?x8x64xf32>
// dynamic_call: %[[O:.+]] = memref.alloc(%{{.+}}) {{.*}} : memref<1x?x8x64xf32>
// dynamic_call: mha.attention query(%[[Q]] : {{.+}} key(%[[K]] : {{.+}} value(%[[V]] : {{.+}} outs(%[[O]] :
// dynamic_call-LABEL: func.func @main(
// dynamic_call: memref.alloc(%{{.+}}) {{.*}} : memref<?x768xf32>
// dynamic_call: %[[R:.+]] = call @attend
// dynamic_call: %[[C:.+]] = memref.alloc(%{{.+}}) {{.*}} : memref<1x?x8x64xf32>
// dynamic_call: memref.copy %[[R]], %[[C]]
// dynamic_call: memref.alloc(%{{.+}}) {{.*}} : memref<?x512xf32>

//--- static.mlir
func.func @main(%x: tensor<512x512xf32>, %wqkv: tensor<512x768xf32>, %wo: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<512x768xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<512x768xf32>) -> tensor<512x768xf32>
  %p = linalg.matmul ins(%x, %wqkv : tensor<512x512xf32>, tensor<512x768xf32>) outs(%f0 : tensor<512x768xf32>)
    -> tensor<512x768xf32>
  %q2 = tensor.extract_slice %p[0, 0] [512, 512] [1, 1] : tensor<512x768xf32> to tensor<512x512xf32>
  %q = tensor.expand_shape %q2 [[0, 1], [2, 3]] output_shape [1, 512, 8, 64] : tensor<512x512xf32> into tensor<1x512x8x64xf32>
  %k2 = tensor.extract_slice %p[0, 512] [512, 128] [1, 1] : tensor<512x768xf32> to tensor<512x128xf32>
  %k = tensor.expand_shape %k2 [[0, 1], [2, 3]] output_shape [1, 512, 2, 64] : tensor<512x128xf32> into tensor<1x512x2x64xf32>
  %v2 = tensor.extract_slice %p[0, 640] [512, 128] [1, 1] : tensor<512x768xf32> to tensor<512x128xf32>
  %v = tensor.expand_shape %v2 [[0, 1], [2, 3]] output_shape [1, 512, 2, 64] : tensor<512x128xf32> into tensor<1x512x2x64xf32>
  %o = mha.attention query(%q : tensor<1x512x8x64xf32>, bshd) key(%k : tensor<1x512x2x64xf32>, bshd)
    value(%v : tensor<1x512x2x64xf32>, bshd) mask<causal> align(top_left) -> tensor<1x512x8x64xf32>
  %o2 = tensor.collapse_shape %o [[0, 1], [2, 3]] : tensor<1x512x8x64xf32> into tensor<512x512xf32>
  %e1 = tensor.empty() : tensor<512x512xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<512x512xf32>) -> tensor<512x512xf32>
  %r = linalg.matmul ins(%o2, %wo : tensor<512x512xf32>, tensor<512x512xf32>) outs(%f1 : tensor<512x512xf32>)
    -> tensor<512x512xf32>
  return %r : tensor<512x512xf32>
}

//--- dynamic.mlir
func.func @main(%x: tensor<?x512xf32>, %wqkv: tensor<512x768xf32>, %wo: tensor<512x512xf32>) -> tensor<?x512xf32> {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %x, %c0 : tensor<?x512xf32>
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty(%s) : tensor<?x768xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x768xf32>) -> tensor<?x768xf32>
  %p = linalg.matmul ins(%x, %wqkv : tensor<?x512xf32>, tensor<512x768xf32>) outs(%f0 : tensor<?x768xf32>)
    -> tensor<?x768xf32>
  %q2 = tensor.extract_slice %p[0, 0] [%s, 512] [1, 1] : tensor<?x768xf32> to tensor<?x512xf32>
  %q = tensor.expand_shape %q2 [[0, 1], [2, 3]] output_shape [1, %s, 8, 64] : tensor<?x512xf32> into tensor<1x?x8x64xf32>
  %k2 = tensor.extract_slice %p[0, 512] [%s, 128] [1, 1] : tensor<?x768xf32> to tensor<?x128xf32>
  %k = tensor.expand_shape %k2 [[0, 1], [2, 3]] output_shape [1, %s, 2, 64] : tensor<?x128xf32> into tensor<1x?x2x64xf32>
  %v2 = tensor.extract_slice %p[0, 640] [%s, 128] [1, 1] : tensor<?x768xf32> to tensor<?x128xf32>
  %v = tensor.expand_shape %v2 [[0, 1], [2, 3]] output_shape [1, %s, 2, 64] : tensor<?x128xf32> into tensor<1x?x2x64xf32>
  %o = mha.attention query(%q : tensor<1x?x8x64xf32>, bshd) key(%k : tensor<1x?x2x64xf32>, bshd)
    value(%v : tensor<1x?x2x64xf32>, bshd) mask<causal> align(top_left) -> tensor<1x?x8x64xf32>
  %o2 = tensor.collapse_shape %o [[0, 1], [2, 3]] : tensor<1x?x8x64xf32> into tensor<?x512xf32>
  %e1 = tensor.empty(%s) : tensor<?x512xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x512xf32>) -> tensor<?x512xf32>
  %r = linalg.matmul ins(%o2, %wo : tensor<?x512xf32>, tensor<512x512xf32>) outs(%f1 : tensor<?x512xf32>)
    -> tensor<?x512xf32>
  return %r : tensor<?x512xf32>
}

//--- call.mlir
func.func private @attend(%q: tensor<1x16x8x64xf32>, %k: tensor<1x16x2x64xf32>, %v: tensor<1x16x2x64xf32>) -> tensor<1x16x8x64xf32> {
  %o = mha.attention query(%q : tensor<1x16x8x64xf32>, bshd) key(%k : tensor<1x16x2x64xf32>, bshd)
    value(%v : tensor<1x16x2x64xf32>, bshd) mask<causal> align(top_left) -> tensor<1x16x8x64xf32>
  return %o : tensor<1x16x8x64xf32>
}

func.func @main(%x: tensor<16x512xf32>, %wqkv: tensor<512x768xf32>, %wo: tensor<512x512xf32>) -> tensor<16x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<16x768xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<16x768xf32>) -> tensor<16x768xf32>
  %p = linalg.matmul ins(%x, %wqkv : tensor<16x512xf32>, tensor<512x768xf32>) outs(%f0 : tensor<16x768xf32>)
    -> tensor<16x768xf32>
  %q2 = tensor.extract_slice %p[0, 0] [16, 512] [1, 1] : tensor<16x768xf32> to tensor<16x512xf32>
  %q = tensor.expand_shape %q2 [[0, 1], [2, 3]] output_shape [1, 16, 8, 64] : tensor<16x512xf32> into tensor<1x16x8x64xf32>
  %k2 = tensor.extract_slice %p[0, 512] [16, 128] [1, 1] : tensor<16x768xf32> to tensor<16x128xf32>
  %k = tensor.expand_shape %k2 [[0, 1], [2, 3]] output_shape [1, 16, 2, 64] : tensor<16x128xf32> into tensor<1x16x2x64xf32>
  %v2 = tensor.extract_slice %p[0, 640] [16, 128] [1, 1] : tensor<16x768xf32> to tensor<16x128xf32>
  %v = tensor.expand_shape %v2 [[0, 1], [2, 3]] output_shape [1, 16, 2, 64] : tensor<16x128xf32> into tensor<1x16x2x64xf32>
  %o = call @attend(%q, %k, %v) : (tensor<1x16x8x64xf32>, tensor<1x16x2x64xf32>, tensor<1x16x2x64xf32>) -> tensor<1x16x8x64xf32>
  %o2 = tensor.collapse_shape %o [[0, 1], [2, 3]] : tensor<1x16x8x64xf32> into tensor<16x512xf32>
  %e1 = tensor.empty() : tensor<16x512xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<16x512xf32>) -> tensor<16x512xf32>
  %r = linalg.matmul ins(%o2, %wo : tensor<16x512xf32>, tensor<512x512xf32>) outs(%f1 : tensor<16x512xf32>)
    -> tensor<16x512xf32>
  return %r : tensor<16x512xf32>
}

//--- dynamic_call.mlir
func.func private @attend(%q: tensor<1x?x8x64xf32>, %k: tensor<1x?x2x64xf32>, %v: tensor<1x?x2x64xf32>) -> tensor<1x?x8x64xf32> {
  %o = mha.attention query(%q : tensor<1x?x8x64xf32>, bshd) key(%k : tensor<1x?x2x64xf32>, bshd)
    value(%v : tensor<1x?x2x64xf32>, bshd) mask<causal> align(top_left) -> tensor<1x?x8x64xf32>
  return %o : tensor<1x?x8x64xf32>
}

func.func @main(%x: tensor<?x512xf32>, %wqkv: tensor<512x768xf32>, %wo: tensor<512x512xf32>) -> tensor<?x512xf32> {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %x, %c0 : tensor<?x512xf32>
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty(%s) : tensor<?x768xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x768xf32>) -> tensor<?x768xf32>
  %p = linalg.matmul ins(%x, %wqkv : tensor<?x512xf32>, tensor<512x768xf32>) outs(%f0 : tensor<?x768xf32>)
    -> tensor<?x768xf32>
  %q2 = tensor.extract_slice %p[0, 0] [%s, 512] [1, 1] : tensor<?x768xf32> to tensor<?x512xf32>
  %q = tensor.expand_shape %q2 [[0, 1], [2, 3]] output_shape [1, %s, 8, 64] : tensor<?x512xf32> into tensor<1x?x8x64xf32>
  %k2 = tensor.extract_slice %p[0, 512] [%s, 128] [1, 1] : tensor<?x768xf32> to tensor<?x128xf32>
  %k = tensor.expand_shape %k2 [[0, 1], [2, 3]] output_shape [1, %s, 2, 64] : tensor<?x128xf32> into tensor<1x?x2x64xf32>
  %v2 = tensor.extract_slice %p[0, 640] [%s, 128] [1, 1] : tensor<?x768xf32> to tensor<?x128xf32>
  %v = tensor.expand_shape %v2 [[0, 1], [2, 3]] output_shape [1, %s, 2, 64] : tensor<?x128xf32> into tensor<1x?x2x64xf32>
  %o = call @attend(%q, %k, %v) : (tensor<1x?x8x64xf32>, tensor<1x?x2x64xf32>, tensor<1x?x2x64xf32>) -> tensor<1x?x8x64xf32>
  %o2 = tensor.collapse_shape %o [[0, 1], [2, 3]] : tensor<1x?x8x64xf32> into tensor<?x512xf32>
  %e1 = tensor.empty(%s) : tensor<?x512xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x512xf32>) -> tensor<?x512xf32>
  %r = linalg.matmul ins(%o2, %wo : tensor<?x512xf32>, tensor<512x512xf32>) outs(%f1 : tensor<?x512xf32>)
    -> tensor<?x512xf32>
  return %r : tensor<?x512xf32>
}
