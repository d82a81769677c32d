/*===- Status.h - What a compiled function returns ----------------*- C -*-===*\
|*
|* Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
|* See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#ifndef MHA_RUNTIME_STATUS_H
#define MHA_RUNTIME_STATUS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The status that a compiled function and its shape function return as i32.
 * Generated code checks what only the sizes at run time can tell and never
 * aborts. Values are part of the binary interface: never renumber, append.
 */
enum MHAStatus {
  MHA_STATUS_OK = 0,
  /** Two sizes that have to be equal are not. */
  MHA_STATUS_SIZE_MISMATCH = 1,
  /** Hq is not a multiple of Hkv. */
  MHA_STATUS_HEADS_NOT_MULTIPLE = 2,
  /** D = 0, so that the default scale 1/sqrt(D) does not exist. */
  MHA_STATUS_EMPTY_HEAD_DIM = 3,
  /** Hkv = 0, so that no query head has a key head. */
  MHA_STATUS_NO_HEADS = 4,
  /** The sizes of an out-parameter, or of a donated argument, are not those of
   * its result. */
  MHA_STATUS_OUTPUT_SIZE = 5,
  /** There are fewer bytes of workspace than the workers need, or none. */
  MHA_STATUS_WORKSPACE = 6,
  /** There is no worker. */
  MHA_STATUS_THREADS = 7
};

/**
 * The sentence for a status: lower case, no full stop, static storage, never
 * null. A number that is no status has a sentence too.
 */
const char *mha_status_message(int32_t status);

#ifdef __cplusplus
}
#endif

#endif /* MHA_RUNTIME_STATUS_H */
