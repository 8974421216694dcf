/// @file
/// Butterflies: signs only in shared memory, one pass of a Fourier transform over all, cosines of tiles of 8 x 8.
#include "held_out_3.hpp"

namespace held_out_3 {
namespace {

/// 1024 a block of 256.
__global__ void __launch_bounds__(256) sums_and_differences(const float* in, float* out) {
  __shared__ float line[1024];
  const std::size_t base = blockIdx.x * std::size_t{1024};
  for (unsigned k = threadIdx.x; k < 1024; k += 256) line[k] = in[base + k];
  for (unsigned half = 1; half < 1024; half *= 2) {
    __syncthreads();
#pragma unroll
    for (unsigned p = threadIdx.x; p < 512; p += 256) {
      const unsigned low = p / half * half * 2 + p % half;
      const float a = line[low], b = line[low + half];
      line[low] = a + b, line[low + half] = a - b;
    }
  }
  __syncthreads();
  for (unsigned k = threadIdx.x; k < 1024; k += 256) out[base + k] = line[k];
}
__global__ void one_pass(const float2* in, float2* out, std::size_t half) {
  const std::size_t i = global_index();
  if (i >= half) return;
  const float2 a = in[i], b = in[i + half];
  float sine, cosine;
  sincospif(-static_cast<float>(i) / static_cast<float>(half), &sine, &cosine);
  const float2 d = make_float2(a.x - b.x, a.y - b.y);
  out[i] = make_float2(a.x + b.x, a.y + b.y);
  out[i + half] = make_float2(d.x * cosine - d.y * sine, d.x * sine + d.y * cosine);
}
constexpr unsigned kSpectraWidth = 1024;
/// Four tiles a block of 8 x 8 x 4.
__global__ void __launch_bounds__(256) cosines(const float* in, float* out) {
  __shared__ float wave[8][8], tile[4][8][9], turned[4][8][9];
  const unsigned x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  if (z == 0) wave[y][x] = (y == 0 ? 0.35355339f : 0.5f) * cospif((2 * x + 1) * y / 16.0f);
  const std::size_t at = (blockIdx.y * std::size_t{8} + y) * kSpectraWidth + (blockIdx.x * 4 + z) * 8 + x;
  tile[z][y][x] = in[at];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (unsigned k = 0; k < 8; ++k) sum += tile[z][y][k] * wave[x][k];
  turned[z][y][x] = sum;
  __syncthreads();
  sum = 0;
#pragma unroll
  for (unsigned k = 0; k < 8; ++k) sum += turned[z][k][x] * wave[y][k];
  out[at] = sum;
}

}  // namespace

void spectra(Set& s) {
  const std::size_t n = s.n;
  const double pi = std::acos(-1.0);
  s.run(
      "sums and differences of 1024", 0.5 * real(n),
      [&] { sums_and_differences<<<as_number(n / 16 / 1024), 256>>>(s.in, s.out); },
      [&] {
        return Set::each(n / 16, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < 1024; ++k)
            sum += (__builtin_popcountll(k & i % 1024) % 2 == 0 ? 1.0 : -1.0) * float_of(i / 1024 * 1024 + k);
          return std::abs(s.value(i) - sum) < 0.05 && std::abs(sum) > 0.1;
        });
      });
  const std::size_t half = n / 16;
  s.run(
      "a pass of butterflies far apart", 32.0 * real(half),
      [&] {
        one_pass<<<Set::blocks(half), 256>>>(reinterpret_cast<float2*>(s.in),
                                             reinterpret_cast<float2*>(s.out), half);
      },
      [&] {
        return Set::each(4 * half, [&](std::size_t i) {
          const std::size_t k = i / 2 % half;
          const double ax = float_of(2 * k), ay = float_of(2 * k + 1), bx = float_of(2 * (k + half)),
                       by = float_of(2 * (k + half) + 1);
          const double angle = -pi * static_cast<double>(k) / static_cast<double>(half);
          const double re =
              i / 2 < half ? ax + bx : (ax - bx) * std::cos(angle) - (ay - by) * std::sin(angle);
          const double im =
              i / 2 < half ? ay + by : (ax - bx) * std::sin(angle) + (ay - by) * std::cos(angle);
          return std::abs(s.value(i) - (i % 2 == 0 ? re : im)) < 1e-3 && s.value(i) != 0;
        });
      });
  const std::size_t m = n / 16, height = m / kSpectraWidth;
  s.run(
      "cosines of tiles of 8 x 8", 8.0 * real(m),
      [&] { cosines<<<dim3(kSpectraWidth / 32, as_number(height / 8)), dim3(8, 8, 4)>>>(s.in, s.out); },
      [&] {
        return Set::each(m, [&](std::size_t i) {
          const std::size_t x0 = i % kSpectraWidth / 8 * 8, y0 = i / kSpectraWidth / 8 * 8, u = i % 8,
                            v = i / kSpectraWidth % 8;
          double sum = 0;
          for (std::size_t k = 0; k < 64; ++k)
            sum += (u == 0 ? std::sqrt(0.125) : 0.5) * (v == 0 ? std::sqrt(0.125) : 0.5) *
                   std::cos(static_cast<double>((2 * (k % 8) + 1) * u) * pi / 16) *
                   std::cos(static_cast<double>((2 * (k / 8) + 1) * v) * pi / 16) *
                   float_of((y0 + k / 8) * kSpectraWidth + x0 + k % 8);
          return std::abs(s.value(i) - sum) < 1e-3 && s.value(i) != 0;
        });
      });
}

}  // namespace held_out_3
