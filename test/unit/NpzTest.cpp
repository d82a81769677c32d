//===- NpzTest.cpp - Archives of array files ------------------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NpyBytes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Compression.h"

#include <optional>
#include <random>

using namespace mlir::mha;
using llvm::Expected;
using llvm::StringRef;

namespace {

struct ZipMember {
  std::string name, bytes;
  bool deflate = false;
  /// What the archive says of the unpacked size, if not the truth.
  std::optional<uint32_t> claimedSize = std::nullopt;
  uint32_t checksumError = 0;
};

/// The raw deflate stream of `bytes`.
std::string deflate(StringRef bytes) {
  if (!llvm::compression::zlib::isAvailable()) // One block, stored.
    return '\1' + little(bytes.size(), 2) + little(~bytes.size(), 2) +
           bytes.str();
  llvm::SmallVector<uint8_t> stream;
  llvm::compression::zlib::compress(llvm::arrayRefFromStringRef(bytes), stream);
  // Without zlib's header and checksum.
  return llvm::toStringRef(llvm::ArrayRef(stream).drop_front(2).drop_back(4))
      .str();
}

std::string zip(llvm::ArrayRef<ZipMember> members) {
  std::string archive, directory;
  for (const ZipMember &member : members) {
    std::string packed = member.deflate ? deflate(member.bytes) : member.bytes;
    uint32_t checksum = llvm::crc32(llvm::arrayRefFromStringRef(member.bytes)) ^
                        member.checksumError;
    std::string common =
        little(20, 2) + little(0, 2) + little(member.deflate ? 8 : 0, 2) +
        little(0x210000, 4) + little(checksum, 4) + little(packed.size(), 4) +
        little(member.claimedSize.value_or(member.bytes.size()), 4) +
        little(member.name.size(), 2) + little(0, 2);
    directory += "PK\1\2" + little(20, 2) + common + std::string(10, 0) +
                 little(archive.size(), 4) + member.name;
    archive += "PK\3\4" + common + member.name + packed;
  }
  return archive + directory + "PK\5\6" + little(0, 4) +
         little(members.size(), 2) + little(members.size(), 2) +
         little(directory.size(), 4) + little(archive.size(), 4) + little(0, 2);
}

class Npz : public NpyFiles {
protected:
  std::string q = npy("<f4", "(2, 3)", bytesOf<float>({1, 2, 3, 4, 5, 6}));
  DeclaredType type{ElementType::F32, {2, 3}};
};

TEST_F(Npz, StoredAndDeflated) {
  for (bool deflate : {false, true}) {
    std::string path =
        write("x.npz",
              zip({{"k.npy", "not an array", deflate}, {"q.npy", q, deflate}}));
    EXPECT_EQ(valuesOf(readNpz(path, "q", type)), (Values{1, 2, 3, 4, 5, 6}));
    EXPECT_NE(errorOf(readNpz(path, "k", type))
                  .find("x.npz, array 'k': expected an array file"),
              std::string::npos);
  }
}

TEST_F(Npz, MissingMemberNamesTheOthers) {
  std::string path = write("x.npz", zip({{"q.npy", q}, {"k.npy", q}}));
  EXPECT_EQ(errorOf(readNpz(path, "v", type)),
            path + ": expected an array 'v', found 'q', 'k'");
  EXPECT_EQ(errorOf(readNpz(write("e.npz", zip({})), "v", type)),
            at("e.npz") + ": expected an array 'v', found no array");
}

TEST_F(Npz, WrongShapeNamesFileAndArray) {
  std::string path = write("x.npz", zip({{"q.npy", q, true}}));
  EXPECT_EQ(errorOf(readNpz(path, "q", {ElementType::F32, {2, 4}})),
            path + ", array 'q': expected 2x4xf32, found 2x3xf32");
}

TEST_F(Npz, ArchivesThatLie) {
  uint32_t size = q.size();
  for (bool deflate : {false, true}) {
    EXPECT_NE(errorOf(readNpz(
                  write("x.npz", zip({{"q.npy", q, deflate, std::nullopt, 1}})),
                  "q", type)),
              "no error");
    for (uint32_t claimed : {0u, 5u, 11u, 40u, size - 1, size + 1, 0xfffffff0u})
      EXPECT_NE(
          errorOf(readNpz(write("x.npz", zip({{"q.npy", q, deflate, claimed}})),
                          "q", type)),
          "no error")
          << claimed;
    // As long as its header says, but not there.
    std::string cut = q.substr(0, size - 7);
    EXPECT_NE(
        errorOf(readNpz(write("x.npz", zip({{"q.npy", cut, deflate, size}})),
                        "q", type)),
        "no error");
  }
  EXPECT_NE(errorOf(readNpz(write("x.npz", "not a zip"), "q", type))
                .find("x.npz: expected a zip archive: "),
            std::string::npos);
  EXPECT_EQ(errorOf(readNpz(at("none.npz"), "q", type)),
            at("none.npz") + ": No such file or directory");
}

TEST_F(Npz, TruncatedAndMutatedArchives) {
  std::string good = zip({{"q.npy", q, true}});
  for (size_t size = 0; size < good.size(); size += 3)
    EXPECT_NE(errorOf(readNpz(write("x.npz", good.substr(0, size)), "q", type)),
              "no error")
        << size;
  std::mt19937_64 engine(37);
  for (int i = 0; i < 300; ++i) {
    std::string bytes = good;
    for (int j = 0; j < 3; ++j)
      bytes[engine() % bytes.size()] = char(engine());
    std::string error = errorOf(readNpz(write("x.npz", bytes), "q", type));
    EXPECT_FALSE(error.empty());
  }
}

} // namespace
