// expect: wrong_result mismatch
// says: In case n=1, the first 10 of 256 lines (
// says: | thread 9 of block 0 holds
/// @file
/// Prints from every thread: the first lines are shown, and how much there was.
#include "block_reduction.cuh"

#include <cstdio>

__global__ void add_up(const float* in, float* out, std::size_t n) {
  __shared__ float tile[256];
  float sum = 0.0f;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x)
    sum += in[i];
  tile[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
    __syncthreads();
  }
  printf("thread %u of block %u holds %f\n", threadIdx.x, blockIdx.x, tile[0]);
  if (threadIdx.x == 0) atomicAdd(out, 2 * tile[0]);
}

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  const std::size_t blocks = n / 4096 + 1 < 1056 ? n / 4096 + 1 : 1056;
  add_up<<<static_cast<unsigned int>(blocks), 256, 0, stream>>>(in, out, n);
}
