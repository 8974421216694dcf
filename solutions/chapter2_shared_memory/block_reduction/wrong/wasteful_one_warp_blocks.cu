// expect: wasteful|too_slow
/// @file
/// block_reduction: the sum of many floats. The one file of this exercise that is edited and handed in; the
/// contract is in block_reduction.cuh, the task in README.md.
#include "block_reduction.cuh"

// >>> your code
constexpr unsigned int block_threads =
    32;  // right and fast: but a warp on its own needs no tile and no barrier of the block

/// Adds the block's share of the input to *out.
/// Launch contract: one-dimensional grid and blocks, block_threads threads a block; any number of blocks.
__global__ void block_reduction_kernel(const float* in, float* out, std::size_t n) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  float sum = 0.0f;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n / 4; i += stride) {
    const float4 v = reinterpret_cast<const float4*>(in)[i];
    sum += (v.x + v.y) + (v.z + v.w);
  }
  if (blockIdx.x == 0 && threadIdx.x < n % 4) sum += in[n / 4 * 4 + threadIdx.x];

  alignas(16) __shared__ float tile[block_threads];
  const unsigned int t = threadIdx.x;
  tile[t] = sum;
  __syncthreads();  // every sum stands in the tile before anybody reads a neighbour's
  for (unsigned int half = block_threads / 2; half > 0; half /= 2) {
    if (t < half) tile[t] += tile[t + half];
    __syncthreads();  // outside the branch: all threads of the block must arrive
  }

  if (t == 0) atomicAdd(out, tile[0]);
}

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float), stream);

  int device = 0;
  int sm_count = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device);
  const std::size_t resident = std::size_t(sm_count) * (2048 / block_threads);
  const std::size_t wanted = (n + block_threads - 1) / block_threads;
  const std::size_t blocks = wanted == 0 ? 1 : wanted < resident ? wanted : resident;
  block_reduction_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(in, out, n);
}
// <<< your code
