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
#include "llvm/TargetParser/X86TargetParser.h"

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

/// The features of an x86 CPU.
static std::vector<llvm::SubtargetFeatureKV>
listFeatures(StringRef name, const llvm::Triple &triple) {
  // LLVM's own registries; a second call does nothing.
  llvm::InitializeNativeTarget();
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  assert(target && "the host's own target is registered");
  std::unique_ptr<llvm::MCSubtargetInfo> cpu(
      target->createMCSubtargetInfo(triple, name, /*Features=*/""));
  return cpu->getEnabledProcessorFeatures();
}

namespace {
/// What an x86 CPU has and the host does not.
struct Shortage {
  /// Instructions that code may have.
  llvm::SmallVector<StringRef> lacking;
  /// Features to switch off.
  llvm::SubtargetFeatures requested;
};
} // namespace

static Shortage compareWithHost(StringRef name, const HostCPU &host) {
  Shortage shortage;
  for (const llvm::SubtargetFeatureKV &feature :
       listFeatures(name, host.triple)) {
    auto detected = host.features.find(feature.Key);
    // What is not detected tells of speed, or is part of every x86-64 CPU.
    if (detected == host.features.end() || detected->second)
      continue;
    if (llvm::is_contained(kRequestedFeatures, feature.Key))
      shortage.requested.AddFeature(feature.Key, /*Enable=*/false);
    else
      shortage.lacking.push_back(feature.Key);
  }
  return shortage;
}

static bool isKnown(StringRef name, const llvm::Triple &triple) {
  return llvm::X86::parseArchX86(name, triple.isArch64Bit()) !=
         llvm::X86::CK_None;
}

/// The host's own name, or the level that it reaches: passes plan by the name,
/// and a virtual machine may hide what that promises.
static StringRef getPlanningName(const HostCPU &host) {
  if (!host.triple.isX86())
    return host.name;
  for (StringRef name : {StringRef(host.name), StringRef("x86-64-v4"),
                         StringRef("x86-64-v3"), StringRef("x86-64-v2")})
    if (isKnown(name, host.triple) &&
        compareWithHost(name, host).lacking.empty())
      return name;
  return "x86-64";
}

static TargetCPU getNativeCPU(const HostCPU &host) {
  llvm::SubtargetFeatures features;
  for (const auto &feature : host.features)
    features.AddFeature(feature.getKey(), feature.getValue());
  return {getPlanningName(host).str(), features.getString()};
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
  if (!isKnown(name, host.triple))
    return llvm::createStringError(
        "--target: expected 'native' or an " + architecture +
        " CPU that LLVM knows, such as 'x86-64-v3', found '" + name + "'");
  Shortage shortage = compareWithHost(name, host);
  if (!shortage.lacking.empty())
    return llvm::createStringError("--target=" + name +
                                   ": expected a CPU whose instructions this "
                                   "machine (" +
                                   host.name + ") has, found one that needs " +
                                   llvm::join(shortage.lacking, ", "));
  return TargetCPU{name.str(), shortage.requested.getString()};
}
