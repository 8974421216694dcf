/// @file
/// Textures: a line read between its points and around its end, a picture of twice the size by nearest
/// points, layers of an array, colours changed by a cube of colours.
#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

constexpr unsigned kLine = 2048, kTexturesWidth = 1024, kCube = 32, kLayers = 8, kLayer = 256;

__global__ void along_a_wave(cudaTextureObject_t wave, const float* phase, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = tex1D<float>(wave, 0.37f * phase[i]);
}
__global__ void twice_the_size(cudaTextureObject_t picture, float* out) {
  const unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  out[y * std::size_t{2 * kTexturesWidth} + x] =
      tex2D<float>(picture, 0.5f * (static_cast<float>(x) + 0.5f), 0.5f * (static_cast<float>(y) + 0.5f));
}
__global__ void from_layers(cudaTextureObject_t layers, const unsigned* which, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned w = which[i / 64];
  out[i] = tex2DLayered<float>(layers, static_cast<float>(i % 64 + (w >> 8 & 127)) + 0.5f,
                               static_cast<float>(w >> 16 & 255) + 0.5f, static_cast<int>(w % kLayers));
}
__global__ void through_a_cube(cudaTextureObject_t cube, const unsigned* pixels, float4* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned p = pixels[i];
  constexpr float kStep = (kCube - 1) / 255.0f;
  out[i] = tex3D<float4>(cube, static_cast<float>(p & 255) * kStep + 0.5f,
                         static_cast<float>(p >> 8 & 255) * kStep + 0.5f,
                         static_cast<float>(p >> 16 & 255) * kStep + 0.5f);
}
cudaTextureObject_t texture_of(const cudaResourceDesc& what, cudaTextureFilterMode filter,
                               cudaTextureAddressMode beyond, bool normalized) {
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = beyond;
  how.filterMode = filter;
  how.readMode = cudaReadModeElementType;
  how.normalizedCoords = normalized ? 1 : 0;
  cudaTextureObject_t texture = 0;
  ladder::check(cudaCreateTextureObject(&texture, &what, &how, nullptr), "texture");
  return texture;
}
cudaResourceDesc array_resource(cudaArray_t array) {
  cudaResourceDesc what{};
  what.resType = cudaResourceTypeArray;
  what.res.array.array = array;
  return what;
}

}  // namespace

