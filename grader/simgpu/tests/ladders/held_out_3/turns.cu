/// @file
/// The order of axes changed: bytes in tiles, pixels to planes, a volume.
#include "held_out_3.hpp"

namespace held_out_3 {
namespace {

constexpr unsigned kTurnsWidth = 1024;

/// 64 x 64 bytes a block; four bytes at once on both sides.
__global__ void __launch_bounds__(256) turn_bytes(const unsigned* in, unsigned* out, unsigned height) {
  __shared__ unsigned tile[64][17];
  const auto* bytes = reinterpret_cast<const unsigned char*>(tile);
  const unsigned c = threadIdx.x % 16, r0 = threadIdx.x / 16;
  const std::size_t y0 = blockIdx.y * std::size_t{64}, x0 = blockIdx.x * std::size_t{64};
  for (unsigned r = r0; r < 64; r += 16) tile[r][c] = in[((y0 + r) * kTurnsWidth + x0) / 4 + c];
  __syncthreads();
  for (unsigned r = r0; r < 64; r += 16) {
    unsigned word = 0;
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) word |= unsigned{bytes[(4 * c + k) * 68 + r]} << (8 * k);
    out[((x0 + r) * height + y0) / 4 + c] = word;
  }
}
/// 256 pixels a block, through shared memory.
__global__ void __launch_bounds__(256) pixels_to_planes(const float* in, float* out, std::size_t m) {
  __shared__ float line[768];
  const std::size_t first = blockIdx.x * std::size_t{256};
  for (unsigned k = threadIdx.x; k < 768; k += 256) line[k] = in[3 * first + k];
  __syncthreads();
#pragma unroll
  for (unsigned c = 0; c < 3; ++c) out[c * m + first + threadIdx.x] = line[3 * threadIdx.x + c];
}
/// in[z][16][64] to out[64][16][z].
__global__ void turn_volume(const float* in, float* out, unsigned depth) {
  __shared__ float tile[16][17];
  const unsigned y = blockIdx.z;
  std::size_t x = blockIdx.x * 16 + threadIdx.x, z = blockIdx.y * 16 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[(z * 16 + y) * 64 + x];
  __syncthreads();
  x = blockIdx.x * 16 + threadIdx.y, z = blockIdx.y * 16 + threadIdx.x;
  out[(x * 16 + y) * depth + z] = tile[threadIdx.x][threadIdx.y];
}

}  // namespace

void turns(Set& s) {
  const std::size_t n = s.n, height = n / 2 / kTurnsWidth;
  s.run(
      "bytes turned in tiles of 64", real(n),
      [&] {
        turn_bytes<<<dim3(kTurnsWidth / 64, as_number(height / 64)), 256>>>(s.words, s.numbers(),
                                                                            as_number(height));
      },
      [&] {
        return Set::each(n / 2, [&](std::size_t i) {
          return s.byte(i) == byte_of(i % height * kTurnsWidth + i / height);
        });
      });
  const std::size_t pixels = n / 16;
  s.run(
      "pixels of three to planes", 24.0 * real(pixels),
      [&] { pixels_to_planes<<<as_number(pixels / 256), 256>>>(s.in, s.out, pixels); },
      [&] {
        return floats(
            s, 3 * pixels, [&](std::size_t i) { return double{float_of(i % pixels * 3 + i / pixels)}; }, 0);
      });
  const std::size_t depth = n / 8192;
  s.run(
      "first and last axis of a volume changed", real(n),
      [&] {
        turn_volume<<<dim3(4, as_number(depth / 16), 16), dim3(16, 16)>>>(s.in, s.out, as_number(depth));
      },
      [&] {
        return floats(
            s, depth * 1024,
            [&](std::size_t i) {
              const std::size_t z = i % depth, y = i / depth % 16, x = i / depth / 16;
              return double{float_of((z * 16 + y) * 64 + x)};
            },
            0);
      });
}

}  // namespace held_out_3
