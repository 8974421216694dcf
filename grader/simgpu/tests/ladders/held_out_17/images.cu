/// @file
/// Textures and surfaces: a picture moved by a field of ways, a picture's negative in place.
#include <algorithm>

#include "../set_textures.hpp"
#include "held_out_17.hpp"

namespace held_out_17 {
namespace {

constexpr unsigned kMovedWide = 1024;
constexpr float kMiddleWay = 3.75f;
/// Each pixel comes from where its way leads, up to some four places away.
__global__ void __launch_bounds__(256)
    move_picture(cudaTextureObject_t picture, cudaTextureObject_t ways, float* out) {
  const unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  const float u = static_cast<float>(x) + 0.5f, v = static_cast<float>(y) + 0.5f;
  const float2 way = tex2D<float2>(ways, u, v);
  out[std::size_t{y} * kMovedWide + x] =
      tex2D<float>(picture, u + (way.x - kMiddleWay), v + (way.y - kMiddleWay));
}

constexpr unsigned kNegativeWide = 1024;
__global__ void __launch_bounds__(256) make_negative(cudaSurfaceObject_t picture) {
  const int x = static_cast<int>(blockIdx.x * 64 + threadIdx.x) * static_cast<int>(sizeof(uchar4)),
            y = static_cast<int>(blockIdx.y * 4 + threadIdx.y);
  const uchar4 v = surf2Dread<uchar4>(picture, x, y);
  surf2Dwrite(make_uchar4(static_cast<unsigned char>(255 - v.x), static_cast<unsigned char>(255 - v.y),
                          static_cast<unsigned char>(255 - v.z), v.w),
              picture, x, y);
}

}  // namespace

void images(Set& s) {
  const std::size_t n = s.n;
  const std::size_t high = n / 16 / kMovedWide / 8 * 8;
  cudaArray_t picture = array_of<float>(s.in, kMovedWide, high, 0),
              field = array_of<float2>(s.other, kMovedWide, high, 0);
  const cudaTextureObject_t filtered = texture_of(picture, cudaAddressModeClamp, cudaFilterModeLinear, false),
                            ways = texture_of(field, cudaAddressModeClamp, cudaFilterModePoint, false);
  s.run(
      "picture moved by a field of small ways, both read by texture", 16.0 * kMovedWide * real(high),
      [&] {
        move_picture<<<dim3(kMovedWide / 32, as_number(high / 8)), dim3(32, 8)>>>(filtered, ways, s.out);
      },
      [&] {
        return within(s, kMovedWide * high, 0.1, [&](std::size_t i) {
          const double x = real(i % kMovedWide) + 0.5 + (other_of(2 * i) - kMiddleWay),
                       y = real(i / kMovedWide) + 0.5 + (other_of(2 * i + 1) - kMiddleWay);
          return between_two(y, [&](long row) {
            return between_two(x, [&](long column) {
              return double{
                  float_of(std::size_t(std::clamp(row, 0l, static_cast<long>(high) - 1)) * kMovedWide +
                           std::size_t(std::clamp(column, 0l, long{kMovedWide} - 1)))};
            });
          });
        });
      });
  cudaDestroyTextureObject(filtered), cudaDestroyTextureObject(ways);
  cudaFreeArray(picture), cudaFreeArray(field);

  const std::size_t negative_high = n / 8 / kNegativeWide / 4 * 4;
  cudaArray_t negative =
      array_of<uchar4>(s.words, kNegativeWide, negative_high, 0, cudaArraySurfaceLoadStore);
  const cudaSurfaceObject_t surface = surface_of(negative);
  s.run(
      "three of four bytes of pixels made negative in place on a surface",
      8.0 * kNegativeWide * real(negative_high),
      [&] {
        make_negative<<<dim3(kNegativeWide / 64, as_number(negative_high / 4)), dim3(64, 4)>>>(surface);
      },
      [&] {
        constexpr std::size_t kRow = kNegativeWide * sizeof(uchar4);
        ladder::check(
            cudaMemcpy2DFromArray(s.out, kRow, negative, 0, 0, kRow, negative_high, cudaMemcpyDeviceToDevice),
            "copy of array");
        return numbers(s, kNegativeWide * negative_high,
                       [](std::size_t i) { return word_of(i) ^ 0x00ffffffu; });
      });
  cudaDestroySurfaceObject(surface), cudaFreeArray(negative);
}

}  // namespace held_out_17
