/// @file
/// Textures: a picture warped by waves, vectors of linear memory in wide steps, slanting lines through a volume.
#include "../set_textures.hpp"
#include "held_out_14.hpp"

namespace held_out_14 {
namespace {

constexpr unsigned kWarpedWide = 1024;
constexpr float kWaveAlong = 0.05f, kWaveDown = 0.07f;
__global__ void __launch_bounds__(256) warp_by_waves(cudaTextureObject_t picture, float* out, unsigned high) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y >= high) return;
  const float u = static_cast<float>(x), v = static_cast<float>(y);
  out[y * kWarpedWide + x] =
      tex2D<float>(picture, u + 0.5f + 3.0f * sinf(kWaveAlong * static_cast<float>(y % 256)),
                   v + 0.5f + 2.0f * cosf(kWaveDown * static_cast<float>(x % 256)));
}

constexpr unsigned kWideStep = 37;  // m has no such factor
__global__ void __launch_bounds__(256) fetch_in_wide_steps(cudaTextureObject_t line, uint4* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = tex1Dfetch<uint4>(line, static_cast<int>(std::size_t{kWideStep} * i % m));
}

constexpr unsigned kVolumeWide = 64, kSlantReads = 16;
constexpr std::size_t kVolumePlane = std::size_t{kVolumeWide} * kVolumeWide;
/// Places in quarters of a texel: what a filter gives there is exact.
struct Quarters {
  unsigned x, y, z;
};
__host__ __device__ __forceinline__ Quarters slant_start(unsigned word, unsigned planes) {
  return {word & 255, word >> 8 & 255, (word >> 16) % (4 * planes)};
}
__host__ __device__ __forceinline__ void slant_on(Quarters& at, unsigned planes) {
  at.x = (at.x + 7) & 255;
  at.y = (at.y + 5) & 255;
  at.z = (at.z + 3) % (4 * planes);
}
__global__ void __launch_bounds__(128) read_slanting(cudaTextureObject_t volume, const unsigned* words,
                                                     float* out, unsigned planes, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  Quarters at = slant_start(words[i], planes);
  float sum = 0.0f;
#pragma unroll 4
  for (unsigned k = 0; k < kSlantReads; ++k, slant_on(at, planes))
    sum += tex3D<float>(volume, 0.25f * static_cast<float>(at.x), 0.25f * static_cast<float>(at.y),
                        0.25f * static_cast<float>(at.z));
  out[i] = sum;
}

std::size_t clamped(long at, std::size_t wide) {
  return at < 0 ? 0 : std::min(static_cast<std::size_t>(at), wide - 1);
}

}  // namespace

void images(Set& s) {
  const std::size_t n = s.n;
  const std::size_t high = n / 32 / kWarpedWide;
  cudaArray_t array = array_of<float>(s.in, kWarpedWide, high, 0);
  cudaTextureObject_t texture = texture_of(array, cudaAddressModeClamp, cudaFilterModeLinear, false);
  s.run(
      "picture of floats warped by waves both ways, filtered", 8.0 * kWarpedWide * real(high),
      [&] {
        warp_by_waves<<<dim3(kWarpedWide / 32, Set::blocks(high, 8)), dim3(32, 8)>>>(texture, s.out,
                                                                                     as_number(high));
      },
      [&] {
        return within(s, kWarpedWide * high, 0.06, [&](std::size_t i) {
          const std::size_t x = i % kWarpedWide, y = i / kWarpedWide;
          const double u = real(x) + 0.5 + 3.0 * std::sin(double{kWaveAlong} * real(y % 256)),
                       v = real(y) + 0.5 + 2.0 * std::cos(double{kWaveDown} * real(x % 256));
          return between_two(v, [&](long row) {
            return between_two(u, [&](long column) {
              return double{float_of(clamped(row, high) * kWarpedWide + clamped(column, kWarpedWide))};
            });
          });
        });
      });
  cudaDestroyTextureObject(texture), cudaFreeArray(array);

  const unsigned stepped = as_number(n / 16);
  cudaResourceDesc what{};
  what.resType = cudaResourceTypeLinear;
  what.res.linear.devPtr = s.words;
  what.res.linear.desc = cudaCreateChannelDesc<uint4>();
  what.res.linear.sizeInBytes = std::size_t{stepped} * sizeof(uint4);
  cudaTextureDesc how{};
  how.readMode = cudaReadModeElementType;
  ladder::check(cudaCreateTextureObject(&texture, &what, &how, nullptr), "texture");
  s.run(
      "vectors of linear memory fetched by a texture, each 37th around", 32.0 * stepped,
      [&] {
        fetch_in_wide_steps<<<Set::blocks(stepped), 256>>>(texture, reinterpret_cast<uint4*>(s.out), stepped);
      },
      [&] {
        return numbers(s, 4 * std::size_t{stepped},
                       [&](std::size_t i) { return word_of(4 * (i / 4 * kWideStep % stepped) + i % 4); });
      });
  cudaDestroyTextureObject(texture);

  const unsigned planes = as_number(n / 64 / kVolumePlane), lines = as_number(n / 256);
  array = array_of<float>(s.in, kVolumeWide, kVolumeWide, planes);
  texture = texture_of(array, cudaAddressModeClamp, cudaFilterModeLinear, false);
  s.run(
      "sixteen filtered reads of a volume along slanting lines from anywhere",
      (4.0 * kSlantReads + 8.0) * lines,
      [&] { read_slanting<<<Set::blocks(lines, 128), 128>>>(texture, s.words, s.out, planes, lines); },
      [&] {
        return within(s, lines, 0.02, [&](std::size_t i) {
          Quarters at = slant_start(word_of(i), planes);
          double sum = 0;
          for (unsigned k = 0; k < kSlantReads; ++k, slant_on(at, planes))
            sum += between_two(0.25 * at.z, [&](long z) {
              return between_two(0.25 * at.y, [&](long y) {
                return between_two(0.25 * at.x, [&](long x) {
                  return double{float_of(clamped(z, planes) * kVolumePlane +
                                         clamped(y, kVolumeWide) * kVolumeWide + clamped(x, kVolumeWide))};
                });
              });
            });
          return sum;
        });
      });
  cudaDestroyTextureObject(texture), cudaFreeArray(array);
}

}  // namespace held_out_14
