// The forms of the report: text with times, one JSON object, the reference in f64.

// RUN: mha-run %s --bench=3 --threads=2 | FileCheck %s --check-prefix=BENCH
// RUN: mha-run %s --target=x86-64 --bench=4 --threads=1 --verify --json > %t.json
// RUN: %python -m json.tool %t.json | FileCheck %s --check-prefix=JSON
// RUN: not mha-run %s --json --verify --load-pass-plugin=%mha_lib/MHATestPlugin.so --pipeline=mha-test-flip-mask > %t.failed.json 2> %t.err
// RUN: %python -m json.tool %t.failed.json | FileCheck %s --check-prefix=FAILED
// RUN: FileCheck %s --check-prefix=STDERR < %t.err
// RUN: not mha-run %s --json --input=k=const:nope > %t.none.json
// RUN: count 0 < %t.none.json
// RUN: mha-run %s --reference | FileCheck %s --check-prefix=REFERENCE
// RUN: mha-run %s --json --input=k=const:inf > %t.inf.json
// RUN: %python -m json.tool %t.inf.json | FileCheck %s --check-prefix=INF
// RUN: mha-run %s -e buffers --input=i=iota --json --threads=1 | FileCheck %s --check-prefix=BUFFERS

// BENCH:      result 0
// BENCH-NEXT: result 1
// BENCH-NEXT: time: best {{[0-9.e-]+}} ms, median {{[0-9.e-]+}} ms of 3 calls, 2 threads
// BENCH-NEXT: attention: 1 found

// JSON:      "alloc_calls": {{[0-9]+}},
// JSON:      "attention": {
// JSON-NEXT:   "found": 1,
// JSON-NEXT:   "fused": 0,
// JSON-NEXT:   "kernels": [
// JSON-NEXT:     {
// JSON-NEXT:       "count": 1,
// JSON-NEXT:       "name": "fallback"
// JSON:        "not_fused": [
// JSON-NEXT:     {
// JSON-NEXT:       "hint": "",
// JSON-NEXT:       "place": "mha-run-report.mlir:[[#@LINE+43]]",
// JSON-NEXT:       "reason": "no kernel for a CPU without fused multiply-add on vectors"
// JSON:      "entry": "main",
// JSON-NEXT: "inputs": [
// JSON-NEXT:   "q=1x2x3x5xf32=random:0",
// JSON-NEXT:   "k=1x2x3x5xf32=random:0"
// JSON-NEXT: ],
// JSON-NEXT: "passed": true,
// JSON-NEXT: "path": "mha-cpu-pipeline",
// JSON-NEXT: "peak_bytes": {{[0-9]+}},
// JSON-NEXT: "program": "{{.*}}mha-run-report.mlir",
// JSON-NEXT: "results": [
// JSON-NEXT:   {
// JSON-NEXT:     "bound": {{.+}},
// JSON-NEXT:     "checks": [
// JSON:          "dtype": "f32",
// JSON-NEXT:     "error": {{.+}},
// JSON:          "passed": true,
// JSON-NEXT:     "shape": [
// JSON-NEXT:       1,
// JSON-NEXT:       2,
// JSON-NEXT:       3,
// JSON-NEXT:       5
// JSON:      "threads": 1,
// JSON-NEXT: "times_ms": [
// JSON-NEXT:   {{[0-9.e-]+}},
// JSON-NEXT:   {{[0-9.e-]+}},
// JSON-NEXT:   {{[0-9.e-]+}},
// JSON-NEXT:   {{[0-9.e-]+$}}
// JSON-NEXT: ]

// FAILED: "passed": false,
// FAILED: "first_difference": {
// FAILED: "index": [
// STDERR: error: result 0 (1x2x3x5xf32) is not what was expected: {{.*}}first difference at (b=0, h=0, i=0, n=0)
// INF:    "num_nan": {{[1-9]}}

// REFERENCE:      @main of {{.*}}mha-run-report.mlir, by mha-reference-pipeline
// REFERENCE:      input q=1x2x3x5xf32=random:0
// REFERENCE:      result 0 (1x2x3x5xf64): min
// REFERENCE-NEXT: result 1 (1x2x3xf64): min
// REFERENCE-NEXT: attention: 1 found
func.func @main(%q: tensor<1x2x3x5xf32>, %k: tensor<1x2x3x5xf32>) -> (tensor<1x2x3x5xf32>, tensor<1x2x3xf32>) {
  %o, %lse = mha.attention query(%q : tensor<1x2x3x5xf32>, bhsd) key(%k : tensor<1x2x3x5xf32>, bhsd) value(%k : tensor<1x2x3x5xf32>, bhsd)
      mask<causal> -> (tensor<1x2x3x5xf32>, lse tensor<1x2x3xf32>)
  return %o, %lse : tensor<1x2x3x5xf32>, tensor<1x2x3xf32>
}

// Memory is that of one call: a buffer for a thousand values of 4 bytes, and a little that the lowering adds. The order in
// which they are read keeps the buffer from being folded away.
// BUFFERS: "alloc_calls": {{[1-9]}},
// BUFFERS: "peak_bytes": 4{{[0-9][0-9][0-9]}},
func.func @buffers(%x: tensor<1000xf32>, %i: tensor<1000xindex>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000 : index
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<1000xf32>
  %squares = linalg.mul ins(%x, %x : tensor<1000xf32>, tensor<1000xf32>) outs(%init : tensor<1000xf32>) -> tensor<1000xf32>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 {
    %at = tensor.extract %i[%k] : tensor<1000xindex>
    %value = tensor.extract %squares[%at] : tensor<1000xf32>
    %t = arith.addf %s, %value : f32
    scf.yield %t : f32
  }
  return %sum : f32
}
