/// @file
/// Textures: tones from a filtered line that repeats, two pictures of a pair of eyes matched by points, a
/// picture of filtered colours unrolled around its centre, the brightest points along rays through a volume.
#include "../set_textures.hpp"
#include "held_out_9.hpp"

namespace held_out_9 {
namespace {

constexpr unsigned kWave = 2048;
/// A sample is the sum of four partials; phases are whole numbers, of which 2^32 are a turn.
__global__ void tones(cudaTextureObject_t wave, float* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  float sum = 0.0f, strength = 1.0f;
#pragma unroll
  for (unsigned partial = 1; partial <= 4; ++partial) {
    const unsigned phase = i * (9123457u * partial);
    sum += strength * tex1D<float>(wave, static_cast<float>(phase) * (1.0f / 4294967296.0f));
    strength *= 0.5f;
  }
  out[i] = sum;
}

constexpr unsigned kEyesWide = 256, kShifts = 8;
/// The shift at which 3 x 3 pixels differ least, and how much they do.
__global__ void match_eyes(cudaTextureObject_t left, cudaTextureObject_t right, unsigned* out) {
  const unsigned px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  const float x = static_cast<float>(px) + 0.5f, y = static_cast<float>(py) + 0.5f;
  int least = 1 << 20, best = 0;
  for (int shift = 0; shift < static_cast<int>(kShifts); ++shift) {
    int sum = 0;
#pragma unroll
    for (int k = 0; k < 9; ++k) {
      const float u = x + static_cast<float>(k % 3 - 1), v = y + static_cast<float>(k / 3 - 1);
      const int a = tex2D<unsigned char>(left, u, v),
                b = tex2D<unsigned char>(right, u + static_cast<float>(shift), v);
      sum += abs(a - b);
    }
    if (sum < least) least = sum, best = shift;
  }
  out[py * kEyesWide + px] = static_cast<unsigned>(best) << 16 | static_cast<unsigned>(least);
}

constexpr unsigned kRoundSide = 512, kAngles = 1024;
/// A row for each distance, a column for each angle; how bright the colour there is.
__global__ void unroll_picture(cudaTextureObject_t picture, float* out) {
  const unsigned a = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  float sine, cosine;
  sincospif(static_cast<float>(a) * (2.0f / kAngles), &sine, &cosine);
  const float far = 0.5f * static_cast<float>(r % 500);
  const float4 colour = tex2D<float4>(picture, 256.0f + far * cosine, 256.0f + far * sine);
  out[r * kAngles + a] = 0.299f * colour.x + 0.587f * colour.y + 0.114f * colour.z;
}

constexpr unsigned kBodySide = 64, kRaysWide = 512, kStepsOfRay = 64;
/// As scans of bodies are shown: a ray keeps the brightest of what it meets.
__global__ void brightest_along_rays(cudaTextureObject_t volume, float* out) {
  const unsigned px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  float x = 0.125f * static_cast<float>(px), y = 0.125f * static_cast<float>(py % 512), z = 0.5f,
        brightest = 0.0f;
#pragma unroll 4
  for (unsigned step = 0; step < kStepsOfRay; ++step) {
    brightest = fmaxf(brightest, tex3D<float>(volume, x, y, z));
    x += 0.25f, y += 0.125f, z += 0.9375f;
  }
  out[py * kRaysWide + px] = brightest;
}
std::size_t clamped(long k, std::size_t count) {
  return static_cast<std::size_t>(std::clamp(k, 0L, static_cast<long>(count) - 1));
}

}  // namespace

void images(Set& s) {
  const std::size_t n = s.n;
  cudaArray_t array = array_of<float>(s.other, kWave, 0, 0);
  cudaTextureObject_t texture = texture_of(array, cudaAddressModeWrap, cudaFilterModeLinear, true);
  const unsigned played = as_number(n / 16);
  s.run(
      "tones of four partials from a wave that repeats", 4.0 * played,
      [&] { tones<<<Set::blocks(played), 256>>>(texture, s.out, played); },
      [&] {
        return within(s, played, 0.05, [](std::size_t i) {
          double sum = 0;
          for (unsigned partial = 1; partial <= 4; ++partial) {
            const unsigned phase = static_cast<unsigned>(i) * (9123457u * partial);
            sum += between_two(phase / 4294967296.0 * kWave,
                               [](long k) {
                                 return double{other_of(static_cast<std::size_t>(k + long{kWave}) % kWave)};
                               }) /
                   (1 << (partial - 1));
          }
          return sum;
        });
      });
  cudaDestroyTextureObject(texture), cudaFreeArray(array);

  const std::size_t high = n / 512 / kEyesWide / 4 * 4;
  constexpr std::size_t kApart = 4;  ///< bytes by which the right picture begins later
  const auto* bytes = reinterpret_cast<const unsigned char*>(s.words);
  array = array_of<unsigned char>(bytes, kEyesWide, high, 0);
  cudaArray_t second = array_of<unsigned char>(bytes + kApart, kEyesWide, high, 0);
  texture = texture_of(array, cudaAddressModeClamp, cudaFilterModePoint, false);
  cudaTextureObject_t other = texture_of(second, cudaAddressModeClamp, cudaFilterModePoint, false);
  s.run(
      "shifts between the pictures of two eyes", 6.0 * kEyesWide * real(high),
      [&] {
        match_eyes<<<dim3(kEyesWide / 32, as_number(high / 4)), dim3(32, 4)>>>(texture, other, s.numbers());
      },
      [&] {
        return numbers(s, kEyesWide * high, [&](std::size_t i) {
          const auto x = static_cast<long>(i % kEyesWide), y = static_cast<long>(i / kEyesWide);
          const auto pixel = [&](std::size_t from, long u, long v) {
            return static_cast<int>(byte_of(from + clamped(v, high) * kEyesWide + clamped(u, kEyesWide)));
          };
          int least = 1 << 20, best = 0;
          for (int shift = 0; shift < static_cast<int>(kShifts); ++shift) {
            int sum = 0;
            for (long k = 0; k < 9; ++k)
              sum += std::abs(pixel(0, x + k % 3 - 1, y + k / 3 - 1) -
                              pixel(kApart, x + k % 3 - 1 + shift, y + k / 3 - 1));
            if (sum < least) least = sum, best = shift;
          }
          return static_cast<unsigned>(best) << 16 | static_cast<unsigned>(least);
        });
      });
  cudaDestroyTextureObject(texture), cudaDestroyTextureObject(other);
  cudaFreeArray(array), cudaFreeArray(second);

  const std::size_t distances = n / 16 / kAngles / 8 * 8;
  array = array_of<uchar4>(s.words, kRoundSide, kRoundSide, 0);
  texture = texture_of(array, cudaAddressModeClamp, cudaFilterModeLinear, false, cudaReadModeNormalizedFloat);
  s.run(
      "picture of colours unrolled around its centre", 4.0 * kAngles * real(distances),
      [&] { unroll_picture<<<dim3(kAngles / 32, as_number(distances / 8)), dim3(32, 8)>>>(texture, s.out); },
      [&] {
        return within(s, kAngles * distances, 0.015, [](std::size_t i) {
          const double angle = 2 * std::acos(-1.0) * real(i % kAngles) / kAngles,
                       far = 0.5 * real(i / kAngles % 500);
          return between_two(256 + far * std::sin(angle), [&](long y) {
            return between_two(256 + far * std::cos(angle), [&](long x) {
              const std::size_t at = 4 * (clamped(y, kRoundSide) * kRoundSide + clamped(x, kRoundSide));
              return (0.299 * byte_of(at) + 0.587 * byte_of(at + 1) + 0.114 * byte_of(at + 2)) / 255;
            });
          });
        });
      });
  cudaDestroyTextureObject(texture), cudaFreeArray(array);

  const std::size_t rows = n / 512 / kRaysWide;
  array = array_of<float>(s.in, kBodySide, kBodySide, kBodySide);
  texture = texture_of(array, cudaAddressModeClamp, cudaFilterModeLinear, false);
  s.run(
      "brightest points along rays through a volume", 4.0 * kRaysWide * real(rows),
      [&] { brightest_along_rays<<<dim3(kRaysWide / 128, as_number(rows)), 128>>>(texture, s.out); },
      [&] {
        return within(s, kRaysWide * rows, 0.06, [](std::size_t i) {
          double x = 0.125 * real(i % kRaysWide), y = 0.125 * real(i / kRaysWide % 512), z = 0.5,
                 brightest = 0;
          for (unsigned step = 0; step < kStepsOfRay; ++step, x += 0.25, y += 0.125, z += 0.9375)
            brightest = std::max(
                brightest, between_two(z, [&](long c) {
                  return between_two(y, [&](long b) {
                    return between_two(x, [&](long a) {
                      return double{
                          float_of((clamped(c, kBodySide) * kBodySide + clamped(b, kBodySide)) * kBodySide +
                                   clamped(a, kBodySide))};
                    });
                  });
                }));
          return brightest;
        });
      });
  cudaDestroyTextureObject(texture), cudaFreeArray(array);
}

}  // namespace held_out_9
