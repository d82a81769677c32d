//===- KernelCalls.cpp - Calls of kernels, counted ------------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/KernelCalls.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <atomic>

using namespace mlir;
using namespace mlir::mha;

/// On a function that computes attention in one pass over the keys.
static constexpr llvm::StringLiteral kKernelAttr = "mha.kernel";

static constexpr llvm::StringLiteral kCountSymbol = "_mlir_mha_count_kernel";

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

/// Replaced between calls only, so that kernels need no lock.
static std::vector<std::atomic<int64_t>> &getCounters() {
  static std::vector<std::atomic<int64_t>> counters;
  return counters;
}

/// Code that was compiled for another set of kernels may still be called.
static void countKernel(int64_t index) {
  std::vector<std::atomic<int64_t>> &counters = getCounters();
  if (static_cast<size_t>(index) < counters.size())
    counters[index].fetch_add(1, std::memory_order_relaxed);
}

void mlir::mha::resetKernelCalls(size_t numKernels) {
  getCounters() = std::vector<std::atomic<int64_t>>(numKernels);
}

std::vector<int64_t> mlir::mha::getKernelCalls() {
  std::vector<std::atomic<int64_t>> &counters = getCounters();
  return {counters.begin(), counters.end()};
}

RuntimeSymbol mlir::mha::getKernelCallSymbol() {
  return {kCountSymbol, reinterpret_cast<void *>(&countKernel)};
}

//===----------------------------------------------------------------------===//
// Compiled code
//===----------------------------------------------------------------------===//

std::vector<std::string> mlir::mha::countKernelCalls(ModuleOp module) {
  SmallVector<LLVM::LLVMFuncOp> kernels = llvm::filter_to_vector(
      module.getOps<LLVM::LLVMFuncOp>(), [](LLVM::LLVMFuncOp function) {
        return function->hasAttr(kKernelAttr) && !function.isExternal();
      });
  std::vector<std::string> names;
  if (kernels.empty())
    return names;
  OpBuilder builder(module.getBodyRegion());
  Type index = builder.getI64Type();
  Type none = LLVM::LLVMVoidType::get(module.getContext());
  LLVM::LLVMFuncOp::create(builder, module.getLoc(), kCountSymbol,
                           LLVM::LLVMFunctionType::get(none, index));
  for (LLVM::LLVMFuncOp kernel : kernels) {
    builder.setInsertionPointToStart(&kernel.front());
    Value number = LLVM::ConstantOp::create(
        builder, kernel.getLoc(), index,
        builder.getI64IntegerAttr(static_cast<int64_t>(names.size())));
    LLVM::CallOp::create(builder, kernel.getLoc(), TypeRange(), kCountSymbol,
                         number);
    names.push_back(kernel.getName().str());
  }
  return names;
}
