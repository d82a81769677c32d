// RUN: mha-opt %s --split-input-file --verify-diagnostics --mha-bufferize

// An op that nobody has told how to bufferize.
func.func @unknown(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @below {{op was not bufferized}}
  %0 = math.sin %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// Each result takes the memory of the other one's value.
func.func @swapped(%x: tensor<3xf32> {bufferization.writable = true, mha.donated = 1 : i64},
                   %y: tensor<3xf32> {bufferization.writable = true, mha.donated = 0 : i64}) -> (i32, tensor<3xf32>, tensor<3xf32>)
    attributes {mha.entry_type = (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)} {
  %ok = arith.constant 0 : i32
  // expected-error @below {{cannot avoid RaW conflict}}
  // expected-note @below {{a result that is still the value of that argument would be lost}}
  %0 = bufferization.materialize_in_destination %x in %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = bufferization.materialize_in_destination %y in %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %ok, %0, %1 : i32, tensor<3xf32>, tensor<3xf32>
}

// -----

// An entry point that its wrapper has not made.
// expected-error @below {{expected result 0 in the memory of argument 1, which is donated for it}}
func.func @elsewhere(%x: tensor<3xf32>, %y: tensor<3xf32> {bufferization.writable = true, mha.donated = 0 : i64}) -> (i32, tensor<3xf32>)
    attributes {mha.entry_type = (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>} {
  %ok = arith.constant 0 : i32
  return %ok, %x : i32, tensor<3xf32>
}

// -----

// Only callers outside of the module know where to look for the result.
// expected-error @below {{expected no calls inside of the module of 'called', which has donated arguments}}
func.func @called(%x: tensor<3xf32> {bufferization.writable = true, mha.donated = 0 : i64}) -> (i32, tensor<3xf32>)
    attributes {mha.entry_type = (tensor<3xf32>) -> tensor<3xf32>} {
  %ok = arith.constant 0 : i32
  return %ok, %x : i32, tensor<3xf32>
}
func.func @caller(%x: tensor<3xf32>) -> tensor<3xf32> {
  %ok, %r = call @called(%x) : (tensor<3xf32>) -> (i32, tensor<3xf32>)
  return %r : tensor<3xf32>
}
