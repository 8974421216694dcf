/// @file
/// Places known at run time: a vector taken through indices, pairs put where a permutation says, and rows of
/// sixteen bytes taken from anywhere.
#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

__global__ void saxpy_through(float a, const float* x, const unsigned* which, const float* y, float* out,
                              std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = a * x[which[i]] + y[i];
}
__global__ void put_pairs(const float2* in, const unsigned* to, float2* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[to[i]] = in[i];
}
__global__ void take_vectors(const float4* in, const unsigned* which, float4* out, unsigned count,
                             std::size_t m) {
  for (std::size_t i = global_index(); i < m; i += stride()) out[i] = in[place_of(which[i], count)];
}

}  // namespace

void indices(Set& s) {
  const std::size_t n = s.n, m = n / 64;
  std::vector<unsigned> order(m);
  for (std::size_t i = 0; i < m; ++i) order[i] = as_number(i);
  for (std::size_t i = m - 1; i > 0; --i) std::swap(order[i], order[place_of(word_of(i), as_number(i + 1))]);
  unsigned* there = kept(order);
  s.run(
      "saxpy through indices", 16.0 * real(m),
      [&] { saxpy_through<<<Set::blocks(m), 256>>>(0.5f, s.in, there, s.other, s.out, m); },
      [&] { return floats(s, m, [&](std::size_t i) { return 0.5 * float_of(order[i]) + other_of(i); }); });
  s.run(
      "pairs put where a permutation says", 20.0 * real(m),
      [&] {
        put_pairs<<<Set::blocks(m), 256>>>(reinterpret_cast<float2*>(s.in), there,
                                           reinterpret_cast<float2*>(s.out), m);
      },
      [&] {
        return Set::each(m, [&](std::size_t i) {
          return s.value(2 * std::size_t{order[i]}) == float_of(2 * i) &&
                 s.value(2 * std::size_t{order[i]} + 1) == float_of(2 * i + 1);
        });
      });
  const unsigned count = as_number(n / 4);
  s.run(
      "vectors of four taken from anywhere", 36.0 * real(m),
      [&] {
        take_vectors<<<s.sms * 8, 256>>>(reinterpret_cast<float4*>(s.in), s.words, s.vectors(), count, m);
      },
      [&] {
        return floats(s, 4 * m, [&](std::size_t i) {
          return double{float_of(place_of(word_of(i / 4), count) * std::size_t{4} + i % 4)};
        });
      });
  cudaFree(there);
}

}  // namespace held_out_5
