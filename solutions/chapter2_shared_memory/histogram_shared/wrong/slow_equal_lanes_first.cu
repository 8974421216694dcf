// expect: too_slow|wasteful
/// @file
/// histogram_shared with global counters: the lanes of a warp that have the same byte send one of them. That cures
/// sorted bytes, and does nothing for even ones.
#include "histogram_shared.cuh"

// >>> your code
constexpr unsigned int bins = 256;
constexpr unsigned int block_threads = 256;

/// Adds to counts[b] for every byte b; each thread takes sixteen bytes a turn, one after the other.
/// Launch contract: one-dimensional grid, any number of blocks; counts[0..255] were cleared.
__global__ void histogram_shared_kernel(const unsigned char* in, unsigned int* counts, std::size_t n) {
  const std::size_t thread = std::size_t{blockIdx.x} * block_threads + threadIdx.x;
  const unsigned int lane = threadIdx.x % 32;
  const std::size_t stride = std::size_t{gridDim.x} * block_threads;
  for (std::size_t first = thread - lane; first < n; first += stride) {
    const std::size_t i = first + lane;
    // Other lanes may have left the array; a byte that cannot be, 256, stands for them.
    const unsigned int byte = i < n ? in[i] : bins;
    const unsigned int equal = __match_any_sync(0xffffffffu, byte);
    const unsigned int leader = static_cast<unsigned int>(__ffs(static_cast<int>(equal))) - 1;
    if (lane == leader && byte < bins) atomicAdd(&counts[byte], __popc(equal));
  }
}

extern "C" void histogram_shared_run(const unsigned char* in, unsigned int* counts, std::size_t n,
                                     cudaStream_t stream) {
  cudaMemsetAsync(counts, 0, bins * sizeof(unsigned int), stream);
  if (n == 0) return;
  const std::size_t blocks = (n + 16 * block_threads - 1) / (16 * block_threads);
  histogram_shared_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(in, counts, n);
}
// <<< your code
