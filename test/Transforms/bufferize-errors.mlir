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
  // expected-note @below {{results are written into their donated arguments in place, without the copy that an argument needs which a loop carries, or which is read behind the write}}
  %0 = bufferization.materialize_in_destination %x in %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = bufferization.materialize_in_destination %y in %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %ok, %0, %1 : i32, tensor<3xf32>, tensor<3xf32>
}

// -----

// A loop carries the argument.
func.func @loop(%x: tensor<3xf32> {bufferization.writable = true, mha.donated = 0 : i64}, %n: index) -> (i32, tensor<3xf32>)
    attributes {mha.entry_type = (tensor<3xf32>, index) -> tensor<3xf32>} {
  %ok = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 2.5 : f32
  // expected-error @below {{cannot avoid RaW conflict}}
  // expected-note @below {{an argument needs which a loop carries}}
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> tensor<3xf32> {
    %next = tensor.insert %v into %y[%i] : tensor<3xf32>
    scf.yield %next : tensor<3xf32>
  }
  %1 = bufferization.materialize_in_destination %0 in %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %ok, %1 : i32, tensor<3xf32>
}

// -----

// Without donated arguments upstream's words are all that there is to say.
func.func @no_donors(%x: tensor<3xf32> {bufferization.writable = true}, %y: tensor<3xf32> {bufferization.writable = true}) -> (tensor<3xf32>, tensor<3xf32>) {
  // expected-error @below {{cannot avoid RaW conflict}}
  %0 = bufferization.materialize_in_destination %x in %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = bufferization.materialize_in_destination %y in %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
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

// Likewise in the second of two returns.
// expected-error @below {{expected result 0 in the memory of argument 1, which is donated for it}}
func.func @elsewhere_at_times(%x: tensor<3xf32>, %y: tensor<3xf32> {bufferization.writable = true, mha.donated = 0 : i64}, %c: i1)
    -> (i32, tensor<3xf32>) attributes {mha.entry_type = (tensor<3xf32>, tensor<3xf32>, i1) -> tensor<3xf32>} {
  %ok = arith.constant 0 : i32
  cf.cond_br %c, ^there, ^elsewhere
^there:
  return %ok, %y : i32, tensor<3xf32>
^elsewhere:
  return %ok, %x : i32, tensor<3xf32>
}

// -----

// expected-error @below {{expected a status and the results of 1 donated arguments, found 1 results}}
func.func @status_only(%x: tensor<3xf32> {mha.donated = 0 : i64}) -> i32 attributes {mha.entry_type = (tensor<3xf32>) -> tensor<3xf32>} {
  %ok = arith.constant 0 : i32
  return %ok : i32
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
