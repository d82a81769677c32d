//===- BufferizableOpInterfaceImpl.h - Bufferization of mha ops -*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
#define MHA_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;

namespace mha {

/// Lets one-shot bufferization, the project's or anybody's, bufferize the ops
/// of the dialect: operands are only read, and a destination is overwritten.
void registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry);

} // namespace mha
} // namespace mlir

#endif // MHA_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
