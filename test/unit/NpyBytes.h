//===- NpyBytes.h - Array files of NumPy, byte by byte ----------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Put together from the specification of `numpy.lib.format`, not by the code
// under test.
//
//===----------------------------------------------------------------------===//

#ifndef MHA_TEST_UNIT_NPYBYTES_H
#define MHA_TEST_UNIT_NPYBYTES_H

#include "mha/Execution/Npy.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

namespace mlir {
namespace mha {

/// `size` bytes of a little-endian number.
inline std::string little(uint64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i)
    bytes += char(value >> (8 * i));
  return bytes;
}

template <typename T>
std::string bytesOf(std::initializer_list<T> values, bool swapped = false) {
  std::string bytes;
  for (T value : values) {
    std::string one(reinterpret_cast<const char *>(&value), sizeof(T));
    bytes += swapped ? std::string(one.rbegin(), one.rend()) : one;
  }
  return bytes;
}

inline std::string npy(llvm::StringRef dictionary, llvm::StringRef data,
                       int major = 1) {
  std::string header = dictionary.str();
  size_t preamble = major == 1 ? 10 : 12;
  while ((preamble + header.size() + 1) % 64 != 0)
    header += ' ';
  header += '\n';
  return std::string("\x93NUMPY") + char(major) + '\0' +
         little(header.size(), major == 1 ? 2 : 4) + header + data.str();
}

inline std::string dictionary(llvm::StringRef descr, llvm::StringRef shape,
                              bool fortran = false) {
  return ("{'descr': '" + descr + "', 'fortran_order': " +
          (fortran ? "True" : "False") + ", 'shape': " + shape + ", }")
      .str();
}

inline std::string npy(llvm::StringRef descr, llvm::StringRef shape,
                       llvm::StringRef data) {
  return npy(dictionary(descr, shape), data);
}

inline std::string errorOf(llvm::Expected<HostTensor> tensor) {
  if (tensor)
    return "no error";
  return llvm::toString(tensor.takeError());
}

inline std::string errorOf(llvm::Error error) {
  return error ? llvm::toString(std::move(error)) : "no error";
}

inline std::vector<double> valuesOf(llvm::Expected<HostTensor> tensor) {
  std::vector<double> values;
  if (!tensor) {
    ADD_FAILURE() << llvm::toString(tensor.takeError());
    return values;
  }
  for (int64_t i = 0; i < tensor->getNumElements(); ++i)
    values.push_back(tensor->getDouble(i));
  return values;
}

using Values = std::vector<double>;
constexpr int64_t dynamic = kDynamicDim;

/// A folder of its own for each test.
class NpyFiles : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("mha-npy", folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string at(llvm::StringRef name) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return path.str().str();
  }
  std::string write(llvm::StringRef name, llvm::StringRef bytes) {
    std::error_code code;
    llvm::raw_fd_ostream(at(name), code) << bytes;
    EXPECT_FALSE(code);
    return at(name);
  }
  std::string read(llvm::StringRef name) {
    auto buffer = llvm::MemoryBuffer::getFile(at(name));
    return buffer ? (*buffer)->getBuffer().str() : "no file";
  }
  int countFiles() {
    std::error_code code;
    int count = 0;
    for (llvm::sys::fs::directory_iterator i(folder, code), end;
         i != end && !code; i.increment(code))
      ++count;
    return count;
  }

  llvm::SmallString<128> folder;
};

} // namespace mha
} // namespace mlir

#endif // MHA_TEST_UNIT_NPYBYTES_H
