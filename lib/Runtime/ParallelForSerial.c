/*===- ParallelForSerial.c - Items one after the other --------------------===*\
|*
|* Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
|* See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#include "mha/Runtime/ParallelFor.h"

void mha_parallel_for(int64_t items, int32_t threads,
                      void (*body)(void *context, int64_t item, int32_t worker),
                      void *context) {
  (void)threads;
  for (int64_t item = 0; item < items; ++item)
    body(context, item, /*worker=*/0);
}
