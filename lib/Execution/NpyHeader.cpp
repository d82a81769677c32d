//===- NpyHeader.cpp - The header of NumPy's array files ------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NpyFormat.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SwapByteOrder.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::mha;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

static constexpr StringRef kMagic("\x93NUMPY", 6);
/// Far beyond any array of simple type; a larger header is an attack.
static constexpr uint64_t kMaxHeaderSize = 1 << 20;
/// Of NumPy 2.
static constexpr size_t kMaxRank = 64;

namespace {
/// A type in NumPy's spelling, without its byte order.
struct TypeCode {
  StringRef name;
  ElementType type;
};
} // namespace

static constexpr TypeCode kTypeCodes[] = {
    {"f8", ElementType::F64},  {"f4", ElementType::F32},
    {"f2", ElementType::F16},  {"V2", ElementType::BF16},
    {"u2", ElementType::BF16}, {"i8", ElementType::I64},
    {"i4", ElementType::I32},  {"i2", ElementType::I16},
    {"i1", ElementType::I8},   {"u1", ElementType::U8},
    {"b1", ElementType::I1},
};

std::string mlir::mha::quoteForMessage(StringRef text) {
  std::string quoted;
  llvm::raw_string_ostream os(quoted);
  os << '\'';
  llvm::printEscapedString(text.take_front(40), os);
  os << (text.size() > 40 ? "...'" : "'");
  return quoted;
}

//===----------------------------------------------------------------------===//
// The dictionary
//===----------------------------------------------------------------------===//

namespace {
/// A parser of the subset of Python literals that `numpy.lib.format` writes.
class HeaderParser {
public:
  HeaderParser(StringRef header, size_t start)
      : header(header), rest(header.drop_front(start)) {}

  Expected<NpyHeader> parse();

private:
  Error parseEntry(NpyHeader &result);
  Error parseString(std::string &value);
  Error parseDescr(NpyHeader &result);
  Error parseBool(bool &value);
  Error parseShape(llvm::SmallVectorImpl<int64_t> &shape);

  void skipSpace() { rest = rest.ltrim(" \t\r\n\f"); }
  bool consume(StringRef token) {
    skipSpace();
    return rest.consume_front(token);
  }
  Error fail(const Twine &expected) {
    skipSpace();
    return createStringError(
        "malformed header at byte " + Twine(header.size() - rest.size()) +
        ": expected " + expected + ", found " +
        (rest.empty() ? "its end" : quoteForMessage(rest.rtrim())));
  }

  StringRef header, rest;
  bool hasDescr = false, hasOrder = false, hasShape = false;
};
} // namespace

Expected<NpyHeader> HeaderParser::parse() {
  NpyHeader result;
  if (!consume("{"))
    return fail("'{'");
  while (!consume("}")) {
    if (Error error = parseEntry(result))
      return error;
    if (consume(","))
      continue;
    if (!consume("}"))
      return fail("',' or '}'");
    break;
  }
  skipSpace();
  if (!rest.empty())
    return fail("its end");
  if (!hasDescr || !hasOrder || !hasShape)
    return createStringError("malformed header: expected the entries 'descr', "
                             "'fortran_order' and 'shape', found no '" +
                             Twine(!hasDescr   ? "descr"
                                   : !hasOrder ? "fortran_order"
                                               : "shape") +
                             "'");
  return result;
}

Error HeaderParser::parseEntry(NpyHeader &result) {
  StringRef start = rest;
  std::string key;
  if (Error error = parseString(key))
    return error;
  bool *seen = llvm::StringSwitch<bool *>(key)
                   .Case("descr", &hasDescr)
                   .Case("fortran_order", &hasOrder)
                   .Case("shape", &hasShape)
                   .Default(nullptr);
  if (!seen || *seen) {
    rest = start;
    return fail("'descr', 'fortran_order' and 'shape', once each");
  }
  *seen = true;
  if (!consume(":"))
    return fail("':'");
  if (seen == &hasDescr)
    return parseDescr(result);
  if (seen == &hasOrder)
    return parseBool(result.fortranOrder);
  return parseShape(result.shape);
}

Error HeaderParser::parseString(std::string &value) {
  StringRef delimiter = consume("'") ? "'" : consume("\"") ? "\"" : "";
  if (delimiter.empty())
    return fail("a string");
  size_t end = rest.find(delimiter);
  if (end == StringRef::npos)
    return fail("a string that ends");
  value = rest.take_front(end).str();
  rest = rest.drop_front(end + 1);
  return Error::success();
}

