/// @file
/// Textures: fetched by index, read at points, between points and from layers.
#include "held_out_2.hpp"

namespace held_out_2 {
namespace {

constexpr int kWidth = 512;

__global__ void fetched(cudaTextureObject_t line, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = tex1Dfetch<float>(line, static_cast<int>(i)) * 2 + 1;
}
/// Nine points around each.
__global__ void nine_points(cudaTextureObject_t image, float* out, int height) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (y >= height) return;
  float sum = 0;
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
    for (int dx = -1; dx <= 1; ++dx) sum += tex2D<float>(image, x + dx + 0.5f, y + dy + 0.5f);
  out[y * kWidth + x] = sum;
}
/// Half the size: each read is the mean of four.
__global__ void halved(cudaTextureObject_t image, float* out, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (y < height) out[y * (kWidth / 2) + x] = tex2D<float>(image, 2 * x + 1.0f, 2 * y + 1.0f);
}
/// A point of each of eight layers.
__global__ void eight_layers(cudaTextureObject_t images, float* out, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (y >= height) return;
  float sum = 0;
#pragma unroll
  for (int l = 0; l < 8; ++l) sum += tex2DLayered<float>(images, x + 0.5f, y + 0.5f, l);
  out[y * kWidth + x] = sum;
}
/// A table of 512 values, read between two of them.
__global__ void from_a_curve(cudaTextureObject_t curve, const float* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = tex1D<float>(curve, in[i] * 64);
}

cudaTextureObject_t texture_of(const cudaResourceDesc& what, bool between) {
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.filterMode = between ? cudaFilterModeLinear : cudaFilterModePoint;
  how.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  ladder::check(cudaCreateTextureObject(&texture, &what, &how, nullptr), "texture");
  return texture;
}
cudaResourceDesc of_array(cudaArray_t array) {
  cudaResourceDesc what{};
  what.resType = cudaResourceTypeArray;
  what.res.array.array = array;
  return what;
}

}  // namespace

void images(Set& s) {
  const std::size_t n = s.n;
  const auto format = cudaCreateChannelDesc<float>();
  cudaResourceDesc line{};
  line.resType = cudaResourceTypeLinear;
  line.res.linear.devPtr = s.in;
  line.res.linear.desc = format;
  line.res.linear.sizeInBytes = n / 4 * 4;
  const cudaTextureObject_t fetch = texture_of(line, false);
  s.run(
      "texture fetched by index", s.one / 4,
      [&] { fetched<<<Set::blocks(n / 8), 256>>>(fetch, s.out, n / 8); },
      [&] { return floats(s, n / 8, [](std::size_t i) { return 2.0 * float_of(i) + 1; }); });

  // A multiple of eight, and 8064 at most.
  const auto height = static_cast<unsigned>(n / 8 / kWidth / 8 * 2);
  const int h = static_cast<int>(height);
  const std::size_t m = std::size_t{height} * kWidth;
  cudaArray_t plane = nullptr, layers = nullptr, curve = nullptr;
  ladder::check(cudaMallocArray(&plane, &format, kWidth, height), "array");
  ladder::check(
      cudaMemcpy2DToArray(plane, 0, 0, s.in, kWidth * 4, kWidth * 4, height, cudaMemcpyDeviceToDevice),
      "array");
  const cudaTextureObject_t points = texture_of(of_array(plane), false),
                            between = texture_of(of_array(plane), true);
  const auto at = [&](long x, long y) {
    x = std::min(std::max(x, 0l), kWidth - 1l), y = std::min(std::max(y, 0l), h - 1l);
    return double{float_of(static_cast<std::size_t>(y) * kWidth + static_cast<std::size_t>(x))};
  };
  s.run(
      "nine points of a texture", 8.0 * real(m),
      [&] { nine_points<<<dim3(kWidth / 16, Set::blocks(height, 16)), dim3(16, 16)>>>(points, s.out, h); },
      [&] {
        return floats(s, m, [&](std::size_t i) {
          double sum = 0;
          for (long k = 0; k < 9; ++k)
            sum += at(static_cast<long>(i % kWidth) + k % 3 - 1, static_cast<long>(i / kWidth) + k / 3 - 1);
          return sum;
        });
      });
  s.run(
      "image halved by filtered reads", 5.0 * real(m),
      [&] { halved<<<dim3(kWidth / 64, Set::blocks(height / 2, 8)), dim3(32, 8)>>>(between, s.out, h / 2); },
      [&] {
        return floats(s, m / 4, [&](std::size_t i) {
          const long x = static_cast<long>(i % (kWidth / 2)) * 2, y = static_cast<long>(i / (kWidth / 2)) * 2;
          return (at(x, y) + at(x + 1, y) + at(x, y + 1) + at(x + 1, y + 1)) / 4;
        });
      });

  // One layer is an eighth of the plane.
  const unsigned low = height / 8;
  const std::size_t layer = std::size_t{low} * kWidth;
  ladder::check(cudaMalloc3DArray(&layers, &format, make_cudaExtent(kWidth, low, 8), cudaArrayLayered),
                "layers");
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(s.in, kWidth * 4, kWidth, low);
  copy.dstArray = layers;
  copy.extent = make_cudaExtent(kWidth, low, 8);
  copy.kind = cudaMemcpyDeviceToDevice;
  ladder::check(cudaMemcpy3D(&copy), "layers");
  const cudaTextureObject_t stacked = texture_of(of_array(layers), false);
  s.run(
      "eight layers added", 36.0 * real(layer),
      [&] {
        eight_layers<<<dim3(kWidth / 32, Set::blocks(low, 8)), dim3(32, 8)>>>(stacked, s.out,
                                                                              static_cast<int>(low));
      },
      [&] {
        return floats(s, layer, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t l = 0; l < 8; ++l) sum += float_of(l * layer + i);
          return sum;
        });
      });

  std::vector<float> ramp(512);
  for (std::size_t k = 0; k < 512; ++k) ramp[k] = static_cast<float>(3 * k);
  ladder::check(cudaMallocArray(&curve, &format, 512), "curve");
  ladder::check(cudaMemcpy2DToArray(curve, 0, 0, ramp.data(), 2048, 2048, 1, cudaMemcpyHostToDevice),
                "curve");
  const cudaTextureObject_t smooth = texture_of(of_array(curve), true);
  s.run(
      "values read off a curve", s.one / 4,
      [&] { from_a_curve<<<Set::blocks(n / 8), 256>>>(smooth, s.in, s.out, n / 8); },
      [&] {
        return floats(
            s, n / 8, [](std::size_t i) { return 3.0 * (64.0 * float_of(i) - 0.5); }, 0.01);
      });
  for (const cudaTextureObject_t t : {fetch, points, between, stacked, smooth}) cudaDestroyTextureObject(t);
  for (cudaArray_t a : {plane, layers, curve}) cudaFreeArray(a);
}

}  // namespace held_out_2
