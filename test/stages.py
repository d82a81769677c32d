"""Stages of a compilation for `mha-run --pipeline`, around what a test is about."""

# From functions on tensors to entry points.
TO_ENTRY_POINTS = "inline,mha-wrap-entry-points,canonicalize,cse,inline,symbol-dce,canonicalize,cse"

# From entry points on tensors to memrefs.
TO_MEMREFS = "mha-add-destinations,mha-place-results,mha-bufferize,canonicalize"

# From memrefs to the LLVM dialect, without attention and with all buffers freed.
FREED_MEMREFS_TO_LLVM = (
    "mha-outline-parallel,mha-expand-copies,func.func(convert-linalg-to-loops),convert-vector-to-scf,convert-scf-to-cf,"
    "mha-expand-dynamic-reshapes,expand-strided-metadata,lower-affine,canonicalize,cse,arith-expand,"
    "convert-vector-to-llvm,convert-math-to-llvm,convert-math-to-libm,finalize-memref-to-llvm{use-generic-functions=true},"
    "convert-func-to-llvm,convert-index-to-llvm,convert-arith-to-llvm,convert-cf-to-llvm,convert-ub-to-llvm,"
    "reconcile-unrealized-casts,mha-verify-lowered,mha-internalize-symbols"
)

# The same with attention by its definition.
MEMREFS_TO_LLVM = (
    "convert-mha-to-linalg,canonicalize,cse,buffer-deallocation-pipeline,convert-bufferization-to-memref,"
    + FREED_MEMREFS_TO_LLVM
)
