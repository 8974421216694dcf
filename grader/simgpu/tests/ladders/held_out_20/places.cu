/// @file
/// Where data lie: rows stored tile by tile, rows put where a list says, volumes rolled along their axes,
/// frames of samples that overlap.
#include <numeric>

#include "held_out_20.hpp"

namespace held_out_20 {
namespace {

constexpr unsigned kTiledWide = 1536, kTiledX = 32, kTiledY = 8, kTiledAcross = kTiledWide / kTiledX;
/// A warp has a row of a tile, a block a tile.
__global__ void __launch_bounds__(kTiledX* kTiledY) store_by_tiles(const float* in, float* out) {
  const unsigned x = blockIdx.x * kTiledX + threadIdx.x, y = blockIdx.y * kTiledY + threadIdx.y;
  const std::size_t tile = std::size_t{blockIdx.y} * kTiledAcross + blockIdx.x;
  out[tile * (kTiledX * kTiledY) + threadIdx.y * kTiledX + threadIdx.x] = in[std::size_t{y} * kTiledWide + x];
}

constexpr unsigned kDealtRow = 320, kDealtVectors = kDealtRow / 4, kDealtRows = 4;
__global__ void __launch_bounds__(kDealtVectors* kDealtRows)
    deal_rows(const float4* in, const unsigned* places, float4* out, unsigned rows) {
  const unsigned row = blockIdx.x * kDealtRows + threadIdx.y;
  if (row < rows)
    out[std::size_t{places[row]} * kDealtVectors + threadIdx.x] =
        in[std::size_t{row} * kDealtVectors + threadIdx.x];
}

constexpr unsigned kRolledX = 96, kRolledY = 64, kRolledZ = 32, kByX = 37, kByY = 21, kByZ = 13,
                   kRolledRows = 4;
constexpr std::size_t kOfRolled = std::size_t{kRolledX} * kRolledY * kRolledZ;
__global__ void __launch_bounds__(kRolledX* kRolledRows) roll_volumes(const float* in, float* out) {
  const unsigned x = threadIdx.x, y = blockIdx.x * kRolledRows + threadIdx.y, z = blockIdx.y;
  const std::size_t first = blockIdx.z * kOfRolled;
  const unsigned to_x = (x + kByX) % kRolledX, to_y = (y + kByY) % kRolledY, to_z = (z + kByZ) % kRolledZ;
  out[first + (to_z * kRolledY + to_y) * kRolledX + to_x] = in[first + (z * kRolledY + y) * kRolledX + x];
}

constexpr unsigned kFrame = 512, kFrameHop = 128, kFrameThreads = 128;
/// A block has a frame, a thread four samples side by side.
__global__ void __launch_bounds__(kFrameThreads)
    weigh_frames(const float4* samples, const float4* window, float4* out) {
  const unsigned t = threadIdx.x;
  const float4 v = samples[std::size_t{blockIdx.x} * (kFrameHop / 4) + t], w = window[t];
  out[std::size_t{blockIdx.x} * kFrameThreads + t] = make_float4(v.x * w.x, v.y * w.y, v.z * w.z, v.w * w.w);
}

}  // namespace

void places(Set& s) {
  const std::size_t n = s.n;
  const unsigned tiled = as_number(n / 9 / kTiledWide / kTiledY);
  s.run(
      "rows of 1536 stored in tiles of 32 x 8, one tile behind another", 8.0 * kTiledWide * kTiledY * tiled,
      [&] { store_by_tiles<<<dim3(kTiledAcross, tiled), dim3(kTiledX, kTiledY)>>>(s.in, s.out); },
      [&] {
        return same_everywhere<float>(s, std::size_t{kTiledWide} * kTiledY * tiled, [](std::size_t i) {
          constexpr std::size_t kOfTile = kTiledX * kTiledY;
          const std::size_t tile = i / kOfTile, y = tile / kTiledAcross * kTiledY + i % kOfTile / kTiledX,
                            x = tile % kTiledAcross * kTiledX + i % kTiledX;
          return float_of(y * kTiledWide + x);
        });
      });

  // Each row's place once, in no order.
  const unsigned dealt = as_number(n / 10 / kDealtRow);
  std::vector<unsigned> places(dealt), from(dealt);
  std::iota(places.begin(), places.end(), 0u);
  for (unsigned i = dealt - 1; i > 0; --i) std::swap(places[i], places[place_of(word_of(i + 61), i + 1)]);
  for (unsigned i = 0; i < dealt; ++i) from[places[i]] = i;
  unsigned* places_there = kept(places);
  s.run(
      "rows of 320 floats put where a list says, 80 threads a row by fours", (8.0 * kDealtRow + 4.0) * dealt,
      [&] {
        deal_rows<<<Set::blocks(dealt, kDealtRows), dim3(kDealtVectors, kDealtRows)>>>(
            reinterpret_cast<const float4*>(s.in), places_there, s.vectors(), dealt);
      },
      [&] {
        return same_everywhere<float>(s, std::size_t{kDealtRow} * dealt, [&](std::size_t i) {
          return float_of(std::size_t{from[i / kDealtRow]} * kDealtRow + i % kDealtRow);
        });
      });
  cudaFree(places_there);

  const unsigned rolled = as_number(n / 4 / kOfRolled);
  s.run(
      "volumes of 96 x 64 x 32 rolled along all three axes", 8.0 * real(kOfRolled) * rolled,
      [&] {
        roll_volumes<<<dim3(kRolledY / kRolledRows, kRolledZ, rolled), dim3(kRolledX, kRolledRows)>>>(s.in,
                                                                                                      s.out);
      },
      [&] {
        return same_everywhere<float>(s, kOfRolled * rolled, [](std::size_t i) {
          const std::size_t x = (i % kRolledX + kRolledX - kByX) % kRolledX,
                            y = (i / kRolledX % kRolledY + kRolledY - kByY) % kRolledY,
                            z = (i / kRolledX / kRolledY % kRolledZ + kRolledZ - kByZ) % kRolledZ;
          return float_of(i / kOfRolled * kOfRolled + (z * kRolledY + y) * kRolledX + x);
        });
      });

  std::vector<float> window(kFrame);
  for (std::size_t k = 0; k < kFrame; ++k)
    window[k] = static_cast<float>(0.5 - 0.5 * std::cos(2 * std::acos(-1.0) * (real(k) + 0.5) / kFrame));
  float* window_there = kept(window);
  const unsigned frames = as_number(n / 6 / kFrame);
  s.run(
      "frames of 512 samples that overlap by three quarters, weighed by a window",
      4.0 * (kFrameHop + kFrame) * frames,
      [&] {
        weigh_frames<<<frames, kFrameThreads>>>(reinterpret_cast<const float4*>(s.in),
                                                reinterpret_cast<const float4*>(window_there), s.vectors());
      },
      [&] {
        return near_everywhere(s, std::size_t{kFrame} * frames, 1e-6, [&](std::size_t i) {
          return double{float_of(i / kFrame * kFrameHop + i % kFrame)} * window[i % kFrame];
        });
      });
  cudaFree(window_there);
}

}  // namespace held_out_20
