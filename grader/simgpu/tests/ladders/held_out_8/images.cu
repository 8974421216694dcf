/// @file
/// Textures: values looked up in curves of a layered line, a picture made larger by four filtered reads a
/// pixel, three octaves of a small volume that repeats, a picture mirrored at its edges by points.
#include "../set_textures.hpp"
#include "held_out_8.hpp"

namespace held_out_8 {
namespace {

constexpr unsigned kCurve = 256, kCurves = 32, kOutWide = 1024;
/// Each row of the picture has a curve of its own.
__global__ void values_by_curves(cudaTextureObject_t curves, const float* in, float* out) {
  const std::size_t i = global_index();
  const int layer = static_cast<int>(i / kOutWide % kCurves);
  out[i] = tex1DLayered<float>(curves, 36.0f * in[i], layer);
}

constexpr std::size_t kSource = 512;
constexpr float kScaleX = 0.31f, kScaleY = 0.27f;
/// A cubic spline over 4 x 4 points from four reads that the texture unit filters.
__global__ void enlarge(cudaTextureObject_t source, float* out) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const float u = kScaleX * static_cast<float>(x) + 3.2f, v = kScaleY * static_cast<float>(y) + 2.6f;
  const float px = floorf(u), py = floorf(v), fx = u - px, fy = v - py;
  const auto w0 = [](float a) { return (1.0f / 6.0f) * (a * (a * (-a + 3.0f) - 3.0f) + 1.0f); };
  const auto w1 = [](float a) { return (1.0f / 6.0f) * (a * a * (3.0f * a - 6.0f) + 4.0f); };
  const auto w2 = [](float a) { return (1.0f / 6.0f) * (a * (a * (-3.0f * a + 3.0f) + 3.0f) + 1.0f); };
  const auto w3 = [](float a) { return (1.0f / 6.0f) * (a * a * a); };
  const float gx0 = w0(fx) + w1(fx), gx1 = w2(fx) + w3(fx), gy0 = w0(fy) + w1(fy), gy1 = w2(fy) + w3(fy);
  const float hx0 = px - 0.5f + w1(fx) / gx0, hx1 = px + 1.5f + w3(fx) / gx1, hy0 = py - 0.5f + w1(fy) / gy0,
              hy1 = py + 1.5f + w3(fy) / gy1;
  out[y * std::size_t{kOutWide} + x] =
      gy0 * (gx0 * tex2D<float>(source, hx0, hy0) + gx1 * tex2D<float>(source, hx1, hy0)) +
      gy1 * (gx0 * tex2D<float>(source, hx0, hy1) + gx1 * tex2D<float>(source, hx1, hy1));
}

constexpr std::size_t kNoise = 32;
/// As clouds are made: a volume of chances, each octave at twice the scale and half the strength.
__global__ void clouds(cudaTextureObject_t chances, float* out) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float u = 0.0071f * static_cast<float>(x), v = 0.0083f * static_cast<float>(y % 1024), w = 0.31f,
        strength = 1.0f, sum = 0.0f;
#pragma unroll
  for (int octave = 0; octave < 3; ++octave) {
    sum += strength * tex3D<float>(chances, u, v, w);
    u *= 2.0f, v *= 2.0f, w *= 2.0f;
    strength *= 0.5f;
  }
  out[y * std::size_t{kOutWide} + x] = sum;
}

constexpr std::size_t kMirrored = 128;
__global__ void kaleidoscope(cudaTextureObject_t picture, unsigned* out) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const float u = (static_cast<float>(3 * x) + 0.5f) / kMirrored,
              v = (static_cast<float>(5 * (y % 1024)) + 0.5f) / kMirrored;
  out[y * std::size_t{kOutWide} + x] = tex2D<unsigned>(picture, u, v) ^ tex2D<unsigned>(picture, v, u);
}

}  // namespace

