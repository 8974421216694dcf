/// @file
/// Lanes that part: by their number, by data, in loops of unequal length, among eight ways.
#include "held_out_2.hpp"

namespace held_out_2 {
namespace {

/// @param together a warp goes one way; else even and odd lanes part.
__global__ void two_ways(const float* in, float* out, std::size_t m, bool together) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned which = together ? threadIdx.x / 32 : threadIdx.x;
  float v = in[i];
  if (which % 2 == 0) {
#pragma unroll 1
    for (int k = 0; k < 32; ++k) v = v * 0.75f + 0.125f;
  } else {
#pragma unroll 1
    for (int k = 0; k < 32; ++k) v = v * 0.5f - 0.25f;
  }
  out[i] = v;
}
__global__ void eight_ways(const unsigned* in, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  unsigned v = in[i];
  switch (v & 7) {
    case 0:
      v = v * 3 + 1;
      break;
    case 1:
      v = __brev(v);
      break;
    case 2:
      v = v / 7;
      break;
    case 3:
      v = v ^ v >> 5;
      break;
    case 4:
      v = __popc(v) + 100;
      break;
    case 5:
      v = v % 1000 + 1;
      break;
    case 6:
      v = ~v;
      break;
    default:
      v = (v << 9) | (v >> 23);
  }
  out[i] = v;
}
__host__ __device__ unsigned steps_to_one(unsigned v) {
  unsigned steps = 0;
  while (v != 1) {
    v = v % 2 == 0 ? v / 2 : 3 * v + 1;
    ++steps;
  }
  return steps;
}
__global__ void count_steps(unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = 1 + steps_to_one(static_cast<unsigned>(i % 8192) + 1);
}
/// Sums of lists that have between none and 31 entries.
__global__ void unequal_lists(const unsigned* words, const float* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned count = words[i] >> 27;
  float sum = 1;
#pragma unroll 1
  for (unsigned k = 0; k < count; ++k) sum += in[i + k * 64];
  out[i] = sum;
}

}  // namespace

void branches(Set& s) {
  const std::size_t n = s.n;
  for (const bool together : {true, false})
    s.run(
        together ? "two ways by warps" : "two ways by lanes", s.one / 4,
        [&, together] { two_ways<<<Set::blocks(n / 8), 256>>>(s.in, s.out, n / 8, together); },
        [&, together] {
          return Set::each(n / 8, [&](std::size_t i) {
            double v = float_of(i);
            for (int k = 0; k < 32; ++k)
              v = (together ? i / 32 : i) % 2 == 0 ? v * 0.75 + 0.125 : v * 0.5 - 0.25;
            return s.value(i) != 0 && std::abs(s.value(i) - v) < 1e-3;
          });
        });
  s.run(
      "eight ways by data", s.one / 4,
      [&] { eight_ways<<<Set::blocks(n / 8), 256>>>(s.words, s.numbers(), n / 8); },
      [&] {
        return numbers(s, n / 8, [](std::size_t i) {
          const unsigned v = word_of(i);
          unsigned turned = 0, ones = 0;
          for (unsigned b = 0; b < 32; ++b) turned |= (v >> b & 1) << (31 - b), ones += v >> b & 1;
          const unsigned ways[8] = {v * 3 + 1,  turned,       v / 7, v ^ v >> 5,
                                    ones + 100, v % 1000 + 1, ~v,    v << 9 | v >> 23};
          return ways[v & 7];
        });
      });
  s.run(
      "steps to one", 4.0 * real(n / 128),
      [&] { count_steps<<<Set::blocks(n / 128), 256>>>(s.numbers(), n / 128); },
      [&] {
        return numbers(s, n / 128,
                       [](std::size_t i) { return 1 + steps_to_one(static_cast<unsigned>(i % 8192) + 1); });
      });
  s.run(
      "lists of unequal length", 70.0 * real(n / 64),
      [&] { unequal_lists<<<Set::blocks(n / 64), 256>>>(s.words, s.in, s.out, n / 64); },
      [&] {
        return floats(s, n / 64, [](std::size_t i) {
          double sum = 1;
          for (std::size_t k = 0; k < word_of(i) >> 27; ++k) sum += float_of(i + k * 64);
          return sum;
        });
      });
}

}  // namespace held_out_2
