// Several runs of one program, which is compiled once: each line of a file holds the inputs and files of one.

// RUN: rm -rf %t && mkdir %t
// RUN: echo '# A comment, an empty line, and quotes as of a shell.' > %t/runs.txt
// RUN: echo '' >> %t/runs.txt
// RUN: echo '--input=q=1x2x3x5xf32=random:1 --input="k=1x2x4x5xf32=random:2" --output=@%t/a.npy' >> %t/runs.txt
// RUN: echo '--input=q=1x2x1x5xf32=random:1 --input=k=1x2x9x5xf32=random:2 --output=@%t/b.npy' >> %t/runs.txt
// RUN: mha-run %s --verify --runs=%t/runs.txt --input=flag=const:true | FileCheck %s
// RUN: mha-run %s --verify --runs=%t/runs.txt --input=flag=const:true --json | FileCheck %s --check-prefix=JSON

// CHECK:      @main of {{.*}}, by mha-cpu-pipeline, for runs.txt:3
// CHECK-NEXT: input q=1x2x3x5xf32=random:1
// CHECK:      result 0 (1x2x3x5xf32): verified
// CHECK:      attention: 1 found
// CHECK-EMPTY:
// CHECK-NEXT: @main of {{.*}}, by mha-cpu-pipeline, for runs.txt:4
// CHECK-NEXT: input q=1x2x1x5xf32=random:1
// CHECK:      result 0 (1x2x1x5xf32): verified
// CHECK:      attention: 1 found

// JSON:      {{^}}[
// JSON-NEXT: {
// JSON:        "run": "runs.txt:3"
// JSON:      },
// JSON-NEXT: {
// JSON:        "run": "runs.txt:4"
// JSON:      }
// JSON-NEXT: ]

// What is written is what a run alone writes.
// RUN: mha-run %s --input=q=1x2x1x5xf32=random:1 --input=k=1x2x9x5xf32=random:2 --input=flag=const:true --output=@%t/alone.npy
// RUN: cmp %t/b.npy %t/alone.npy

// A wrong result is told with its line, and the others are run all the same.
// RUN: echo '--input=q=1x2x1x5xf32=random:3 --input=k=1x2x9x5xf32=random:2 --expect=@%t/b.npy' > %t/wrong.txt
// RUN: echo '--input=q=1x2x1x5xf32=random:1 --input=k=1x2x9x5xf32=random:2 --expect=@%t/b.npy' >> %t/wrong.txt
// RUN: not mha-run %s --runs=%t/wrong.txt --input=flag=const:true 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: for wrong.txt:1
// WRONG: result 0 (1x2x1x5xf32): FAILED
// WRONG: for wrong.txt:2
// WRONG: result 0 (1x2x1x5xf32): as in b.npy, max error
// WRONG: error: wrong.txt:1: result 0 (1x2x1x5xf32) is not what was expected
// WRONG-NOT: wrong.txt:2
// WRONG: error: a result is not what was expected

// RUN: echo '--input=q=1x2x3x5xf32=random --verify' > %t/option.txt
// RUN: not mha-run %s --runs=%t/option.txt 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: option.txt:1: expected --input=, --output= or --expect=, found '--verify'
// RUN: echo '--output=@%t/x.npy' > %t/same.txt
// RUN: echo '--output=@%t/x.npy' >> %t/same.txt
// RUN: not mha-run %s --runs=%t/same.txt 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: error: same.txt:2: expected a file for each result, found '@{{.*}}x.npy' twice
// RUN: echo '--input=q=1x2x3x7xf32=random' > %t/size.txt
// RUN: not mha-run %s --runs=%t/size.txt 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error: size.txt:1: input {{.*}} for argument 'q': expected size 5 of dimension 3, found 7
// RUN: echo '# none' > %t/none.txt
// RUN: not mha-run %s --runs=%t/none.txt 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: --runs: expected a line for each run, found none in '{{.*}}none.txt'
// RUN: not mha-run %s --runs=%t/missing.txt 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: --runs: cannot read '{{.*}}missing.txt': No such file
// RUN: not mha-run %s --runs=%t/runs.txt --output=@%t/c.npy 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: error: expected one of --runs and --output, found both
// RUN: not mha-run %s --runs=%t/runs.txt --expect=@%t/a.npy 2>&1 | FileCheck %s --check-prefix=EXPECT
// EXPECT: error: expected one of --runs and --expect, found both
// RUN: not mha-run %s --runs=%t/runs.txt --compare=%s 2>&1 | FileCheck %s --check-prefix=COMPARE
// COMPARE: error: expected one of --runs and --compare, found both
// RUN: not mha-run %s --runs=%t/runs.txt --validate-each-pass 2>&1 | FileCheck %s --check-prefix=VALIDATE
// VALIDATE: error: expected one of --runs and --validate-each-pass, found both
func.func @main(%q: tensor<1x2x?x5xf32>, %k: tensor<1x2x?x5xf32>, %flag: i1) -> tensor<1x2x?x5xf32> {
  %o = mha.attention query(%q : tensor<1x2x?x5xf32>, bhsd) key(%k : tensor<1x2x?x5xf32>, bhsd) value(%k : tensor<1x2x?x5xf32>, bhsd)
      -> tensor<1x2x?x5xf32>
  return %o : tensor<1x2x?x5xf32>
}
