//===- Passes.td - Transformations of modules -------------*- tablegen -*--===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_TRANSFORMS_PASSES_TD
#define MHA_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def AllocateScratchPass : Pass<"mha-allocate-scratch"> {
  let summary = "Takes scratch memory from the heap in place of a workspace";
  let description = [{
    For those who lower `scf.forall` in their own way and have no workspace: each
    `mha.scratch` becomes an allocation that is freed at the end of its block,
    and each `mha.scratch_size` 0, since nothing is left for a workspace to
    hold. After the deallocation pipeline. Exact.

    ```mlir
    scf.forall (%i) in (%n) {
      %s = mha.scratch : memref<64x16xf32>
      BODY
    } {mapping = [#mha.item<0>]}
    ```

    becomes

    ```mlir
    scf.forall (%i) in (%n) {
      %s = memref.alloc() : memref<64x16xf32>
      BODY
      memref.dealloc %s : memref<64x16xf32>
    } {mapping = [#mha.item<0>]}
    ```
  }];
  let statistics = [
    Statistic<"numAllocated", "num-allocated", "Scratch buffers allocated">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"
  ];
}

def AssignSchedulePass : Pass<"mha-assign-schedule"> {
  let summary = "Plans how attention is computed";
  let description = [{
    Gives each attention that a kernel computes a `schedule` for the CPU of the
    option; one that has a schedule keeps it. What no kernel computes stays
    without, and is named with the reason by a missed remark and by its
    attribute `mha.no_schedule`: elements other
    than f32 (a mask, slopes and sinks may be of any type), relative tables, soft
    caps, head sizes that are not static and from 1 to 1024, layouts in which
    d is not innermost, scales outside 2^-20 to 2^20, and attention inside of a
    parallel loop. Exact: a schedule never
    changes what is computed.

    The plan is a table. Lanes are those of a vector register of f32. Of G query
    heads, the largest divisor of G up to 4 (2 with 16 registers) shares an item,
    with one vector of queries each. Alone, a head takes as many vectors of
    queries as there are, up to 2 under a structured mask and up to 4 (2) without;
    where Sq is dynamic a guard takes one vector for up to one vector of queries. The
    register tile follows from the vectors of an item: 4x4 or 8x2 accumulators of
    32 registers, 6x2 of 16, 8x1 for one vector; blocks are of 128, 96 or 64 keys.

    ```mlir
    %o = mha.attention query(%q : tensor<1x2x512x64xf32>, bhsd) ... mask<causal>
    ```

    becomes, for x86-64-v4,

    ```mlir
    %o = mha.attention query(%q : tensor<1x2x512x64xf32>, bhsd) ... mask<causal>
      schedule(#mha.cpu_schedule<block_q = 32, block_g = 1, block_k = 128,
               lanes = 16, qk_rows = 8, pv_rows = 8, vectors = 2, unroll = 4,
               prefetch = true>)
    ```
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", /*default=*/"\"x86-64-v3\"",
           "The CPU to plan for, by its name in LLVM">
  ];
  let statistics = [
    Statistic<"numPlanned", "num-planned", "Attention ops given a schedule">
  ];
}

def AddDestinationsPass : Pass<"mha-add-destinations"> {
  let summary = "Gives attention empty tensors to compute its results in";
  let description = [{
    Adds to each `mha.attention` on tensors the destinations that it lacks, of
    its output and of its log-sum-exp: a `tensor.empty` of the result's type
    and of the sizes of its operands. `mha-place-results` then has something to
    replace by an out-parameter, and bufferization something to allocate where
    it likes. Destinations that are there stay. Exact.

    ```mlir
    %o, %lse = mha.attention query(%q : tensor<2x6x?x5xf32>, bhsd) ...
                 -> (tensor<2x6x?x4xf32>, lse tensor<2x6x?xf32>)
    ```

    becomes

    ```mlir
    %n = tensor.dim %q, %c2 : tensor<2x6x?x5xf32>
    %e0 = tensor.empty(%n) : tensor<2x6x?x4xf32>
    %e1 = tensor.empty(%n) : tensor<2x6x?xf32>
    %o, %lse = mha.attention query(%q : tensor<2x6x?x5xf32>, bhsd) ...
                 outs(%e0 : tensor<2x6x?x4xf32>, lse %e1 : tensor<2x6x?xf32>)
                 -> (tensor<2x6x?x4xf32>, lse tensor<2x6x?xf32>)
    ```
  }];
  let statistics = [
    Statistic<"numChanged", "num-changed", "Attentions given destinations">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"
  ];
}

def BufferizePass : Pass<"mha-bufferize", "::mlir::ModuleOp"> {
  let summary = "Replaces tensors by memrefs, function boundaries included";
  let description = [{
    Upstream's one-shot bufferization of the whole module with the conventions
    of this project:

      * what a caller outside of the module passes is not written: tensor
        arguments of public functions are read-only, unless they carry
        `bufferization.writable`;
      * the results of a wrapped entry point that lie in its donated arguments
        are no results any more;
      * arguments and results of functions have fully dynamic strides and
        offsets, so that no call copies because of a layout.
        `mha-specialize-layouts` makes those of private functions exact;
      * loops may carry buffers that are allocated in them.

    Attributes that only bufferization reads are removed. Exact.

    ```mlir
    func.func @f(%x: tensor<3x5xf32>, %v: f32, %i: index) -> tensor<3x5xf32> {
      %0 = tensor.insert %v into %x[%i, %i] : tensor<3x5xf32>
      return %0 : tensor<3x5xf32>
    }
    ```

    becomes

    ```mlir
    func.func @f(%x: memref<3x5xf32, strided<[?, ?], offset: ?>>, %v: f32,
                 %i: index) -> memref<3x5xf32, strided<[?, ?], offset: ?>> {
      %0 = memref.alloc() : memref<3x5xf32>
      memref.copy %x, %0
      memref.store %v, %0[%i, %i]
      %1 = memref.cast %0
      return %1 : memref<3x5xf32, strided<[?, ?], offset: ?>>
    }
    ```
  }];
  let statistics = [
    Statistic<"numAllocated", "num-allocated", "Buffers allocated">,
    Statistic<"numOutOfPlace", "num-out-of-place",
              "Operands that are written in a buffer of their own">
  ];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def ConvertToOnlinePass : Pass<"mha-convert-to-online"> {
  let summary = "Replaces attention by its open form";
  let description = [{
    Each `mha.attention` becomes the state before any key, an
    `mha.online_attention` that takes all keys into it, and the `mha.finalize`
    that makes the output of it, with the sink if there is one. `mha-split-keys`
    and `mha-tile-keys` then cut the keys. On tensors and on memrefs, where the
    state is allocated. Each op that it converts is named by a missed remark.
    Exact.

    ```mlir
    %o = mha.attention query(%q : tensor<1x8x16x64xf32>, bhsd) ...
           -> tensor<1x8x16x64xf32>
    ```

    becomes

    ```mlir
    %a0 = linalg.fill ins(%zero : f32) ... -> tensor<1x8x16x64xf32>
    %m0 = linalg.fill ins(%lowest : f32) ... -> tensor<1x8x16xf32>
    %s0 = linalg.fill ins(%zero : f32) ... -> tensor<1x8x16xf32>
    %a, %m, %s = mha.online_attention query(%q : ...) ... state(%a0, %m0, %s0 ...)
    %o = mha.finalize state(%a, %m, %s : ...) outs(%empty : ..., bhsd)
    ```
  }];
  let options = [
    Option<"unscheduledOnly", "unscheduled-only", "bool", /*default=*/"false",
           "Leave attention with a schedule to the passes that follow it">,
    Option<"keepF64", "keep-f64", "bool", /*default=*/"false",
           "Leave attention in f64 in its closed form">
  ];
  let statistics = [
    Statistic<"numConverted", "num-converted", "Attention ops converted">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"
  ];
}

def DecomposeLayerPass : Pass<"mha-decompose-layer"> {
  let summary = "Replaces layers by projections and attention";
  let description = [{
    Each `mha.layer` becomes the projections of its inputs, an `mha.attention` over
    heads in place, and the projection of its output. This is the definition of
    the layer. Self attention with a packed weight takes one `mha.qkv_projection`;
    parts of a packed weight that map other inputs are slices of it. A key and value of
    zeros (`zero_attn`) is a sink. An extra key is a state of one key: attention
    is in its open form then, which has no kernel, and a missed remark says so. A key
    padding is a dense mask, written out together with another one where there are
    both. Exact.

    ```mlir
    %y = mha.layer heads(8) kv_heads(2) query(%x : tensor<2x7x64xf32>)
           w_qkv(%w : tensor<96x64xf32>, oe) w_o(%wo : tensor<64x64xf32>, oe)
           mask<causal> -> tensor<2x7x64xf32>
    ```

    becomes

    ```mlir
    %q, %k, %v = mha.qkv_projection input(%x : ...) weight(%w : ..., oe) ...
    %q4 = tensor.expand_shape %q [[0], [1], [2, 3]] ...   // 2 x 7 x 8 x 8
    %k4 = tensor.expand_shape %k [[0], [1], [2, 3]] ...   // 2 x 7 x 2 x 8
    %v4 = tensor.expand_shape %v [[0], [1], [2, 3]] ...
    %o4 = mha.attention query(%q4 : ..., bshd) key(%k4 : ..., bshd)
            value(%v4 : ..., bshd) mask<causal> -> ...
    %o = tensor.collapse_shape %o4 [[0], [1], [2, 3]] ...
    %y = mha.projection input(%o : ...) weight(%wo : ..., oe) ...
    ```

    Source: Vaswani et al. 2017, section 3.2.2.
  }];
  let statistics = [
    Statistic<"numDecomposed", "num-decomposed", "Layers decomposed">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::mha::MHADialect", "::mlir::tensor::TensorDialect"
  ];
}

def DecomposeSoftmaxPass : Pass<"mha-decompose-softmax"> {
  let summary = "Writes linalg.softmax as the ops that it is made of";
  let description = [{
    Replaces each `linalg.softmax` on tensors of floats by upstream's own decomposition:
    row maximum, exponentials of differences, row sum, division. Upstream
    lowers the op itself to nothing. Exact; a row of -inf stays NaN, as the op
    means it.

    ```mlir
    %p = linalg.softmax dimension(1) ins(%s : tensor<3x5xf32>)
           outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
    ```

    becomes

    ```mlir
    %max = linalg.generic ... ins(%s) outs(%seed)     // arith.maxnumf
    %exp = linalg.generic ... ins(%s, %max)           // math.exp
    %sum = linalg.generic ... ins(%exp) outs(%zero)   // arith.addf
    %p = linalg.generic ... ins(%exp, %sum)           // arith.divf
    ```
  }];
  let statistics = [
    Statistic<"numDecomposed", "num-decomposed", "Softmax ops decomposed">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

def ExpandDynamicReshapesPass : Pass<"mha-expand-dynamic-reshapes"> {
  let summary = "Writes memref.expand_shape with several dynamic sizes as casts";
  let description = [{
    Replaces each `memref.expand_shape` that makes more than one dynamic size of
    one dimension by strides computed from its sizes. Upstream's
    `expand-strided-metadata` crashes on these. Exact.

    ```mlir
    %e = memref.expand_shape %m [[0, 1]] output_shape [%x, %y]
           : memref<?xf32> into memref<?x?xf32>
    ```

    becomes

    ```mlir
    %base, %offset, %size, %stride = memref.extract_strided_metadata %m
    %outer = arith.muli %stride, %y
    %e = memref.reinterpret_cast %base to offset: [%offset],
           sizes: [%x, %y], strides: [%outer, %stride]
    ```
  }];
  let statistics = [
    Statistic<"numExpanded", "num-expanded", "Reshapes written as casts">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"
  ];
}

def VerifyLoweredPass : Pass<"mha-verify-lowered", "::mlir::ModuleOp"> {
  let summary = "Refuses what no pass has lowered to the LLVM dialect";
  let description = [{
    The last pass of a pipeline: any op that is neither of the LLVM dialect nor
    a module is an error that names it. Changes nothing.

    ```mlir
    %c = complex.create %re, %im : complex<f32>
    // error: expected every op to be lowered to the LLVM dialect, found
    // 'complex.create'
    ```
  }];
}

def InternalizeSymbolsPass
    : Pass<"mha-internalize-symbols", "::mlir::ModuleOp"> {
  let summary = "Hides all functions but the C interfaces from the linker";
  let description = [{
    Gives internal linkage to each LLVM function with a body whose name does not
    begin with `_mlir_ciface_`, so that two compiled objects, or one and a
    program with a `main`, can be linked together. A module without C
    interfaces is left alone. Exact.

    ```mlir
    llvm.func @f(...)
    llvm.func @_mlir_ciface_f(...)
    ```

    becomes

    ```mlir
    llvm.func internal @f(...)
    llvm.func @_mlir_ciface_f(...)
    ```
  }];
  let statistics = [
    Statistic<"numInternalized", "num-internalized", "Functions hidden">
  ];
}

def ExpandCopiesPass : Pass<"mha-expand-copies"> {
  let summary = "Writes copies between strided buffers as loops";
  let description = [{
    Replaces each `memref.copy` that upstream would lower to a call of a
    runtime function, because one side is not contiguous, by a
    `linalg.generic`. Contiguous copies stay: they become `memcpy`. Exact.

    ```mlir
    memref.copy %a, %b : memref<3x5xf32> to memref<3x5xf32, strided<[8, 1]>>
    ```

    becomes

    ```mlir
    linalg.generic {...} ins(%a : memref<3x5xf32>)
        outs(%b : memref<3x5xf32, strided<[8, 1]>>) { ... linalg.yield %in }
    ```
  }];
  let statistics = [
    Statistic<"numExpanded", "num-expanded", "Copies written as loops">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def ExpandFloatConversionsPass : Pass<"mha-expand-float-conversions"> {
  let summary = "Writes conversions of f16 and bf16 as arithmetic on bits";
  let description = [{
    Replaces each `arith.extf` from, and `arith.truncf` to, f16 and bf16 by
    integer arithmetic, of scalars and vectors: LLVM would call functions that
    not every system has (`__truncsfbf2`), or take x86's instruction for bf16,
    which drops subnormal numbers. Those between f16 and f32 stay where the CPU of
    the option has instructions for them. From f64 the number is
    rounded once: to f32 with the last bit set where that is inexact, then on.
    Tensors, other wide types, and a rounding mode other than to nearest even
    stay. Exact; a NaN that is narrowed becomes quiet.

    ```mlir
    %b = arith.extf %a : bf16 to f32
    ```

    becomes

    ```mlir
    %0 = arith.bitcast %a : bf16 to i16
    %1 = arith.extui %0 : i16 to i32
    %2 = arith.shli %1, %c16 : i32
    %b = arith.bitcast %2 : i32 to f32
    ```
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", /*default=*/"""",
           "A CPU as LLVM calls it; empty for one without instructions for f16 "
           "and bf16">
  ];
  let statistics = [
    Statistic<"numExpanded", "num-expanded", "Conversions replaced">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def OutlineKernelsPass : Pass<"mha-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Makes each distinct attention a function";
  let description = [{
    Each attention on memrefs that has a schedule becomes a call of a kernel: a
    private function with the attribute `mha.kernel` and internal linkage, one
    for all ops with equal attributes, shapes and row strides, named after them.
    Offsets, and strides along batch and heads, are no part of a kernel. Modules
    inside of the module have kernels of their own. Exact.

    What only run time knows is decided at the call:

      * of a list of schedules, the first whose guard holds has its kernel
        called;
      * rows whose stride is not static are expected to lie as in a contiguous
        buffer, and where they do not a kernel for any row stride is called;
      * where elements along d do not lie side by side, a contiguous copy takes
        the operand's place. Copies are freed behind the call, so this pass comes
        after the deallocation pipeline.

    A passed remark names the kernels of each attention.

    ```mlir
    func.func @f(%q: memref<1x4x?x64xf32>, ...) {
      mha.attention query(%q : memref<1x4x?x64xf32>, bhsd) ...
        schedule(#mha.cpu_schedule<block_q = 16, ...>) outs(...)
      return
    }
    ```

    becomes

    ```mlir
    func.func @f(%q: memref<1x4x?x64xf32>, ...) {
      %c = memref.cast %q : memref<1x4x?x64xf32>
             to memref<1x4x?x64xf32, strided<[?, ?, 64, 1], offset: ?>>
      call @mha_attention_bhsd_g1_d64_snxn_q16k64(%c, ...)
      return
    }
    func.func private @mha_attention_bhsd_g1_d64_snxn_q16k64(...)
        attributes {mha.kernel, llvm.linkage = #llvm.linkage<internal>} {
      mha.attention ...
      return
    }
    ```
  }];
  let statistics = [
    Statistic<"numKernels", "num-kernels", "Kernels made">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def OutlineParallelPass : Pass<"mha-outline-parallel", "::mlir::ModuleOp"> {
  let summary = "Makes parallel loops calls of the runtime";
  let description = [{
    Each `scf.forall` on memrefs whose loops are all mapped by `#mha.item`
    becomes a function of one item and a call of `mha_parallel_for`
    (mha/Runtime/ParallelFor.h), which hands items to workers one by one. Each
    `mha.scratch` inside becomes a part of the worker's share of the workspace,
    and each `mha.scratch_size` the size of a share. Functions that run such
    loops, and their callers, use the arguments with the attributes
    `mha.workspace` (`!llvm.ptr`) and `mha.threads` (i32), which are appended
    where a function has none. Exact; other loops are left alone.

    Refused, with their location: loops over items that nest or have results,
    scratch outside of them, and functions with such loops whose address is
    taken, or may be. Modules inside of the module are taken each by itself.

    ```mlir
    func.func @f(%m: memref<?xf32>, %n: index) {
      scf.forall (%i) in (%n) {
        BODY
      } {mapping = [#mha.item<0>]}
      return
    }
    ```

    becomes

    ```mlir
    func.func private @mha_parallel_for(i64, i32, !llvm.ptr, !llvm.ptr)
    func.func @f(%m: memref<?xf32>, %n: index,
                 %workspace: !llvm.ptr {mha.workspace},
                 %threads: i32 {mha.threads}) {
      %context = llvm.alloca ...
      llvm.store ...   // %m and the workspace
      call @mha_parallel_for(%items, %threads, %f_item, %context)
      return
    }
    func.func private @f_item(%context: !llvm.ptr, %item: i64, %worker: i32) {
      ...              // %m, %i from the context and the item
      BODY
      return
    }
    ```
  }];
  let statistics = [
    Statistic<"numOutlined", "num-outlined", "Parallel loops outlined">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect"
  ];
}

def PlaceResultsPass : Pass<"mha-place-results"> {
  let summary = "Computes results in their out-parameters";
  let description = [{
    A tensor that `bufferization.materialize_in_destination` writes to a memref
    is computed in that memref from the start, where nothing else can see it
    there: each value on its way, from the `tensor.empty` over destination-style
    ops, loops, attention with destinations and casts to the write, has no other
    use, and all are in one block; and the memref is an argument that no other op
    accesses. A fill, a cast or an empty tensor that is shared is copied for
    this use first. Other results are copied when they are written, which is
    correct and said by a missed remark. Exact.

    In place of upstream's `eliminate-empty-tensors`, which takes the promise
    `restrict` of a destination for leave to keep other values there: two
    results whose chains share a fill came out equal.

    ```mlir
    %e = tensor.empty() : tensor<3x5xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x5xf32>)
    bufferization.materialize_in_destination %f in restrict writable %out
    ```

    becomes

    ```mlir
    %e = bufferization.to_tensor %out restrict writable
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x5xf32>)
    bufferization.materialize_in_destination %f in restrict writable %out
    ```
  }];
  let statistics = [
    Statistic<"numPlaced", "num-placed", "Results computed in place">
  ];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def PromoteFloatsPass : Pass<"mha-promote-floats", "::mlir::ModuleOp"> {
  let summary = "Computes a module in f64, whatever its declared types";
  let description = [{
    Replaces every floating-point type of the module by f64. Constants keep
    their values, which are those of the declared type; a caller rounds
    arguments to their declared type and then widens them. Widening casts
    disappear. A narrowing cast of the source stays as a rounding step: to the
    narrow type and back to f64. What remains is the same computation with all
    intermediate results in f64: the reference of docs/Testing.md.

    Changes numerics, on purpose; part of `mha-reference-pipeline` only.

    Fast-math flags go, since the reference is computed as it is written.

    Refused, with the op's location: ops whose meaning depends on the bits or
    the place of a float (bitcasts, `memref.view`, `memref.reinterpret_cast`),
    LLVM-dialect and unregistered ops, types that are wider than f64 or
    complex, constants without data, and declared functions that take or return
    floats, whose bodies cannot be promoted.

    ```mlir
    func.func @f(%x: tensor<3xf32>) -> tensor<3xf16> {
      %y = math.exp %x : tensor<3xf32>
      %z = arith.truncf %y : tensor<3xf32> to tensor<3xf16>
      return %z : tensor<3xf16>
    }
    ```

    becomes

    ```mlir
    func.func @f(%x: tensor<3xf64>) -> tensor<3xf64> {
      %y = math.exp %x : tensor<3xf64>
      %r = arith.truncf %y : tensor<3xf64> to tensor<3xf16>
      %z = arith.extf %r : tensor<3xf16> to tensor<3xf64>
      return %z : tensor<3xf64>
    }
    ```
  }];
  let statistics = [
    Statistic<"numRoundings", "num-roundings",
              "Narrowing casts kept as rounding steps">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SpecializeLayoutsPass
    : Pass<"mha-specialize-layouts", "::mlir::ModuleOp"> {
  let summary = "Gives private functions the memref types of their calls";
  let description = [{
    After `mha-bufferize`, calls cast what they pass to the dynamic layouts of
    their callee. An argument of a private function takes the type from which
    all calls cast, and a result the type from which all returns cast; views of
    it follow, until nothing changes. Where calls differ, each combination of
    types gets a version of the function, `@f`, `@f_layout1` and so on, at most
    `max-versions` of one function. Beyond that the types stay as they are,
    which is correct and said by a missed remark; so they do in a function that
    something else than a call refers to, and in kernels (`mha.kernel`), which
    keep the types that they were made for. Exact.

    ```mlir
    func.func @caller(%p: memref<512x768xf32>) {
      %q = memref.subview %p[0, 0] [512, 512] [1, 1]
      %c = memref.cast %q : memref<512x512xf32, strided<[768, 1]>>
             to memref<512x512xf32, strided<[?, ?], offset: ?>>
      call @f(%c)
    }
    func.func private @f(%q: memref<512x512xf32, strided<[?, ?], offset: ?>>)
    ```

    becomes

    ```mlir
    func.func @caller(%p: memref<512x768xf32>) {
      %q = memref.subview %p[0, 0] [512, 512] [1, 1]
      call @f(%q)
    }
    func.func private @f(%q: memref<512x512xf32, strided<[768, 1]>>)
    ```
  }];
  let options = [
    Option<"maxVersions", "max-versions", "unsigned", "8",
           "Versions of one function, itself included, that are made at most">
  ];
  let statistics = [
    Statistic<"numSpecialized", "num-specialized",
              "Arguments and results given another type">,
    Statistic<"numCloned", "num-cloned", "Versions of functions made">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def SplitKeysPass : Pass<"mha-split-keys"> {
  let summary = "Computes attention over parts of its keys at the same time";
  let description = [{
    Each `mha.online_attention` on tensors becomes a loop `scf.forall` over parts
    of its keys of equal length, each with a state of its own, and an `mha.merge`
    of these states in the order of the keys. The number of parts is that of the
    option, whatever the number of threads: parts behind the last key are empty.
    Those who have few queries get parallel work that way. What is on memrefs, has
    a size of 0 or lies in a parallel loop stays, and is named by a missed remark.
    Exact, up to the order of sums and the rounding of weights to a narrower type
    of the values.

    ```mlir
    %a, %m, %s = mha.online_attention ... key(%k : tensor<1x2x4096x64xf32>, bhsd)
        ... state(%a0, %m0, %s0 : ...)
    ```

    becomes with `parts=8`

    ```mlir
    %p:3 = scf.forall (%i) in (8) shared_outs(...) {
      ... mha.online_attention ... key(%kt : tensor<1x2x512x64xf32>, bhsd) ...
            origin(%c0, %c0, %c0, %j)
    } {mapping = [#mha.item<0>]}
    %a, %m, %s = mha.merge parts(%p#0, %p#1, %p#2 : ...) state(%a0, %m0, %s0 : ...)
    ```

    Source: Dao et al. 2023, Flash-Decoding.
  }];
  let options = [
    Option<"parts", "parts", "int64_t", /*default=*/"2",
           "Parts of the keys, 1 to 65536">
  ];
  let statistics = [
    Statistic<"numSplit", "num-split", "Attention ops split">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def TileAttentionPass : Pass<"mha-tile-attention"> {
  let summary = "Splits attention into items of parallel work";
  let description = [{
    Each attention with one schedule becomes a loop `scf.forall` over the tiles
    that the schedule asks for, along (b, k, g, i, n): batch entries, key/value
    heads, query heads of one of these, queries, elements of the value head. A
    tile is an attention with an `origin`; the keys stay inside. Loops are mapped
    by `#mha.item`: heads slowest, and query blocks from the last to the first
    where later queries see more keys. On memrefs and on tensors, where a tile
    computes its part of the loop's results in its place. Inside of a parallel
    loop of somebody else the tiles follow one another in `scf.for`. What has a
    size of 0 stays whole. Exact.

    `bottom_right` becomes `end` with -Sq, since a tile does not know Sq of the
    problem. Refused: tiles of more than one key/value head with part of the
    group, whose query heads are no interval, and tiles along n of an attention
    with an lse.

    ```mlir
    mha.attention query(%q : memref<1x4x512x64xf32>, bhsd) ... mask<causal>
      schedule(#mha.cpu_schedule<block_q = 16, ...>)
      outs(%o : memref<1x4x512x64xf32>)
    ```

    becomes

    ```mlir
    scf.forall (%b, %k, %g, %i) = (0, 0, 0, 0) to (1, 4, 1, 512)
        step (1, 1, 1, 16) {
      %qt = memref.subview %q[...] ...
      mha.attention query(%qt : memref<1x1x16x64xf32, ...>, bhsd) ...
        mask<causal> align(top_left) origin(%b, %h, %i, %c0)
        schedule(...) outs(%ot : ...)
    } {mapping = [#mha.item<0>, #mha.item<1>, #mha.item<2>,
                  #mha.item<3, descending>]}
    ```
  }];
  let options = [
    ListOption<"tileSizes", "tile-sizes", "int64_t",
               "Tile sizes along (b, k, g, i, n) in place of the schedule's; 0 "
               "for a whole axis">,
    Option<"unscheduledOnly", "unscheduled-only", "bool", /*default=*/"false",
           "Leave attention with a schedule to the passes that follow it">
  ];
  let statistics = [
    Statistic<"numTiled", "num-tiled", "Attention ops tiled">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def TileKeysPass : Pass<"mha-tile-keys"> {
  let summary = "Takes the keys of attention block by block";
  let description = [{
    Each `mha.online_attention` becomes a loop over blocks of its keys that
    carries the state, so that no more than a block of scores is there at a time.
    Only keys that some query sees by mask and length are walked along; blocks
    have `block-k` keys, the last one what is left. Where batch entries of one op
    differ in lengths or offsets, all keys are. On tensors and on memrefs; what has
    a size of 0 stays. Exact, up to the order of sums and the rounding of weights
    to a narrower type of the values.

    ```mlir
    %a, %m, %s = mha.online_attention ... key(%k : tensor<1x2x?x64xf32>, bhsd)
        ... state(%a0, %m0, %s0 : ...)
    ```

    becomes

    ```mlir
    %w:3 = scf.for %j = %begin to %whole step %c128 iter_args(...) {
      ... mha.online_attention ... key(%kt : tensor<1x2x128x64xf32>, bhsd) ...
            origin(%c0, %c0, %c0, %j)
    }
    %a, %m, %s = scf.for %j = %whole to %end step %c128 iter_args(...) { ... }
    ```

    Source: Dao et al. 2022, algorithm 1.
  }];
  let options = [
    Option<"blockK", "block-k", "int64_t", /*default=*/"128",
           "Keys of a block, 1 to 2^31">
  ];
  let statistics = [
    Statistic<"numTiled", "num-tiled", "Attention ops tiled">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def WrapEntryPointsPass : Pass<"mha-wrap-entry-points", "::mlir::ModuleOp"> {
  let summary = "Gives public functions the signature of compiled functions";
  let description = [{
    For each public function `f` on ranked tensors and scalars, before
    bufferization. Exact. The function's body becomes private, and there are

      * `f(arguments..., outs..., workspace, workspace_bytes, threads) -> i32`,
        which checks the sizes that only run time can tell, the workspace and
        the number of threads, and returns a status of
        mha/Runtime/Status.h, 0 when the results were computed. Each result is
        an out-parameter, a memref with any strides that the caller allocates;
        a scalar result is one of rank 0. Arguments are never written, but for
        one with `mha.donated = N : i64`: its memory takes result N, which has
        no out-parameter. It stays a result on tensors, to be dropped by
        `mha-bufferize`;
      * `f_shape(arguments..., dims) -> i32`, when a result has a dynamic
        dimension: writes the dynamic sizes of the results, in order, to a
        memref of i64;
      * `f_workspace(sizes..., threads) -> i64`, the bytes of workspace that
        `f` needs, from the dynamic sizes of the tensor arguments in order.

    The type that `f` had on tensors is kept in its attribute `mha.entry_type`.
    The C view of these functions is in docs/Conventions.md, "Compiled functions". Sizes are
    checked for every attention, linalg op, cast and expanding reshape at the
    top level of the function. Inside control flow, and in functions that are
    called from inside the module and were not inlined, an attention with
    dynamic sizes is an error; what other ops do there is not checked.

    Refused, with their location: arguments and results that are neither ranked
    tensors nor scalars, names that are taken, sizes of results that only an op
    with side effects can tell.

    ```mlir
    func.func @f(%q: tensor<?x4xf32>) -> tensor<?x4xf32> { BODY }
    ```

    becomes

    ```mlir
    func.func @f(%q: tensor<?x4xf32>,
                 %out: memref<?x4xf32, strided<[?, ?], offset: ?>>,
                 %workspace: !llvm.ptr {mha.workspace},
                 %bytes: i64 {mha.workspace_bytes},
                 %threads: i32 {mha.threads}) -> i32 {
      %status = ...
      %ok = arith.cmpi eq, %status, %c0 : i32
      scf.if %ok {
        %r = func.call @f_body(%q) : (tensor<?x4xf32>) -> tensor<?x4xf32>
        bufferization.materialize_in_destination %r in restrict writable %out
            : (tensor<?x4xf32>, memref<?x4xf32, ...>) -> ()
      }
      return %status : i32
    }
    ```
  }];
  let statistics = [
    Statistic<"numWrapped", "num-wrapped", "Public functions wrapped">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::mha::MHADialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // MHA_TRANSFORMS_PASSES_TD
