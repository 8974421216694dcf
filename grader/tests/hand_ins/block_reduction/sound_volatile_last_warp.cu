// expect: pass
/// @file
/// The last steps of the tree within one warp by volatile accesses, and each of them waits for the lanes.
#include "block_reduction.cuh"

__global__ void add_up(const float* in, float* out, std::size_t n) {
  __shared__ float tile[256];
  float sum = 0.0f;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x)
    sum += in[i];
  tile[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned int half = 128; half > 16; half /= 2) {
    if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x < 32) {
    volatile float* const last = tile;
    for (unsigned int half = 16; half > 0; half /= 2) {
      const float sum = last[threadIdx.x] + last[threadIdx.x + half];
      __syncwarp();
      last[threadIdx.x] = sum;
      __syncwarp();
    }
  }
  if (threadIdx.x == 0) atomicAdd(out, tile[0]);
}

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  const std::size_t blocks = n / 4096 + 1 < 1056 ? n / 4096 + 1 : 1056;
  add_up<<<static_cast<unsigned int>(blocks), 256, 0, stream>>>(in, out, n);
}
