/// @file
/// Constants that lanes choose by data; textures by format. Part of fresh.cu.
#pragma once

#include "fresh.cuh"

namespace {

__constant__ float4 colours[256];
__constant__ float taps[32];

__global__ void colour_pixels(const unsigned char* in, float4* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i < n) out[i] = colours[in[i]];
}
__global__ void filter_taps(const float* in, float* out, std::size_t n) {
  __shared__ float line[256 + 32];
  const std::size_t first = blockIdx.x * std::size_t{256};
  for (unsigned k = threadIdx.x; k < 256 + 31; k += 256) line[k] = first + k < n ? in[first + k] : 0.0f;
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 32; ++k) sum += taps[k] * line[threadIdx.x + k];
  if (first + threadIdx.x < n) out[first + threadIdx.x] = sum;
}
__global__ void halve_image(cudaTextureObject_t image, float4* out, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height) return;
  out[std::size_t(y) * width + x] = tex2D<float4>(image, 2 * x + 1.25f, 2 * y + 1.25f);
}
__global__ void turn_image(cudaTextureObject_t image, float4* out, int width, int height) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x >= width || y >= height) return;
  out[std::size_t(y) * width + x] = tex2D<float4>(image, y + 0.5f, x + 0.5f);
}
__global__ void enlarge_image(cudaTextureObject_t image, float2* out, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height) return;
  out[std::size_t(y) * width + x] = tex2D<float2>(image, x * 0.25f + 0.625f, y * 0.25f + 0.625f);
}
__global__ void sum_of_nine(cudaTextureObject_t image, int* out, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height) return;
  int sum = 0;
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
    for (int dx = -1; dx <= 1; ++dx) sum += tex2D<short>(image, x + dx + 0.5f, y + dy + 0.5f);
  out[std::size_t(y) * width + x] = sum;
}

void Fresh::textures() {
  float4 colour[256];
  for (unsigned k = 0; k < 256; ++k)
    colour[k] = make_float4(float_of(k), float_of(k + 256), float_of(k + 512), 1);
  float tap[32];
  for (unsigned k = 0; k < 32; ++k) tap[k] = half_of(k);
  cudaMemcpyToSymbol(colours, colour, sizeof colour);
  cudaMemcpyToSymbol(taps, tap, sizeof tap);
  run(
      "pixels coloured by constants", 1.0625 * one,
      [&] { colour_pixels<<<blocks(n / 4), 256>>>(smooth, vectors, n / 4); },
      [&] {
        return each(n / 4, [&](std::size_t i) { return near(value(4 * i + 1), colour[smooth_of(i)].y); });
      });
  run(
      "filter of 32 taps", two, [&] { filter_taps<<<blocks(n), 256>>>(in, out, n); },
      [&] {
        return each(n - 32, [&](std::size_t i) {
          double sum = 0;
          for (unsigned k = 0; k < 32; ++k) sum += double{tap[k]} * float_of(i + k);
          return near(value(i), sum);
        });
      });
  {
    const cudaTextureObject_t image =
        image_of(words, cudaCreateChannelDesc<uchar4>(), width, height, 16384, true, true);
    run(
        "image of bytes halved", 1.25 * one / 4 * 4,
        [&] {
          halve_image<<<dim3(2048 / 32, (height / 2 + 7) / 8), dim3(32, 8)>>>(image, vectors, 2048,
                                                                              height / 2);
        },
        [&] {
          return each(std::size_t{2048} * (height / 2) - 2048, [&](std::size_t i) {
            const std::size_t p = i / 2048 * 2 * width + i % 2048 * 2;
            const auto of = [&](std::size_t at) { return (word_of(at) & 255) / 255.0; };
            const double u = 0.25 * of(p) + 0.75 * of(p + 1),
                         v = 0.25 * of(p + width) + 0.75 * of(p + width + 1);
            return std::abs(value(4 * i) - (0.25 * u + 0.75 * v)) < 0.01;
          });
        });
  }
  {
    const int high = static_cast<int>(n / 4096);
    const cudaTextureObject_t image =
        image_of(in, cudaCreateChannelDesc<float4>(), 1024, high, 16384, false, false);
    run(
        "image of vectors turned", two,
        [&] {
          turn_image<<<dim3(static_cast<unsigned>(high + 15) / 16, 64), dim3(16, 16)>>>(image, vectors, high,
                                                                                        1024);
        },
        [&] {
          return each(std::size_t(high) * 1024, [&](std::size_t i) {
            return near(value(4 * i + 2), float_of((i % high * 1024 + i / high) * 4 + 2));
          });
        });
  }
  {
    const int high = static_cast<int>(n / 4096);
    const cudaTextureObject_t image =
        image_of(other, cudaCreateChannelDesc<float2>(), 2048, high, 16384, true, false);
    run(
        "image of pairs enlarged", one,
        [&] {
          enlarge_image<<<dim3(64, static_cast<unsigned>(high + 7) / 8), dim3(32, 8)>>>(
              image, reinterpret_cast<float2*>(out), 2048, high);
        },
        [&] {
          return each(std::size_t{2048} * high, [&](std::size_t i) {
            const std::size_t x = i % 2048, y = i / 2048, p = (y / 4 * 2048 + x / 4) * 2;
            const double fx = x % 4 * 0.25 + 0.125, fy = y % 4 * 0.25 + 0.125;
            const double u = other_of(p) + fx * (other_of(p + 2) - other_of(p)),
                         v = other_of(p + 4096) + fx * (other_of(p + 4098) - other_of(p + 4096));
            return near(value(2 * i), u + fy * (v - u), 0.01);
          });
        });
  }
  {
    const int high = static_cast<int>(n / 4096);
    const cudaTextureObject_t image =
        image_of(words, cudaCreateChannelDesc<short>(), 8192, high, 16384, false, false);
    run(
        "nine of an image of shorts", 1.5 * two,
        [&] {
          sum_of_nine<<<dim3(4096 / 32, static_cast<unsigned>(high + 7) / 8), dim3(32, 8)>>>(
              image, reinterpret_cast<int*>(out), 4096, high);
        },
        [&] {
          const std::size_t x = 1001, y = 7;
          int sum = 0;
          for (std::size_t v = y - 1; v <= y + 1; ++v)
            for (std::size_t u = x - 1; u <= x + 1; ++u)
              sum += static_cast<short>(word_of((v * 8192 + u) / 2) >> (16 * (u % 2)));
          return static_cast<int>(number(y * 4096 + x)) == sum;
        });
  }
}

}  // namespace
