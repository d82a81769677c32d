//===- read-npz.cpp - Links an archive reader -----------------------------===//
//
// Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mha/Execution/Npy.h"

#include "llvm/Support/raw_ostream.h"

int main() {
  auto tensor = mlir::mha::readNpz("no-such.npz", "x", {});
  llvm::outs() << (tensor ? "read" : llvm::toString(tensor.takeError()))
               << "\n";
  return 0;
}
