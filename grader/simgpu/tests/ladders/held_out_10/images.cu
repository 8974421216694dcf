/// @file
/// Textures: pairs of linear memory by number, a picture enlarged by a filter, rays that lean through a
/// volume of 16-bit points.
#include "../set_textures.hpp"
#include "held_out_10.hpp"

namespace held_out_10 {
namespace {

__global__ void fetch_pairs(cudaTextureObject_t pairs, const unsigned* words, float* out, unsigned table,
                            unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const float2 pair = tex1Dfetch<float2>(pairs, static_cast<int>(place_of(words[i], table)));
  out[i] = pair.x - 0.5f * pair.y;
}

constexpr unsigned kSmallWide = 512, kLarger = 3;
__global__ void enlarge(cudaTextureObject_t picture, float* out, unsigned high) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y >= high) return;
  constexpr float kStep = 1.0f / kLarger;
  out[y * (kSmallWide * kLarger) + x] =
      tex2D<float>(picture, (static_cast<float>(x) + 0.5f) * kStep, (static_cast<float>(y) + 0.5f) * kStep);
}

constexpr unsigned kScanSide = 128, kLeans = 4;
/// A ray goes along x and leans towards y; beyond the volume there is nothing.
__global__ void __launch_bounds__(kScanSide) leaning_sums(cudaTextureObject_t volume, unsigned* out) {
  const unsigned row = threadIdx.x, slice = blockIdx.x, lean = blockIdx.y;
  const float z = static_cast<float>(slice) + 0.5f, step = static_cast<float>(lean) * (1.0f / kScanSide);
  float y = static_cast<float>(row) + 0.50390625f;
  unsigned sum = 0;
#pragma unroll 4
  for (unsigned x = 0; x < kScanSide; ++x) {
    sum += tex3D<unsigned short>(volume, static_cast<float>(x) + 0.5f, y, z);
    y += step;
  }
  out[(lean * gridDim.x + slice) * kScanSide + row] = sum;
}

}  // namespace

void images(Set& s) {
  const std::size_t n = s.n;
  const unsigned table = as_number(n / 64), asked = as_number(n / 16);
  cudaResourceDesc what{};
  what.resType = cudaResourceTypeLinear;
  what.res.linear.devPtr = s.in;
  what.res.linear.desc = cudaCreateChannelDesc<float2>();
  what.res.linear.sizeInBytes = table * sizeof(float2);
  cudaTextureDesc how{};
  how.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  ladder::check(cudaCreateTextureObject(&texture, &what, &how, nullptr), "texture");
  s.run(
      "pairs of linear memory fetched by a texture through places", 16.0 * asked,
      [&] { fetch_pairs<<<Set::blocks(asked), 256>>>(texture, s.words, s.out, table, asked); },
      [&] {
        return within(s, asked, 1e-4, [&](std::size_t i) {
          const std::size_t at = place_of(word_of(i), table);
          return float_of(2 * at) - 0.5 * float_of(2 * at + 1);
        });
      });
  cudaDestroyTextureObject(texture);

  const std::size_t high = n / 16 / (kLarger * kLarger) / kSmallWide;
  constexpr std::size_t kLargeWide = kSmallWide * kLarger;
  const unsigned large_high = as_number(high * kLarger);
  cudaArray_t array = array_of<float>(s.in, kSmallWide, high, 0);
  texture = texture_of(array, cudaAddressModeClamp, cudaFilterModeLinear, false);
  s.run(
      "picture enlarged three times between its points", 4.5 * real(kLargeWide) * large_high,
      [&] {
        enlarge<<<dim3(kLargeWide / 32, Set::blocks(large_high, 8)), dim3(32, 8)>>>(texture, s.out,
                                                                                    large_high);
      },
      [&] {
        return within(s, kLargeWide * large_high, 0.05, [&](std::size_t i) {
          const auto clamped_to = [](long k, std::size_t count) {
            return static_cast<std::size_t>(std::clamp(k, 0L, static_cast<long>(count) - 1));
          };
          return between_two((real(i / kLargeWide) + 0.5) / kLarger, [&](long y) {
            return between_two((real(i % kLargeWide) + 0.5) / kLarger, [&](long x) {
              return double{float_of(clamped_to(y, high) * kSmallWide + clamped_to(x, kSmallWide))};
            });
          });
        });
      });
  cudaDestroyTextureObject(texture), cudaFreeArray(array);

  constexpr std::size_t kScanSlice = std::size_t{kScanSide} * kScanSide;
  const unsigned slices = as_number(n / 8 / kScanSlice);
  array = array_of<unsigned short>(s.words, kScanSide, kScanSide, slices);
  texture = texture_of(array, cudaAddressModeBorder, cudaFilterModePoint, false);
  s.run(
      "leaning sums through a volume of 16-bit points", 2.0 * real(kScanSlice) * slices,
      [&] { leaning_sums<<<dim3(slices, kLeans), kScanSide>>>(texture, s.numbers()); },
      [&] {
        return numbers(s, std::size_t{kLeans} * slices * kScanSide, [&](std::size_t i) {
          const std::size_t row = i % kScanSide, slice = i / kScanSide % slices,
                            lean = i / kScanSide / slices;
          unsigned sum = 0;
          for (std::size_t x = 0; x < kScanSide; ++x) {
            const auto y = static_cast<std::size_t>(real(row) + 0.50390625 + real(lean * x) / kScanSide);
            if (y >= kScanSide) break;
            const std::size_t at = (slice * kScanSide + y) * kScanSide + x;
            sum += word_of(at / 2) >> (16 * (at % 2)) & 0xffff;
          }
          return sum;
        });
      });
  cudaDestroyTextureObject(texture), cudaFreeArray(array);
}

}  // namespace held_out_10
