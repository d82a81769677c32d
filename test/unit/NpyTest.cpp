//===- NpyTest.cpp - Reading NumPy's array files --------------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NpyBytes.h"

#include <random>

using namespace mlir::mha;
using llvm::Expected;
using llvm::StringRef;

namespace {

Expected<HostTensor> parse(StringRef bytes, ElementType type,
                           llvm::ArrayRef<int64_t> shape) {
  DeclaredType declared{type, {}};
  declared.shape.assign(shape.begin(), shape.end());
  return parseNpy(bytes, "q.npy", declared);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

TEST(Npy, EveryVersion) {
  std::string data = bytesOf<float>({1, 2, -3.5, 4, 5, 6});
  for (int major : {1, 2, 3}) {
    std::string bytes = npy(dictionary("<f4", "(2, 3)"), data, major);
    EXPECT_EQ(valuesOf(parse(bytes, ElementType::F32, {2, 3})),
              (Values{1, 2, -3.5, 4, 5, 6}));
  }
  for (int major : {0, 4})
    EXPECT_EQ(errorOf(parse(npy(dictionary("<f4", "(6,)"), data, major),
                            ElementType::F32, {6})),
              "q.npy: expected version 1.0, 2.0 or 3.0, found " +
                  std::to_string(major) + ".0");
}

TEST(Npy, EveryElementType) {
  EXPECT_EQ(valuesOf(parse(npy("<f8", "(2,)", bytesOf<double>({0.1, -2})),
                           ElementType::F64, {2})),
            (Values{0.1, -2}));
  EXPECT_EQ(
      valuesOf(parse(npy("<f2", "(2,)", bytesOf<uint16_t>({0x3c00, 0xc100})),
                     ElementType::F16, {2})),
      (Values{1, -2.5}));
  EXPECT_EQ(valuesOf(parse(npy("<i8", "(2,)", bytesOf<int64_t>({-7, 1})),
                           ElementType::I64, {2})),
            (Values{-7, 1}));
  EXPECT_EQ(valuesOf(parse(npy("<i8", "(2,)", bytesOf<int64_t>({-7, 1})),
                           ElementType::Index, {2})),
            (Values{-7, 1}));
  EXPECT_EQ(valuesOf(parse(npy("<i4", "(2,)", bytesOf<int32_t>({-7, 1})),
                           ElementType::I32, {2})),
            (Values{-7, 1}));
  EXPECT_EQ(valuesOf(parse(npy("<i2", "(2,)", bytesOf<int16_t>({-7, 1})),
                           ElementType::I16, {2})),
            (Values{-7, 1}));
  EXPECT_EQ(valuesOf(parse(npy("|i1", "(2,)", bytesOf<int8_t>({-7, 1})),
                           ElementType::I8, {2})),
            (Values{-7, 1}));
  EXPECT_EQ(valuesOf(parse(npy("|u1", "(2,)", bytesOf<uint8_t>({250, 1})),
                           ElementType::U8, {2})),
            (Values{250, 1}));
  EXPECT_EQ(valuesOf(parse(npy("|b1", "(2,)", bytesOf<uint8_t>({0, 1})),
                           ElementType::I1, {2})),
            (Values{0, 1}));
  EXPECT_EQ(
      errorOf(parse(npy("|b1", "(2,)", bytesOf<uint8_t>({0, 2})),
                    ElementType::I1, {2})),
      "q.npy: expected booleans of 0 or 1, found 2 at byte 1 of the data");
}

TEST(Npy, BF16FromFloatsAndFromBits) {
  EXPECT_EQ(
      valuesOf(parse(
          npy("<f4", "(3,)", bytesOf<float>({1 + 0x1p-8f, 1 + 0x1.8p-7f, -3})),
          ElementType::BF16, {3})),
      (Values{1, 1 + 0x1p-6, -3}));
  for (StringRef descr : {"|V2", "<V2", "<u2"})
    EXPECT_EQ(
        valuesOf(parse(npy(descr, "(2,)", bytesOf<uint16_t>({0x3f81, 0xc000})),
                       ElementType::BF16, {2})),
        (Values{1 + 0x1p-7, -2}));
  EXPECT_EQ(valuesOf(parse(
                npy(">u2", "(2,)", bytesOf<uint16_t>({0x3f81, 0xc000}, true)),
                ElementType::BF16, {2})),
            (Values{1 + 0x1p-7, -2}));
  // Bits of bf16 are nothing else.
  EXPECT_EQ(errorOf(parse(npy("|V2", "(2,)", "abcd"), ElementType::F16, {2})),
            "q.npy: expected 2xf16, found 2 of type '|V2'");
  EXPECT_EQ(errorOf(parse(npy("<f8", "(2,)", std::string(16, 0)),
                          ElementType::BF16, {2})),
            "q.npy: expected 2xbf16, found 2xf64");
}

TEST(Npy, BigEndian) {
  EXPECT_EQ(
      valuesOf(parse(npy(">f4", "(3,)", bytesOf<float>({1, 2.5, -3}, true)),
                     ElementType::F32, {3})),
      (Values{1, 2.5, -3}));
  EXPECT_EQ(
      valuesOf(parse(npy(">i8", "(2,)", bytesOf<int64_t>({-7, 258}, true)),
                     ElementType::I64, {2})),
      (Values{-7, 258}));
}

TEST(Npy, FortranOrder) {
  // The array [[[0 1 2 3] [4 ...] ...]] of shape 2x3x4, first index fastest.
  std::string data;
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 2; ++i)
        data += bytesOf<float>({float((i * 3 + j) * 4 + k)}, true);
  Values values =
      valuesOf(parse(npy(dictionary(">f4", "(2, 3, 4)", true), data),
                     ElementType::F32, {2, 3, 4}));
  ASSERT_EQ(values.size(), 24u);
  for (int i = 0; i < 24; ++i)
    EXPECT_EQ(values[i], i);
  EXPECT_EQ(
      valuesOf(parse(npy(dictionary("<f4", "()", true), bytesOf<float>({7})),
                     ElementType::F32, {})),
      Values{7});
  EXPECT_EQ(valuesOf(parse(npy(dictionary("<f4", "(3, 0)", true), ""),
                           ElementType::F32, {3, 0})),
            Values{});
}

TEST(Npy, ScalarsAndEmptyArrays) {
  EXPECT_EQ(valuesOf(parse(npy("<f4", "()", bytesOf<float>({7})),
                           ElementType::F32, {})),
            Values{7});
  Expected<HostTensor> empty =
      parse(npy("<f4", "(3, 0, 5)", ""), ElementType::F32, {3, dynamic, 5});
  ASSERT_TRUE(bool(empty));
  EXPECT_EQ(empty->typeToString(), "3x0x5xf32");
}

TEST(Npy, DynamicSizesComeFromTheFile) {
  Expected<HostTensor> tensor = parse(npy("<f4", "(2, 3)", std::string(24, 0)),
                                      ElementType::F32, {dynamic, 3});
  ASSERT_TRUE(bool(tensor));
  EXPECT_EQ(tensor->typeToString(), "2x3xf32");
}

TEST(Npy, WrongTypeOrShape) {
  std::string bytes = npy("<f4", "(2, 6, 7, 4)", std::string(1344, 0));
  EXPECT_EQ(errorOf(parse(bytes, ElementType::F32, {2, 6, 7, 5})),
            "q.npy: expected 2x6x7x5xf32, found 2x6x7x4xf32");
  EXPECT_EQ(errorOf(parse(bytes, ElementType::F32, {2, dynamic, 4})),
            "q.npy: expected 2x?x4xf32, found 2x6x7x4xf32");
  EXPECT_EQ(errorOf(parse(bytes, ElementType::F64, {2, 6, 7, 4})),
            "q.npy: expected 2x6x7x4xf64, found 2x6x7x4xf32");
  EXPECT_EQ(
      errorOf(parse(npy("<c8", "()", std::string(8, 0)), ElementType::F32, {})),
      "q.npy: expected f32, found a scalar of type '<c8'");
  EXPECT_EQ(errorOf(parse(npy("|O", "(3,)", "abc"), ElementType::F32, {3})),
            "q.npy: expected 3xf32, found 3 of type '|O'");
  EXPECT_EQ(
      errorOf(parse(npy("{'descr': [('x', '<f4')], 'fortran_order': False, "
                        "'shape': (3,), }",
                        ""),
                    ElementType::F32, {3})),
      "q.npy: expected elements of a simple type, found a structured type");
}

//===----------------------------------------------------------------------===//
// Malformed files
//===----------------------------------------------------------------------===//

TEST(Npy, HeaderSpellings) {
  std::string data = bytesOf<float>({1, 2});
  for (StringRef good :
       {"{'shape': (2,), 'fortran_order': False, 'descr': '<f4'}",
        "{\"descr\":\"<f4\",\"fortran_order\":False,\"shape\":(2,)}",
        "  { 'descr' :\t'<f4' , 'fortran_order' : False , 'shape' : ( 2L , ) , "
        "}  ",
        "{'descr': '|f4', 'fortran_order': True, 'shape': (2,), }"})
    EXPECT_EQ(valuesOf(parse(npy(good, data), ElementType::F32, {2})),
              (Values{1, 2}))
        << good.str();
}

TEST(Npy, MalformedHeaders) {
  std::string data = bytesOf<float>({1, 2});
  auto error = [&](StringRef dictionary) {
    return errorOf(parse(npy(dictionary, data), ElementType::F32, {2}));
  };
  EXPECT_EQ(error("{'descr': '<f4', 'fortran_order': False}"),
            "q.npy: malformed header: expected the entries 'descr', "
            "'fortran_order' and 'shape', found no 'shape'");
  EXPECT_NE(
      error("{'descr': '<f4', 'shape': (2,)}").find("found no 'fortran_order'"),
      std::string::npos);
  EXPECT_NE(error("{}").find("found no 'descr'"), std::string::npos);
  EXPECT_EQ(error("{'descr' '<f4'}"),
            "q.npy: malformed header at byte 19: expected ':', found ''<f4'}'");
  for (StringRef bad :
       {"",
        "{",
        "}",
        "[]",
        "{'descr'",
        "{'descr':",
        "{'descr': '<f4",
        "{'descr': '<f4',",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}",
        "{'descr': 4, 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': [2]}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': "
        "(9223372036854775808,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': "
        "(99999999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x",
        "{'descr': '<f4', 'fortran_order': False 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 1}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': "
        "(2,)}"})
    EXPECT_NE(error(bad).find("malformed header"), std::string::npos)
        << bad.str() << ": " << error(bad);
}

