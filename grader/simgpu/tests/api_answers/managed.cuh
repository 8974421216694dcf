/// @file
/// Managed memory: prefetch, advice, attachment.
#pragma once

#include "answers.hpp"

#define R(what)                                                           \
  do {                                                                    \
    dev = -77;                                                            \
    cudaError_t e_ = cudaMemRangeGetAttribute(&dev, 4, what, m, 1 << 20); \
    printf("%s: %s %d\n", #what, cudaGetErrorName(e_), dev);              \
    cudaGetLastError();                                                   \
  } while (0)
#define RR                                          \
  R(cudaMemRangeAttributeReadMostly);               \
  R(cudaMemRangeAttributePreferredLocation);        \
  R(cudaMemRangeAttributeAccessedBy);               \
  R(cudaMemRangeAttributeLastPrefetchLocation);     \
  R(cudaMemRangeAttributePreferredLocationType);    \
  R(cudaMemRangeAttributePreferredLocationId);      \
  R(cudaMemRangeAttributeLastPrefetchLocationType); \
  R(cudaMemRangeAttributeLastPrefetchLocationId)

void managed() {
  int* m;
  P(cudaMallocManaged(&m, 1 << 20));
  int dev = -7;
  cudaMemLocation gpu = {cudaMemLocationTypeDevice, 0}, cpu = {cudaMemLocationTypeHost, 0},
                  bad = {cudaMemLocationTypeDevice, 55}, inv = {cudaMemLocationTypeInvalid, 0},
                  numa = {cudaMemLocationTypeHostNuma, 0}, numac = {cudaMemLocationTypeHostNumaCurrent, 0};
  RR;
  P(cudaMemPrefetchAsync(m, 1 << 20, gpu, 0, 0));
  RR;
  P(cudaMemPrefetchAsync(m, 1 << 20, cpu, 0, 0));
  RR;
  P(cudaMemPrefetchAsync(m, 1 << 20, bad, 0, 0));
  P(cudaMemPrefetchAsync(m, 1 << 20, inv, 0, 0));
  P(cudaMemPrefetchAsync(m, 1 << 20, numa, 0, 0));
  R(cudaMemRangeAttributeLastPrefetchLocationType);
  P(cudaMemPrefetchAsync(m, 1 << 20, numac, 0, 0));
  P(cudaMemPrefetchAsync(m, 1 << 20, gpu, 1, 0));
  P(cudaMemPrefetchAsync(m, 0, gpu, 0, 0));
  P(cudaMemPrefetchAsync(m, (1 << 20) + 1, gpu, 0, 0));
  P(cudaMemPrefetchAsync(&hostvar, 4, gpu, 0, 0));
  int* d;
  cudaMalloc(&d, 4096);
  P(cudaMemPrefetchAsync(d, 4096, gpu, 0, 0));
  P(cudaMemAdvise(d, 4096, cudaMemAdviseSetReadMostly, gpu));
  P(cudaMemAdvise(m, 1 << 20, cudaMemAdviseSetReadMostly, gpu));
  P(cudaMemAdvise(m, 1 << 20, cudaMemAdviseSetPreferredLocation, cpu));
  P(cudaMemAdvise(m, 1 << 20, cudaMemAdviseSetAccessedBy, gpu));
  RR;
  P(cudaMemAdvise(m, 1 << 20, cudaMemAdviseSetAccessedBy, cpu));
  P(cudaMemAdvise(m, 1 << 20, cudaMemAdviseUnsetReadMostly, gpu));
  P(cudaMemAdvise(m, 1 << 20, cudaMemAdviseUnsetPreferredLocation, gpu));
  P(cudaMemAdvise(m, 1 << 20, cudaMemAdviseUnsetAccessedBy, gpu));
  RR;
  P(cudaMemAdvise(m, 1 << 20, (cudaMemoryAdvise)99, gpu));
  P(cudaMemAdvise(m, 1 << 20, cudaMemAdviseSetPreferredLocation, bad));
  P(cudaMemAdvise(m, 0, cudaMemAdviseSetReadMostly, gpu));
  P(cudaMemAdvise(&hostvar, 4, cudaMemAdviseSetReadMostly, gpu));
  P(cudaMemAdvise(m, 1 << 20, cudaMemAdviseSetPreferredLocation, numa));
  R(cudaMemRangeAttributePreferredLocationType);
  P(cudaMemRangeGetAttribute(&dev, 4, cudaMemRangeAttributeReadMostly, &hostvar, 4));
  P(cudaMemRangeGetAttribute(&dev, 8, cudaMemRangeAttributeReadMostly, m, 4));
  int acc[4];
  P(cudaMemRangeGetAttribute(acc, 16, cudaMemRangeAttributeAccessedBy, m, 4));
  printf("%d %d %d %d\n", acc[0], acc[1], acc[2], acc[3]);
  cudaStream_t st;
  cudaStreamCreate(&st);
  P(cudaStreamAttachMemAsync(st, m));
  P(cudaStreamAttachMemAsync(st, m, 0, cudaMemAttachHost));
  P(cudaStreamAttachMemAsync(st, m, 0, 99));
  P(cudaStreamAttachMemAsync(st, d));
  P(cudaStreamAttachMemAsync(st, m, 4096, cudaMemAttachSingle));
  P(cudaStreamAttachMemAsync(st, &hostvar));
  void* ptrs[1] = {m};
  size_t sz[1] = {4096};
  cudaMemLocation loc[1] = {gpu};
  size_t li[1] = {0};
  P(cudaMemPrefetchBatchAsync(ptrs, sz, 1, loc, li, 1, 0, st));
  P(cudaMemDiscardBatchAsync(ptrs, sz, 1, 0, st));
  P(cudaMemDiscardAndPrefetchBatchAsync(ptrs, sz, 1, loc, li, 1, 0, st));
  P(cudaStreamSynchronize(st));
  P(cudaFree(m));
  P(cudaFree(d));
}
