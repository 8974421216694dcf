/// @file
/// Neighbours in one, two and three dimensions: windows in registers, steps within a tile, planes of a gas.
#include "blind.hpp"

namespace blind {
namespace {

__constant__ float row_weights[17];

/// A thread goes down a column and keeps the 17 values of its window.
__global__ void __launch_bounds__(128) filter_columns(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * 128 + threadIdx.x, y0 = blockIdx.y * 56;
  float window[17];
  const auto load = [&](int y) { return in[std::size_t(min(max(y, 0), height - 1)) * width + x]; };
#pragma unroll
  for (int k = 0; k < 16; ++k) window[k + 1] = load(y0 - 8 + k);
#pragma unroll 4
  for (int r = 0; r < 56; ++r) {
#pragma unroll
    for (int k = 0; k < 16; ++k) window[k] = window[k + 1];
    window[16] = load(y0 + r + 8);
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 17; ++k) sum += row_weights[k] * window[k];
    out[std::size_t(y0 + r) * width + x] = sum;
  }
}
/// Eight steps of heat along a line: a block takes eight elements more on each side.
__global__ void __launch_bounds__(256) eight_steps_of_heat(const float* in, float* out, std::size_t n) {
  __shared__ float line[2][528];
  const std::size_t first = blockIdx.x * std::size_t{512};
  for (unsigned k = threadIdx.x; k < 528; k += 256) {
    const std::size_t at = first + k;
    line[0][k] = at >= 8 && at < n + 8 ? in[at - 8] : 0.0f;
  }
  unsigned at = 0;
#pragma unroll
  for (unsigned step = 1; step <= 8; ++step, at ^= 1) {
    __syncthreads();
    for (unsigned k = threadIdx.x + step; k < 528 - step; k += 256)
      line[at ^ 1][k] = 0.5f * line[at][k] + 0.25f * (line[at][k - 1] + line[at][k + 1]);
  }
  __syncthreads();
  for (unsigned k = threadIdx.x; k < 512; k += 256) out[first + k] = line[at][k + 8];
}
/// Thirteen points: two on each side in three dimensions.
__global__ void thirteen_points(const float* in, float* out, int nx, int ny, int nz) {
  const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 2 + threadIdx.y,
            z = blockIdx.z * 2 + threadIdx.z;
  if (x < 2 || y < 2 || z < 2 || x >= nx - 2 || y >= ny - 2 || z >= nz - 2) return;
  const std::size_t row = nx, plane = row * ny, at = z * plane + y * row + x;
  out[at] =
      0.5f * in[at] +
      0.06f * (in[at - 1] + in[at + 1] + in[at - row] + in[at + row] + in[at - plane] + in[at + plane]) +
      0.02f * (in[at - 2] + in[at + 2] + in[at - 2 * row] + in[at + 2 * row] + in[at - 2 * plane] +
               in[at + 2 * plane]);
}
/// A gas of nine directions on a lattice: each plane moves its way, then the nine of a cell meet.
__global__ void __launch_bounds__(128) step_of_gas(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * 128 + threadIdx.x, y = blockIdx.y;
  const std::size_t plane = std::size_t(width) * height;
  constexpr int kX[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, kY[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  constexpr float kWeight[9] = {4.0f / 9,  1.0f / 9,  1.0f / 9,  1.0f / 9, 1.0f / 9,
                                1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};
  float f[9], density = 0, ux = 0, uy = 0;
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    const int sx = (x - kX[k] + width) % width, sy = (y - kY[k] + height) % height;
    f[k] = in[k * plane + std::size_t(sy) * width + sx];
    density += f[k], ux += kX[k] * f[k], uy += kY[k] * f[k];
  }
  ux /= density, uy /= density;
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    const float along = 3 * (kX[k] * ux + kY[k] * uy);
    const float rest = kWeight[k] * density * (1 + along + 0.5f * along * along - 1.5f * (ux * ux + uy * uy));
    out[k * plane + std::size_t(y) * width + x] = f[k] + 0.6f * (rest - f[k]);
  }
}

}  // namespace

void stencils(Set& s) {
  const std::size_t n = s.n, height = n / 4096 / 56 * 56;
  float weights[17];
  for (unsigned k = 0; k < 17; ++k) weights[k] = half_of(k + 900);
  ladder::check(cudaMemcpyToSymbol(row_weights, weights, sizeof weights), "weights");
  s.run(
      "columns filtered by 17", 32768.0 * static_cast<double>(height),
      [&] {
        filter_columns<<<dim3(32, static_cast<unsigned>(height / 56)), 128>>>(s.in, s.out, 4096,
                                                                              static_cast<int>(height));
      },
      [&] {
        return Set::each(height * 4096, [&](std::size_t i) {
          double sum = 0;
          for (long k = 0; k < 17; ++k) {
            const long y = std::clamp(static_cast<long>(i / 4096) + k - 8, 0L, static_cast<long>(height) - 1);
            sum += double{weights[k]} * float_of(static_cast<std::size_t>(y) * 4096 + i % 4096);
          }
          return Set::near(s.value(i), sum);
        });
      });
  s.run(
      "eight steps of heat in a tile", 2 * s.one,
      [&] { eight_steps_of_heat<<<Set::blocks(n, 512), 256>>>(s.in, s.out, n); },
      [&] {
        return Set::each(n - 16, [&](std::size_t j) {
          const std::size_t i = j + 8;
          std::vector<double> line, next;
          for (std::size_t k = i - 8; k <= i + 8; ++k) line.push_back(float_of(k));
          for (; line.size() > 1; line = next) {
            next.clear();
            for (std::size_t k = 1; k + 1 < line.size(); ++k)
              next.push_back(0.5 * line[k] + 0.25 * (line[k - 1] + line[k + 1]));
          }
          return Set::near(s.value(i), line[0]);
        });
      });
  const std::size_t depth = n / 8192 / 2;
  s.run(
      "thirteen points of a volume", s.one,
      [&] {
        thirteen_points<<<dim3(2, 32, static_cast<unsigned>(depth / 2)), dim3(64, 2, 2)>>>(
            s.in, s.out, 128, 64, static_cast<int>(depth));
      },
      [&] {
        const std::size_t at = (depth - 3) * 8192 + 11 * 128 + 65;
        double sum = 0.5 * float_of(at);
        for (const std::size_t d : {1, 128, 8192})
          sum += 0.06 * (double{float_of(at - d)} + float_of(at + d)) +
                 0.02 * (double{float_of(at - 2 * d)} + float_of(at + 2 * d));
        return Set::near(s.value(at), sum) && s.number(at + 8192) == 0;
      });
  const std::size_t rows = n / 16 / 1024;
  s.run(
      "step of a gas on a lattice", 72.0 * 1024 * static_cast<double>(rows),
      [&] {
        step_of_gas<<<dim3(8, static_cast<unsigned>(rows)), 128>>>(s.in, s.out, 1024, static_cast<int>(rows));
      },
      [&] {
        // Nothing is lost where particles meet: as much leaves a cell as came to it.
        const std::size_t plane = rows * 1024, at = 5 * 1024 + 77;
        double came = 0, left = 0;
        const long to[9] = {0, 1, 1024, -1, -1024, 1025, 1023, -1025, -1023};
        for (std::size_t k = 0; k < 9; ++k)
          came += float_of(k * plane + at - static_cast<std::size_t>(to[k])), left += s.value(k * plane + at);
        return Set::near(left, came);
      });
}

}  // namespace blind
