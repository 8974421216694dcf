// expect: too_slow|wasteful off_the_idea|bank_conflicts
// says: the rest comes for nobody
/// @file
/// Each block makes the counts of its own quarter of a tile, for all four levels: right, and the three quarters that its neighbours send are
/// never used.
#include "multicast_tiles.cuh"

// >>> your code
constexpr unsigned int cluster_blocks = multicast_tiles_cluster, tile_floats = multicast_tiles_floats;
constexpr unsigned int block_threads = 256;

/// How many of the @p count values in @p tile exceed @p level: the calling thread's share of them.
__device__ unsigned int above(const float* tile, unsigned int count, float level) {
  unsigned int sum = 0;
  for (unsigned int v = threadIdx.x; v < count / 4; v += block_threads) {
    const volatile float* const x = tile + 4 * v;  // loaded again for each level
    sum += (x[0] > level) + (x[1] > level) + (x[2] > level) + (x[3] > level);
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
    atomicAdd(out, sum);
  }
  __syncthreads();
}

/// Block b counts for level b. Launch contract: as many blocks as levels, in clusters of cluster_blocks; block_threads threads a block.
__global__ void __cluster_dims__(cluster_blocks, 1, 1) __launch_bounds__(block_threads)
    multicast_tiles_kernel(unsigned int* counts, const float* values, const float* levels, unsigned int n) {
  alignas(128) __shared__ float tile[tile_floats];
  __shared__ std::uint64_t full;
  const unsigned int first_of_cluster = blockIdx.x / cluster_blocks * cluster_blocks;
  unsigned int sums[cluster_blocks] = {};
  float level[cluster_blocks];
  for (unsigned int l = 0; l < cluster_blocks; ++l) level[l] = levels[first_of_cluster + l];

  if (threadIdx.x == 0) barrier_init(&full);
  cluster_barrier();  // all four barriers are ready: a neighbour's copy may come

  std::uint32_t phase = 0;
  for (unsigned int first = 0; first < n; first += tile_floats) {
    const unsigned int count = n - first < tile_floats ? n - first : tile_floats;
    if (threadIdx.x == 0) {
      const unsigned int quarter = count / cluster_blocks, mine = cluster_rank() * quarter;
      expect_bytes(&full, count * sizeof(float));  // all of it: neighbours bring the rest
      bulk_load_multicast(tile + mine, values + first + mine, quarter * sizeof(float), &full, 0b1111);
    }
    wait_phase(&full, phase);
    phase ^= 1;
    // The tile is there for all four, and each block uses its own quarter of it, four times.
    const unsigned int quarter = count / cluster_blocks;
    for (unsigned int l = 0; l < cluster_blocks; ++l)
      sums[l] += above(tile + cluster_rank() * quarter, quarter, level[l]);
    cluster_barrier();  // all four have used the tile: the next one may come, and a block may end
  }

  for (unsigned int l = 0; l < cluster_blocks; ++l) put_sum(counts + first_of_cluster + l, sums[l]);
}

extern "C" void multicast_tiles_run(unsigned int* counts, const float* values, const float* levels,
                                    std::size_t n, unsigned int blocks, cudaStream_t stream) {
  cudaMemsetAsync(counts, 0, blocks * sizeof(unsigned int), stream);
  multicast_tiles_kernel<<<blocks, block_threads, 0, stream>>>(counts, values, levels,
                                                               static_cast<unsigned int>(n));
}
// <<< your code
