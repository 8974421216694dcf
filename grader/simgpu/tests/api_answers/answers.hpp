/// @file
/// What the parts of this program share. Each call of the CUDA runtime is printed with the error that it returned, so that the output
/// can be held against what an H200 printed.
#pragma once

#include <cuda.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

/// Prints a call and its answer; also the last error, where that is another.
#define P(...)                                                \
  do {                                                        \
    cudaError_t e_ = (__VA_ARGS__);                           \
    printf("%s -> %s", #__VA_ARGS__, cudaGetErrorName(e_));   \
    cudaError_t l_ = cudaGetLastError();                      \
    if (l_ != e_) printf(" (last %s)", cudaGetErrorName(l_)); \
    printf("\n");                                             \
    fflush(stdout);                                           \
  } while (0)
/// Prints a value.
#define V(x) printf("%s = %lld\n", #x, (long long)(x))
/// Prints what a pointer points to.
#define A(x)                                                                                          \
  do {                                                                                                \
    cudaPointerAttributes t_;                                                                         \
    memset(&t_, 0x55, sizeof t_);                                                                     \
    cudaError_t e_ = cudaPointerGetAttributes(&t_, x);                                                \
    printf("attributes of %s: %s type %d device %d devptr %s hostptr %s\n", #x, cudaGetErrorName(e_), \
           t_.type, t_.device,                                                                        \
           t_.devicePointer == (void*)(x) ? "same"                                                    \
           : t_.devicePointer == nullptr  ? "null"                                                    \
                                          : "other",                                                   \
           t_.hostPointer == (void*)(x) ? "same"                                                      \
           : t_.hostPointer == nullptr  ? "null"                                                      \
                                        : "other");                                                    \
    cudaGetLastError();                                                                               \
  } while (0)
/// Prints the answer to a launch, and what the device says of it.
#define L(...)                                                        \
  do {                                                                \
    __VA_ARGS__;                                                      \
    cudaError_t e_ = cudaGetLastError();                              \
    printf("%s -> %s; sync %s\n", #__VA_ARGS__, cudaGetErrorName(e_), \
           cudaGetErrorName(cudaDeviceSynchronize()));                \
    cudaGetLastError();                                               \
  } while (0)

__global__ void nop() {}
__global__ void writes(int* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = i;
}
__global__ void adds(int* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += 1;
}
__global__ void __launch_bounds__(128) bounded(int* p) {
  p[threadIdx.x] = 1;
}
__global__ void dyn(int* p) {
  extern __shared__ int s[];
  s[threadIdx.x] = 1;
  __syncthreads();
  p[threadIdx.x] = s[threadIdx.x];
}
__global__ void stat(int* p) {
  __shared__ int s[4096];
  s[threadIdx.x] = p[0];
  __syncthreads();
  p[threadIdx.x] = s[(threadIdx.x + 1) % 32];
}
__device__ int dvar[10];
__constant__ float cvar[16];
__managed__ int mvar = 7;
static int hostvar;
static void CUDART_CB hostfn(void* p) {
  ++*(int*)p;
}
static void CUDART_CB cb(cudaStream_t, cudaError_t e, void* p) {
  *(int*)p += 1 + (int)e;
}
