//===- AllocationsTest.cpp - Memory of compiled code is counted -----------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/Allocations.h"

#include "llvm/ADT/STLExtras.h"

#include "gtest/gtest.h"

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

using namespace mlir::mha;

namespace {
/// The functions as compiled code sees them.
struct Memory {
  void *(*alloc)(uint64_t);
  void *(*alignedAlloc)(uint64_t, uint64_t);
  void (*release)(void *);
};
} // namespace

static Memory getMemory() {
  auto find = [](llvm::StringRef name) {
    const RuntimeSymbol *symbol =
        llvm::find_if(getAllocationSymbols(),
                      [&](const RuntimeSymbol &s) { return s.name == name; });
    return symbol->address;
  };
  return {
      reinterpret_cast<void *(*)(uint64_t)>(find("_mlir_memref_to_llvm_alloc")),
      reinterpret_cast<void *(*)(uint64_t, uint64_t)>(
          find("_mlir_memref_to_llvm_aligned_alloc")),
      reinterpret_cast<void (*)(void *)>(find("_mlir_memref_to_llvm_free"))};
}

TEST(Allocations, CountTheMostBytesAliveSinceTheReset) {
  Memory memory = getMemory();
  void *before = memory.alloc(1000);
  resetAllocationCounts();
  void *first = memory.alloc(300);
  void *second = memory.alignedAlloc(64, 200);
  memory.release(first);
  void *third = memory.alloc(100);
  memory.release(second);
  memory.release(third);
  memory.release(before);
  memory.release(nullptr);
  AllocationCounts counts = getAllocationCounts();
  EXPECT_EQ(counts.calls, 3);
  EXPECT_EQ(counts.peakBytes, 500);
  resetAllocationCounts();
  EXPECT_EQ(getAllocationCounts().calls, 0);
  EXPECT_EQ(getAllocationCounts().peakBytes, 0);
}

TEST(Allocations, AreAlignedAndWritableToTheEnd) {
  Memory memory = getMemory();
  for (uint64_t alignment : {1, 8, 64, 4096})
    for (uint64_t size : {0, 1, 63, 64, 65, 5000}) {
      void *block = memory.alignedAlloc(alignment, size);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % alignment, 0u);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u);
      std::memset(block, 0xff, size);
      memory.release(block);
    }
}

TEST(Allocations, AreCountedAcrossThreads) {
  Memory memory = getMemory();
  resetAllocationCounts();
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i)
        memory.release(memory.alloc(10));
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(getAllocationCounts().calls, 4000);
  EXPECT_GE(getAllocationCounts().peakBytes, 10);
  EXPECT_LE(getAllocationCounts().peakBytes, 40);
}

TEST(AllocationsDeathTest, EndTheProcessWithASentenceWhenRefused) {
  Memory memory = getMemory();
  EXPECT_EXIT(memory.alloc(UINT64_MAX), testing::ExitedWithCode(1),
              "error: out of memory: the program asked for a buffer of "
              "18446744073709551615 bytes");
}
