//===- Transforms.h - Transformations as functions -------------*- C++ -*--===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_TRANSFORMS_TRANSFORMS_H
#define MHA_TRANSFORMS_TRANSFORMS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LogicalResult.h"
#include "llvm/ADT/StringRef.h"

namespace mlir {
class RewriterBase;

namespace bufferization {
struct BufferizationStatistics;
class MaterializeInDestinationOp;
} // namespace bufferization

namespace func {
class FuncOp;
} // namespace func

namespace linalg {
class SoftmaxOp;
} // namespace linalg

namespace arith {
class ExtFOp;
class TruncFOp;
} // namespace arith

namespace scf {
class ForallOp;
} // namespace scf

namespace memref {
class CopyOp;
class ExpandShapeOp;
} // namespace memref

namespace mha {
class AttentionOp;
class LayerOp;
class OnlineAttentionOp;
class ScratchOp;
struct CPUTarget;

/// The attribute of a function that computes one attention.
constexpr llvm::StringLiteral kKernelAttrName = "mha.kernel";

/// The attributes of the last three arguments of an entry point: an
/// `!llvm.ptr` to memory for scratch buffers, its size as i64, and the number
/// of workers as i32.
constexpr llvm::StringLiteral kWorkspaceAttrName = "mha.workspace";
constexpr llvm::StringLiteral kWorkspaceBytesAttrName = "mha.workspace_bytes";
constexpr llvm::StringLiteral kThreadsAttrName = "mha.threads";

/// The schedule of `op` on `target`, which fits where a kernel computes it, or
/// the list of schedules where sizes at run time decide; see the description of
/// `mha-assign-schedule`.
Attribute planSchedule(AttentionOp op, const CPUTarget &target);

/// Gives `op` an empty tensor as a destination of each result that has none;
/// see the description of `mha-add-destinations`. Fails, without a change, on
/// memrefs and where none is missing.
LogicalResult addDestinations(RewriterBase &rewriter, AttentionOp op);

/// Replaces the tensors of `module` by memrefs; see the description of
/// `mha-bufferize`. Fails with a diagnostic; the module is not to be used then.
FailureOr<bufferization::BufferizationStatistics> bufferize(ModuleOp module);

/// Makes `scratch` an allocation that is freed at the end of its block.
void allocateScratch(RewriterBase &rewriter, ScratchOp scratch);

/// Replaces `softmax` by the ops that it is made of; see the description of
/// `mha-decompose-softmax`. Fails, without a change, on memrefs
/// and on integers.
LogicalResult decomposeSoftmax(RewriterBase &rewriter,
                               linalg::SoftmaxOp softmax);

/// Replaces `copy` by loops when one side is not contiguous; see the
/// description of `mha-expand-copies`. Fails, without a change, on a copy that
/// is a memcpy or not of ranked memrefs.
LogicalResult expandCopy(RewriterBase &rewriter, memref::CopyOp copy);

/// Writes a conversion of bf16, or of f16 where the CPU has none to and from
/// f32, as arithmetic on bits; see the description of
/// `mha-expand-float-conversions`. Fails, without a change, on others.
LogicalResult expandFloatConversion(RewriterBase &rewriter, arith::ExtFOp op,
                                    bool hasF16Conversions);
LogicalResult expandFloatConversion(RewriterBase &rewriter, arith::TruncFOp op,
                                    bool hasF16Conversions);

/// Makes each distinct attention of `module` that has a schedule a function of
/// its own; see the description of `mha-outline-kernels`. Returns how many
/// functions.
unsigned outlineKernels(ModuleOp module);

/// Whether `op` is inside a function of `module` itself: the names in a module
/// inside of it are others.
bool isInFunctionOf(ModuleOp module, Operation *op);

/// Whether all loops of `loop` are mapped to items of parallel work.
bool isLoopOverItems(scf::ForallOp loop);

/// Splits `op` into items of parallel work with `tileSizes` along (b, k, g, i,
/// n), 0 for a whole axis; see the description of `mha-tile-attention`. Fails,
/// without a change of `op`, where the op has no such tiles.
LogicalResult tileAttention(RewriterBase &rewriter, AttentionOp op,
                            ArrayRef<int64_t> tileSizes);

/// Replaces `op` by projections and attention; see the description of
/// `mha-decompose-layer`. Every valid layer can be decomposed.
void decomposeLayer(RewriterBase &rewriter, LayerOp op);

/// Replaces `op` by its open form, the state of its softmax and what is made of
/// it; see the description of `mha-convert-to-online`.
void convertToOnline(RewriterBase &rewriter, AttentionOp op);

/// Makes `op` a loop that takes `blockK` of its keys at a time; see the
/// description of `mha-tile-keys`. Fails, without a change, where a size is 0.
LogicalResult tileKeys(RewriterBase &rewriter, OnlineAttentionOp op,
                       int64_t blockK);

/// Computes `numParts` states of `op`, each over a part of its keys, and merges
/// them; see the description of `mha-split-keys`. Fails, without a change,
/// where the keys cannot be split.
LogicalResult splitKeys(RewriterBase &rewriter, OnlineAttentionOp op,
                        int64_t numParts);

/// Makes the parallel loops of `module` calls of the runtime, and scratch parts
/// of the workspace; see the description of `mha-outline-parallel`. Returns how
/// many loops. Fails with a diagnostic; the module is not to be used then.
FailureOr<unsigned> outlineParallel(ModuleOp module);

/// Computes the source of `write`, a write of a tensor to a memref, in that
/// memref; see the description of `mha-place-results`. Fails, without a change
/// of meaning, where something else needs a value on the way.
LogicalResult placeResult(RewriterBase &rewriter,
                          bufferization::MaterializeInDestinationOp write);

/// Replaces every floating-point type of `module` by f64; see the description
/// of `mha-promote-floats`. Returns the number of narrowing casts that stay as
/// rounding steps. Fails with a diagnostic before any change when the module
/// has something that cannot be promoted.
FailureOr<unsigned> promoteFloats(ModuleOp module);

/// Replaces `reshape` by a cast with computed strides when it makes more than
/// one dynamic size of a dimension; see the description of
/// `mha-expand-dynamic-reshapes`. Fails, without a change, otherwise.
LogicalResult expandDynamicReshape(RewriterBase &rewriter,
                                   memref::ExpandShapeOp reshape);

/// Gives internal linkage to the functions of `module` that C cannot call; see
/// the description of `mha-internalize-symbols`. Returns how many.
unsigned internalizeSymbols(ModuleOp module);

struct SpecializeLayoutsOptions {
  /// Versions of one function, itself included.
  unsigned maxVersions = 8;
};

struct SpecializeLayoutsStatistics {
  unsigned numSpecialized = 0; ///< Arguments and results.
  unsigned numCloned = 0;      ///< Functions.
};

/// Gives arguments and results of private functions the memref types that
/// their calls and returns have; see the description of
/// `mha-specialize-layouts`.
SpecializeLayoutsStatistics
specializeLayouts(ModuleOp module, const SpecializeLayoutsOptions &options);

/// Fails with a diagnostic where `module` has an op outside the LLVM dialect.
LogicalResult verifyLowered(ModuleOp module);

/// Gives the public function `function` the signature of a compiled function;
/// see the description of `mha-wrap-entry-points`. Fails with a diagnostic;
/// the module is not to be used then.
LogicalResult wrapEntryPoint(func::FuncOp function);

} // namespace mha
} // namespace mlir

#endif // MHA_TRANSFORMS_TRANSFORMS_H
