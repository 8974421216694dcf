/// @file
/// Textures: horizons of a terrain read between its points, a pattern repeated over a plane, blocks of a
/// picture looked for in another.
#include "held_out_7.hpp"

namespace held_out_7 {
namespace {

constexpr int kTerrain = 256, kPlane = 1024, kPattern = 64;

/// The steepest way up that a point sees along sixteen steps; each field of 256 x 256 looks another way.
__global__ void horizons(cudaTextureObject_t terrain, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const auto x = static_cast<float>(i % kTerrain) + 0.5f,
             y = static_cast<float>(i / kTerrain % kTerrain) + 0.5f;
  const float way = 0.4f * static_cast<float>(i / (kTerrain * kTerrain)), dx = cosf(way), dy = sinf(way);
  const float here = tex2D<float>(terrain, x, y);
  float steepest = -100.0f;
  for (int k = 1; k <= 16; ++k) {
    const auto far = static_cast<float>(k);
    steepest = fmaxf(steepest, (tex2D<float>(terrain, x + far * dx, y + far * dy) - here) / far);
  }
  out[i] = steepest;
}
__global__ void repeat_pattern(cudaTextureObject_t pattern, float* out) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  const auto fx = static_cast<float>(x), fy = static_cast<float>(y % 512);
  const float4 c = tex2D<float4>(pattern, 0.011f * fx + 0.004f * fy, 0.009f * fy - 0.003f * fx);
  out[y * std::size_t{kPlane} + x] = c.x + 2.0f * c.y + 3.0f * c.z + 4.0f * c.w;
}
/// Which of nine shifts brings a block of 8 x 8 nearest to what the other picture has.
__global__ void __launch_bounds__(64)
    match_blocks(const unsigned char* picture, cudaTextureObject_t other, unsigned* out) {
  __shared__ unsigned differences[9];
  const int t = threadIdx.y * 8 + threadIdx.x, x = blockIdx.x * 8 + threadIdx.x,
            y = blockIdx.y * 8 + threadIdx.y;
  if (t < 9) differences[t] = 0;
  __syncthreads();
  const int mine = picture[y * kPlane + x];
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      const int its =
          tex2D<unsigned char>(other, static_cast<float>(x + dx) + 0.5f, static_cast<float>(y + dy) + 0.5f);
      int d = abs(mine - its);
      for (int lane = 16; lane > 0; lane /= 2) d += __shfl_down_sync(~0u, d, lane);
      if (t % 32 == 0) atomicAdd(&differences[(dy + 1) * 3 + dx + 1], static_cast<unsigned>(d));
    }
  __syncthreads();
  if (t != 0) return;
  unsigned best = 0;
  for (unsigned k = 1; k < 9; ++k)
    if (differences[k] < differences[best]) best = k;
  out[blockIdx.y * gridDim.x + blockIdx.x] = differences[best] * 16 + best;
}
cudaTextureObject_t texture_of(const cudaResourceDesc& what, cudaTextureAddressMode beyond, bool between,
                               bool parts) {
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = beyond;
  how.filterMode = between ? cudaFilterModeLinear : cudaFilterModePoint;
  how.readMode = parts ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  how.normalizedCoords = beyond == cudaAddressModeWrap;
  cudaTextureObject_t texture = 0;
  ladder::check(cudaCreateTextureObject(&texture, &what, &how, nullptr), "texture");
  return texture;
}
cudaArray_t array_of(const void* values, const cudaChannelFormatDesc& format, std::size_t side,
                     cudaResourceDesc* what) {
  cudaArray_t array = nullptr;
  ladder::check(cudaMallocArray(&array, &format, side, side), "array");
  ladder::check(cudaMemcpy2DToArray(array, 0, 0, values, side * 4, side * 4, side, cudaMemcpyDefault),
                "copy");
  what->resType = cudaResourceTypeArray;
  what->res.array.array = array;
  return array;
}
/// Between four of what @p at gives.
double between_points(double x, double y, const std::function<double(long, long)>& at) {
  x -= 0.5, y -= 0.5;
  const double x0 = std::floor(x), y0 = std::floor(y), u = x - x0, v = y - y0;
  const auto i = static_cast<long>(x0), j = static_cast<long>(y0);
  return (1 - v) * ((1 - u) * at(i, j) + u * at(i + 1, j)) +
         v * ((1 - u) * at(i, j + 1) + u * at(i + 1, j + 1));
}

}  // namespace

