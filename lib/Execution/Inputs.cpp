//===- Inputs.cpp - The values that a run passes --------------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/Inputs.h"

#include "mha/Execution/InputSpec.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::mha;

static constexpr llvm::StringLiteral kDefaultSpec = "random:0";

namespace {
/// The parsed `--input`s by the argument that they are for.
struct SpecTable {
  llvm::StringMap<InputSpec> byName;
  std::optional<InputSpec> unnamed;
};
} // namespace

//===----------------------------------------------------------------------===//
// Specs
//===----------------------------------------------------------------------===//

static std::string listArguments(const EntryPoint &entry) {
  if (entry.arguments.empty())
    return "a function without arguments";
  std::string text = "one of the arguments ";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(entry.arguments, os,
                        [&](const EntryArgument &argument) {
                          os << "'" << argument.name << "'";
                        });
  return text;
}

static llvm::Error addSpec(StringRef text, const EntryPoint &entry,
                           SpecTable &table) {
  llvm::Expected<InputSpec> spec = InputSpec::parse(text);
  if (!spec)
    return spec.takeError();
  if (spec->name.empty()) {
    if (table.unnamed)
      return llvm::createStringError(
          "expected one --input without a name, found '" + table.unnamed->text +
          "' and '" + text + "'");
    table.unnamed = std::move(*spec);
    return llvm::Error::success();
  }
  bool known =
      llvm::any_of(entry.arguments, [&](const EntryArgument &argument) {
        return argument.name == spec->name;
      });
  if (!known)
    return llvm::createStringError("--input=" + text + ": expected " +
                                   listArguments(entry) + ", found '" +
                                   spec->name + "'");
  auto [it, inserted] = table.byName.try_emplace(spec->name, *spec);
  if (!inserted)
    return llvm::createStringError("expected one --input for '" + spec->name +
                                   "', found '" + it->second.text + "' and '" +
                                   text + "'");
  return llvm::Error::success();
}

static llvm::Expected<SpecTable> readSpecs(const EntryPoint &entry,
                                           ArrayRef<std::string> specs) {
  SpecTable table;
  for (StringRef text : specs)
    if (llvm::Error error = addSpec(text, entry, table))
      return error;
  if (!table.unnamed)
    if (llvm::Error error = addSpec(kDefaultSpec, entry, table))
      return error;
  return table;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// `2` or `1, 0`: where in the argument.
static std::string printIndex(ArrayRef<int64_t> index) {
  return llvm::join(
      llvm::map_range(index, [](int64_t i) { return std::to_string(i); }),
      ", ");
}

static llvm::Error checkLengths(const EntryArgument &argument,
                                const HostTensor &value,
                                std::pair<int64_t, int64_t> range) {
  for (int64_t i = 0, e = value.getNumElements(); i != e; ++i) {
    int64_t length = value.getInt(i);
    if (length >= range.first && length <= range.second)
      continue;
    std::string where;
    if (value.getRank() != 0)
      where = " at index " + printIndex(delinearize(i, value.getShape()));
    return llvm::createStringError(
        "argument '" + argument.name + "': expected a number of keys within " +
        std::to_string(range.first) + ".." + std::to_string(range.second) +
        ", found " + std::to_string(length) + where);
  }
  return llvm::Error::success();
}

static llvm::Expected<HostTensor>
makeValue(const InputSpec &spec, const EntryArgument &argument, unsigned index,
          std::optional<std::pair<int64_t, int64_t>> range) {
  InputTarget target{argument.name, index, argument.type, range};
  llvm::Expected<HostTensor> value = makeInput(spec, target);
  if (!value || !range || argument.range->isOffset)
    return value;
  if (llvm::Error error = checkLengths(argument, *value, *range))
    return error;
  return value;
}

/// `random:1` of `q=2x3xf32=random:1`.
static std::string getSource(const InputSpec &spec) {
  StringRef source = spec.text;
  if (!spec.name.empty())
    source = source.split('=').second;
  if (spec.type)
    source = source.split('=').second;
  return source.str();
}

llvm::Expected<Inputs> mlir::mha::makeInputs(const EntryPoint &entry,
                                             ArrayRef<std::string> specs) {
  auto table = readSpecs(entry, specs);
  if (!table)
    return table.takeError();
  std::vector<std::optional<HostTensor>> values(entry.arguments.size());
  Inputs inputs;
  auto shapeOf = [&](unsigned index) { return values[index]->getShape(); };
  auto make = [&](unsigned index) -> llvm::Error {
    const EntryArgument &argument = entry.arguments[index];
    auto named = table->byName.find(argument.name);
    const InputSpec &spec =
        named != table->byName.end() ? named->second : *table->unnamed;
    std::optional<std::pair<int64_t, int64_t>> range;
    if (argument.range)
      range = argument.range->evaluate(shapeOf);
    auto value = makeValue(spec, argument, index, range);
    if (!value)
      return value.takeError();
    values[index] = std::move(*value);
    inputs.specs[index] = argument.name + "=" + values[index]->typeToString() +
                          "=" + getSource(spec);
    return llvm::Error::success();
  };

  // Ranges speak of the sizes of other arguments, so those come first.
  inputs.specs.resize(entry.arguments.size());
  for (bool ranged : {false, true})
    for (unsigned index = 0; index < entry.arguments.size(); ++index)
      if (entry.arguments[index].range.has_value() == ranged)
        if (llvm::Error error = make(index))
          return error;
  for (std::optional<HostTensor> &value : values)
    inputs.values.push_back(std::move(*value));
  return inputs;
}
