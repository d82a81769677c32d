//===- WrapEntryPoints.cpp - The signature of compiled functions ----------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Works on tensors, so that shapes of results and conditions on sizes are read
// off the function itself: a copy of the body that returns only sizes has no
// use for the rest of its ops, once sizes of results are resolved to sizes of
// arguments. See docs/Rationale.md, "Entry points".
//
//===----------------------------------------------------------------------===//

#include "mha/IR/MHA.h"
#include "mha/Support/SizeConditions.h"
#include "mha/Transforms/Passes.h"
#include "mha/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#define DEBUG_TYPE "mha-wrap-entry-points"

namespace mlir::mha {
#define GEN_PASS_DEF_WRAPENTRYPOINTSPASS
#include "mha/Transforms/Passes.h.inc"
} // namespace mlir::mha

using namespace mlir;
using namespace mlir::mha;

//===----------------------------------------------------------------------===//
// Checks before any change
//===----------------------------------------------------------------------===//

static bool isScalar(Type type) { return type.isIntOrIndexOrFloat(); }

static bool isTensorOfScalars(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isScalar(tensor.getElementType());
}

static LogicalResult verifySignature(func::FuncOp function) {
  if (function->hasAttr(kEntryTypeAttrName))
    return function.emitError() << "expected '" << function.getName()
                                << "' not to be the wrapper of an entry point "
                                   "already, found its attribute '"
                                << kEntryTypeAttrName << "'";
  auto verifyType = [&](StringRef what, unsigned number,
                        Type type) -> LogicalResult {
    if (isScalar(type) || isTensorOfScalars(type))
      return success();
    return function.emitError()
           << "expected " << what << " " << number << " of entry point '"
           << function.getName()
           << "' to be a scalar or a ranked tensor of scalars, found " << type;
  };
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes()))
    if (failed(verifyType("argument", number, type)))
      return failure();
  for (auto [number, type] : llvm::enumerate(function.getResultTypes()))
    if (failed(verifyType("result", number, type)))
      return failure();
  return success();
}

/// A body that ends in anything but a return, as unregistered ops may, has
/// results that nobody here can read.
static LogicalResult verifyTerminators(func::FuncOp function) {
  for (Block &block : function.getBody())
    if (!block.mightHaveTerminator() ||
        !block.back().hasTrait<OpTrait::IsTerminator>())
      return block.back().emitError()
             << "expected the blocks of entry point '" << function.getName()
             << "' to end in a known terminator, found '"
             << block.back().getName() << "'";
  return success();
}

static LogicalResult verifyNames(func::FuncOp function) {
  auto module = function->getParentOfType<ModuleOp>();
  for (StringRef suffix :
       {"_body", "_status", "_sizes", "_shape", "_workspace"}) {
    std::string name = (function.getName() + suffix).str();
    if (Operation *other = SymbolTable::lookupSymbolIn(module, name)) {
      InFlightDiagnostic diagnostic = other->emitError()
                                      << "expected the name '" << name
                                      << "' to be free for entry point '"
                                      << function.getName() << "'";
      diagnostic.attachNote(function.getLoc()) << "entry point is here";
      return diagnostic;
    }
  }
  return success();
}

/// Whether the sizes of `op` are checked whenever it runs: it lies at the top
/// of an entry point that nothing but its wrapper will call.
static bool isCheckedAtEntry(Operation *op,
                             ArrayRef<func::FuncOp> entryPoints) {
  auto function = dyn_cast<func::FuncOp>(op->getParentOp());
  return function && llvm::is_contained(entryPoints, function) &&
         function.getBody().hasOneBlock() &&
         SymbolTable::symbolKnownUseEmpty(
             function, function->getParentOfType<ModuleOp>());
}

static LogicalResult verifyChecked(Operation *op,
                                   ArrayRef<func::FuncOp> entryPoints) {
  if (isCheckedAtEntry(op, entryPoints) || !hasSizeConditions(op))
    return success();
  return op->emitError()
         << "expected static sizes and origins inside control flow and in "
            "functions that "
            "are called from inside the module: sizes are checked once, on "
            "entry";
}

