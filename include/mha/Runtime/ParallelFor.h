/*===- ParallelFor.h - How compiled code uses threads -------------*- C -*-===*\
|*
|* Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
|* See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#ifndef MHA_RUNTIME_PARALLELFOR_H
#define MHA_RUNTIME_PARALLELFOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Calls `body(context, item, worker)` once for each item from 0 to items - 1
 * and returns when all calls have. The only function that compiled code needs
 * for its threads. MHARuntimeOpenMP and MHARuntimeSerial define it; a program
 * with a thread pool of its own defines it instead of linking one of these.
 *
 * A definition must see to it that
 *   - `worker` is from 0 to threads - 1, and no two calls of `body` with the
 *     same worker run at the same time: each worker has scratch memory of its
 *     own. Fewer workers than threads may run;
 *   - items are started in ascending order, one at a time: long ones come
 *     first. This is for speed only;
 *   - what was written before the call is visible to `body`, and what `body`
 *     wrote to the caller afterwards.
 * Results do not depend on `threads`, on the order, or on which worker runs
 * what. `threads` is at least 1; `items` may be 0. `body` never throws.
 */
void mha_parallel_for(int64_t items, int32_t threads,
                      void (*body)(void *context, int64_t item, int32_t worker),
                      void *context);

#ifdef __cplusplus
}
#endif

#endif /* MHA_RUNTIME_PARALLELFOR_H */
