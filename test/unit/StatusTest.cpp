//===- StatusTest.cpp - Messages of statuses ------------------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Runtime/Status.h"

#include "gtest/gtest.h"

#include <set>
#include <string>

TEST(Status, EachHasASentenceOfItsOwn) {
  std::set<std::string> sentences;
  for (int32_t status = MHA_STATUS_OK; status <= MHA_STATUS_THREADS; ++status)
    sentences.insert(mha_status_message(status));
  EXPECT_EQ(sentences.size(), size_t(MHA_STATUS_THREADS + 1));
}

TEST(Status, ANumberThatIsNoStatusHasOneToo) {
  EXPECT_STREQ(mha_status_message(-1),
               mha_status_message(MHA_STATUS_THREADS + 1));
}
