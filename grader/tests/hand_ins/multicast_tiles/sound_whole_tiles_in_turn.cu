// expect: pass
// on gpu: too_slow
/// @file
/// Sound in another style: small tiles, each brought whole by one of the four blocks in turn; a barrier and a warp for each; ballots count.
#include "multicast_tiles.cuh"
// eight small tiles of 2 KB a round, each brought whole by one of the blocks in turn; counting by ballots
__global__ void __cluster_dims__(4, 1, 1)
    kernel(unsigned* counts, const float* values, const float* levels, unsigned n) {
  __shared__ alignas(128) float tile[8][512];
  __shared__ std::uint64_t full[8];
  __shared__ unsigned total;
  if (threadIdx.x < 8) barrier_init(&full[threadIdx.x]);
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  cluster_barrier();
  const float level = __ldg(levels + blockIdx.x);
  unsigned mine = 0, round = 0;
  for (unsigned base = 0; base < n; base += 8 * 512, ++round) {
    const unsigned j = threadIdx.x;
    if (j < 8 && base + j * 512 < n) {
      const unsigned first = base + j * 512, count = min(512u, n - first);
      expect_bytes(&full[j], count * 4);
      if (j % 4 == cluster_rank()) bulk_load_multicast(tile[j], values + first, count * 4, &full[j], 15);
    }
    const unsigned warp = threadIdx.x / 32, first = base + warp * 512;
    if (first < n) {
      wait_phase(&full[warp], round & 1);
      const unsigned count = min(512u, n - first);
      for (unsigned i = threadIdx.x % 32; i < (count + 31) / 32 * 32; i += 32)
        mine += __popc(__ballot_sync(~0u, i < count && tile[warp][i] > level));
    }
    cluster_barrier();
  }
  if (threadIdx.x % 32 == 0) atomicAdd(&total, mine);
  __syncthreads();
  if (threadIdx.x == 0) counts[blockIdx.x] = total;
}
extern "C" void multicast_tiles_run(unsigned* counts, const float* values, const float* levels, std::size_t n,
                                    unsigned blocks, cudaStream_t stream) {
  kernel<<<blocks, 256, 0, stream>>>(counts, values, levels, (unsigned)n);
}
