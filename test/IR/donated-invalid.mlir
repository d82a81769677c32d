// RUN: mha-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected 'mha.donated' of argument 0 to be the number of a result as an i64, found unit}}
func.func @unit(%x: tensor<3x5xf32> {mha.donated}) -> tensor<3x5xf32> {
  return %x : tensor<3x5xf32>
}

// -----

// expected-error @below {{expected 'mha.donated' of argument 0 to be the number of a result as an i64, found 0 : i32}}
func.func @narrow(%x: tensor<3x5xf32> {mha.donated = 0 : i32}) -> tensor<3x5xf32> {
  return %x : tensor<3x5xf32>
}

// -----

// expected-error @below {{expected 'mha.donated' of argument 1 to be the number of one of the 1 results, found 1}}
func.func @beyond(%i: index, %x: tensor<3x5xf32> {mha.donated = 1 : i64}) -> tensor<3x5xf32> {
  return %x : tensor<3x5xf32>
}

// -----

// expected-error @below {{expected 'mha.donated' of argument 0 to be the number of one of the 1 results, found -1}}
func.func @negative(%x: tensor<3x5xf32> {mha.donated = -1 : i64}) -> tensor<3x5xf32> {
  return %x : tensor<3x5xf32>
}

// -----

// expected-error @below {{expected argument 0 and result 0, which it is donated for, to be tensors of one type, found 'tensor<3x5xf32>' and 'tensor<3x?xf32>'}}
func.func @types(%x: tensor<3x5xf32> {mha.donated = 0 : i64}) -> tensor<3x?xf32> {
  %y = tensor.cast %x : tensor<3x5xf32> to tensor<3x?xf32>
  return %y : tensor<3x?xf32>
}

// -----

// expected-error @below {{expected argument 0 and result 0, which it is donated for, to be tensors of one type, found 'f32' and 'f32'}}
func.func @scalar(%x: f32 {mha.donated = 0 : i64}) -> f32 {
  return %x : f32
}

// -----

// expected-error @below {{expected one argument that is donated for result 0, found 0 and 2}}
func.func @twice(%x: tensor<3x5xf32> {mha.donated = 0 : i64}, %i: index, %y: tensor<3x5xf32> {mha.donated = 0 : i64}) -> tensor<3x5xf32> {
  return %x : tensor<3x5xf32>
}

// -----

// Buffers, after bufferization, are no reason to have two either.
// expected-error @below {{expected one argument that is donated for result 0, found 0 and 1}}
func.func @twice_in_memory(%x: memref<3xf32> {mha.donated = 0 : i64}, %y: memref<3xf32> {mha.donated = 0 : i64}) -> i32
    attributes {mha.entry_type = (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>} {
  %c0 = arith.constant 0 : i32
  return %c0 : i32
}

// -----

// expected-error @below {{expected 'mha.donated' on an argument of a function on tensors}}
func.func @result(%x: tensor<3xf32>) -> (tensor<3xf32> {mha.donated = 0 : i64}) {
  return %x : tensor<3xf32>
}

// -----

// expected-error @below {{expected 'mha.donated' on an argument of a function on tensors}}
func.func @function(%x: tensor<3xf32>) -> tensor<3xf32> attributes {mha.donated = 0 : i64} {
  return %x : tensor<3xf32>
}

// -----

func.func @op(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @below {{expected 'mha.donated' on an argument of a function on tensors}}
  %y = arith.addf %x, %x {mha.donated = 0 : i64} : tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

// Near misses: other attributes, also of results and ops; two arguments, two results; a private function.
func.func @other(%x: tensor<3x5xf32> {mha.name = "x"}) -> (tensor<3x5xf32> {mha.name = "y"}) attributes {mha.kept} {
  %y = arith.addf %x, %x {mha.kept} : tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}
func.func @both(%x: tensor<?x5xf32> {mha.donated = 1 : i64}, %y: tensor<?x5xf32> {mha.donated = 0 : i64}) -> (tensor<?x5xf32>, tensor<?x5xf32>) {
  return %y, %x : tensor<?x5xf32>, tensor<?x5xf32>
}
func.func private @declared(tensor<3xf32> {mha.donated = 0 : i64}) -> tensor<3xf32>
func.func private @bufferized(memref<3xf32> {mha.donated = 0 : i64}) -> memref<3xf32, strided<[?]>>

// -----

// An argument that the function on tensors did not have.
// expected-error @below {{expected 'mha.donated' on an argument of a function on tensors}}
func.func @out(%out: memref<3xf32> {mha.donated = 0 : i64}) -> i32 attributes {mha.entry_type = () -> tensor<3xf32>} {
  %c0 = arith.constant 0 : i32
  return %c0 : i32
}

// -----

// expected-error @below {{expected 'mha.donated' of argument 0 to be the number of one of the 1 results, found 1}}
func.func @wrapped(%x: memref<3xf32> {mha.donated = 1 : i64}) -> i32 attributes {mha.entry_type = (tensor<3xf32>) -> tensor<3xf32>} {
  %c0 = arith.constant 0 : i32
  return %c0 : i32
}
