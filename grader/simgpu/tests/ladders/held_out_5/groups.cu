/// @file
/// Threads that act together: small groups that add up, places given to those that come along, greatest of
/// warps in one instruction, bits of a picture by ballots.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

namespace cg = cooperative_groups;

__global__ void sums_of_eight(const float* in, float* out) {
  const auto group = cg::tiled_partition<8>(cg::this_thread_block());
  const std::size_t i = global_index();
  const float sum = cg::reduce(group, in[i], cg::plus<float>());
  if (group.thread_rank() == 0) out[i / 8] = sum;
}
__global__ void keep_by_groups(const unsigned* in, unsigned* out, unsigned* length, std::size_t m) {
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const unsigned w = in[i];
    if (w % 3 != 0) continue;
    const auto group = cg::coalesced_threads();
    unsigned first = 0;
    if (group.thread_rank() == 0) first = atomicAdd(length, group.size());
    out[group.shfl(first, 0) + group.thread_rank()] = w;
  }
}
__global__ void greatest_of_warps(const unsigned* in, unsigned* out) {
  const std::size_t i = global_index();
  const unsigned most = __reduce_max_sync(~0u, in[i]), least = __reduce_min_sync(~0u, in[i]);
  if (threadIdx.x % 32 == 0) out[i / 32] = most - least;
}
__global__ void bright_bits(const float* in, unsigned* out, float limit) {
  const std::size_t warp = global_index() / 32, lane = threadIdx.x % 32;
  unsigned mine = 0;
#pragma unroll
  for (unsigned k = 0; k < 8; ++k) {
    const unsigned bits = __ballot_sync(~0u, in[(warp * 8 + k) * 32 + lane] > limit);
    if (lane == k) mine = bits;
  }
  if (lane < 8) out[warp * 8 + lane] = mine;
}

}  // namespace

void groups(Set& s) {
  const std::size_t n = s.n, m = n / 8;
  s.run(
      "sums of eight by small groups", 4.5 * real(m),
      [&] { sums_of_eight<<<as_number(m / 256), 256>>>(s.in, s.out); },
      [&] {
        return floats(s, m / 8, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < 8; ++k) sum += float_of(8 * i + k);
          return sum;
        });
      });
  s.run(
      "places given to those that come along", 16.0 / 3 * real(n / 32),
      [&] {
        cudaMemsetAsync(s.numbers() + n / 2, 0, 4);
        keep_by_groups<<<s.sms * 8, 256>>>(s.words, s.numbers(), s.numbers() + n / 2, n / 32);
      },
      [&] {
        std::vector<unsigned> want;
        for (std::size_t i = 0; i < n / 32; ++i)
          if (word_of(i) % 3 == 0) want.push_back(word_of(i));
        auto got = taken(s.numbers(), want.size());
        std::sort(got.begin(), got.end()), std::sort(want.begin(), want.end());
        return s.number(n / 2) == want.size() && got == want;
      });
  s.run(
      "greatest less least of warps", (4 + 4.0 / 32) * real(m),
      [&] { greatest_of_warps<<<as_number(m / 256), 256>>>(s.words, s.numbers()); },
      [&] {
        return numbers(s, m / 32, [](std::size_t i) {
          unsigned most = 0, least = ~0u;
          for (std::size_t k = 0; k < 32; ++k)
            most = std::max(most, word_of(32 * i + k)), least = std::min(least, word_of(32 * i + k));
          return most - least;
        });
      });
  s.run(
      "bits of what is bright by ballots", (4 + 4.0 / 32) * real(m),
      [&] { bright_bits<<<as_number(m / 2048), 256>>>(s.in, s.numbers(), 4.0f); },
      [&] {
        return numbers(s, m / 2048 * 64, [](std::size_t i) {
          unsigned bits = 0;
          for (std::size_t k = 0; k < 32; ++k)
            bits |= static_cast<unsigned>(float_of(32 * i + k) > 4.0f) << k;
          return bits;
        });
      });
}

}  // namespace held_out_5
