// expect: too_slow|wasteful
/// @file
/// histogram_shared without shared memory and without atomics a byte: lane l of a warp counts the bytes 8 l to 8 l + 7
/// in eight registers. Eight votes tell every lane which bytes of the warp have which bits.
#include "histogram_shared.cuh"

// >>> your code
constexpr unsigned int bins = 256;
constexpr unsigned int block_threads = 256;
constexpr unsigned int all_lanes = 0xffffffffu;

/// Counts one byte a lane. @param present lanes that have one.
__device__ void count(unsigned int (&own)[8], unsigned int byte, unsigned int present) {
  const unsigned int lane = threadIdx.x % 32;
  unsigned int mine = present;  // bytes whose upper five bits are this lane's number
#pragma unroll
  for (int bit = 0; bit < 5; ++bit) {
    const unsigned int set = __ballot_sync(all_lanes, byte >> (bit + 3) & 1u);
    mine &= lane >> bit & 1u ? set : ~set;
  }
  unsigned int low[3];
#pragma unroll
  for (int bit = 0; bit < 3; ++bit) low[bit] = __ballot_sync(all_lanes, byte >> bit & 1u);
#pragma unroll
  for (unsigned int k = 0; k < 8; ++k) {
    own[k] += __popc(mine & (k & 1u ? low[0] : ~low[0]) & (k & 2u ? low[1] : ~low[1]) &
                     (k & 4u ? low[2] : ~low[2]));
  }
}

__global__ void histogram_shared_kernel(const unsigned char* in, unsigned int* counts, std::size_t n) {
  unsigned int own[8] = {};
  const auto* const vectors = reinterpret_cast<const uint4*>(in);
  const std::size_t whole = n / sizeof(uint4);
  const std::size_t thread = std::size_t{blockIdx.x} * block_threads + threadIdx.x;
  const std::size_t lane = threadIdx.x % 32;
  const std::size_t stride = std::size_t{gridDim.x} * block_threads;
  for (std::size_t first = thread - lane; first < whole; first += stride) {
    const bool has_one = first + lane < whole;
    const unsigned int present = __ballot_sync(all_lanes, has_one);
    const uint4 v = has_one ? vectors[first + lane] : uint4{};
    const unsigned int words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int k = 0; k < 16; ++k) count(own, words[k / 4] >> 8 * (k % 4) & 0xffu, present);
  }
  if (thread < 32) {  // up to fifteen bytes are left over
    const std::size_t last = whole * sizeof(uint4) + lane;
    const unsigned int present = __ballot_sync(all_lanes, last < n);
    count(own, last < n ? in[last] : 0u, present);
  }
#pragma unroll
  for (unsigned int k = 0; k < 8; ++k) atomicAdd(&counts[8 * lane + k], own[k]);
}

extern "C" void histogram_shared_run(const unsigned char* in, unsigned int* counts, std::size_t n,
                                     cudaStream_t stream) {
  cudaMemsetAsync(counts, 0, bins * sizeof(unsigned int), stream);
  if (n == 0) return;
  int device = 0;
  int sm_count = 1;
  int blocks_per_sm = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, histogram_shared_kernel, block_threads, 0);
  const std::size_t resident = std::size_t(sm_count) * std::size_t(blocks_per_sm);
  constexpr std::size_t bytes_a_turn = block_threads * sizeof(uint4);
  const std::size_t wanted = (n + bytes_a_turn - 1) / bytes_a_turn;
  const std::size_t blocks = wanted < resident ? wanted : resident;
  histogram_shared_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(in, counts, n);
}
// <<< your code
