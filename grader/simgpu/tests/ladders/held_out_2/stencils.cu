/// @file
/// Neighbours along a line, on a plane and in a volume, from global and from shared memory; a filter kept in constant memory.
#include "held_out_2.hpp"

namespace held_out_2 {
namespace {

constexpr int kStencilsWidth = 1024, kStencilsSide = 128;
__constant__ float filter[25];

__global__ void seven_on_a_line(const float* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < 3 || i + 3 >= m) return;
  float sum = 0;
#pragma unroll
  for (int d = -3; d <= 3; ++d) sum += in[i + d];
  out[i] = sum;
}
__global__ void seven_from_shared(const float* in, float* out, std::size_t m) {
  __shared__ float line[256 + 6];
  const std::size_t i = global_index();
  const auto at = [&](std::size_t k) { return k < m ? in[k] : 0.0f; };
  line[threadIdx.x + 3] = at(i);
  if (threadIdx.x < 3) {
    line[threadIdx.x] = i >= 3 ? in[i - 3] : 0.0f;
    line[threadIdx.x + 259] = at(i + 256);
  }
  __syncthreads();
  if (i < 3 || i + 3 >= m) return;
  float sum = 0;
#pragma unroll
  for (int d = 0; d < 7; ++d) sum += line[threadIdx.x + d];
  out[i] = sum;
}
__global__ void five_on_a_plane(const float* in, float* out, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= kStencilsWidth - 1 || y >= height - 1) return;
  const float* at = in + std::size_t(y) * kStencilsWidth + x;
  out[std::size_t(y) * kStencilsWidth + x] =
      at[-1] + at[1] + at[-kStencilsWidth] + at[kStencilsWidth] - 4 * at[0];
}
__global__ void five_by_five(const float* in, float* out, int height) {
  __shared__ float tile[20][36];
  const int x0 = blockIdx.x * 32 - 2, y0 = blockIdx.y * 16 - 2;
  for (int k = threadIdx.y * 32 + threadIdx.x; k < 20 * 36; k += 512) {
    const int x = min(max(x0 + k % 36, 0), kStencilsWidth - 1), y = min(max(y0 + k / 36, 0), height - 1);
    tile[k / 36][k % 36] = in[std::size_t(y) * kStencilsWidth + x];
  }
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int dy = 0; dy < 5; ++dy)
#pragma unroll
    for (int dx = 0; dx < 5; ++dx) sum += filter[dy * 5 + dx] * tile[threadIdx.y + dy][threadIdx.x + dx];
  out[std::size_t(y0 + 2 + threadIdx.y) * kStencilsWidth + x0 + 2 + threadIdx.x] = sum;
}
__global__ void seven_in_a_volume(const float* in, float* out, int depth) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= kStencilsSide - 1 || y >= kStencilsSide - 1 || z >= depth - 1) return;
  const float* at = in + (std::size_t(z) * kStencilsSide + y) * kStencilsSide + x;
  out[at - in] = at[-1] + at[1] + at[-kStencilsSide] + at[kStencilsSide] +
                 at[-kStencilsSide * kStencilsSide] + at[kStencilsSide * kStencilsSide] - 6 * at[0];
}
/// Each thread goes through sixteen planes with three values in registers.
__global__ void seven_plane_by_plane(const float* in, float* out, int depth) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z0 = blockIdx.z * 16;
  if (x < 1 || y < 1 || x >= kStencilsSide - 1 || y >= kStencilsSide - 1) return;
  constexpr int kPlane = kStencilsSide * kStencilsSide;
  const float* at = in + (std::size_t(z0) * kStencilsSide + y) * kStencilsSide + x;
  float below = z0 > 0 ? at[-kPlane] : 0, here = at[0];
  for (int z = z0; z < z0 + 16 && z < depth - 1; ++z, at += kPlane) {
    const float above = at[kPlane];
    if (z > 0)
      out[at - in] = at[-1] + at[1] + at[-kStencilsSide] + at[kStencilsSide] + below + above - 6 * here;
    below = here, here = above;
  }
}

}  // namespace

