//===- OutlineParallel.cpp - Parallel loops as calls of the runtime -------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before any conversion to the LLVM dialect: bodies stay functions of the func
// dialect, so every other pass works on them. What a body captures travels in
// one LLVM struct of the converted types; the casts between the two worlds
// cancel out in reconcile-unrealized-casts.
//
//===----------------------------------------------------------------------===//

#include "mha/IR/MHA.h"
#include "mha/Transforms/Passes.h"
#include "mha/Transforms/Transforms.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::mha {
#define GEN_PASS_DEF_OUTLINEPARALLELPASS
#include "mha/Transforms/Passes.h.inc"
} // namespace mlir::mha

using namespace mlir;
using namespace mlir::mha;

/// A cache line, and the widest vector of the CPUs we know.
constexpr int64_t kScratchAlignment = 64;
/// Buffers that start at equal offsets modulo a page compete for the same sets
/// of the first-level cache: each starts this much further into its page than
/// the one before.
constexpr int64_t kPage = 4096;
constexpr int64_t kStagger = 17 * kScratchAlignment;

static constexpr llvm::StringLiteral kRuntimeName = "mha_parallel_for";

bool mlir::mha::isInFunctionOf(ModuleOp module, Operation *op) {
  auto function = op->getParentOfType<func::FuncOp>();
  return function && function->getParentOp() == module;
}

bool mlir::mha::isLoopOverItems(scf::ForallOp loop) {
  std::optional<ArrayAttr> mapping = loop.getMapping();
  return mapping && !mapping->empty() &&
         llvm::all_of(*mapping, [](Attribute a) { return isa<ItemAttr>(a); });
}

//===----------------------------------------------------------------------===//
// Scratch
//===----------------------------------------------------------------------===//

/// The bytes that a scratch buffer takes up in its worker's share.
static int64_t getFootprint(ScratchOp scratch, const DataLayout &layout) {
  MemRefType type = scratch.getBuffer().getType();
  int64_t bytes =
      type.getNumElements() * layout.getTypeSize(type.getElementType());
  return llvm::alignTo(bytes, kPage) + kStagger;
}

/// The share of one worker: that of the loop with the most scratch, with room
/// to align it.
static int64_t getScratchSize(ArrayRef<scf::ForallOp> loops,
                              const DataLayout &layout) {
  int64_t most = 0;
  for (scf::ForallOp loop : loops) {
    int64_t bytes = 0;
    loop->walk(
        [&](ScratchOp scratch) { bytes += getFootprint(scratch, layout); });
    most = std::max(most, bytes);
  }
  return most == 0 ? 0
                   : llvm::alignTo(most, kScratchAlignment) + kScratchAlignment;
}

//===----------------------------------------------------------------------===//
// Workspace and threads as arguments
//===----------------------------------------------------------------------===//

static std::optional<unsigned> findArgument(func::FuncOp function,
                                            StringRef attr) {
  for (unsigned number = 0; number < function.getNumArguments(); ++number)
    if (function.getArgAttr(number, attr))
      return number;
  return std::nullopt;
}

/// The functions that run `loops`, and their callers.
static llvm::SetVector<func::FuncOp>
collectUsers(ModuleOp module, ArrayRef<scf::ForallOp> loops) {
  llvm::SetVector<func::FuncOp> users;
  for (scf::ForallOp loop : loops)
    users.insert(loop->getParentOfType<func::FuncOp>());
  llvm::MapVector<StringRef, SmallVector<func::FuncOp>> callers;
  module.walk([&](func::CallOp call) {
    if (isInFunctionOf(module, call))
      callers[call.getCallee()].push_back(
          call->getParentOfType<func::FuncOp>());
  });
  for (unsigned i = 0; i < users.size(); ++i) {
    func::FuncOp callee = users[i];
    for (func::FuncOp caller : callers.lookup(callee.getName()))
      users.insert(caller);
  }
  return users;
}

/// Appends the argument `attr` to a function that has none.
static LogicalResult addArgument(func::FuncOp function, StringRef attr,
                                 Type type) {
  if (findArgument(function, attr))
    return success();
  Builder builder(function.getContext());
  return function.insertArgument(function.getNumArguments(), type,
                                 builder.getDictionaryAttr(builder.getNamedAttr(
                                     attr, builder.getUnitAttr())),
                                 function.getLoc());
}

