// expect: race
// says: of tile at line
/// @file
/// No barrier between the store to the tile and its neighbour's load.
#include "block_reduction.cuh"

__global__ void add_up(const float* in, float* out, std::size_t n) {
  alignas(16) __shared__ float tile[256];
  float sum = 0.0f;
  for (std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x; i < n; i += std::size_t{gridDim.x} * 256)
    sum += in[i];
  tile[threadIdx.x] = sum;
  for (unsigned int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, tile[0]);
}

static void right_sum(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  add_up<<<static_cast<unsigned int>(n / 4096 + 1 < 1056 ? n / 4096 + 1 : 1056), 256, 0, stream>>>(in, out,
                                                                                                   n);
}

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  right_sum(in, out, n, stream);
}
