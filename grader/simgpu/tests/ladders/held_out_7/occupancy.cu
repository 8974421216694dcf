/// @file
/// Kernels of which few threads fit an SM: forty sums in each thread's registers, tiles of 100 kB of which two
/// fit.
#include "held_out_7.hpp"

namespace held_out_7 {
namespace {

constexpr int kMoments = 40, kValues = 96;

__host__ __device__ __forceinline__ float to_one(float v) {
  return 0.29f * v - 1.1f;
}
/// Sums of Legendre's polynomials over a thread's values.
__global__ void __launch_bounds__(128) legendre_moments(const float* in, float* out, unsigned m) {
  const unsigned i = blockIdx.x * 128 + threadIdx.x;
  float sum[kMoments];
#pragma unroll
  for (int k = 0; k < kMoments; ++k) sum[k] = 0.0f;
  for (int v = 0; v < kValues; ++v) {
    const float x = to_one(in[v * m + i]);
    float before = 1.0f, now = x;
    sum[0] += before;
    sum[1] += now;
#pragma unroll
    for (int k = 1; k + 1 < kMoments; ++k) {
      const float next = ((2.0f * k + 1.0f) / (k + 1.0f)) * x * now - (k / (k + 1.0f)) * before;
      sum[k + 1] += next;
      before = now, now = next;
    }
  }
#pragma unroll
  for (int k = 0; k < kMoments; ++k) out[k * m + i] = sum[k];
}

constexpr int kTile = 12800, kPasses = 8;
/// Each pass adds neighbours 64 apart; what lies beyond an end is at the other.
__global__ void __launch_bounds__(512) smooth_large_tiles(const float* in, float* out) {
  extern __shared__ float both[];
  const std::size_t base = blockIdx.x * std::size_t{kTile};
  for (int k = threadIdx.x; k < kTile; k += 512) both[k] = in[base + k];
  __syncthreads();
  float *from = both, *to = both + kTile;
  for (int pass = 0; pass < kPasses; ++pass) {
    for (int k = threadIdx.x; k < kTile; k += 512) {
      const int left = k >= 64 ? k - 64 : k + kTile - 64, right = k + 64 < kTile ? k + 64 : k + 64 - kTile;
      to[k] = 0.25f * from[left] + 0.5f * from[k] + 0.25f * from[right];
    }
    __syncthreads();
    float* other = from;
    from = to, to = other;
  }
  for (int k = threadIdx.x; k < kTile; k += 512) out[base + k] = from[k];
}

}  // namespace

void occupancy(Set& s) {
  const unsigned m = s.sms * 512;
  s.run(
      "forty moments of 96 values in registers", 4.0 * (kValues + kMoments) * m,
      [&] { legendre_moments<<<m / 128, 128>>>(s.in, s.out, m); },
      [&] {
        return within(s, std::size_t{kMoments} * m, 5e-3, [m](std::size_t i) {
          double sum = 0;
          for (std::size_t v = 0; v < kValues; ++v)
            sum += std::legendre(as_number(i / m), double{to_one(float_of(v * m + i % m))});
          return sum;
        });
      });
  ladder::check(
      cudaFuncSetAttribute(smooth_large_tiles, cudaFuncAttributeMaxDynamicSharedMemorySize, 8 * kTile),
      "shared memory");
  const unsigned blocks = s.sms * 4;
  s.run(
      "tiles of 100 kB smoothed, two blocks an SM", 8.0 * kTile * blocks,
      [&] { smooth_large_tiles<<<blocks, 512, 8 * kTile>>>(s.in, s.out); },
      [&] {
        return floats(s, std::size_t{kTile} * blocks, [](std::size_t i) {
          // Binomial weights of 16 over 256 ^ 2.
          double sum = 0, weight = 1;
          for (std::size_t k = 0; k <= 2 * kPasses; ++k) {
            sum += weight * float_of(i / kTile * kTile + (i % kTile + kTile + 64 * k - 64 * kPasses) % kTile);
            weight *= real(2 * kPasses - k) / real(k + 1);
          }
          return sum / 65536;
        });
      });
}

}  // namespace held_out_7
