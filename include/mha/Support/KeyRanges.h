//===- KeyRanges.h - Which keys a range of queries sees --------*- C++ -*--===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_SUPPORT_KEYRANGES_H
#define MHA_SUPPORT_KEYRANGES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

#include <cstdint>

namespace mlir::mha {

class AttentionOpInterface;
class MaskAttr;

/// The keys that queries at positions pFirst to pLast see. Keys in
/// [fullBegin, fullEnd) are seen by all of these queries, keys in
/// [begin, fullBegin) and [fullEnd, end) by some, all others by none.
/// 0 <= begin <= fullBegin <= fullEnd <= end <= length, and an empty range has
/// begin = end.
template <typename Int>
struct KeyRangesOf {
  Int begin, fullBegin, fullEnd, end;
};
using KeyRanges = KeyRangesOf<int64_t>;
using KeyRangeValues = KeyRangesOf<Value>;

/// The ranges for `mask` (null: none), positions pFirst <= pLast, and `length`
/// valid keys. Alignment, offsets, lengths and a tile's origin are folded into
/// the positions and the length before the call.
KeyRanges computeKeyRanges(MaskAttr mask, int64_t pFirst, int64_t pLast,
                           int64_t length);

/// Emits the same computation on values of type index; what is constant folds.
KeyRangeValues computeKeyRanges(OpBuilder &builder, Location loc, MaskAttr mask,
                                Value pFirst, Value pLast, Value length);

/// Emits the ranges of the keys of `op`, counted from its first one, that its
/// queries see by mask and length. Where `op` may have several batch entries
/// that differ in these, all of its keys count as seen by some.
KeyRangeValues buildKeyRanges(OpBuilder &builder, Location loc,
                              AttentionOpInterface op);

} // namespace mlir::mha

#endif // MHA_SUPPORT_KEYRANGES_H