/// A function whose address is taken is called by who knows whom.
static LogicalResult verifyCalledByName(func::FuncOp function,
                                        ModuleOp module) {
  auto uses = SymbolTable::getSymbolUses(function, module);
  if (!uses)
    return function.emitError()
           << "expected all uses of '" << function.getName()
           << "', which runs parallel work, to be known, found ops of unknown "
              "dialects with regions";
  for (SymbolTable::SymbolUse use : *uses)
    if (!isa<func::CallOp>(use.getUser()))
      return use.getUser()->emitError()
             << "expected '" << function.getName()
             << "', which runs parallel work, to be called by name only";
  return success();
}

/// Gives `users` a workspace and a number of threads, and passes them down.
static LogicalResult addResources(ModuleOp module,
                                  ArrayRef<func::FuncOp> users) {
  Builder builder(module.getContext());
  Type pointer = LLVM::LLVMPointerType::get(module.getContext());
  SmallVector<func::FuncOp> changed;
  for (func::FuncOp function : users) {
    bool isComplete = findArgument(function, kWorkspaceAttrName) &&
                      findArgument(function, kThreadsAttrName);
    if (isComplete)
      continue;
    if (failed(verifyCalledByName(function, module)) ||
        failed(addArgument(function, kWorkspaceAttrName, pointer)) ||
        failed(addArgument(function, kThreadsAttrName, builder.getI32Type())))
      return failure();
    changed.push_back(function);
  }
  for (func::FuncOp callee : changed)
    for (func::FuncOp caller : users)
      caller.walk([&](func::CallOp call) {
        if (call.getCallee() != callee.getName())
          return;
        for (StringRef attr : {kWorkspaceAttrName, kThreadsAttrName})
          call.getOperandsMutable().append(
              caller.getArgument(*findArgument(caller, attr)));
      });
  return success();
}

//===----------------------------------------------------------------------===//
// Outlining
//===----------------------------------------------------------------------===//

namespace {
/// Turns one loop into a body function and a call of the runtime.
class LoopOutliner {
public:
  LoopOutliner(SymbolTable &symbols, scf::ForallOp loop, int64_t scratchSize)
      : symbols(symbols), loop(loop), scratchSize(scratchSize),
        caller(loop->getParentOfType<func::FuncOp>()), builder(loop),
        loc(loop.getLoc()), types(loop.getContext()),
        pointer(LLVM::LLVMPointerType::get(loop.getContext())) {}

  LogicalResult outline();

private:
  void buildTripCounts();
  LogicalResult collectCaptures();
  func::FuncOp makeBody();
  void unpackCaptures(OpBuilder &body, Value context);
  void mapInductionVariables(OpBuilder &body, Value item);
  void placeScratch(func::FuncOp body);
  FailureOr<func::FuncOp> getRuntime();
  Value packCaptures();
  Value getField(OpBuilder &at, Value context, unsigned number);

  SymbolTable &symbols;
  scf::ForallOp loop;
  int64_t scratchSize;
  func::FuncOp caller;
  OpBuilder builder;
  Location loc;
  LLVMTypeConverter types;
  Type pointer;
  /// Of each loop, as values in the caller.
  SmallVector<Value> lowerBounds, steps, tripCounts;
  /// Values of the caller that the body needs, and constants, which the body
  /// gets its own copies of.
  SmallVector<Value> captures;
  SmallVector<Operation *> constants;
  LLVM::LLVMStructType contextType;
  IRMapping mapping;
};
} // namespace

void LoopOutliner::buildTripCounts() {
  auto asValue = [&](OpFoldResult bound) {
    return getValueOrCreateConstantIndexOp(builder, loc, bound);
  };
  for (auto [lower, upper, step] :
       llvm::zip_equal(loop.getMixedLowerBound(), loop.getMixedUpperBound(),
                       loop.getMixedStep())) {
    lowerBounds.push_back(asValue(lower));
    steps.push_back(asValue(step));
    Value last = asValue(upper);
    Value span =
        builder.createOrFold<arith::SubIOp>(loc, last, lowerBounds.back());
    tripCounts.push_back(
        builder.createOrFold<arith::CeilDivSIOp>(loc, span, steps.back()));
  }
}

