/// @file
/// Where data lie: records gathered by number, heights between four points of a grid, floats dealt out in
/// windows, 16-bit words turned without a tile and floats in tiles of 64 x 64.
#include "held_out_11.hpp"

namespace held_out_11 {
namespace {

/// Two lanes fetch the two halves of a record.
__global__ void gather_records(const float4* records, const unsigned* words, float4* out, unsigned table,
                               unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 2 * m) out[i] = records[std::size_t{place_of(words[i / 2], table)} * 2 + i % 2];
}

constexpr unsigned kGridWide = 1024;
__global__ void heights_between(const float* grid, const unsigned* words, float* out, unsigned high,
                                unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const unsigned a = words[i], b = words[m + i];
  const unsigned x = (a >> 16) % (kGridWide - 1), y = place_of(b, high - 1);
  const float right = static_cast<float>(a & 0xffff) * (1.0f / 65536),
              down = static_cast<float>(b & 0xffff) * (1.0f / 65536);
  const float* at = grid + y * kGridWide + x;
  const float above = at[0] + right * (at[1] - at[0]),
              below = at[kGridWide] + right * (at[kGridWide + 1] - at[kGridWide]);
  out[i] = above + down * (below - above);
}

constexpr unsigned kDealt = 4096, kDealtApart = 2741;
__host__ __device__ __forceinline__ unsigned dealt_to(unsigned i) {
  const unsigned window = i / kDealt;
  return window * kDealt + (i * kDealtApart + scrambled(window)) % kDealt;
}
__global__ void deal_out(const float* in, float* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[dealt_to(i)] = in[i];
}

constexpr unsigned kShortsWide = 2048;
__global__ void turn_shorts(const unsigned short* in, unsigned short* out, unsigned high) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y < high) out[std::size_t{x} * high + y] = in[std::size_t{y} * kShortsWide + x];
}

constexpr unsigned kTurnedWide = 1024, kTurnedTile = 64;
__global__ void __launch_bounds__(256) turn_by_fours(const float* in, float* out, unsigned high) {
  __shared__ float tile[kTurnedTile][kTurnedTile + 1];
  const unsigned x0 = blockIdx.x * kTurnedTile, y0 = blockIdx.y * kTurnedTile;
  const unsigned column = threadIdx.x % 16 * 4, first = threadIdx.x / 16;
  for (unsigned row = first; row < kTurnedTile; row += 16) {
    const float4 v = *reinterpret_cast<const float4*>(in + std::size_t{y0 + row} * kTurnedWide + x0 + column);
    tile[row][column] = v.x;
    tile[row][column + 1] = v.y;
    tile[row][column + 2] = v.z;
    tile[row][column + 3] = v.w;
  }
  __syncthreads();
  for (unsigned row = first; row < kTurnedTile; row += 16)
    *reinterpret_cast<float4*>(out + std::size_t{x0 + row} * high + y0 + column) =
        make_float4(tile[column][row], tile[column + 1][row], tile[column + 2][row], tile[column + 3][row]);
}

}  // namespace

void places(Set& s) {
  const std::size_t n = s.n;
  const unsigned table = as_number(n / 16), asked = as_number(n / 32);
  s.run(
      "records of 32 bytes gathered by two lanes each", 68.0 * asked,
      [&] {
        gather_records<<<Set::blocks(2 * std::size_t{asked}), 256>>>(
            reinterpret_cast<const float4*>(s.in), s.words, reinterpret_cast<float4*>(s.out), table, asked);
      },
      [&] {
        return floats(s, 8 * std::size_t{asked}, [&](std::size_t i) {
          return double{float_of(std::size_t{place_of(word_of(i / 8), table)} * 8 + i % 8)};
        });
      });
  const unsigned grid_high = as_number(n / 32 / kGridWide), points = as_number(n / 16);
  s.run(
      "heights between four points of a grid at random", 28.0 * points,
      [&] { heights_between<<<Set::blocks(points), 256>>>(s.in, s.words, s.out, grid_high, points); },
      [&] {
        return floats(s, points, [&](std::size_t i) {
          const unsigned a = word_of(i), b = word_of(points + i);
          const double right = (a & 0xffff) / 65536.0, down = (b & 0xffff) / 65536.0;
          const std::size_t at =
              std::size_t{place_of(b, grid_high - 1)} * kGridWide + (a >> 16) % (kGridWide - 1);
          return (1 - down) * ((1 - right) * float_of(at) + right * float_of(at + 1)) +
                 down * ((1 - right) * float_of(at + kGridWide) + right * float_of(at + kGridWide + 1));
        });
      });
  const unsigned dealt = as_number(n / 8 / kDealt * kDealt);
  s.run(
      "floats dealt out in windows of 4096", 8.0 * dealt,
      [&] { deal_out<<<Set::blocks(dealt), 256>>>(s.in, s.out, dealt); },
      [&] {
        return Set::each(dealt, [&](std::size_t i) {
          return Set::near(s.value(dealt_to(as_number(i))), float_of(i), 1e-6);
        });
      });

  const unsigned shorts_high = as_number(n / 8 / kShortsWide);
  s.run(
      "16-bit words turned by blocks of 64 x 4", 4.0 * kShortsWide * shorts_high,
      [&] {
        turn_shorts<<<dim3(kShortsWide / 64, Set::blocks(shorts_high, 4)), dim3(64, 4)>>>(
            reinterpret_cast<const unsigned short*>(s.words), reinterpret_cast<unsigned short*>(s.out),
            shorts_high);
      },
      [&] {
        const auto* got = reinterpret_cast<const unsigned short*>(s.out);
        return Set::each(std::size_t{kShortsWide} * shorts_high, [&](std::size_t i) {
          const std::size_t from = i % shorts_high * kShortsWide + i / shorts_high;
          return Checked::at(got, i) == (word_of(from / 2) >> (16 * (from % 2)) & 0xffff);
        });
      });
  const unsigned high = as_number(n / 4 / kTurnedWide / kTurnedTile * kTurnedTile);
  s.run(
      "turned in tiles of 64 x 64, four floats a thread", 8.0 * kTurnedWide * high,
      [&] { turn_by_fours<<<dim3(kTurnedWide / kTurnedTile, high / kTurnedTile), 256>>>(s.in, s.out, high); },
      [&] {
        return floats(s, std::size_t{kTurnedWide} * high,
                      [&](std::size_t i) { return double{float_of(i % high * kTurnedWide + i / high)}; });
      });
}

}  // namespace held_out_11
