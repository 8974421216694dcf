/// @file
/// Pictures: squares put back from their projections by filtered reads, pixels merged from three layers,
/// colours between the corners of a cube's cells in shared memory.
#include "../set_textures.hpp"
#include "held_out_12.hpp"

namespace held_out_12 {
namespace {

constexpr unsigned kProjections = 36, kDetectors = 96, kSliceSide = 64;
__constant__ float2 directions_of[kProjections];
/// The projections of a slice are as many rows of the picture.
__global__ void __launch_bounds__(256) put_back(cudaTextureObject_t projections, float* out) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
                 slice = blockIdx.z;
  constexpr float kMiddle = 0.5f * (kSliceSide - 1);
  const float u = static_cast<float>(x) - kMiddle, v = static_cast<float>(y) - kMiddle;
  const float first = static_cast<float>(slice * kProjections) + 0.5f;
  float sum = 0.0f;
  for (unsigned k = 0; k < kProjections; ++k) {
    const float2 along = directions_of[k];
    sum += tex2D<float>(projections, along.x * u + along.y * v + 0.5f * kDetectors,
                        first + static_cast<float>(k));
  }
  out[(slice * kSliceSide + y) * kSliceSide + x] = sum * (1.0f / kProjections);
}

constexpr unsigned kExposures = 3, kExposedWide = 1024;
__host__ __device__ __forceinline__ float trust_in(float v) {
  return 1.01f - fabsf(2.0f * v - 1.0f);
}
/// Each exposure is twice as long as the one before.
__global__ void merge_exposures(cudaTextureObject_t exposures, float* out, unsigned high) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y >= high) return;
  float sum = 0.0f, trust = 0.0f, gain = 1.0f;
#pragma unroll
  for (unsigned k = 0; k < kExposures; ++k) {
    const float v = tex2DLayered<float>(exposures, static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f,
                                        static_cast<int>(k));
    const float weight = trust_in(v);
    sum += weight * gain * v;
    trust += weight;
    gain *= 0.5f;
  }
  out[y * kExposedWide + x] = sum / trust;
}

constexpr unsigned kCubeCorners = 9, kCubeCells = kCubeCorners - 1,
                   kCubeAll = kCubeCorners * kCubeCorners * kCubeCorners;
/// The cell that a byte lies in, and how far.
__device__ __forceinline__ unsigned cell_of(unsigned byte, float& part) {
  const float at = static_cast<float>(byte) * (kCubeCells / 255.0f);
  const unsigned cell = min(static_cast<unsigned>(at), kCubeCells - 1);
  part = at - static_cast<float>(cell);
  return cell;
}
__device__ __forceinline__ float4 mixed_of(float4 a, float4 b, float part) {
  return make_float4(a.x + part * (b.x - a.x), a.y + part * (b.y - a.y), a.z + part * (b.z - a.z),
                     a.w + part * (b.w - a.w));
}
__global__ void __launch_bounds__(256)
    colours_of_cube(const float4* cube, const uchar4* pixels, float4* out, std::size_t m) {
  __shared__ float4 corners[kCubeAll];
  for (unsigned k = threadIdx.x; k < kCubeAll; k += 256) corners[k] = cube[k];
  __syncthreads();
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const uchar4 p = pixels[i];
    float red, green, blue;
    const float4* at = corners + cell_of(p.x, red) + kCubeCorners * cell_of(p.y, green) +
                       kCubeCorners * kCubeCorners * cell_of(p.z, blue);
    float4 planes_of[2];
#pragma unroll
    for (unsigned k = 0; k < 2; ++k) {
      const float4* plane = at + k * kCubeCorners * kCubeCorners;
      planes_of[k] = mixed_of(mixed_of(plane[0], plane[1], red),
                              mixed_of(plane[kCubeCorners], plane[kCubeCorners + 1], red), green);
    }
    out[i] = mixed_of(planes_of[0], planes_of[1], blue);
  }
}

}  // namespace

