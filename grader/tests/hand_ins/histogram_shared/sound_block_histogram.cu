// expect: pass
/// @file
/// The library counts inside the block (cub::BlockHistogram, in a table in shared memory), the loads are the hand-in's.
#include <cub/block/block_histogram.cuh>

#include "histogram_shared.cuh"

constexpr int bins = 256, block_threads = 256, bytes_a_thread = 16;
using counting =
    cub::BlockHistogram<unsigned char, block_threads, bytes_a_thread, bins, cub::BLOCK_HISTO_ATOMIC>;

__global__ void count(const unsigned char* in, unsigned int* counts, std::size_t n) {
  __shared__ typename counting::TempStorage scratch;
  __shared__ unsigned int own[bins];
  counting(scratch).InitHistogram(own);
  __syncthreads();
  const auto* const vectors = reinterpret_cast<const uint4*>(in);
  const std::size_t whole = n / (sizeof(uint4) * block_threads);  // tiles that are full
  for (std::size_t tile = blockIdx.x; tile < whole; tile += gridDim.x) {
    const uint4 v = vectors[tile * block_threads + threadIdx.x];
    const unsigned int words[4] = {v.x, v.y, v.z, v.w};
    unsigned char bytes[bytes_a_thread];
    for (int k = 0; k < bytes_a_thread; ++k)
      bytes[k] = static_cast<unsigned char>(words[k / 4] >> 8 * (k % 4));
    counting(scratch).Composite(bytes, own);
  }
  if (blockIdx.x == 0) {
    for (std::size_t i = whole * sizeof(uint4) * block_threads + threadIdx.x; i < n; i += block_threads)
      atomicAdd(&own[in[i]], 1u);
  }
  __syncthreads();
  for (int b = static_cast<int>(threadIdx.x); b < bins; b += block_threads) atomicAdd(&counts[b], own[b]);
}

extern "C" void histogram_shared_run(const unsigned char* in, unsigned int* counts, std::size_t n,
                                     cudaStream_t stream) {
  cudaMemsetAsync(counts, 0, bins * sizeof(unsigned int), stream);
  int device = 0, sm_count = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device);
  count<<<static_cast<unsigned int>(sm_count) * 8, block_threads, 0, stream>>>(in, counts, n);
}
