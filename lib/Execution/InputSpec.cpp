//===- InputSpec.cpp - The input grammar of mha-run -----------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/InputSpec.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir::mha;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
using Source = InputSpec::Source;

/// `2x3xf32`, static sizes only.
static std::optional<DeclaredType> parseStaticType(StringRef text) {
  DeclaredType type;
  while (!text.empty() && llvm::isDigit(text.front())) {
    uint64_t size;
    if (text.consumeInteger(10, size) || size > INT64_MAX ||
        !text.consume_front("x"))
      return std::nullopt;
    type.shape.push_back(static_cast<int64_t>(size));
  }
  std::optional<ElementType> elementType = parseElementType(text);
  if (!elementType)
    return std::nullopt;
  type.elementType = *elementType;
  return type;
}

/// Whether MLIR would take `text` as the name of a value.
static bool isName(StringRef text) {
  if (text.empty())
    return false;
  if (llvm::all_of(text, llvm::isDigit))
    return true;
  return !llvm::isDigit(text.front()) && llvm::all_of(text, [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.' || c == '-';
  });
}

/// Whether `text` is a value that `const` can have for some type.
static bool isConstant(StringRef text) {
  if (text == "true" || text == "false")
    return true;
  llvm::APFloat value(llvm::APFloat::IEEEdouble());
  auto status =
      value.convertFromString(text, llvm::APFloat::rmNearestTiesToEven);
  if (status)
    return true;
  llvm::consumeError(status.takeError());
  return false;
}

namespace {
class SpecParser {
public:
  explicit SpecParser(StringRef text) : text(text) { spec.text = text.str(); }

  Expected<InputSpec> parse();

private:
  Error parsePrefixes(StringRef &rest);
  Error parseName(StringRef prefix);
  Error parseSource(StringRef rest);
  Error parseFile(StringRef rest);
  Error parseFields();
  Error parseInteger(StringRef field, int64_t &value);

  /// `at` points into `text`; the position is its start.
  Error fail(StringRef at, const Twine &expected) {
    return createStringError("input '" + text + "': expected " + expected +
                             " at character " +
                             Twine(at.begin() - text.begin() + 1) + ", found " +
                             (at.empty() ? "its end" : ("'" + at + "'").str()));
  }

  StringRef text;
  InputSpec spec;
  /// The source's parts between colons; the keyword first.
  llvm::SmallVector<StringRef> fields;
};
} // namespace

Expected<InputSpec> InputSpec::parse(StringRef text) {
  return SpecParser(text).parse();
}

Expected<InputSpec> SpecParser::parse() {
  StringRef rest = text;
  if (Error error = parsePrefixes(rest))
    return error;
  if (Error error = parseSource(rest))
    return error;
  return std::move(spec);
}

Error SpecParser::parsePrefixes(StringRef &rest) {
  llvm::SmallVector<StringRef, 3> prefixes;
  // A sign of equality beyond these belongs to a path.
  for (size_t end; (end = rest.find_first_of("=@:")) != StringRef::npos &&
                   rest[end] == '=';) {
    prefixes.push_back(rest.take_front(end));
    rest = rest.drop_front(end + 1);
  }
  if (prefixes.empty())
    return Error::success();
  if (prefixes.size() > 2)
    return fail(prefixes[2], "a source after a name and a type");

  spec.type = parseStaticType(prefixes.back());
  if (spec.type)
    return prefixes.size() == 2 ? parseName(prefixes[0]) : Error::success();
  if (prefixes.size() == 2)
    return fail(prefixes[1], "a type such as 2x3xf32");
  return parseName(prefixes[0]);
}

Error SpecParser::parseName(StringRef prefix) {
  StringRef name = prefix;
  name.consume_front("%");
  if (!isName(name))
    return fail(prefix, spec.type ? "the name of an argument"
                                  : "the name of an argument or a type such "
                                    "as 2x3xf32");
  spec.name = name.str();
  return Error::success();
}

Error SpecParser::parseFile(StringRef rest) {
  StringRef path = rest.drop_front();
  if (!path.ends_with(".npy") && !path.ends_with(".npz"))
    return fail(path, "a file named *.npy or *.npz");
  spec.source = path.ends_with(".npy") ? Source::Npy : Source::Npz;
  spec.value = path.str();
  return Error::success();
}

Error SpecParser::parseInteger(StringRef field, int64_t &value) {
  if (field.getAsInteger(10, value))
    return fail(field, "an integer of 64 bits");
  return Error::success();
}

Error SpecParser::parseSource(StringRef rest) {
  if (rest.starts_with("@"))
    return parseFile(rest);

  rest.split(fields, ':');
  auto source = llvm::StringSwitch<std::optional<Source>>(fields[0])
                    .Case("random", Source::Random)
                    .Case("uniform", Source::Uniform)
                    .Case("iota", Source::Iota)
                    .Case("const", Source::Const)
                    .Case("bool", Source::Bool)
                    .Case("int", Source::Int)
                    .Default(std::nullopt);
  if (!source)
    return fail(fields[0], "random, uniform, iota, const:V, bool:P, int:LO:HI, "
                           "@FILE.npy or @FILE.npz");
  spec.source = *source;
  return parseFields();
}

Error SpecParser::parseFields() {
  size_t required =
      spec.source == Source::Int                                    ? 2
      : spec.source == Source::Const || spec.source == Source::Bool ? 1
                                                                    : 0;
  bool seeded = spec.source != Source::Iota && spec.source != Source::Const;
  StringRef values[] = {"a value", "two integers"};
  if (fields.size() < 1 + required)
    return fail(text.drop_front(text.size()),
                "':' and " + values[required - 1]);
  if (fields.size() > 1 + required + seeded)
    return fail(fields[1 + required + seeded], "no further part");
  if (fields.size() == 2 + required &&
      fields.back().getAsInteger(10, spec.seed))
    return fail(fields.back(), "a seed, an integer from 0 to 2^64 - 1");

  if (spec.source == Source::Const) {
    if (!isConstant(fields[1]))
      return fail(fields[1], "a number, inf, -inf, nan, true or false");
    spec.value = fields[1].str();
  }
  if (spec.source == Source::Bool &&
      (fields[1].getAsDouble(spec.probability) ||
       !(spec.probability >= 0 && spec.probability <= 1)))
    return fail(fields[1], "a probability from 0 to 1");
  if (spec.source != Source::Int)
    return Error::success();
  if (Error error = parseInteger(fields[1], spec.low))
    return error;
  if (Error error = parseInteger(fields[2], spec.high))
    return error;
  if (spec.low > spec.high)
    return fail(fields[2], "an integer not below " + Twine(spec.low));
  return Error::success();
}