LogicalResult LoopOutliner::collectCaptures() {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(loop.getRegion(), used);
  for (auto *values : {&lowerBounds, &steps, &tripCounts})
    used.insert(values->begin(), values->end());
  used.insert(caller.getArgument(*findArgument(caller, kWorkspaceAttrName)));
  SmallVector<Type> fields;
  for (Value value : used) {
    if (matchPattern(value, m_Constant())) {
      constants.push_back(value.getDefiningOp());
      continue;
    }
    Type type = types.convertType(value.getType());
    if (!type)
      return loop.emitError() << "expected what a parallel loop uses from "
                                 "outside to have an LLVM type, found "
                              << value.getType();
    captures.push_back(value);
    fields.push_back(type);
  }
  contextType = LLVM::LLVMStructType::getLiteral(loop.getContext(), fields);
  return success();
}

Value LoopOutliner::getField(OpBuilder &at, Value context, unsigned number) {
  return LLVM::GEPOp::create(
      at, loc, pointer, contextType, context,
      ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(number)});
}

/// The captures as values of the body.
void LoopOutliner::unpackCaptures(OpBuilder &body, Value context) {
  for (Operation *constant : constants)
    body.clone(*constant, mapping);
  for (auto [number, value] : llvm::enumerate(captures)) {
    Type field = contextType.getBody()[number];
    Value place = getField(body, context, number);
    Value loaded = LLVM::LoadOp::create(body, loc, field, place);
    if (field != value.getType())
      loaded =
          UnrealizedConversionCastOp::create(body, loc, value.getType(), loaded)
              .getResult(0);
    mapping.map(value, loaded);
  }
}

/// The loops' indices from the number of the item: the loop of the highest
/// order moves fastest.
void LoopOutliner::mapInductionVariables(OpBuilder &body, Value item) {
  ArrayRef<Attribute> places = loop.getMapping()->getValue();
  SmallVector<unsigned> fastestFirst(
      llvm::to_vector(llvm::seq<unsigned>(0, loop.getRank())));
  llvm::stable_sort(fastestFirst, [&](unsigned lhs, unsigned rhs) {
    return cast<ItemAttr>(places[lhs]).getOrder() >
           cast<ItemAttr>(places[rhs]).getOrder();
  });
  Value rest = arith::IndexCastOp::create(body, loc, body.getIndexType(), item);
  for (unsigned number : fastestFirst) {
    Value trips = mapping.lookup(tripCounts[number]);
    Value trip = body.createOrFold<arith::RemUIOp>(loc, rest, trips);
    rest = body.createOrFold<arith::DivUIOp>(loc, rest, trips);
    if (cast<ItemAttr>(places[number]).getDescending()) {
      Value one = arith::ConstantIndexOp::create(body, loc, 1);
      Value last = arith::SubIOp::create(body, loc, trips, one);
      trip = arith::SubIOp::create(body, loc, last, trip);
    }
    Value distance =
        arith::MulIOp::create(body, loc, trip, mapping.lookup(steps[number]));
    Value index = arith::AddIOp::create(
        body, loc, mapping.lookup(lowerBounds[number]), distance);
    mapping.map(loop.getInductionVar(number), index);
  }
}

