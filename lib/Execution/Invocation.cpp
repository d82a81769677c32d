//===- Invocation.cpp - Calls of a compiled entry point -------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/Invocation.h"

#include "mha/Execution/Allocations.h"
#include "mha/Runtime/Status.h"

#include "llvm/ADT/STLExtras.h"

#include <chrono>
#include <cstring>

using namespace mlir;
using namespace mlir::mha;

//===----------------------------------------------------------------------===//
// Arguments of the call
//===----------------------------------------------------------------------===//

namespace {
/// The argument list of a compiled function: pointers to the values, and the
/// memref descriptors that some of the values point to. A descriptor is
/// {allocated, aligned, offset, sizes..., strides...}, all of 8 bytes.
class ArgumentList {
public:
  /// Appends a tensor. Only results are written through their descriptor.
  void addTensor(const HostTensor &tensor) {
    auto &descriptor =
        *descriptors.emplace_back(std::make_unique<SmallVector<int64_t>>());
    auto address = reinterpret_cast<intptr_t>(tensor.getData());
    descriptor = {address, address, /*offset=*/0};
    llvm::append_range(descriptor, tensor.getShape());
    llvm::append_range(descriptor, tensor.getStrides());
    addWord(reinterpret_cast<intptr_t>(descriptor.data()));
  }

  /// Appends a scalar; the tensor of rank 0 must outlive the list.
  void addScalar(const HostTensor &tensor) {
    values.push_back(const_cast<char *>(tensor.getData()));
  }

  /// Appends a pointer or an integer. The low bytes are those of a smaller
  /// integer: LLVM's code for this machine and we agree on little endian.
  void addWord(int64_t word) {
    words.push_back(std::make_unique<int64_t>(word));
    values.push_back(words.back().get());
  }

  /// Calls `function`, which returns a `Result`.
  template <typename Result>
  Result call(CompiledModule::Function function) {
    Result result{};
    values.push_back(&result);
    function(values.data());
    values.pop_back();
    return result;
  }

private:
  SmallVector<void *> values;
  SmallVector<std::unique_ptr<int64_t>> words;
  SmallVector<std::unique_ptr<SmallVector<int64_t>>> descriptors;
};
} // namespace

