// expect: pass
// on gpu: too_slow
/// @file
/// Sound in another style: the blocks of a cluster take turns. One of them brings a whole tile for all four; two buffers, and a barrier of the
/// cluster in each turn.
#include "multicast_tiles.cuh"

constexpr std::uint32_t tile = 2048;

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

__global__ void __cluster_dims__(4, 1, 1)
    count(unsigned int* counts, const float* values, const float* levels, unsigned int n) {
  alignas(128) __shared__ float buffer[2][tile];
  __shared__ std::uint64_t full[2];
  if (threadIdx.x < 2) barrier_init(&full[threadIdx.x]);
  cluster_barrier();
  const float level = levels[blockIdx.x];
  const auto floats = [&](unsigned int k) { return min(tile, n - k * tile); };
  const auto bring = [&](unsigned int k) {
    if (threadIdx.x != 0 || k * tile >= n) return;
    expect_bytes(&full[k % 2], 4 * floats(k));
    if (cluster_rank() == k % 4)
      bulk_load_multicast(buffer[k % 2], values + k * tile, 4 * floats(k), &full[k % 2], 15);
  };
  unsigned int sum = 0;
  bring(0);
  for (unsigned int k = 0; k * tile < n; ++k) {
    bring(k + 1);
    wait_phase(&full[k % 2], k / 2 % 2);
    for (unsigned int i = threadIdx.x; i < floats(k); i += blockDim.x) sum += buffer[k % 2][i] > level;
    cluster_barrier();
  }
  put(counts + blockIdx.x, sum);
}

extern "C" void multicast_tiles_run(unsigned int* counts, const float* values, const float* levels,
                                    std::size_t n, unsigned int blocks, cudaStream_t stream) {
  count<<<blocks, 512, 0, stream>>>(counts, values, levels, static_cast<unsigned int>(n));
}
