/// @file
/// Textures and surfaces: steepness of a picture in memory with a pitch, colours drawn apart, a quarter turn from
/// a texture onto a surface.
#include <algorithm>

#include "../set_textures.hpp"
#include "held_out_20.hpp"

namespace held_out_20 {
namespace {

constexpr unsigned kSteepWide = 2000, kSteepPitch = 2048, kSteepX = 32, kSteepY = 8;
/// Memory in rows of a pitch.
cudaResourceDesc pitched_bytes(void* memory, std::size_t width, std::size_t height, std::size_t pitch) {
  cudaResourceDesc what{};
  what.resType = cudaResourceTypePitch2D;
  what.res.pitch2D = {memory, cudaCreateChannelDesc<unsigned char>(), width, height, pitch};
  return what;
}
/// Differences along both axes, added up without their signs.
__global__ void __launch_bounds__(kSteepX* kSteepY)
    steepness_of_bytes(cudaTextureObject_t picture, unsigned* out, unsigned high) {
  const int x = static_cast<int>(blockIdx.x * kSteepX + threadIdx.x),
            y = static_cast<int>(blockIdx.y * kSteepY + threadIdx.y);
  if (x >= static_cast<int>(kSteepWide) || y >= static_cast<int>(high)) return;
  const auto at = [&](int dx, int dy) {
    return static_cast<int>(
        tex2D<unsigned char>(picture, static_cast<float>(x + dx) + 0.5f, static_cast<float>(y + dy) + 0.5f));
  };
  const int upper_left = at(-1, -1), upper_right = at(1, -1), lower_left = at(-1, 1), lower_right = at(1, 1);
  const int across = 3 * (upper_right + lower_right - upper_left - lower_left) + 10 * (at(1, 0) - at(-1, 0)),
            down = 3 * (lower_left + lower_right - upper_left - upper_right) + 10 * (at(0, 1) - at(0, -1));
  out[std::size_t(y) * kSteepWide + std::size_t(x)] = static_cast<unsigned>(abs(across) + abs(down));
}

constexpr unsigned kDrawnWide = 1024, kDrawnX = 64, kDrawnY = 4;
constexpr float kDrawnStep = 0.0078125f;
/// Red, green and blue are read at three distances from the middle.
__global__ void __launch_bounds__(kDrawnX* kDrawnY)
    draw_colours_apart(cudaTextureObject_t picture, float4* out, unsigned high) {
  const unsigned x = blockIdx.x * kDrawnX + threadIdx.x, y = blockIdx.y * kDrawnY + threadIdx.y;
  if (y >= high) return;
  const float middle_x = 0.5f * kDrawnWide, middle_y = 0.5f * static_cast<float>(high),
              u = static_cast<float>(x) + 0.5f - middle_x, v = static_cast<float>(y) + 0.5f - middle_y;
  const auto at = [&](float scale) {
    return tex2D<float4>(picture, middle_x + scale * u, middle_y + scale * v);
  };
  const float4 near = at(1.0f - kDrawnStep), here = at(1.0f), far = at(1.0f + kDrawnStep);
  out[std::size_t{y} * kDrawnWide + x] = make_float4(near.x, here.y, far.z, here.w);
}

constexpr unsigned kQuarterX = 32, kQuarterY = 8, kQuarterWide = 1024;
__global__ void __launch_bounds__(kQuarterX* kQuarterY)
    turn_by_quarter(cudaTextureObject_t from, cudaSurfaceObject_t to, unsigned high) {
  const unsigned x = blockIdx.x * kQuarterX + threadIdx.x, y = blockIdx.y * kQuarterY + threadIdx.y;
  if (x >= high) return;
  surf2Dwrite(tex2D<unsigned>(from, static_cast<float>(y) + 0.5f, static_cast<float>(high - 1 - x) + 0.5f),
              to, static_cast<int>(x * sizeof(unsigned)), static_cast<int>(y));
}

}  // namespace

void images(Set& s) {
  const std::size_t n = s.n;
  const unsigned steep = as_number(n / 8 / kSteepWide);
  cudaTextureObject_t texture = texture_of(pitched_bytes(s.words, kSteepWide, steep, kSteepPitch),
                                           cudaAddressModeClamp, cudaFilterModePoint, false);
  s.run(
      "steepness of a picture of bytes in rows with a pitch, eight points of a texture",
      5.0 * kSteepWide * steep,
      [&] {
        steepness_of_bytes<<<dim3(Set::blocks(kSteepWide, kSteepX), Set::blocks(steep, kSteepY)),
                             dim3(kSteepX, kSteepY)>>>(texture, s.numbers(), steep);
      },
      [&] {
        return same_everywhere(
            s, std::size_t{kSteepWide} * steep,
            [&](std::size_t i) {
              const long x = static_cast<long>(i % kSteepWide), y = static_cast<long>(i / kSteepWide);
              const auto at = [&](long dx, long dy) {
                return static_cast<int>(byte_of(std::size_t(std::clamp(y + dy, 0l, steep - 1l) * kSteepPitch +
                                                            std::clamp(x + dx, 0l, kSteepWide - 1l))));
              };
              int across = 0, down = 0;
              for (long k = -1; k <= 1; ++k) {
                across += (k == 0 ? 10 : 3) * (at(1, k) - at(-1, k));
                down += (k == 0 ? 10 : 3) * (at(k, 1) - at(k, -1));
              }
              return static_cast<unsigned>(std::abs(across) + std::abs(down));
            },
            3);
      });
  cudaDestroyTextureObject(texture);

  const unsigned drawn = as_number(n / 36 / kDrawnWide);
  cudaArray_t array = array_of<uchar4>(s.words, kDrawnWide, drawn, 0);
  texture = texture_of(array, cudaAddressModeClamp, cudaFilterModeLinear, false, cudaReadModeNormalizedFloat);
  s.run(
      "three colours of a picture drawn apart from its middle, three filtered reads",
      20.0 * kDrawnWide * drawn,
      [&] {
        draw_colours_apart<<<dim3(kDrawnWide / kDrawnX, Set::blocks(drawn, kDrawnY)),
                             dim3(kDrawnX, kDrawnY)>>>(texture, s.vectors(), drawn);
      },
      [&] {
        return near_everywhere(
            s, 4 * std::size_t{kDrawnWide} * drawn, 0.015,
            [&](std::size_t i) {
              const std::size_t of = i % 4;
              const double x = real(i / 4 % kDrawnWide) + 0.5, y = real(i / 4 / kDrawnWide) + 0.5,
                           scale = 1 + (of == 0   ? -1
                                        : of == 2 ? 1
                                                  : 0) *
                                           double{kDrawnStep},
                           middle_x = 0.5 * kDrawnWide, middle_y = 0.5 * drawn;
              return between_two(middle_y + scale * (y - middle_y), [&](long row) {
                return between_two(middle_x + scale * (x - middle_x), [&](long column) {
                  const auto pixel = std::size_t(std::clamp(row, 0l, drawn - 1l) * long{kDrawnWide} +
                                                 std::clamp(column, 0l, kDrawnWide - 1l));
                  return byte_of(4 * pixel + of) / 255.0;
                });
              });
            },
            7);
      });
  cudaDestroyTextureObject(texture), cudaFreeArray(array);

  const unsigned high = as_number(n / 8 / kQuarterWide);
  array = array_of<unsigned>(s.words, kQuarterWide, high, 0);
  cudaArray_t turned = array_of<unsigned>(s.in, high, kQuarterWide, 0, cudaArraySurfaceLoadStore);
  texture = texture_of(array, cudaAddressModeClamp, cudaFilterModePoint, false);
  const cudaSurfaceObject_t surface = surface_of(turned);
  s.run(
      "picture of words turned by a quarter from a texture onto a surface", 8.0 * kQuarterWide * high,
      [&] {
        turn_by_quarter<<<dim3(Set::blocks(high, kQuarterX), kQuarterWide / kQuarterY),
                          dim3(kQuarterX, kQuarterY)>>>(texture, surface, high);
      },
      [&] {
        const std::size_t row = high * sizeof(unsigned);
        ladder::check(
            cudaMemcpy2DFromArray(s.out, row, turned, 0, 0, row, kQuarterWide, cudaMemcpyDeviceToDevice),
            "copy of array");
        return same_everywhere(s, std::size_t{kQuarterWide} * high, [&](std::size_t i) {
          return word_of((high - 1 - i % high) * kQuarterWide + i / high);
        });
      });
  cudaDestroyTextureObject(texture), cudaDestroySurfaceObject(surface);
  cudaFreeArray(array), cudaFreeArray(turned);
}

}  // namespace held_out_20
