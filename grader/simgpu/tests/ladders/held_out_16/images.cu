/// @file
/// Textures and surfaces: the greatest of sixteen pixels by four gathers, bytes in rows with a pitch read down
/// their columns, a volume smoothed from surface to surface.
#include <algorithm>

#include "../set_textures.hpp"
#include "held_out_16.hpp"

namespace held_out_16 {
namespace {

constexpr unsigned kGatheredWide = 1024;
__device__ __forceinline__ float greatest_of(const float4& v) {
  return fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
}
/// From one pixel before to two behind, either way. Beyond the edges lies what is at the edges.
__global__ void __launch_bounds__(256) greatest_of_gathers(cudaTextureObject_t picture, float* out) {
  const unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  const float u = static_cast<float>(x), v = static_cast<float>(y);
  const float above = fmaxf(greatest_of(tex2Dgather<float4>(picture, u, v)),
                            greatest_of(tex2Dgather<float4>(picture, u + 2.0f, v)));
  const float below = fmaxf(greatest_of(tex2Dgather<float4>(picture, u, v + 2.0f)),
                            greatest_of(tex2Dgather<float4>(picture, u + 2.0f, v + 2.0f)));
  out[y * kGatheredWide + x] = fmaxf(above, below);
}

constexpr unsigned kPitch = 2048, kPitchedWide = 2000, kDownRows = 1024, kDownThreads = 224;
constexpr float kDownAcross = 1.95f, kDownFirst = 0.7f, kDownBetween = 0.3f;
/// Neighbouring threads read neighbouring rows.
__global__ void __launch_bounds__(kDownThreads)
    read_down_columns(cudaTextureObject_t picture, float* out, unsigned high) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < high)
    out[std::size_t{y} * high + x] = tex2D<float>(picture, kDownAcross * static_cast<float>(y) + kDownFirst,
                                                  static_cast<float>(x) + kDownBetween);
}

constexpr unsigned kVolumeSide = 64;
constexpr std::size_t kVolumePlane = std::size_t{kVolumeSide} * kVolumeSide;
/// A point becomes half of itself and a twelfth of each of six around it. Reads beyond the edges are held there.
__global__ void __launch_bounds__(256) smooth_surface(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
  const int x = static_cast<int>(blockIdx.x * 32 + threadIdx.x),
            y = static_cast<int>(blockIdx.y * 8 + threadIdx.y), z = static_cast<int>(blockIdx.z);
  const auto at = [&](int u, int v, int w) {
    return surf3Dread<float>(from, u * static_cast<int>(sizeof(float)), v, w, cudaBoundaryModeClamp);
  };
  const float around = at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) + at(x, y + 1, z) +
                       at(x, y, z - 1) + at(x, y, z + 1);
  surf3Dwrite(0.5f * at(x, y, z) + around * (1.0f / 12), to, x * static_cast<int>(sizeof(float)), y, z);
}

std::size_t within_side(long at, std::size_t wide) {
  return at < 0 ? 0 : std::min(static_cast<std::size_t>(at), wide - 1);
}

}  // namespace

