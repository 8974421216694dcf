/// @file
/// Hills of constant memory that all threads go over, letters that two words have in common by an array of each thread.
#include <algorithm>

#include "held_out_18.hpp"

namespace held_out_18 {
namespace {

constexpr unsigned kHills = 16;
/// Where a hill's middle is, how steep and how high it is.
__constant__ float4 hills[kHills];
std::vector<float4> hills_of_host() {
  std::vector<float4> all(kHills);
  for (unsigned k = 0; k < kHills; ++k)
    all[k] = make_float4(float_of(3 * k), float_of(3 * k + 1), half_of(k) + 0.125f, float_of(3 * k + 2));
  return all;
}
__global__ void heights_among_hills(const float2* places, float* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const float2 at = places[i];
  float sum = 0.0f;
#pragma unroll
  for (unsigned k = 0; k < kHills; ++k) {
    const float4 hill = hills[k];
    const float dx = at.x - hill.x, dy = at.y - hill.y;
    sum += hill.w * expf(-hill.z * (dx * dx + dy * dy));
  }
  out[i] = sum;
}

constexpr unsigned kLettersOfWord = 16, kLetters = 2 * kLettersOfWord;
__host__ __device__ __forceinline__ unsigned letter_of(const uint2& text, unsigned k) {
  return (k < kLettersOfWord ? text.x : text.y) >> (2 * (k % kLettersOfWord)) & 3;
}
/// How many letters two texts have in common in the same order. A row of the table is kept, and made the next one.
__host__ __device__ __forceinline__ unsigned letters_in_common(const uint2& first, const uint2& second) {
  unsigned char row[kLetters + 1];
  for (unsigned j = 0; j <= kLetters; ++j) row[j] = 0;
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
  for (unsigned i = 0; i < kLetters; ++i) {
    const unsigned letter = letter_of(first, i);
    unsigned corner = 0, left = 0;
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (unsigned j = 0; j < kLetters; ++j) {
      const unsigned above = row[j + 1];
      left = letter_of(second, j) == letter ? corner + 1 : above > left ? above : left;
      row[j + 1] = static_cast<unsigned char>(left);
      corner = above;
    }
  }
  return row[kLetters];
}
__global__ void __launch_bounds__(128)
    common_letters(const uint2* first, const uint2* second, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = letters_in_common(first[i], second[i]);
}

}  // namespace

void tables(Set& s) {
  const std::size_t n = s.n;
  const std::vector<float4> all_hills = hills_of_host();
  ladder::check(cudaMemcpyToSymbol(hills, all_hills.data(), sizeof hills), "constants");
  const unsigned heights = as_number(n / 16);
  s.run(
      "heights at places among sixteen hills of constant memory", 12.0 * heights,
      [&] {
        heights_among_hills<<<Set::blocks(heights, 384), 384>>>(reinterpret_cast<const float2*>(s.in), s.out,
                                                                heights);
      },
      [&] {
        return near_everywhere(
            s, heights, 1e-4,
            [&](std::size_t i) {
              double sum = 0;
              for (const float4& hill : all_hills) {
                const double dx = double{float_of(2 * i)} - double{hill.x},
                             dy = double{float_of(2 * i + 1)} - double{hill.y};
                sum += double{hill.w} * std::exp(-double{hill.z} * (dx * dx + dy * dy));
              }
              return sum;
            },
            5);
      });

  const unsigned texts = as_number(n / 256);
  s.run(
      "letters that texts of 32 have in common in order, a row of the table in an array of a thread",
      20.0 * texts,
      [&] {
        common_letters<<<Set::blocks(texts, 128), 128>>>(reinterpret_cast<const uint2*>(s.words),
                                                         reinterpret_cast<const uint2*>(s.words + n / 2),
                                                         s.numbers(), texts);
      },
      [&] {
        // A whole table for the host.
        return same_everywhere(
            s, texts,
            [&](std::size_t i) {
              const uint2 first = make_uint2(word_of(2 * i), word_of(2 * i + 1)),
                          second = make_uint2(word_of(n / 2 + 2 * i), word_of(n / 2 + 2 * i + 1));
              unsigned most[kLetters + 1][kLetters + 1] = {};
              for (unsigned y = 1; y <= kLetters; ++y)
                for (unsigned x = 1; x <= kLetters; ++x)
                  most[y][x] = letter_of(first, y - 1) == letter_of(second, x - 1)
                                   ? most[y - 1][x - 1] + 1
                                   : std::max(most[y - 1][x], most[y][x - 1]);
              return most[kLetters][kLetters];
            },
            13);
      });
}

}  // namespace held_out_18
