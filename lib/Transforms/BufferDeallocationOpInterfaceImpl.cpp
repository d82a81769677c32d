//===- BufferDeallocationOpInterfaceImpl.cpp - Ownership in mha ops -------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without a model upstream refuses an op that has several regions, even empty
// ones, and says nothing of where control goes between them.
//
//===----------------------------------------------------------------------===//

#include "mha/Transforms/BufferDeallocationOpInterfaceImpl.h"

#include "mha/IR/MHA.h"

#include "mlir/Dialect/Bufferization/IR/BufferDeallocationOpInterface.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace mlir::mha;

namespace {
struct AttentionModel
    : BufferDeallocationOpInterface::ExternalModel<AttentionModel,
                                                   AttentionOp> {
  /// There is no result on memrefs that could own a buffer.
  FailureOr<Operation *> process(Operation *op, DeallocationState &,
                                 const DeallocationOptions &) const {
    return op;
  }
};
} // namespace

void mlir::mha::registerBufferDeallocationOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, MHADialect *) {
    AttentionOp::attachInterface<AttentionModel>(*context);
  });
}
