/// @file
/// Streams: two arrays put together, tracks of sound mixed, blocks of a warp and a lane.
#include <algorithm>

#include "held_out_16.hpp"

namespace held_out_16 {
namespace {

__global__ void __launch_bounds__(192)
    put_together(const float2* a, const float2* b, float4* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const float2 u = a[i], v = b[i];
  out[i] = make_float4(u.x, v.x, u.y, v.y);
}

constexpr unsigned kTracks = 4;
/// Two samples of a word are added at once, each held at its limits.
__global__ void __launch_bounds__(256) mix_tracks(const uint2* tracks, uint2* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  uint2 sum = tracks[i];
#pragma unroll
  for (unsigned k = 1; k < kTracks; ++k) {
    const uint2 v = tracks[std::size_t{k} * m + i];
    sum.x = __vaddss2(sum.x, v.x);
    sum.y = __vaddss2(sum.y, v.y);
  }
  out[i] = sum;
}
unsigned mixed_sample(std::size_t i, std::size_t words_of_track) {
  int sum = 0;
  for (std::size_t k = 0; k < kTracks; ++k) {
    const auto sample = static_cast<short>(word_of(k * words_of_track + i / 2) >> (16 * (i % 2)) & 0xffff);
    sum = std::clamp(sum + sample, -32768, 32767);
  }
  return static_cast<unsigned>(sum) & 0xffff;
}

constexpr unsigned kWarpAndLane = 33;
__global__ void __launch_bounds__(kWarpAndLane) root_of_warp_and_lane(const float* in, float* out) {
  const unsigned i = blockIdx.x * kWarpAndLane + threadIdx.x;
  out[i] = sqrtf(in[i]);
}

}  // namespace

void streams(Set& s) {
  const std::size_t n = s.n;
  const unsigned together = as_number(n / 16);
  s.run(
      "floats of two arrays in turn, two of each a thread", 32.0 * together,
      [&] {
        put_together<<<Set::blocks(together, 192), 192>>>(reinterpret_cast<const float2*>(s.in),
                                                          reinterpret_cast<const float2*>(s.other),
                                                          s.vectors(), together);
      },
      [&] {
        return floats(s, 4 * std::size_t{together},
                      [](std::size_t i) { return double{i % 2 == 0 ? float_of(i / 2) : other_of(i / 2)}; });
      });

  const unsigned mixed = as_number(n / 32);
  s.run(
      "four tracks of samples of 16 bits mixed, held at their limits", 8.0 * (kTracks + 1.0) * mixed,
      [&] {
        mix_tracks<<<Set::blocks(mixed), 256>>>(reinterpret_cast<const uint2*>(s.words),
                                                reinterpret_cast<uint2*>(s.out), mixed);
      },
      [&] {
        const std::size_t of_track = 2 * std::size_t{mixed};
        return numbers(s, of_track, [&](std::size_t i) {
          return mixed_sample(2 * i, of_track) | mixed_sample(2 * i + 1, of_track) << 16;
        });
      });

  const unsigned pieces = as_number(n / 64 / kWarpAndLane);
  s.run(
      "roots by blocks of a warp and a lane", 8.0 * kWarpAndLane * pieces,
      [&] { root_of_warp_and_lane<<<pieces, kWarpAndLane>>>(s.in, s.out); },
      [&] {
        return floats(s, std::size_t{kWarpAndLane} * pieces,
                      [](std::size_t i) { return std::sqrt(double{float_of(i)}); });
      });
}

}  // namespace held_out_16
