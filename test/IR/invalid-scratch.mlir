// RUN: mha-opt %s --split-input-file --verify-diagnostics

// Elements far apart, of which the share of the workspace knows nothing.
func.func @strides() {
  // expected-error @below {{'mha.scratch' op expected a contiguous buffer in the default memory space, found 'memref<3x5xf32, strided<[1000, 1]>>'}}
  %s = mha.scratch : memref<3x5xf32, strided<[1000, 1]>>
  return
}

// -----

// No strides at all.
func.func @map() {
  // expected-error @below {{'mha.scratch' op expected a contiguous buffer in the default memory space, found 'memref<7xf32, affine_map<(d0) -> (d0 floordiv 2, d0 mod 2)>>'}}
  %s = mha.scratch : memref<7xf32, affine_map<(d0) -> (d0 floordiv 2, d0 mod 2)>>
  return
}

// -----

// Somewhere else.
func.func @space() {
  // expected-error @below {{'mha.scratch' op expected a contiguous buffer in the default memory space, found 'memref<7xf32, 3 : i32>'}}
  %s = mha.scratch : memref<7xf32, 3 : i32>
  return
}

// -----

// Elements without a size.
func.func @buffers() {
  // expected-error @below {{'mha.scratch' op expected elements that are signless integers, index, f16, bf16, f32 or f64, found 'memref<5xf32>'}}
  %s = mha.scratch : memref<7xmemref<5xf32>>
  return
}

// -----

// Elements that the LLVM dialect has no type for.
func.func @elements() {
  // expected-error @below {{'mha.scratch' op expected elements that are signless integers, index, f16, bf16, f32 or f64, found 'tf32'}}
  %s = mha.scratch : memref<7xtf32>
  return
}

// -----

// 2^31 are the most.
func.func @size() {
  %s = mha.scratch : memref<2147483648xi1>
  // expected-error @below {{'mha.scratch' op expected at most 2147483648 elements, found 'memref<3x715827883xi1>'}}
  %t = mha.scratch : memref<3x715827883xi1>
  return
}

// -----

// 2^64 elements are not 0.
func.func @overflow() {
  // expected-error @below {{'mha.scratch' op expected at most 2147483648 elements, found 'memref<4294967296x4294967296xf32>'}}
  %s = mha.scratch : memref<4294967296x4294967296xf32>
  return
}