void stencils(Set& s) {
  const std::size_t n = s.n;
  float weights[25];
  for (unsigned k = 0; k < 25; ++k) weights[k] = half_of(k + 3);
  ladder::check(cudaMemcpyToSymbol(filter, weights, sizeof weights), "filter");
  const auto line = [&](std::size_t m) {
    return Set::each(m - 6, [&](std::size_t k) {
      double sum = 0;
      for (std::size_t d = 0; d < 7; ++d) sum += float_of(k + d);
      return Set::near(s.value(k + 3), sum);
    });
  };
  s.run(
      "seven on a line", s.one / 2, [&] { seven_on_a_line<<<Set::blocks(n / 4), 256>>>(s.in, s.out, n / 4); },
      [&] { return line(n / 4); });
  s.run(
      "seven on a line, shared memory", s.one / 2,
      [&] { seven_from_shared<<<Set::blocks(n / 4), 256>>>(s.in, s.out, n / 4); },
      [&] { return line(n / 4); });
  const std::size_t m = n / 8;
  const auto height = static_cast<unsigned>(m / kStencilsWidth);
  const auto f = [](std::size_t i) { return double{float_of(i)}; };
  const auto plane = [&] {
    return Set::each(kStencilsWidth * (height - 2), [&](std::size_t k) {
      const std::size_t i = k + kStencilsWidth, x = i % kStencilsWidth;
      if (x == 0 || x == kStencilsWidth - 1) return s.value(i) == 0 && s.value(i + (x == 0 ? 1 : -1)) != 0;
      const double want = f(i - 1) + f(i + 1) + f(i - kStencilsWidth) + f(i + kStencilsWidth) - 4 * f(i);
      return std::abs(s.value(i) - want) < 1e-3;
    });
  };
  for (const dim3 block : {dim3(32, 8), dim3(256, 1), dim3(8, 32)})
    s.run(
        "five on a plane, blocks of " + std::to_string(block.x) + " x " + std::to_string(block.y), s.one / 4,
        [&, block] {
          five_on_a_plane<<<dim3(kStencilsWidth / block.x, Set::blocks(height, block.y)), block>>>(
              s.in, s.out, static_cast<int>(height));
        },
        plane);
  s.run(
      "filter of 5 x 5 in constant memory", s.one / 4,
      [&] {
        five_by_five<<<dim3(kStencilsWidth / 32, height / 16), dim3(32, 16)>>>(s.in, s.out,
                                                                               static_cast<int>(height));
      },
      [&] {
        return floats(s, m, [&](std::size_t i) {
          const int x = static_cast<int>(i % kStencilsWidth), y = static_cast<int>(i / kStencilsWidth);
          double sum = 0;
          for (int dy = -2; dy <= 2; ++dy)
            for (int dx = -2; dx <= 2; ++dx) {
              const int u = std::min(std::max(x + dx, 0), kStencilsWidth - 1),
                        v = std::min(std::max(y + dy, 0), static_cast<int>(height) - 1);
              sum += double{weights[(dy + 2) * 5 + dx + 2]} * float_of(std::size_t(v) * kStencilsWidth + u);
            }
          return sum;
        });
      });
  const unsigned depth = static_cast<unsigned>(m / (kStencilsSide * kStencilsSide));
  const auto volume = [&] {
    constexpr std::size_t kPlane = kStencilsSide * kStencilsSide;
    return Set::each(kPlane * (depth - 2) - 2 * kStencilsSide - 2, [&](std::size_t k) {
      std::size_t i = k + kPlane + kStencilsSide + 1;
      if (i % kStencilsSide == 0) ++i;
      if (i % kStencilsSide == kStencilsSide - 1) --i;
      const std::size_t y = i / kStencilsSide % kStencilsSide;
      if (y == 0 || y == kStencilsSide - 1) i = i / kPlane * kPlane + kPlane / 2 + 5;
      const double want = f(i - 1) + f(i + 1) + f(i - kStencilsSide) + f(i + kStencilsSide) + f(i - kPlane) +
                          f(i + kPlane) - 6 * f(i);
      return std::abs(s.value(i) - want) < 1e-3;
    });
  };
  s.run(
      "seven in a volume", s.one / 4,
      [&] {
        seven_in_a_volume<<<dim3(kStencilsSide / 32, kStencilsSide / 8, depth), dim3(32, 8)>>>(
            s.in, s.out, static_cast<int>(depth));
      },
      volume);
  s.run(
      "seven in a volume, plane by plane", s.one / 4,
      [&] {
        seven_plane_by_plane<<<dim3(kStencilsSide / 32, kStencilsSide / 8, (depth + 15) / 16), dim3(32, 8)>>>(
            s.in, s.out, static_cast<int>(depth));
      },
      volume);
}

}  // namespace held_out_2
