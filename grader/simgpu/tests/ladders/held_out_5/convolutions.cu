/// @file
/// Convolutions: along rows and along columns with weights of constant memory and edges in shared memory, a
/// layer of 3 x 3 weights over eight channels.
#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

constexpr int kRadius = 4, kTaps = 2 * kRadius + 1;
constexpr unsigned kConvolutionsWidth = 1024;
__constant__ float taps[kTaps];

/// 256 pixels of a row a block; beyond the row there is nothing.
__global__ void __launch_bounds__(256) along_rows(const float* in, float* out) {
  __shared__ float line[256 + 2 * kRadius];
  const int t = threadIdx.x, x0 = static_cast<int>(blockIdx.x) * 256 - kRadius;
  const float* row = in + blockIdx.y * std::size_t{kConvolutionsWidth};
  for (int k = t; k < 256 + 2 * kRadius; k += 256) {
    const int x = x0 + k;
    line[k] = x >= 0 && x < static_cast<int>(kConvolutionsWidth) ? row[x] : 0;
  }
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kTaps; ++k) sum += taps[k] * line[t + k];
  out[blockIdx.y * std::size_t{kConvolutionsWidth} + blockIdx.x * 256 + t] = sum;
}
/// 32 columns of 32 rows a block of 32 x 8.
__global__ void along_columns(const float* in, float* out, int height) {
  __shared__ float tile[32 + 2 * kRadius][32];
  const int x = blockIdx.x * 32 + threadIdx.x, y0 = blockIdx.y * 32;
  for (int r = threadIdx.y; r < 32 + 2 * kRadius; r += 8) {
    const int y = y0 + r - kRadius;
    tile[r][threadIdx.x] = y >= 0 && y < height ? in[y * std::size_t{kConvolutionsWidth} + x] : 0;
  }
  __syncthreads();
#pragma unroll
  for (int r = threadIdx.y; r < 32; r += 8) {
    float sum = 0;
#pragma unroll
    for (int k = 0; k < kTaps; ++k) sum += taps[k] * tile[r + k][threadIdx.x];
    out[(y0 + r) * std::size_t{kConvolutionsWidth} + x] = sum;
  }
}
constexpr int kFrom = 8, kTo = 8, kPatch = 32;
/// A picture of 32 x 32 and eight channels for each z; a thread has a pixel of one channel of eight.
__global__ void layer(const float* in, const float* weights, float* out) {
  const int x = threadIdx.x, y = blockIdx.x * 8 + threadIdx.y, to = blockIdx.y;
  const float* picture = in + blockIdx.z * std::size_t{kFrom * kPatch * kPatch};
  float sum = 0;
  for (int c = 0; c < kFrom; ++c)
#pragma unroll
    for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
      for (int dx = -1; dx <= 1; ++dx)
        if (x + dx >= 0 && x + dx < kPatch && y + dy >= 0 && y + dy < kPatch)
          sum += weights[((to * kFrom + c) * 3 + dy + 1) * 3 + dx + 1] *
                 picture[(c * kPatch + y + dy) * kPatch + x + dx];
  out[((blockIdx.z * std::size_t{kTo} + to) * kPatch + y) * kPatch + x] = fmaxf(sum - 70.0f, 0.0f);
}

}  // namespace

void convolutions(Set& s) {
  const std::size_t n = s.n;
  float taps_here[kTaps];
  for (int k = 0; k < kTaps; ++k)
    taps_here[k] = static_cast<float>(std::exp(-0.1 * (k - kRadius) * (k - kRadius)));
  ladder::check(cudaMemcpyToSymbol(taps, taps_here, sizeof taps), "taps");
  const unsigned height = as_number(n / 8 / kConvolutionsWidth / 32 * 32);
  const std::size_t count = std::size_t{kConvolutionsWidth} * height;
  const auto right = [&](std::size_t position, std::size_t end, std::size_t i, std::size_t step) {
    double sum = 0;
    for (std::size_t k = 0; k < kTaps; ++k)
      if (position + k >= kRadius && position + k - kRadius < end)
        sum += taps_here[k] * double{float_of(i + k * step - kRadius * step)};
    return sum;
  };
  s.run(
      "nine weights along rows", 8.0 * real(count),
      [&] { along_rows<<<dim3(kConvolutionsWidth / 256, height), 256>>>(s.in, s.out); },
      [&] {
        return floats(s, count,
                      [&](std::size_t i) { return right(i % kConvolutionsWidth, kConvolutionsWidth, i, 1); });
      });
  s.run(
      "nine weights along columns", 8.0 * real(count),
      [&] {
        along_columns<<<dim3(kConvolutionsWidth / 32, height / 32), dim3(32, 8)>>>(s.in, s.out,
                                                                                   static_cast<int>(height));
      },
      [&] {
        return floats(s, count, [&](std::size_t i) {
          return right(i / kConvolutionsWidth, height, i, kConvolutionsWidth);
        });
      });
  const unsigned pictures = s.sms * 2;
  s.run(
      "layer of 3 x 3 weights, eight channels", 8.0 * kFrom * kPatch * kPatch * pictures,
      [&] { layer<<<dim3(kPatch / 8, kTo, pictures), dim3(32, 8)>>>(s.in, s.other, s.out); },
      [&] {
        return within(s, std::size_t{kTo} * kPatch * kPatch * pictures, 0.05, [](std::size_t i) {
          const int x = static_cast<int>(i % kPatch), y = static_cast<int>(i / kPatch % kPatch);
          const std::size_t to = i / (kPatch * kPatch) % kTo, picture = i / (kPatch * kPatch * kTo);
          double sum = 0;
          for (std::size_t c = 0; c < kFrom; ++c)
            for (int dy = -1; dy <= 1; ++dy)
              for (int dx = -1; dx <= 1; ++dx)
                if (x + dx >= 0 && x + dx < kPatch && y + dy >= 0 && y + dy < kPatch)
                  sum +=
                      double{other_of((to * kFrom + c) * 9 + static_cast<std::size_t>(dy * 3 + dx + 4))} *
                      float_of(((picture * kFrom + c) * kPatch + static_cast<std::size_t>(y + dy)) * kPatch +
                               static_cast<std::size_t>(x + dx));
          return std::max(sum - 70, 0.0);
        });
      });
}

}  // namespace held_out_5
