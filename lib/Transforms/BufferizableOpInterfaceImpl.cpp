//===- BufferizableOpInterfaceImpl.cpp - Bufferization of mha ops ---------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The model stands on its own, since `outs` is optional on tensors; see
// docs/Rationale.md, "`mha.attention` does not implement
// `DestinationStyleOpInterface`".
//
//===----------------------------------------------------------------------===//

#include "mha/Transforms/BufferizableOpInterfaceImpl.h"

#include "mha/IR/MHA.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace mlir::mha;

/// A tensor for a result that has no destination to be computed in.
static FailureOr<Value> allocate(RewriterBase &rewriter, OpResult result,
                                 const BufferizationOptions &options,
                                 const BufferizationState &state) {
  return allocateTensorForShapedValue(rewriter, result.getLoc(), result,
                                      options, state, /*copy=*/false);
}

/// Where each result of `op` is computed, in order.
static FailureOr<SmallVector<Value>>
getResultBuffers(RewriterBase &rewriter, AttentionOp op,
                 const BufferizationOptions &options,
                 BufferizationState &state) {
  SmallVector<Value> buffers;
  for (OpResult result : op->getResults()) {
    OpOperand *destination = op.getDestination(result);
    FailureOr<Value> tensor = destination
                                  ? FailureOr<Value>(destination->get())
                                  : allocate(rewriter, result, options, state);
    if (failed(tensor))
      return failure();
    FailureOr<Value> buffer = getBuffer(rewriter, *tensor, options, state);
    if (failed(buffer))
      return failure();
    buffers.push_back(*buffer);
  }
  return buffers;
}

/// The operands of `op` that are no destinations, tensors as buffers.
static FailureOr<SmallVector<Value>>
getInputBuffers(RewriterBase &rewriter, AttentionOp op,
                const BufferizationOptions &options,
                BufferizationState &state) {
  SmallVector<Value> inputs;
  for (OpOperand &operand : op->getOpOperands()) {
    if (op.isDestination(operand))
      continue;
    Value input = operand.get();
    if (isa<TensorType>(input.getType())) {
      FailureOr<Value> buffer = getBuffer(rewriter, input, options, state);
      if (failed(buffer))
        return failure();
      input = *buffer;
    }
    inputs.push_back(input);
  }
  return inputs;
}

/// `op` on memrefs: a destination for each result, and no results.
static void createOnMemRefs(RewriterBase &rewriter, AttentionOp op,
                            ValueRange inputs, ValueRange results) {
  OperationState state(op.getLoc(), op->getName());
  state.addOperands(inputs);
  state.addOperands(results);
  auto &properties = state.getOrAddProperties<AttentionOp::Properties>();
  properties = op.getProperties();
  llvm::copy(properties.resultSegmentSizes,
             std::end(properties.operandSegmentSizes) -
                 properties.resultSegmentSizes.size());
  properties.resultSegmentSizes = {};
  state.addAttributes(op->getDiscardableAttrDictionary().getValue());
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  rewriter.create(state);
}

namespace {
struct AttentionModel
    : BufferizableOpInterface::ExternalModel<AttentionModel, AttentionOp> {
  bool bufferizesToAllocation(Operation *op, Value value) const {
    return !cast<AttentionOp>(op).getDestination(cast<OpResult>(value));
  }

  /// Every element of a destination is overwritten.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<AttentionOp>(op).isDestination(operand);
  }

  bool bufferizesToMemoryWrite(Operation *op, OpOperand &operand,
                               const AnalysisState &) const {
    return cast<AttentionOp>(op).isDestination(operand);
  }

  AliasingValueList getAliasingValues(Operation *op, OpOperand &operand,
                                      const AnalysisState &) const {
    auto attention = cast<AttentionOp>(op);
    for (OpResult result : op->getResults())
      if (attention.getDestination(result) == &operand)
        return {{result, BufferRelation::Equivalent}};
    return {};
  }

  /// What is allocated here is contiguous; a destination keeps its layout.
  FailureOr<BufferLikeType>
  getBufferType(Operation *op, Value value, const BufferizationOptions &options,
                const BufferizationState &state,
                SmallVector<Value> &invocationStack) const {
    FailureOr<BufferLikeType> type =
        bufferization::detail::defaultGetBufferType(value, options, state,
                                                    invocationStack);
    if (failed(type) || !bufferizesToAllocation(op, value))
      return type;
    return cast<BufferLikeType>(getMemRefTypeWithStaticIdentityLayout(
        cast<TensorType>(value.getType()),
        cast<BaseMemRefType>(*type).getMemorySpace()));
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto attention = cast<AttentionOp>(op);
    // The arguments of a region that stand for captured tensors would alias
    // them, which this model does not say.
    if (!attention.getCaptures().empty() ||
        llvm::any_of(op->getRegions(),
                     [](Region &region) { return !region.empty(); }))
      return op->emitOpError()
             << "with regions cannot be bufferized yet, expected them to be "
                "lowered before";
    FailureOr<SmallVector<Value>> inputs =
        getInputBuffers(rewriter, attention, options, state);
    FailureOr<SmallVector<Value>> results =
        getResultBuffers(rewriter, attention, options, state);
    if (failed(inputs) || failed(results))
      return failure();
    createOnMemRefs(rewriter, attention, *inputs, *results);
    replaceOpWithBufferizedValues(rewriter, op, *results);
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Ops with destinations
//===----------------------------------------------------------------------===//

namespace {
template <typename OpTy>
struct DestinationModel
    : DstBufferizableOpInterfaceExternalModel<DestinationModel<OpTy>, OpTy> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return OpTy::kTakesInits || !cast<OpTy>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto onTensors = cast<OpTy>(op);
    if (!onTensors.hasTensorSemantics())
      return success();
    IRMapping buffers;
    for (Value operand : op->getOperands()) {
      if (!isa<TensorType>(operand.getType()) || buffers.contains(operand))
        continue;
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      buffers.map(operand, *buffer);
    }
    OperationState created(op->getLoc(), op->getName());
    for (Value operand : op->getOperands())
      created.addOperands(buffers.lookupOrDefault(operand));
    created.propertiesAttr = op->getPropertiesAsAttribute();
    created.addAttributes(op->getDiscardableAttrDictionary().getValue());
    rewriter.create(created);
    SmallVector<Value> results;
    for (Value init : onTensors.getDpsInits())
      results.push_back(buffers.lookup(init));
    replaceOpWithBufferizedValues(rewriter, op, results);
    return success();
  }
};
} // namespace

void mlir::mha::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, MHADialect *) {
    AttentionOp::attachInterface<AttentionModel>(*context);
    OnlineAttentionOp::attachInterface<DestinationModel<OnlineAttentionOp>>(
        *context);
    MergeOp::attachInterface<DestinationModel<MergeOp>>(*context);
    FinalizeOp::attachInterface<DestinationModel<FinalizeOp>>(*context);
    ProjectionOp::attachInterface<DestinationModel<ProjectionOp>>(*context);
    QKVProjectionOp::attachInterface<DestinationModel<QKVProjectionOp>>(
        *context);
    RotaryEmbeddingOp::attachInterface<DestinationModel<RotaryEmbeddingOp>>(
        *context);
    RepeatKVOp::attachInterface<DestinationModel<RepeatKVOp>>(*context);
  });
}
