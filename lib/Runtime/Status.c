/*===- Status.c - The sentence of each status -----------------------------===*\
|*
|* Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
|* See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#include "mha/Runtime/Status.h"

const char *mha_status_message(int32_t status) {
  switch (status) {
  case MHA_STATUS_OK:
    return "ok";
  case MHA_STATUS_SIZE_MISMATCH:
    return "the sizes of the arguments do not fit together";
  case MHA_STATUS_HEADS_NOT_MULTIPLE:
    return "the number of query heads is not a multiple of the number of key "
           "heads";
  case MHA_STATUS_EMPTY_HEAD_DIM:
    return "the default scale needs a head size of at least 1";
  case MHA_STATUS_NO_HEADS:
    return "there is no key head for the query heads";
  case MHA_STATUS_OUTPUT_SIZE:
    return "the sizes of an out-parameter, or of a donated argument, are not "
           "those of "
           "its result";
  case MHA_STATUS_WORKSPACE:
    return "the workspace is null or too small for this number of threads";
  case MHA_STATUS_THREADS:
    return "the number of threads is less than 1";
  default:
    return "the function returned a number that is no status";
  }
}
