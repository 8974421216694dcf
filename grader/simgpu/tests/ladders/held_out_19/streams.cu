/// @file
/// Streams: floats parted into whole numbers and what is left, loudness of complex numbers, words whose
/// bytes are turned end for end.
#include "held_out_19.hpp"

namespace held_out_19 {
namespace {

constexpr float kPartedScale = 100.0f;
__device__ __forceinline__ short part_float(float& v) {
  const float scaled = __fmul_rn(v, kPartedScale), whole = floorf(scaled);
  v = scaled - whole;
  return static_cast<short>(whole);
}
__global__ void __launch_bounds__(256) part_floats(const float4* __restrict__ in, short4* __restrict__ wholes,
                                                   float4* __restrict__ rests, unsigned vectors) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= vectors) return;
  float4 v = in[i];
  short4 whole;
  whole.x = part_float(v.x);
  whole.y = part_float(v.y);
  whole.z = part_float(v.z);
  whole.w = part_float(v.w);
  wholes[i] = whole;
  rests[i] = v;
}

constexpr unsigned kLoudThreads = 384;
/// Ten times the logarithm to ten of the square.
__global__ void __launch_bounds__(kLoudThreads) loudness_of_pairs(const float4* in, float2* out, unsigned m) {
  for (unsigned i = blockIdx.x * kLoudThreads + threadIdx.x; i < m; i += gridDim.x * kLoudThreads) {
    const float4 v = in[i];
    out[i] = make_float2(10.0f * log10f(v.x * v.x + v.y * v.y), 10.0f * log10f(v.z * v.z + v.w * v.w));
  }
}

constexpr unsigned kEndThreads = 320;
__device__ __forceinline__ unsigned end_for_end(unsigned word) {
  return __byte_perm(word, 0, 0x0123);
}
/// A thread has two words of 64 bits.
__global__ void __launch_bounds__(kEndThreads) turn_ends(const uint4* in, uint4* out, unsigned m) {
  const unsigned i = blockIdx.x * kEndThreads + threadIdx.x;
  if (i >= m) return;
  const uint4 v = in[i];
  out[i] = make_uint4(end_for_end(v.y), end_for_end(v.x), end_for_end(v.w), end_for_end(v.z));
}

}  // namespace

void streams(Set& s) {
  const std::size_t n = s.n;
  const unsigned vectors = as_number(n / 40);
  const std::size_t parted = 4 * std::size_t{vectors};
  s.run(
      "hundreds of floats parted into whole numbers of 16 bits and what is left", 10.0 * real(parted),
      [&] {
        part_floats<<<Set::blocks(vectors), 256>>>(reinterpret_cast<const float4*>(s.in),
                                                   reinterpret_cast<short4*>(s.out + parted), s.vectors(),
                                                   vectors);
      },
      [&] {
        const std::vector<short> wholes = taken(reinterpret_cast<const short*>(s.out + parted), parted);
        for (std::size_t i = 0; i < parted; ++i)
          if (wholes[i] != static_cast<short>(std::floor(float_of(i) * kPartedScale))) return false;
        return near_everywhere(s, parted, 1e-6, [](std::size_t i) {
          const float scaled = float_of(i) * kPartedScale;
          return double{scaled} - std::floor(double{scaled});
        });
      });

  const unsigned loud = as_number(n / 14);
  s.run(
      "loudness of complex numbers in decibels, two a thread", 24.0 * loud,
      [&] {
        loudness_of_pairs<<<s.sms * 5, kLoudThreads>>>(reinterpret_cast<const float4*>(s.in),
                                                       reinterpret_cast<float2*>(s.out), loud);
      },
      [&] {
        return near_everywhere(s, 2 * std::size_t{loud}, 1e-5, [](std::size_t i) {
          const double x = float_of(2 * i), y = float_of(2 * i + 1);
          return 10 * std::log10(x * x + y * y);
        });
      });

  const unsigned turned = as_number(n / 20);
  s.run(
      "bytes of words of 64 bits turned end for end, two words a thread", 32.0 * turned,
      [&] {
        turn_ends<<<Set::blocks(turned, kEndThreads), kEndThreads>>>(reinterpret_cast<const uint4*>(s.words),
                                                                     reinterpret_cast<uint4*>(s.out), turned);
      },
      [&] {
        return same_everywhere(s, 4 * std::size_t{turned}, [](std::size_t i) {
          const unsigned word = word_of(i ^ 1);
          return word >> 24 | (word >> 8 & 0xff00) | (word << 8 & 0xff0000) | word << 24;
        });
      });
}

}  // namespace held_out_19
