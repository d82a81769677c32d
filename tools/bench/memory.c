/*===- memory.c - The memory functions of compiled code -------------------===*\
|*
|* Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
|* See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* docs/Conventions.md, "Compiled functions": the program that loads compiled
|* code supplies these.
|*
\*===----------------------------------------------------------------------===*/

#include <stdint.h>
#include <stdlib.h>

void *_mlir_memref_to_llvm_alloc(uint64_t size);
void *_mlir_memref_to_llvm_aligned_alloc(uint64_t alignment, uint64_t size);
void _mlir_memref_to_llvm_free(void *memory);

void *_mlir_memref_to_llvm_alloc(uint64_t size) { return malloc(size); }

void *_mlir_memref_to_llvm_aligned_alloc(uint64_t alignment, uint64_t size) {
  /* C wants a multiple of the alignment. */
  return aligned_alloc(alignment,
                       (size + alignment - 1) / alignment * alignment);
}

void _mlir_memref_to_llvm_free(void *memory) { free(memory); }
