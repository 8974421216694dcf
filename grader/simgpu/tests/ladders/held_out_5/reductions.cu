/// @file
/// Many to one, as the well-known lesson climbs: a tree whose threads lie apart, a tree after two loads, two
/// passes, a barrier of the grid, and the least by an atomic a warp.
#include <cooperative_groups.h>

#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

namespace cg = cooperative_groups;

__global__ void sum_interleaved(const float* in, float* out) {
  __shared__ float part[256];
  const unsigned t = threadIdx.x;
  part[t] = in[global_index()];
  __syncthreads();
  for (unsigned d = 1; d < 256; d *= 2) {
    if (t % (2 * d) == 0) part[t] += part[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
__global__ void sum_two_loads(const float* in, float* out) {
  __shared__ float part[256];
  const unsigned t = threadIdx.x;
  const std::size_t i = blockIdx.x * std::size_t{512} + t;
  part[t] = in[i] + in[i + 256];
  __syncthreads();
  for (unsigned d = 128; d > 16; d /= 2) {
    if (t < d) part[t] += part[t + d];
    __syncthreads();
  }
  if (t >= 32) return;
  float sum = part[t];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (t == 0) out[blockIdx.x] = sum;
}
__device__ __forceinline__ float sum_of_block(float v) {
  __shared__ float part[32];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
  if (threadIdx.x < 32)
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
  return v;
}
__global__ void sum_pass(const float* in, float* out, std::size_t m) {
  float sum = 0;
  for (std::size_t i = global_index(); i < m; i += stride()) sum += in[i];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
__global__ void sum_of_grid(const float4* in, float* parts, float* out, std::size_t m) {
  float sum = 0;
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const float4 v = in[i];
    sum += v.x + v.y + (v.z + v.w);
  }
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
  cg::this_grid().sync();
  if (blockIdx.x != 0) return;
  sum = 0;
  for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) sum += parts[b];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) *out = sum;
}
__global__ void least_by_warps(const unsigned long long* in, unsigned long long* out, std::size_t m) {
  unsigned long long least = ~0ull;
  for (std::size_t i = global_index(); i < m; i += stride()) least = min(least, in[i]);
  for (int d = 16; d > 0; d /= 2) least = min(least, __shfl_xor_sync(~0u, least, d));
  if (threadIdx.x % 32 == 0) atomicMin(out, least);
}

}  // namespace

void reductions(Set& s) {
  const std::size_t n = s.n, m = n / 8;
  const auto blocks_right = [&](std::size_t of) {
    return floats(s, m / of, [of](std::size_t b) {
      double sum = 0;
      for (std::size_t k = b * of; k < (b + 1) * of; ++k) sum += float_of(k);
      return sum;
    });
  };
  s.run(
      "sums of 256 by a tree of threads apart", 4.0 * real(m),
      [&] { sum_interleaved<<<as_number(m / 256), 256>>>(s.in, s.out); }, [&] { return blocks_right(256); });
  s.run(
      "sums of 512 by a tree after two loads", 4.0 * real(m),
      [&] { sum_two_loads<<<as_number(m / 512), 256>>>(s.in, s.out); }, [&] { return blocks_right(512); });
  const auto all_right = [&] {
    double sum = 0;
    for (std::size_t k = 0; k < m; ++k) sum += float_of(k);
    return Set::near(s.value(0), sum);
  };
  float* parts = room<float>(s.sms * 8);
  s.run(
      "sum in two passes", 4.0 * real(m),
      [&] {
        sum_pass<<<s.sms * 8, 256>>>(s.in, parts, m);
        sum_pass<<<1, 1024>>>(parts, s.out, s.sms * 8);
      },
      all_right);
  s.run(
      "sum with a barrier of the grid", 4.0 * real(m),
      [&] {
        const auto* in = reinterpret_cast<const float4*>(s.in);
        float* out = s.out;
        std::size_t fours = m / 4;
        void* arguments[] = {&in, &parts, &out, &fours};
        cudaLaunchCooperativeKernel(sum_of_grid, dim3(s.sms * 4), dim3(256), arguments, 0, nullptr);
      },
      all_right);
  cudaFree(parts);
  s.run(
      "least of words of 64 bits", 8.0 * real(m / 2),
      [&] {
        cudaMemsetAsync(s.out, 255, 8);
        least_by_warps<<<s.sms * 8, 256>>>(reinterpret_cast<unsigned long long*>(s.words),
                                           reinterpret_cast<unsigned long long*>(s.out), m / 2);
      },
      [&] {
        std::uint64_t least = ~std::uint64_t{0};
        for (std::size_t k = 0; k < m / 2; ++k)
          least = std::min(least, std::uint64_t{word_of(2 * k + 1)} << 32 | word_of(2 * k));
        return Checked::at(reinterpret_cast<std::uint64_t*>(s.out), 0) == least;
      });
}

}  // namespace held_out_5