/// Scratch buffers become parts of the share of the body's worker.
void LoopOutliner::placeScratch(func::FuncOp body) {
  SmallVector<ScratchOp> buffers;
  body.walk([&](ScratchOp scratch) { buffers.push_back(scratch); });
  if (buffers.empty())
    return;
  DataLayout layout = DataLayout::closest(body);
  Value workspace = mapping.lookup(
      caller.getArgument(*findArgument(caller, kWorkspaceAttrName)));
  OpBuilder at(body.getContext());
  at.setInsertionPointAfterValue(workspace);
  Type i64 = at.getI64Type();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(at, loc, value, 64);
  };
  // The first aligned byte of the share; shares have room for it.
  Value address = LLVM::PtrToIntOp::create(at, loc, i64, workspace);
  Value zero = constant(0), mask = constant(kScratchAlignment - 1);
  Value negative = arith::SubIOp::create(at, loc, zero, address);
  Value skipped = arith::AndIOp::create(at, loc, negative, mask);
  Value worker = arith::ExtSIOp::create(at, loc, i64, body.getArgument(2));
  Value size = constant(scratchSize);
  Value share = arith::MulIOp::create(at, loc, worker, size);
  Value start = arith::AddIOp::create(at, loc, share, skipped);
  int64_t offset = 0;
  for (ScratchOp scratch : buffers) {
    Value distance = arith::AddIOp::create(at, loc, start, constant(offset));
    Value first =
        LLVM::GEPOp::create(at, loc, pointer, at.getI8Type(), workspace,
                            ArrayRef<LLVM::GEPArg>{distance});
    MemRefType type = scratch.getBuffer().getType();
    Value descriptor =
        MemRefDescriptor::fromStaticShape(at, loc, types, type, first);
    Value buffer = UnrealizedConversionCastOp::create(at, loc, type, descriptor)
                       .getResult(0);
    offset += getFootprint(scratch, layout);
    scratch.getBuffer().replaceAllUsesWith(buffer);
    scratch.erase();
  }
}

/// `@CALLER_item(context, item, worker)`.
func::FuncOp LoopOutliner::makeBody() {
  OpBuilder at(caller->getContext());
  auto type = at.getFunctionType({pointer, at.getI64Type(), at.getI32Type()},
                                 TypeRange());
  auto body =
      func::FuncOp::create(loc, (caller.getName() + "_item").str(), type);
  body.setPrivate();
  body->setAttr("llvm.linkage", LLVM::LinkageAttr::get(
                                    at.getContext(), LLVM::Linkage::Internal));
  symbols.insert(body, std::next(caller->getIterator()));
  Block *block = body.addEntryBlock();
  at.setInsertionPointToStart(block);
  unpackCaptures(at, block->getArgument(0));
  mapInductionVariables(at, block->getArgument(1));
  for (Operation &op : loop.getBody()->without_terminator())
    at.clone(op, mapping);
  func::ReturnOp::create(at, loc);
  placeScratch(body);
  return body;
}

/// The declaration of the runtime's function.
FailureOr<func::FuncOp> LoopOutliner::getRuntime() {
  auto type = builder.getFunctionType(
      {builder.getI64Type(), builder.getI32Type(), pointer, pointer},
      TypeRange());
  if (Operation *known = symbols.lookup(kRuntimeName)) {
    auto function = dyn_cast<func::FuncOp>(known);
    if (function && function.isExternal() && function.getFunctionType() == type)
      return function;
    known->emitError() << "expected the name '" << kRuntimeName
                       << "' to be the runtime's function of type " << type;
    return failure();
  }
  auto function = func::FuncOp::create(loc, kRuntimeName, type);
  function.setPrivate();
  symbols.insert(function, Block::iterator(caller));
  return function;
}

/// A struct on the caller's stack with the captures.
Value LoopOutliner::packCaptures() {
  Value context;
  {
    // Once for each call, wherever the loop stands.
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&caller.getBody().front());
    Value one = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                         builder.getI64IntegerAttr(1));
    context = LLVM::AllocaOp::create(builder, loc, pointer, contextType, one,
                                     kScratchAlignment);
  }
  for (auto [number, value] : llvm::enumerate(captures)) {
    Type field = contextType.getBody()[number];
    Value stored = value;
    if (field != value.getType())
      stored = UnrealizedConversionCastOp::create(builder, loc, field, value)
                   .getResult(0);
    Value place = getField(builder, context, number);
    LLVM::StoreOp::create(builder, loc, stored, place);
  }
  return context;
}

