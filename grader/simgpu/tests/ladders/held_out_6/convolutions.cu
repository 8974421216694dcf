/// @file
/// Convolutions: a layer of 3 x 3 by pictures and channels as loops write it, each channel with its own
/// weights, a long filter of a signal by tiles.
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

constexpr int kSide = 32, kIn = 16, kOut = 16;
/// A block has one output channel of a picture of 32 x 32 (its inside of 30 x 30).
__global__ void layer_by_loops(const float* in, const float* weights, float* out) {
  const int x = threadIdx.x, o = blockIdx.x, picture = blockIdx.y;
  for (int y = threadIdx.y; y < kSide - 2; y += blockDim.y) {
    if (x >= kSide - 2) continue;
    float sum = 0;
    for (int c = 0; c < kIn; ++c)
      for (int dy = 0; dy < 3; ++dy)
        for (int dx = 0; dx < 3; ++dx)
          sum += in[((picture * kIn + c) * kSide + y + dy) * kSide + x + dx] *
                 weights[((o * kIn + c) * 3 + dy) * 3 + dx];
    out[((picture * kOut + o) * (kSide - 2) + y) * (kSide - 2) + x] = sum;
  }
}
/// Each channel has its own nine weights; a thread has four neighbours.
__global__ void own_weights(const float* in, const float* weights, float* out) {
  const int x0 = static_cast<int>(threadIdx.x * 4), y = static_cast<int>(threadIdx.y),
            plane = static_cast<int>(blockIdx.x);
  const float *from = in + plane * std::size_t{kSide * kSide}, *w = weights + plane % 64 * 9;
  float sum[4] = {};
#pragma unroll
  for (int dy = 0; dy < 3; ++dy) {
    const int py = y + dy - 1;
    if (py < 0 || py >= kSide) continue;
    float v[6];
#pragma unroll
    for (int k = 0; k < 6; ++k) {
      const int px = x0 + k - 1;
      v[k] = px < 0 || px >= kSide ? 0.0f : from[py * kSide + px];
    }
#pragma unroll
    for (int k = 0; k < 4; ++k)
#pragma unroll
      for (int dx = 0; dx < 3; ++dx) sum[k] += w[dy * 3 + dx] * v[k + dx];
  }
  *reinterpret_cast<float4*>(&out[(plane * std::size_t{kSide} + y) * kSide + x0]) =
      make_float4(sum[0], sum[1], sum[2], sum[3]);
}
constexpr int kTaps = 128, kBlock = 512;
__global__ void __launch_bounds__(128) long_filter(const float* in, const float* taps, float* out) {
  __shared__ float line[kBlock + kTaps], w[kTaps];
  const std::size_t first = blockIdx.x * std::size_t{kBlock};
  for (int k = threadIdx.x; k < kBlock + kTaps; k += 128) line[k] = in[first + k];
  w[threadIdx.x] = taps[threadIdx.x];
  __syncthreads();
  float sum[4] = {};
#pragma unroll 8
  for (int k = 0; k < kTaps; ++k) {
    const float by = w[k];
#pragma unroll
    for (int r = 0; r < 4; ++r) sum[r] += by * line[threadIdx.x + 128 * r + k];
  }
#pragma unroll
  for (int r = 0; r < 4; ++r) out[first + threadIdx.x + 128 * r] = sum[r];
}

}  // namespace

void convolutions(Set& s) {
  const std::size_t n = s.n;
  const unsigned many = s.sms;
  s.run(
      "layer of 3 x 3 weights by loops", 4.0 * many * (kIn * kSide * kSide + kOut * 30 * 30),
      [&] { layer_by_loops<<<dim3(kOut, many), dim3(32, 8)>>>(s.in, s.other, s.out); },
      [&] {
        return floats(s, many * std::size_t{kOut * 900}, [](std::size_t i) {
          const std::size_t picture = i / 900 / kOut, o = i / 900 % kOut, y = i / 30 % 30, x = i % 30;
          double sum = 0;
          for (std::size_t c = 0; c < kIn; ++c)
            for (std::size_t k = 0; k < 9; ++k)
              sum += double{float_of(((picture * kIn + c) * kSide + y + k / 3) * kSide + x + k % 3)} *
                     other_of((o * kIn + c) * 9 + k);
          return sum;
        });
      });
  const unsigned planes = as_number(n / 16 / (kSide * kSide));
  s.run(
      "each channel with its own nine weights", 8.0 * kSide * kSide * planes,
      [&] { own_weights<<<planes, dim3(kSide / 4, kSide)>>>(s.in, s.other, s.out); },
      [&] {
        return floats(s, planes * std::size_t{kSide * kSide}, [](std::size_t i) {
          const int y = static_cast<int>(i / kSide % kSide), x = static_cast<int>(i % kSide);
          const std::size_t plane = i / (kSide * kSide);
          double sum = 0;
          for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx)
              if (y + dy >= 0 && y + dy < kSide && x + dx >= 0 && x + dx < kSide)
                sum += double{other_of(plane % 64 * 9 + static_cast<std::size_t>((dy + 1) * 3 + dx + 1))} *
                       float_of(plane * kSide * kSide + static_cast<std::size_t>((y + dy) * kSide + x + dx));
          return sum;
        });
      });
  const unsigned blocks = as_number(n / 32 / kBlock);
  s.run(
      "filter of 128 taps, four places a thread", 8.0 * kBlock * blocks,
      [&] { long_filter<<<blocks, 128>>>(s.in, s.other, s.out); },
      [&] {
        return floats(s, blocks * std::size_t{kBlock}, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kTaps; ++k) sum += double{other_of(k)} * float_of(i + k);
          return sum;
        });
      });
}

}  // namespace held_out_6
