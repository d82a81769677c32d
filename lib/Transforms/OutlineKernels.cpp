//===- OutlineKernels.cpp - One function for each distinct attention ------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On memrefs, because the strides of operands are part of what a kernel is
// compiled for: a row stride that is not static costs about 3 % of the speed.
//
//===----------------------------------------------------------------------===//

#include "mha/IR/AttentionDims.h"
#include "mha/IR/MHA.h"
#include "mha/Transforms/Passes.h"
#include "mha/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringExtras.h"

#define DEBUG_TYPE "mha-outline-kernels"

namespace mlir::mha {
#define GEN_PASS_DEF_OUTLINEKERNELSPASS
#include "mha/Transforms/Passes.h.inc"
} // namespace mlir::mha

using namespace mlir;
using namespace mlir::mha;

//===----------------------------------------------------------------------===//
// Types of kernel arguments
//===----------------------------------------------------------------------===//

/// `type` with other strides, and an offset that is not static: views of one
/// buffer share a kernel.
static MemRefType withStrides(MemRefType type, ArrayRef<int64_t> strides) {
  auto layout =
      StridedLayoutAttr::get(type.getContext(), ShapedType::kDynamic, strides);
  return MemRefType::get(type.getShape(), type.getElementType(), layout,
                         type.getMemorySpace());
}

static SmallVector<int64_t> getStrides(MemRefType type) {
  return type.getStridesAndOffset().first;
}

/// The stride along `axis` of a contiguous buffer of this shape.
static int64_t getContiguousStride(MemRefType type, LayoutAttr layout,
                                   char axis) {
  int64_t stride = 1;
  for (int64_t size : type.getShape().drop_front(layout.getDim(axis) + 1)) {
    if (ShapedType::isDynamic(size))
      return ShapedType::kDynamic;
    stride *= size;
  }
  return stride;
}

namespace {
/// One of query, key, value and output on its way into the kernel.
struct HeadsOperand {
  OpOperand *operand;
  LayoutAttr layout;

  MemRefType getType() const {
    return cast<MemRefType>(operand->get().getType());
  }
  bool isOutput() const {
    return cast<AttentionOp>(operand->getOwner()).isDestination(*operand);
  }
  unsigned getRowDim() const { return layout.getDim('s'); }
  unsigned getElementDim() const { return layout.getDim('d'); }

  /// The argument of a kernel: elements side by side, rows `rowStride` apart,
  /// everything else as it comes.
  MemRefType getKernelType(int64_t rowStride) const {
    MemRefType type = getType();
    SmallVector<int64_t> strides(type.getRank(), ShapedType::kDynamic);
    strides[getRowDim()] = rowStride;
    strides[getElementDim()] = 1;
    return withStrides(type, strides);
  }
  /// The row stride of the type, or that of a contiguous buffer, which is the
  /// one to expect where the type does not say.
  int64_t getExpectedRowStride() const {
    int64_t stride = getStrides(getType())[getRowDim()];
    return ShapedType::isDynamic(stride)
               ? getContiguousStride(getType(), layout, 's')
               : stride;
  }
};
} // namespace

