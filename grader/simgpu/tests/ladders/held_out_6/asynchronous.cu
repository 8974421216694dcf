/// @file
/// Copies under way: rows brought by a pipeline of three stages and normed, a stencil whose tile is copied
/// without registers, greatest of lines brought in bulk.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include <cuda/pipeline>

#include "../bulk.hpp"
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

namespace cg = cooperative_groups;

constexpr unsigned kStages = 3, kRow = 1024;

/// Each thread's own pipeline: four words of a row; the row is divided by its mean.
__global__ void __launch_bounds__(256) rows_normed(const float4* in, float4* out, unsigned rows) {
  __shared__ float4 stages[kStages][256];
  __shared__ float part[2][8];
  auto pipe = cuda::make_pipeline();
  const unsigned t = threadIdx.x;
  unsigned asked = blockIdx.x;
  const auto ask = [&](unsigned stage) {
    pipe.producer_acquire();
    if (asked < rows)
      cuda::memcpy_async(&stages[stage][t], in + asked * std::size_t{256} + t, cuda::aligned_size_t<16>(16),
                         pipe);
    pipe.producer_commit();
    asked += gridDim.x;
  };
  for (unsigned k = 0; k + 1 < kStages; ++k) ask(k);
  unsigned round = 0;
  for (unsigned row = blockIdx.x; row < rows; row += gridDim.x, ++round) {
    ask((round + kStages - 1) % kStages);
    cuda::pipeline_consumer_wait_prior<kStages - 1>(pipe);
    const float4 v = stages[round % kStages][t];
    pipe.consumer_release();
    float sum = v.x + v.y + v.z + v.w;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (t % 32 == 0) part[round % 2][t / 32] = sum;
    __syncthreads();
    sum = 0;
    for (const float p : part[round % 2]) sum += p;
    const float by = kRow / sum;
    out[row * std::size_t{256} + t] = make_float4(v.x * by, v.y * by, v.z * by, v.w * by);
  }
}
constexpr unsigned kTile = 512, kReach = 8;
/// Means of seventeen: the tile and what is around it come without registers.
__global__ void __launch_bounds__(256) mean_of_seventeen(const float* in, float* out) {
  __shared__ alignas(16) float line[kTile + 2 * kReach];
  const std::size_t first = blockIdx.x * std::size_t{kTile};
  for (unsigned k = threadIdx.x; k < (kTile + 2 * kReach) / 4; k += 256)
    __pipeline_memcpy_async(&line[4 * k], in + first + 4 * k, 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  for (unsigned k = threadIdx.x; k < kTile; k += 256) {
    float sum = 0;
#pragma unroll
    for (unsigned j = 0; j <= 2 * kReach; ++j) sum += line[k + j];
    out[first + k] = sum * (1.0f / 17);
  }
}
constexpr unsigned kLine = 2048;
/// Two lines are under way in a block; its threads add up what has come.
__global__ void __launch_bounds__(128) greatest_of_lines(const float* in, float* out, unsigned lines) {
  __shared__ alignas(128) float line[2][kLine];
  __shared__ std::uint64_t full[2];
  __shared__ float part[4];
  const unsigned t = threadIdx.x;
  if (t == 0) {
    ladder::init_barrier(&full[0], 1), ladder::init_barrier(&full[1], 1);
    ladder::publish_barriers();
  }
  __syncthreads();
  const auto ask = [&](unsigned k, unsigned stage) {
    if (t == 0 && k < lines)
      ladder::bulk_load(line[stage], in + k * std::size_t{kLine}, kLine * 4, &full[stage]);
  };
  ask(blockIdx.x, 0);
  unsigned round = 0;
  for (unsigned k = blockIdx.x; k < lines; k += gridDim.x, ++round) {
    const unsigned stage = round % 2;
    ask(k + gridDim.x, stage ^ 1);
    ladder::wait_for(&full[stage], round / 2 % 2);
    float most = 0;
#pragma unroll
    for (unsigned j = 0; j < kLine / 128; ++j) most = fmaxf(most, line[stage][j * 128 + t]);
    for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    if (t % 32 == 0) part[t / 32] = most;
    __syncthreads();
    if (t == 0) out[k] = fmaxf(fmaxf(part[0], part[1]), fmaxf(part[2], part[3]));
    __syncthreads();
  }
}

}  // namespace

void asynchronous(Set& s) {
  const std::size_t n = s.n, m = n / 8;
  const unsigned rows = as_number(m / kRow);
  s.run(
      "rows divided by their mean, three stages", 8.0 * kRow * rows,
      [&] { rows_normed<<<s.sms * 4, 256>>>(reinterpret_cast<float4*>(s.in), s.vectors(), rows); },
      [&] {
        return floats(s, std::size_t{kRow} * rows, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kRow; ++k) sum += float_of(i / kRow * kRow + k);
          return float_of(i) * kRow / sum;
        });
      });
  const unsigned tiles = as_number(m / kTile);
  s.run(
      "means of seventeen, copied sixteen bytes each", 8.0 * kTile * tiles,
      [&] { mean_of_seventeen<<<tiles, 256>>>(s.in, s.out); },
      [&] {
        return floats(s, std::size_t{kTile} * tiles, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < 17; ++k) sum += float_of(i + k);
          return sum / 17;
        });
      });
  const unsigned lines = as_number(m / kLine);
  s.run(
      "greatest of lines of 8 kB, two in bulk", 4.0 * kLine * lines,
      [&] { greatest_of_lines<<<s.sms * 8, 128>>>(s.in, s.out, lines); },
      [&] {
        return floats(s, lines, [](std::size_t i) {
          float most = 0;
          for (std::size_t k = 0; k < kLine; ++k) most = std::max(most, float_of(i * kLine + k));
          return double{most};
        });
      });
}

}  // namespace held_out_6
