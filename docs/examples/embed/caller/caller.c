/*===- caller.c - A caller of compiled attention, without LLVM ------------===*\
|*
|* Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
|* See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#include "mha/Runtime/Status.h"

#include <stdio.h>

int main(void) {
  /* In place of a call of a compiled function. */
  int32_t status = MHA_STATUS_SIZE_MISMATCH;
  if (status != MHA_STATUS_OK)
    printf("attention: %s\n", mha_status_message(status));
  return 0;
}
