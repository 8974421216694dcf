/// @file
/// Histograms: a thousand classes straight in global memory, words by their length, pairs in two
/// directions, few classes by ballots.
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

__global__ void thousand_in_global(const unsigned* in, unsigned* counts, std::size_t m) {
  for (std::size_t i = global_index(); i < m; i += stride()) atomicAdd(&counts[in[i] % 1000], 1u);
}
/// How many bits a word has: half of all fall into one class.
__global__ void by_length(const unsigned* in, unsigned* counts, std::size_t m) {
  __shared__ unsigned mine[33];
  if (threadIdx.x < 33) mine[threadIdx.x] = 0;
  __syncthreads();
  for (std::size_t i = global_index(); i < m; i += stride())
    atomicAdd(&mine[32 - __clz(static_cast<int>(in[i]))], 1u);
  __syncthreads();
  if (threadIdx.x < 33) atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}
/// 64 x 64 classes of pairs of bytes, in 16 kB of a block.
__global__ void __launch_bounds__(512)
    by_two(const unsigned* a, const unsigned* b, unsigned* counts, std::size_t m) {
  __shared__ unsigned mine[64 * 64];
  for (unsigned k = threadIdx.x; k < 64 * 64; k += 512) mine[k] = 0;
  __syncthreads();
  for (std::size_t i = global_index(); i < m; i += stride())
    atomicAdd(&mine[(a[i] & 63) * 64 + (b[i] >> 26)], 1u);
  __syncthreads();
  for (unsigned k = threadIdx.x; k < 64 * 64; k += 512)
    if (mine[k] != 0) atomicAdd(&counts[k], mine[k]);
}
/// Eight classes: ballots of three bits tell each lane who has its class; no atomics but at the end.
__global__ void by_ballots(const unsigned* in, unsigned* counts, std::size_t m) {
  const unsigned lane = threadIdx.x % 32;
  unsigned sum = 0;
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const unsigned w = in[i];
    unsigned same = ~0u;
#pragma unroll
    for (unsigned bit = 0; bit < 3; ++bit) {
      const unsigned votes = __ballot_sync(~0u, w >> bit & 1);
      same &= (lane >> bit & 1) != 0 ? votes : ~votes;
    }
    sum += __popc(same);
  }
  if (lane < 8) atomicAdd(&counts[lane], sum);
}

}  // namespace

void histograms(Set& s) {
  const std::size_t n = s.n;
  const auto counted = [&](std::size_t classes, std::size_t m,
                           const std::function<std::size_t(std::size_t)>& of) {
    std::vector<unsigned> want(classes);
    for (std::size_t i = 0; i < m; ++i) ++want[of(i)];
    return taken(s.numbers(), classes) == want;
  };
  s.run(
      "a thousand classes counted in global memory", 4.0 * real(n / 32),
      [&] {
        cudaMemsetAsync(s.out, 0, 4000);
        thousand_in_global<<<s.sms * 8, 256>>>(s.words, s.numbers(), n / 32);
      },
      [&] { return counted(1000, n / 32, [](std::size_t i) { return word_of(i) % 1000; }); });
  s.run(
      "words counted by their length in bits", 4.0 * real(n / 16),
      [&] {
        cudaMemsetAsync(s.out, 0, 33 * 4);
        by_length<<<s.sms * 8, 256>>>(s.words, s.numbers(), n / 16);
      },
      [&] {
        return counted(33, n / 16, [](std::size_t i) {
          std::size_t length = 0;
          for (unsigned w = word_of(i); w != 0; w /= 2) ++length;
          return length;
        });
      });
  s.run(
      "pairs counted in 64 x 64 classes", 8.0 * real(n / 16),
      [&] {
        cudaMemsetAsync(s.out, 0, 64 * 64 * 4);
        by_two<<<s.sms * 4, 512>>>(s.words, s.words + n / 2, s.numbers(), n / 16);
      },
      [&] {
        return counted(64 * 64, n / 16,
                       [n](std::size_t i) { return (word_of(i) & 63) * 64 + (word_of(n / 2 + i) >> 26); });
      });
  // Whole warps go around together.
  const std::size_t m = n / 16 / 32 * 32;
  s.run(
      "eight classes counted by ballots", 4.0 * real(m),
      [&] {
        cudaMemsetAsync(s.out, 0, 32);
        by_ballots<<<s.sms * 8, 256>>>(s.words, s.numbers(), m);
      },
      [&] { return counted(8, m, [](std::size_t i) { return word_of(i) & 7; }); });
}

}  // namespace held_out_6
