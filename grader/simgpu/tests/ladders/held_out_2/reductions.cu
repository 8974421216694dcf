/// @file
/// One sum of all: by shuffles, by a tree in shared memory, by atomics alone; and sums of rows and columns.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "held_out_2.hpp"

namespace held_out_2 {
namespace {

namespace cg = cooperative_groups;

__global__ void by_shuffles(const float* in, float* sum, std::size_t m) {
  float mine = 0;
  for (std::size_t i = global_index(); i < m; i += stride()) mine += in[i];
  for (int d = 16; d > 0; d /= 2) mine += __shfl_down_sync(~0u, mine, d);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
}
__global__ void by_a_tree(const float* in, float* sums) {
  extern __shared__ float part[];
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} * 2 + threadIdx.x;
  part[threadIdx.x] = in[i] + in[i + blockDim.x];
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
__global__ void by_atomics(const unsigned* in, unsigned* sum, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) atomicAdd(sum, in[i] & 15u);
}
__global__ void by_atomics_of_a_block(const unsigned* in, unsigned* sum, std::size_t m) {
  __shared__ unsigned all;
  if (threadIdx.x == 0) all = 0;
  __syncthreads();
  for (std::size_t i = global_index(); i < m; i += stride()) atomicAdd(&all, in[i] & 15u);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(sum, all);
}
/// A block's maximum of squares, by a group of the library.
__global__ void by_groups(const float4* in, float* out) {
  __shared__ float parts[8];
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  float most = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const float4 v = in[(blockIdx.x * std::size_t{4} + k) * 256 + threadIdx.x];
    most = fmaxf(fmaxf(fmaxf(v.x * v.x, v.y * v.y), fmaxf(v.z * v.z, v.w * v.w)), most);
  }
  most = cg::reduce(warp, most, cg::greater<float>());
  if (warp.thread_rank() == 0) parts[warp.meta_group_rank()] = most;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; ++w) most = fmaxf(most, parts[w]);
    out[blockIdx.x] = most;
  }
}
/// A thread a row of 128 words: lanes are 512 bytes apart.
__global__ void rows_by_threads(const float4* in, float* out, std::size_t rows) {
  const std::size_t row = global_index();
  if (row >= rows) return;
  float sum = 0;
  for (int k = 0; k < 32; ++k) {
    const float4 v = in[row * 32 + k];
    sum += v.x + v.y + v.z + v.w;
  }
  out[row] = sum;
}
__global__ void rows_by_warps(const float4* in, float* out, std::size_t rows) {
  const std::size_t row = global_index() / 32;
  if (row >= rows) return;
  const float4 v = in[row * 32 + threadIdx.x % 32];
  float sum = v.x + v.y + v.z + v.w;
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) out[row] = sum;
}

constexpr double kMean = 0.5 + 32767.5e-4;

}  // namespace

void reductions(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "sum by shuffles", s.one / 2, [&] { by_shuffles<<<s.sms * 8, 256>>>(s.in, s.out, n / 2); },
      [&] { return Set::near(s.value(0), kMean * real(n / 2), 0.02); });
  s.run(
      "sums of 1024 by a tree", s.one / 2,
      [&] { by_a_tree<<<static_cast<unsigned>(n / 2048), 512, 2048>>>(s.in, s.out); },
      [&] {
        return floats(s, n / 2048, [](std::size_t b) {
          double sum = 0;
          for (std::size_t k = 0; k < 1024; ++k) sum += float_of(b * 1024 + k);
          return sum;
        });
      });
  const auto nibbles = [&](std::size_t m) {
    unsigned sum = 0;
    for (std::size_t i = 0; i < m; ++i) sum += word_of(i) & 15;
    return s.number(0) == sum;
  };
  s.run(
      "sum by an atomic each", s.one / 32,
      [&] { by_atomics<<<Set::blocks(n / 32), 256>>>(s.words, s.numbers(), n / 32); },
      [&] { return nibbles(n / 32); });
  s.run(
      "sum by atomics of a block", s.one / 8,
      [&] { by_atomics_of_a_block<<<s.sms * 8, 256>>>(s.words, s.numbers(), n / 8); },
      [&] { return nibbles(n / 8); });
  s.run(
      "greatest square of 4096", s.one,
      [&] { by_groups<<<static_cast<unsigned>(n / 4096), 256>>>(reinterpret_cast<float4*>(s.in), s.out); },
      [&] {
        return floats(s, n / 4096, [](std::size_t b) {
          double most = 0;
          for (std::size_t k = 0; k < 4096; ++k) most = std::max(most, double{float_of(b * 4096 + k)});
          return most * most;
        });
      });
  const auto row_sum = [](std::size_t row) {
    double sum = 0;
    for (std::size_t k = 0; k < 128; ++k) sum += float_of(row * 128 + k);
    return sum;
  };
  s.run(
      "rows of 128, a thread each", s.one / 4,
      [&] {
        rows_by_threads<<<Set::blocks(n / 512, 128), 128>>>(reinterpret_cast<float4*>(s.in), s.out, n / 512);
      },
      [&] { return floats(s, n / 512, row_sum); });
  s.run(
      "rows of 128, a warp each", s.one / 4,
      [&] {
        rows_by_warps<<<Set::blocks(n / 512, 8), 256>>>(reinterpret_cast<float4*>(s.in), s.out, n / 512);
      },
      [&] { return floats(s, n / 512, row_sum); });
}

}  // namespace held_out_2
