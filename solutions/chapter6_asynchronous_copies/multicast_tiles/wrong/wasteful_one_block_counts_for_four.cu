// expect: wasteful
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

/// The first block of four keeps the tile and counts for four levels: right, and the best thing to do with this task. But then no neighbour
/// wants the tile. Launch contract: as many blocks as levels, a multiple of cluster_blocks; block_threads threads a block.
__global__ void __launch_bounds__(block_threads)
    multicast_tiles_kernel(unsigned int* counts, const float* values, const float* levels, unsigned int n) {
  alignas(128) __shared__ float tile[tile_floats];
  __shared__ std::uint64_t full;
  if (blockIdx.x % cluster_blocks != 0) return;
  if (threadIdx.x == 0) barrier_init(&full);
  __syncthreads();

  unsigned int sums[cluster_blocks] = {};
  std::uint32_t phase = 0;
  for (unsigned int first = 0; first < n; first += tile_floats, phase ^= 1) {
    const unsigned int count = n - first < tile_floats ? n - first : tile_floats;
    if (threadIdx.x == 0) {
      expect_bytes(&full, count * sizeof(float));
      bulk_load(tile, values + first, count * sizeof(float), &full);
    }
    wait_phase(&full, phase);
    for (unsigned int j = 0; j < cluster_blocks; ++j) sums[j] += above(tile, count, levels[blockIdx.x + j]);
    __syncthreads();
  }
  for (unsigned int j = 0; j < cluster_blocks; ++j) {
    put_sum(counts + blockIdx.x + j, sums[j]);
    __syncthreads();
  }
}

extern "C" void multicast_tiles_run(unsigned int* counts, const float* values, const float* levels,
                                    std::size_t n, unsigned int blocks, cudaStream_t stream) {
  multicast_tiles_kernel<<<blocks, block_threads, 0, stream>>>(counts, values, levels,
                                                               static_cast<unsigned int>(n));
}
// <<< your code