//===----------------------------------------------------------------------===//
// Private functions that compute sizes only
//===----------------------------------------------------------------------===//

/// A private function with the arguments of `body`.
static func::FuncOp makePrivate(func::FuncOp body, StringRef name,
                                TypeRange resultTypes) {
  OpBuilder builder(body);
  auto function = func::FuncOp::create(
      builder, body.getLoc(), name,
      builder.getFunctionType(body.getArgumentTypes(), resultTypes));
  function.setPrivate();
  return function;
}

/// Replaces sizes of results of ops by sizes of their operands, and removes
/// what the function's results do not depend on, side effects included: they
/// belong to the body.
static void keepResultsOnly(func::FuncOp function) {
  RewritePatternSet patterns(function.getContext());
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  memref::populateResolveShapedTypeResultDimsPatterns(patterns);
  tensor::DimOp::getCanonicalizationPatterns(patterns, function.getContext());
  memref::DimOp::getCanonicalizationPatterns(patterns, function.getContext());
  bufferization::ToTensorOp::getCanonicalizationPatterns(patterns,
                                                         function.getContext());
  // Not reaching a fixed point only leaves more ops than needed.
  (void)applyPatternsGreedily(function, std::move(patterns));
  if (!function.getBody().hasOneBlock())
    return;
  SmallVector<Operation *> lastFirst;
  for (Operation &op :
       llvm::reverse(function.getBody().front().without_terminator()))
    lastFirst.push_back(&op);
  for (Operation *op : lastFirst)
    if (op->use_empty())
      op->erase();
}

/// What a size depends on is computed once more to find it, so it may not have
/// effects.
static LogicalResult verifyRepeatable(func::FuncOp function) {
  for (Operation &op : function.getBody().getOps())
    if (!isMemoryEffectFree(&op) && !op.hasTrait<OpTrait::IsTerminator>())
      return op.emitError()
             << "expected the sizes of results to follow from the arguments "
                "without side effects: they are told before the function runs";
  return success();
}

/// Copies the body into `function`, with other return operands.
static void copyBody(
    func::FuncOp body, func::FuncOp function,
    function_ref<SmallVector<Value>(OpBuilder &, func::ReturnOp)> makeResults) {
  IRMapping mapping;
  body.getBody().cloneInto(&function.getBody(), mapping);
  function.walk([&](func::ReturnOp returnOp) {
    OpBuilder builder(returnOp);
    returnOp->setOperands(makeResults(builder, returnOp));
  });
  keepResultsOnly(function);
}

/// `@f_sizes`: the dynamic sizes of the results; null when there are none.
static FailureOr<func::FuncOp> makeSizesFunction(func::FuncOp body,
                                                 StringRef name) {
  unsigned numSizes = 0;
  for (Type type : body.getResultTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      numSizes += tensor.getNumDynamicDims();
  if (numSizes == 0)
    return func::FuncOp();
  SmallVector<Type> types(numSizes, IndexType::get(body.getContext()));
  func::FuncOp function = makePrivate(body, name, types);
  copyBody(body, function, [](OpBuilder &builder, func::ReturnOp returnOp) {
    SmallVector<Value> sizes;
    for (Value result : returnOp.getOperands())
      if (auto tensor = dyn_cast<RankedTensorType>(result.getType()))
        for (int64_t dim = 0; dim < tensor.getRank(); ++dim)
          if (tensor.isDynamicDim(dim))
            sizes.push_back(
                tensor::DimOp::create(builder, returnOp.getLoc(), result, dim));
    return sizes;
  });
  if (failed(verifyRepeatable(function)))
    return failure();
  return function;
}

/// The status of the first of `conditions` that does not hold.
static Value buildFirstStatus(OpBuilder &builder, Location loc,
                              ArrayRef<SizeCondition> conditions) {
  Value first = arith::ConstantIntOp::create(builder, loc, MHA_STATUS_OK, 32);
  for (SizeCondition condition : llvm::reverse(conditions)) {
    Value status =
        arith::ConstantIntOp::create(builder, loc, condition.status, 32);
    first =
        arith::SelectOp::create(builder, loc, condition.holds, first, status);
  }
  return first;
}

/// The size conditions of the ops of `block`, each emitted before its op.
static SmallVector<SizeCondition> buildConditionsOf(Block &block) {
  SmallVector<SizeCondition> conditions;
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    OpBuilder builder(&op);
    llvm::append_range(conditions, buildSizeConditions(builder, &op));
  }
  return conditions;
}

