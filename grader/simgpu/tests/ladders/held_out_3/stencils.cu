/// @file
/// Neighbours: a game on bits, a wave that looks four cells either way, a filter that asks values too, the shortest ways of a small map.
#include "held_out_3.hpp"

namespace held_out_3 {
namespace {

constexpr unsigned kWords = 64;  ///< 2048 cells a row

/// Cells beyond the edges are dead. Two bits of each sum are kept, and whether it passed three.
__global__ void life(const unsigned* in, unsigned* out, unsigned height) {
  const unsigned x = blockIdx.x * 32 + threadIdx.x;
  const int y = static_cast<int>(blockIdx.y * 8 + threadIdx.y);
  if (y >= static_cast<int>(height)) return;
  unsigned ones = 0, twos = 0, more = 0, self = 0;
  const auto add = [&](unsigned bits) {
    const unsigned carry = ones & bits;
    ones ^= bits;
    more |= twos & carry;
    twos ^= carry;
  };
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy) {
    if (y + dy < 0 || y + dy >= static_cast<int>(height)) continue;
    const unsigned* row = in + static_cast<std::size_t>(y + dy) * kWords;
    const unsigned middle = row[x], left = x > 0 ? row[x - 1] : 0, right = x + 1 < kWords ? row[x + 1] : 0;
    add(middle << 1 | left >> 31);
    add(middle >> 1 | right << 31);
    if (dy != 0)
      add(middle);
    else
      self = middle;
  }
  out[static_cast<std::size_t>(y) * kWords + x] = twos & ~more & (ones | self);
}
constexpr unsigned kStencilsWidth = 1024;
__global__ void wave(const float* now, const float* before, float* next, unsigned height) {
  const unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < 4 || x >= kStencilsWidth - 4 || y < 4 || y + 4 >= height) return;
  constexpr float weight[5] = {-5.6944444f, 1.6f, -0.2f, 0.025396825f, -0.0017857143f};
  const std::size_t i = y * std::size_t{kStencilsWidth} + x;
  float sum = weight[0] * now[i];
#pragma unroll
  for (unsigned d = 1; d <= 4; ++d)
    sum += weight[d] * (now[i - d] + now[i + d] + now[i - d * kStencilsWidth] + now[i + d * kStencilsWidth]);
  next[i] = 2 * now[i] - before[i] + 0.1f * sum;
}
constexpr int kSide = 512, kReach = 3;
/// Nearer values weigh more; 32 x 8 a block, with what lies around in shared memory.
__global__ void __launch_bounds__(256) smooth_between_edges(const float* in, float* out, int height) {
  __shared__ float tile[8 + 2 * kReach][32 + 2 * kReach];
  const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8;
  for (int k = threadIdx.y * 32 + threadIdx.x; k < (8 + 2 * kReach) * (32 + 2 * kReach); k += 256) {
    const int x = min(max(x0 + k % (32 + 2 * kReach) - kReach, 0), kSide - 1);
    const int y = min(max(y0 + k / (32 + 2 * kReach) - kReach, 0), height - 1);
    tile[k / (32 + 2 * kReach)][k % (32 + 2 * kReach)] = in[y * kSide + x];
  }
  __syncthreads();
  const float self = tile[threadIdx.y + kReach][threadIdx.x + kReach];
  float sum = 0, weights = 0;
  for (int dy = -kReach; dy <= kReach; ++dy)
    for (int dx = -kReach; dx <= kReach; ++dx) {
      const float v = tile[threadIdx.y + kReach + dy][threadIdx.x + kReach + dx];
      const float w = __expf(-0.1f * static_cast<float>(dx * dx + dy * dy) - 0.5f * (v - self) * (v - self));
      sum += w * v, weights += w;
    }
  out[(y0 + static_cast<int>(threadIdx.y)) * kSide + x0 + static_cast<int>(threadIdx.x)] = sum / weights;
}
constexpr unsigned kNodes = 256;
__global__ void ways_through(float* way, unsigned k) {
  const unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  way[y * kNodes + x] = fminf(way[y * kNodes + x], way[y * kNodes + k] + way[k * kNodes + x]);
}

}  // namespace

