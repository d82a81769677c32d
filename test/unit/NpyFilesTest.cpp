//===- NpyFilesTest.cpp - Array files on disk -----------------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NpyBytes.h"

#include <csignal>
#include <sys/resource.h>

using namespace mlir::mha;
using llvm::Expected;
using llvm::StringRef;

namespace {

HostTensor makeCounting(ElementType type, llvm::ArrayRef<int64_t> shape) {
  HostTensor tensor = llvm::cantFail(HostTensor::create(type, shape));
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    tensor.setInt(i, i % 2);
  return tensor;
}

TEST_F(NpyFiles, WritesTheBytesThatNumPyWrites) {
  HostTensor tensor = makeCounting(ElementType::F32, {3});
  EXPECT_EQ(errorOf(writeNpy(at("a.npy"), tensor)), "no error");
  EXPECT_EQ(read("a.npy"), npy("<f4", "(3,)", bytesOf<float>({0, 1, 0})));
  EXPECT_EQ(
      errorOf(writeNpy(at("a.npy"), makeCounting(ElementType::I1, {2, 1}))),
      "no error");
  EXPECT_EQ(read("a.npy"), npy("|b1", "(2, 1)", StringRef("\0\1", 2)));
  EXPECT_EQ(errorOf(writeNpy(at("a.npy"), makeCounting(ElementType::F64, {}))),
            "no error");
  EXPECT_EQ(read("a.npy"), npy("<f8", "()", bytesOf<double>({0})));
  EXPECT_EQ(countFiles(), 1);
}

TEST_F(NpyFiles, RoundTrip) {
  for (ElementType type :
       {ElementType::F64, ElementType::F32, ElementType::F16, ElementType::BF16,
        ElementType::I64, ElementType::I32, ElementType::I16, ElementType::I8,
        ElementType::U8, ElementType::I1, ElementType::Index}) {
    HostTensor tensor = makeCounting(type, {3, 5});
    ASSERT_EQ(errorOf(writeNpy(at("a.npy"), tensor)), "no error");
    Expected<HostTensor> back = readNpy(at("a.npy"), {type, {3, dynamic}});
    ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
    EXPECT_EQ(StringRef(back->getData(), back->getNumBytes()),
              StringRef(tensor.getData(), tensor.getNumBytes()));
  }
}

TEST_F(NpyFiles, BF16IsWrittenAsFloat32) {
  HostTensor tensor = makeCounting(ElementType::BF16, {2});
  ASSERT_EQ(errorOf(writeNpy(at("a.npy"), tensor)), "no error");
  EXPECT_EQ(read("a.npy"), npy("<f4", "(2,)", bytesOf<float>({0, 1})));
}

TEST_F(NpyFiles, ReadingNamesTheFile) {
  DeclaredType type{ElementType::F32, {3}};
  EXPECT_EQ(errorOf(readNpy(at("missing.npy"), type)),
            at("missing.npy") + ": No such file or directory");
  EXPECT_EQ(errorOf(readNpy(folder, type)),
            folder.str().str() +
                ": expected a regular file, found a directory, device or pipe");
  // Would never end.
  EXPECT_NE(errorOf(readNpy("/dev/zero", type)).find("expected a regular file"),
            std::string::npos);
  EXPECT_NE(errorOf(readNpy(write("empty.npy", ""), type))
                .find("does not begin with its mark"),
            std::string::npos);
}

TEST_F(NpyFiles, AFileThatCannotBeOpened) {
  std::string path = write("a.npy", "");
  rlimit old;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &old), 0);
  rlimit none = old;
  none.rlim_cur = 0;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  std::string error = errorOf(readNpy(path, {ElementType::F32, {3}}));
  setrlimit(RLIMIT_NOFILE, &old);
  EXPECT_EQ(error, path + ": Too many open files");
}

TEST_F(NpyFiles, WritingRefusesWhatARenameWouldReplace) {
  HostTensor tensor = makeCounting(ElementType::F32, {3});
  EXPECT_NE(errorOf(writeNpy(folder, tensor)).find("expected a regular file"),
            std::string::npos);
  ASSERT_FALSE(llvm::sys::fs::create_link("/dev/null", at("link.npy")));
  EXPECT_NE(
      errorOf(writeNpy(at("link.npy"), tensor)).find("expected a regular file"),
      std::string::npos);
  EXPECT_EQ(errorOf(writeNpy(at("none/a.npy"), tensor)),
            at("none/a.npy") + ": No such file or directory");
  EXPECT_EQ(errorOf(writeNpy(at("link.npy/a.npy"), tensor)),
            at("link.npy/a.npy") + ": Not a directory");
  HostTensor deep = llvm::cantFail(
      HostTensor::create(ElementType::F32, llvm::SmallVector<int64_t>(65, 1)));
  EXPECT_EQ(errorOf(writeNpy(at("a.npy"), deep)),
            at("a.npy") + ": expected at most 64 dimensions, found 65");
  EXPECT_EQ(countFiles(), 1);
}

TEST_F(NpyFiles, WritesThroughALink) {
  write("a.npy", "old");
  ASSERT_FALSE(llvm::sys::fs::create_link(at("a.npy"), at("link.npy")));
  ASSERT_EQ(
      errorOf(writeNpy(at("link.npy"), makeCounting(ElementType::F32, {3}))),
      "no error");
  EXPECT_EQ(read("a.npy"), npy("<f4", "(3,)", bytesOf<float>({0, 1, 0})));
  EXPECT_TRUE(llvm::sys::fs::is_symlink_file(at("link.npy")));
}

TEST_F(NpyFiles, AFailedWriteLeavesTheOldFile) {
  write("a.npy", "old");
  auto oldHandler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  rlimit small = old;
  small.rlim_cur = 1000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string error =
      errorOf(writeNpy(at("a.npy"), makeCounting(ElementType::F64, {7, 1001})));
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, oldHandler);
  EXPECT_EQ(error, at("a.npy") + ": File too large");
  EXPECT_EQ(read("a.npy"), "old");
  EXPECT_EQ(countFiles(), 1);
}

} // namespace
