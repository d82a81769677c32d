//===- KernelCallsTest.cpp - Calls of kernels are counted -----------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/KernelCalls.h"

#include "gtest/gtest.h"

#include <thread>

using namespace mlir::mha;

/// As compiled code calls it.
static void count(int64_t index) {
  reinterpret_cast<void (*)(int64_t)>(getKernelCallSymbol().address)(index);
}

TEST(KernelCalls, AreCountedAcrossThreads) {
  resetKernelCalls(3);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([] {
      for (int i = 0; i < 1000; ++i) {
        count(0);
        count(2);
        count(2);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(getKernelCalls(), (std::vector<int64_t>{4000, 0, 8000}));
}

TEST(KernelCalls, CountFromZeroAfterAReset) {
  resetKernelCalls(2);
  count(1);
  resetKernelCalls(1);
  EXPECT_EQ(getKernelCalls(), (std::vector<int64_t>{0}));
  // Code that knows of more kernels.
  count(1);
  count(-1);
  EXPECT_EQ(getKernelCalls(), (std::vector<int64_t>{0}));
}
