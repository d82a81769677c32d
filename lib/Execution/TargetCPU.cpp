//===- TargetCPU.cpp - The CPU that machine code is made for --------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/TargetCPU.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

using namespace mlir::mha;
using llvm::StringRef;
using llvm::Twine;

static constexpr llvm::StringLiteral kNative = "native";

/// Features of x86 CPUs whose instructions no compiler chooses by itself. What
/// is not named here counts as chosen.
static constexpr StringRef kRequestedFeatures[] = {
    "cldemote", "clflushopt", "clwb",   "clzero",    "enqcmd",    "fsgsbase",
    "hreset",   "invpcid",    "kl",     "lwp",       "movdir64b", "movdiri",
    "mwaitx",   "pconfig",    "pku",    "prefetchi", "ptwrite",   "rdpid",
    "rdpru",    "rdrnd",      "rdseed", "rtm",       "serialize", "sgx",
    "shstk",    "tsxldtrk",   "uintr",  "usermsr",   "waitpkg",   "wbnoinvd",
    "widekl",   "xsave",      "xsavec", "xsaveopt",  "xsaves"};

HostCPU HostCPU::detect() {
  return {llvm::Triple(llvm::sys::getProcessTriple()),
          llvm::sys::getHostCPUName().str(), llvm::sys::getHostCPUFeatures()};
}

static TargetCPU getNativeCPU(const HostCPU &host) {
  llvm::SubtargetFeatures features;
  for (const auto &feature : host.features)
    features.AddFeature(feature.getKey(), feature.getValue());
  return {host.name, features.getString()};
}

/// The features of a CPU; null for a name that is none of the triple's, or
/// that of a CPU which is too old for it.
static std::unique_ptr<llvm::MCSubtargetInfo>
findCPU(StringRef name, const llvm::Triple &triple) {
  // LLVM's own registries; a second call does nothing.
  llvm::InitializeNativeTarget();
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return nullptr;
  auto create = [&](StringRef cpu) {
    return std::unique_ptr<llvm::MCSubtargetInfo>(
        target->createMCSubtargetInfo(triple, cpu, /*Features=*/""));
  };
  // An unknown name is only warned about where a subtarget is made of it.
  if (!create("")->isCPUStringValid(name))
    return nullptr;
  std::unique_ptr<llvm::MCSubtargetInfo> cpu = create(name);
  if (triple.isArch64Bit() && !cpu->checkFeatures("+64bit"))
    return nullptr;
  return cpu;
}

llvm::Expected<TargetCPU> mlir::mha::resolveTargetCPU(StringRef name,
                                                      const HostCPU &host) {
  if (name == kNative)
    return getNativeCPU(host);
  StringRef architecture = host.triple.getArchName();
  // Elsewhere LLVM does not tell what a CPU cannot do from what it is not
  // asked about.
  if (!host.triple.isX86())
    return llvm::createStringError(
        "--target: expected 'native', the only target on " + architecture +
        " that can be checked before its code runs, found '" + name + "'");
  std::unique_ptr<llvm::MCSubtargetInfo> cpu = findCPU(name, host.triple);
  if (!cpu)
    return llvm::createStringError(
        "--target: expected 'native' or an " + architecture +
        " CPU that LLVM knows, such as 'x86-64-v3', found '" + name + "'");

  llvm::SubtargetFeatures switchedOff;
  llvm::SmallVector<StringRef> lacking;
  for (const llvm::SubtargetFeatureKV &feature :
       cpu->getEnabledProcessorFeatures()) {
    auto detected = host.features.find(feature.Key);
    // What is not detected tells of speed, or is part of every x86-64 CPU.
    if (detected == host.features.end() || detected->second)
      continue;
    if (llvm::is_contained(kRequestedFeatures, feature.Key))
      switchedOff.AddFeature(feature.Key, /*Enable=*/false);
    else
      lacking.push_back(feature.Key);
  }
  if (!lacking.empty())
    return llvm::createStringError("--target=" + name +
                                   ": expected a CPU whose instructions this "
                                   "machine (" +
                                   host.name + ") has, found one that needs " +
                                   llvm::join(lacking, ", "));
  return TargetCPU{name.str(), switchedOff.getString()};
}
