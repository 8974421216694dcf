/// @file
/// Neighbours on grids: three on a line, five in a plane of doubles with and without a tile, seven in a
/// volume with halos in shared memory, four steps of a line in a block.
#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

__global__ void three_on_a_line(const float* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i > 0 && i + 1 < m) out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
}
constexpr unsigned kStencilsWidth = 1024;
__global__ void five_of_doubles(const double* in, double* out, unsigned height) {
  const unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x == 0 || x == kStencilsWidth - 1 || y == 0 || y >= height - 1) return;
  const std::size_t i = y * std::size_t{kStencilsWidth} + x;
  out[i] =
      in[i] + 0.1 * (in[i - 1] + in[i + 1] + in[i - kStencilsWidth] + in[i + kStencilsWidth] - 4 * in[i]);
}
__global__ void five_in_a_tile(const float* in, float* out, unsigned height) {
  __shared__ float tile[18][34];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x0 = static_cast<int>(blockIdx.x) * 32 - 1, y0 = static_cast<int>(blockIdx.y) * 16 - 1;
  for (int k = ty * 32 + tx; k < 18 * 34; k += 512) {
    const int x = min(max(x0 + k % 34, 0), static_cast<int>(kStencilsWidth) - 1),
              y = min(max(y0 + k / 34, 0), static_cast<int>(height) - 1);
    tile[k / 34][k % 34] = in[y * std::size_t{kStencilsWidth} + x];
  }
  __syncthreads();
  out[(y0 + 1 + ty) * std::size_t{kStencilsWidth} + x0 + 1 + tx] =
      0.2f * (tile[ty + 1][tx + 1] + tile[ty][tx + 1] + tile[ty + 2][tx + 1] + tile[ty + 1][tx] +
              tile[ty + 1][tx + 2]);
}
constexpr unsigned kStencilsSide = 128;
/// Blocks of 32 x 4 x 4; the halo along x comes from global memory.
__global__ void seven_with_halo(const float* in, float* out, unsigned depth) {
  __shared__ float tile[6][6][32];
  const unsigned tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z;
  const unsigned x = blockIdx.x * 32 + tx, y = blockIdx.y * 4 + ty, z = blockIdx.z * 4 + tz;
  const std::size_t plane = kStencilsSide * kStencilsSide, i = z * plane + y * kStencilsSide + x;
  const float self = in[i];
  tile[tz + 1][ty + 1][tx] = self;
  if (ty == 0 && y > 0) tile[tz + 1][0][tx] = in[i - kStencilsSide];
  if (ty == 3 && y + 1 < kStencilsSide) tile[tz + 1][5][tx] = in[i + kStencilsSide];
  if (tz == 0 && z > 0) tile[0][ty + 1][tx] = in[i - plane];
  if (tz == 3 && z + 1 < depth) tile[5][ty + 1][tx] = in[i + plane];
  __syncthreads();
  if (x == 0 || x + 1 == kStencilsSide || y == 0 || y + 1 == kStencilsSide || z == 0 || z + 1 == depth)
    return;
  const float left = tx > 0 ? tile[tz + 1][ty + 1][tx - 1] : in[i - 1],
              right = tx < 31 ? tile[tz + 1][ty + 1][tx + 1] : in[i + 1];
  out[i] = self + 0.1f * (left + right + tile[tz + 1][ty][tx] + tile[tz + 1][ty + 2][tx] +
                          tile[tz][ty + 1][tx] + tile[tz + 2][ty + 1][tx] - 6 * self);
}
constexpr unsigned kStencilsSteps = 4, kCells = 256 - 2 * kStencilsSteps;
/// 248 cells a block; four on each side are worked on by the neighbour too.
__global__ void __launch_bounds__(256) four_steps(const float* in, float* out, std::size_t m) {
  __shared__ float cells[2][256];
  const unsigned t = threadIdx.x;
  const std::size_t i = blockIdx.x * std::size_t{kCells} + t;
  cells[0][t] = in[i < m + 2 * kStencilsSteps ? i : 0];
  __syncthreads();
#pragma unroll
  for (unsigned step = 0; step < kStencilsSteps; ++step) {
    const float* now = cells[step % 2];
    if (t > step && t + step + 1 < 256)
      cells[1 - step % 2][t] = 0.3f * now[t - 1] + 0.4f * now[t] + 0.3f * now[t + 1];
    __syncthreads();
  }
  if (t >= kStencilsSteps && t + kStencilsSteps < 256 && i < m + kStencilsSteps)
    out[i - kStencilsSteps] = cells[0][t];
}

}  // namespace

