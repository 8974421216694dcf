/// @file
/// What the runtime answers after a kernel has failed.
#pragma once

#include "answers.hpp"

__global__ void k_assert(int x) {
  if (x) asm volatile("trap;");
}
#include <assert.h>
__global__ void k_as(int x) {
  assert(x == 0);
}
__global__ void k_oob(int* p) {
  p[1 << 28] = 1;
}
__global__ void k_null(int* p) {
  *p = 1;
}
__global__ void k_mis(char* p) {
  *(int*)(p + 1) = 1;
}
__global__ void k_misv(float* p) {
  float4 v = *(float4*)(p + 1);
  p[0] = v.x;
}
__global__ void k_brk() {
  __brkpt();
}
__global__ void k_shm(int i, int* p) {
  __shared__ int s[32];
  s[i] = 1;
  p[0] = s[i];
}
__device__ int rec(int n, volatile int* a) {
  volatile int big[64];
  for (int i = 0; i < 64; ++i) big[i] = n;
  return n <= 0 ? a[0] : rec(n - 1, big) + big[n & 63];
}
__global__ void k_stack(int n, int* p) {
  volatile int a[4] = {1, 2, 3, 4};
  *p = rec(n, a);
}
__global__ void k_ldc(const int* p, int* q) {
  *q = __ldg(p);
}
__global__ void k_atom(char* p) {
  atomicAdd((int*)(p + 2), 1);
}
__global__ void k_print(int i) {
  printf("%d %5.2f %s %c %x %lld %p %%\n", i, 1.5, "text", 'c', 255, 123456789012ll, (void*)0);
}
__global__ void k_heap(int* ok) {
  void* p = malloc((size_t)1 << 32);
  ok[0] = p == nullptr;
  p = malloc(100);
  ok[1] = p != nullptr;
  free(p);
  free(nullptr);
}

void faults(const char* which) {
  std::string w = which;
  int* d;
  int h = 0;
  cudaMalloc(&d, 4096);
  cudaEvent_t e;
  cudaEventCreate(&e);
  cudaStream_t s;
  cudaStreamCreate(&s);
  if (w == "trap")
    k_assert<<<1, 1>>>(1);
  else if (w == "assert")
    k_as<<<1, 1>>>(1);
  else if (w == "oob")
    k_oob<<<1, 1>>>(d);
  else if (w == "null")
    k_null<<<1, 1>>>(nullptr);
  else if (w == "mis")
    k_mis<<<1, 1>>>((char*)d);
  else if (w == "misv")
    k_misv<<<1, 1>>>((float*)d);
  else if (w == "brk")
    k_brk<<<1, 1>>>();
  else if (w == "shm")
    k_shm<<<1, 1>>>(1 << 20, d);
  else if (w == "stack")
    k_stack<<<1, 1>>>(100000, d);
  else if (w == "host")
    k_null<<<1, 1>>>(&h);
  else if (w == "ldg")
    k_ldc<<<1, 1>>>(nullptr, d);
  else if (w == "atom")
    k_atom<<<1, 1>>>((char*)d);
  else if (w == "freed") {
    cudaFree(d);
    k_null<<<1, 1>>>(d);
  } else if (w == "print") {
    k_print<<<1, 2>>>(3);
    cudaDeviceSynchronize();
    return;
  } else if (w == "heap") {
    k_heap<<<1, 1>>>(d);
    int r[2];
    P(cudaMemcpy(r, d, 8, cudaMemcpyDeviceToHost));
    V(r[0]);
    V(r[1]);
    return;
  } else if (w == "child") {
    return;
  } else {
    printf("?\n");
    return;
  }
  P(cudaGetLastError());
  P(cudaPeekAtLastError());
  P(cudaDeviceSynchronize());
  P(cudaGetLastError());
  P(cudaDeviceSynchronize());
  P(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
  P(cudaMalloc(&d, 4));
  P(cudaFree(nullptr));
  P(cudaFree(d));
  P(cudaStreamQuery(s));
  P(cudaStreamSynchronize(s));
  P(cudaEventQuery(e));
  P(cudaEventRecord(e));
  P(cudaEventSynchronize(e));
  P(cudaEventDestroy(e));
  P(cudaStreamDestroy(s));
  int n;
  P(cudaGetDeviceCount(&n));
  P(cudaGetDevice(&n));
  P(cudaSetDevice(0));
  cudaDeviceProp p;
  P(cudaGetDeviceProperties(&p, 0));
  P(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0));
  size_t a, b;
  P(cudaMemGetInfo(&a, &b));
  int* q;
  P(cudaMallocHost(&q, 64));
  P(cudaHostAlloc(&q, 64, 0));
  P(cudaStreamCreate(&s));
  P(cudaEventCreate(&e));
  cudaFuncAttributes fa;
  P(cudaFuncGetAttributes(&fa, nop));
  P(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nop, 32, 0));
  cudaPointerAttributes pa;
  P(cudaPointerGetAttributes(&pa, &h));
  P(cudaDriverGetVersion(&n));
  P(cudaRuntimeGetVersion(&n));
  P(cudaDeviceGetLimit(&a, cudaLimitStackSize));
  P(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  nop<<<1, 1>>>();
  P(cudaPeekAtLastError());
  P(cudaGetLastError());
  void* v;
  P(cudaGetSymbolAddress(&v, dvar));
}
