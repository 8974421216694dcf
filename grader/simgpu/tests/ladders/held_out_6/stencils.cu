/// @file
/// Stencils: two colours of cells in turn, waves in fields that are staggered, one-sided steps of a flow.
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

constexpr int kStencilsWide = 1024;

/// Cells of one colour from those of the other, in place.
__global__ void one_colour(float* field, int high, int colour) {
  const int y = blockIdx.y * blockDim.y + threadIdx.y,
            x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + (y + colour) % 2;
  if (x < 1 || y < 1 || x >= kStencilsWide - 1 || y >= high - 1) return;
  const int i = y * kStencilsWide + x;
  field[i] = 0.25f * (field[i - 1] + field[i + 1] + field[i - kStencilsWide] + field[i + kStencilsWide]);
}
/// Maxwell's fields as they are staggered: what turns, and then what it makes.
__global__ void magnetic(const float* ez, const float* hx, const float* hy, float* hx2, float* hy2,
                         int high) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, i = y * kStencilsWide + x;
  if (x >= kStencilsWide - 1 || y >= high - 1) return;
  hx2[i] = hx[i] - 0.5f * (ez[i + kStencilsWide] - ez[i]);
  hy2[i] = hy[i] + 0.5f * (ez[i + 1] - ez[i]);
}
__global__ void electric(const float* ez, const float* hx, const float* hy, float* out, int high) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, i = y * kStencilsWide + x;
  if (x < 1 || y < 1 || x >= kStencilsWide - 1 || y >= high - 1) return;
  out[i] = ez[i] + 0.5f * (hy[i] - hy[i - 1] - hx[i] + hx[i - kStencilsWide]);
}
/// What flows comes from where the wind blows from.
__global__ void upwind(const float* q, const float* wind, float* out, float step, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float u = wind[i] - 3.5f, left = q[i == 0 ? m - 1 : i - 1], right = q[i + 1 == m ? 0 : i + 1],
              here = q[i];
  out[i] = here - step * (u > 0 ? u * (here - left) : u * (right - here));
}

}  // namespace

void stencils(Set& s) {
  const std::size_t n = s.n;
  const int high = static_cast<int>(n / 16 / kStencilsWide / 8 * 8);
  const std::size_t cells = static_cast<std::size_t>(high) * kStencilsWide;
  s.run(
      "two colours of cells in turn, in place", (8.0 + 4 * 6.0) * real(cells),
      [&] {
        cudaMemcpyAsync(s.out, s.in, cells * 4, cudaMemcpyDeviceToDevice);
        for (int colour = 0; colour < 4; ++colour)
          one_colour<<<dim3(kStencilsWide / 64, static_cast<unsigned>(high) / 8), dim3(32, 8)>>>(s.out, high,
                                                                                                 colour % 2);
      },
      [&] {
        std::vector<double> field(cells);
        for (std::size_t i = 0; i < cells; ++i) field[i] = float_of(i);
        for (int colour = 0; colour < 4; ++colour)
          for (int y = 1; y < high - 1; ++y)
            for (int x = 1; x < kStencilsWide - 1; ++x)
              if ((x + y + colour) % 2 == 0) {
                double* p = &field[static_cast<std::size_t>(y) * kStencilsWide + static_cast<std::size_t>(x)];
                *p = 0.25 * (p[-1] + p[1] + p[-kStencilsWide] + p[kStencilsWide]);
              }
        return floats(s, cells, [&](std::size_t i) { return field[i]; }) &&
               s.value(cells / 2 + 77) != float_of(cells / 2 + 77);
      });
  float *hx = room<float>(cells), *hy = room<float>(cells);
  const dim3 grid(kStencilsWide / 32, static_cast<unsigned>(high) / 8), block(32, 8);
  s.run(
      "fields of a wave that are staggered", 36.0 * real(cells),
      [&] {
        magnetic<<<grid, block>>>(s.in, s.other, s.in + n / 2, hx, hy, high);
        electric<<<grid, block>>>(s.in, hx, hy, s.out, high);
      },
      [&] {
        const auto turned = [&](std::size_t i, bool y) {
          return y ? float_of(n / 2 + i) + 0.5 * (float_of(i + 1) - float_of(i))
                   : other_of(i) - 0.5 * (float_of(i + kStencilsWide) - float_of(i));
        };
        for (std::size_t y = 1; y < static_cast<std::size_t>(high) - 1; y += 13)
          for (std::size_t x = 1; x < kStencilsWide - 1; x += 101) {
            const std::size_t i = y * kStencilsWide + x;
            const double want = float_of(i) + 0.5 * (turned(i, true) - turned(i - 1, true) -
                                                     turned(i, false) + turned(i - kStencilsWide, false));
            if (std::abs(s.value(i) - want) > 1e-3) return false;
          }
        return true;
      });
  cudaFree(hx), cudaFree(hy);
  s.run(
      "a flow from where the wind blows", 12.0 * real(n / 8),
      [&] { upwind<<<Set::blocks(n / 8), 256>>>(s.in, s.other, s.out, 0.0625f, n / 8); },
      [&] {
        const std::size_t m = n / 8;
        return within(s, m, 1e-3, [m](std::size_t i) {
          const double u = other_of(i) - 3.5, here = float_of(i);
          return here -
                 0.0625 * u * (u > 0 ? here - float_of((i + m - 1) % m) : float_of((i + 1) % m) - here);
        });
      });
}

}  // namespace held_out_6
