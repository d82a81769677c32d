// A key and a value cache whose memory the caller donates: new rows are written into them where they lie, attention reads
// them there, and nothing is allocated or copied but the rows. The same numbers without donation.

// RUN: split-file %s %t
// RUN: mha-opt %t/decode.mlir --mha-cpu-pipeline -o /dev/null
// RUN: mha-opt %t/decode.mlir '--pass-pipeline=builtin.module(%to_entry_points,mha-add-destinations,mha-place-results,mha-bufferize,canonicalize,cse)' \
// RUN:   | FileCheck %s --check-prefix=BUFFERS --implicit-check-not=memref.alloc
// RUN: mha-run %t/decode.mlir --input=random:3 --input=position=const:97 --verify --require=fused --json | FileCheck %s --check-prefix=JSON

// BUFFERS-LABEL: func.func @main(
// BUFFERS-SAME: %[[Q:[a-z0-9]+]]: memref<1x6x33x16xf32, strided<[?, ?, ?, ?], offset: ?>> {mha.name = "query"},
// BUFFERS-SAME: %[[KC:[a-z0-9]+]]: memref<1x3x131x16xf32, strided<[?, ?, ?, ?], offset: ?>> {mha.name = "keys"},
// BUFFERS-SAME: %[[VC:[a-z0-9]+]]: memref<1x3x131x24xf32, strided<[?, ?, ?, ?], offset: ?>> {mha.name = "values"},
// BUFFERS-SAME: %[[OUT:[a-z0-9]+]]: memref<1x6x33x24xf32, strided<[?, ?, ?, ?], offset: ?>>,
// BUFFERS-SAME: !llvm.ptr {mha.workspace}
// BUFFERS-SAME: -> i32 attributes
// BUFFERS: %[[KROWS:.+]] = memref.subview %[[KC]][0, 0, %{{.+}}, 0] [1, 3, 33, 16]
// BUFFERS: memref.copy %{{.+}}, %[[KROWS]]
// BUFFERS: %[[VROWS:.+]] = memref.subview %[[VC]][0, 0, %{{.+}}, 0] [1, 3, 33, 24]
// BUFFERS: memref.copy %{{.+}}, %[[VROWS]]
// BUFFERS-NOT: memref.copy
// BUFFERS: mha.attention query(%[[Q]] {{.*}} key(%[[KC]] {{.*}} value(%[[VC]] {{.*}} outs(%[[OUT]]
// BUFFERS-NOT: memref.copy
// BUFFERS: return %{{.+}} : i32

// JSON: "alloc_calls": 0,
// JSON: "passed": true,
// JSON-NOT: "passed": false

// A timed run calls the function often, each time with the argument as it was given.
// RUN: mha-run %t/decode.mlir --input=random:3 --input=position=const:97 --verify --bench=3 | FileCheck %s --check-prefix=VERIFIED
// RUN: mha-run %t/decode.mlir --input=random:3 --input=position=const:97 --validate-each-pass | FileCheck %s --check-prefix=VALIDATED
// RUN: mha-run %t/accumulate.mlir --verify --bench=3 | FileCheck %s --check-prefix=ACCUMULATED
// VERIFIED-COUNT-3: verified
// ACCUMULATED: verified
// VALIDATED: mha-wrap-entry-points: verified
// VALIDATED: mha-bufferize: verified
// VALIDATED-NOT: failed

// The old value of a donated argument goes to its out-parameter before the argument takes its result, whatever the order of
// the results is.
// RUN: mha-run %t/old-and-new.mlir --verify | FileCheck %s --check-prefix=OLD
// RUN: mha-run %t/new-and-old.mlir --verify | FileCheck %s --check-prefix=OLD
// OLD-COUNT-2: verified

//--- accumulate.mlir
func.func @main(%x: tensor<3x5xf32> {mha.donated = 0 : i64}, %r: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %sum = arith.addf %x, %r : tensor<3x5xf32>
  return %sum : tensor<3x5xf32>
}

//--- old-and-new.mlir
func.func @main(%x: tensor<3x5xf32> {mha.donated = 1 : i64}, %r: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  return %x, %r : tensor<3x5xf32>, tensor<3x5xf32>
}

//--- new-and-old.mlir
func.func @main(%x: tensor<3x5xf32> {mha.donated = 0 : i64}, %r: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  return %r, %x : tensor<3x5xf32>, tensor<3x5xf32>
}

//--- decode.mlir
func.func @main(%query: tensor<1x6x33x16xf32> {mha.name = "query"},
                %key: tensor<1x3x33x16xf32>, %value: tensor<1x3x33x24xf32>,
                %keys: tensor<1x3x131x16xf32> {mha.donated = 1 : i64, mha.name = "keys"},
                %values: tensor<1x3x131x24xf32> {mha.donated = 2 : i64, mha.name = "values"},
                %position: index {mha.name = "position"})
    -> (tensor<1x6x33x24xf32>, tensor<1x3x131x16xf32>, tensor<1x3x131x24xf32>) {
  %k = tensor.insert_slice %key into %keys[0, 0, %position, 0] [1, 3, 33, 16] [1, 1, 1, 1]
    : tensor<1x3x33x16xf32> into tensor<1x3x131x16xf32>
  %v = tensor.insert_slice %value into %values[0, 0, %position, 0] [1, 3, 33, 24] [1, 1, 1, 1]
    : tensor<1x3x33x24xf32> into tensor<1x3x131x24xf32>
  %o = mha.attention query(%query : tensor<1x6x33x16xf32>, bhsd)
         key(%k : tensor<1x3x131x16xf32>, bhsd) value(%v : tensor<1x3x131x24xf32>, bhsd)
         mask<causal> align(bottom_right) -> tensor<1x6x33x24xf32>
  return %o, %k, %v : tensor<1x6x33x24xf32>, tensor<1x3x131x16xf32>, tensor<1x3x131x24xf32>
}