void images(Set& s) {
  const std::size_t n = s.n;
  std::vector<float2> directions(kProjections);
  for (std::size_t k = 0; k < kProjections; ++k) {
    const double angle = std::acos(-1.0) * real(k) / kProjections;
    directions[k] = make_float2(static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle)));
  }
  ladder::check(cudaMemcpyToSymbol(directions_of, directions.data(), sizeof directions_of), "directions");
  constexpr std::size_t kSlicePixels = std::size_t{kSliceSide} * kSliceSide;
  const unsigned slices = as_number(n / 64 / kSlicePixels);
  cudaArray_t array = array_of<float>(s.in, kDetectors, std::size_t{slices} * kProjections, 0);
  cudaTextureObject_t texture = texture_of(array, cudaAddressModeBorder, cudaFilterModeLinear, false);
  s.run(
      "squares put back from 36 projections", 4.0 * (real(kSlicePixels) + kDetectors * kProjections) * slices,
      [&] { put_back<<<dim3(kSliceSide / 32, kSliceSide / 8, slices), dim3(32, 8)>>>(texture, s.out); },
      [&] {
        return within(s, kSlicePixels * slices, 0.02, [&](std::size_t i) {
          const double u = real(i % kSliceSide) - 0.5 * (kSliceSide - 1),
                       v = real(i / kSliceSide % kSliceSide) - 0.5 * (kSliceSide - 1);
          double sum = 0;
          for (std::size_t k = 0; k < kProjections; ++k) {
            const std::size_t row = i / kSlicePixels * kProjections + k;
            sum +=
                between_two(double{directions[k].x} * u + double{directions[k].y} * v + 0.5 * kDetectors,
                            [&](long x) { return float_of(row * kDetectors + static_cast<std::size_t>(x)); });
          }
          return sum / kProjections;
        });
      });
  cudaDestroyTextureObject(texture), cudaFreeArray(array);

  const std::size_t high = n / 16 / kExposedWide;
  array = array_of<unsigned char>(s.words, kExposedWide, high, kExposures, cudaArrayLayered);
  texture = texture_of(array, cudaAddressModeClamp, cudaFilterModePoint, false, cudaReadModeNormalizedFloat);
  s.run(
      "three exposures in layers merged by trust", (kExposures + 4.0) * kExposedWide * real(high),
      [&] {
        merge_exposures<<<dim3(kExposedWide / 32, Set::blocks(high, 8)), dim3(32, 8)>>>(texture, s.out,
                                                                                        as_number(high));
      },
      [&] {
        return floats(s, kExposedWide * high, [&](std::size_t i) {
          double sum = 0, trust = 0;
          for (std::size_t k = 0; k < kExposures; ++k) {
            const double v = byte_of(k * kExposedWide * high + i) / 255.0,
                         weight = 1.01 - std::abs(2 * v - 1);
            sum += weight * v / static_cast<double>(1u << k);
            trust += weight;
          }
          return sum / trust;
        });
      });
  cudaDestroyTextureObject(texture), cudaFreeArray(array);

  std::vector<float4> cube(kCubeAll);
  for (std::size_t k = 0; k < kCubeAll; ++k)
    cube[k] = make_float4(half_of(4 * k) + 1, half_of(4 * k + 1) + 2, half_of(4 * k + 2) + 3, 1.0f);
  float4* d_cube = kept(cube);
  const std::size_t pixels = n / 32;
  s.run(
      "colours by a cube of 9 x 9 x 9 in shared memory", 20.0 * real(pixels),
      [&] {
        colours_of_cube<<<s.sms * 6, 256>>>(d_cube, reinterpret_cast<const uchar4*>(s.words), s.vectors(),
                                            pixels);
      },
      [&] {
        const auto* got = s.vectors();
        return Set::each(pixels, [&](std::size_t i) {
          double at[3], red = 0, blue = 0;
          for (std::size_t c = 0; c < 3; ++c) at[c] = byte_of(4 * i + c) * double{kCubeCells} / 255;
          for (std::size_t corner = 0; corner < 8; ++corner) {
            double weight = 1;
            std::size_t where = 0, apart = 1;
            for (std::size_t c = 0; c < 3; ++c, apart *= kCubeCorners) {
              const double cell = std::min(std::floor(at[c]), kCubeCells - 1.0), part = at[c] - cell;
              const bool beyond = (corner >> c & 1) != 0;
              weight *= beyond ? part : 1 - part;
              where += (static_cast<std::size_t>(cell) + (beyond ? 1 : 0)) * apart;
            }
            red += weight * cube[where].x;
            blue += weight * cube[where].z;
          }
          const float4 colour = Checked::at(got, i);
          return Set::near(colour.x, red) && Set::near(colour.z, blue) && Set::near(colour.w, 1);
        });
      });
  cudaFree(d_cube);
}

}  // namespace held_out_12
