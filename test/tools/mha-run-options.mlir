// Options that do not go together, or do not exist.

// RUN: not mha-run 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not mha-run %s %s 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not mha-run %s --verfy 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not mha-run %s --reference --verify 2>&1 | FileCheck %s --check-prefix=REFERENCE-VERIFY
// RUN: not mha-run %s --reference --compare=%s 2>&1 | FileCheck %s --check-prefix=REFERENCE-COMPARE
// RUN: not mha-run %s --reference --pipeline=cse 2>&1 | FileCheck %s --check-prefix=REFERENCE-PIPELINE
// RUN: not mha-run %s --reference --require=fused 2>&1 | FileCheck %s --check-prefix=REFERENCE-REQUIRE
// RUN: not mha-run %s --require=speed 2>&1 | FileCheck %s --check-prefix=REQUIRE
// RUN: not mha-run %s --validate-each-pass --reference 2>&1 | FileCheck %s --check-prefix=EACH -DOTHER=reference
// RUN: not mha-run %s --validate-each-pass --compare=%s 2>&1 | FileCheck %s --check-prefix=EACH -DOTHER=compare
// RUN: not mha-run %s --validate-each-pass --expect=@y.npy 2>&1 | FileCheck %s --check-prefix=EACH -DOTHER=expect
// RUN: not mha-run %s --validate-each-pass --output=@y.npy 2>&1 | FileCheck %s --check-prefix=EACH -DOTHER=output
// RUN: not mha-run %s --validate-each-pass --bench=2 2>&1 | FileCheck %s --check-prefix=EACH -DOTHER=bench
// RUN: not mha-run %s --verify --compare=%s 2>&1 | FileCheck %s --check-prefix=VERIFY-COMPARE
// RUN: not mha-run %s --threads=0 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not mha-run %s --threads=two 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not mha-run %s --bench=-3 2>&1 | FileCheck %s --check-prefix=BENCH
// RUN: mha-run --help | FileCheck %s --check-prefix=HELP

// NOTHING:            mha-run: Not enough positional command line arguments specified
// TWO:                mha-run: Too many positional arguments specified
// UNKNOWN:            mha-run: Unknown command line argument '--verfy'
// UNKNOWN:            mha-run: Did you mean '--verify'?
// REFERENCE-VERIFY:   error: expected one of --reference and --verify, found both
// REFERENCE-COMPARE:  error: expected one of --reference and --compare, found both
// REFERENCE-PIPELINE: error: expected one of --reference and --pipeline, found both
// REFERENCE-REQUIRE:  error: expected one of --reference and --require=fused, found both
// REQUIRE:            mha-run: {{.*}}Cannot find option named 'speed'
// EACH:               error: expected one of --validate-each-pass and --[[OTHER]], found both
// VERIFY-COMPARE:     error: expected one of --verify and --compare, found both
// THREADS:            error: --threads: expected a number within 1..65536, found 0
// WORD:               mha-run: {{.*}}'two' value invalid for
// BENCH:              error: --bench: expected a number within 0..{{[0-9]+}}, found -3
// HELP:               --bench=<n>
// HELP:               --input=<spec>
// HELP:               --verify
func.func @main(%x: f32) -> f32 {
  return %x : f32
}
