/// @file
/// Neighbours: means of 31 down columns by a sum that slides, the middle one of nine.
#include <algorithm>

#include "held_out_15.hpp"

namespace held_out_15 {
namespace {

constexpr unsigned kSlidingWide = 2048, kSlidingChunk = 64, kSlidingAway = 15,
                   kSlidingHigh = 2 * kSlidingAway + 1;
/// Each thread goes down 64 rows of its column; before the first and after the last row is nought.
__global__ void __launch_bounds__(128) means_down_columns(const float* in, float* out, unsigned high) {
  const unsigned x = blockIdx.x * 128 + threadIdx.x, y0 = blockIdx.y * kSlidingChunk;
  const unsigned end = min(y0 + kSlidingChunk, high);
  const auto at = [&](unsigned y_and_away) {  // counted from the fifteenth before the first
    const unsigned y = y_and_away - kSlidingAway;
    return y_and_away >= kSlidingAway && y < high ? in[std::size_t{y} * kSlidingWide + x] : 0.0f;
  };
  float sum = 0.0f;
#pragma unroll 10
  for (unsigned k = 0; k + 1 < kSlidingHigh; ++k) sum += at(y0 + k);
#pragma unroll 4
  for (unsigned y = y0; y < end; ++y) {
    sum += at(y + kSlidingHigh - 1);
    out[std::size_t{y} * kSlidingWide + x] = sum * (1.0f / kSlidingHigh);
    sum -= at(y);
  }
}

constexpr unsigned kMiddleWide = 1536, kMiddleX = 32, kMiddleY = 8;
__device__ __forceinline__ void order_two(float& less, float& more) {
  const float a = less, b = more;
  less = fminf(a, b);
  more = fmaxf(a, b);
}
/// Nineteen exchanges bring the middle one to its place. Beyond the edges lies what is at the edges.
__global__ void __launch_bounds__(kMiddleX* kMiddleY)
    middle_of_nine(const float* in, float* out, unsigned high) {
  __shared__ float tile[kMiddleY + 2][kMiddleX + 2];
  const int x0 = static_cast<int>(blockIdx.x * kMiddleX) - 1,
            y0 = static_cast<int>(blockIdx.y * kMiddleY) - 1;
  for (unsigned k = threadIdx.y * kMiddleX + threadIdx.x; k < (kMiddleX + 2) * (kMiddleY + 2);
       k += kMiddleX * kMiddleY) {
    const int x = min(max(x0 + static_cast<int>(k % (kMiddleX + 2)), 0), static_cast<int>(kMiddleWide) - 1),
              y = min(max(y0 + static_cast<int>(k / (kMiddleX + 2)), 0), static_cast<int>(high) - 1);
    tile[k / (kMiddleX + 2)][k % (kMiddleX + 2)] = in[y * static_cast<int>(kMiddleWide) + x];
  }
  __syncthreads();
  const unsigned x = blockIdx.x * kMiddleX + threadIdx.x, y = blockIdx.y * kMiddleY + threadIdx.y;
  if (y >= high) return;
  float p[9];
#pragma unroll
  for (unsigned k = 0; k < 9; ++k) p[k] = tile[threadIdx.y + k / 3][threadIdx.x + k % 3];
  order_two(p[1], p[2]), order_two(p[4], p[5]), order_two(p[7], p[8]);
  order_two(p[0], p[1]), order_two(p[3], p[4]), order_two(p[6], p[7]);
  order_two(p[1], p[2]), order_two(p[4], p[5]), order_two(p[7], p[8]);
  order_two(p[0], p[3]), order_two(p[5], p[8]), order_two(p[4], p[7]);
  order_two(p[3], p[6]), order_two(p[1], p[4]), order_two(p[2], p[5]);
  order_two(p[4], p[7]), order_two(p[4], p[2]), order_two(p[6], p[4]), order_two(p[4], p[2]);
  out[y * kMiddleWide + x] = p[4];
}

}  // namespace

void stencils(Set& s) {
  const std::size_t n = s.n;
  const unsigned sliding = as_number(n / 8 / kSlidingWide);
  s.run(
      "means of 31 down columns by a sum that slides over 64 rows", 8.0 * kSlidingWide * sliding,
      [&] {
        means_down_columns<<<dim3(kSlidingWide / 128, Set::blocks(sliding, kSlidingChunk)), 128>>>(
            s.in, s.out, sliding);
      },
      [&] {
        return floats(s, std::size_t{kSlidingWide} * sliding, [&](std::size_t i) {
          const std::size_t x = i % kSlidingWide, y = i / kSlidingWide;
          double sum = 0;
          for (std::size_t k = 0; k < kSlidingHigh; ++k)
            if (y + k >= kSlidingAway && y + k - kSlidingAway < sliding)
              sum += float_of((y + k - kSlidingAway) * kSlidingWide + x);
          return sum / kSlidingHigh;
        });
      });

  const unsigned high = as_number(n / 8 / kMiddleWide);
  s.run(
      "middle ones of 3 x 3 by nineteen exchanges, tiles of 32 x 8", 8.0 * kMiddleWide * high,
      [&] {
        middle_of_nine<<<dim3(kMiddleWide / kMiddleX, Set::blocks(high, kMiddleY)),
                         dim3(kMiddleX, kMiddleY)>>>(s.in, s.out, high);
      },
      [&] {
        return floats(s, std::size_t{kMiddleWide} * high, [&](std::size_t i) {
          const auto within_line = [](std::size_t at, std::size_t away, std::size_t wide) {
            return at + away == 0 ? 0 : std::min(at + away - 1, wide - 1);
          };
          float all[9];
          for (std::size_t k = 0; k < 9; ++k)
            all[k] = float_of(within_line(i / kMiddleWide, k / 3, high) * kMiddleWide +
                              within_line(i % kMiddleWide, k % 3, kMiddleWide));
          std::sort(all, all + 9);
          return double{all[4]};
        });
      });
}

}  // namespace held_out_15
