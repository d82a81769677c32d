//===- JIT.cpp - From the LLVM dialect to callable code -------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thin shell around MLIR's ExecutionEngine. The engine asserts or aborts on
// names that clash with its own and reports a missing function without saying
// where it is called, so both are looked for beforehand.
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/JIT.h"

#include "mha/Execution/Allocations.h"
#include "mha/Execution/KernelCalls.h"
#include "mha/IR/MHA.h"
#include "mha/Runtime/ParallelFor.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/LLVMTranslationInterface.h"
#include "mlir/Target/LLVMIR/ModuleTranslation.h"

#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace mlir::mha;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// What compiled code may call beside the functions of the process. The
/// reference to the loop over threads is also what makes the linker keep it.
static SmallVector<RuntimeSymbol> getRuntimeSymbols() {
  SmallVector<RuntimeSymbol> symbols(getAllocationSymbols());
  symbols.push_back(getKernelCallSymbol());
  symbols.push_back(
      {"mha_parallel_for", reinterpret_cast<void *>(&mha_parallel_for)});
  return symbols;
}

static bool isRuntimeSymbol(StringRef name) {
  return llvm::any_of(getRuntimeSymbols(), [&](const RuntimeSymbol &symbol) {
    return symbol.name == name;
  });
}

static bool isKnownToProcess(StringRef name) {
  // Opens the process itself, once, as the place to search.
  static const bool opened =
      !llvm::sys::DynamicLibrary::LoadLibraryPermanently(nullptr);
  return opened && llvm::sys::DynamicLibrary::SearchForAddressOfSymbol(
                       name.str()) != nullptr;
}

/// Names that start with `_mlir_` are the engine's, save the C interfaces.
static bool isReservedName(StringRef name) {
  return name.starts_with("_mlir_") && !name.starts_with("_mlir_ciface_");
}

static LogicalResult checkFunction(LLVM::LLVMFuncOp function, ModuleOp module) {
  StringRef name = function.getName();
  if (!function.isExternal()) {
    if (isReservedName(name))
      return function.emitError()
             << "the function name '" << name << "' is reserved";
    return success();
  }
  bool provided = name.starts_with("llvm.") || isRuntimeSymbol(name) ||
                  isKnownToProcess(name);
  if (!provided && !SymbolTable::symbolKnownUseEmpty(function, module))
    return function.emitError() << "the function '" << name
                                << "' is called but has no body, and this "
                                   "process has no function of that name";
  return success();
}

static LogicalResult checkModule(ModuleOp module) {
  LogicalResult result = success();
  if (Operation *taken = module.lookupSymbol(getKernelCallSymbol().name)) {
    taken->emitError() << "the name '" << getKernelCallSymbol().name
                       << "' is reserved";
    result = failure();
  }
  for (Operation &op : module.getOps()) {
    if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op)) {
      if (failed(checkFunction(function, module)))
        result = failure();
      continue;
    }
    if (op.getDialect() == nullptr ||
        op.getDialect()->getNamespace() !=
            LLVM::LLVMDialect::getDialectNamespace()) {
      op.emitError() << "'" << op.getName()
                     << "' is not in the LLVM dialect after the pipeline";
      result = failure();
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(CodeQuality quality, const TargetCPU &cpu) {
  // LLVM's own registries; a second call does nothing.
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::orc::JITTargetMachineBuilder builder{
      llvm::Triple(llvm::sys::getProcessTriple())};
  builder.setCPU(cpu.name);
  builder.setFeatures(cpu.features);
  builder.setCodeGenOptLevel(quality == CodeQuality::Fast
                                 ? llvm::CodeGenOptLevel::Aggressive
                                 : llvm::CodeGenOptLevel::Less);
  return builder.createTargetMachine();
}

/// Those that the module calls: a program may have a function of its own in
/// place of one.
static void registerRuntimeSymbols(ExecutionEngine &engine, ModuleOp module) {
  engine.registerSymbols([&](llvm::orc::MangleAndInterner mangle) {
    llvm::orc::SymbolMap symbols;
    for (const RuntimeSymbol &symbol : getRuntimeSymbols()) {
      auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(symbol.name);
      if (function && function.isExternal())
        symbols[mangle(symbol.name)] = {
            llvm::orc::ExecutorAddr::fromPtr(symbol.address),
            llvm::JITSymbolFlags::Exported};
    }
    return symbols;
  });
}

namespace {
/// Attributes of ours, such as the names of arguments, say nothing to LLVM.
struct MHATranslation : LLVMTranslationDialectInterface {
  using LLVMTranslationDialectInterface::LLVMTranslationDialectInterface;

  LogicalResult
  convertParameterAttr(LLVM::LLVMFuncOp function, int index,
                       NamedAttribute attribute,
                       LLVM::ModuleTranslation &translation) const final {
    return success();
  }
};
} // namespace

void mlir::mha::registerJITTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registry.addExtension(+[](MLIRContext *context, MHADialect *dialect) {
    dialect->addInterfaces<MHATranslation>();
  });
}

llvm::Expected<std::unique_ptr<CompiledModule>>
CompiledModule::create(ModuleOp module, CodeQuality quality,
                       const TargetCPU &cpu) {
  if (failed(checkModule(module)))
    return llvm::createStringError("the program cannot be run");
  auto target = createTargetMachine(quality, cpu);
  if (!target)
    return target.takeError();
  std::vector<std::string> kernelNames = countKernelCalls(module);

  const unsigned speedLevel = quality == CodeQuality::Fast ? 3 : 1;
  constexpr unsigned sizeLevel = 0;
  auto optimize =
      makeOptimizingTransformer(speedLevel, sizeLevel, target->get());
  ExecutionEngineOptions options;
  options.transformer = optimize;
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  auto engine = ExecutionEngine::create(module, options, std::move(*target));
  if (!engine)
    return engine.takeError();
  registerRuntimeSymbols(**engine, module);
  return std::unique_ptr<CompiledModule>(
      new CompiledModule(std::move(*engine), std::move(kernelNames)));
}

CompiledModule::CompiledModule(std::unique_ptr<ExecutionEngine> engine,
                               std::vector<std::string> kernelNames)
    : engine(std::move(engine)), kernelNames(std::move(kernelNames)) {}

CompiledModule::~CompiledModule() = default;

llvm::Expected<CompiledModule::Function>
CompiledModule::lookup(StringRef name) const {
  auto function = engine->lookupPacked(name);
  if (!function)
    return llvm::createStringError("cannot link the compiled code: " +
                                   llvm::toString(function.takeError()));
  return *function;
}
