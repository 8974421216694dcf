/// @file
/// Textures and surfaces: heights coloured along a filtered line, a game of life from surface to memory, pictures drawn
/// out towards their middles.
#include <algorithm>

#include "../set_textures.hpp"
#include "held_out_18.hpp"

namespace held_out_18 {
namespace {

constexpr unsigned kShades = 256;
constexpr float kShadesOfUnit = 35.0f;
__global__ void __launch_bounds__(256)
    colour_heights(cudaTextureObject_t shades, const float* heights, float4* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = tex1D<float4>(shades, kShadesOfUnit * heights[i]);
}

constexpr unsigned kCellsWide = 2048, kCellsX = 32, kCellsY = 16, kAliveFrom = 160;
/// Beyond the edges nothing lives.
__global__ void __launch_bounds__(kCellsX* kCellsY) live_on(cudaSurfaceObject_t cells, unsigned char* out) {
  const int x = static_cast<int>(blockIdx.x * kCellsX + threadIdx.x),
            y = static_cast<int>(blockIdx.y * kCellsY + threadIdx.y);
  const auto alive = [&](int u, int v) {
    return surf2Dread<unsigned char>(cells, u, v, cudaBoundaryModeZero) >= kAliveFrom ? 1u : 0u;
  };
  unsigned around = 0;
#pragma unroll
  for (int v = -1; v <= 1; ++v)
#pragma unroll
    for (int u = -1; u <= 1; ++u)
      if (u != 0 || v != 0) around += alive(x + u, y + v);
  out[std::size_t(y) * kCellsWide + std::size_t(x)] =
      around == 3 || (around == 2 && alive(x, y) != 0) ? 1 : 0;
}

constexpr unsigned kDrawnWide = 1024, kDrawnHigh = 672, kDrawnReads = 8, kDrawnRows = 8;
constexpr float kDrawnStep = 0.004f;
/// Pictures of 672 rows lie below one another; each is drawn out towards its own middle.
__global__ void __launch_bounds__(32 * kDrawnRows) draw_out(cudaTextureObject_t pictures, float* out) {
  const unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * kDrawnRows + threadIdx.y;
  const float u = static_cast<float>(x) + 0.5f, v = static_cast<float>(y) + 0.5f;
  const float to_u = 0.5f * kDrawnWide - u,
              to_v = (static_cast<float>(y / kDrawnHigh) + 0.5f) * kDrawnHigh - v;
  float sum = 0.0f;
#pragma unroll
  for (unsigned k = 0; k < kDrawnReads; ++k) {
    const float part = kDrawnStep * static_cast<float>(k);
    sum += tex2D<float>(pictures, u + part * to_u, v + part * to_v);
  }
  out[std::size_t{y} * kDrawnWide + x] = sum * (1.0f / kDrawnReads);
}

}  // namespace

void images(Set& s) {
  const std::size_t n = s.n;
  cudaArray_t array = array_of<float4>(s.in, kShades, 0, 0);
  cudaTextureObject_t texture = texture_of(array, cudaAddressModeClamp, cudaFilterModeLinear, false);
  const unsigned heights = as_number(n / 16);
  s.run(
      "heights given colours of a line of 256, filtered", 20.0 * heights,
      [&] { colour_heights<<<Set::blocks(heights), 256>>>(texture, s.other, s.vectors(), heights); },
      [&] {
        return near_everywhere(s, 4 * std::size_t{heights}, 0.02, [](std::size_t i) {
          return between_two(double{kShadesOfUnit} * other_of(i / 4), [&](long shade) {
            return double{float_of(4 * std::size_t(std::clamp(shade, 0l, kShades - 1l)) + i % 4)};
          });
        });
      });
  cudaDestroyTextureObject(texture), cudaFreeArray(array);

  const unsigned cells_high = as_number(n / 16 / kCellsWide / kCellsY * kCellsY);
  array = array_of<unsigned char>(s.words, kCellsWide, cells_high, 0, cudaArraySurfaceLoadStore);
  cudaResourceDesc what{};
  what.resType = cudaResourceTypeArray;
  what.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  ladder::check(cudaCreateSurfaceObject(&surface, &what), "surface");
  s.run(
      "a game of life on bytes of a surface, blocks of 32 x 16", 2.0 * kCellsWide * cells_high,
      [&] {
        live_on<<<dim3(kCellsWide / kCellsX, cells_high / kCellsY), dim3(kCellsX, kCellsY)>>>(
            surface, reinterpret_cast<unsigned char*>(s.out));
      },
      [&] {
        return same_everywhere<unsigned char>(s, std::size_t{kCellsWide} * cells_high, [&](std::size_t i) {
          const long x = static_cast<long>(i % kCellsWide), y = static_cast<long>(i / kCellsWide);
          const auto alive = [&](long u, long v) {
            return u >= 0 && v >= 0 && u < long{kCellsWide} && v < long{cells_high} &&
                   byte_of(std::size_t(v * kCellsWide + u)) >= kAliveFrom;
          };
          unsigned around = 0;
          for (long k = 0; k < 9; ++k) around += k != 4 && alive(x + k % 3 - 1, y + k / 3 - 1) ? 1 : 0;
          return around == 3 || (around == 2 && alive(x, y)) ? 1 : 0;
        });
      });
  cudaDestroySurfaceObject(surface), cudaFreeArray(array);

  const unsigned drawn = as_number(n / 16 / kDrawnWide / kDrawnRows * kDrawnRows);
  array = array_of<float>(s.in, kDrawnWide, drawn, 0);
  texture = texture_of(array, cudaAddressModeClamp, cudaFilterModeLinear, false);
  s.run(
      "pictures drawn out towards their middles by eight filtered reads", 8.0 * kDrawnWide * drawn,
      [&] { draw_out<<<dim3(kDrawnWide / 32, drawn / kDrawnRows), dim3(32, kDrawnRows)>>>(texture, s.out); },
      [&] {
        return near_everywhere(
            s, std::size_t{kDrawnWide} * drawn, 0.02,
            [&](std::size_t i) {
              const double u = real(i % kDrawnWide) + 0.5, v = real(i / kDrawnWide) + 0.5;
              const double to_u = 0.5 * kDrawnWide - u,
                           to_v = (real(i / kDrawnWide / kDrawnHigh) + 0.5) * kDrawnHigh - v;
              double sum = 0;
              for (unsigned k = 0; k < kDrawnReads; ++k)
                sum += between_two(v + double{kDrawnStep} * k * to_v, [&](long row) {
                  return between_two(u + double{kDrawnStep} * k * to_u, [&](long column) {
                    return double{float_of(std::size_t(std::clamp(row, 0l, drawn - 1l)) * kDrawnWide +
                                           std::size_t(std::clamp(column, 0l, kDrawnWide - 1l)))};
                  });
                });
              return sum / kDrawnReads;
            },
            7);
      });
  cudaDestroyTextureObject(texture), cudaFreeArray(array);
}

}  // namespace held_out_18
