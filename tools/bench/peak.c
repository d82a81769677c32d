/*===- peak.c - What the machine can do at most ---------------------------===*\
|*
|* Part of the mha project, under the Apache License v2.0 with LLVM Exceptions.
|* See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Two loops that measure a limit each: multiply-adds out of registers, and
|* reads of memory that no cache holds. With OpenMP they run on the threads that
|* compiled programs run on, so that neither disturbs the other.
|*
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#if defined(__AVX512F__)
#define ISA "AVX-512"
enum { vectorBytes = 64, registers = 32 };
#elif defined(__AVX2__) && defined(__FMA__)
#define ISA "AVX2 and FMA"
enum { vectorBytes = 32, registers = 16 };
#elif defined(__ARM_NEON)
#define ISA "NEON"
enum { vectorBytes = 16, registers = 32 };
#else
#define ISA "portable C"
enum { vectorBytes = 16, registers = 16 };
#endif

/* Enough chains to hide the latency of two multiply-adds a cycle, and few
 * enough to leave registers for the factors. */
enum { chains = registers == 32 ? 24 : 12, lanes = vectorBytes / 4 };

typedef float vector __attribute__((vector_size(vectorBytes)));

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

const char *bench_isa(void) { return ISA; }

/* Keeps results alive. */
static void use(vector value) {
  volatile float sink = value[0];
  (void)sink;
}

/* One stretch of work, some ten microseconds. */
enum { stretch = 2000 };

static void multiply_add(void) {
  vector sums[chains], factor, term;
  /* The factors come from memory that may change: nothing is folded. The sums
   * tend to 2, so that no number is ever denormal. */
  volatile float half = 0.5f, one = 1.0f;
  for (int lane = 0; lane < lanes; ++lane) {
    factor[lane] = half;
    term[lane] = one;
  }
#pragma GCC unroll 24
  for (int chain = 0; chain < chains; ++chain)
    sums[chain] = term * (float)chain;
  for (int step = 0; step < stretch; ++step) {
#pragma GCC unroll 24
    for (int chain = 0; chain < chains; ++chain)
      sums[chain] = sums[chain] * factor + term;
  }
#pragma GCC unroll 24
  for (int chain = 1; chain < chains; ++chain)
    sums[0] += sums[chain];
  use(sums[0]);
}

/* FLOP per second of `threads` threads together, over `seconds`. */
double bench_peak(int32_t threads, double seconds) {
  int64_t stretches = 0;
  double start = 0;
#ifdef _OPENMP
#pragma omp parallel num_threads(threads) reduction(+ : stretches)
#else
  (void)threads;
#endif
  {
#ifdef _OPENMP
#pragma omp barrier
#pragma omp single
#endif
    start = now();
    for (; now() < start + seconds; ++stretches)
      multiply_add();
  }
  double flops = 2.0 * lanes * chains * stretch * (double)stretches;
  return flops / (now() - start);
}

/* Reads `count` vectors. */
static void read_vectors(const vector *data, int64_t count) {
  enum { streams = 8 };
  vector sums[streams] = {{0}};
  for (int64_t i = 0; i + streams <= count; i += streams) {
#pragma GCC unroll 8
    for (int stream = 0; stream < streams; ++stream)
      sums[stream] += data[i + stream];
  }
  for (int stream = 1; stream < streams; ++stream)
    sums[0] += sums[stream];
  use(sums[0]);
}

/* Bytes per second at which `threads` threads together read `bytes` bytes, each
 * a part of its own. */
double bench_read(int32_t threads, const void *data, int64_t bytes) {
  int64_t part = bytes / vectorBytes / threads;
  double start = now();
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static)
#endif
  for (int32_t thread = 0; thread < threads; ++thread)
    read_vectors((const vector *)data + thread * part, part);
  return (double)(part * threads * vectorBytes) / (now() - start);
}

/* The CPU that each of `threads` threads runs on. */
void bench_cpus(int32_t threads, int32_t *cpus) {
#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
  cpus[omp_get_thread_num()] = sched_getcpu();
#else
  (void)threads;
  cpus[0] = sched_getcpu();
#endif
}
