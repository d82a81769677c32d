/*===- ParallelForOpenMP.c - Items shared among OpenMP threads ------------===*\
|*
|* Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
|* See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#include "mha/Runtime/ParallelFor.h"

#include <omp.h>

void mha_parallel_for(int64_t items, int32_t threads,
                      void (*body)(void *context, int64_t item, int32_t worker),
                      void *context) {
  /* No more threads than items: each costs a wake-up. */
  int64_t useful = items < threads ? items : threads;
  if (useful <= 1) {
    for (int64_t item = 0; item < items; ++item)
      body(context, item, /*worker=*/0);
    return;
  }
#pragma omp parallel num_threads((int)useful)
  {
    int32_t worker = omp_get_thread_num();
    /* One at a time, as their lengths differ; monotonic: longest first. */
#pragma omp for schedule(monotonic : dynamic, 1)
    for (int64_t item = 0; item < items; ++item)
      body(context, item, worker);
  }
}