static SmallVector<HeadsOperand> getHeadsOperands(AttentionOp op) {
  return {{&op.getQueryMutable(), op.getQueryLayout()},
          {&op.getKeyMutable(), op.getKeyLayout()},
          {&op.getValueMutable(), op.getValueLayout()},
          {&*op.getOutputInitMutable().begin(), op.getOutputLayout()}};
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// A name that says what the kernel is for; the symbol table makes it unique.
static std::string getKernelName(AttentionOp op, bool hasStridedRows) {
  AttentionDims dims = AttentionDims::get(op);
  auto text = [](int64_t size) {
    return ShapedType::isDynamic(size) ? std::string("n")
                                       : std::to_string(size);
  };
  std::string name = "mha_attention_" + op.getQueryLayout().getAxes().str();
  if (op.getKeyLayout() != op.getQueryLayout())
    name += "_" + op.getKeyLayout().getAxes().str();
  name += "_g" + text(dims.getGroup()) + "_d" + text(dims.headDim);
  if (dims.valueDim != dims.headDim)
    name += "x" + text(dims.valueDim);
  name += "_s" + text(dims.queryLen) + "x" + text(dims.keyLen);
  if (MaskAttr mask = op.getMaskAttr())
    name += std::string(mask.getCausal() ? "_causal" : "") +
            (mask.hasWindow() ? "_window" : "");
  if (BiasAttr bias = op.getBiasAttr())
    name += "_" + stringifyBiasKind(bias.getKind()).str();
  if (op.getDenseMask())
    name += "_mask";
  if (op.getSink())
    name += "_sink";
  if (op.getKvLengths())
    name += "_lengths";
  if (op.getLseInit())
    name += "_lse";
  name +=
      "_" + cast<ScheduleAttrInterface>(op.getScheduleAttr()).getKernelTag();
  return hasStridedRows ? name + "_strided" : name;
}

namespace {
/// The kernels of a module, each with the op that it was made for.
class KernelTable {
public:
  explicit KernelTable(ModuleOp module) : module(module), symbols(module) {}

  /// The kernel of `op`, a detached op with the types of a kernel; takes it.
  func::FuncOp getOrCreate(AttentionOp op, bool hasStridedRows);
  size_t size() const { return kernels.size(); }

private:
  ModuleOp module;
  SymbolTable symbols;
  SmallVector<std::pair<AttentionOp, func::FuncOp>> kernels;
};
} // namespace

static bool areEquivalent(AttentionOp lhs, AttentionOp rhs) {
  return lhs->getOperandTypes() == rhs->getOperandTypes() &&
         OperationEquivalence::isEquivalentTo(
             lhs, rhs, OperationEquivalence::ignoreValueEquivalence,
             /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

func::FuncOp KernelTable::getOrCreate(AttentionOp op, bool hasStridedRows) {
  for (auto [known, kernel] : kernels) {
    if (!areEquivalent(known, op))
      continue;
    op->destroy();
    return kernel;
  }
  OpBuilder builder(module.getContext());
  Location loc = op.getLoc();
  auto type = builder.getFunctionType(op->getOperandTypes(), TypeRange());
  auto kernel =
      func::FuncOp::create(loc, getKernelName(op, hasStridedRows), type);
  kernel.setPrivate();
  kernel->setAttr(kKernelAttrName, builder.getUnitAttr());
  kernel->setAttr(
      "llvm.linkage",
      LLVM::LinkageAttr::get(builder.getContext(), LLVM::Linkage::Internal));
  symbols.insert(kernel);
  Block *block = kernel.addEntryBlock();
  builder.setInsertionPointToStart(block);
  op->setOperands(block->getArguments());
  builder.insert(op);
  func::ReturnOp::create(builder, loc);
  kernels.emplace_back(op, kernel);
  return kernel;
}

//===----------------------------------------------------------------------===//
// Sites
//===----------------------------------------------------------------------===//

namespace {
/// Replaces one attention by calls of kernels.
class SiteBuilder {
public:
  SiteBuilder(RewriterBase &rewriter, AttentionOp op, KernelTable &kernels)
      : rewriter(rewriter), loc(op.getLoc()), op(op), kernels(kernels) {}

  void build();

private:
  /// A buffer that stands for an operand whose elements are not side by side.
  struct Packed {
    HeadsOperand operand;
    Value original, buffer, isOriginal;
  };

  Value getStride(Value buffer, unsigned dim);
  Value castTo(Value value, MemRefType type);
  void forgetStrides();
  void pack(HeadsOperand operand);
  void unpack(const Packed &packed);
  Value buildHasExpectedRows();
  Value buildGuard(GuardedScheduleAttr guarded);
  void buildDispatch(ArrayRef<Attribute> schedules);
  void buildCalls(Attribute schedule);
  void buildCall(Attribute schedule, bool expectsRows);
  void remarkKernels();
  void buildIf(Value condition, function_ref<void()> then,
               function_ref<void()> otherwise);

  RewriterBase &rewriter;
  Location loc;
  AttentionOp op;
  KernelTable &kernels;
  SmallVector<Packed> packedOperands;
  /// Whether rows lie as expected; null where the types say so.
  Value hasExpectedRows;
  SmallVector<StringRef> calledKernels;
};
} // namespace

Value SiteBuilder::getStride(Value buffer, unsigned dim) {
  auto metadata =
      memref::ExtractStridedMetadataOp::create(rewriter, loc, buffer);
  return metadata.getStrides()[dim];
}

Value SiteBuilder::castTo(Value value, MemRefType type) {
  if (value.getType() == type)
    return value;
  return memref::CastOp::create(rewriter, loc, type, value);
}

/// Vectors of lengths and the like, and the lse, take part with any strides.
void SiteBuilder::forgetStrides() {
  SmallVector<HeadsOperand> heads = getHeadsOperands(op);
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    bool isHeads = llvm::any_of(heads, [&](const HeadsOperand &known) {
      return known.operand == &operand;
    });
    if (!type || isHeads)
      continue;
    SmallVector<int64_t> strides(type.getRank(), ShapedType::kDynamic);
    operand.set(castTo(operand.get(), withStrides(type, strides)));
  }
}

/// Where run time says that elements are not side by side, a contiguous copy
/// takes the operand's place.
void SiteBuilder::pack(HeadsOperand operand) {
  MemRefType type = operand.getType();
  int64_t elementStride = getStrides(type)[operand.getElementDim()];
  if (elementStride == 1)
    return;
  Value original = operand.operand->get();
  MemRefType packedType = operand.getKernelType(ShapedType::kDynamic);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  Value stride = getStride(original, operand.getElementDim());
  Value isOriginal = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::eq, stride, one);
  auto buildOriginal = [&](OpBuilder &, Location) {
    // A stride that is known to be another one cannot be cast.
    SmallVector<int64_t> unknown(type.getRank(), ShapedType::kDynamic);
    Value forgotten = castTo(original, withStrides(type, unknown));
    Value view = castTo(forgotten, packedType);
    scf::YieldOp::create(rewriter, loc, view);
  };
  auto buildCopy = [&](OpBuilder &, Location) {
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        sizes.push_back(memref::DimOp::create(rewriter, loc, original, dim));
    auto contiguous = MemRefType::get(type.getShape(), type.getElementType());
    Value copy = memref::AllocOp::create(rewriter, loc, contiguous, sizes);
    if (!operand.isOutput())
      memref::CopyOp::create(rewriter, loc, original, copy);
    Value view = castTo(copy, packedType);
    scf::YieldOp::create(rewriter, loc, view);
  };
  auto choice =
      scf::IfOp::create(rewriter, loc, isOriginal, buildOriginal, buildCopy);
  operand.operand->set(choice.getResult(0));
  packedOperands.push_back(
      {operand, original, choice.getResult(0), isOriginal});
}

void SiteBuilder::unpack(const Packed &packed) {
  Value yes = arith::ConstantIntOp::create(rewriter, loc, 1, 1);
  Value isCopy = arith::XOrIOp::create(rewriter, loc, packed.isOriginal, yes);
  buildIf(isCopy,
          [&] {
            if (packed.operand.isOutput())
              memref::CopyOp::create(rewriter, loc, packed.buffer,
                                     packed.original);
            memref::DeallocOp::create(rewriter, loc, packed.buffer);
          },
          {});
}

/// Whether the rows of all operands are as far apart as is expected of those
/// whose types do not say; null where there is nothing to check.
Value SiteBuilder::buildHasExpectedRows() {
  Value all;
  for (const HeadsOperand &operand : getHeadsOperands(op)) {
    int64_t expected = operand.getExpectedRowStride();
    bool isKnown = !ShapedType::isDynamic(
        getStrides(operand.getType())[operand.getRowDim()]);
    if (isKnown || ShapedType::isDynamic(expected))
      continue;
    Value bound = arith::ConstantIndexOp::create(rewriter, loc, expected);
    Value stride = getStride(operand.operand->get(), operand.getRowDim());
    Value holds = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                        stride, bound);
    all = all ? arith::AndIOp::create(rewriter, loc, all, holds).getResult()
              : holds;
  }
  return all;
}

