//===- BufferDeallocationOpInterfaceImpl.h - Ownership in mha ops -*- C++ -*-=//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_TRANSFORMS_BUFFERDEALLOCATIONOPINTERFACEIMPL_H
#define MHA_TRANSFORMS_BUFFERDEALLOCATIONOPINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;

namespace mha {

/// Lets upstream's deallocation of buffers go past the ops of the dialect,
/// which allocate nothing and pass no buffer on.
void registerBufferDeallocationOpInterfaceExternalModels(
    DialectRegistry &registry);

} // namespace mha
} // namespace mlir

#endif // MHA_TRANSFORMS_BUFFERDEALLOCATIONOPINTERFACEIMPL_H
