//===- TargetCPUTest.cpp - Only code that the machine can run -------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/TargetCPU.h"

#include "llvm/ADT/STLExtras.h"

#include "gtest/gtest.h"

using namespace mlir::mha;

/// A machine of the x86-64-v3 level that knows of these further features, and
/// has none of them.
static HostCPU makeHost(llvm::ArrayRef<const char *> lacking) {
  HostCPU host;
  host.triple = llvm::Triple("x86_64-unknown-linux-gnu");
  host.name = "some-cpu";
  for (const char *feature :
       {"cx8",    "cmov",   "mmx",    "fxsr", "sse",   "sse2",  "sse3", "ssse3",
        "sse4.1", "sse4.2", "popcnt", "cx16", "sahf",  "crc32", "avx",  "avx2",
        "fma",    "f16c",   "bmi",    "bmi2", "lzcnt", "movbe", "xsave"})
    host.features[feature] = true;
  for (const char *feature : lacking)
    host.features[feature] = false;
  return host;
}

static std::string resolve(llvm::StringRef name, const HostCPU &host) {
  auto cpu = resolveTargetCPU(name, host);
  return cpu ? cpu->name + "|" + cpu->features
             : llvm::toString(cpu.takeError());
}

TEST(TargetCPU, IsRefusedWhereTheHostLacksItsInstructions) {
  HostCPU host = makeHost(
      {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "xop"});
  EXPECT_EQ(resolve("x86-64", host), "x86-64|");
  EXPECT_EQ(resolve("x86-64-v3", host), "x86-64-v3|");
  EXPECT_EQ(resolve("x86-64-v4", host),
            "--target=x86-64-v4: expected a CPU whose instructions this "
            "machine (some-cpu) has, found one that needs avx512bw, avx512cd, "
            "avx512dq, avx512f, avx512vl");
  // One that is older in everything else.
  EXPECT_EQ(resolve("bdver1", host),
            "--target=bdver1: expected a CPU whose instructions this machine "
            "(some-cpu) has, found one that needs xop");
}

TEST(TargetCPU, LosesInstructionsThatOnlyOperatingSystemsAskFor) {
  HostCPU host = makeHost({"rdrnd", "fsgsbase"});
  EXPECT_EQ(resolve("haswell", makeHost({})), "haswell|");
  EXPECT_EQ(resolve("haswell", host), "haswell|-fsgsbase,-rdrnd");
}

TEST(TargetCPU, IsRefusedWhereNobodyKnowsIt) {
  HostCPU host = makeHost({});
  const std::string unknown =
      "--target: expected 'native' or an x86_64 CPU that LLVM knows, such as "
      "'x86-64-v3', found '";
  EXPECT_EQ(resolve("pentium9", host), unknown + "pentium9'");
  EXPECT_EQ(resolve("", host), unknown + "'");
  EXPECT_EQ(resolve("sm_90", host), unknown + "sm_90'");
  // Known, but of 32 bits: LLVM ends the process when it is to make code.
  EXPECT_EQ(resolve("i386", host), unknown + "i386'");
  EXPECT_EQ(resolve("generic", host), unknown + "generic'");
}

TEST(TargetCPU, IsTheHostWhenNative) {
  HostCPU host = makeHost({"rdrnd", "rtm"});
  host.name = "haswell";
  auto cpu = resolveTargetCPU("native", host);
  ASSERT_TRUE(bool(cpu));
  EXPECT_EQ(cpu->name, "haswell");
  llvm::SmallVector<llvm::StringRef> features;
  llvm::StringRef(cpu->features).split(features, ',');
  EXPECT_TRUE(llvm::is_contained(features, "+avx2"));
  EXPECT_TRUE(llvm::is_contained(features, "-rdrnd"));
}

TEST(TargetCPU, IsALevelWhereTheHostHidesWhatItsNamePromises) {
  auto plan = [](llvm::StringRef name, HostCPU host) {
    host.name = name.str();
    auto cpu = resolveTargetCPU("native", host);
    return cpu ? cpu->name : llvm::toString(cpu.takeError());
  };
  const char *avx512[] = {"avx512f", "avx512bw", "avx512cd", "avx512dq",
                          "avx512vl"};
  EXPECT_EQ(plan("skylake-avx512", makeHost({})), "skylake-avx512");
  EXPECT_EQ(plan("skylake-avx512", makeHost(avx512)), "x86-64-v3");
  EXPECT_EQ(plan("skylake-avx512", makeHost({"clwb", "pku"})),
            "skylake-avx512");
  EXPECT_EQ(plan("znver4", makeHost({"vaes"})), "x86-64-v4");
  // What LLVM calls a CPU that it has not met.
  EXPECT_EQ(plan("generic", makeHost({})), "x86-64-v4");
  HostCPU old = makeHost(avx512);
  old.features["avx2"] = false;
  EXPECT_EQ(plan("generic", old), "x86-64-v2");
  old.features["sse4.2"] = false;
  EXPECT_EQ(plan("generic", old), "x86-64");
}

TEST(TargetCPU, IsNativeOnlyWhereNothingElseCanBeChecked) {
  HostCPU host;
  host.triple = llvm::Triple("aarch64-unknown-linux-gnu");
  host.name = "some-cpu";
  EXPECT_EQ(resolve("native", host), "some-cpu|");
  EXPECT_EQ(resolve("neoverse-v2", host),
            "--target: expected 'native', the only target on aarch64 that can "
            "be checked before its code runs, found 'neoverse-v2'");
}