TEST(Npy, SizesThatOverflow) {
  EXPECT_EQ(
      errorOf(parse(npy("<f4", "(4294967296, 4294967296)", ""),
                    ElementType::F32, {dynamic, dynamic})),
      "q.npy: the size of 4294967296x4294967296xf32 does not fit in 64 bits");
  EXPECT_EQ(
      errorOf(parse(npy("<f4", "(4611686018427387904,)", ""), ElementType::F32,
                    {dynamic})),
      "q.npy: the size of 4611686018427387904xf32 does not fit in 64 bits");
  // Claimed, but not there: nothing of that size is allocated.
  EXPECT_EQ(errorOf(parse(npy("<f4", "(1000000000000,)", "abcd"),
                          ElementType::F32, {dynamic})),
            "q.npy: expected 4000000000000 bytes of data for "
            "1000000000000xf32, found 4");
  std::string shape = "(";
  for (int i = 0; i < 65; ++i)
    shape += "1,";
  EXPECT_NE(
      errorOf(parse(npy("<f4", shape + ")", "abcd"), ElementType::F32, {1}))
          .find("at most 64 dimensions"),
      std::string::npos);
  std::string start =
      std::string("\x93NUMPY\2", 7) + '\0' + little(0xffffffff, 4);
  EXPECT_EQ(
      errorOf(parse(start, ElementType::F32, {1})),
      "q.npy: expected a header of at most 1048576 bytes, found 4294967295");
}

