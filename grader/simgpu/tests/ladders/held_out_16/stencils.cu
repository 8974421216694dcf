/// @file
/// Neighbours: nine that are eight apart, a volume made half as fine, a wavelet lifted in shared memory.
#include <algorithm>

#include "held_out_16.hpp"

namespace held_out_16 {
namespace {

constexpr unsigned kApartWide = 2048;
constexpr int kNineApart = 8;
/// Weights are 1, 2 and 4 sixteenths. Beyond the edges lies what is at the edges.
__global__ void __launch_bounds__(256) nine_apart(const float* __restrict__ in, float* out, int high) {
  const int x = static_cast<int>(blockIdx.x * 64 + threadIdx.x),
            y = static_cast<int>(blockIdx.y * 4 + threadIdx.y);
  if (y >= high) return;
  float sum = 0.0f;
#pragma unroll
  for (int j = -1; j <= 1; ++j) {
    const float* row = in + std::size_t(min(max(y + j * kNineApart, 0), high - 1)) * kApartWide;
#pragma unroll
    for (int i = -1; i <= 1; ++i)
      sum += static_cast<float>((2 - abs(i)) * (2 - abs(j))) *
             __ldg(row + min(max(x + i * kNineApart, 0), static_cast<int>(kApartWide) - 1));
  }
  out[std::size_t(y) * kApartWide + x] = sum * 0.0625f;
}

constexpr unsigned kFineX = 256, kFineY = 128, kCoarseX = kFineX / 2, kCoarseY = kFineY / 2;
constexpr std::size_t kFinePlane = std::size_t{kFineX} * kFineY;
__host__ __device__ __forceinline__ unsigned fine_place(unsigned coarse, int away, unsigned wide) {
  const int at = static_cast<int>(2 * coarse) + away;
  return at < 0 ? 0 : at < static_cast<int>(wide) ? static_cast<unsigned>(at) : wide - 1;
}
/// Twenty-seven points about every second one, by weights of 1, 2 and 1 each way.
__global__ void __launch_bounds__(256) make_coarse(const float* in, float* out, unsigned planes) {
  const unsigned x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z;
  float sum = 0.0f;
#pragma unroll
  for (int k = -1; k <= 1; ++k)
#pragma unroll
    for (int j = -1; j <= 1; ++j) {
      const float* row =
          in + (std::size_t{fine_place(z, k, planes)} * kFineY + fine_place(y, j, kFineY)) * kFineX;
      const float of_row = row[fine_place(x, -1, kFineX)] + 2.0f * row[2 * x] + row[2 * x + 1];
      sum += static_cast<float>((2 - abs(k)) * (2 - abs(j))) * of_row;
    }
  out[(std::size_t{z} * kCoarseY + y) * kCoarseX + x] = sum * (1.0f / 64);
}

constexpr unsigned kLifted = 2048, kLiftThreads = 256, kLevels = 4;
/// Each level changes the odd ones of what the level before left even, then the even ones, all in place.
__global__ void __launch_bounds__(kLiftThreads) lift_rows(const float* in, float* out) {
  __shared__ float v[kLifted];
  const std::size_t first = std::size_t{blockIdx.x} * kLifted;
  for (unsigned k = threadIdx.x; k < kLifted; k += kLiftThreads) v[k] = in[first + k];
#pragma unroll 1
  for (unsigned apart = 1; apart < 1u << kLevels; apart *= 2) {
    __syncthreads();
    const unsigned half = kLifted / (2 * apart);
    for (unsigned k = threadIdx.x; k < half; k += kLiftThreads) {
      const unsigned odd = (2 * k + 1) * apart, before = odd - apart;
      v[odd] -= 0.5f * (v[before] + v[k + 1 < half ? odd + apart : before]);
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < half; k += kLiftThreads) {
      const unsigned even = 2 * k * apart, after = even + apart;
      v[even] += 0.25f * (v[k > 0 ? even - apart : after] + v[after]);
    }
  }
  __syncthreads();
  for (unsigned k = threadIdx.x; k < kLifted; k += kLiftThreads) out[first + k] = v[k];
}
std::vector<double> lifted_row(std::size_t row) {
  std::vector<double> v(kLifted);
  for (std::size_t k = 0; k < kLifted; ++k) v[k] = float_of(row * kLifted + k);
  for (std::size_t apart = 1; apart < 1u << kLevels; apart *= 2) {
    for (std::size_t odd = apart; odd < kLifted; odd += 2 * apart)
      v[odd] -= 0.5 * (v[odd - apart] + v[odd + apart < kLifted ? odd + apart : odd - apart]);
    for (std::size_t even = 0; even < kLifted; even += 2 * apart)
      v[even] += 0.25 * (v[even > 0 ? even - apart : even + apart] + v[even + apart]);
  }
  return v;
}

}  // namespace

void stencils(Set& s) {
  const std::size_t n = s.n;
  const unsigned high = as_number(n / 8 / kApartWide);
  s.run(
      "nine points eight apart, weighed", 8.0 * kApartWide * high,
      [&] {
        nine_apart<<<dim3(kApartWide / 64, Set::blocks(high, 4)), dim3(64, 4)>>>(s.in, s.out,
                                                                                 static_cast<int>(high));
      },
      [&] {
        return floats(s, std::size_t{kApartWide} * high, [&](std::size_t i) {
          const long x = static_cast<long>(i % kApartWide), y = static_cast<long>(i / kApartWide);
          double sum = 0;
          for (long k = 0; k < 9; ++k) {
            const long u = std::clamp(x + (k % 3 - 1) * kNineApart, 0L, long{kApartWide} - 1),
                       v = std::clamp(y + (k / 3 - 1) * kNineApart, 0L, long{high} - 1);
            sum += static_cast<double>((2 - std::abs(k % 3 - 1)) * (2 - std::abs(k / 3 - 1))) *
                   float_of(static_cast<std::size_t>(v * long{kApartWide} + u));
          }
          return sum / 16;
        });
      });

  const unsigned planes = as_number(n / 8 / kFinePlane / 2 * 2);
  s.run(
      "volume made half as fine by 27 weights", 4.5 * real(kFinePlane) * planes,
      [&] {
        make_coarse<<<dim3(kCoarseX / 64, kCoarseY / 4, planes / 2), dim3(64, 4)>>>(s.in, s.out, planes);
      },
      [&] {
        return floats(s, kFinePlane / 8 * planes, [&](std::size_t i) {
          const unsigned x = as_number(i % kCoarseX), y = as_number(i / kCoarseX % kCoarseY),
                         z = as_number(i / kCoarseX / kCoarseY);
          double sum = 0;
          for (int k = -1; k <= 1; ++k)
            for (int j = -1; j <= 1; ++j)
              for (int h = -1; h <= 1; ++h)
                sum +=
                    (2 - std::abs(k)) * (2 - std::abs(j)) * (2 - std::abs(h)) *
                    double{float_of(
                        (std::size_t{fine_place(z, k, planes)} * kFineY + fine_place(y, j, kFineY)) * kFineX +
                        fine_place(x, h, kFineX))};
          return sum / 64;
        });
      });

  const unsigned rows = as_number(n / 8 / kLifted);
  s.run(
      "four levels of a wavelet lifted in rows of 2048 in shared memory", 8.0 * kLifted * rows,
      [&] { lift_rows<<<rows, kLiftThreads>>>(s.in, s.out); },
      [&] {
        return within(s, std::size_t{kLifted} * rows, 1e-3,
                      [](std::size_t i) { return lifted_row(i / kLifted)[i % kLifted]; });
      });
}

}  // namespace held_out_16
