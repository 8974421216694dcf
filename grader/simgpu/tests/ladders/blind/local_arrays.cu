/// @file
/// Arrays of a thread at indices that nobody knows before it runs: they lie in local memory.
#include "blind.hpp"

namespace blind {
namespace {

/// The value that most of a thread's 64 nibbles have.
__host__ __device__ __forceinline__ unsigned commonest(const unsigned* words) {
  unsigned short count[16];
#pragma unroll
  for (int k = 0; k < 16; ++k) count[k] = 0;
#pragma unroll
  for (int w = 0; w < 8; ++w)
#pragma unroll 1
    for (int k = 0; k < 32; k += 4) ++count[words[w] >> k & 15];
  unsigned best = 0, most = 0;
#pragma unroll
  for (unsigned k = 0; k < 16; ++k)
    if (count[k] > most) most = count[k], best = k;
  return best;
}
__global__ void __launch_bounds__(128) commonest_nibbles(const unsigned* in, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  unsigned words[8];
#pragma unroll
  for (int w = 0; w < 8; ++w) words[w] = in[i + w * m];
  out[i] = commonest(words);
}
/// In how many steps one word of 24 letters (of four) becomes the other; a row of the table is kept.
__host__ __device__ __forceinline__ int edits(unsigned long long a, unsigned long long b) {
  unsigned char row[25];
#pragma unroll 1
  for (int k = 0; k < 25; ++k) row[k] = static_cast<unsigned char>(k);
#pragma unroll 1
  for (int i = 0; i < 24; ++i) {
    int corner = i, left = i + 1;
    row[0] = static_cast<unsigned char>(left);
    const unsigned letter = a >> (2 * i) & 3;
#pragma unroll 1
    for (int k = 1; k < 25; ++k) {
      const int above = row[k], changed = corner + (letter != (b >> (2 * k - 2) & 3));
      corner = above;
      left = changed < left + 1 ? changed : left + 1;
      left = above + 1 < left ? above + 1 : left;
      row[k] = static_cast<unsigned char>(left);
    }
  }
  return row[24];
}
__global__ void edit_distances(const ulonglong2* in, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const ulonglong2 v = in[i];
  out[i] = static_cast<unsigned>(edits(v.x, v.y));
}
/// The eighth least of a thread's 64 values: a heap with the greatest on top.
__global__ void eighth_least(const float* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  float heap[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) heap[k] = 1e30f;
#pragma unroll 4
  for (int k = 0; k < 64; ++k) {
    const float v = in[i + k * m];
    if (v >= heap[0]) continue;
    int at = 0;
    while (2 * at + 1 < 8) {
      int child = 2 * at + 1;
      if (child + 1 < 8 && heap[child + 1] > heap[child]) ++child;
      if (heap[child] <= v) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = v;
  }
  out[i] = heap[0];
}

}  // namespace

void local_arrays(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "commonest nibble of a thread", 36.0 * static_cast<double>(n / 64),
      [&] { commonest_nibbles<<<Set::blocks(n / 64, 128), 128>>>(s.words, s.numbers(), n / 64); },
      [&] {
        return Set::each(n / 64, [&](std::size_t i) {
          unsigned words[8];
          for (std::size_t w = 0; w < 8; ++w) words[w] = word_of(i + w * (n / 64));
          return s.number(i) == commonest(words);
        });
      });
  s.run(
      "edit distances", 20.0 * static_cast<double>(n / 128),
      [&] {
        edit_distances<<<Set::blocks(n / 128, 192), 192>>>(reinterpret_cast<ulonglong2*>(s.words),
                                                           s.numbers(), n / 128);
      },
      [&] {
        const auto word2 = [](std::size_t i) {
          return word_of(i) | static_cast<unsigned long long>(word_of(i + 1)) << 32;
        };
        return Set::each(n / 128, [&](std::size_t i) {
          return static_cast<int>(s.number(i)) == edits(word2(4 * i), word2(4 * i + 2));
        });
      });
  s.run(
      "eighth least of 64", s.one + s.one / 64,
      [&] { eighth_least<<<Set::blocks(n / 64), 256>>>(s.in, s.out, n / 64); },
      [&] {
        return Set::each(n / 64, [&](std::size_t i) {
          std::vector<float> all;
          for (std::size_t k = 0; k < 64; ++k) all.push_back(float_of(i + k * (n / 64)));
          std::sort(all.begin(), all.end());
          return s.value(i) == all[7];
        });
      });
}

}  // namespace blind
