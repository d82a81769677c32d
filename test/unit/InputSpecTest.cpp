//===- InputSpecTest.cpp - The input grammar of mha-run -------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/InputSpec.h"

#include "mha/Execution/Npy.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace mlir::mha;
using llvm::Expected;
using llvm::StringRef;
using Source = InputSpec::Source;
using Values = std::vector<double>;

namespace {

template <typename T>
std::string errorOf(Expected<T> value) {
  if (value)
    return "no error";
  return llvm::toString(value.takeError());
}

InputSpec parse(StringRef text) {
  return llvm::cantFail(InputSpec::parse(text));
}

InputTarget target(ElementType type, llvm::ArrayRef<int64_t> shape,
                   unsigned index = 0) {
  InputTarget target;
  target.name = "q";
  target.index = index;
  target.type = {type, llvm::SmallVector<int64_t>(shape.begin(), shape.end())};
  return target;
}

Expected<HostTensor> make(StringRef text, const InputTarget &target) {
  Expected<InputSpec> spec = InputSpec::parse(text);
  if (!spec)
    return spec.takeError();
  return makeInput(*spec, target);
}

Values valuesOf(Expected<HostTensor> tensor) {
  Values values;
  if (!tensor) {
    ADD_FAILURE() << llvm::toString(tensor.takeError());
    return values;
  }
  for (int64_t i = 0; i < tensor->getNumElements(); ++i)
    values.push_back(tensor->getDouble(i));
  return values;
}

//===----------------------------------------------------------------------===//
// Grammar
//===----------------------------------------------------------------------===//

TEST(InputSpec, Sources) {
  EXPECT_EQ(parse("random").source, Source::Random);
  EXPECT_EQ(parse("random").seed, 0u);
  EXPECT_EQ(parse("random:18446744073709551615").seed, UINT64_MAX);
  EXPECT_EQ(parse("uniform:7").source, Source::Uniform);
  EXPECT_EQ(parse("iota").source, Source::Iota);
  EXPECT_EQ(parse("const:-1.5e3").value, "-1.5e3");
  EXPECT_EQ(parse("bool:0.25:9").probability, 0.25);
  EXPECT_EQ(parse("bool:0.25:9").seed, 9u);
  InputSpec range = parse("int:-3:12:5");
  EXPECT_EQ(range.source, Source::Int);
  EXPECT_EQ(range.low, -3);
  EXPECT_EQ(range.high, 12);
  EXPECT_EQ(range.seed, 5u);
  EXPECT_EQ(parse("@a/b.npy").source, Source::Npy);
  EXPECT_EQ(parse("@a/b.npy").value, "a/b.npy");
  EXPECT_EQ(parse("@b.npz").source, Source::Npz);
}

TEST(InputSpec, Prefixes) {
  InputSpec both = parse("%q=2x0x5xf32=random:3");
  EXPECT_EQ(both.name, "q");
  EXPECT_EQ(both.type->toString(), "2x0x5xf32");
  EXPECT_EQ(both.text, "%q=2x0x5xf32=random:3");
  EXPECT_FALSE(parse("arg0=iota").type);
  EXPECT_EQ(parse("arg0=iota").name, "arg0");
  EXPECT_EQ(parse("0=iota").name, "0");
  EXPECT_EQ(parse("index=const:3").type->toString(), "index");
  EXPECT_EQ(parse("index=const:3").name, "");
  EXPECT_EQ(parse("f32=f32=const:3").name, "f32");
  // Signs within a path are the path's.
  InputSpec file = parse("q=@a=b:c.npy");
  EXPECT_EQ(file.name, "q");
  EXPECT_EQ(file.value, "a=b:c.npy");
}

TEST(InputSpec, ErrorsSayWhereWhatAndWhatInstead) {
  auto error = [](StringRef text) { return errorOf(InputSpec::parse(text)); };
  EXPECT_EQ(error("q=rndom:1"),
            "input 'q=rndom:1': expected random, uniform, iota, const:V, "
            "bool:P, int:LO:HI, "
            "@FILE.npy or @FILE.npz at character 3, found 'rndom'");
  EXPECT_EQ(
      error("q=2x3xf33=iota"),
      "input 'q=2x3xf33=iota': expected a type such as 2x3xf32 at character 3, "
      "found '2x3xf33'");
  EXPECT_EQ(error("2x?xf32=iota"), "input '2x?xf32=iota': expected the name of "
                                   "an argument or a type such as 2x3xf32 "
                                   "at character 1, found '2x?xf32'");
  EXPECT_EQ(error("2xf32=q=iota"), "input '2xf32=q=iota': expected a type such "
                                   "as 2x3xf32 at character 7, found 'q'");
  EXPECT_EQ(error("=f32=iota"), "input '=f32=iota': expected the name of an "
                                "argument at character 1, found its end");
  EXPECT_EQ(error("a=f32=b=iota"), "input 'a=f32=b=iota': expected a source "
                                   "after a name and a type at character 7, "
                                   "found 'b'");
  EXPECT_EQ(error("q=@x.txt"), "input 'q=@x.txt': expected a file named *.npy "
                               "or *.npz at character 4, found 'x.txt'");
  EXPECT_EQ(error("random:-1"), "input 'random:-1': expected a seed, an "
                                "integer from 0 to 2^64 - 1 at character 8, "
                                "found '-1'");
  EXPECT_EQ(
      error("iota:1"),
      "input 'iota:1': expected no further part at character 6, found '1'");
  EXPECT_EQ(error("int:3"), "input 'int:3': expected ':' and two integers at "
                            "character 6, found its end");
  EXPECT_EQ(error("int:3:x"), "input 'int:3:x': expected an integer of 64 bits "
                              "at character 7, found 'x'");
  EXPECT_EQ(error("int:3:2"), "input 'int:3:2': expected an integer not below "
                              "3 at character 7, found '2'");
  EXPECT_EQ(error("bool:1.5"), "input 'bool:1.5': expected a probability from "
                               "0 to 1 at character 6, found '1.5'");
  EXPECT_EQ(error("const:one"), "input 'const:one': expected a number, inf, "
                                "-inf, nan, true or false at character 7, "
                                "found 'one'");
  for (StringRef bad :
       {"", "q=", "const", "const:", "const:1:2", "bool", "bool:", "bool:nan",
        "bool:-0.1", "int:1:2:3:4", "int:1:9223372036854775808", "random:", "@",
        "q=@", "a b=iota", "99999999999999999999xf32=iota", "2x3=iota",
        "xf32=2=iota"})
    EXPECT_NE(error(bad), "no error") << bad.str();
}

TEST(InputSpec, RandomTextNeverCrashes) {
  static constexpr char likely[] =
      "0123456789xf32i=:@.-+en%?randomuniformconstboolinputnpyz";
  std::mt19937_64 engine(41);
  for (int i = 0; i < 20000; ++i) {
    std::string text = i % 4 == 0 ? "const:" : "";
    for (int j = 0, n = engine() % 12; j < n; ++j)
      text += engine() % 16 ? likely[engine() % (sizeof(likely) - 1)]
                            : char(engine());
    Expected<HostTensor> tensor =
        StringRef(text).contains('@')
            ? llvm::createStringError("a file")
            : make(text, target(ElementType::F16, {2}));
    if (!tensor)
      llvm::consumeError(tensor.takeError());
  }
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

TEST(InputShape, DynamicSizesComeFromTheSpec) {
  InputTarget dynamic = target(ElementType::F32, {2, kDynamicDim, 5});
  EXPECT_EQ(llvm::cantFail(make("2x7x5xf32=iota", dynamic)).typeToString(),
            "2x7x5xf32");
  EXPECT_EQ(errorOf(make("q=iota", dynamic)),
            "input 'q=iota' for argument 'q': expected a size for dimension 1 "
            "of 2x?x5xf32, found none (write the "
            "type with its sizes before the source, as in 2x3xf32=random)");
  EXPECT_EQ(errorOf(make("2x7x6xf32=iota", dynamic)),
            "input '2x7x6xf32=iota' for argument 'q': expected size 5 of "
            "dimension 2, found 6");
  EXPECT_EQ(errorOf(make("2x7xf32=iota", dynamic)),
            "input '2x7xf32=iota' for argument 'q': expected 2x?x5xf32, found "
            "2x7xf32");
  EXPECT_EQ(errorOf(make("2x7x5xf64=iota", dynamic)),
            "input '2x7x5xf64=iota' for argument 'q': expected 2x?x5xf32, "
            "found 2x7x5xf64");
  EXPECT_NE(errorOf(make("2x9223372036854775807x5xf32=iota", dynamic))
                .find("does not fit in 64 bits"),
            std::string::npos);
  EXPECT_EQ(llvm::cantFail(resolveInputShape(parse("@x.npy"), dynamic)),
            (llvm::SmallVector<int64_t>{2, kDynamicDim, 5}));
}

TEST(InputShape, ScalarsAndEmptyTensors) {
  EXPECT_EQ(valuesOf(make("const:2.5", target(ElementType::F32, {}))),
            Values{2.5});
  EXPECT_EQ(valuesOf(make("random", target(ElementType::F32, {3, 0}))),
            Values{});
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

TEST(InputValues, RandomIsTheSameEverywhere) {
  // Six outputs of the engine a value, computed here from its raw bits.
  uint64_t x = 5 + 0x9e3779b97f4a7c15 * 3;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  std::mt19937_64 engine(x ^ (x >> 31));
  Values expected;
  for (int i = 0; i < 3; ++i) {
    double sum = -6 * 4294967295.0;
    for (int j = 0; j < 6; ++j) {
      uint64_t bits = engine();
      sum += double(bits >> 32) + double(bits & 0xffffffff);
    }
    expected.push_back(sum / 4294967296.0);
  }
  EXPECT_EQ(valuesOf(make("random:5", target(ElementType::F64, {3}, 2))),
            expected);
}

TEST(InputValues, RandomIsCloseToStandardNormal) {
  constexpr int count = 60000;
  Values values =
      valuesOf(make("random:1", target(ElementType::F32, {3, count / 3})));
  double sum = 0, squares = 0, fourths = 0;
  int withinOne = 0;
  for (double value : values) {
    sum += value;
    squares += value * value;
    fourths += value * value * value * value;
    withinOne += std::fabs(value) < 1;
  }
  EXPECT_NEAR(sum / count, 0, 0.02);
  EXPECT_NEAR(squares / count, 1, 0.03);
  // 2.9 for a sum of twelve uniform numbers, 3 for the normal distribution.
  EXPECT_NEAR(fourths / count, 2.95, 0.2);
  EXPECT_NEAR(double(withinOne) / count, 0.6827, 0.01);
}

TEST(InputValues, SeedsAndArgumentsDiffer) {
  Values base = valuesOf(make("random:1", target(ElementType::F32, {97})));
  EXPECT_EQ(base, valuesOf(make("random:1", target(ElementType::F32, {97}))));
  EXPECT_NE(base, valuesOf(make("random:2", target(ElementType::F32, {97}))));
  EXPECT_NE(base,
            valuesOf(make("random:1", target(ElementType::F32, {97}, 1))));
  // A seed and the next argument's must not be one stream shifted.
  EXPECT_NE(valuesOf(make("random:2", target(ElementType::F32, {97}))),
            valuesOf(make("random:1", target(ElementType::F32, {97}, 1))));
}

TEST(InputValues, UniformStaysBelowOne) {
  for (ElementType type : {ElementType::F64, ElementType::F32, ElementType::F16,
                           ElementType::BF16}) {
    double sum = 0, largest = 0;
    for (double value : valuesOf(make("uniform:3", target(type, {20001})))) {
      ASSERT_GE(value, 0);
      ASSERT_LT(value, 1);
      sum += value;
      largest = std::max(largest, value);
    }
    EXPECT_NEAR(sum / 20001, 0.5, 0.02);
    EXPECT_GT(largest, 0.99);
  }
}

TEST(InputValues, IotaIsExactAndTellsRowsApart) {
  for (ElementType type : {ElementType::F64, ElementType::F32, ElementType::F16,
                           ElementType::BF16}) {
    Values values = valuesOf(make("iota", target(type, {509})));
    for (int i = 0; i < 509; ++i)
      ASSERT_EQ(values[i], (i % 251 - 125) / 128.0) << toString(type).str();
  }
  EXPECT_EQ(valuesOf(make("iota", target(ElementType::I64, {4}))),
            (Values{0, 1, 2, 3}));
  EXPECT_EQ(valuesOf(make("iota", target(ElementType::I1, {3}))),
            (Values{0, 1, 0}));
  EXPECT_EQ(valuesOf(make("iota", target(ElementType::I8, {130})))[129], 1);
  InputTarget lengths = target(ElementType::I64, {5});
  lengths.legalRange = {-1, 1};
  EXPECT_EQ(valuesOf(make("iota", lengths)), (Values{-1, 0, 1, -1, 0}));
}

TEST(InputValues, Const) {
  EXPECT_EQ(valuesOf(make("const:0.1", target(ElementType::F32, {2}))),
            (Values{0.1f, 0.1f}));
  EXPECT_EQ(valuesOf(make("const:inf", target(ElementType::F16, {1}))),
            Values{INFINITY});
  EXPECT_EQ(valuesOf(make("const:-inf", target(ElementType::BF16, {1}))),
            Values{-INFINITY});
  EXPECT_TRUE(std::isnan(
      valuesOf(make("const:nan", target(ElementType::F32, {1})))[0]));
  // Rounded once: through f64 the sum would lie between two neighbours.
  EXPECT_EQ(valuesOf(make("const:1.00390625000000000001",
                          target(ElementType::BF16, {1}))),
            Values{1 + 0x1p-7});
  EXPECT_EQ(valuesOf(make("const:true", target(ElementType::I1, {1}))),
            Values{1});
  EXPECT_EQ(valuesOf(make("const:-128", target(ElementType::I8, {1}))),
            Values{-128});
  EXPECT_EQ(llvm::cantFail(
                make("const:9223372036854775807", target(ElementType::I64, {})))
                .getInt(0),
            INT64_MAX);
  EXPECT_EQ(errorOf(make("const:1e5", target(ElementType::F16, {1}))),
            "input 'const:1e5' for argument 'q': expected a number within the "
            "range of f16, found 1e5");
  EXPECT_EQ(errorOf(make("const:128", target(ElementType::I8, {1}))),
            "input 'const:128' for argument 'q': expected integers of i8 "
            "within -128..127, found 128");
  EXPECT_EQ(errorOf(make("const:0.5", target(ElementType::I32, {1}))),
            "input 'const:0.5' for argument 'q': expected an integer of 64 "
            "bits, found '0.5'");
  EXPECT_EQ(
      errorOf(make("const:true", target(ElementType::F32, {1}))),
      "input 'const:true' for argument 'q': expected a number, found 'true'");
}

TEST(InputValues, Bool) {
  double sum = 0;
  for (double value :
       valuesOf(make("bool:0.25:3", target(ElementType::I1, {20001}))))
    sum += value;
  EXPECT_NEAR(sum / 20001, 0.25, 0.02);
  EXPECT_EQ(valuesOf(make("bool:0", target(ElementType::I1, {2}))),
            (Values{0, 0}));
  EXPECT_EQ(valuesOf(make("bool:1", target(ElementType::F32, {2}))),
            (Values{1, 1}));
}

TEST(InputValues, IntIncludesBothEnds) {
  std::vector<int> seen(6);
  for (double value :
       valuesOf(make("int:-2:3:1", target(ElementType::I32, {6001})))) {
    ASSERT_GE(value, -2);
    ASSERT_LE(value, 3);
    ++seen[int(value) + 2];
  }
  for (int count : seen)
    EXPECT_NEAR(count, 1000, 150);
  EXPECT_EQ(valuesOf(make("int:5:5", target(ElementType::F32, {2}))),
            (Values{5, 5}));
  EXPECT_NE(errorOf(make("int:-9223372036854775808:9223372036854775807",
                         target(ElementType::I64, {3})))
                .find("no error"),
            std::string::npos);
  EXPECT_EQ(errorOf(make("int:-1:3", target(ElementType::U8, {2}))),
            "input 'int:-1:3' for argument 'q': expected integers of ui8 "
            "within 0..255, found -1");
  EXPECT_EQ(errorOf(make("int:0:257", target(ElementType::BF16, {2}))),
            "input 'int:0:257' for argument 'q': expected integers of bf16 "
            "within -256..256, found 257");
}

TEST(InputValues, RandomIntegersNeedARange) {
  InputTarget lengths = target(ElementType::I64, {41});
  EXPECT_EQ(errorOf(make("random:1", lengths)),
            "input 'random:1' for argument 'q': expected a range for 41xi64, "
            "found none (use int:LO:HI)");
  EXPECT_NE(errorOf(make("uniform", lengths)), "no error");
  lengths.legalRange = {0, 11};
  Values values = valuesOf(make("random:1", lengths));
  EXPECT_GE(*std::min_element(values.begin(), values.end()), 0);
  EXPECT_LE(*std::max_element(values.begin(), values.end()), 11);
  EXPECT_NE(values, Values(41, values[0]));
  Values coins = valuesOf(make("random:1", target(ElementType::I1, {41})));
  EXPECT_NE(coins, Values(41, coins[0]));
}

TEST(InputValues, Files) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("mha-input", "npy", path));
  HostTensor tensor =
      llvm::cantFail(make("iota", target(ElementType::F32, {2, 3})));
  llvm::cantFail(writeNpy(path, tensor));
  std::string spec = ("@" + path).str();
  EXPECT_EQ(
      llvm::cantFail(make(spec, target(ElementType::F32, {2, kDynamicDim})))
          .typeToString(),
      "2x3xf32");
  // The sizes of the spec bind the file too.
  EXPECT_EQ(errorOf(make("2x4xf32=" + spec,
                         target(ElementType::F32, {2, kDynamicDim}))),
            path.str().str() + ": expected 2x4xf32, found 2x3xf32");
  llvm::sys::fs::remove(path);
}

} // namespace
