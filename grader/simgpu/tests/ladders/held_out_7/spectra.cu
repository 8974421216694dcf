/// @file
/// Transforms: Fourier's of 64 points by eight threads each, Haar's wavelets of lines of 512.
#include "held_out_7.hpp"

namespace held_out_7 {
namespace {

struct Complex {
  float re, im;
};
__device__ __forceinline__ Complex operator+(Complex a, Complex b) {
  return {a.re + b.re, a.im + b.im};
}
__device__ __forceinline__ Complex operator-(Complex a, Complex b) {
  return {a.re - b.re, a.im - b.im};
}
__device__ __forceinline__ Complex operator*(Complex a, Complex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
__device__ __forceinline__ Complex down(Complex a) {  // by -i
  return {a.im, -a.re};
}
__device__ __forceinline__ void four(Complex& a, Complex& b, Complex& c, Complex& d) {
  const Complex p = a + c, q = a - c, r = b + d, t = down(b - d);
  a = p + r, b = q + t, c = p - r, d = q - t;
}
/// Of eight values, in order.
__device__ __forceinline__ void eight(Complex (&v)[8]) {
  constexpr float kHalf = 0.707106781f;
  four(v[0], v[2], v[4], v[6]);
  four(v[1], v[3], v[5], v[7]);
  const Complex odd[4] = {v[1],
                          {kHalf * (v[3].re + v[3].im), kHalf * (v[3].im - v[3].re)},
                          down(v[5]),
                          {kHalf * (v[7].im - v[7].re), -kHalf * (v[7].re + v[7].im)}};
  const Complex even[4] = {v[0], v[2], v[4], v[6]};
#pragma unroll
  for (int k = 0; k < 4; ++k) v[k] = even[k] + odd[k], v[k + 4] = even[k] - odd[k];
}
/// Eight transforms a block of 64 threads.
__global__ void __launch_bounds__(64) fourier_64(const Complex* in, Complex* out) {
  __shared__ Complex between[8][8][9];
  const unsigned which = threadIdx.x / 8, t = threadIdx.x % 8;
  const std::size_t base = (blockIdx.x * std::size_t{8} + which) * 64;
  Complex v[8];
#pragma unroll
  for (unsigned k = 0; k < 8; ++k) v[k] = in[base + k * 8 + t];
  eight(v);
#pragma unroll
  for (unsigned k = 0; k < 8; ++k) {
    Complex turn;
    sincospif(-static_cast<float>(k * t) / 32, &turn.im, &turn.re);
    between[which][k][t] = v[k] * turn;
  }
  __syncwarp();
#pragma unroll
  for (unsigned k = 0; k < 8; ++k) v[k] = between[which][t][k];
  eight(v);
#pragma unroll
  for (unsigned k = 0; k < 8; ++k) out[base + k * 8 + t] = v[k];
}

constexpr int kLine = 512;
__global__ void __launch_bounds__(kLine / 2) haar(const float* lines, float* out) {
  __shared__ float v[kLine];
  const int t = threadIdx.x;
  const float2 two = reinterpret_cast<const float2*>(lines)[blockIdx.x * std::size_t{kLine / 2} + t];
  v[2 * t] = two.x, v[2 * t + 1] = two.y;
  float* line = out + blockIdx.x * std::size_t{kLine};
  for (int half = kLine / 2; half > 0; half /= 2) {
    __syncthreads();
    float a = 0, b = 0;
    if (t < half) a = v[2 * t], b = v[2 * t + 1];
    __syncthreads();
    if (t < half) {
      v[t] = (a + b) * 0.707106781f;
      line[half + t] = (a - b) * 0.707106781f;
    }
  }
  if (t == 0) line[0] = v[0];
}

}  // namespace

void spectra(Set& s) {
  const unsigned blocks = as_number(s.n / 8 / 1024), lines = as_number(s.n / 8 / kLine);
  s.run(
      "Fourier's transforms of 64, eight threads each", 8192.0 * blocks,
      [&] {
        fourier_64<<<blocks, 64>>>(reinterpret_cast<const Complex*>(s.in), reinterpret_cast<Complex*>(s.out));
      },
      [&] {
        return within(s, std::size_t{1024} * blocks, 5e-3, [](std::size_t i) {
          const std::size_t base = i / 128 * 128, k = i % 128 / 2;
          double sum = 0;
          for (std::size_t j = 0; j < 64; ++j) {
            const double angle = -2 * 3.14159265358979 * real(k * j % 64) / 64, re = float_of(base + 2 * j),
                         im = float_of(base + 2 * j + 1);
            sum += i % 2 == 0 ? re * std::cos(angle) - im * std::sin(angle)
                              : re * std::sin(angle) + im * std::cos(angle);
          }
          return sum;
        });
      });
  s.run(
      "Haar's wavelets of lines of 512", 8.0 * kLine * lines,
      [&] { haar<<<lines, kLine / 2>>>(s.in, s.out); },
      [&] {
        return within(s, std::size_t{kLine} * lines, 1e-3, [](std::size_t i) {
          const std::size_t base = i / kLine * kLine, k = i % kLine;
          // Coefficient k of 2 ^ level spans a piece; its first half counts, its second against.
          std::size_t level = 1;
          while (2 * level <= k) level *= 2;
          const std::size_t span = k == 0 ? kLine : kLine / level, from = k == 0 ? 0 : (k - level) * span;
          double sum = 0;
          for (std::size_t j = 0; j < span; ++j)
            sum += (k > 0 && j >= span / 2 ? -1.0 : 1.0) * float_of(base + from + j);
          return sum / std::sqrt(real(span));
        });
      });
}

}  // namespace held_out_7
