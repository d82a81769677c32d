// The CPU that code is made for: any whose code this machine can run, and no other.

// RUN: mha-run %s --target=x86-64 --verify --json | FileCheck %s --check-prefix=LEVEL
// RUN: mha-run %s --target=native --verify | FileCheck %s
// RUN: mha-run %s --target=x86-64 --pipeline=canonicalize --verify | FileCheck %s
// RUN: mha-run %s -e crc --target=x86-64-v2 --input=const:7 | FileCheck %s --check-prefix=CRC
// RUN: not mha-run %s -e crc --target=x86-64 --input=const:7 2>&1 | FileCheck %s --check-prefix=NO-CRC
// RUN: not mha-run %s --target=pentium9 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not mha-run %s --target=bdver4 2>&1 | FileCheck %s --check-prefix=LACKING
// RUN: not mha-run %s --target=i386 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: mha-opt %s --mha-cpu-pipeline=cpu=znver4 -o /dev/null

// CHECK:   result 0 (3xf32): verified
// LEVEL:   "passed": true,
// LEVEL:   "target": "x86-64",
// UNKNOWN: error: --target: expected 'native' or an x86_64 CPU that LLVM knows, such as 'x86-64-v3', found 'pentium9'
// UNKNOWN-NOT: result
// LACKING: error: --target=bdver4: expected a CPU whose instructions this machine ({{.+}}) has, found one that needs {{.*}}xop
// LACKING-NOT: result
// BITS:    error: --target: expected 'native' or an x86_64 CPU that LLVM knows, such as 'x86-64-v3', found 'i386'
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %init = tensor.empty() : tensor<3xf32>
  %y = linalg.mul ins(%x, %x : tensor<3xf32>, tensor<3xf32>) outs(%init : tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// Code is for that CPU and not for this machine: an instruction that came with x86-64-v2.
// CRC:    result 0 (i32)
// NO-CRC: error: LLVM cannot go on: {{.*}}llvm.x86.sse42.crc32.32.8
func.func private @llvm.x86.sse42.crc32.32.8(i32, i8) -> i32
func.func @crc(%x: i32, %y: i8) -> i32 {
  %z = call @llvm.x86.sse42.crc32.32.8(%x, %y) : (i32, i8) -> i32
  return %z : i32
}