void textures(Set& s) {
  const std::size_t n = s.n, m = n / 64;
  cudaResourceDesc what{};
  cudaArray_t array = array_of(s.in, cudaCreateChannelDesc<float>(), kTerrain, &what);
  const auto terrain = texture_of(what, cudaAddressModeClamp, true, false);
  s.run(
      "horizons of a terrain along sixteen steps", 4.0 * real(m),
      [&] { horizons<<<Set::blocks(m, 128), 128>>>(terrain, s.out, m); },
      [&] {
        return within(s, m, 0.08, [](std::size_t i) {
          const auto height = [](long x, long y) {
            x = std::clamp(x, 0L, kTerrain - 1L), y = std::clamp(y, 0L, kTerrain - 1L);
            return double{float_of(static_cast<std::size_t>(y * kTerrain + x))};
          };
          const double x = real(i % kTerrain) + 0.5, y = real(i / kTerrain % kTerrain) + 0.5,
                       way = 0.4 * real(i / (kTerrain * kTerrain)), here = between_points(x, y, height);
          double steepest = -100;
          for (int k = 1; k <= 16; ++k)
            steepest = std::max(
                steepest, (between_points(x + k * std::cos(way), y + k * std::sin(way), height) - here) / k);
          return steepest;
        });
      });
  cudaDestroyTextureObject(terrain), cudaFreeArray(array);
  array = array_of(s.words, cudaCreateChannelDesc<uchar4>(), kPattern, &what);
  const auto pattern = texture_of(what, cudaAddressModeWrap, true, true);
  const unsigned rows = as_number(n / 16 / kPlane / 16 * 16);
  s.run(
      "pattern repeated over a plane that leans", 4.0 * kPlane * rows,
      [&] { repeat_pattern<<<dim3(kPlane / 32, rows / 16), dim3(32, 16)>>>(pattern, s.out); },
      [&] {
        return within(s, std::size_t{kPlane} * rows, 0.08, [](std::size_t i) {
          const double x = real(i % kPlane), y = real(i / kPlane % 512);
          return between_points(kPattern * (0.011 * x + 0.004 * y), kPattern * (0.009 * y - 0.003 * x),
                                [](long u, long v) {
                                  const auto at = static_cast<std::size_t>((v & 63) * kPattern + (u & 63));
                                  double sum = 0;
                                  for (std::size_t k = 0; k < 4; ++k)
                                    sum += real(k + 1) * byte_of(4 * at + k) / 255;
                                  return sum;
                                });
        });
      });
  cudaDestroyTextureObject(pattern), cudaFreeArray(array);
  const std::size_t high = n / 32 / kPlane / 8 * 8, other_from = n / 2 * 4;
  cudaResourceDesc rows_of_bytes{};
  rows_of_bytes.resType = cudaResourceTypePitch2D;
  rows_of_bytes.res.pitch2D.devPtr = s.words + n / 2;
  rows_of_bytes.res.pitch2D.desc = cudaCreateChannelDesc<unsigned char>();
  rows_of_bytes.res.pitch2D.width = kPlane;
  rows_of_bytes.res.pitch2D.height = high;
  rows_of_bytes.res.pitch2D.pitchInBytes = kPlane;
  const auto other = texture_of(rows_of_bytes, cudaAddressModeClamp, false, false);
  s.run(
      "blocks of 8 x 8 matched at nine shifts", 2.0 * kPlane * real(high),
      [&] {
        match_blocks<<<dim3(kPlane / 8, as_number(high / 8)), dim3(8, 8)>>>(
            reinterpret_cast<const unsigned char*>(s.words), other, s.numbers());
      },
      [&] {
        return numbers(s, kPlane / 8 * (high / 8), [&](std::size_t b) {
          const long x0 = static_cast<long>(b % (kPlane / 8) * 8),
                     y0 = static_cast<long>(b / (kPlane / 8) * 8);
          unsigned best = ~0u;
          for (unsigned k = 0; k < 9; ++k) {
            unsigned sum = 0;
            for (long p = 0; p < 64; ++p) {
              const long x = x0 + p % 8, y = y0 + p / 8;
              const long u = std::clamp(x + k % 3 - 1, 0L, kPlane - 1L),
                         v = std::clamp(y + k / 3 - 1, 0L, static_cast<long>(high) - 1);
              const int a = static_cast<int>(byte_of(static_cast<std::size_t>(y * kPlane + x))),
                        c = static_cast<int>(byte_of(other_from + static_cast<std::size_t>(v * kPlane + u)));
              sum += static_cast<unsigned>(std::abs(a - c));
            }
            best = std::min(best, sum * 16 + k);
          }
          return best;
        });
      });
  cudaDestroyTextureObject(other);
}

}  // namespace held_out_7
