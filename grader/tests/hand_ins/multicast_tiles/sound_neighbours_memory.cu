// expect: pass
// on gpu: too_slow
/// @file
/// Sound in another style: no copy engine. Each block loads a quarter of the tile, and reads the other three in its neighbours' shared memory, by
/// cooperative groups.
#include <cooperative_groups.h>

#include "multicast_tiles.cuh"

namespace cg = cooperative_groups;
constexpr unsigned int tile = 4096;

/// Of the calling thread's block, to @p out.
__device__ void put(unsigned int* out, unsigned int mine) {
  __shared__ unsigned int all;
  if (threadIdx.x == 0) all = 0;
  __syncthreads();
  mine = __reduce_add_sync(0xFFFFFFFFu, mine);
  if (threadIdx.x % 32 == 0) atomicAdd(&all, mine);
  __syncthreads();
  if (threadIdx.x == 0) *out = all;
}

__global__ void count(unsigned int* counts, const float* values, const float* levels, unsigned int n) {
  __shared__ float4 part[tile / 16];
  const auto cluster = cg::this_cluster();
  const float level = levels[blockIdx.x];
  unsigned int sum = 0;
  for (unsigned int first = 0; first < n; first += tile) {
    const unsigned int quarter = min(tile, n - first) / 16;
    const auto* const from = reinterpret_cast<const float4*>(values + first) + cluster.block_rank() * quarter;
    for (unsigned int v = threadIdx.x; v < quarter; v += blockDim.x) part[v] = from[v];
    cluster.sync();
    for (unsigned int r = 0; r < 4; ++r) {
      const float4* const its = cluster.map_shared_rank(part, r);
      for (unsigned int v = threadIdx.x; v < quarter; v += blockDim.x) {
        const float4 x = its[v];
        sum += (x.x > level) + (x.y > level) + (x.z > level) + (x.w > level);
      }
    }
    cluster.sync();
  }
  put(counts + blockIdx.x, sum);
}

extern "C" void multicast_tiles_run(unsigned int* counts, const float* values, const float* levels,
                                    std::size_t n, unsigned int blocks, cudaStream_t stream) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {4, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = 128;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, count, counts, values, levels, static_cast<unsigned int>(n));
}
