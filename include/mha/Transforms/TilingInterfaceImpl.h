//===- TilingInterfaceImpl.h - Attention in tiles -------------*- C++ -*---===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_TRANSFORMS_TILINGINTERFACEIMPL_H
#define MHA_TRANSFORMS_TILINGINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;

namespace mha {

/// Makes `mha.attention` implement TilingInterface, on tensors and on memrefs,
/// over the parallel loops (b, k, g, i, n): batch entries, key/value heads,
/// query heads of one of these, queries, elements of the value head. Keys are
/// no loop: a tile sees all of them, and carries its `origin`.
///
/// The query heads of a tile are k * G + g, an interval only where the tile has
/// one k, or all of g: others are refused. So is every tile along n but the
/// first of an op with an lse: the first one writes it. Fusion into a consumer
/// works where the consumer's tile has all heads, or G is 1.
void registerTilingInterfaceExternalModels(DialectRegistry &registry);

} // namespace mha
} // namespace mlir

#endif // MHA_TRANSFORMS_TILINGINTERFACEIMPL_H
