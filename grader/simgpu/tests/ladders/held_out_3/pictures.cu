/// @file
/// Textures over rows of plain memory: a picture turned by thirty degrees, pixels of four bytes as numbers from nothing to one.
#include "held_out_3.hpp"

namespace held_out_3 {
namespace {

constexpr int kWidth = 1024;
constexpr float kCosine = 0.8660254f, kSine = 0.5f;

__global__ void turned(cudaTextureObject_t picture, float* out, int height) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (y >= height) return;
  const float dx = static_cast<float>(x - kWidth / 2), dy = static_cast<float>(y - height / 2);
  out[y * kWidth + x] = tex2D<float>(picture, kCosine * dx - kSine * dy + kWidth / 2 + 0.5f,
                                     kSine * dx + kCosine * dy + static_cast<float>(height / 2) + 0.5f);
}
__global__ void brightness(cudaTextureObject_t picture, float* out, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (y >= height) return;
  const float4 v = tex2D<float4>(picture, static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
  out[y * kWidth + x] = 0.3f * v.x + 0.6f * v.y + 0.1f * v.z + v.w;
}
cudaTextureObject_t rows_of(void* from, cudaChannelFormatDesc format, std::size_t height, bool numbers) {
  cudaResourceDesc what{};
  what.resType = cudaResourceTypePitch2D;
  what.res.pitch2D.devPtr = from;
  what.res.pitch2D.desc = format;
  what.res.pitch2D.width = kWidth, what.res.pitch2D.height = height;
  what.res.pitch2D.pitchInBytes = kWidth * 4;
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeBorder;
  how.filterMode = numbers ? cudaFilterModePoint : cudaFilterModeLinear;
  how.readMode = numbers ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  ladder::check(cudaCreateTextureObject(&texture, &what, &how, nullptr), "texture");
  return texture;
}

}  // namespace

void pictures(Set& s) {
  const std::size_t m = s.n / 16, height = m / kWidth;
  const int h = static_cast<int>(height);
  const cudaTextureObject_t picture = rows_of(s.in, cudaCreateChannelDesc<float>(), height, false),
                            pixels = rows_of(s.words, cudaCreateChannelDesc<uchar4>(), height, true);
  // Columns in the middle: what lies further out is beyond the edge.
  const auto at = [&](long x, long y) {
    return x < 0 || y < 0 || x >= kWidth || y >= h
               ? 0.0
               : double{float_of(static_cast<std::size_t>(y) * kWidth + static_cast<std::size_t>(x))};
  };
  s.run(
      "picture turned by thirty degrees", 8.0 * real(m),
      [&] { turned<<<dim3(kWidth / 16, Set::blocks(height, 16)), dim3(16, 16)>>>(picture, s.out, h); },
      [&] {
        bool some = false;
        const bool right = Set::each(height / 2, [&](std::size_t k) {
          const std::size_t x = kWidth / 2 - 8 + k % 16, y = height / 4 + k;
          const double dx = static_cast<double>(x) - kWidth / 2, dy = static_cast<double>(y) - h / 2;
          const double u = kCosine * dx - kSine * dy + kWidth / 2, v = kSine * dx + kCosine * dy + h / 2;
          const long u0 = static_cast<long>(std::floor(u)), v0 = static_cast<long>(std::floor(v));
          const double a = u - std::floor(u), b = v - std::floor(v);
          const double want = (1 - b) * ((1 - a) * at(u0, v0) + a * at(u0 + 1, v0)) +
                              b * ((1 - a) * at(u0, v0 + 1) + a * at(u0 + 1, v0 + 1));
          some = some || want > 0.5;
          return std::abs(s.value(y * kWidth + x) - want) < 0.06;
        });
        return right && some;
      });
  s.run(
      "pixels of four bytes to brightness", 8.0 * real(m),
      [&] { brightness<<<dim3(kWidth / 32, Set::blocks(height, 8)), dim3(32, 8)>>>(pixels, s.out, h); },
      [&] {
        return floats(s, m, [](std::size_t i) {
          return (0.3 * byte_of(4 * i) + 0.6 * byte_of(4 * i + 1) + 0.1 * byte_of(4 * i + 2) +
                  byte_of(4 * i + 3)) /
                 255;
        });
      });
  cudaDestroyTextureObject(picture), cudaDestroyTextureObject(pixels);
}

}  // namespace held_out_3
