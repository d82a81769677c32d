//===- MHA.h - The mha dialect, its attributes and ops ---------*- C++ -*--===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_IR_MHA_H
#define MHA_IR_MHA_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/SCF/IR/DeviceMappingInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>
#include <string>

#include "mha/IR/MHADialect.h.inc"

#include "mha/IR/MHAEnums.h.inc"

#include "mha/IR/MHAScheduleInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "mha/IR/MHAAttrs.h.inc"

namespace mlir::mha {
class AttentionOpInterface;

namespace detail {
bool sharesKeysInBatch(AttentionOpInterface op);
} // namespace detail

/// What is computed in where `value` is an input: f64 for f64, else f32.
FloatType getComputeType(Value value);
} // namespace mlir::mha

#include "mha/IR/MHAAttentionInterface.h.inc"

#define GET_OP_CLASSES
#include "mha/IR/MHAOps.h.inc"

namespace mlir::mha {

/// The attribute of an attention that no schedule was found for: why, as a
/// sentence without its full stop.
constexpr llvm::StringLiteral kNoScheduleAttrName = "mha.no_schedule";

/// The attribute of a wrapped entry point that keeps its type on tensors.
constexpr llvm::StringLiteral kEntryTypeAttrName = "mha.entry_type";

/// The attribute of an argument whose memory a caller gives up: the number, as
/// an i64, of the result of the same type that takes its place.
constexpr llvm::StringLiteral kDonatedAttrName = "mha.donated";

/// The number of the result that is computed in the memory of an argument;
/// nothing where the caller keeps it.
std::optional<unsigned> getDonatedResult(FunctionOpInterface function,
                                         unsigned argument);

/// For each result of the function on tensors, which a wrapped entry point
/// keeps the type of, the argument that is donated for it.
SmallVector<std::optional<unsigned>> getDonors(FunctionOpInterface function);

/// How a layer maps one of its inputs: with the names and values of what the
/// layer has for it alone, null where that is a part of `w_qkv` or `b_qkv`.
struct LayerProjection {
  llvm::StringRef inputName, weightName, biasName;
  Value input, weight, bias;
  std::optional<WeightLayout> layout;
  int64_t heads;
};

/// Of queries, keys and values, in this order.
SmallVector<LayerProjection> getInputProjections(LayerOp op);

/// An operand of a layer, or its output, with the letter of each dimension
/// that others have too: b batch, i query, j key, which is i in self attention.
struct LayerShape {
  llvm::StringRef name;
  /// Null for the output.
  OpOperand *operand;
  ShapedType type;
  std::string axes;
};

/// All that has to agree in these sizes; dense masks broadcast and are not
/// among them.
SmallVector<LayerShape> getLayerShapes(LayerOp op);

/// For each letter the size, where a type says it.
llvm::SmallDenseMap<char, int64_t> getKnownSizes(ArrayRef<LayerShape> shapes);

/// The schedules of a valid `schedule` attribute, guarded ones first.
SmallVector<ScheduleAttrInterface> getSchedules(Attribute attr);

} // namespace mlir::mha

#endif // MHA_IR_MHA_H
