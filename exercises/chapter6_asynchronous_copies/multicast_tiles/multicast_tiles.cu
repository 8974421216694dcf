/// @file
/// multicast_tiles: tiles that four blocks want at the same time. The one file of this exercise that is edited and handed in; the
/// contract is in multicast_tiles.cuh, the task in README.md.
#include "multicast_tiles.cuh"

// >>> your code
constexpr unsigned int cluster_blocks = multicast_tiles_cluster, tile_floats = multicast_tiles_floats;
constexpr unsigned int block_threads = 256;

/// How many of the @p count values in @p tile exceed @p level: the calling thread's share of them.
__device__ unsigned int above(const float* tile, unsigned int count, float level) {
  unsigned int sum = 0;
  for (unsigned int v = threadIdx.x; v < count / 4; v += block_threads) {
    const float4 x = reinterpret_cast<const float4*>(tile)[v];
    sum += (x.x > level) + (x.y > level) + (x.z > level) + (x.w > level);
  }
  return sum;
}

/// Writes the sum of all threads' @p mine to @p out. Called by all threads of the block.
__device__ void put_sum(unsigned int* out, unsigned int mine) {
  __shared__ unsigned int of_warp[block_threads / 32];
  for (int d = 16; d > 0; d /= 2) mine += __shfl_xor_sync(0xFFFFFFFFu, mine, d);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned int sum = 0;
    for (const unsigned int one : of_warp) sum += one;
    *out = sum;
  }
}

/// Block b counts for level b. Launch contract: as many blocks as levels, in clusters of cluster_blocks; block_threads threads a block.
__global__ void __cluster_dims__(cluster_blocks, 1, 1) __launch_bounds__(block_threads)
    multicast_tiles_kernel(unsigned int* counts, const float* values, const float* levels, unsigned int n) {
  alignas(128) __shared__ float tile[tile_floats];
  __shared__ std::uint64_t full;
  const float level = levels[blockIdx.x];
  unsigned int sum = 0;

  // TODO 1: make the barrier ready. Which blocks must not begin before that?

  // Given: the tiles, and how many values each has; the last one may be shorter. Always a multiple of 16.
  for (unsigned int first = 0; first < n; first += tile_floats) {
    const unsigned int count = n - first < tile_floats ? n - first : tile_floats;
    // TODO 2: get the tile into the shared memory of all four blocks, and ask for each of its bytes once. The functions are in
    // copy_engine.cuh. Every block has a barrier of its own: how many bytes come to it? And who must be done before the next tile may
    // come?
    sum += above(tile, count, level);
  }

  put_sum(counts + blockIdx.x, sum);
}

extern "C" void multicast_tiles_run(unsigned int* counts, const float* values, const float* levels,
                                    std::size_t n, unsigned int blocks, cudaStream_t stream) {
  // TODO 3: launch it, with one block for each level.
}
// <<< your code