/// `@f_status`: the first size condition that does not hold. A body of several
/// blocks has none, see verifyChecked.
static FailureOr<func::FuncOp> makeStatusFunction(func::FuncOp body,
                                                  StringRef name) {
  Type i32 = IntegerType::get(body.getContext(), 32);
  func::FuncOp function = makePrivate(body, name, i32);
  if (!body.getBody().hasOneBlock()) {
    OpBuilder builder(body.getContext());
    builder.setInsertionPointToStart(function.addEntryBlock());
    func::ReturnOp::create(builder, body.getLoc(),
                           buildFirstStatus(builder, body.getLoc(), {}));
    return function;
  }
  copyBody(body, function, [&](OpBuilder &builder, func::ReturnOp returnOp) {
    SmallVector<SizeCondition> conditions =
        buildConditionsOf(*returnOp->getBlock());
    return SmallVector<Value>{
        buildFirstStatus(builder, returnOp.getLoc(), conditions)};
  });
  if (failed(verifyRepeatable(function)))
    return failure();
  return function;
}

//===----------------------------------------------------------------------===//
// The public functions
//===----------------------------------------------------------------------===//

static MemRefType getStridedMemRef(ArrayRef<int64_t> shape, Type element) {
  SmallVector<int64_t> strides(shape.size(), ShapedType::kDynamic);
  auto layout = StridedLayoutAttr::get(element.getContext(),
                                       ShapedType::kDynamic, strides);
  return MemRefType::get(shape, element, layout);
}

/// The out-parameter of a result.
static MemRefType getOutType(Type result) {
  if (auto tensor = dyn_cast<RankedTensorType>(result))
    return getStridedMemRef(tensor.getShape(), tensor.getElementType());
  return getStridedMemRef({}, result);
}

/// A public function that a C caller sees, with the argument attributes of
/// `body` and read-only tensor arguments.
static func::FuncOp makePublic(func::FuncOp body, StringRef name,
                               ArrayRef<Type> moreArguments,
                               TypeRange results) {
  OpBuilder builder(body);
  SmallVector<Type> arguments(body.getArgumentTypes());
  llvm::append_range(arguments, moreArguments);
  auto function =
      func::FuncOp::create(builder, body.getLoc(), name,
                           builder.getFunctionType(arguments, results));
  function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                    builder.getUnitAttr());
  for (auto [number, type] : llvm::enumerate(body.getArgumentTypes())) {
    if (DictionaryAttr attrs = body.getArgAttrDict(number))
      function.setArgAttrs(number, attrs);
    // A caller's strides are honoured, whatever layout the body would like.
    function.removeArgAttr(
        number, bufferization::BufferizationDialect::kBufferLayoutAttrName);
    function.removeArgAttr(number, kDonatedAttrName);
    if (isa<TensorType>(type))
      function.setArgAttr(
          number, bufferization::BufferizationDialect::kWritableAttrName,
          builder.getBoolAttr(false));
  }
  function.addEntryBlock();
  return function;
}

