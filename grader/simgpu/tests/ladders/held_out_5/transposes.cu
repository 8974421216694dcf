/// @file
/// Matrices turned: pairs without a tile, a tile whose columns are exchanged by an exclusive or, halves in
/// padded tiles, matrices added to what they are when turned.
#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

constexpr unsigned kTransposesWidth = 1024;

__global__ void turn_pairs(const float2* in, float2* out, unsigned height) {
  const unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  out[x * std::size_t{height} + y] = in[y * std::size_t{kTransposesWidth} + x];
}
__global__ void turn_swizzled(const float* in, float* out, unsigned height) {
  __shared__ float tile[32][32];
  const unsigned tx = threadIdx.x, x0 = blockIdx.x * 32, y0 = blockIdx.y * 32;
  for (unsigned r = threadIdx.y; r < 32; r += 8)
    tile[r][tx ^ r] = in[(y0 + r) * std::size_t{kTransposesWidth} + x0 + tx];
  __syncthreads();
  for (unsigned r = threadIdx.y; r < 32; r += 8)
    out[(x0 + r) * std::size_t{height} + y0 + tx] = tile[tx][r ^ tx];
}
__global__ void turn_halves(const __half* in, __half* out, unsigned height) {
  __shared__ __half tile[32][34];
  const unsigned x0 = blockIdx.x * 32, y0 = blockIdx.y * 32;
  for (unsigned r = threadIdx.y; r < 32; r += 8)
    tile[r][threadIdx.x] = in[(y0 + r) * std::size_t{kTransposesWidth} + x0 + threadIdx.x];
  __syncthreads();
  for (unsigned r = threadIdx.y; r < 32; r += 8)
    out[(x0 + r) * std::size_t{height} + y0 + threadIdx.x] = tile[threadIdx.x][r];
}
constexpr unsigned kTransposesSide = 256;
/// A matrix of 256 x 256 for each z.
__global__ void add_turned(const float* in, float* out) {
  __shared__ float tile[16][17];
  const float* matrix = in + blockIdx.z * std::size_t{kTransposesSide * kTransposesSide};
  const unsigned x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] =
      matrix[(blockIdx.x * 16 + threadIdx.y) * kTransposesSide + blockIdx.y * 16 + threadIdx.x];
  __syncthreads();
  out[blockIdx.z * std::size_t{kTransposesSide * kTransposesSide} + y * kTransposesSide + x] =
      0.5f * (matrix[y * kTransposesSide + x] + tile[threadIdx.x][threadIdx.y]);
}

}  // namespace

void transposes(Set& s) {
  const std::size_t n = s.n;
  const unsigned high = as_number(n / 8 / kTransposesWidth / 32 * 32), low = high / 2 / 32 * 32;
  s.run(
      "pairs turned without a tile", 16.0 * kTransposesWidth * low,
      [&] {
        turn_pairs<<<dim3(kTransposesWidth / 32, low / 8), dim3(32, 8)>>>(
            reinterpret_cast<float2*>(s.in), reinterpret_cast<float2*>(s.out), low);
      },
      [&] {
        return floats(s, 2 * std::size_t{kTransposesWidth} * low, [&](std::size_t i) {
          const std::size_t p = i / 2;
          return double{float_of(2 * (p % low * kTransposesWidth + p / low) + i % 2)};
        });
      });
  s.run(
      "turned in tiles, columns by exclusive or", 8.0 * kTransposesWidth * high,
      [&] { turn_swizzled<<<dim3(kTransposesWidth / 32, high / 32), dim3(32, 8)>>>(s.in, s.out, high); },
      [&] {
        return floats(s, std::size_t{kTransposesWidth} * high, [&](std::size_t i) {
          return double{float_of(i % high * kTransposesWidth + i / high)};
        });
      });
  s.run(
      "halves turned in padded tiles", 4.0 * kTransposesWidth * high,
      [&] {
        turn_halves<<<dim3(kTransposesWidth / 32, high / 32), dim3(32, 8)>>>(
            s.halves, reinterpret_cast<__half*>(s.out), high);
      },
      [&] {
        bool some = false;
        return Set::each(std::size_t{kTransposesWidth} * high,
                         [&](std::size_t i) {
                           const float got = __half2float(Checked::at(reinterpret_cast<__half*>(s.out), i));
                           some = some || got != 0;
                           return got == half_of(i % high * kTransposesWidth + i / high);
                         }) &&
               some;
      });
  const unsigned matrices = as_number(n / 8 / (kTransposesSide * kTransposesSide));
  s.run(
      "matrices added to themselves turned", 8.0 * kTransposesSide * kTransposesSide * matrices,
      [&] {
        add_turned<<<dim3(kTransposesSide / 16, kTransposesSide / 16, matrices), dim3(16, 16)>>>(s.in, s.out);
      },
      [&] {
        return floats(s, kTransposesSide * kTransposesSide * std::size_t{matrices}, [](std::size_t i) {
          const std::size_t base =
                                i / (kTransposesSide * kTransposesSide) * (kTransposesSide * kTransposesSide),
                            x = i % kTransposesSide, y = i / kTransposesSide % kTransposesSide;
          return 0.5 * (double{float_of(base + y * kTransposesSide + x)} +
                        float_of(base + x * kTransposesSide + y));
        });
      });
}

}  // namespace held_out_5
