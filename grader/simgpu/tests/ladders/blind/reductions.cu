/// @file
/// Sums, extremes and other figures of whole arrays, of columns and of rows.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "blind.hpp"

namespace blind {
namespace {

namespace cg = cooperative_groups;

__global__ void __launch_bounds__(384)
    sum_of_longs(const ulonglong2* in, unsigned long long* sum, std::size_t m) {
  __shared__ unsigned long long parts[12];
  unsigned long long mine = 0;
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const ulonglong2 v = in[i];
    mine += v.x + v.y;
  }
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  mine = cg::reduce(warp, mine, cg::plus<unsigned long long>());
  if (warp.thread_rank() == 0) parts[warp.meta_group_rank()] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 12; ++w) mine += parts[w];
    atomicAdd(sum, mine);
  }
}
__global__ void __launch_bounds__(128)
    dot_of_halves(const uint4* a, const uint4* b, float* sum, std::size_t m) {
  float mine = 0;
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const uint4 u = a[i], v = b[i];
    const auto* hu = reinterpret_cast<const __half2*>(&u);
    const auto* hv = reinterpret_cast<const __half2*>(&v);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float2 p = __half22float2(hu[k]), q = __half22float2(hv[k]);
      mine += p.x * q.x + p.y * q.y;
    }
  }
  for (int d = 16; d > 0; d /= 2) mine += __shfl_down_sync(~0u, mine, d);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
}
__global__ void greatest_of_columns(const float* in, float* out, int width, int rows_each) {
  __shared__ float parts[16][33];
  const int x = blockIdx.x * 32 + threadIdx.x;
  const float* at = in + (std::size_t{blockIdx.y} * rows_each + threadIdx.y) * width + x;
  float most = -1e30f;
  for (int y = threadIdx.y; y < rows_each; y += 16, at += 16 * std::size_t(width)) most = fmaxf(most, *at);
  parts[threadIdx.y][threadIdx.x] = most;
  for (unsigned d = 8; d > 0; d /= 2) {
    __syncthreads();
    if (threadIdx.y < d)
      parts[threadIdx.y][threadIdx.x] =
          fmaxf(parts[threadIdx.y][threadIdx.x], parts[threadIdx.y + d][threadIdx.x]);
  }
  if (threadIdx.y == 0) out[std::size_t{blockIdx.y} * width + x] = parts[0][threadIdx.x];
}
/// The logarithm of a row's sum of exponentials, in one pass: who meets a greater value scales what it has.
__global__ void log_sums(const float* in, float* out, std::size_t rows, int width) {
  const std::size_t row = global_index() / 32;
  if (row >= rows) return;
  const float* at = in + row * width;
  float most = -1e30f, sum = 0;
  for (int c = threadIdx.x % 32; c < width; c += 32) {
    const float v = at[c];
    if (v > most) sum *= __expf(most - v), most = v;
    sum += __expf(v - most);
  }
  for (int d = 16; d > 0; d /= 2) {
    const float m = __shfl_xor_sync(~0u, most, d), t = __shfl_xor_sync(~0u, sum, d), top = fmaxf(m, most);
    sum = sum * __expf(most - top) + t * __expf(m - top);
    most = top;
  }
  if (threadIdx.x % 32 == 0) out[row] = most + __logf(sum);
}
__device__ unsigned arrived;
/// Each block leaves its sum, and the last one adds them up.
__global__ void __launch_bounds__(512) sum_of_last(const float4* in, double* parts, std::size_t m) {
  __shared__ double shared[16];
  __shared__ bool last;
  float mine = 0;
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const float4 v = in[i];
    mine += v.x + v.y + (v.z + v.w);
  }
  const auto block_sum = [&](double v) {
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0;
    for (int w = 0; w < 16; ++w) v += shared[w];
    __syncthreads();
    return v;
  };
  const double sum = block_sum(mine);
  if (threadIdx.x == 0) {
    parts[1 + blockIdx.x] = sum;
    __threadfence();
    last = atomicAdd(&arrived, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  double all = 0;
  for (unsigned b = threadIdx.x; b < gridDim.x; b += 512) all += parts[1 + b];
  all = block_sum(all);
  if (threadIdx.x == 0) parts[0] = all, arrived = 0;
}
__global__ void spread_of_blocks(const uint4* in, uint2* out) {
  __shared__ uint2 parts[8];
  const uint4* at = in + blockIdx.x * std::size_t{1024} + threadIdx.x;
  unsigned least = ~0u, most = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const uint4 v = at[256 * k];
    least = min(least, min(min(v.x, v.y), min(v.z, v.w)));
    most = max(most, max(max(v.x, v.y), max(v.z, v.w)));
  }
  least = __reduce_min_sync(~0u, least), most = __reduce_max_sync(~0u, most);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = make_uint2(least, most);
  __syncthreads();
  if (threadIdx.x >= 32) return;
  const uint2 v = parts[threadIdx.x % 8];
  least = __reduce_min_sync(~0u, v.x), most = __reduce_max_sync(~0u, v.y);
  if (threadIdx.x == 0) out[blockIdx.x] = make_uint2(least, most);
}

