// Integers that say how many keys are valid, or where the queries stand: drawn from their legal range, and lengths beyond
// the keys refused wherever they come from.

// RUN: mha-run %s -e main --verify | FileCheck %s
// RUN: mha-run %s -e main --input=lengths=int:0:11 --verify | FileCheck %s
// RUN: not mha-run %s -e main --input=lengths=const:12 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: not mha-run %s -e main --input=lengths=const:-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: mha-run %s -e pass --input=x=iota --output=@%t.lengths.npy
// RUN: not mha-run %s -e main --input=lengths=@%t.lengths.npy 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not mha-run %s -e dynamic --input=q=1x2x3x5xf32=random --input=k=1x2x4x5xf32=random --input=lengths=const:5 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DYNAMIC
// RUN: mha-run %s -e dynamic --input=q=1x2x3x5xf32=random --input=k=1x2x4x5xf32=random --verify | FileCheck %s --check-prefix=CAST
// RUN: mha-run %s -e offset --verify | FileCheck %s --check-prefix=OFFSET
// RUN: mha-run %s -e offset --input=offset=const:-1000000 --verify | FileCheck %s --check-prefix=OFFSET

// CHECK:    input lengths=20xi64=
// CHECK:    result 0 (20x1x3x5xf32): verified, max error {{.+}} <= {{.+}}
// LONG:     error: argument 'lengths': expected a number of keys within 0..11, found 12 at index 0
// NEGATIVE: error: argument 'lengths': expected a number of keys within 0..11, found -1 at index 0
// FILE:     error: argument 'lengths': expected a number of keys within 0..11, found 12 at index 12
func.func @main(%q: tensor<20x1x3x5xf32>, %k: tensor<20x1x11x5xf32>, %lengths: tensor<20xi64>) -> tensor<20x1x3x5xf32> {
  %o = mha.attention query(%q : tensor<20x1x3x5xf32>, bhsd) key(%k : tensor<20x1x11x5xf32>, bhsd) value(%k : tensor<20x1x11x5xf32>, bhsd)
      lengths(%lengths : tensor<20xi64>) -> tensor<20x1x3x5xf32>
  return %o : tensor<20x1x3x5xf32>
}

func.func @pass(%x: tensor<20xi64>) -> tensor<20xi64> {
  return %x : tensor<20xi64>
}

// Through casts, and with a number of keys that only the inputs tell.
// DYNAMIC: error: argument 'lengths': expected a number of keys within 0..4, found 5 at index 0
// CAST:    result 0 (1x2x3x5xf32): verified, max error {{.+}} <= {{.+}}
func.func @dynamic(%q: tensor<?x2x?x5xf32>, %k: tensor<?x2x?x5xf32>, %lengths: tensor<1xi64>) -> tensor<?x2x?x5xf32> {
  %cast = tensor.cast %lengths : tensor<1xi64> to tensor<?xi64>
  %o = mha.attention query(%q : tensor<?x2x?x5xf32>, bhsd) key(%k : tensor<?x2x?x5xf32>, bhsd) value(%k : tensor<?x2x?x5xf32>, bhsd)
      lengths(%cast : tensor<?xi64>) -> tensor<?x2x?x5xf32>
  return %o : tensor<?x2x?x5xf32>
}

// An offset of any size is an offset.
// OFFSET: result 0 (1x2x3x5xf32): verified, max error {{.+}} <= {{.+}}
func.func @offset(%q: tensor<1x2x3x5xf32>, %k: tensor<1x2x4x5xf32>, %offset: i64) -> tensor<1x2x3x5xf32> {
  %o = mha.attention query(%q : tensor<1x2x3x5xf32>, bhsd) key(%k : tensor<1x2x4x5xf32>, bhsd) value(%k : tensor<1x2x4x5xf32>, bhsd)
      mask<causal> align(explicit) query_offset(%offset : i64) -> tensor<1x2x3x5xf32>
  return %o : tensor<1x2x3x5xf32>
}
