/// @file
/// Textures over linear memory: bytes, halves, tables of bytes, by points and filtered.
#include "blind.hpp"

namespace blind {
namespace {

/// The least of each 5 x 5 bytes.
__global__ void erode(cudaTextureObject_t image, unsigned char* out, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height) return;
  unsigned least = 255;
#pragma unroll
  for (int dy = -2; dy <= 2; ++dy)
#pragma unroll
    for (int dx = -2; dx <= 2; ++dx)
      least = min(least, static_cast<unsigned>(tex2D<unsigned char>(image, x + dx + 0.5f, y + dy + 0.5f)));
  out[std::size_t(y) * width + x] = static_cast<unsigned char>(least);
}
/// The brightness of pixels of four halves, between pixels.
__global__ void brightness(cudaTextureObject_t image, float* out, int width, int height) {
  const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  if (x >= width || y >= height) return;
  const float4 p = tex2D<float4>(image, x + 0.75f, y + 0.75f);
  out[std::size_t(y) * width + x] = 0.3f * p.x + 0.6f * p.y + 0.1f * p.z;
}
/// Colours of a table of 4096 entries, 16 kB.
__global__ void colours_by_fetches(cudaTextureObject_t table, const unsigned* index, uchar4* out,
                                   std::size_t n) {
  const std::size_t i = global_index();
  if (i < n) out[i] = tex1Dfetch<uchar4>(table, static_cast<int>(index[i] >> 20));
}
/// The mean of eight along a line: a read in the middle of two pixels gives the mean of both.
__global__ void blur_lines(cudaTextureObject_t image, float* out, int width, int height) {
  const int x = blockIdx.x * 128 + threadIdx.x, y = blockIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
#pragma unroll
  for (int k = -4; k < 4; k += 2) sum += tex2D<float>(image, x + k + 1.0f, y + 0.5f);
  out[std::size_t(y) * width + x] = sum * 0.25f;
}

cudaTextureObject_t image_of(const void* data, cudaChannelFormatDesc format, std::size_t width,
                             std::size_t height, std::size_t pitch, bool linear) {
  cudaResourceDesc what{};
  if (height == 0) {
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = const_cast<void*>(data);
    what.res.linear.desc = format;
    what.res.linear.sizeInBytes = width;
  } else {
    what.resType = cudaResourceTypePitch2D;
    what.res.pitch2D = {const_cast<void*>(data), format, width, height, pitch};
  }
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
  how.readMode = cudaReadModeElementType;
  cudaTextureObject_t image = 0;
  ladder::check(cudaCreateTextureObject(&image, &what, &how, nullptr), "cudaCreateTextureObject");
  return image;
}

}  // namespace

void images(Set& s) {
  const std::size_t n = s.n;
  {
    const std::size_t height = n / 2 / 4096;
    const auto image = image_of(s.words, cudaCreateChannelDesc<unsigned char>(), 4096, height, 4096, false);
    s.run(
        "erosion of bytes by a texture", s.one / 4,
        [&] {
          erode<<<dim3(128, Set::blocks(height, 8)), dim3(32, 8)>>>(
              image, reinterpret_cast<unsigned char*>(s.out), 4096, static_cast<int>(height));
        },
        [&] {
          return Set::each(4096 * height, [&](std::size_t i) {
            unsigned least = 255;
            for (long dy = -2; dy <= 2; ++dy)
              for (long dx = -2; dx <= 2; ++dx) {
                const long x = std::clamp(static_cast<long>(i % 4096) + dx, 0L, 4095L),
                           y = std::clamp(static_cast<long>(i / 4096) + dy, 0L,
                                          static_cast<long>(height) - 1);
                least = std::min(least, byte_of(static_cast<std::size_t>(y * 4096 + x)));
              }
            return s.byte(i) == least;
          });
        });
  }
  {
    const std::size_t height = 2 * n / 4096;
    const auto image = image_of(s.halves, cudaCreateChannelDescHalf4(), 1024, height, 8192, true);
    s.run(
        "brightness of halves between pixels", 12.0 * 1024 * static_cast<double>(height),
        [&] {
          brightness<<<dim3(16, Set::blocks(height, 4)), dim3(64, 4)>>>(image, s.out, 1024,
                                                                        static_cast<int>(height));
        },
        [&] {
          return Set::each(1024 * height - 1025, [&](std::size_t i) {
            const std::size_t x = i % 1024, right = x == 1023 ? 0 : 4;
            double sum = 0;
            for (std::size_t c = 0; c < 3; ++c) {
              const double weight = c == 0 ? 0.3 : c == 1 ? 0.6 : 0.1;
              const std::size_t at = i * 4 + c;
              sum += weight * (0.5625 * half_of(at) + 0.1875 * half_of(at + right) +
                               0.1875 * half_of(at + 4096) + 0.0625 * half_of(at + 4096 + right));
            }
            return std::abs(s.value(i) - sum) < 0.01;
          });
        });
  }
  {
    const auto table = image_of(s.words, cudaCreateChannelDesc<uchar4>(), 16384, 0, 0, false);
    s.run(
        "colours by texture fetches", 2 * s.one,
        [&] {
          colours_by_fetches<<<Set::blocks(n), 256>>>(table, s.words, reinterpret_cast<uchar4*>(s.out), n);
        },
        [&] {
          return Set::each(n, [&](std::size_t i) { return s.number(i) == word_of(word_of(i) >> 20); });
        });
  }
  {
    const std::size_t height = n / 2 / 2048;
    const auto image = image_of(s.in, cudaCreateChannelDesc<float>(), 2048, height, 8192, true);
    s.run(
        "lines blurred by filtered reads", s.one,
        [&] {
          blur_lines<<<dim3(16, static_cast<unsigned>(height)), 128>>>(image, s.out, 2048,
                                                                       static_cast<int>(height));
        },
        [&] {
          return Set::each(height, [&](std::size_t y) {
            const std::size_t at = y * 2048 + 77;
            double sum = 0;
            for (std::size_t k = at - 4; k < at + 4; ++k) sum += float_of(k) / 8;
            return Set::near(s.value(at), sum, 0.01);
          });
        });
  }
}

}  // namespace blind