/// Emits `%r... = scf.if status == 0 { then } else { kept }` and
/// `return status, %r...`.
static void returnAfter(OpBuilder &builder, Location loc, Value status,
                        ValueRange kept,
                        function_ref<SmallVector<Value>(OpBuilder &)> then) {
  Value ok = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq, status,
      arith::ConstantIntOp::create(builder, loc, MHA_STATUS_OK, 32));
  auto ifOp = scf::IfOp::create(
      builder, loc, ok,
      [&](OpBuilder &nested, Location) {
        scf::YieldOp::create(nested, loc, then(nested));
      },
      [&](OpBuilder &nested, Location) {
        scf::YieldOp::create(nested, loc, kept);
      });
  SmallVector<Value> results{status};
  llvm::append_range(results, ifOp.getResults());
  func::ReturnOp::create(builder, loc, results);
}

/// Whether the dynamic sizes of `places`, memrefs and donated tensors, are
/// `sizes`.
static Value buildOutputsFit(OpBuilder &builder, Location loc,
                             ArrayRef<Value> places, ValueRange sizes) {
  Value fits;
  for (Value place : places) {
    auto type = cast<ShapedType>(place.getType());
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim))
        continue;
      Value size =
          isa<MemRefType>(type)
              ? memref::DimOp::create(builder, loc, place, dim).getResult()
              : tensor::DimOp::create(builder, loc, place, dim).getResult();
      Value same = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         size, sizes.front());
      sizes = sizes.drop_front();
      fits = fits ? arith::AndIOp::create(builder, loc, fits, same).getResult()
                  : same;
    }
  }
  return fits;
}

namespace {
/// What a caller gives a compiled function beside arguments and results.
struct Resources {
  Value workspace, workspaceBytes, threads;
};
} // namespace

/// The bytes of workspace that `threads` workers need.
static Value buildWorkspaceBytes(OpBuilder &builder, Location loc,
                                 Value threads) {
  Value ofOne = ScratchSizeOp::create(builder, loc, builder.getI64Type());
  Value wide =
      arith::ExtSIOp::create(builder, loc, builder.getI64Type(), threads);
  return arith::MulIOp::create(builder, loc, ofOne, wide);
}

/// There is a worker, and enough workspace for all of them, which may be null
/// only where nothing is needed.
static SmallVector<SizeCondition>
buildResourceConditions(OpBuilder &builder, Location loc,
                        const Resources &resources) {
  Value one = arith::ConstantIntOp::create(builder, loc, 1, 32);
  Value someThread = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::sge, resources.threads, one);
  Value needed = buildWorkspaceBytes(builder, loc, resources.threads);
  Value enough = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                       resources.workspaceBytes, needed);
  Value null =
      LLVM::ZeroOp::create(builder, loc, resources.workspace.getType());
  Value isThere = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne,
                                       resources.workspace, null);
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 64);
  Value isNotNeeded = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq, needed, zero);
  Value usable = arith::OrIOp::create(builder, loc, isThere, isNotNeeded);
  Value fits = arith::AndIOp::create(builder, loc, enough, usable);
  return {{someThread, MHA_STATUS_THREADS}, {fits, MHA_STATUS_WORKSPACE}};
}

/// The status of the arguments, then that of the out-parameters' sizes, then
/// that of threads and workspace.
static Value buildStatus(OpBuilder &builder, Location loc, ValueRange arguments,
                         ArrayRef<Value> places, const Resources &resources,
                         func::FuncOp statusFunction,
                         func::FuncOp sizesFunction) {
  Value status = func::CallOp::create(builder, loc, statusFunction, arguments)
                     .getResult(0);
  SmallVector<SizeCondition> conditions;
  if (sizesFunction) {
    auto sizes = func::CallOp::create(builder, loc, sizesFunction, arguments);
    conditions.push_back(
        {buildOutputsFit(builder, loc, places, sizes.getResults()),
         MHA_STATUS_OUTPUT_SIZE});
  }
  llvm::append_range(conditions,
                     buildResourceConditions(builder, loc, resources));
  Value others = buildFirstStatus(builder, loc, conditions);
  Value ok = arith::ConstantIntOp::create(builder, loc, MHA_STATUS_OK, 32);
  Value argumentsOk =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, status, ok);
  return arith::SelectOp::create(builder, loc, argumentsOk, others, status);
}

