/// @file
/// Textures and surfaces over arrays, which lie in memory by tiles: turned, gathered by fours, in three dimensions, written.
#include "blind.hpp"

namespace blind {
namespace {

/// Coordinates from 0 to 1 that repeat beyond: the image, turned by thirty degrees.
__global__ void turn_repeated(cudaTextureObject_t image, float* out, int width, int height) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x >= width || y >= height) return;
  const float u = 0.8660254f * x - 0.5f * y, v = 0.5f * x + 0.8660254f * y;
  out[std::size_t(y) * width + x] = tex2D<float>(image, u / width, v / height);
}
/// The range of four pixels that one read gives.
__global__ void range_of_four(cudaTextureObject_t image, float* out, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height) return;
  const float4 p =
      tex2Dgather<float4>(image, static_cast<float>(x + 1) / width, static_cast<float>(y + 1) / height, 0);
  out[std::size_t(y) * width + x] =
      fmaxf(fmaxf(p.x, p.y), fmaxf(p.z, p.w)) - fminf(fminf(p.x, p.y), fminf(p.z, p.w));
}
/// A ray through each pixel of a side, 64 samples deep.
__global__ void march(cudaTextureObject_t volume, float* out, int depth) {
  const int y = threadIdx.x, z = blockIdx.x;
  if (z >= depth) return;
  float sum = 0, through = 1;
#pragma unroll 4
  for (int k = 0; k < 64; ++k) {
    const float v = tex3D<float>(volume, 2 * k + 0.5f, y + 0.3f * k, z + 0.5f);
    sum += through * v * 0.02f;
    through *= 0.98f;
  }
  out[z * 128 + y] = sum;
}
__global__ void mirror(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  if (x >= width || y >= height) return;
  float2 v;
  surf2Dread(&v, from, x * 8, y);
  surf2Dwrite(make_float2(v.y, v.x), to, (width - 1 - x) * 8, y);
}

/// An array with a texture and a surface of it.
struct Image {
  cudaArray_t array = nullptr;
  cudaTextureObject_t texture = 0;
  cudaSurfaceObject_t surface = 0;

  Image(cudaChannelFormatDesc format, std::size_t width, std::size_t height, std::size_t depth,
        unsigned flags, cudaTextureAddressMode mode, bool normalised) {
    ladder::check(cudaMalloc3DArray(&array, &format, make_cudaExtent(width, height, depth), flags), "array");
    cudaResourceDesc what{};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array;
    cudaTextureDesc how{};
    how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = mode;
    how.filterMode = cudaFilterModeLinear;
    how.normalizedCoords = normalised;
    ladder::check(cudaCreateTextureObject(&texture, &what, &how, nullptr), "texture");
    if (flags & cudaArraySurfaceLoadStore) ladder::check(cudaCreateSurfaceObject(&surface, &what), "surface");
  }
  ~Image() {
    cudaDestroyTextureObject(texture);
    if (surface != 0) cudaDestroySurfaceObject(surface);
    cudaFreeArray(array);
  }
};

}  // namespace

void image_arrays(Set& s) {
  const std::size_t n = s.n, height = n / 4 / 2048;
  const int high = static_cast<int>(height);
  {
    const Image image(cudaCreateChannelDesc<float>(), 2048, height, 0, cudaArrayTextureGather,
                      cudaAddressModeWrap, true);
    cudaMemcpy2DToArray(image.array, 0, 0, s.in, 8192, 8192, height, cudaMemcpyDeviceToDevice);
    s.run(
        "array turned, repeated", s.one / 2,
        [&] {
          turn_repeated<<<dim3(128, Set::blocks(height, 16)), dim3(16, 16)>>>(image.texture, s.out, 2048,
                                                                              high);
        },
        [&] {
          // Between 0.5 and 7.05 everywhere, and as noisy as the image between pixels is.
          double sum = 0;
          for (std::size_t i = 0; i < 4096; ++i) sum += s.value(2048 * height / 2 + i);
          return Set::near(sum / 4096, 3.78, 0.03);
        });
    s.run(
        "four pixels of an array in a read", s.one / 2,
        [&] {
          range_of_four<<<dim3(64, Set::blocks(height, 8)), dim3(32, 8)>>>(image.texture, s.out, 2048, high);
        },
        [&] {
          return Set::each(2048 * (height - 1) - 1, [&](std::size_t i) {
            const std::size_t right = i % 2048 == 2047 ? i - 2047 : i + 1;
            const auto [least, most] =
                std::minmax({float_of(i), float_of(right), float_of(i + 2048), float_of(right + 2048)});
            return Set::near(s.value(i), most - least);
          });
        });
  }
  {
    const std::size_t depth = n / 32768;
    const Image volume(cudaCreateChannelDesc<float>(), 128, 128, depth, 0, cudaAddressModeClamp, false);
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(s.in, 512, 128, 128);
    copy.dstArray = volume.array;
    copy.extent = make_cudaExtent(128, 128, depth);
    copy.kind = cudaMemcpyDeviceToDevice;
    ladder::check(cudaMemcpy3D(&copy), "volume");
    s.run(
        "rays through a volume", 65536.0 * static_cast<double>(depth),
        [&] { march<<<static_cast<unsigned>(depth), 128>>>(volume.texture, s.out, static_cast<int>(depth)); },
        [&] {
          return Set::each(depth, [&](std::size_t z) {
            const double y0 = 11;
            double sum = 0, through = 1;
            for (int k = 0; k < 64; ++k, through *= 0.98) {
              const double y = y0 + 0.3 * k - 0.5, f = y - std::floor(y);
              const std::size_t at = (z * 128 + static_cast<std::size_t>(y)) * 128 + 2 * k;
              sum += through * 0.02 * ((1 - f) * float_of(at) + f * float_of(at + 128));
            }
            return Set::near(s.value(z * 128 + 11), sum, 0.01);
          });
        });
  }
  {
    const auto format = cudaCreateChannelDesc<float2>();
    const Image from(format, 1024, height, 0, cudaArraySurfaceLoadStore, cudaAddressModeClamp, false),
        to(format, 1024, height, 0, cudaArraySurfaceLoadStore, cudaAddressModeClamp, false);
    cudaMemcpy2DToArray(from.array, 0, 0, s.in, 8192, 8192, height, cudaMemcpyDeviceToDevice);
    s.run(
        "surface mirrored", s.one / 2,
        [&] {
          mirror<<<dim3(32, Set::blocks(height, 4)), dim3(32, 4)>>>(from.surface, to.surface, 1024, high);
        },
        [&] {
          cudaMemcpy2DFromArray(s.out, 8192, to.array, 0, 0, 8192, height, cudaMemcpyDeviceToDevice);
          return Set::each(2048 * height, [&](std::size_t i) {
            return s.value(i) == float_of(i / 2048 * 2048 + 2047 - i % 2048);
          });
        });
  }
}

}  // namespace blind
