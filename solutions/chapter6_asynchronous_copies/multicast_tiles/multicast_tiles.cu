/// @file
/// multicast_tiles: tiles that four blocks want at the same time. The one file of this exercise that is edited and handed in; the
/// contract is in multicast_tiles.cuh, the task in README.md.
#include "multicast_tiles.cuh"

// >>> your code
constexpr unsigned int cluster_blocks = multicast_tiles_cluster, tile_floats = multicast_tiles_floats;
constexpr unsigned int block_threads = 256;
constexpr unsigned int stages = 2;  // one tile comes while another is used

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
    multicast_tiles_kernel(unsigned int* __restrict__ counts, const float* __restrict__ values,
                           const float* __restrict__ levels, unsigned int n) {
  alignas(128) __shared__ float tile[stages][tile_floats];
  __shared__ std::uint64_t full[stages], empty[stages];
  const unsigned int lane = threadIdx.x % 32, rank = cluster_rank();
  const float level = levels[blockIdx.x];
  if (threadIdx.x == 0) {
    for (unsigned int s = 0; s < stages; ++s) {
      barrier_init(&full[s]);
      barrier_init(&empty[s], cluster_blocks * block_threads / 32);  // each warp of each block arrives
    }
  }
  cluster_barrier();

  const auto floats_at = [=](unsigned int first) {
    return n - first < tile_floats ? n - first : tile_floats;
  };
  const auto fetch = [&](unsigned int k) {
    const unsigned int first = k * tile_floats, s = k % stages;
    if (threadIdx.x != 0 || k >= (n + tile_floats - 1) / tile_floats) return;
    // My quarter goes to all four, so all four must have used what lay there, a round of the ring before.
    if (k >= stages) wait_phase_of_cluster(&empty[s], (k / stages - 1) % 2);
    const unsigned int quarter = floats_at(first) / cluster_blocks;
    expect_bytes(&full[s], floats_at(first) * sizeof(float));
    bulk_load_multicast(tile[s] + rank * quarter, values + first + rank * quarter, quarter * sizeof(float),
                        &full[s], 0b1111);
  };

  unsigned int sum = 0, k = 0;
  fetch(0);
  for (unsigned int first = 0; first < n; first += tile_floats, ++k) {
    const unsigned int s = k % stages;
    fetch(k + 1);
    wait_phase(&full[s], k / stages % 2);
    sum += above(tile[s], floats_at(first), level);
    __syncwarp();                                           // all lanes have read it
    if (lane < cluster_blocks) arrive_at(&empty[s], lane);  // tells all four
  }
  cluster_barrier();  // nobody arrives at a block that has ended
  put_sum(counts + blockIdx.x, sum);
}

extern "C" void multicast_tiles_run(unsigned int* counts, const float* values, const float* levels,
                                    std::size_t n, unsigned int blocks, cudaStream_t stream) {
  multicast_tiles_kernel<<<blocks, block_threads, 0, stream>>>(counts, values, levels,
                                                               static_cast<unsigned int>(n));
}
// <<< your code
