// expect: pass
// on gpu: too_slow
/// @file
/// Sound in another style: no multicast. Each block brings its quarter by a bulk copy, and sends it on to its neighbours by bulk copies from
/// shared memory to theirs.
#include <cuda/ptx>

#include "multicast_tiles.cuh"

namespace ptx = cuda::ptx;
constexpr std::uint32_t tile = 4096;

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

/// The place of @p p in the block of rank @p rank, as a generic address.
template <class T>
__device__ T* there(T* p, std::uint32_t rank) {
  T* mapped;
  asm("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(p), "r"(rank));
  return mapped;
}

__global__ void __cluster_dims__(4, 1, 1)
    count(unsigned int* counts, const float* values, const float* levels, unsigned int n) {
  alignas(128) __shared__ float all[tile];
  __shared__ std::uint64_t mine, others;
  if (threadIdx.x == 0) {
    barrier_init(&mine);
    barrier_init(&others);
  }
  cluster_barrier();
  const float level = levels[blockIdx.x];
  unsigned int sum = 0, phase = 0;
  for (unsigned int first = 0; first < n; first += tile, phase ^= 1) {
    const std::uint32_t floats = min(tile, n - first), quarter = floats / 4, at = cluster_rank() * quarter;
    if (threadIdx.x == 0) {
      expect_bytes(&mine, 4 * quarter);
      expect_bytes(&others, 3 * 4 * quarter);
      bulk_load(all + at, values + first + at, 4 * quarter, &mine);
      wait_phase(&mine, phase);
      for (std::uint32_t step = 1; step < 4; ++step) {
        const std::uint32_t rank = (cluster_rank() + step) % 4;
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, there(all + at, rank), all + at,
                           4 * quarter, there(&others, rank));
      }
    }
    wait_phase(&mine, phase);
    wait_phase(&others, phase);
    for (std::uint32_t i = threadIdx.x; i < floats; i += blockDim.x) sum += all[i] > level;
    cluster_barrier();
  }
  put(counts + blockIdx.x, sum);
}

extern "C" void multicast_tiles_run(unsigned int* counts, const float* values, const float* levels,
                                    std::size_t n, unsigned int blocks, cudaStream_t stream) {
  count<<<blocks, 256, 0, stream>>>(counts, values, levels, static_cast<unsigned int>(n));
}
