// What --input gives to which argument, and what it cannot give.

// RUN: mha-run %s --input=const:1 --input=%%b=const:2 --input=n=int:7:7 | FileCheck %s
// RUN: not mha-run %s 2>&1 | FileCheck %s --check-prefix=INTEGER
// RUN: not mha-run %s --input=a=const:1 --input=%%a=const:2 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not mha-run %s --input=const:1 --input=random 2>&1 | FileCheck %s --check-prefix=UNNAMED
// RUN: not mha-run %s --input=z=const:1 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not mha-run %s -e nothing --input=z=const:1 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not mha-run %s --input=a=4xf32=const:1 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not mha-run %s --input=a=3xf64=const:1 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not mha-run %s --input=a=ramdom 2>&1 | FileCheck %s --check-prefix=GRAMMAR
// RUN: not mha-run %s -e dynamic 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// RUN: not mha-run %s -e dynamic --input=1x3x99999999x99999999xf32=random 2>&1 | FileCheck %s --check-prefix=HUGE
// RUN: not mha-run %s -e dynamic --input=1x3x4x5xf32=random --input=b=1x3x4x6xf32=random 2>&1 | FileCheck %s --check-prefix=MISMATCH
// RUN: not mha-run %s -e huge_result --input=const:4000000000 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: not mha-run %s -e huge_buffer --input=const:4000000000000000 2>&1 | FileCheck %s --check-prefix=BUFFER

// The same values from the same seed, others for another argument or seed.
// RUN: mha-run %s -e three --input=random:1 --output=@%t.x.npy --output=@%t.y.npy --output=@%t.z.npy
// RUN: mha-run %s -e three --input=random:1 --output=@%t.again.npy --output=@%t.b.npy --output=@%t.c.npy
// RUN: mha-run %s -e three --input=random:2 --output=@%t.other.npy --output=@%t.b.npy --output=@%t.c.npy
// RUN: diff %t.x.npy %t.again.npy
// RUN: not diff %t.x.npy %t.y.npy
// RUN: not diff %t.x.npy %t.other.npy

// CHECK:      input a=3xf32=const:1
// CHECK-NEXT: input b=3xf32=const:2
// CHECK-NEXT: input n=i32=int:7:7
// CHECK-NEXT: result 0 (3xf32): min 3, max 3, mean 3, values 3 3 3{{$}}
// CHECK-NEXT: result 1 (i32): min 7, max 7, mean 7, values 7{{$}}
// CHECK-NEXT: attention: 0 found{{$}}
// INTEGER: error: input 'random:0' for argument 'n': expected a range for i32, found none
// TWICE:   error: expected one --input for 'a', found 'a=const:1' and '%a=const:2'
// UNNAMED: error: expected one --input without a name, found 'const:1' and 'random'
// UNKNOWN: error: --input=z=const:1: expected one of the arguments 'a', 'b', 'n', found 'z'
// SHAPE:   error: input 'a=4xf32=const:1' for argument 'a': expected size 3 of dimension 0, found 4
// TYPE:    error: {{.*}}'a'{{.*}}expected {{.*}}f32, found {{.*}}f64
// GRAMMAR: error: {{.*}}a=ramdom
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>, %n: i32) -> (tensor<3xf32>, i32) {
  %init = tensor.empty() : tensor<3xf32>
  %sum = linalg.add ins(%a, %b : tensor<3xf32>, tensor<3xf32>) outs(%init : tensor<3xf32>) -> tensor<3xf32>
  return %sum, %n : tensor<3xf32>, i32
}

// NOTHING: error: --input=z=const:1: expected a function without arguments, found 'z'
func.func @nothing() {
  return
}

// DYNAMIC:  error: {{.*}}'a': expected a size for dimension 2 of 1x3x?x?xf32, found none
// HUGE:     error: {{.*}}1x3x99999999x99999999xf32
// MISMATCH: error: 'dynamic' refused its arguments: the sizes of the arguments do not fit together (status 1; a: 1x3x4x5xf32, b: 1x3x4x6xf32)
func.func @dynamic(%a: tensor<1x3x?x?xf32>, %b: tensor<1x3x?x?xf32>) -> tensor<1x3x?x?xf32> {
  %o = mha.attention query(%a : tensor<1x3x?x?xf32>, bhsd) key(%b : tensor<1x3x?x?xf32>, bhsd) value(%b : tensor<1x3x?x?xf32>, bhsd) -> tensor<1x3x?x?xf32>
  return %o : tensor<1x3x?x?xf32>
}

// RESULT: error: cannot hold a tensor of type 4000000000x4000000000xf32
func.func @huge_result(%n: index) -> tensor<?x?xf32> {
  %empty = tensor.empty(%n, %n) : tensor<?x?xf32>
  return %empty : tensor<?x?xf32>
}

// BUFFER: error: out of memory: the program asked for a buffer of {{[0-9]+}} bytes
func.func @huge_buffer(%n: index) -> f32 {
  %zero = arith.constant 0.0 : f32
  %i = arith.constant 0 : index
  %empty = tensor.empty(%n) : tensor<?xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %shifted = tensor.insert %zero into %filled[%n] : tensor<?xf32>
  %value = tensor.extract %shifted[%i] : tensor<?xf32>
  return %value : f32
}

func.func @three(%x: tensor<3xf32>, %y: tensor<3xf32>, %z: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  return %x, %y, %z : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
