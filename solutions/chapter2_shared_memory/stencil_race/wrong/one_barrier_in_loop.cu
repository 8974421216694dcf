// expect: race
/// @file
/// stencil_race: sums of seven neighbours from a tile, and one mistake. The one file of this exercise that is
/// edited and handed in; the contract is in stencil_race.cuh, the task in README.md.
#include "stencil_race.cuh"

// >>> your code
constexpr int radius = 3;
constexpr unsigned int block_threads = 256;

/// Writes the outputs of one tile after the other; a block walks the array with a stride of the whole grid.
__global__ void stencil_race_kernel(const float* in, float* out, std::size_t n) {
  alignas(16) __shared__ float tile[block_threads + 2 * radius];
  const int own = static_cast<int>(threadIdx.x) + radius;
  const std::size_t stride = std::size_t{gridDim.x} * block_threads;
  for (std::size_t base = std::size_t{blockIdx.x} * block_threads; base < n; base += stride) {
    const std::size_t i = base + threadIdx.x;
    const float* center = in + i;
    if (i < n + radius) tile[own] = center[0];
    if (threadIdx.x < radius) {
      tile[own - radius] = center[-radius];
      if (i + block_threads < n + radius) tile[own + block_threads] = center[block_threads];
    }
    __syncthreads();
    if (i < n) {
      float sum = 0.0f;
      for (int d = -radius; d <= radius; ++d) sum += tile[own + d];
      out[i] = sum;
    }
    // wrong: the next turn overwrites what slower warps still read; right while each block has one tile
  }
}

extern "C" void stencil_race_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  int device = 0;
  int sm_count = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device);
  const std::size_t resident = std::size_t(sm_count) * (2048 / block_threads);
  const std::size_t wanted = (n + block_threads - 1) / block_threads;
  const std::size_t blocks = wanted < resident ? wanted : resident;
  stencil_race_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(in, out, n);
}
// <<< your code
