/// @file
/// Streams: halves of rows that open and close the other halves, floats dropped by lot, pixels whose colours pairs share.
#include <algorithm>

#include "held_out_18.hpp"

namespace held_out_18 {
namespace {

constexpr unsigned kGatedRow = 1024, kGatedThreads = kGatedRow / 4;
constexpr float kGateMiddle = 3.75f;
__device__ __forceinline__ float gated(float value, float gate) {
  return value / (1.0f + __expf(kGateMiddle - gate));
}
/// A row has its values first, then their gates.
__global__ void gate_rows(const float4* __restrict__ in, float4* __restrict__ out) {
  const float4* row = in + std::size_t{blockIdx.x} * 2 * kGatedThreads;
  const float4 value = row[threadIdx.x], gate = row[kGatedThreads + threadIdx.x];
  out[std::size_t{blockIdx.x} * kGatedThreads + threadIdx.x] = make_float4(
      gated(value.x, gate.x), gated(value.y, gate.y), gated(value.z, gate.z), gated(value.w, gate.w));
}

constexpr unsigned kDropSeed = 771, kDropThreads = 512;
constexpr float kKept = 0.75f;
__host__ __device__ __forceinline__ bool is_kept(std::size_t i) {
  return scrambled(static_cast<unsigned>(i) + kDropSeed) < static_cast<unsigned>(kKept * 4294967296.0f);
}
/// What is left is made greater, so that the mean stays.
__global__ void __launch_bounds__(kDropThreads) drop_by_lot(const float* in, float* out, std::size_t m) {
  for (std::size_t i = global_index(); i < m; i += stride())
    out[i] = is_kept(i) ? in[i] * (1.0f / kKept) : 0.0f;
}

__host__ __device__ __forceinline__ unsigned as_byte(int v) {
  const int shifted = v >> 8;
  return static_cast<unsigned>(shifted < 0 ? 0 : shifted > 255 ? 255 : shifted);
}
/// Red, green and blue of a brightness and two differences of colour, as television has them.
__host__ __device__ __forceinline__ unsigned pixel_of(unsigned brightness, unsigned blueness,
                                                      unsigned redness) {
  const int y = 298 * (static_cast<int>(brightness) - 16) + 128, u = static_cast<int>(blueness) - 128,
            v = static_cast<int>(redness) - 128;
  return as_byte(y + 409 * v) | as_byte(y - 100 * u - 208 * v) << 8 | as_byte(y + 516 * u) << 16 |
         0xffu << 24;
}
/// A word has two pixels of the same colour.
__global__ void __launch_bounds__(192) pixels_of_pairs(const uint2* in, uint4* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const uint2 v = in[i];
  const auto pixel = [](unsigned word, unsigned shift) {
    return pixel_of(word >> shift & 255, word >> 8 & 255, word >> 24);
  };
  out[i] = make_uint4(pixel(v.x, 0), pixel(v.x, 16), pixel(v.y, 0), pixel(v.y, 16));
}

}  // namespace

void streams(Set& s) {
  const std::size_t n = s.n;
  const unsigned rows = as_number(n / 8 / kGatedRow);
  s.run(
      "halves of rows of 2048 let through by the logistic function of the other halves",
      12.0 * kGatedRow * rows,
      [&] { gate_rows<<<rows, kGatedThreads>>>(reinterpret_cast<const float4*>(s.in), s.vectors()); },
      [&] {
        return near_everywhere(s, std::size_t{kGatedRow} * rows, 1e-4, [](std::size_t i) {
          const std::size_t at = i / kGatedRow * 2 * kGatedRow + i % kGatedRow;
          return float_of(at) / (1.0 + std::exp(double{kGateMiddle} - float_of(at + kGatedRow)));
        });
      });

  const std::size_t dropped = n / 6;
  s.run(
      "a quarter of floats dropped by lot, the others made greater", 8.0 * real(dropped),
      [&] { drop_by_lot<<<s.sms * 4, kDropThreads>>>(s.in, s.out, dropped); },
      [&] {
        return near_everywhere(s, dropped, 1e-5, [](std::size_t i) {
          return is_kept(i) ? double{float_of(i)} / double{kKept} : 0.0;
        });
      });

  const unsigned pairs = as_number(n / 16);
  s.run(
      "pixels by twos of which two bytes are the colour of both made red, green and blue", 24.0 * pairs,
      [&] {
        pixels_of_pairs<<<Set::blocks(pairs, 192), 192>>>(reinterpret_cast<const uint2*>(s.words),
                                                          reinterpret_cast<uint4*>(s.out), pairs);
      },
      [&] {
        return same_everywhere(s, 4 * std::size_t{pairs}, [](std::size_t i) {
          const unsigned word = word_of(i / 2);
          return pixel_of(word >> (16 * (i % 2)) & 255, word >> 8 & 255, word >> 24);
        });
      });
}

}  // namespace held_out_18
