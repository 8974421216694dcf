// expect: wasteful|too_slow
/// @file
/// hot_table: look-ups in a table that a stream would push out of L2. The one file of this exercise that is edited and
/// handed in; the contract is in hot_table.cuh, the task in README.md.
#include "hot_table.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;
constexpr unsigned int packet = 16;  // elements; half a warp
constexpr unsigned int all_lanes = 0xffffffffu;

constexpr unsigned int elements_a_thread = 4;
constexpr unsigned int elements_a_block = block_threads * elements_a_thread;

/// Joins the words of a packet. @return valid in all of its lanes
__device__ unsigned int joined_in_packet(uint4 element) {
  unsigned int joined = (element.x ^ element.y) ^ (element.z ^ element.w);
#pragma unroll
  for (unsigned int distance = packet / 2; distance > 0; distance /= 2)
    joined ^= __shfl_xor_sync(all_lanes, joined, distance);
  return joined;
}

/// elements_a_thread elements a thread, all of them on their way before the first is used. Right, and as
/// fast as it gets without a word to the cache.
/// Launch contract: one-dimensional grid of at least n / elements_a_block blocks, rounded up.
__global__ void __launch_bounds__(block_threads)
    hot_table_kernel(const uint4* __restrict__ in, std::size_t n, const unsigned int* __restrict__ table,
                     unsigned int entries, unsigned int* __restrict__ out) {
  const std::size_t first = std::size_t{blockIdx.x} * elements_a_block + threadIdx.x;
  uint4 element[elements_a_thread];
#pragma unroll
  for (unsigned int k = 0; k < elements_a_thread; ++k) {
    const std::size_t i = first + k * block_threads;
    element[k] = i < n ? in[i] : uint4{};
  }
  // The look-ups are on their way while the words are joined.
  unsigned int word[elements_a_thread];
#pragma unroll
  for (unsigned int k = 0; k < elements_a_thread; ++k) {
    const bool looks_up = first % packet == 0 && first + k * block_threads < n;
    word[k] = looks_up ? table[element[k].x % entries] : 0u;
  }
#pragma unroll
  for (unsigned int k = 0; k < elements_a_thread; ++k) {
    const std::size_t i = first + k * block_threads;
    const unsigned int joined = joined_in_packet(element[k]);
    if (i < n && i % packet == 0) __stcs(&out[i / packet], joined ^ word[k]);
  }
}

extern "C" void hot_table_setup(const unsigned int* table, std::size_t entries, cudaStream_t stream) {
  (void)table;
  (void)entries;
  (void)stream;
}

extern "C" void hot_table_run(const uint4* in, std::size_t n, const unsigned int* table, std::size_t entries,
                              unsigned int* out, cudaStream_t stream) {
  if (n == 0) return;
  const std::size_t blocks = (n + elements_a_block - 1) / elements_a_block;
  hot_table_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(
      in, n, table, static_cast<unsigned int>(entries), out);
}

extern "C" void hot_table_teardown(cudaStream_t stream) {
  (void)stream;
}
// <<< your code
