/// @file
/// Streams of elements: a copy by few threads that have much in flight, sectors written apart.
#include "held_out_15.hpp"

namespace held_out_15 {
namespace {

constexpr unsigned kFewThreads = 320, kFewBlocksOfSm = 3, kInFlight = 4;
__global__ void __launch_bounds__(kFewThreads) copy_by_few(const float4* in, float4* out, std::size_t m) {
  const std::size_t apart = stride();
  for (std::size_t i = global_index(); i < m; i += kInFlight * apart) {
    float4 v[kInFlight];
#pragma unroll
    for (unsigned k = 0; k < kInFlight; ++k)
      if (i + k * apart < m) v[k] = in[i + k * apart];
#pragma unroll
    for (unsigned k = 0; k < kInFlight; ++k)
      if (i + k * apart < m) out[i + k * apart] = v[k];
  }
}

constexpr unsigned kOfSector = 8, kSectorsApart = 5;
__global__ void __launch_bounds__(256) double_to_sectors_apart(const float* in, float* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i / kOfSector * (kOfSector * kSectorsApart) + i % kOfSector] = 2.0f * in[i];
}

}  // namespace

void streams(Set& s) {
  const std::size_t n = s.n;
  const std::size_t vectors = n / 8;
  s.run(
      "vectors copied by three blocks of 320 an SM, four in flight in each thread", 32.0 * real(vectors),
      [&] {
        copy_by_few<<<s.sms * kFewBlocksOfSm, kFewThreads>>>(reinterpret_cast<const float4*>(s.in),
                                                             s.vectors(), vectors);
      },
      [&] { return floats(s, 4 * vectors, [](std::size_t i) { return double{float_of(i)}; }); });

  const unsigned spread = as_number(n / 8);
  s.run(
      "floats doubled and put into every fifth sector", 8.0 * spread,
      [&] { double_to_sectors_apart<<<Set::blocks(spread), 256>>>(s.in, s.out, spread); },
      [&] {
        return floats(s, std::size_t{kSectorsApart} * spread, [](std::size_t i) {
          constexpr std::size_t kApart = kOfSector * kSectorsApart;
          return i % kApart < kOfSector ? 2.0 * float_of(i / kApart * kOfSector + i % kApart) : 0.0;
        });
      });
}

}  // namespace held_out_15