void images(Set& s) {
  const std::size_t n = s.n, rows = n / 16 / kOutWide / 8 * 8, pixels = rows * kOutWide;
  const auto high = as_number(rows);
  cudaArray_t array = array_of<float>(s.other, kCurve, 0, kCurves, cudaArrayLayered);
  cudaTextureObject_t texture = texture_of(array, cudaAddressModeClamp, cudaFilterModeLinear, false);
  s.run(
      "values by curves of a layered line", 8.0 * real(pixels),
      [&] { values_by_curves<<<as_number(pixels / 256), 256>>>(texture, s.in, s.out); },
      [&] {
        return within(s, pixels, 0.06, [](std::size_t i) {
          const std::size_t first = i / kOutWide % kCurves * kCurve;
          return between_two(36.0 * float_of(i), [&](long k) {
            return double{other_of(first + static_cast<std::size_t>(std::clamp(k, 0L, kCurve - 1L)))};
          });
        });
      });
  cudaDestroyTextureObject(texture), cudaFreeArray(array);
  const std::size_t source_rows = static_cast<std::size_t>(kScaleY * static_cast<float>(rows)) + 8;
  array = array_of<float>(s.in, kSource, source_rows, 0);
  texture = texture_of(array, cudaAddressModeClamp, cudaFilterModeLinear, false);
  const dim3 grid(kOutWide / 32, high / 8), block(32, 8);
  s.run(
      "picture enlarged by a cubic spline", 4.4 * real(pixels),
      [&] { enlarge<<<grid, block>>>(texture, s.out); },
      [&] {
        return within(s, pixels, 0.08, [](std::size_t i) {
          const double u = double{kScaleX} * real(i % kOutWide) + 3.2,
                       v = double{kScaleY} * real(i / kOutWide) + 2.6;
          const auto weight = [](double d) {
            d = std::abs(d);
            return d >= 2 ? 0.0 : d >= 1 ? std::pow(2 - d, 3) / 6 : 2.0 / 3 - d * d * (1 - d / 2);
          };
          double sum = 0;
          for (long y = -1; y <= 2; ++y)
            for (long x = -1; x <= 2; ++x) {
              const double at_x = std::floor(u) + static_cast<double>(x),
                           at_y = std::floor(v) + static_cast<double>(y);
              sum += weight(u - at_x) * weight(v - at_y) *
                     float_of(static_cast<std::size_t>(at_y) * kSource + static_cast<std::size_t>(at_x));
            }
          return sum;
        });
      });
  cudaDestroyTextureObject(texture), cudaFreeArray(array);
  array = array_of<float>(s.in, kNoise, kNoise, kNoise);
  texture = texture_of(array, cudaAddressModeWrap, cudaFilterModeLinear, true);
  s.run(
      "clouds of three octaves of a volume that repeats", 4.0 * real(pixels),
      [&] { clouds<<<grid, block>>>(texture, s.out); },
      [&] {
        return within(s, pixels, 0.12, [](std::size_t i) {
          double sum = 0;
          for (int octave = 0; octave < 3; ++octave) {
            const double scale = 1 << octave, side = kNoise;
            const double x = side * scale * 0.0071 * real(i % kOutWide),
                         y = side * scale * 0.0083 * real(i / kOutWide % 1024), z = side * scale * 0.31;
            const double value = between_two(z, [&](long c) {
              return between_two(y, [&](long b) {
                return between_two(x, [&](long a) {
                  const auto side_of = [](long k) { return static_cast<std::size_t>(k & (kNoise - 1)); };
                  return double{float_of((side_of(c) * kNoise + side_of(b)) * kNoise + side_of(a))};
                });
              });
            });
            sum += value / scale;
          }
          return sum;
        });
      });
  cudaDestroyTextureObject(texture), cudaFreeArray(array);
  array = array_of<unsigned>(s.words, kMirrored, kMirrored, 0);
  texture = texture_of(array, cudaAddressModeMirror, cudaFilterModePoint, true);
  s.run(
      "picture mirrored at its edges by points", 4.0 * real(pixels),
      [&] { kaleidoscope<<<grid, block>>>(texture, s.numbers()); },
      [&] {
        return numbers(s, pixels, [](std::size_t i) {
          const auto mirrored = [](std::size_t k) {
            k %= 2 * kMirrored;
            return k < kMirrored ? k : 2 * kMirrored - 1 - k;
          };
          const std::size_t x = mirrored(i % kOutWide * 3), y = mirrored(i / kOutWide % 1024 * 5);
          return word_of(y * kMirrored + x) ^ word_of(x * kMirrored + y);
        });
      });
  cudaDestroyTextureObject(texture), cudaFreeArray(array);
}

}  // namespace held_out_8
