/// @file
/// Textures and surfaces: a picture sheared by fetches between pixels, bytes read as parts of one, a
/// surface written column by column, leaning slices of a volume.
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

constexpr unsigned kTexturesWidth = 1024, kVolume = 64;

__global__ void shear(cudaTextureObject_t picture, float* out, float by) {
  const unsigned x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  out[y * std::size_t{kTexturesWidth} + x] = tex2D<float>(
      picture, static_cast<float>(x) + by * static_cast<float>(y % 64) + 0.5f, static_cast<float>(y) + 0.5f);
}
/// Bytes come as parts of one.
__global__ void parts_of_one(cudaTextureObject_t bytes, float* out) {
  const unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  const float4 p = tex2D<float4>(bytes, static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
  out[y * std::size_t{kTexturesWidth} + x] = 0.3f * p.x + 0.6f * p.y + 0.1f * p.z + p.w;
}
/// Sharpened where a surface is written; a thread goes down a column of eight.
__global__ void sharpen(cudaTextureObject_t picture, cudaSurfaceObject_t out) {
  const int x = static_cast<int>(blockIdx.x * 64 + threadIdx.x), y0 = static_cast<int>(blockIdx.y * 8);
  const float fx = static_cast<float>(x) + 0.5f;
  float up = tex2D<float>(picture, fx, static_cast<float>(y0) - 0.5f),
        here = tex2D<float>(picture, fx, static_cast<float>(y0) + 0.5f);
  for (int y = y0; y < y0 + 8; ++y) {
    const float fy = static_cast<float>(y) + 0.5f, down = tex2D<float>(picture, fx, fy + 1.0f);
    const float v =
        5.0f * here - up - down - tex2D<float>(picture, fx - 1.0f, fy) - tex2D<float>(picture, fx + 1.0f, fy);
    surf2Dwrite(v, out, x * 4, y);
    up = here, here = down;
  }
}
/// A slice through a volume that leans: each picture's points lie on a plane.
__global__ void leaning_slices(cudaTextureObject_t volume, const float* lean, float* out) {
  const unsigned x = threadIdx.x, y = blockIdx.x * 4 + threadIdx.y, z = blockIdx.y;
  const float fx = static_cast<float>(x) + 0.5f, fy = static_cast<float>(y) + 0.5f;
  out[(z * std::size_t{kVolume} + y) * kVolume + x] =
      tex3D<float>(volume, fx, fy, 0.5f + lean[z] * (fx + fy) * 0.0625f);
}
cudaResourceDesc of_array(cudaArray_t array) {
  cudaResourceDesc what{};
  what.resType = cudaResourceTypeArray;
  what.res.array.array = array;
  return what;
}
cudaResourceDesc of_rows(void* rows, const cudaChannelFormatDesc& format, unsigned height) {
  cudaResourceDesc what{};
  what.resType = cudaResourceTypePitch2D;
  what.res.pitch2D.devPtr = rows;
  what.res.pitch2D.desc = format;
  what.res.pitch2D.width = kTexturesWidth;
  what.res.pitch2D.height = height;
  what.res.pitch2D.pitchInBytes = kTexturesWidth * 4;
  return what;
}
cudaTextureObject_t texture_of(const cudaResourceDesc& what, bool between,
                               cudaTextureReadMode read = cudaReadModeElementType) {
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = cudaAddressModeClamp;
  how.filterMode = between ? cudaFilterModeLinear : cudaFilterModePoint;
  how.readMode = read;
  cudaTextureObject_t texture = 0;
  ladder::check(cudaCreateTextureObject(&texture, &what, &how, nullptr), "texture");
  return texture;
}

}  // namespace