TEST(Npy, EveryTruncationAndTrailingByte) {
  std::string bytes = npy("<f4", "(2, 3)", std::string(24, 'a'));
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(errorOf(parse(StringRef(bytes).take_front(size), ElementType::F32,
                            {2, 3})),
              "no error")
        << size;
  EXPECT_EQ(errorOf(parse(bytes, ElementType::F32, {2, 3})), "no error");
  EXPECT_EQ(errorOf(parse(bytes + "a", ElementType::F32, {2, 3})),
            "q.npy: expected 24 bytes of data for 2x3xf32, found 25");
  EXPECT_EQ(errorOf(parse("PK\3\4", ElementType::F32, {2, 3})),
            "q.npy: expected an array file of NumPy, found a file that does "
            "not begin with its mark");
}

/// One to four bytes of the file replaced, removed or inserted, mostly near its
/// beginning.
std::string mutate(std::string bytes, std::mt19937_64 &engine) {
  static constexpr char likely[] = "{}()[]',:\"<>|0123456789LTF\0\xff\n ";
  for (int i = 0, n = 1 + engine() % 4; i < n && !bytes.empty(); ++i) {
    size_t at = engine() % std::min<size_t>(bytes.size(), 80);
    char value =
        engine() % 4 ? likely[engine() % (sizeof(likely) - 1)] : char(engine());
    switch (engine() % 4) {
    case 0:
      bytes.erase(at, 1 + engine() % 3);
      break;
    case 1:
      bytes.insert(at, 1, value);
      break;
    default:
      bytes[at] = value;
    }
  }
  return bytes;
}

TEST(Npy, MutantsGiveATensorOrAnError) {
  std::mt19937_64 engine(29);
  std::string seeds[] = {
      npy("<f4", "(2, 3)", std::string(24, 'a')),
      npy(dictionary(">f4", "(3, 2)", true), std::string(24, 'b'), 2),
      npy("|V2", "(12,)", std::string(24, 'c'))};
  int accepted = 0;
  for (int i = 0; i < 60000; ++i) {
    ElementType type = i % 3 == 2 ? ElementType::BF16 : ElementType::F32;
    llvm::SmallVector<int64_t> shape(i % 3 == 2 ? 1 : 2, dynamic);
    Expected<HostTensor> tensor =
        parse(mutate(seeds[i % 3], engine), type, shape);
    if (!tensor) {
      llvm::consumeError(tensor.takeError());
      continue;
    }
    ++accepted;
    EXPECT_LE(tensor->getNumBytes(), 96);
  }
  // Mutants that are all refused would show little.
  EXPECT_GT(accepted, 100);
}

TEST(Npy, RandomBytesAreRefused) {
  std::mt19937_64 engine(31);
  for (int i = 0; i < 5000; ++i) {
    std::string bytes(engine() % 200, 0);
    for (char &byte : bytes)
      byte = char(engine());
    if (i & 1)
      bytes = std::string("\x93NUMPY\1", 7) + '\0' +
              little(bytes.size() / 2, 2) + bytes;
    EXPECT_NE(errorOf(parse(bytes, ElementType::F32, {dynamic})), "no error");
  }
}

} // namespace