/// Emits `if condition { then } else { otherwise }`; without a condition only
/// `then`.
void SiteBuilder::buildIf(Value condition, function_ref<void()> then,
                          function_ref<void()> otherwise) {
  if (!condition)
    return then();
  OpBuilder::InsertionGuard guard(rewriter);
  auto choice = scf::IfOp::create(rewriter, loc, condition,
                                  /*withElseRegion=*/bool(otherwise));
  rewriter.setInsertionPoint(choice.thenBlock()->getTerminator());
  then();
  if (!otherwise)
    return;
  rewriter.setInsertionPoint(choice.elseBlock()->getTerminator());
  otherwise();
}

/// The kernel for one schedule: with static row strides, where they are known
/// or have been checked, or for any.
void SiteBuilder::buildCall(Attribute schedule, bool expectsRows) {
  SmallVector<Value> arguments(op->getOperands());
  bool hasStridedRows = false;
  for (const HeadsOperand &operand : getHeadsOperands(op)) {
    int64_t rowStride =
        expectsRows ? operand.getExpectedRowStride() : ShapedType::kDynamic;
    hasStridedRows |= ShapedType::isDynamic(rowStride);
    unsigned number = operand.operand->getOperandNumber();
    arguments[number] =
        castTo(arguments[number], operand.getKernelType(rowStride));
  }
  auto prototype = cast<AttentionOp>(op->clone());
  prototype->setOperands(arguments);
  prototype->setDiscardableAttrs(DictionaryAttr::get(op.getContext()));
  prototype.setScheduleAttr(schedule);
  func::FuncOp kernel = kernels.getOrCreate(prototype, hasStridedRows);
  func::CallOp::create(rewriter, loc, kernel, arguments);
  if (!llvm::is_contained(calledKernels, kernel.getName()))
    calledKernels.push_back(kernel.getName());
}