/// Lets bufferization write to a tensor argument of `entry`.
static void markDonated(func::FuncOp entry, unsigned argument,
                        unsigned result) {
  Builder builder(entry.getContext());
  entry.setArgAttr(argument, kDonatedAttrName,
                   builder.getI64IntegerAttr(result));
  entry.setArgAttr(argument,
                   bufferization::BufferizationDialect::kWritableAttrName,
                   builder.getBoolAttr(true));
}

/// Writes `results` to their places; returns those that are donated tensors.
/// Out-parameters come first: they may take the value that a donated argument
/// has until then.
static SmallVector<Value> writeResults(OpBuilder &builder, ValueRange results,
                                       ArrayRef<Value> places) {
  SmallVector<std::pair<Value, Value>> donated;
  for (auto [result, place] : llvm::zip_equal(results, places)) {
    if (isa<TensorType>(place.getType())) {
      donated.emplace_back(result, place);
      continue;
    }
    Location loc = result.getLoc();
    Value tensor = result;
    if (isScalar(tensor.getType()))
      tensor = tensor::FromElementsOp::create(
          builder, loc, RankedTensorType::get({}, tensor.getType()), tensor);
    auto write = bufferization::MaterializeInDestinationOp::create(
        builder, loc, tensor, place);
    write.setRestrict(true);
    write.setWritable(true);
  }
  SmallVector<Value> written;
  for (auto [result, place] : donated)
    written.push_back(bufferization::MaterializeInDestinationOp::create(
                          builder, result.getLoc(), result, place)
                          .getResult());
  return written;
}

/// `@f`: checks, then computes into the out-parameters and donated arguments.
static void makeEntry(func::FuncOp body, StringRef name,
                      func::FuncOp statusFunction, func::FuncOp sizesFunction) {
  Builder types(body.getContext());
  SmallVector<std::optional<unsigned>> donors = getDonors(body);
  SmallVector<Type> moreArguments, results{types.getI32Type()};
  for (auto [type, donor] : llvm::zip_equal(body.getResultTypes(), donors)) {
    if (donor)
      results.push_back(type);
    else
      moreArguments.push_back(getOutType(type));
  }
  unsigned firstResource = body.getNumArguments() + moreArguments.size();
  moreArguments.push_back(LLVM::LLVMPointerType::get(body.getContext()));
  moreArguments.push_back(types.getI64Type());
  moreArguments.push_back(types.getI32Type());
  func::FuncOp entry = makePublic(body, name, moreArguments, results);
  for (StringRef attr :
       {kWorkspaceAttrName, kWorkspaceBytesAttrName, kThreadsAttrName})
    entry.setArgAttr(firstResource++, attr, types.getUnitAttr());
  for (NamedAttribute attr : body->getDiscardableAttrs())
    entry->setDiscardableAttr(attr.getName(), attr.getValue());
  entry->setDiscardableAttr(kEntryTypeAttrName,
                            TypeAttr::get(body.getFunctionType()));

  OpBuilder builder(entry.getBody());
  Location loc = body.getLoc();
  ValueRange all = entry.getArguments();
  ValueRange arguments = all.take_front(body.getNumArguments());
  ValueRange outs = all.drop_front(body.getNumArguments()).drop_back(3);
  ValueRange last = all.take_back(3);
  SmallVector<Value> places, donated;
  for (std::optional<unsigned> donor : donors) {
    if (donor) {
      markDonated(entry, *donor, places.size());
      donated.push_back(arguments[*donor]);
    }
    places.push_back(donor ? arguments[*donor] : outs.front());
    outs = outs.drop_front(donor ? 0 : 1);
  }
  Resources resources{last[0], last[1], last[2]};
  Value status = buildStatus(builder, loc, arguments, places, resources,
                             statusFunction, sizesFunction);
  returnAfter(builder, loc, status, donated, [&](OpBuilder &nested) {
    auto call = func::CallOp::create(nested, loc, body, arguments);
    return writeResults(nested, call.getResults(), places);
  });
  for (unsigned argument = 0; argument < body.getNumArguments(); ++argument)
    body.removeArgAttr(argument, kDonatedAttrName);
}