Error HeaderParser::parseDescr(NpyHeader &result) {
  skipSpace();
  if (rest.starts_with("["))
    return createStringError(
        "expected elements of a simple type, found a structured type");
  if (Error error = parseString(result.descr))
    return error;
  StringRef type = result.descr;
  bool big = type.consume_front(">");
  if (!big && !type.consume_front("<") && !type.consume_front("|"))
    return Error::success();
  result.swapped = big == llvm::sys::IsLittleEndianHost;
  for (const TypeCode &code : kTypeCodes)
    if (code.name == type)
      result.elementType = code.type;
  return Error::success();
}

Error HeaderParser::parseBool(bool &value) {
  value = consume("True");
  if (!value && !consume("False"))
    return fail("True or False");
  return Error::success();
}

Error HeaderParser::parseShape(llvm::SmallVectorImpl<int64_t> &shape) {
  if (!consume("("))
    return fail("'('");
  while (!consume(")")) {
    skipSpace();
    StringRef start = rest;
    uint64_t size;
    if (rest.consumeInteger(10, size) || size > INT64_MAX) {
      rest = start;
      return fail("a size below 2^63");
    }
    if (shape.size() == kMaxRank)
      return fail("at most " + Twine(kMaxRank) + " dimensions");
    shape.push_back(static_cast<int64_t>(size));
    // Python 2 wrote its long integers with a suffix.
    rest.consume_front("L");
    if (consume(","))
      continue;
    // `(3)` is no tuple.
    if (shape.size() == 1 || !consume(")"))
      return fail(shape.size() == 1 ? "','" : "',' or ')'");
    break;
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The file around it
//===----------------------------------------------------------------------===//

Expected<size_t> mlir::mha::getNpyDataOffset(StringRef start) {
  if (!start.starts_with(kMagic))
    return createStringError("expected an array file of NumPy, found a file "
                             "that does not begin with its mark");
  if (start.size() < kNpyPreambleSize)
    return createStringError("truncated: expected at least " +
                             Twine(kNpyPreambleSize) + " bytes, found " +
                             Twine(start.size()));
  unsigned major = uint8_t(start[6]), minor = uint8_t(start[7]);
  if (major < 1 || major > 3 || minor != 0)
    return createStringError("expected version 1.0, 2.0 or 3.0, found " +
                             Twine(major) + "." + Twine(minor));
  const char *length = start.data() + 8;
  uint64_t size = major == 1 ? llvm::support::endian::read16le(length)
                             : llvm::support::endian::read32le(length);
  if (size > kMaxHeaderSize)
    return createStringError("expected a header of at most " +
                             Twine(kMaxHeaderSize) + " bytes, found " +
                             Twine(size));
  return (major == 1 ? 10 : 12) + size;
}

Expected<NpyHeader> mlir::mha::parseNpyHeader(StringRef header) {
  return HeaderParser(header, header[6] == 1 ? 10 : 12).parse();
}

std::string NpyHeader::typeToString() const {
  // 2-byte bits may be bf16 or not: only NumPy's own name is certain.
  if (elementType && *elementType != ElementType::BF16)
    return toString(*elementType, shape);
  std::string sizes = toString(ElementType::I8, shape);
  StringRef prefix =
      StringRef(sizes).drop_back(toString(ElementType::I8).size());
  prefix.consume_back("x");
  return ((prefix.empty() ? "a scalar" : prefix) + " of type " +
          quoteForMessage(descr))
      .str();
}

Expected<std::string> mlir::mha::makeNpyHeader(const HostTensor &tensor) {
  ElementType type = tensor.getElementType() == ElementType::Index
                         ? ElementType::I64
                         : tensor.getElementType();
  if (size_t(tensor.getRank()) > kMaxRank)
    return createStringError("expected at most " + Twine(kMaxRank) +
                             " dimensions, found " + Twine(tensor.getRank()));
  const TypeCode *code = llvm::find_if(
      kTypeCodes, [&](const TypeCode &code) { return code.type == type; });

  std::string header;
  llvm::raw_string_ostream os(header);
  os << "{'descr': '"
     << (getByteWidth(type) == 1         ? '|'
         : llvm::sys::IsLittleEndianHost ? '<'
                                         : '>')
     << code->name << "', 'fortran_order': False, 'shape': (";
  llvm::interleaveComma(tensor.getShape(), os);
  os << (tensor.getRank() == 1 ? ",), }" : "), }");

  // The data begin at a multiple of 64; a newline ends the header.
  constexpr size_t preamble = 10;
  size_t end = llvm::alignTo(preamble + header.size() + 1, 64);
  header.append(end - preamble - 1 - header.size(), ' ');
  header += '\n';
  std::string start = kMagic.str() + '\1' + '\0';
  start += char(header.size() & 0xff);
  start += char(header.size() >> 8);
  return start + header;
}
