/// @file
/// Textures and surfaces: directions in a panorama, a picture halved from surface to surface, signed bytes
/// embossed.
#include <algorithm>

#include "../set_textures.hpp"
#include "held_out_19.hpp"

namespace held_out_19 {
namespace {

constexpr unsigned kPanoramaWide = 512, kPanoramaHigh = 256;
constexpr float kPanoramaMiddle = 3.75f, kPartOfCircle = 0.15915494f;
/// A direction is told by three floats that lie in three arrays.
__global__ void __launch_bounds__(192)
    look_around(cudaTextureObject_t panorama, const float* xs, const float* ys, const float* zs, float4* out,
                unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const float x = xs[i] - kPanoramaMiddle, y = ys[i] - kPanoramaMiddle, z = zs[i] - kPanoramaMiddle;
  const float around = kPartOfCircle * atan2f(y, x),
              down = 0.5f - 2.0f * kPartOfCircle * atan2f(z, sqrtf(x * x + y * y));
  out[i] = tex2D<float4>(panorama, around, down);
}

constexpr unsigned kSmallerWide = 512, kSmallerX = 32, kSmallerY = 8;
__global__ void __launch_bounds__(kSmallerX* kSmallerY)
    halve_surface(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
  constexpr int kPixel = static_cast<int>(sizeof(float2));
  const int x = static_cast<int>(blockIdx.x * kSmallerX + threadIdx.x),
            y = static_cast<int>(blockIdx.y * kSmallerY + threadIdx.y);
  float2 sum = make_float2(0.0f, 0.0f);
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const float2 v = surf2Dread<float2>(from, (2 * x + k % 2) * kPixel, 2 * y + k / 2);
    sum.x += v.x;
    sum.y += v.y;
  }
  surf2Dwrite(make_float2(0.25f * sum.x, 0.25f * sum.y), to, x * kPixel, y);
}

constexpr unsigned kReliefWide = 2048, kReliefX = 32, kReliefY = 8;
__global__ void __launch_bounds__(kReliefX* kReliefY)
    emboss(cudaTextureObject_t picture, float* out, unsigned high) {
  const unsigned x = blockIdx.x * kReliefX + threadIdx.x, y = blockIdx.y * kReliefY + threadIdx.y;
  if (y >= high) return;
  const float u = static_cast<float>(x) + 0.5f, v = static_cast<float>(y) + 0.5f;
  out[std::size_t{y} * kReliefWide + x] =
      tex2D<float>(picture, u, v) +
      0.5f * (tex2D<float>(picture, u + 1.0f, v + 1.0f) - tex2D<float>(picture, u - 1.0f, v - 1.0f));
}
/// A signed byte as a part of one; the least two are the same.
double part_of_signed(unsigned byte) {
  return std::max(static_cast<double>(static_cast<signed char>(byte)) / 127.0, -1.0);
}

}  // namespace

void images(Set& s) {
  const std::size_t n = s.n;
  cudaArray_t array = array_of<uchar4>(s.words, kPanoramaWide, kPanoramaHigh, 0);
  cudaTextureObject_t texture =
      texture_of(array, cudaAddressModeWrap, cudaFilterModeLinear, true, cudaReadModeNormalizedFloat);
  const unsigned directions = as_number(n / 20);
  s.run(
      "directions looked up in a panorama of bytes that goes around, filtered", 28.0 * directions,
      [&] {
        look_around<<<Set::blocks(directions, 192), 192>>>(
            texture, s.in, s.in + directions, s.in + 2 * std::size_t{directions}, s.vectors(), directions);
      },
      [&] {
        return near_everywhere(
            s, 4 * std::size_t{directions}, 0.015,
            [&](std::size_t i) {
              const auto axis = [&](std::size_t k) {
                return double{float_of(k * directions + i / 4)} - double{kPanoramaMiddle};
              };
              const double x = axis(0), y = axis(1), z = axis(2), circle = 2 * std::acos(-1.0);
              const double around = std::atan2(y, x) / circle,
                           down = 0.5 - 2 * std::atan2(z, std::sqrt(x * x + y * y)) / circle;
              return between_two(kPanoramaHigh * down, [&](long row) {
                return between_two(kPanoramaWide * around, [&](long column) {
                  const std::size_t pixel =
                      (std::size_t(row + long{kPanoramaHigh}) % kPanoramaHigh) * kPanoramaWide +
                      std::size_t(column + long{kPanoramaWide}) % kPanoramaWide;
                  return byte_of(4 * pixel + i % 4) / 255.0;
                });
              });
            },
            3);
      });
  cudaDestroyTextureObject(texture), cudaFreeArray(array);

  const std::size_t smaller = n / 72 / kSmallerWide / kSmallerY * kSmallerY;
  array = array_of<float2>(s.in, 2 * kSmallerWide, 2 * smaller, 0, cudaArraySurfaceLoadStore);
  cudaArray_t half_array = array_of<float2>(s.other, kSmallerWide, smaller, 0, cudaArraySurfaceLoadStore);
  const cudaSurfaceObject_t from = surface_of(array), to = surface_of(half_array);
  s.run(
      "picture of pairs of floats halved from one surface to another", 40.0 * kSmallerWide * real(smaller),
      [&] {
        halve_surface<<<dim3(kSmallerWide / kSmallerX, as_number(smaller / kSmallerY)),
                        dim3(kSmallerX, kSmallerY)>>>(from, to);
      },
      [&] {
        constexpr std::size_t kRow = kSmallerWide * sizeof(float2);
        ladder::check(
            cudaMemcpy2DFromArray(s.out, kRow, half_array, 0, 0, kRow, smaller, cudaMemcpyDeviceToDevice),
            "copy of array");
        return near_everywhere(s, 2 * kSmallerWide * smaller, 1e-5, [](std::size_t i) {
          const std::size_t x = i / 2 % kSmallerWide, y = i / 2 / kSmallerWide;
          double sum = 0;
          for (std::size_t k = 0; k < 4; ++k)
            sum += float_of(2 * ((2 * y + k / 2) * 2 * kSmallerWide + 2 * x + k % 2) + i % 2);
          return sum / 4;
        });
      });
  cudaDestroySurfaceObject(from), cudaDestroySurfaceObject(to);
  cudaFreeArray(array), cudaFreeArray(half_array);

  const unsigned relief = as_number(n / 6 / kReliefWide);
  array = array_of<signed char>(s.words, kReliefWide, relief, 0);
  texture = texture_of(array, cudaAddressModeClamp, cudaFilterModePoint, false, cudaReadModeNormalizedFloat);
  s.run(
      "picture of signed bytes embossed along its diagonal by points of a texture",
      5.0 * kReliefWide * relief,
      [&] {
        emboss<<<dim3(kReliefWide / kReliefX, Set::blocks(relief, kReliefY)), dim3(kReliefX, kReliefY)>>>(
            texture, s.out, relief);
      },
      [&] {
        return near_everywhere(
            s, std::size_t{kReliefWide} * relief, 1e-5,
            [&](std::size_t i) {
              const long x = static_cast<long>(i % kReliefWide), y = static_cast<long>(i / kReliefWide);
              const auto at = [&](long u, long v) {
                return part_of_signed(byte_of(std::size_t(std::clamp(v, 0l, relief - 1l) * long{kReliefWide} +
                                                          std::clamp(u, 0l, kReliefWide - 1l))));
              };
              return at(x, y) + 0.5 * (at(x + 1, y + 1) - at(x - 1, y - 1));
            },
            3);
      });
  cudaDestroyTextureObject(texture), cudaFreeArray(array);
}

}  // namespace held_out_19