void textures(Set& s) {
  const std::size_t n = s.n;
  const unsigned height = as_number(n / 16 / kTexturesWidth / 8 * 8), high = height / 16 * 16;
  const auto pixel = [&](long x, long y) {
    x = std::min(std::max(x, 0L), static_cast<long>(kTexturesWidth) - 1);
    y = std::min(std::max(y, 0L), static_cast<long>(height) - 1);
    return double{float_of(static_cast<std::size_t>(y) * kTexturesWidth + static_cast<std::size_t>(x))};
  };
  const auto picture = texture_of(of_rows(s.in, cudaCreateChannelDesc<float>(), height), true);
  s.run(
      "picture sheared between pixels", 8.0 * kTexturesWidth * high,
      [&] { shear<<<dim3(kTexturesWidth / 16, high / 16), dim3(16, 16)>>>(picture, s.out, 0.25f); },
      [&] {
        return within(s, std::size_t{kTexturesWidth} * high, 0.02, [&](std::size_t i) {
          const long y = static_cast<long>(i / kTexturesWidth), q = y % 64;
          const double part = static_cast<double>(q % 4) * 0.25;
          const long x = static_cast<long>(i % kTexturesWidth) + q / 4;
          return (1 - part) * pixel(x, y) + part * pixel(x + 1, y);
        });
      });
  cudaDestroyTextureObject(picture);
  const auto bytes = texture_of(of_rows(s.words, cudaCreateChannelDesc<uchar4>(), height), false,
                                cudaReadModeNormalizedFloat);
  s.run(
      "bytes read as parts of one", 8.0 * kTexturesWidth * height,
      [&] { parts_of_one<<<dim3(kTexturesWidth / 32, height / 8), dim3(32, 8)>>>(bytes, s.out); },
      [&] {
        return floats(s, std::size_t{kTexturesWidth} * height, [](std::size_t i) {
          return (0.3 * byte_of(4 * i) + 0.6 * byte_of(4 * i + 1) + 0.1 * byte_of(4 * i + 2) +
                  byte_of(4 * i + 3)) /
                 255;
        });
      });
  cudaDestroyTextureObject(bytes);
  {
    cudaArray_t array = nullptr;
    const auto format = cudaCreateChannelDesc<float>();
    ladder::check(cudaMallocArray(&array, &format, kTexturesWidth, height, cudaArraySurfaceLoadStore),
                  "array");
    const auto resource = of_array(array);
    cudaSurfaceObject_t surface = 0;
    ladder::check(cudaCreateSurfaceObject(&surface, &resource), "surface");
    const auto points = texture_of(of_rows(s.in, cudaCreateChannelDesc<float>(), height), false);
    s.run(
        "picture sharpened onto a surface", 8.0 * kTexturesWidth * height,
        [&] { sharpen<<<dim3(kTexturesWidth / 64, height / 8), 64>>>(points, surface); },
        [&] {
          cudaMemcpy2DFromArray(s.out, kTexturesWidth * 4, array, 0, 0, kTexturesWidth * 4, height,
                                cudaMemcpyDeviceToDevice);
          return within(s, std::size_t{kTexturesWidth} * height, 1e-3, [&](std::size_t i) {
            const long x = static_cast<long>(i % kTexturesWidth), y = static_cast<long>(i / kTexturesWidth);
            return 5 * pixel(x, y) - pixel(x, y - 1) - pixel(x, y + 1) - pixel(x - 1, y) - pixel(x + 1, y);
          });
        });
    cudaDestroyTextureObject(points), cudaDestroySurfaceObject(surface), cudaFreeArray(array);
  }
  {
    cudaArray_t array = nullptr;
    const auto format = cudaCreateChannelDesc<float>();
    ladder::check(cudaMalloc3DArray(&array, &format, make_cudaExtent(kVolume, kVolume, kVolume)), "array");
    // Its values rise with z, so that what lies between them is known.
    std::vector<float> here(kVolume * kVolume * kVolume);
    for (unsigned k = 0; k < here.size(); ++k)
      here[k] = 1 + static_cast<float>(k / (kVolume * kVolume)) + 0.125f * static_cast<float>(k % kVolume);
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(here.data(), kVolume * 4, kVolume, kVolume);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(kVolume, kVolume, kVolume);
    copy.kind = cudaMemcpyHostToDevice;
    ladder::check(cudaMemcpy3D(&copy), "volume");
    const auto volume = texture_of(of_array(array), true);
    const unsigned slices = as_number(n / 32 / (kVolume * kVolume));
    s.run(
        "leaning slices through a volume", 4.0 * kVolume * kVolume * slices,
        [&] { leaning_slices<<<dim3(kVolume / 4, slices), dim3(kVolume, 4)>>>(volume, s.in, s.out); },
        [&] {
          return within(s, std::size_t{kVolume * kVolume} * slices, 0.05, [](std::size_t i) {
            const double x = real(i % kVolume) + 0.5, y = real(i / kVolume % kVolume) + 0.5;
            const double z = float_of(i / kVolume / kVolume) * (x + y) * 0.0625;
            return 1 + std::min(z, 63.0) + 0.125 * (x - 0.5);
          });
        });
    cudaDestroyTextureObject(volume), cudaFreeArray(array);
  }
}

}  // namespace held_out_6