void stencils(Set& s) {
  const std::size_t n = s.n, m = n / 8;
  s.run(
      "three on a line", 8.0 * real(m), [&] { three_on_a_line<<<Set::blocks(m), 256>>>(s.in, s.out, m); },
      [&] {
        return floats(s, m, [m](std::size_t i) {
          return i == 0 || i == m - 1 ? 0
                                      : 0.25 * float_of(i - 1) + 0.5 * float_of(i) + 0.25 * float_of(i + 1);
        });
      });
  const unsigned height = as_number(m / kStencilsWidth / 16 * 16), low = height / 2 / 8 * 8;
  std::vector<double> plane(std::size_t{kStencilsWidth} * low);
  for (std::size_t i = 0; i < plane.size(); ++i) plane[i] = float_of(i);
  double* plane_there = kept(plane);
  s.run(
      "five in a plane of doubles", 16.0 * kStencilsWidth * low,
      [&] {
        five_of_doubles<<<dim3(kStencilsWidth / 32, low / 8), dim3(32, 8)>>>(
            plane_there, reinterpret_cast<double*>(s.out), low);
      },
      [&] {
        // Not up to the last, which are an edge.
        return Set::each(plane.size() - 1500, [&](std::size_t i) {
          const std::size_t x = i % kStencilsWidth, y = i / kStencilsWidth;
          const bool edge = x == 0 || x == kStencilsWidth - 1 || y == 0 || y == low - 1;
          return Set::near(Checked::at(reinterpret_cast<double*>(s.out), i),
                           edge ? 0
                                : plane[i] + 0.1 * (plane[i - 1] + plane[i + 1] + plane[i - kStencilsWidth] +
                                                    plane[i + kStencilsWidth] - 4 * plane[i]),
                           1e-9);
        });
      });
  cudaFree(plane_there);
  s.run(
      "mean of five in tiles of 32 x 16", 8.0 * kStencilsWidth * height,
      [&] { five_in_a_tile<<<dim3(kStencilsWidth / 32, height / 16), dim3(32, 16)>>>(s.in, s.out, height); },
      [&] {
        return floats(s, std::size_t{kStencilsWidth} * height, [height](std::size_t i) {
          const std::size_t x = i % kStencilsWidth, y = i / kStencilsWidth;
          const std::size_t left = x == 0 ? i : i - 1, right = x == kStencilsWidth - 1 ? i : i + 1,
                            up = y == 0 ? i : i - kStencilsWidth,
                            down = y == height - 1 ? i : i + kStencilsWidth;
          return 0.2 *
                 (double{float_of(i)} + float_of(left) + float_of(right) + float_of(up) + float_of(down));
        });
      });
  const unsigned depth = as_number(m / (kStencilsSide * kStencilsSide) / 4 * 4);
  s.run(
      "seven in a volume with halos", 8.0 * kStencilsSide * kStencilsSide * depth,
      [&] {
        seven_with_halo<<<dim3(kStencilsSide / 32, kStencilsSide / 4, depth / 4), dim3(32, 4, 4)>>>(
            s.in, s.out, depth);
      },
      [&] {
        // Up to the middle of a plane: the ends of planes are edges.
        return within(
            s,
            std::size_t{kStencilsSide} * kStencilsSide * depth - kStencilsSide * kStencilsSide * 3 / 2 - 37,
            1e-4, [depth](std::size_t i) {
              const std::size_t x = i % kStencilsSide, y = i / kStencilsSide % kStencilsSide,
                                z = i / kStencilsSide / kStencilsSide, p = kStencilsSide * kStencilsSide;
              if (x == 0 || x + 1 == kStencilsSide || y == 0 || y + 1 == kStencilsSide || z == 0 ||
                  z + 1 == depth)
                return 0.0;
              return float_of(i) + 0.1 * (double{float_of(i - 1)} + float_of(i + 1) +
                                          float_of(i - kStencilsSide) + float_of(i + kStencilsSide) +
                                          float_of(i - p) + float_of(i + p) - 6 * double{float_of(i)});
            });
      });
  s.run(
      "four steps of a line in a block", 8.0 * real(m),
      [&] { four_steps<<<Set::blocks(m, kCells), 256>>>(s.in, s.out, m); },
      [&] {
        return floats(s, m, [](std::size_t i) {
          double now[9], next[9] = {};
          for (std::size_t k = 0; k < 9; ++k) now[k] = float_of(i + k);
          for (std::size_t step = 0; step < 4; ++step) {
            for (std::size_t k = step + 1; k + step + 1 < 9; ++k)
              next[k] = 0.3 * now[k - 1] + 0.4 * now[k] + 0.3 * now[k + 1];
            std::copy(next, next + 9, now);
          }
          return now[4];
        });
      });
}

}  // namespace held_out_5