void images(Set& s) {
  const std::size_t n = s.n;
  const std::size_t gathered = n / 16 / kGatheredWide / 8 * 8;
  cudaArray_t array = array_of<float>(s.in, kGatheredWide, gathered, 0, cudaArrayTextureGather);
  cudaTextureObject_t texture = texture_of(array, cudaAddressModeClamp, cudaFilterModePoint, false);
  s.run(
      "greatest of 4 x 4 pixels by four gathers", 8.0 * kGatheredWide * real(gathered),
      [&] {
        greatest_of_gathers<<<dim3(kGatheredWide / 32, as_number(gathered / 8)), dim3(32, 8)>>>(texture,
                                                                                                s.out);
      },
      [&] {
        return floats(s, kGatheredWide * gathered, [&](std::size_t i) {
          const long x = static_cast<long>(i % kGatheredWide), y = static_cast<long>(i / kGatheredWide);
          double greatest = 0;
          for (long k = 0; k < 16; ++k)
            greatest =
                std::max(greatest, double{float_of(within_side(y + k / 4 - 1, gathered) * kGatheredWide +
                                                   within_side(x + k % 4 - 1, kGatheredWide))});
          return greatest;
        });
      });
  cudaDestroyTextureObject(texture), cudaFreeArray(array);

  const unsigned high = as_number(n / 8 / kPitch);
  cudaResourceDesc what{};
  what.resType = cudaResourceTypePitch2D;
  what.res.pitch2D.devPtr = s.words;
  what.res.pitch2D.desc = cudaCreateChannelDesc<unsigned char>();
  what.res.pitch2D.width = kPitchedWide;
  what.res.pitch2D.height = high;
  what.res.pitch2D.pitchInBytes = kPitch;
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.filterMode = cudaFilterModeLinear;
  how.readMode = cudaReadModeNormalizedFloat;
  ladder::check(cudaCreateTextureObject(&texture, &what, &how, nullptr), "texture");
  s.run(
      "bytes in rows with a pitch read down columns, between points", (4.0 * kDownRows + kPitchedWide) * high,
      [&] {
        read_down_columns<<<dim3(Set::blocks(high, kDownThreads), kDownRows), kDownThreads>>>(texture, s.out,
                                                                                              high);
      },
      [&] {
        return within(s, std::size_t{kDownRows} * high, 0.02, [&](std::size_t i) {
          return between_two(real(i % high) + double{kDownBetween}, [&](long row) {
            return between_two(double{kDownAcross} * real(i / high) + double{kDownFirst}, [&](long column) {
              return byte_of(within_side(row, high) * kPitch + within_side(column, kPitchedWide)) / 255.0;
            });
          });
        });
      });
  cudaDestroyTextureObject(texture);

  const unsigned planes = as_number(n / 16 / kVolumePlane);
  cudaArray_t from = array_of<float>(s.in, kVolumeSide, kVolumeSide, planes, cudaArraySurfaceLoadStore),
              to = array_of<float>(s.other, kVolumeSide, kVolumeSide, planes, cudaArraySurfaceLoadStore);
  const cudaSurfaceObject_t read = surface_of(from), written = surface_of(to);
  s.run(
      "six around of a volume from surface to surface", 8.0 * real(kVolumePlane) * planes,
      [&] {
        smooth_surface<<<dim3(kVolumeSide / 32, kVolumeSide / 8, planes), dim3(32, 8)>>>(read, written);
      },
      [&] {
        cudaMemcpy3DParms copy{};
        copy.srcArray = to;
        copy.dstPtr = make_cudaPitchedPtr(s.out, kVolumeSide * sizeof(float), kVolumeSide, kVolumeSide);
        copy.extent = make_cudaExtent(kVolumeSide, kVolumeSide, planes);
        copy.kind = cudaMemcpyDeviceToDevice;
        ladder::check(cudaMemcpy3D(&copy), "copy of array");
        return floats(s, kVolumePlane * planes, [&](std::size_t i) {
          const long x = static_cast<long>(i % kVolumeSide),
                     y = static_cast<long>(i / kVolumeSide % kVolumeSide),
                     z = static_cast<long>(i / kVolumePlane);
          const auto at = [&](long u, long v, long w) {
            return double{float_of(within_side(w, planes) * kVolumePlane +
                                   within_side(v, kVolumeSide) * kVolumeSide + within_side(u, kVolumeSide))};
          };
          return 0.5 * at(x, y, z) + (at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) + at(x, y + 1, z) +
                                      at(x, y, z - 1) + at(x, y, z + 1)) /
                                         12;
        });
      });
  cudaDestroySurfaceObject(read), cudaDestroySurfaceObject(written), cudaFreeArray(from), cudaFreeArray(to);
}

}  // namespace held_out_16
