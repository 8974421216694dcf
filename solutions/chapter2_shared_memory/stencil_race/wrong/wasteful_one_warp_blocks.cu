// expect: wasteful
/// @file
/// stencil_race: sums of seven neighbours from a tile, and one mistake. The one file of this exercise that is
/// edited and handed in; the contract is in stencil_race.cuh, the task in README.md.
#include "stencil_race.cuh"

// >>> your code
constexpr int radius = 3;
constexpr unsigned int block_threads = 32;  // right, but a block of one warp needs no barrier of the block

/// Writes out[i] for one i a thread, from a tile that the block fetches together.
/// Launch contract: one-dimensional grid of at least n threads, blocks of block_threads threads.
__global__ void stencil_race_kernel(const float* in, float* out, std::size_t n) {
  alignas(16) __shared__ float tile[block_threads + 2 * radius];
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const int own = static_cast<int>(threadIdx.x) + radius;  // where the thread's own value stands in the tile
  const float* center = in + i;

  // Each thread brings its own value, the first three bring the halos on both sides as well. Inputs up to
  // in[n + radius - 1] are needed; in the last block, the rest of the tile stays empty.
  if (i < n + radius) tile[own] = center[0];
  if (threadIdx.x < radius) {
    tile[own - radius] = center[-radius];
    if (i + block_threads < n + radius) tile[own + block_threads] = center[block_threads];
  }
  __syncwarp();

  if (i < n) {
    float sum = 0.0f;
    for (int d = -radius; d <= radius; ++d) sum += tile[own + d];
    out[i] = sum;
  }
}

extern "C" void stencil_race_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  const std::size_t blocks = (n + block_threads - 1) / block_threads;
  stencil_race_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(in, out, n);
}
// <<< your code
