//===- Allocations.cpp - Memory of compiled code, counted -----------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every block carries its size in front, so that a free can be subtracted from
// the bytes alive.
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/Allocations.h"

#include "llvm/ADT/bit.h"

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

using namespace mlir::mha;

namespace {
/// Stands directly before the memory that compiled code sees.
struct BlockHeader {
  void *start;
  uint64_t size;
};

/// Of every block: a cache line, and the widest vector of the CPUs we know.
constexpr uint64_t kMinAlignment = 64;
static_assert(sizeof(BlockHeader) <= kMinAlignment);

std::atomic<int64_t> numCalls{0};
std::atomic<int64_t> bytesAlive{0};
std::atomic<int64_t> bytesAtReset{0};
std::atomic<int64_t> peakBytesAlive{0};
} // namespace

/// Compiled code knows no way back. Its other threads touch nothing that the
/// exit destroys.
[[noreturn]] static void exitOutOfMemory(uint64_t size) {
  std::fprintf(stderr,
               "error: out of memory: the program asked for a buffer of "
               "%" PRIu64 " bytes\n",
               size);
  std::exit(1);
}

static void countAllocation(uint64_t size) {
  numCalls.fetch_add(1, std::memory_order_relaxed);
  int64_t alive = bytesAlive.fetch_add(size, std::memory_order_relaxed) + size;
  int64_t peak = peakBytesAlive.load(std::memory_order_relaxed);
  while (alive > peak && !peakBytesAlive.compare_exchange_weak(
                             peak, alive, std::memory_order_relaxed))
    ;
}

static void *allocate(uint64_t alignment, uint64_t size) {
  alignment = std::max(kMinAlignment, llvm::bit_ceil(alignment));
  // Room for the header and for rounding up to the alignment.
  if (size > static_cast<uint64_t>(INT64_MAX) - 2 * alignment)
    exitOutOfMemory(size);
  uint64_t total = (size + 2 * alignment - 1) / alignment * alignment;
  auto *start = static_cast<char *>(std::aligned_alloc(alignment, total));
  if (!start)
    exitOutOfMemory(size);
  char *block = start + alignment;
  reinterpret_cast<BlockHeader *>(block)[-1] = {start, size};
  countAllocation(size);
  return block;
}

static void *allocateDefault(uint64_t size) {
  return allocate(kMinAlignment, size);
}

static void release(void *block) {
  if (!block)
    return;
  BlockHeader header = static_cast<BlockHeader *>(block)[-1];
  bytesAlive.fetch_sub(header.size, std::memory_order_relaxed);
  std::free(header.start);
}

void mlir::mha::resetAllocationCounts() {
  int64_t alive = bytesAlive.load();
  numCalls = 0;
  bytesAtReset = alive;
  peakBytesAlive = alive;
}

AllocationCounts mlir::mha::getAllocationCounts() {
  return {numCalls.load(), peakBytesAlive.load() - bytesAtReset.load()};
}

llvm::ArrayRef<RuntimeSymbol> mlir::mha::getAllocationSymbols() {
  static const RuntimeSymbol symbols[] = {
      {"_mlir_memref_to_llvm_alloc",
       reinterpret_cast<void *>(&allocateDefault)},
      {"_mlir_memref_to_llvm_aligned_alloc",
       reinterpret_cast<void *>(&allocate)},
      {"_mlir_memref_to_llvm_free", reinterpret_cast<void *>(&release)}};
  return symbols;
}
