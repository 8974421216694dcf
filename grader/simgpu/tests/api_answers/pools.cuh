/// @file
/// Memory pools.
#pragma once

#include "answers.hpp"

#define Q(attr)                                               \
  do {                                                        \
    v = 77;                                                   \
    cudaError_t e_ = cudaMemPoolGetAttribute(pool, attr, &v); \
    printf("%s: %s %llu\n", #attr, cudaGetErrorName(e_), v);  \
    cudaGetLastError();                                       \
  } while (0)
#define QI(attr)                                              \
  do {                                                        \
    i = 77;                                                   \
    cudaError_t e_ = cudaMemPoolGetAttribute(pool, attr, &i); \
    printf("%s: %s %d\n", #attr, cudaGetErrorName(e_), i);    \
    cudaGetLastError();                                       \
  } while (0)
#define QQ                              \
  Q(cudaMemPoolAttrReservedMemCurrent); \
  Q(cudaMemPoolAttrUsedMemCurrent);     \
  Q(cudaMemPoolAttrReservedMemHigh);    \
  Q(cudaMemPoolAttrUsedMemHigh)

void pools() {
  cudaMemPool_t pool, def, cur;
  P(cudaDeviceGetDefaultMemPool(&def, 0));
  P(cudaDeviceGetMemPool(&cur, 0));
  V(def == cur);
  P(cudaDeviceGetDefaultMemPool(&def, 99));
  P(cudaDeviceGetDefaultMemPool(&def, 0));
  cudaMemPoolProps pr = {};
  pr.allocType = cudaMemAllocationTypePinned;
  pr.handleTypes = cudaMemHandleTypeNone;
  pr.location.type = cudaMemLocationTypeDevice;
  pr.location.id = 0;
  P(cudaMemPoolCreate(&pool, &pr));
  cudaMemPool_t bad;
  pr.location.id = 99;
  P(cudaMemPoolCreate(&bad, &pr));
  pr.location.id = 0;
  pr.allocType = cudaMemAllocationTypeInvalid;
  P(cudaMemPoolCreate(&bad, &pr));
  pr.allocType = cudaMemAllocationTypePinned;
  pr.location.type = cudaMemLocationTypeHost;
  P(cudaMemPoolCreate(&bad, &pr));
  pr.location.type = cudaMemLocationTypeDevice;
  P(cudaMemPoolCreate(nullptr, &pr));
  pr.maxSize = 1 << 20;
  P(cudaMemPoolCreate(&bad, &pr));
  void* big;
  P(cudaMallocFromPoolAsync(&big, 64 << 20, bad, 0));
  P(cudaMallocFromPoolAsync(&big, 1 << 20, bad, 0));
  P(cudaFreeAsync(big, 0));
  P(cudaStreamSynchronize(0));
  P(cudaMemPoolDestroy(bad));
  cudaStream_t s;
  cudaStreamCreate(&s);
  void *a, *b, *c;
  unsigned long long v;
  int i;
  QQ;
  Q(cudaMemPoolAttrReleaseThreshold);
  QI(cudaMemPoolReuseFollowEventDependencies);
  QI(cudaMemPoolReuseAllowOpportunistic);
  QI(cudaMemPoolReuseAllowInternalDependencies);
  Q((cudaMemPoolAttr)99);
  P(cudaMallocFromPoolAsync(&a, 1000, pool, s));
  QQ;
  P(cudaMallocFromPoolAsync(&b, 1 << 20, pool, s));
  QQ;
  P(cudaFreeAsync(a, s));
  QQ;
  P(cudaMallocFromPoolAsync(&c, 1000, pool, s));
  V(a == c);
  P(cudaFreeAsync(b, s));
  P(cudaFreeAsync(c, s));
  P(cudaStreamSynchronize(s));
  QQ;
  v = 1ull << 40;
  P(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &v));
  Q(cudaMemPoolAttrReleaseThreshold);
  P(cudaMallocFromPoolAsync(&b, 40 << 20, pool, s));
  P(cudaFreeAsync(b, s));
  P(cudaStreamSynchronize(s));
  QQ;
  P(cudaMallocFromPoolAsync(&c, 40 << 20, pool, s));
  V(b == c);
  P(cudaMemPoolTrimTo(pool, 0));
  QQ;
  P(cudaFreeAsync(c, s));
  P(cudaStreamSynchronize(s));
  P(cudaMemPoolTrimTo(pool, 0));
  QQ;
  v = 0;
  P(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &v));
  P(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &v));
  QQ;
  v = 5;
  P(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &v));
  P(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &v));
  i = 0;
  P(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &i));
  QI(cudaMemPoolReuseAllowOpportunistic);
  cudaMemAccessDesc d = {};
  d.location = {cudaMemLocationTypeDevice, 0};
  d.flags = cudaMemAccessFlagsProtReadWrite;
  P(cudaMemPoolSetAccess(pool, &d, 1));
  d.flags = cudaMemAccessFlagsProtNone;
  P(cudaMemPoolSetAccess(pool, &d, 1));
  d.flags = cudaMemAccessFlagsProtRead;
  P(cudaMemPoolSetAccess(pool, &d, 1));
  d.location.id = 99;
  d.flags = cudaMemAccessFlagsProtReadWrite;
  P(cudaMemPoolSetAccess(pool, &d, 1));
  cudaMemAccessFlags fl;
  cudaMemLocation l = {cudaMemLocationTypeDevice, 0};
  P(cudaMemPoolGetAccess(&fl, pool, &l));
  V(fl);
  P(cudaMallocAsync(&a, 0, s));
  V(a == nullptr);
  P(cudaMallocAsync(&a, 64, s));
  P(cudaFree(a));
  P(cudaMallocAsync(&a, 64, s));
  A(a);
  P(cudaFreeAsync((char*)a + 4, s));
  P(cudaFreeAsync(a, s));
  P(cudaFreeAsync(a, s));
  P(cudaMalloc(&a, 64));
  P(cudaFreeAsync(a, s));
  P(cudaFreeAsync(nullptr, s));
  P(cudaMallocAsync(&a, (size_t)1 << 50, s));
  P(cudaFreeAsync(&hostvar, s));
  cudaPointerAttributes at;
  (void)at;
  cudaMemPoolPtrExportData ex;
  P(cudaMallocFromPoolAsync(&a, 64, pool, s));
  P(cudaMemPoolExportPointer(&ex, a));
  int fd;
  P(cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypePosixFileDescriptor, 0));
  P(cudaFreeAsync(a, s));
  P(cudaDeviceSetMemPool(0, pool));
  P(cudaDeviceGetMemPool(&cur, 0));
  V(cur == pool);
  P(cudaMallocAsync(&a, 64, s));
  Q(cudaMemPoolAttrUsedMemCurrent);
  P(cudaFreeAsync(a, s));
  P(cudaMemPoolDestroy(def));
  P(cudaMemPoolDestroy(pool));
  P(cudaDeviceGetMemPool(&cur, 0));
  V(cur == def);
  P(cudaMallocFromPoolAsync(&a, 64, pool, s));
  P(cudaDeviceSynchronize());
  cudaMemLocation loc = {cudaMemLocationTypeDevice, 0};
  cudaMemPool_t p2;
  P(cudaMemGetDefaultMemPool(&p2, &loc, cudaMemAllocationTypePinned));
  V(p2 == def);
  P(cudaMemGetMemPool(&p2, &loc, cudaMemAllocationTypePinned));
  V(p2 == def);
  loc.type = cudaMemLocationTypeHost;
  P(cudaMemGetDefaultMemPool(&p2, &loc, cudaMemAllocationTypePinned));
  loc.type = cudaMemLocationTypeDevice;
  P(cudaMemSetMemPool(&loc, cudaMemAllocationTypePinned, def));
}
