/// @file
/// Streams of elements: words of sixteen bits made floats, rows of fewer floats than three warps have lanes,
/// words joined with others far on in the same array.
#include "held_out_14.hpp"

namespace held_out_14 {
namespace {

/// The word's lower half comes first.
__global__ void __launch_bounds__(256) widen_sixteen_bits(const uint4* in, float4* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const uint4 v = in[i];
  const auto low = [](unsigned w) { return static_cast<float>(w & 0xffff); };
  const auto high = [](unsigned w) { return static_cast<float>(w >> 16); };
  out[2 * i] = make_float4(low(v.x), high(v.x), low(v.y), high(v.y));
  out[2 * i + 1] = make_float4(low(v.z), high(v.z), low(v.w), high(v.w));
}

constexpr unsigned kNarrowRow = 84, kNarrowPitch = 96;
__global__ void __launch_bounds__(kNarrowRow)
    weigh_narrow_rows(const float* in, const float* weights, float* out) {
  out[blockIdx.x * kNarrowRow + threadIdx.x] =
      in[blockIdx.x * kNarrowPitch + threadIdx.x] * weights[threadIdx.x];
}

__host__ __device__ __forceinline__ unsigned joined_words(unsigned a, unsigned b, unsigned c) {
  return (a ^ b) + 3u * c;
}
__global__ void __launch_bounds__(512)
    join_with_far(const unsigned* in, unsigned* out, unsigned far, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = joined_words(in[i], in[i + far], in[i + 2 * far]);
}

}  // namespace

void streams(Set& s) {
  const std::size_t n = s.n;
  const std::size_t widened = n / 16;
  s.run(
      "words of sixteen bits made floats, eight a thread", 48.0 * real(widened),
      [&] {
        widen_sixteen_bits<<<Set::blocks(widened), 256>>>(reinterpret_cast<const uint4*>(s.words),
                                                          s.vectors(), widened);
      },
      [&] {
        return floats(s, 8 * widened, [](std::size_t i) {
          return static_cast<double>(word_of(i / 2) >> (16 * (i % 2)) & 0xffff);
        });
      });

  const unsigned narrow = as_number(n / 8 / kNarrowPitch);
  s.run(
      "rows of 84 floats, 96 apart, a block of 84 threads each", 8.0 * kNarrowRow * narrow,
      [&] { weigh_narrow_rows<<<narrow, kNarrowRow>>>(s.in, s.other, s.out); },
      [&] {
        return floats(s, std::size_t{kNarrowRow} * narrow, [](std::size_t i) {
          return double{float_of(i / kNarrowRow * kNarrowPitch + i % kNarrowRow)} * other_of(i % kNarrowRow);
        });
      });

  const unsigned joined = as_number(n / 4), far = as_number(n / 128);
  s.run(
      "words joined with those one and two 128ths of the array on", 8.0 * joined,
      [&] { join_with_far<<<Set::blocks(joined, 512), 512>>>(s.words, s.numbers(), far, joined); },
      [&] {
        return numbers(s, joined, [&](std::size_t i) {
          return joined_words(word_of(i), word_of(i + far), word_of(i + 2 * std::size_t{far}));
        });
      });
}

}  // namespace held_out_14
