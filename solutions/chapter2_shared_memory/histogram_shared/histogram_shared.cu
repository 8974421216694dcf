/// @file
/// histogram_shared: how often each byte occurs. The one file of this exercise that is edited and handed in; the
/// contract is in histogram_shared.cuh, the task in README.md.
#include "histogram_shared.cuh"

// >>> your code
constexpr unsigned int bins = 256;
constexpr unsigned int lanes = 32;  // of a warp, and banks of shared memory
constexpr unsigned int block_threads = 1024;
constexpr unsigned int warps = block_threads / lanes;
constexpr unsigned int ahead = 4;  // loads that a thread has under way while it counts: 64 bytes

/// Counts the four bytes of a word in the lane's own column.
__device__ void count_word(unsigned int (&own)[bins][lanes], unsigned int lane, unsigned int word) {
  atomicAdd(&own[word & 0xffu][lane], 1u);
  atomicAdd(&own[word >> 8 & 0xffu][lane], 1u);
  atomicAdd(&own[word >> 16 & 0xffu][lane], 1u);
  atomicAdd(&own[word >> 24][lane], 1u);
}

/// Starts the loads of a thread's next vectors, each @p stride behind the one before; there are @p whole of them.
__device__ void fetch(uint4 (&next)[ahead], const uint4* __restrict__ vectors, std::size_t first,
                      std::size_t stride, std::size_t whole) {
#pragma unroll
  for (unsigned int k = 0; k < ahead; ++k)
    if (first + k * stride < whole) next[k] = vectors[first + k * stride];
}

/// Adds the block's share of the input to counts. Each lane has 256 counters of its own, which it shares with the same
/// lane of the block's other warps only: own[b][l] lies in bank l, so no data makes two lanes meet in a bank.
/// Launch contract: one-dimensional grid of blocks of block_threads threads, any number of blocks; counts[0..255]
/// were cleared; in is aligned to 16 bytes. Shared memory: 33 KB.
__global__ void __launch_bounds__(block_threads)
    histogram_shared_kernel(const unsigned char* __restrict__ in, unsigned int* __restrict__ counts,
                            std::size_t n) {
  alignas(16) __shared__ unsigned int own[bins][lanes];
  __shared__ unsigned int sums[bins];
  const unsigned int warp = threadIdx.x / lanes;
  const unsigned int lane = threadIdx.x % lanes;
  const auto* const vectors = reinterpret_cast<const uint4*>(in);
  const std::size_t whole = n / sizeof(uint4);
  const std::size_t stride = std::size_t{gridDim.x} * block_threads;
  std::size_t i = std::size_t{blockIdx.x} * block_threads + threadIdx.x;

  uint4 next[ahead] = {};
  fetch(next, vectors, i, stride, whole);  // the first bytes are on their way while the table is cleared
  for (unsigned int b = warp; b < bins; b += warps) own[b][lane] = 0u;
  __syncthreads();  // nobody counts before the table is clear

  for (; i < whole; i += ahead * stride) {
    uint4 now[ahead];
#pragma unroll
    for (unsigned int k = 0; k < ahead; ++k) now[k] = next[k];
    fetch(next, vectors, i + ahead * stride, stride, whole);
#pragma unroll
    for (unsigned int k = 0; k < ahead; ++k) {
      if (i + k * stride >= whole) break;
      count_word(own, lane, now[k].x);
      count_word(own, lane, now[k].y);
      count_word(own, lane, now[k].z);
      count_word(own, lane, now[k].w);
    }
  }
  // Up to fifteen bytes are left over; the first block takes them.
  const std::size_t last = whole * sizeof(uint4) + threadIdx.x;
  if (blockIdx.x == 0 && last < n) atomicAdd(&own[in[last]][lane], 1u);
  __syncthreads();  // nobody reads the table before all have counted

  // A warp adds up a row, 32 neighbouring words. The sums leave the block side by side, 32 in one request: a request for each row made
  // all blocks queue at the few places of L2 that hold the counts, a seventh of the call's time.
  for (unsigned int b = warp; b < bins; b += warps) {
    unsigned int sum = own[b][lane];
    for (unsigned int distance = lanes / 2; distance > 0; distance /= 2)
      sum += __shfl_down_sync(0xffffffffu, sum, distance);
    if (lane == 0) sums[b] = sum;
  }
  __syncthreads();
  if (threadIdx.x < bins) atomicAdd(&counts[threadIdx.x], sums[threadIdx.x]);
}

extern "C" void histogram_shared_run(const unsigned char* in, unsigned int* counts, std::size_t n,
                                     cudaStream_t stream) {
  cudaMemsetAsync(counts, 0, bins * sizeof(unsigned int), stream);
  if (n == 0) return;

  // A block for each multiprocessor, fewer for a short input: a second one would be a second table to clear and to add up.
  int device = 0;
  int sm_count = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device);
  constexpr std::size_t bytes_a_turn = block_threads * sizeof(uint4);
  const std::size_t wanted = (n + bytes_a_turn - 1) / bytes_a_turn;
  const std::size_t blocks = wanted < std::size_t(sm_count) ? wanted : std::size_t(sm_count);
  histogram_shared_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(in, counts, n);
}
// <<< your code
