//===- Pipelines.h - The pass pipelines of mha ------------------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_PIPELINES_PIPELINES_H
#define MHA_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class ModuleOp;
class OpPassManager;

namespace mha {

/// Options of `mha-cpu-pipeline`.
struct CPUPipelineOptions : public PassPipelineOptions<CPUPipelineOptions> {
  PassOptions::Option<std::string> cpu{
      *this, "cpu",
      llvm::cl::desc("The CPU that code is made for, by LLVM's name; the "
                     "default does not depend on this machine"),
      llvm::cl::init("x86-64-v3")};
  PassOptions::Option<bool> kernels{
      *this, "kernels",
      llvm::cl::desc(
          "Compute attention by kernels where there are some (false: "
          "all of it on the general path)"),
      llvm::cl::init(true)};
  PassOptions::Option<int64_t> blockQ{
      *this, "block-q",
      llvm::cl::desc("Queries that the general path takes at a time"),
      llvm::cl::init(32)};
  PassOptions::Option<int64_t> blockK{
      *this, "block-k",
      llvm::cl::desc("Keys that the general path takes at a time"),
      llvm::cl::init(128)};
};

/// Options of `mha-reference-pipeline`.
struct ReferencePipelineOptions
    : public PassPipelineOptions<ReferencePipelineOptions> {
  PassOptions::Option<bool> promote{
      *this, "promote-floats",
      llvm::cl::desc("Compute in f64, whatever the declared types "
                     "(false: in the declared types, the naive computation of "
                     "docs/Testing.md)"),
      llvm::cl::init(true)};
};

/// Appends the passes that compile a module of functions on tensors to the
/// LLVM dialect with nothing fused: every attention by its definition. The
/// entry points have the signature of docs/Conventions.md, "Compiled
/// functions"; with `promote` their floating-point buffers are f64.
void buildReferencePipeline(OpPassManager &pm,
                            const ReferencePipelineOptions &options);

/// Appends the passes that compile a module of functions on tensors to the
/// LLVM dialect for a CPU. Same entry points, declared types.
void buildCPUPipeline(OpPassManager &pm,
                      const CPUPipelineOptions &options = {});

/// Appends the passes that complete `module`, in whatever state a part of
/// `mha-cpu-pipeline` has left it, to the LLVM dialect with nothing fused that
/// is not fused yet: attention by its definition, items of parallel work one
/// after the other, scratch memory from the heap. What code there already is
/// stays. Which passes depends on the state.
void buildCompletionPipeline(OpPassManager &pm, ModuleOp module);

/// Makes `mha-cpu-pipeline` and `mha-reference-pipeline` known by name.
void registerPipelines();

} // namespace mha
} // namespace mlir

#endif // MHA_PIPELINES_PIPELINES_H
