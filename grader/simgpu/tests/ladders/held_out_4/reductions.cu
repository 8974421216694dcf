/// @file
/// Many words to few: means and spreads in one pass, rows made to add up to one by warps, rows of
/// halves brought to mean and spread.
#include "held_out_4.hpp"

namespace held_out_4 {
namespace {

struct Spread {
  float count, mean, squares;
};
__device__ __forceinline__ Spread joined(Spread a, Spread b) {
  const float count = a.count + b.count, d = b.mean - a.mean;
  return {count, a.mean + d * b.count / count, a.squares + b.squares + d * d * a.count * b.count / count};
}
__device__ __forceinline__ Spread passed_down(Spread v, int d) {
  return {__shfl_down_sync(~0u, v.count, d), __shfl_down_sync(~0u, v.mean, d),
          __shfl_down_sync(~0u, v.squares, d)};
}
__global__ void __launch_bounds__(128) spreads(const float* in, float2* out, std::size_t m) {
  __shared__ Spread of_warp[4];
  Spread v = {0, 0, 0};
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const float x = in[i], d = x - v.mean;
    v.count += 1;
    v.mean += d / v.count;
    v.squares += d * (x - v.mean);
  }
  for (int d = 16; d > 0; d /= 2) v = joined(v, passed_down(v, d));
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x != 0) return;
  v = joined(joined(of_warp[0], of_warp[1]), joined(of_warp[2], of_warp[3]));
  out[blockIdx.x] = make_float2(v.mean, v.squares / v.count);
}
constexpr unsigned kReductionsRow = 200;
/// A warp a row, which stays in registers.
__global__ void soft_maxima(const float* in, float* out, std::size_t rows) {
  const std::size_t row = global_index() / 32;
  if (row >= rows) return;
  const unsigned lane = threadIdx.x % 32;
  float v[7], most = -1e30f, sum = 0;
#pragma unroll
  for (unsigned k = 0; k < 7; ++k) {
    v[k] = k * 32 + lane < kReductionsRow ? in[row * kReductionsRow + k * 32 + lane] : -1e30f;
    most = fmaxf(most, v[k]);
  }
  for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
#pragma unroll
  for (float& x : v) x = __expf(x - most), sum += x;
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  const float scale = 1.0f / sum;
#pragma unroll
  for (unsigned k = 0; k < 7; ++k)
    if (k * 32 + lane < kReductionsRow) out[row * kReductionsRow + k * 32 + lane] = v[k] * scale;
}
constexpr unsigned kLayer = 768;
/// A block a row: less the mean, over the spread.
__global__ void __launch_bounds__(128) layers(const __half2* in, __half2* out) {
  __shared__ float2 part[4];
  const std::size_t base = blockIdx.x * std::size_t{kLayer / 2};
  float2 v[3], sums = make_float2(0, 0);
#pragma unroll
  for (unsigned k = 0; k < 3; ++k) {
    v[k] = __half22float2(in[base + k * 128 + threadIdx.x]);
    sums.x += v[k].x + v[k].y, sums.y += v[k].x * v[k].x + v[k].y * v[k].y;
  }
  for (int d = 16; d > 0; d /= 2) {
    sums.x += __shfl_xor_sync(~0u, sums.x, d);
    sums.y += __shfl_xor_sync(~0u, sums.y, d);
  }
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sums;
  __syncthreads();
  const float mean = (part[0].x + part[1].x + part[2].x + part[3].x) / kLayer,
              square = (part[0].y + part[1].y + part[2].y + part[3].y) / kLayer,
              scale = rsqrtf(square - mean * mean + 1e-5f);
#pragma unroll
  for (unsigned k = 0; k < 3; ++k)
    out[base + k * 128 + threadIdx.x] = __floats2half2_rn((v[k].x - mean) * scale, (v[k].y - mean) * scale);
}

}  // namespace

void reductions(Set& s) {
  const std::size_t n = s.n;
  const unsigned grid = s.sms * 8;
  s.run(
      "mean and spread in one pass", 0.5 * real(n),
      [&] { spreads<<<grid, 128>>>(s.in, reinterpret_cast<float2*>(s.out), n / 8); },
      [&] {
        return floats(s, 2 * std::size_t{grid}, [&](std::size_t i) {
          double count = 0, sum = 0, squares = 0;
          for (std::size_t first = i / 2 * 128; first < n / 8; first += grid * std::size_t{128})
            for (std::size_t k = first; k < std::min(first + 128, n / 8); ++k)
              count += 1, sum += float_of(k), squares += double{float_of(k)} * float_of(k);
          return i % 2 == 0 ? sum / count : squares / count - sum / count * sum / count;
        });
      });
  const std::size_t rows = n / 16 / kReductionsRow;
  s.run(
      "rows of 200 made to add up to one by warps", 8.0 * kReductionsRow * real(rows),
      [&] { soft_maxima<<<Set::blocks(rows, 4), 128>>>(s.in, s.out, rows); },
      [&] {
        return floats(s, rows * kReductionsRow, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = i / kReductionsRow * kReductionsRow;
               k < i / kReductionsRow * kReductionsRow + kReductionsRow; ++k)
            sum += std::exp(double{float_of(k)});
          return std::exp(double{float_of(i)}) / sum;
        });
      });
  const std::size_t tall = n / 8 / kLayer;
  s.run(
      "rows of 768 halves brought to mean and spread", 4.0 * kLayer * real(tall),
      [&] {
        layers<<<as_number(tall), 128>>>(reinterpret_cast<__half2*>(s.halves),
                                         reinterpret_cast<__half2*>(s.out));
      },
      [&] {
        bool some = false;
        return Set::each(tall * kLayer,
                         [&](std::size_t i) {
                           double sum = 0, squares = 0;
                           for (std::size_t k = i / kLayer * kLayer; k < (i / kLayer + 1) * kLayer; ++k)
                             sum += half_of(k), squares += double{half_of(k)} * half_of(k);
                           const double mean = sum / kLayer, spread = squares / kLayer - mean * mean;
                           const double got = __half2float(Checked::at(reinterpret_cast<__half*>(s.out), i));
                           some = some || got != 0;
                           return std::abs(got - (half_of(i) - mean) / std::sqrt(spread + 1e-5)) < 4e-3;
                         }) &&
               some;
      });
}

}  // namespace held_out_4
