/// @file
/// Textures: a leaning picture of pairs of 16 bits, a volume of halves between its points, colours of layers.
#include <algorithm>

#include "../set_textures.hpp"
#include "held_out_15.hpp"

namespace held_out_15 {
namespace {

constexpr unsigned kLeaningWide = 768, kLeaningRound = 512;
constexpr float kLeaning = 0.25f, kLeaningShift = 64.0f, kLeaningDown = 0.8f;
/// Beyond the edges is nought.
__global__ void __launch_bounds__(256) lean_picture(cudaTextureObject_t picture, float2* out, unsigned high) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y >= high) return;
  out[y * kLeaningWide + x] = tex2D<float2>(
      picture, static_cast<float>(x) + kLeaning * static_cast<float>(y % kLeaningRound) - kLeaningShift,
      kLeaningDown * static_cast<float>(y) + 1.0f);
}

constexpr unsigned kHalvesSide = 64;
constexpr std::size_t kHalvesPlane = std::size_t{kHalvesSide} * kHalvesSide;
/// Places in quarters of a texel: what a filter gives there is exact.
struct QuarterPlace {
  unsigned x, y, z;
};
__host__ __device__ __forceinline__ QuarterPlace slanted(unsigned x, unsigned y, unsigned z) {
  return {3 * x + y % 32, 2 * y + z % 64, 4 * z + x % 4};
}
__global__ void __launch_bounds__(256) slant_volume(cudaTextureObject_t volume, float* out) {
  const unsigned x = threadIdx.x, y = blockIdx.x * 4 + threadIdx.y, z = blockIdx.y;
  const QuarterPlace at = slanted(x, y, z);
  out[(z * kHalvesSide + y) * kHalvesSide + x] =
      tex3D<float>(volume, 0.25f * static_cast<float>(at.x), 0.25f * static_cast<float>(at.y),
                   0.25f * static_cast<float>(at.z));
}

constexpr unsigned kLayerSide = 64;
constexpr std::size_t kLayer = std::size_t{kLayerSide} * kLayerSide;
__global__ void __launch_bounds__(128) colours_of_layers(cudaTextureObject_t colours, const unsigned* words,
                                                         float4* out, unsigned layers, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const unsigned w = words[i];
  out[i] =
      tex2DLayered<float4>(colours, 0.25f * static_cast<float>(w & 255),
                           0.25f * static_cast<float>(w >> 8 & 255), static_cast<int>((w >> 16) % layers));
}

std::size_t within_side(long at, std::size_t wide) {
  return at < 0 ? 0 : std::min(static_cast<std::size_t>(at), wide - 1);
}
/// The toolkit's templates know no halves.
cudaArray_t array_of_halves(const __half* from, std::size_t side, std::size_t planes) {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDescHalf();
  ladder::check(cudaMalloc3DArray(&array, &format, make_cudaExtent(side, side, planes)), "array");
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<__half*>(from), side * sizeof(__half), side, side);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(side, side, planes);
  copy.kind = cudaMemcpyDeviceToDevice;
  ladder::check(cudaMemcpy3D(&copy), "copy to array");
  return array;
}

}  // namespace

void images(Set& s) {
  const std::size_t n = s.n;
  const std::size_t high = n / 32 / kLeaningWide;
  cudaArray_t array = array_of<ushort2>(s.words, kLeaningWide, high, 0);
  cudaTextureObject_t texture =
      texture_of(array, cudaAddressModeBorder, cudaFilterModeLinear, false, cudaReadModeNormalizedFloat);
  s.run(
      "picture of pairs of 16 bits made to lean, filtered, nought beyond its edges",
      12.0 * kLeaningWide * real(high),
      [&] {
        lean_picture<<<dim3(kLeaningWide / 32, Set::blocks(high, 8)), dim3(32, 8)>>>(
            texture, reinterpret_cast<float2*>(s.out), as_number(high));
      },
      [&] {
        return within(s, 2 * kLeaningWide * high, 0.02, [&](std::size_t i) {
          const std::size_t x = i / 2 % kLeaningWide, y = i / 2 / kLeaningWide;
          const double u = real(x) + double{kLeaning} * real(y % kLeaningRound) - kLeaningShift,
                       v = double{kLeaningDown} * real(y) + 1.0;
          return between_two(v, [&](long row) {
            return between_two(u, [&](long column) {
              if (row < 0 || column < 0 || row >= static_cast<long>(high) || column >= long{kLeaningWide})
                return 0.0;
              const unsigned word =
                  word_of(static_cast<std::size_t>(row) * kLeaningWide + static_cast<std::size_t>(column));
              return (word >> (16 * (i % 2)) & 0xffff) / 65535.0;
            });
          });
        });
      });
  cudaDestroyTextureObject(texture), cudaFreeArray(array);

  const unsigned planes = as_number(n / 16 / kHalvesPlane);
  array = array_of_halves(s.halves, kHalvesSide, planes);
  texture = texture_of(array, cudaAddressModeClamp, cudaFilterModeLinear, false);
  s.run(
      "volume of halves slanted, read between its points", 6.0 * real(kHalvesPlane) * planes,
      [&] { slant_volume<<<dim3(kHalvesSide / 4, planes), dim3(kHalvesSide, 4)>>>(texture, s.out); },
      [&] {
        return within(s, kHalvesPlane * planes, 0.01, [&](std::size_t i) {
          const QuarterPlace at =
              slanted(as_number(i % kHalvesSide), as_number(i / kHalvesSide % kHalvesSide),
                      as_number(i / kHalvesPlane));
          return between_two(0.25 * at.z, [&](long z) {
            return between_two(0.25 * at.y, [&](long y) {
              return between_two(0.25 * at.x, [&](long x) {
                return double{half_of(within_side(z, planes) * kHalvesPlane +
                                      within_side(y, kHalvesSide) * kHalvesSide +
                                      within_side(x, kHalvesSide))};
              });
            });
          });
        });
      });
  cudaDestroyTextureObject(texture), cudaFreeArray(array);

  const unsigned layers = as_number(n / 64 / kLayer), looked_up = as_number(n / 64);
  array = array_of<float4>(s.in, kLayerSide, kLayerSide, layers, cudaArrayLayered);
  texture = texture_of(array, cudaAddressModeClamp, cudaFilterModeLinear, false);
  s.run(
      "colours at random places of layers at random, filtered", 36.0 * looked_up,
      [&] {
        colours_of_layers<<<Set::blocks(looked_up, 128), 128>>>(texture, s.words, s.vectors(), layers,
                                                                looked_up);
      },
      [&] {
        return within(s, 4 * std::size_t{looked_up}, 0.05, [&](std::size_t i) {
          const unsigned w = word_of(i / 4);
          const std::size_t first = (w >> 16) % layers * kLayer;
          return between_two(0.25 * (w >> 8 & 255), [&](long y) {
            return between_two(0.25 * (w & 255), [&](long x) {
              return double{float_of(
                  4 * (first + within_side(y, kLayerSide) * kLayerSide + within_side(x, kLayerSide)) +
                  i % 4)};
            });
          });
        });
      });
  cudaDestroyTextureObject(texture), cudaFreeArray(array);
}

}  // namespace held_out_15
