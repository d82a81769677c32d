// Array files: written whole, read again, refused by name when they are not what the program takes.

// RUN: rm -rf %t && mkdir %t
// RUN: not mha-run %s --output=@%t/o.npy --output=@%t/lse.npy --expect=@%t/none.npy 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: mha-run %s --output=@%t/o.npy --output=@%t/lse.npy | FileCheck %s
// RUN: mha-run %s --expect=@%t/o.npy --expect=@%t/lse.npy | FileCheck %s --check-prefix=EXPECT
// RUN: mha-run %s --verify --expect=@%t/o.npy --expect=@%t/lse.npy | FileCheck %s --check-prefix=EXPECT
// RUN: not mha-run %s --input=q=random:9 --expect=@%t/o.npy --expect=@%t/lse.npy 2>&1 | FileCheck %s --check-prefix=DIFFERENT

// An output is an input of another run.
// RUN: mha-run %s -e again --input=x=@%t/o.npy --output=@%t/copy.npy
// RUN: diff %t/o.npy %t/copy.npy

// COUNT:     error: --expect: expected a file for each of the 2 results, found 1
// CHECK:     result 0 (1x2x3x5xf32)
// EXPECT:    result 0 (1x2x3x5xf32): as in o.npy, max error {{.+}} <= {{.+}}
// EXPECT:    result 1 (1x2x3xf32): as in lse.npy, max error {{.+}} <= {{.+}}
// DIFFERENT: result 0 (1x2x3x5xf32): FAILED, max error {{.+}} > {{.+}}
// DIFFERENT: error: result 0 (1x2x3x5xf32) is not what was expected: {{.*}}first difference at (b=0, h=0, i=0, n=0): expected {{.+}}, found {{.+}}
// DIFFERENT: error: a result is not what was expected
func.func @main(%q: tensor<1x2x3x5xf32>, %k: tensor<1x2x4x5xf32>) -> (tensor<1x2x3x5xf32>, tensor<1x2x3xf32>) {
  %o, %lse = mha.attention query(%q : tensor<1x2x3x5xf32>, bhsd) key(%k : tensor<1x2x4x5xf32>, bhsd) value(%k : tensor<1x2x4x5xf32>, bhsd)
      -> (tensor<1x2x3x5xf32>, lse tensor<1x2x3xf32>)
  return %o, %lse : tensor<1x2x3x5xf32>, tensor<1x2x3xf32>
}

// RUN: not mha-run %s -e again --input=@%t/missing.npy 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: {{.*}}missing.npy{{.*}}No such file
// RUN: head -c 100 %t/o.npy > %t/header.npy
// RUN: not mha-run %s -e again --input=@%t/header.npy 2>&1 | FileCheck %s --check-prefix=HEADER
// HEADER: error: {{.*}}header.npy{{.*}}expected
// RUN: head -c 140 %t/o.npy > %t/data.npy
// RUN: not mha-run %s -e again --input=@%t/data.npy 2>&1 | FileCheck %s --check-prefix=DATA
// DATA: error: {{.*}}data.npy{{.*}}expected {{.*}}120{{.*}}found
// RUN: not mha-run %s -e again --input=@%t/lse.npy 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: error: {{.*}}lse.npy: expected 1x2x3x5xf32, found 1x2x3xf32
// RUN: mha-run %s --reference --output=@%t/wide.npy --output=@%t/wide_lse.npy
// RUN: not mha-run %s -e again --input=@%t/wide.npy 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error: {{.*}}wide.npy: expected 1x2x3x5xf32, found 1x2x3x5xf64
// RUN: not mha-run %s -e again --input=@%t 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: error: {{.*}}expected a{{.*}}file
// RUN: not mha-run %s -e again --input=@%s 2>&1 | FileCheck %s --check-prefix=SUFFIX
// SUFFIX: error: {{.*}}.np
func.func @again(%x: tensor<1x2x3x5xf32>) -> tensor<1x2x3x5xf32> {
  return %x : tensor<1x2x3x5xf32>
}

// Nothing is written when anything fails, not even the results before it.
// RUN: rm -rf %t.out && mkdir %t.out
// RUN: not mha-run %s --output=@%t.out/o.npy --output=@%t.out/nowhere/lse.npy 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: error: cannot write '{{.*}}nowhere/lse.npy'
// RUN: not mha-run %s --output=@%t.out/o.npy --output=@%t.out/lse.npy --input=q=random:9 --expect=@%t/o.npy --expect=@%t/lse.npy
// RUN: not mha-run %s --output=@%t.out/o.npy --output=@%t.out/o.npy 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: error: expected a file for each result, found '{{.*}}o.npy' twice
// RUN: not mha-run %s --output=@%t.out/o.npy --output=@%t 2>&1 | FileCheck %s --check-prefix=OVER
// OVER: error: cannot write '{{.*}}': expected a file, found a directory
// RUN: not mha-run %s --output=@%t.out/o.npy 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: error: --output: expected a file for each of the 2 results, found 1
// RUN: not mha-run %s --output=%t.out/o.npy --output=@%t.out/lse.npy 2>&1 | FileCheck %s --check-prefix=AT
// AT: error: --output: expected @FILE.npy, found '{{.*}}o.npy'
// RUN: ls %t.out | count 0

// A file that was there stays as it was.
// RUN: cp %t/o.npy %t.out/o.npy
// RUN: not mha-run %s --input=q=random:9 --output=@%t.out/o.npy --output=@%t.out/nowhere/lse.npy
// RUN: diff %t/o.npy %t.out/o.npy
// RUN: ls %t.out | count 1