/// `@f_shape`: writes the dynamic sizes of the results.
static void makeShapeFunction(func::FuncOp body, StringRef name,
                              func::FuncOp statusFunction,
                              func::FuncOp sizesFunction) {
  Type i64 = IntegerType::get(body.getContext(), 64);
  Type i32 = IntegerType::get(body.getContext(), 32);
  func::FuncOp shape = makePublic(
      body, name, getStridedMemRef(sizesFunction.getNumResults(), i64), i32);
  OpBuilder builder(shape.getBody());
  Location loc = body.getLoc();
  ValueRange arguments = shape.getArguments().drop_back();
  Value status = func::CallOp::create(builder, loc, statusFunction, arguments)
                     .getResult(0);
  returnAfter(builder, loc, status, {}, [&](OpBuilder &nested) {
    auto sizes = func::CallOp::create(nested, loc, sizesFunction, arguments);
    for (auto [number, size] : llvm::enumerate(sizes.getResults())) {
      Value wide = arith::IndexCastOp::create(nested, loc, i64, size);
      Value at = arith::ConstantIndexOp::create(nested, loc, number);
      memref::StoreOp::create(nested, loc, wide, shape.getArguments().back(),
                              at);
    }
    return SmallVector<Value>();
  });
}

/// `@f_workspace`: bytes do not depend on sizes so far.
static void makeWorkspaceFunction(func::FuncOp body, StringRef name) {
  OpBuilder builder(body);
  unsigned numSizes = 0;
  for (Type type : body.getArgumentTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      numSizes += tensor.getNumDynamicDims();
  SmallVector<Type> arguments(numSizes, builder.getI64Type());
  arguments.push_back(builder.getI32Type());
  auto workspace = func::FuncOp::create(
      builder, body.getLoc(), name,
      builder.getFunctionType(arguments, builder.getI64Type()));
  workspace->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                     builder.getUnitAttr());
  builder.setInsertionPointToStart(workspace.addEntryBlock());
  Value bytes = buildWorkspaceBytes(builder, body.getLoc(),
                                    workspace.getArguments().back());
  func::ReturnOp::create(builder, body.getLoc(), bytes);
}

LogicalResult mlir::mha::wrapEntryPoint(func::FuncOp function) {
  if (failed(verifySignature(function)) ||
      failed(verifyTerminators(function)) || failed(verifyNames(function)))
    return failure();

  auto module = function->getParentOfType<ModuleOp>();
  std::string name = function.getName().str();
  // Calls inside the module keep calling the body, on tensors.
  SymbolTable symbols(module);
  if (failed(symbols.rename(function, name + "_body")))
    return failure();
  function.setPrivate();
  FailureOr<func::FuncOp> status =
      makeStatusFunction(function, name + "_status");
  FailureOr<func::FuncOp> sizes = makeSizesFunction(function, name + "_sizes");
  if (failed(status) || failed(sizes))
    return failure();
  makeEntry(function, name, *status, *sizes);
  if (*sizes)
    makeShapeFunction(function, name + "_shape", *status, *sizes);
  makeWorkspaceFunction(function, name + "_workspace");
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct WrapEntryPointsPass
    : mha::impl::WrapEntryPointsPassBase<WrapEntryPointsPass> {
  using WrapEntryPointsPassBase::WrapEntryPointsPassBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> entryPoints;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function.isPublic() && !function.isExternal())
        entryPoints.push_back(function);

    WalkResult allChecked = getOperation().walk([&](Operation *op) {
      bool isFine = !isa_and_nonnull<MHADialect>(op->getDialect()) ||
                    succeeded(verifyChecked(op, entryPoints));
      return isFine ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (allChecked.wasInterrupted())
      return signalPassFailure();

    for (func::FuncOp function : entryPoints) {
      if (failed(wrapEntryPoint(function)))
        return signalPassFailure();
      ++numWrapped;
    }
  }
};
} // namespace
