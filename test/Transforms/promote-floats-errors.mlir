// RUN: mha-opt %s --mha-promote-floats --split-input-file --verify-diagnostics --allow-unregistered-dialect

func.func @bits(%x: f32) -> i32 {
  // expected-error @below {{cannot promote 'arith.bitcast' to f64: it depends on the bits of a float}}
  %y = arith.bitcast %x : f32 to i32
  return %y : i32
}

// -----

func.func @unregistered(%x: f32) -> f32 {
  // expected-error @below {{cannot promote unregistered operation 'other.op' to f64}}
  %y = "other.op"(%x) : (f32) -> f32
  return %y : f32
}

// -----

func.func @lowered(%x: f32) -> f32 {
  // expected-error @below {{cannot promote 'llvm.fneg' to f64: the module is already lowered}}
  %y = llvm.fneg %x : f32
  return %y : f32
}

// -----

// expected-error @below {{cannot promote 'f128' to f64: it is wider or complex}}
func.func @wide_argument(%x: f128) {
  return
}

// -----

func.func @wide_result() {
  // expected-error @below {{cannot promote 'tensor<2xf80>' to f64: it is wider or complex}}
  %x = arith.constant dense<1.0> : tensor<2xf80>
  return
}

// -----

// expected-error @below {{cannot promote declared function 'sine' to f64: it has no body}}
func.func private @sine(f32) -> f32

// -----

func.func @no_data() {
  // expected-error @below {{expected the data of resource 'absent' to be a 'tensor<2xf32>', to promote it to f64}}
  %x = arith.constant dense_resource<absent> : tensor<2xf32>
  return
}

// -----

func.func @complex(%x: f32) {
  // expected-error @below {{cannot promote 'complex<f32>' to f64: it is wider or complex}}
  %y = complex.create %x, %x : complex<f32>
  return
}

// -----

// expected-error @below {{cannot promote 'f128' to f64: it is wider or complex}}
func.func @wide_attribute() attributes {note = 1.0 : f128} {
  return
}

// -----

// expected-error @below {{expected the data of resource 'absent' to be a 'tensor<2xf32>', to promote it to f64}}
func.func @no_data_inside() attributes {note = [dense_resource<absent> : tensor<2xf32>]} {
  return
}

// -----

func.func @bytes(%bytes: memref<16xi8>) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  // expected-error @below {{cannot promote 'memref.view' to f64: it depends on the bits of a float}}
  %floats = memref.view %bytes[%c0][] : memref<16xi8> to memref<4xf32>
  return %floats : memref<4xf32>
}