void textures(Set& s) {
  const std::size_t n = s.n;
  {
    std::vector<float> wave(kLine);
    for (std::size_t k = 0; k < kLine; ++k)
      wave[k] = static_cast<float>(2 + std::sin(2 * 3.14159265358979 * (real(k) + 0.5) / kLine));
    cudaArray_t array = nullptr;
    const auto format = cudaCreateChannelDesc<float>();
    ladder::check(cudaMallocArray(&array, &format, kLine, 0), "array");
    ladder::check(
        cudaMemcpy2DToArray(array, 0, 0, wave.data(), kLine * 4, kLine * 4, 1, cudaMemcpyHostToDevice),
        "wave");
    const auto texture = texture_of(array_resource(array), cudaFilterModeLinear, cudaAddressModeWrap, true);
    s.run(
        "a wave read between its points", 8.0 * real(n / 16),
        [&] { along_a_wave<<<Set::blocks(n / 16), 256>>>(texture, s.in, s.out, n / 16); },
        [&] {
          return within(s, n / 16, 5e-3, [](std::size_t i) {
            return 2 + std::sin(2 * 3.14159265358979 * 0.37 * float_of(i));
          });
        });
    cudaDestroyTextureObject(texture), cudaFreeArray(array);
  }
  {
    const unsigned height = as_number(n / 64 / kTexturesWidth / 4 * 4);
    cudaResourceDesc what{};
    what.resType = cudaResourceTypePitch2D;
    what.res.pitch2D.devPtr = s.in;
    what.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    what.res.pitch2D.width = kTexturesWidth;
    what.res.pitch2D.height = height;
    what.res.pitch2D.pitchInBytes = kTexturesWidth * 4;
    const auto texture = texture_of(what, cudaFilterModePoint, cudaAddressModeClamp, false);
    s.run(
        "picture of twice the size by nearest points", 20.0 * kTexturesWidth * height,
        [&] {
          twice_the_size<<<dim3(2 * kTexturesWidth / 32, 2 * height / 8), dim3(32, 8)>>>(texture, s.out);
        },
        [&] {
          return floats(s, 4 * std::size_t{kTexturesWidth} * height, [](std::size_t i) {
            return double{
                float_of(i / (2 * kTexturesWidth) / 2 * kTexturesWidth + i % (2 * kTexturesWidth) / 2)};
          });
        });
    cudaDestroyTextureObject(texture);
  }
  {
    cudaArray_t array = nullptr;
    const auto format = cudaCreateChannelDesc<float>();
    ladder::check(
        cudaMalloc3DArray(&array, &format, make_cudaExtent(kLayer, kLayer, kLayers), cudaArrayLayered),
        "array");
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(s.in, kLayer * 4, kLayer, kLayer);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(kLayer, kLayer, kLayers);
    copy.kind = cudaMemcpyDeviceToDevice;
    ladder::check(cudaMemcpy3D(&copy), "layers");
    const auto texture = texture_of(array_resource(array), cudaFilterModePoint, cudaAddressModeClamp, false);
    s.run(
        "pieces of rows from layers", 4.0 * real(n / 32),
        [&] { from_layers<<<Set::blocks(n / 32), 256>>>(texture, s.words, s.out, n / 32); },
        [&] {
          return floats(s, n / 32, [](std::size_t i) {
            const std::size_t w = word_of(i / 64);
            return double{
                float_of((w % kLayers * kLayer + (w >> 16 & 255)) * kLayer + i % 64 + (w >> 8 & 127))};
          });
        });
    cudaDestroyTextureObject(texture), cudaFreeArray(array);
  }
  {
    std::vector<float4> cube(kCube * kCube * kCube);
    for (unsigned k = 0; k < cube.size(); ++k) {
      const auto r = static_cast<float>(k % kCube), g = static_cast<float>(k / kCube % kCube),
                 b = static_cast<float>(k / kCube / kCube);
      cube[k] = make_float4(r + 0.5f * g + 1, g - 0.25f * b + 9, 0.5f * r + b + 1, 1);
    }
    cudaArray_t array = nullptr;
    const auto format = cudaCreateChannelDesc<float4>();
    ladder::check(cudaMalloc3DArray(&array, &format, make_cudaExtent(kCube, kCube, kCube)), "array");
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(cube.data(), kCube * 16, kCube, kCube);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(kCube, kCube, kCube);
    copy.kind = cudaMemcpyHostToDevice;
    ladder::check(cudaMemcpy3D(&copy), "cube");
    const auto texture = texture_of(array_resource(array), cudaFilterModeLinear, cudaAddressModeClamp, false);
    s.run(
        "colours through a cube of colours", 20.0 * real(n / 64),
        [&] { through_a_cube<<<Set::blocks(n / 64), 256>>>(texture, s.words, s.vectors(), n / 64); },
        [&] {
          // The cube is linear, so what lies between its points is.
          return within(s, n / 16, 0.2, [](std::size_t i) {
            const double step = (kCube - 1) / 255.0, r = (word_of(i / 4) & 255) * step,
                         g = (word_of(i / 4) >> 8 & 255) * step, b = (word_of(i / 4) >> 16 & 255) * step;
            return i % 4 == 0   ? r + 0.5 * g + 1
                   : i % 4 == 1 ? g - 0.25 * b + 9
                   : i % 4 == 2 ? 0.5 * r + b + 1
                                : 1;
          });
        });
    cudaDestroyTextureObject(texture), cudaFreeArray(array);
  }
}

}  // namespace held_out_5
