/// @file
/// Reductions: Euclid's length of a vector, mean and spread of rows in one pass, the greatest difference of
/// two arrays of doubles.
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

/// Squares in doubles, a sum a block; another kernel has the root.
__global__ void __launch_bounds__(256) squares_of_blocks(const float* in, double* sums, std::size_t m) {
  __shared__ double part[256];
  double sum = 0;
  for (std::size_t i = global_index(); i < m; i += stride()) sum += static_cast<double>(in[i]) * in[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned d = 128; d > 0; d /= 2) {
    if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
__global__ void root_of_all(const double* sums, unsigned many, double* out) {
  double sum = 0;
  for (unsigned k = threadIdx.x; k < many; k += 32) sum += sums[k];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x == 0) *out = sqrt(sum);
}
constexpr unsigned kReductionsRow = 512;
/// Welford's way: means and spreads of lanes are joined by pairs.
__global__ void spreads_of_rows(const float* in, float2* out, unsigned rows) {
  const unsigned r = static_cast<unsigned>(global_index() / 32), lane = threadIdx.x % 32;
  if (r >= rows) return;
  float mean = 0, squares = 0, count = 0;
  for (unsigned k = lane; k < kReductionsRow; k += 32) {
    const float v = in[r * std::size_t{kReductionsRow} + k], apart = v - mean;
    count += 1;
    mean += apart / count;
    squares += apart * (v - mean);
  }
  for (int d = 1; d < 32; d *= 2) {
    const float mean2 = __shfl_xor_sync(~0u, mean, d), squares2 = __shfl_xor_sync(~0u, squares, d),
                apart = mean2 - mean;
    squares += squares2 + apart * apart * count * 0.5f;
    mean = 0.5f * (mean + mean2);
    count *= 2;
  }
  if (lane == 0) out[r] = make_float2(mean, squares / kReductionsRow);
}
/// Of positive doubles the order is that of their bits.
__global__ void farthest(const double* a, const double* b, unsigned long long* most, std::size_t m) {
  double far = 0;
  for (std::size_t i = global_index(); i < m; i += stride()) far = fmax(far, fabs(a[i] - b[i]));
  for (int d = 16; d > 0; d /= 2) far = fmax(far, __shfl_xor_sync(~0u, far, d));
  __shared__ double part[8];
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = far;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (unsigned w = 1; w < blockDim.x / 32; ++w) far = fmax(far, part[w]);
  atomicMax(most, static_cast<unsigned long long>(__double_as_longlong(far)));
}

}  // namespace

void reductions(Set& s) {
  const std::size_t n = s.n, m = n / 8;
  const unsigned blocks = s.sms * 8;
  double* sums = room<double>(blocks);
  s.run(
      "length of a vector, squares as doubles", 4.0 * real(m),
      [&] {
        squares_of_blocks<<<blocks, 256>>>(s.in, sums, m);
        root_of_all<<<1, 32>>>(sums, blocks, reinterpret_cast<double*>(s.out));
      },
      [&] {
        double sum = 0;
        for (std::size_t i = 0; i < m; ++i) sum += double{float_of(i)} * float_of(i);
        return Set::near(Checked::at(reinterpret_cast<double*>(s.out), 0), std::sqrt(sum), 1e-9);
      });
  cudaFree(sums);
  const unsigned rows = as_number(m / kReductionsRow);
  s.run(
      "mean and spread of rows joined by pairs", 4.0 * real(m),
      [&] {
        spreads_of_rows<<<Set::blocks(rows * std::size_t{32}), 256>>>(s.in, reinterpret_cast<float2*>(s.out),
                                                                      rows);
      },
      [&] {
        return floats(s, rows * std::size_t{2}, [](std::size_t i) {
          double sum = 0, squares = 0;
          for (std::size_t k = 0; k < kReductionsRow; ++k) {
            const double v = float_of(i / 2 * kReductionsRow + k);
            sum += v, squares += v * v;
          }
          return i % 2 == 0 ? sum / kReductionsRow
                            : squares / kReductionsRow - sum / kReductionsRow * (sum / kReductionsRow);
        });
      });
  s.run(
      "greatest difference of doubles", 16.0 * real(m / 2),
      [&] {
        cudaMemsetAsync(s.out, 0, 8);
        farthest<<<s.sms * 8, 256>>>(reinterpret_cast<double*>(s.in), reinterpret_cast<double*>(s.other),
                                     reinterpret_cast<unsigned long long*>(s.out), m / 2);
      },
      [&] {
        double far = 0;
        for (std::size_t i = 0; i < m / 2; ++i)
          far = std::max(far, std::abs(double_of(i) - double_of(i, 33331)));
        return Checked::at(reinterpret_cast<double*>(s.out), 0) == far;
      });
}

}  // namespace held_out_6
