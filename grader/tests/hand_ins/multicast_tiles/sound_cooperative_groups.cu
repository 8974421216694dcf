// expect: pass
/// @file
/// Sound in another style: clusters by a launch attribute, and cooperative groups.
#include <cooperative_groups.h>
#include "multicast_tiles.cuh"
namespace cg = cooperative_groups;

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
__global__ void __launch_bounds__(block_threads)
    multicast_tiles_kernel(unsigned int* counts, const float* values, const float* levels, unsigned int n) {
  alignas(128) __shared__ float tile[tile_floats];
  __shared__ std::uint64_t full;
  const float level = levels[blockIdx.x];
  unsigned int sum = 0;

  if (threadIdx.x == 0) barrier_init(&full);
  cg::this_cluster().sync();  // all four barriers are ready: a neighbour's copy may come

  std::uint32_t phase = 0;
  for (unsigned int first = 0; first < n; first += tile_floats) {
    const unsigned int count = n - first < tile_floats ? n - first : tile_floats;
    if (threadIdx.x == 0) {
      const unsigned int quarter = count / cluster_blocks, mine = cg::this_cluster().block_rank() * quarter;
      expect_bytes(&full, count * sizeof(float));  // all of it: neighbours bring the rest
      bulk_load_multicast(tile + mine, values + first + mine, quarter * sizeof(float), &full, 0b1111);
    }
    wait_phase(&full, phase);
    phase ^= 1;
    sum += above(tile, count, level);
    cg::this_cluster().sync();  // all four have used the tile: the next one may come, and a block may end
  }

  put_sum(counts + blockIdx.x, sum);
}

extern "C" void multicast_tiles_run(unsigned int* counts, const float* values, const float* levels,
                                    std::size_t n, unsigned int blocks, cudaStream_t stream) {
  cudaLaunchAttribute cluster[1];
  cluster[0].id = cudaLaunchAttributeClusterDimension;
  cluster[0].val.clusterDim = {cluster_blocks, 1, 1};
  cudaLaunchConfig_t config = {dim3(blocks), dim3(block_threads), 0, stream, cluster, 1};
  cudaLaunchKernelEx(&config, multicast_tiles_kernel, counts, values, levels, static_cast<unsigned int>(n));
}
// <<< your code
