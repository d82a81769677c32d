//===- OutputFiles.h - The files that a run names ---------------*- C++ -*-===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MHA_EXECUTION_OUTPUTFILES_H
#define MHA_EXECUTION_OUTPUTFILES_H

#include "mha/Execution/HostTensor.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace mlir::mha {

/// The paths of an option that takes `@FILE.npy` once for each result, or not
/// at all. `option` is for messages: `--output`.
llvm::Expected<std::vector<std::string>>
parseResultFiles(llvm::StringRef option, llvm::ArrayRef<std::string> values,
                 size_t numResults);

/// Writes `tensors[i]` to `paths[i]`: all files, or none of them.
llvm::Error writeResultFiles(llvm::ArrayRef<std::string> paths,
                             llvm::ArrayRef<HostTensor> tensors);

} // namespace mlir::mha

#endif // MHA_EXECUTION_OUTPUTFILES_H