LogicalResult LoopOutliner::outline() {
  buildTripCounts();
  FailureOr<func::FuncOp> runtime = getRuntime();
  if (failed(runtime) || failed(collectCaptures()))
    return failure();
  func::FuncOp body = makeBody();
  Value context = packCaptures();
  Value items = tripCounts.front();
  for (Value trips : ArrayRef(tripCounts).drop_front())
    items = builder.createOrFold<arith::MulIOp>(loc, items, trips);
  Value count =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), items);
  Value function = func::ConstantOp::create(
      builder, loc, body.getFunctionType(), SymbolRefAttr::get(body));
  Value address =
      UnrealizedConversionCastOp::create(builder, loc, pointer, function)
          .getResult(0);
  Value threads = caller.getArgument(*findArgument(caller, kThreadsAttrName));
  func::CallOp::create(builder, loc, *runtime,
                       ValueRange{count, threads, address, context});
  loop.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Transformation
//===----------------------------------------------------------------------===//

/// Scratch belongs to the worker of an item, and an item is run by one worker.
static LogicalResult verifyNesting(ModuleOp module) {
  auto isInItem = [](Operation *op) {
    for (auto loop = op->getParentOfType<scf::ForallOp>(); loop;
         loop = loop->getParentOfType<scf::ForallOp>())
      if (isLoopOverItems(loop))
        return true;
    return false;
  };
  WalkResult result = module.walk([&](Operation *op) {
    if (op->getParentOfType<ModuleOp>() != module)
      return WalkResult::advance();
    auto loop = dyn_cast<scf::ForallOp>(op);
    if (loop && isLoopOverItems(loop)) {
      if (isInItem(op)) {
        op->emitError() << "expected loops over items not to nest";
        return WalkResult::interrupt();
      }
      if (loop->getNumResults() != 0) {
        op->emitError() << "expected a loop over items on memrefs, found "
                           "results";
        return WalkResult::interrupt();
      }
      if (!isa_and_nonnull<func::FuncOp>(
              loop->getParentWithTrait<OpTrait::IsIsolatedFromAbove>())) {
        op->emitError() << "expected a loop over items inside a function";
        return WalkResult::interrupt();
      }
    }
    if (isa<ScratchOp>(op) && !isInItem(op)) {
      op->emitOpError() << "expected a loop over items around it";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// An item may not run items of its own by a call either: they would take the
/// scratch of other workers.
static LogicalResult verifyCallsInItems(ArrayRef<scf::ForallOp> loops,
                                        ArrayRef<func::FuncOp> users) {
  for (scf::ForallOp loop : loops) {
    WalkResult result = loop->walk([&](func::CallOp call) {
      for (func::FuncOp user : users) {
        if (user.getName() != call.getCallee())
          continue;
        InFlightDiagnostic diagnostic =
            call.emitError()
            << "expected loops over items not to nest, found a call of '"
            << user.getName() << "', which runs one";
        diagnostic.attachNote(loop.getLoc()) << "called from this loop";
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
  }
  return success();
}

FailureOr<unsigned> mlir::mha::outlineParallel(ModuleOp module) {
  if (failed(verifyNesting(module)))
    return failure();
  SmallVector<scf::ForallOp> loops;
  module.walk([&](scf::ForallOp loop) {
    if (isLoopOverItems(loop) && isInFunctionOf(module, loop))
      loops.push_back(loop);
  });
  int64_t scratchSize = getScratchSize(loops, DataLayout(module));
  auto users = collectUsers(module, loops);
  if (failed(verifyCallsInItems(loops, users.getArrayRef())) ||
      failed(addResources(module, users.getArrayRef())))
    return failure();
  SymbolTable symbols(module);
  for (scf::ForallOp loop : loops)
    if (failed(LoopOutliner(symbols, loop, scratchSize).outline()))
      return failure();
  module.walk([&](ScratchSizeOp op) {
    if (!isInFunctionOf(module, op))
      return;
    OpBuilder builder(op);
    Value bytes =
        arith::ConstantIntOp::create(builder, op.getLoc(), scratchSize, 64);
    op.getBytes().replaceAllUsesWith(bytes);
    op.erase();
  });
  return loops.size();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct OutlineParallelPass
    : mha::impl::OutlineParallelPassBase<OutlineParallelPass> {
  using OutlineParallelPassBase::OutlineParallelPassBase;

  void runOnOperation() override {
    WalkResult result = getOperation()->walk([&](ModuleOp module) {
      FailureOr<unsigned> outlined = outlineParallel(module);
      if (failed(outlined))
        return WalkResult::interrupt();
      numOutlined += *outlined;
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
