/// @file
/// Counts by class: 64 in global memory, 512 in shared memory, weights of 128 classes, a table for each lane
/// of a block.
#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

__global__ void count_global(const unsigned* in, unsigned* counts, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) atomicAdd(&counts[in[i] & 63], 1u);
}
__global__ void count_shared(const uint4* in, unsigned* counts, std::size_t m) {
  __shared__ unsigned own[512];
  for (unsigned c = threadIdx.x; c < 512; c += blockDim.x) own[c] = 0;
  __syncthreads();
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const uint4 v = in[i];
    atomicAdd(&own[v.x >> 23], 1u), atomicAdd(&own[v.y >> 23], 1u);
    atomicAdd(&own[v.z >> 23], 1u), atomicAdd(&own[v.w >> 23], 1u);
  }
  __syncthreads();
  for (unsigned c = threadIdx.x; c < 512; c += blockDim.x) atomicAdd(&counts[c], own[c]);
}
__global__ void weigh_shared(const unsigned* in, const float* weights, float* sums, std::size_t m) {
  __shared__ float own[128];
  if (threadIdx.x < 128) own[threadIdx.x] = 0;
  __syncthreads();
  for (std::size_t i = global_index(); i < m; i += stride()) atomicAdd(&own[in[i] & 127], weights[i]);
  __syncthreads();
  if (threadIdx.x < 128) atomicAdd(&sums[threadIdx.x], own[threadIdx.x]);
}
/// Sixteen classes; a thread has counters of its own, which no other touches.
__global__ void __launch_bounds__(256) count_by_threads(const unsigned* in, unsigned* counts, std::size_t m) {
  __shared__ unsigned short own[16][256];
  const unsigned t = threadIdx.x;
#pragma unroll
  for (unsigned c = 0; c < 16; ++c) own[c][t] = 0;
  for (std::size_t i = global_index(); i < m; i += stride()) ++own[in[i] >> 28][t];
  __syncthreads();
  const unsigned c = t / 16;
  unsigned sum = 0;
  for (unsigned k = t % 16; k < 256; k += 16) sum += own[c][k];
  for (int d = 8; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d, 16);
  if (t % 16 == 0) atomicAdd(&counts[c], sum);
}

}  // namespace

void histograms(Set& s) {
  const std::size_t n = s.n;
  const auto right = [&](std::size_t classes, std::size_t m, const std::function<unsigned(unsigned)>& of) {
    std::vector<unsigned> want(classes);
    for (std::size_t i = 0; i < m; ++i) ++want[of(word_of(i))];
    return taken(s.numbers(), classes) == want;
  };
  s.run(
      "64 classes counted in global memory", 4.0 * real(n / 128),
      [&] {
        cudaMemsetAsync(s.out, 0, 256);
        count_global<<<Set::blocks(n / 128), 256>>>(s.words, s.numbers(), n / 128);
      },
      [&] { return right(64, n / 128, [](unsigned w) { return w & 63; }); });
  s.run(
      "512 classes counted in shared memory", 4.0 * real(n / 8),
      [&] {
        cudaMemsetAsync(s.out, 0, 2048);
        count_shared<<<s.sms * 4, 512>>>(reinterpret_cast<uint4*>(s.words), s.numbers(), n / 32);
      },
      [&] { return right(512, n / 8, [](unsigned w) { return w >> 23; }); });
  s.run(
      "weights of 128 classes in shared memory", 8.0 * real(n / 32),
      [&] {
        cudaMemsetAsync(s.out, 0, 512);
        weigh_shared<<<s.sms * 8, 256>>>(s.words, s.in, s.out, n / 32);
      },
      [&] {
        std::vector<double> want(128);
        for (std::size_t i = 0; i < n / 32; ++i) want[word_of(i) & 127] += float_of(i);
        return floats(s, 128, [&](std::size_t c) { return want[c]; });
      });
  s.run(
      "sixteen classes, counters a thread", 4.0 * real(n / 16),
      [&] {
        cudaMemsetAsync(s.out, 0, 64);
        count_by_threads<<<s.sms * 8, 256>>>(s.words, s.numbers(), n / 16);
      },
      [&] { return right(16, n / 16, [](unsigned w) { return w >> 28; }); });
}

}  // namespace held_out_5