constexpr double kMean = 0.5 + 32767.5e-4;
constexpr int kRowsEach = 112;

}  // namespace

void reductions(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "sum of 64-bit integers", s.one,
      [&] {
        sum_of_longs<<<s.sms * 4, 384>>>(reinterpret_cast<ulonglong2*>(s.words),
                                         reinterpret_cast<unsigned long long*>(s.out), n / 4);
      },
      [&] {
        unsigned long long sum = 0;
        for (std::size_t i = 0; i < n; i += 2)
          sum += word_of(i) | static_cast<unsigned long long>(word_of(i + 1)) << 32;
        return Checked::at(reinterpret_cast<unsigned long long*>(s.out), 0) == sum;
      });
  s.run(
      "dot product of halves", s.one,
      [&] {
        dot_of_halves<<<s.sms * 16, 128>>>(reinterpret_cast<uint4*>(s.halves),
                                           reinterpret_cast<uint4*>(s.halves + n), s.out, n / 8);
      },
      [&] { return Set::near(s.value(0), static_cast<double>(n) * 127.5 / 256 * 127.5 / 256, 0.02); });
  s.run(
      "greatest of columns, blocks of 32 x 16", s.one,
      [&] {
        greatest_of_columns<<<dim3(128, static_cast<unsigned>(n / 4096 / kRowsEach)), dim3(32, 16)>>>(
            s.in, s.out, 4096, kRowsEach);
      },
      [&] {
        return Set::each(n / 4096 / kRowsEach * 4096, [&](std::size_t i) {
          float most = 0;
          for (std::size_t y = 0; y < kRowsEach; ++y)
            most = std::max(most, float_of((i / 4096 * kRowsEach + y) * 4096 + i % 4096));
          return s.value(i) == most;
        });
      });
  s.run(
      "logarithms of sums of rows of 640", 2560.0 * static_cast<double>(n / 640),
      [&] { log_sums<<<Set::blocks(n / 640, 8), 256>>>(s.in, s.out, n / 640, 640); },
      [&] {
        return Set::each(n / 640, [&](std::size_t row) {
          double sum = 0;
          for (std::size_t c = 0; c < 640; ++c) sum += std::exp(double{float_of(row * 640 + c)});
          return Set::near(s.value(row), std::log(sum));
        });
      });
  s.run(
      "sum by the last block", s.one,
      [&] {
        sum_of_last<<<s.sms * 3, 512>>>(reinterpret_cast<float4*>(s.in), reinterpret_cast<double*>(s.out),
                                        n / 4);
      },
      [&] {
        return Set::near(Checked::at(reinterpret_cast<double*>(s.out), 0), kMean * static_cast<double>(n),
                         0.02);
      });
  s.run(
      "least and greatest of 4096", s.one,
      [&] {
        spread_of_blocks<<<static_cast<unsigned>(n / 4096), 256>>>(reinterpret_cast<uint4*>(s.words),
                                                                   reinterpret_cast<uint2*>(s.out));
      },
      [&] {
        return Set::each(n / 4096, [&](std::size_t b) {
          unsigned least = ~0u, most = 0;
          for (std::size_t k = 0; k < 4096; ++k)
            least = std::min(least, word_of(b * 4096 + k)), most = std::max(most, word_of(b * 4096 + k));
          return s.number(2 * b) == least && s.number(2 * b + 1) == most;
        });
      });
}

}  // namespace blind
