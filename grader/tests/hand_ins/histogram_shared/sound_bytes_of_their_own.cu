// expect: pass|too_slow
/// @file
/// 256 counters of one byte for each thread, so that nobody needs an atomic; emptied before one can run over. The old
/// way, from cards without atomics in shared memory.
#include "histogram_shared.cuh"

constexpr unsigned int bins = 256, block_threads = 128, most_turns = 15;  // 15 x 16 bytes: less than 256

__global__ void count(const unsigned char* in, unsigned int* counts, std::size_t n) {
  __shared__ unsigned char own[bins][block_threads];  // 32 KB
  unsigned int sums[bins / block_threads] = {};
  const std::size_t whole = n / sizeof(uint4);
  const std::size_t stride = std::size_t{gridDim.x} * block_threads;
  const unsigned int t = threadIdx.x;
  for (std::size_t first = std::size_t{blockIdx.x} * block_threads;; first += most_turns * stride) {
    for (unsigned int b = 0; b < bins; ++b) own[b][t] = 0;
    for (unsigned int turn = 0; turn < most_turns; ++turn) {
      const std::size_t i = first + turn * stride + t;
      if (i >= whole) break;
      const uint4 v = reinterpret_cast<const uint4*>(in)[i];
      for (const unsigned int word : {v.x, v.y, v.z, v.w})
        for (int shift = 0; shift < 32; shift += 8) ++own[word >> shift & 0xffu][t];
    }
    const bool is_last = first + most_turns * stride >= whole;
    if (is_last && blockIdx.x == 0 && t < n % sizeof(uint4)) ++own[in[whole * sizeof(uint4) + t]][t];
    __syncthreads();
    for (unsigned int k = 0; k < bins / block_threads; ++k) {
      const auto* const row = reinterpret_cast<const unsigned int*>(own[t + k * block_threads]);
      for (unsigned int w = 0; w < block_threads / 4; ++w) {
        const unsigned int four = row[(w + t) % (block_threads / 4)];
        sums[k] += (four & 0xffu) + (four >> 8 & 0xffu) + (four >> 16 & 0xffu) + (four >> 24);
      }
    }
    __syncthreads();
    if (is_last) break;
  }
  for (unsigned int k = 0; k < bins / block_threads; ++k) atomicAdd(&counts[t + k * block_threads], sums[k]);
}

extern "C" void histogram_shared_run(const unsigned char* in, unsigned int* counts, std::size_t n,
                                     cudaStream_t stream) {
  cudaMemsetAsync(counts, 0, bins * sizeof(unsigned int), stream);
  int device = 0, sm_count = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device);
  count<<<static_cast<unsigned int>(sm_count) * 6, block_threads, 0, stream>>>(in, counts, n);
}
