/// @file
/// Sorting in a block: bitonic in shared memory, by exchanges with the lane beside, by counting digits.
#include "held_out_2.hpp"

namespace held_out_2 {
namespace {

/// 1024 keys by 512 threads.
__global__ void __launch_bounds__(512) bitonic(const unsigned* in, unsigned* out) {
  __shared__ unsigned key[1024];
  const std::size_t base = blockIdx.x * std::size_t{1024};
  key[threadIdx.x] = in[base + threadIdx.x], key[threadIdx.x + 512] = in[base + threadIdx.x + 512];
  for (unsigned size = 2; size <= 1024; size *= 2)
    for (unsigned d = size / 2; d > 0; d /= 2) {
      __syncthreads();
      const unsigned a = threadIdx.x / d * 2 * d + threadIdx.x % d, b = a + d;
      const bool up = (a & size) == 0;
      const unsigned u = key[a], v = key[b];
      if ((u > v) == up) key[a] = v, key[b] = u;
    }
  __syncthreads();
  out[base + threadIdx.x] = key[threadIdx.x], out[base + threadIdx.x + 512] = key[threadIdx.x + 512];
}
/// 32 keys by a warp, 32 rounds of neighbours.
__global__ void odd_even(const unsigned* in, unsigned* out) {
  unsigned v = in[global_index()];
  const unsigned lane = threadIdx.x % 32;
#pragma unroll 2
  for (unsigned round = 0; round < 32; ++round) {
    const unsigned with = (lane ^ round) % 2 == 0 ? lane + 1 : lane - 1;
    const unsigned w = __shfl_sync(~0u, v, with % 32);
    if (with < 32) v = with > lane ? min(v, w) : max(v, w);
  }
  out[global_index()] = v;
}
/// How many keys of each tile of 4096 have each digit of four bits: lanes of a digit are found by ballots.
__global__ void __launch_bounds__(256) count_digits(const unsigned* in, unsigned* counts) {
  __shared__ unsigned mine[16];
  if (threadIdx.x < 16) mine[threadIdx.x] = 0;
  __syncthreads();
  const std::size_t base = blockIdx.x * std::size_t{4096};
  for (unsigned k = threadIdx.x; k < 4096; k += 256) {
    const unsigned digit = in[base + k] >> 28;
    unsigned alike = ~0u;
#pragma unroll
    for (int b = 0; b < 4; ++b) {
      const unsigned set = __ballot_sync(~0u, digit >> b & 1);
      alike &= digit >> b & 1 ? set : ~set;
    }
    if ((alike & ((1u << threadIdx.x % 32) - 1)) == 0) atomicAdd(&mine[digit], __popc(alike));
  }
  __syncthreads();
  if (threadIdx.x < 16) counts[blockIdx.x * 16 + threadIdx.x] = mine[threadIdx.x];
}

}  // namespace

void sorts(Set& s) {
  const std::size_t n = s.n;
  const auto sorted = [&](std::size_t count, std::size_t run) {
    return numbers(s, count, [run](std::size_t i) {
      std::vector<unsigned> keys;
      for (std::size_t k = 0; k < run; ++k) keys.push_back(word_of(i / run * run + k));
      std::sort(keys.begin(), keys.end());
      return keys[i % run];
    });
  };
  s.run(
      "bitonic sort of 1024", s.one / 32,
      [&] { bitonic<<<static_cast<unsigned>(n / 64 / 1024), 512>>>(s.words, s.numbers()); },
      [&] { return sorted(n / 64 / 1024 * 1024, 1024); });
  s.run(
      "exchanges among lanes", s.one / 8,
      [&] { odd_even<<<static_cast<unsigned>(n / 16 / 256), 256>>>(s.words, s.numbers()); },
      [&] { return sorted(n / 16, 32); });
  s.run(
      "digits of tiles counted", s.one / 4,
      [&] { count_digits<<<static_cast<unsigned>(n / 4 / 4096), 256>>>(s.words, s.numbers()); },
      [&] {
        return numbers(s, n / 4 / 4096 * 16, [](std::size_t i) {
          unsigned count = 0;
          for (std::size_t k = 0; k < 4096; ++k) count += word_of(i / 16 * 4096 + k) >> 28 == i % 16;
          return count;
        });
      });
}

}  // namespace held_out_2
