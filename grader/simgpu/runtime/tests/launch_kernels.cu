/// @file
/// Small kernels behind plain C functions, as a student's plugin has them.
#include <cuda_runtime.h>

#include <cstdio>

__constant__ float scale = 2.0f;
__device__ int counter = 5;
__managed__ int shared_with_host = 11;

namespace {

__global__ void scale_all(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = scale * in[i];
}

__global__ void write_at(int* p, long long index) { p[index] = 1; }

__global__ void misaligned(char* p) { *reinterpret_cast<int*>(p + 1) = 1; }

__global__ void bump() {
  atomicAdd(&counter, 1);
  shared_with_host += 1;
}

__global__ void race(float* out) {
  __shared__ float s[128];
  s[threadIdx.x] = static_cast<float>(threadIdx.x);
  out[threadIdx.x] = s[127 - threadIdx.x];  // no barrier between
}

__global__ void forever(volatile int* p) {
  while (*p == 0) {
  }
}

__global__ void big_shared(float* out) {
  extern __shared__ float s[];
  s[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x ^ 1];
}

__global__ void hello() { printf("hello from thread %d\n", threadIdx.x); }

__global__ void __launch_bounds__(128) bounded(float* out) { out[threadIdx.x] = 1; }

}  // namespace

extern "C" {
void run_scale(const float* in, float* out, int n) { scale_all<<<(n + 255) / 256, 256>>>(in, out, n); }
void run_write_at(int* p, long long index) { write_at<<<1, 1>>>(p, index); }
void run_misaligned(char* p) { misaligned<<<1, 1>>>(p); }
void run_bump() { bump<<<1, 1>>>(); }
int read_counter() {
  int value = 0;
  cudaMemcpyFromSymbol(&value, counter, sizeof value);
  return value;
}
void set_scale(float value) { cudaMemcpyToSymbol(scale, &value, sizeof value); }
int read_managed() { return shared_with_host; }
void run_race(float* out) { race<<<1, 128>>>(out); }
void run_forever(int* p) { forever<<<1, 1>>>(p); }
void run_hello() { hello<<<1, 2>>>(); }
cudaError_t run_big_shared(float* out, int bytes, bool ask) {
  if (ask) {
    const cudaError_t error = cudaFuncSetAttribute(big_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (error != cudaSuccess) return error;
  }
  big_shared<<<1, 32, bytes>>>(out);
  return cudaGetLastError();
}
cudaError_t run_shape(float* out, unsigned blocks, unsigned threads) {
  bounded<<<blocks, threads>>>(out);
  return cudaGetLastError();
}
int occupancy_of_scale(int threads) {
  int blocks = -1;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale_all, threads, 0);
  return blocks;
}
}
