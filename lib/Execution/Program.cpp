//===- Program.cpp - A program as it was read from a file -----------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/Program.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::mha;

llvm::Expected<std::unique_ptr<Program>> Program::read(StringRef path,
                                                       MLIRContext &context) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/false);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + buffer.getError().message());
  std::unique_ptr<Program> program(new Program(path));
  program->sources.AddNewSourceBuffer(std::move(*buffer), SMLoc());
  SourceMgrDiagnosticHandler diagnostics(program->sources, &context);
  if (failed(program->parse(context)))
    return llvm::createStringError("cannot run '" + path +
                                   "': it is not a valid program");
  return program;
}

/// The module that the text spells out, or one around the ops of the text.
static OwningOpRef<ModuleOp> takeModule(Block &block, Location loc) {
  if (llvm::hasSingleElement(block))
    if (auto module = dyn_cast<ModuleOp>(block.front())) {
      module->remove();
      return module;
    }
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  module->getBody()->getOperations().splice(module->getBody()->end(),
                                            block.getOperations());
  return module;
}

LogicalResult Program::parse(MLIRContext &context) {
  const llvm::MemoryBuffer &buffer =
      *sources.getMemoryBuffer(sources.getMainFileID());
  Location start =
      FileLineColLoc::get(&context, buffer.getBufferIdentifier(), 1, 1);
  ParserConfig config(&context);
  Block block;
  LogicalResult parsed =
      isBytecode(buffer) ? parseSourceFile(sources, &block, config)
                         : parseAsmSourceFile(sources, &block, config, &names);
  if (failed(parsed))
    return failure();
  module = takeModule(block, start);
  // The parser verifies each op of the text, but not the module around them.
  return verify(*module);
}

std::string Program::getSourceName(BlockArgument argument) const {
  const AsmParserState::BlockDefinition *block =
      names.getBlockDef(argument.getOwner());
  if (!block || block->arguments.size() <= argument.getArgNumber())
    return {};
  SMRange range = block->arguments[argument.getArgNumber()].loc;
  if (!range.isValid())
    return {};
  StringRef text(range.Start.getPointer(),
                 range.End.getPointer() - range.Start.getPointer());
  text.consume_front("%");
  bool isNumber = text.find_first_not_of("0123456789") == StringRef::npos;
  return isNumber ? std::string() : text.str();
}
