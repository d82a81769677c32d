/*===- squares.c - Uses the threads of compiled code ----------------------===*\
|*
|* Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
|* See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#include "mha/Runtime/ParallelFor.h"

#include <stdio.h>

static void square(void *context, int64_t item, int32_t worker) {
  int64_t *squares = context;
  (void)worker;
  squares[item] = item * item;
}

int main(void) {
  int64_t squares[100], sum = 0;
  int item;
  mha_parallel_for(100, 2, square, squares);
  for (item = 0; item < 100; ++item)
    sum += squares[item];
  printf("%lld\n", (long long)sum);
  return 0;
}