void stencils(Set& s) {
  const std::size_t n = s.n;
  const unsigned rows = as_number(n / 16 / kWords);
  s.run(
      "game of life on bits", 0.5 * real(n),
      [&] { life<<<dim3(kWords / 32, Set::blocks(rows, 8)), dim3(32, 8)>>>(s.words, s.numbers(), rows); },
      [&] {
        const auto alive = [&](long x, long y) {
          if (x < 0 || y < 0 || x >= 32 * kWords || y >= static_cast<long>(rows)) return 0u;
          return word_of(static_cast<std::size_t>(y) * kWords + static_cast<std::size_t>(x / 32)) >>
                     (x % 32) &
                 1;
        };
        return numbers(s, n / 16, [&](std::size_t i) {
          unsigned word = 0;
          for (long b = 0; b < 32; ++b) {
            const long x = static_cast<long>(i % kWords) * 32 + b, y = static_cast<long>(i / kWords);
            unsigned around = 0;
            for (long k = 0; k < 9; ++k)
              if (k != 4) around += alive(x + k % 3 - 1, y + k / 3 - 1);
            word |= unsigned{around == 3 || (around == 2 && alive(x, y) != 0)} << b;
          }
          return word;
        });
      });
  const unsigned height = as_number(n / 16 / kStencilsWidth);
  s.run(
      "step of a wave, four cells either way", 0.75 * real(n),
      [&] {
        wave<<<dim3(kStencilsWidth / 32, Set::blocks(height, 8)), dim3(32, 8)>>>(s.in, s.other, s.out,
                                                                                 height);
      },
      [&] {
        const std::size_t wide = kStencilsWidth - 8;
        return Set::each(wide * (height - 8), [&](std::size_t k) {
          const std::size_t i = (k / wide + 4) * kStencilsWidth + k % wide + 4;
          const double weight[5] = {-5.6944444, 1.6, -0.2, 0.025396825, -0.0017857143};
          double sum = weight[0] * float_of(i);
          for (std::size_t d = 1; d <= 4; ++d)
            sum += weight[d] * (double{float_of(i - d)} + float_of(i + d) + float_of(i - d * kStencilsWidth) +
                                float_of(i + d * kStencilsWidth));
          const double want = 2 * double{float_of(i)} - other_of(i) + 0.1 * sum;
          return std::abs(s.value(i) - want) < 1e-4 && s.value(i) != 0;
        });
      });
  const int low = static_cast<int>(n / 64 / kSide);
  s.run(
      "smoothed between edges, 7 x 7", 8.0 * real(n / 64),
      [&] { smooth_between_edges<<<dim3(kSide / 32, low / 8), dim3(32, 8)>>>(s.in, s.out, low); },
      [&] {
        return floats(s, static_cast<std::size_t>(low / 8 * 8) * kSide, [&](std::size_t i) {
          double sum = 0, weights = 0;
          const double self = float_of(i);
          for (int dy = -kReach; dy <= kReach; ++dy)
            for (int dx = -kReach; dx <= kReach; ++dx) {
              const int x = std::min(std::max(static_cast<int>(i % kSide) + dx, 0), kSide - 1),
                        y = std::min(std::max(static_cast<int>(i / kSide) + dy, 0), low - 1);
              const double v = float_of(static_cast<std::size_t>(y) * kSide + static_cast<std::size_t>(x));
              const double w = std::exp(-0.1 * (dx * dx + dy * dy) - 0.5 * (v - self) * (v - self));
              sum += w * v, weights += w;
            }
          return sum / weights;
        });
      });
  s.run_whole(
      "shortest ways over 16 of 256 nodes", 16.0 * 8 * kNodes * kNodes,
      [&] {
        cudaMemcpyAsync(s.out, s.in, kNodes * kNodes * 4, cudaMemcpyDeviceToDevice);
        for (unsigned k = 0; k < 16; ++k)
          ways_through<<<dim3(kNodes / 32, kNodes / 8), dim3(32, 8)>>>(s.out, k);
      },
      [&] {
        std::vector<double> way(kNodes * kNodes);
        for (std::size_t i = 0; i < way.size(); ++i) way[i] = float_of(i);
        for (std::size_t k = 0; k < 16; ++k)
          for (std::size_t y = 0; y < kNodes; ++y)
            for (std::size_t x = 0; x < kNodes; ++x)
              way[y * kNodes + x] = std::min(way[y * kNodes + x], way[y * kNodes + k] + way[k * kNodes + x]);
        return floats(s, way.size(), [&](std::size_t i) { return way[i]; });
      });
}

}  // namespace held_out_3