void SiteBuilder::buildCalls(Attribute schedule) {
  buildIf(
      hasExpectedRows, [&] { buildCall(schedule, /*expectsRows=*/true); },
      [&] { buildCall(schedule, /*expectsRows=*/false); });
}

Value SiteBuilder::buildGuard(GuardedScheduleAttr guarded) {
  auto getSize = [&](Value operand, LayoutAttr layout, char axis) -> Value {
    return getValueOrCreateConstantIndexOp(
        rewriter, loc, getMixedAxisSize(rewriter, loc, operand, layout, axis));
  };
  Value size;
  switch (guarded.getDim()) {
  case GuardDim::QueryLen:
    size = getSize(op.getQuery(), op.getQueryLayout(), 's');
    break;
  case GuardDim::KeyLen:
    size = getSize(op.getKey(), op.getKeyLayout(), 's');
    break;
  case GuardDim::Batch:
    size = getSize(op.getQuery(), op.getQueryLayout(), 'b');
    break;
  case GuardDim::KVHeads:
    size = getSize(op.getKey(), op.getKeyLayout(), 'h');
    break;
  }
  Value bound =
      arith::ConstantIndexOp::create(rewriter, loc, guarded.getBound());
  return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sle, size,
                               bound);
}

/// The first schedule whose guard holds.
void SiteBuilder::buildDispatch(ArrayRef<Attribute> schedules) {
  auto guarded = dyn_cast<GuardedScheduleAttr>(schedules.front());
  if (!guarded)
    return buildCalls(schedules.front());
  buildIf(
      buildGuard(guarded), [&] { buildCalls(guarded.getSchedule()); },
      [&] { buildDispatch(schedules.drop_front()); });
}

void SiteBuilder::remarkKernels() {
  auto caller = op->getParentOfType<func::FuncOp>();
  remark::passed(loc, remark::RemarkOpts::name("outlined-kernel")
                          .category(DEBUG_TYPE)
                          .function(caller.getName()))
      << remark::add("computed by {0}", llvm::join(calledKernels, ", "));
}

void SiteBuilder::build() {
  rewriter.setInsertionPoint(op);
  forgetStrides();
  for (HeadsOperand operand : getHeadsOperands(op))
    pack(operand);
  hasExpectedRows = buildHasExpectedRows();
  auto list = dyn_cast<ArrayAttr>(op.getScheduleAttr());
  buildDispatch(list ? list.getValue() : ArrayRef(op.getScheduleAttr()));
  for (const Packed &packed : packedOperands)
    unpack(packed);
  remarkKernels();
  rewriter.eraseOp(op);
}

unsigned mlir::mha::outlineKernels(ModuleOp module) {
  SmallVector<AttentionOp> sites;
  module.walk([&](AttentionOp op) {
    if (!op.getSchedule() || op.hasTensorSemantics() ||
        !isInFunctionOf(module, op))
      return;
    if (!op->getParentOfType<func::FuncOp>()->hasAttr(kKernelAttrName))
      sites.push_back(op);
  });
  KernelTable kernels(module);
  IRRewriter rewriter(module.getContext());
  for (AttentionOp op : sites)
    SiteBuilder(rewriter, op, kernels).build();
  return kernels.size();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct OutlineKernelsPass
    : mha::impl::OutlineKernelsPassBase<OutlineKernelsPass> {
  using OutlineKernelsPassBase::OutlineKernelsPassBase;

  void runOnOperation() override {
    getOperation()->walk(
        [&](ModuleOp module) { numKernels += outlineKernels(module); });
  }
};
} // namespace
