/// @file
/// Arrays of a thread's own that do not fit registers: indexed by data, spilled, sorted.
#include "held_out_2.hpp"

namespace held_out_2 {
namespace {

/// Each thread counts the nibbles of sixteen words.
__global__ void count_nibbles(const unsigned* in, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  unsigned counts[16] = {};
#pragma unroll 1
  for (int k = 0; k < 16; ++k) {
    unsigned v = in[k * m + i];
#pragma unroll 1
    for (int b = 0; b < 8; ++b, v >>= 4) ++counts[v & 15];
  }
  unsigned most = 0;
  for (unsigned k = 0; k < 16; ++k) most = max(most, counts[k]);
  out[i] = most;
}
/// 64 sums at once in 40 registers.
__global__ void __launch_bounds__(256, 6) many_sums(const float* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  float sums[64];
#pragma unroll
  for (int k = 0; k < 64; ++k) sums[k] = in[(k % 8) * m + i] * (k + 1);
#pragma unroll 1
  for (int r = 0; r < 4; ++r)
#pragma unroll
    for (int k = 0; k < 64; ++k) sums[k] = fmaf(sums[k], 0.5f, sums[(k + 1) % 64]);
  float all = 0;
#pragma unroll
  for (int k = 0; k < 64; ++k) all += sums[k];
  out[i] = all;
}
/// The middle of 25, sorted by insertion.
__global__ void middle_of(const float* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  float sorted[25];
#pragma unroll 1
  for (int k = 0; k < 25; ++k) {
    const float v = in[i + k];
    int at = k;
    while (at > 0 && sorted[at - 1] > v) sorted[at] = sorted[at - 1], --at;
    sorted[at] = v;
  }
  out[i] = sorted[12];
}

}  // namespace

void local_arrays(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "nibbles counted by a thread", 68.0 * real(n / 256),
      [&] { count_nibbles<<<Set::blocks(n / 256), 256>>>(s.words, s.numbers(), n / 256); },
      [&] {
        return numbers(s, n / 256, [&](std::size_t i) {
          unsigned counts[16] = {};
          for (std::size_t k = 0; k < 16; ++k)
            for (unsigned b = 0; b < 32; b += 4) ++counts[word_of(k * (n / 256) + i) >> b & 15];
          return *std::max_element(counts, counts + 16);
        });
      });
  s.run(
      "64 sums of a thread", 36.0 * real(n / 32),
      [&] { many_sums<<<Set::blocks(n / 32), 256>>>(s.in, s.out, n / 32); },
      [&] {
        return floats(s, n / 32, [&](std::size_t i) {
          double sums[64], all = 0;
          for (std::size_t k = 0; k < 64; ++k) sums[k] = float_of(k % 8 * (n / 32) + i) * double(k + 1);
          for (int r = 0; r < 4; ++r)
            for (std::size_t k = 0; k < 64; ++k) sums[k] = sums[k] * 0.5 + sums[(k + 1) % 64];
          for (const double v : sums) all += v;
          return all;
        });
      });
  s.run(
      "middle of 25", 8.0 * real(n / 512),
      [&] { middle_of<<<Set::blocks(n / 512, 128), 128>>>(s.in, s.out, n / 512); },
      [&] {
        return floats(s, n / 512, [](std::size_t i) {
          std::vector<double> v;
          for (std::size_t k = 0; k < 25; ++k) v.push_back(float_of(i + k));
          std::nth_element(v.begin(), v.begin() + 12, v.end());
          return v[12];
        });
      });
}

}  // namespace held_out_2
