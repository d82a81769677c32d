// RUN: mha-opt %s --split-input-file --verify-diagnostics --mha-bufferize

// An op that nobody has told how to bufferize.
func.func @unknown(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @below {{op was not bufferized}}
  %0 = math.sin %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