/// The arguments of the source function; those that are donated, for one of
/// `results`, are passed in its memory, which holds a copy of them.
static ArgumentList listArguments(const EntryPoint &entry,
                                  ArrayRef<HostTensor> arguments,
                                  ArrayRef<HostTensor> results = {}) {
  func::FuncOp function = entry.function;
  SmallVector<const HostTensor *> values = llvm::map_to_vector(
      arguments, [](const HostTensor &tensor) { return &tensor; });
  for (auto [declared, result] : llvm::zip(entry.results, results))
    if (declared.donor)
      values[*declared.donor] = &result;
  ArgumentList list;
  for (auto [type, value] : llvm::zip(function.getArgumentTypes(), values)) {
    if (isa<TensorType>(type))
      list.addTensor(*value);
    else
      list.addScalar(*value);
  }
  return list;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static llvm::Error checkArgument(const EntryArgument &declared,
                                 const HostTensor &value, bool promoted) {
  ElementType elementType = declared.type.elementType;
  if (promoted && isFloat(elementType))
    elementType = ElementType::F64;
  ArrayRef<int64_t> expected = declared.type.shape, found = value.getShape();
  bool fits =
      value.getElementType() == elementType && expected.size() == found.size();
  for (auto [expectedSize, foundSize] : llvm::zip(expected, found))
    fits &= expectedSize == kDynamicDim || expectedSize == foundSize;
  if (fits)
    return llvm::Error::success();
  return llvm::createStringError("argument '" + declared.name + "': expected " +
                                 toString(elementType, expected) + ", found " +
                                 value.typeToString());
}

/// The sentence of a status, and what was passed.
static llvm::Error checkStatus(int32_t status, const EntryPoint &entry,
                               ArrayRef<HostTensor> arguments) {
  if (status == MHA_STATUS_OK)
    return llvm::Error::success();
  std::string passed;
  llvm::raw_string_ostream os(passed);
  llvm::interleaveComma(llvm::zip(entry.arguments, arguments), os,
                        [&](auto pair) {
                          auto &[declared, value] = pair;
                          os << declared.name << ": " << value.typeToString();
                        });
  return llvm::createStringError(
      "'" + entry.getName() +
      "' refused its arguments: " + mha_status_message(status) + " (status " +
      Twine(status) + "; " + passed + ")");
}

/// Whether the function has written beside a buffer, named `what`.
static llvm::Error checkGuards(const HostTensor &buffer, const Twine &what,
                               const EntryPoint &entry) {
  std::optional<GuardDamage> damage = buffer.findGuardDamage();
  if (!damage)
    return llvm::Error::success();
  bool before = damage->side == GuardDamage::Side::Before;
  return llvm::createStringError(
      "expected '" + entry.getName() +
      "' to write inside its buffers only, found byte " +
      Twine(damage->distance + 1) + " " +
      (before ? "before the start" : "behind the end") + " of " + what +
      " changed");
}

static llvm::Error checkArgumentGuards(const EntryPoint &entry,
                                       ArrayRef<HostTensor> arguments) {
  for (auto [declared, value] : llvm::zip(entry.arguments, arguments))
    if (llvm::Error error =
            checkGuards(value, "argument '" + declared.name + "'", entry))
      return error;
  return llvm::Error::success();
}

static llvm::Error checkAllGuards(const EntryPoint &entry,
                                  ArrayRef<HostTensor> arguments,
                                  ArrayRef<HostTensor> results,
                                  const HostTensor &workspace) {
  if (llvm::Error error = checkArgumentGuards(entry, arguments))
    return error;
  for (auto [index, result] : llvm::enumerate(results))
    if (llvm::Error error =
            checkGuards(result, "result " + Twine(index), entry))
      return error;
  return checkGuards(workspace, "the workspace", entry);
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// The dynamic sizes of all results, in order.
static llvm::Expected<SmallVector<int64_t>>
callShapeFunction(const CompiledModule &module, const EntryInterface &interface,
                  const EntryPoint &entry, ArrayRef<HostTensor> arguments) {
  SmallVector<int64_t> sizes;
  if (interface.shapeSymbol.empty())
    return sizes;
  auto function = module.lookup(interface.shapeSymbol);
  if (!function)
    return function.takeError();
  int64_t numDynamic = 0;
  for (const EntryResult &result : entry.results)
    numDynamic += llvm::count(result.type.shape, kDynamicDim);
  auto buffer = HostTensor::create(ElementType::I64, {numDynamic});
  if (!buffer)
    return buffer.takeError();
  ArgumentList list = listArguments(entry, arguments);
  list.addTensor(*buffer);
  auto status = list.call<int32_t>(*function);
  if (llvm::Error error = checkArgumentGuards(entry, arguments))
    return error;
  if (llvm::Error error =
          checkGuards(*buffer, "the sizes of its results", entry))
    return error;
  if (llvm::Error error = checkStatus(status, entry, arguments))
    return error;
  for (int64_t i = 0; i < numDynamic; ++i)
    sizes.push_back(buffer->getInt(i));
  return sizes;
}

/// Poisoned memory for each result, and a copy of the argument where that is
/// donated.
static llvm::Expected<std::vector<HostTensor>>
allocateResults(const EntryPoint &entry, bool promoted,
                ArrayRef<HostTensor> arguments,
                ArrayRef<int64_t> dynamicSizes) {
  std::vector<HostTensor> results;
  for (const EntryResult &result : entry.results) {
    SmallVector<int64_t> shape = result.type.shape;
    for (int64_t &size : shape) {
      if (size != kDynamicDim)
        continue;
      size = dynamicSizes.front();
      dynamicSizes = dynamicSizes.drop_front();
    }
    ElementType elementType = result.type.elementType;
    if (promoted && isFloat(elementType))
      elementType = ElementType::F64;
    auto tensor = result.donor ? arguments[*result.donor].clone()
                               : HostTensor::create(elementType, shape);
    if (!tensor)
      return tensor.takeError();
    if (!result.donor)
      tensor->poison();
    results.push_back(std::move(*tensor));
  }
  return results;
}

static llvm::Expected<HostTensor>
allocateWorkspace(const CompiledModule &module, const EntryInterface &interface,
                  const EntryPoint &entry, ArrayRef<HostTensor> arguments,
                  int32_t threads) {
  auto function = module.lookup(interface.workspaceSymbol);
  if (!function)
    return function.takeError();
  ArgumentList list;
  for (auto [declared, value] : llvm::zip(entry.arguments, arguments))
    for (auto [declaredSize, size] :
         llvm::zip(declared.type.shape, value.getShape()))
      if (declaredSize == kDynamicDim)
        list.addWord(size);
  list.addWord(threads);
  auto workspace =
      HostTensor::create(ElementType::I8, {list.call<int64_t>(*function)});
  if (workspace)
    workspace->poison();
  return workspace;
}

//===----------------------------------------------------------------------===//
// The call
//===----------------------------------------------------------------------===//

static SmallVector<KernelUse> listKernelUses(const CompiledModule &module) {
  SmallVector<KernelUse> uses;
  for (auto [name, count] :
       llvm::zip_equal(module.getKernelNames(), getKernelCalls()))
    if (count != 0)
      uses.push_back({name, count});
  return uses;
}

/// All that the compiled function takes.
static ArgumentList listAll(const EntryPoint &entry,
                            ArrayRef<HostTensor> arguments,
                            ArrayRef<HostTensor> results,
                            const HostTensor &workspace, int32_t threads) {
  ArgumentList list = listArguments(entry, arguments, results);
  for (auto [declared, result] : llvm::zip_equal(entry.results, results))
    if (!declared.donor)
      list.addTensor(result);
  list.addWord(reinterpret_cast<intptr_t>(workspace.getData()));
  list.addWord(workspace.getNumBytes());
  list.addWord(threads);
  return list;
}

/// Copies the arguments that are donated into the memory of their results.
static void restoreDonated(const EntryPoint &entry,
                           ArrayRef<HostTensor> arguments,
                           MutableArrayRef<HostTensor> results) {
  for (auto [declared, result] : llvm::zip_equal(entry.results, results))
    if (declared.donor)
      std::memcpy(result.getData(), arguments[*declared.donor].getData(),
                  result.getNumBytes());
}

/// Times calls; before each, `restore` restores what a call changes.
static SmallVector<double> timeCalls(ArgumentList &list,
                                     CompiledModule::Function function,
                                     unsigned numCalls,
                                     function_ref<void()> restore) {
  SmallVector<double> milliseconds;
  for (unsigned call = 0; call < numCalls; ++call) {
    restore();
    auto start = std::chrono::steady_clock::now();
    list.call<int32_t>(function);
    std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - start;
    milliseconds.push_back(elapsed.count());
  }
  return milliseconds;
}

llvm::Expected<CallOutcome> mlir::mha::callEntryPoint(
    const CompiledModule &module, const EntryInterface &interface,
    const EntryPoint &entry, ArrayRef<HostTensor> arguments,
    const CallOptions &options) {
  for (auto [declared, value] : llvm::zip(entry.arguments, arguments))
    if (llvm::Error error = checkArgument(declared, value, interface.promoted))
      return error;
  auto function = module.lookup(interface.callSymbol);
  if (!function)
    return function.takeError();
  auto sizes = callShapeFunction(module, interface, entry, arguments);
  if (!sizes)
    return sizes.takeError();
  auto results = allocateResults(entry, interface.promoted, arguments, *sizes);
  if (!results)
    return results.takeError();
  auto workspace =
      allocateWorkspace(module, interface, entry, arguments, options.threads);
  if (!workspace)
    return workspace.takeError();

  ArgumentList list =
      listAll(entry, arguments, *results, *workspace, options.threads);
  CallOutcome outcome;
  resetAllocationCounts();
  resetKernelCalls(module.getKernelNames().size());
  auto status = list.call<int32_t>(*function);
  AllocationCounts counts = getAllocationCounts();
  outcome.kernels = listKernelUses(module);
  if (status == MHA_STATUS_OK)
    outcome.milliseconds = timeCalls(list, *function, options.timedCalls, [&] {
      restoreDonated(entry, arguments, *results);
    });
  if (llvm::Error error =
          checkAllGuards(entry, arguments, *results, *workspace))
    return error;
  if (llvm::Error error = checkStatus(status, entry, arguments))
    return error;
  outcome.results = std::move(*results);
  outcome.peakBytes = counts.peakBytes + workspace->getNumBytes();
  outcome.allocations = counts.calls;
  return outcome;
}
