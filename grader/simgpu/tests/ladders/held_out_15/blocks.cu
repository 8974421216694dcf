/// @file
/// Blocks as a whole: rows fetched by cp.async of eight bytes, boxes of a tensor map, clusters of three,
/// matrices that fill an SM's shared memory, a grid of one wave and five elevenths.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include <algorithm>
#include <utility>

#include "../bulk.hpp"
#include "../tensor_maps.hpp"
#include "held_out_15.hpp"

namespace held_out_15 {
namespace {

constexpr unsigned kPairedRow = 768, kPairedThreads = 128, kPairedAway = kPairedRow / 3;
/// One row is on its way while the one before is worked on.
__global__ void __launch_bounds__(kPairedThreads)
    less_a_third_on(const float* in, float* out, unsigned rows) {
  __shared__ alignas(8) float kept_rows[2][kPairedRow];
  const auto fetch = [&](unsigned row, unsigned to) {
    if (row < rows)
#pragma unroll
      for (unsigned k = 2 * threadIdx.x; k < kPairedRow; k += 2 * kPairedThreads)
        __pipeline_memcpy_async(&kept_rows[to][k], in + std::size_t{row} * kPairedRow + k, 8);
    __pipeline_commit();
  };
  fetch(blockIdx.x, 0);
  unsigned now = 0;
  for (unsigned row = blockIdx.x; row < rows; row += gridDim.x, now = 1 - now) {
    fetch(row + gridDim.x, 1 - now);
    __pipeline_wait_prior(1);
    __syncthreads();
#pragma unroll
    for (unsigned k = threadIdx.x; k < kPairedRow; k += kPairedThreads)
      out[std::size_t{row} * kPairedRow + k] =
          kept_rows[now][k] -
          0.5f *
              kept_rows[now][k + kPairedAway < kPairedRow ? k + kPairedAway : k + kPairedAway - kPairedRow];
    __syncthreads();  // the next but one comes to where this one was
  }
}

constexpr unsigned kBoxedWide = 1024, kBoxWide = 64, kBoxHigh = 24, kBoxesAcross = kBoxedWide / kBoxWide;
/// A thread has a column of a box, two boxes are on their way.
__global__ void __launch_bounds__(kBoxWide)
    columns_of_boxes(const __grid_constant__ CUtensorMap map, float* out, unsigned boxes) {
  __shared__ alignas(128) float box[2][kBoxHigh][kBoxWide];
  __shared__ std::uint64_t come[2];
  const auto ask = [&](unsigned turn) {
    const unsigned at = blockIdx.x + turn * gridDim.x;
    if (at >= boxes) return;
    const unsigned barrier = ladder::shared_address(&come[turn % 2]);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                 "r"(kBoxHigh * kBoxWide * 4)
                 : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
        "[%4];" ::"r"(ladder::shared_address(&box[turn % 2][0][0])),
        "l"(&map), "r"(at % kBoxesAcross * kBoxWide), "r"(at / kBoxesAcross * kBoxHigh), "r"(barrier)
        : "memory");
  };
  if (threadIdx.x == 0) {
    for (std::uint64_t& each : come) ladder::init_barrier(&each, 1);
    ladder::publish_barriers();
    ask(0);
    ask(1);
  }
  __syncthreads();
  for (unsigned turn = 0; blockIdx.x + turn * gridDim.x < boxes; ++turn) {
    const unsigned at = blockIdx.x + turn * gridDim.x;
    ladder::wait_for(&come[turn % 2], turn / 2 % 2);
    float sum = 0.0f;
#pragma unroll
    for (unsigned k = 0; k < kBoxHigh; ++k) sum += box[turn % 2][k][threadIdx.x];
    out[at * kBoxWide + threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) ask(turn + 2);
  }
}

constexpr unsigned kThirds = 3, kThirdThreads = 256, kOfThird = 8 * kThirdThreads,
                   kThirdsRow = kThirds * kOfThird;
/// A block has a third of a row in registers and tells all three blocks what is least and greatest there.
__global__ void __cluster_dims__(kThirds, 1, 1) __launch_bounds__(kThirdThreads)
    stretch_rows(const float4* in, float4* out) {
  __shared__ float2 of_warp[kThirdThreads / 32], of_block[kThirds];
  auto cluster = cooperative_groups::this_cluster();
  auto token = cluster.barrier_arrive();  // all blocks have begun once it is waited for
  const std::size_t first = std::size_t{blockIdx.x} * (kOfThird / 4) + threadIdx.x;
  float4 v[2] = {in[first], in[first + kThirdThreads]};
  float2 ends = make_float2(v[0].x, v[0].x);
#pragma unroll
  for (const float4& four : v) {
    ends.x = fminf(ends.x, fminf(fminf(four.x, four.y), fminf(four.z, four.w)));
    ends.y = fmaxf(ends.y, fmaxf(fmaxf(four.x, four.y), fmaxf(four.z, four.w)));
  }
  for (int d = 16; d > 0; d /= 2) {
    ends.x = fminf(ends.x, __shfl_xor_sync(~0u, ends.x, d));
    ends.y = fmaxf(ends.y, __shfl_xor_sync(~0u, ends.y, d));
  }
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = ends;
  __syncthreads();
  cluster.barrier_wait(std::move(token));
  if (threadIdx.x < kThirds) {
    for (const float2& each : of_warp) ends = make_float2(fminf(ends.x, each.x), fmaxf(ends.y, each.y));
    *cluster.map_shared_rank(&of_block[cluster.block_rank()], threadIdx.x) = ends;
  }
  cluster.sync();
  ends = of_block[0];
  for (const float2& each : of_block) ends = make_float2(fminf(ends.x, each.x), fmaxf(ends.y, each.y));
  const float scale = 1.0f / (ends.y - ends.x);
#pragma unroll
  for (unsigned k = 0; k < 2; ++k)
    out[first + k * kThirdThreads] = make_float4(scale * (v[k].x - ends.x), scale * (v[k].y - ends.x),
                                                 scale * (v[k].z - ends.x), scale * (v[k].w - ends.x));
}

constexpr unsigned kFillingSide = 192, kFillingPitch = kFillingSide + 1, kFillingThreads = 384,
                   kOfFilling = kFillingSide * kFillingSide, kFillingBytes = kFillingSide * kFillingPitch * 4;
/// An SM has room for one.
__global__ void __launch_bounds__(kFillingThreads) turn_filling(const float* in, float* out) {
  extern __shared__ float filling[];
  const std::size_t first = std::size_t{blockIdx.x} * kOfFilling;
#pragma unroll 4
  for (unsigned k = threadIdx.x; k < kOfFilling; k += kFillingThreads)
    filling[k / kFillingSide * kFillingPitch + k % kFillingSide] = in[first + k];
  __syncthreads();
#pragma unroll 4
  for (unsigned k = threadIdx.x; k < kOfFilling; k += kFillingThreads)
    out[first + k] = filling[k % kFillingSide * kFillingPitch + k / kFillingSide];
}

constexpr unsigned kPartWaveThreads = 512, kPartWaveBlocks = 4, kQuotients = 400;
/// Four blocks fit an SM.
__global__ void __launch_bounds__(kPartWaveThreads, kPartWaveBlocks)
    continued_quotients(const float* in, float* out) {
  const float of = in[global_index()];
  float v = of;
#pragma unroll 4
  for (unsigned k = 0; k < kQuotients; ++k) v = __fdividef(of, v + 0.5f);
  out[global_index()] = v;
}

}  // namespace

void blocks(Set& s) {
  const std::size_t n = s.n;
  const unsigned paired = as_number(n / 4 / kPairedRow);
  s.run(
      "rows of 768 less half of what is a third on, the next by cp.async of eight bytes",
      8.0 * kPairedRow * paired, [&] { less_a_third_on<<<s.sms * 8, kPairedThreads>>>(s.in, s.out, paired); },
      [&] {
        return within(s, std::size_t{kPairedRow} * paired, 1e-4, [](std::size_t i) {
          const std::size_t k = i % kPairedRow;
          return double{float_of(i)} - 0.5 * float_of(i - k + (k + kPairedAway) % kPairedRow);
        });
      });

  const unsigned boxed = as_number(n / 8 / kBoxedWide / kBoxHigh * kBoxHigh),
                 boxes = boxed / kBoxHigh * kBoxesAcross;
  CUtensorMap map;
  const bool made =
      ladder::make_tensor_map<2>(&map, s.in, {kBoxedWide, boxed}, {kBoxedWide * 4}, {kBoxWide, kBoxHigh});
  s.run(
      "columns of boxes of 64 x 24 of a tensor map added up, two boxes ahead",
      4.0 * kBoxWide * (kBoxHigh + 1.0) * boxes,
      [&] {
        if (made) columns_of_boxes<<<s.sms * 6, kBoxWide>>>(map, s.out, boxes);
      },
      [&] {
        return floats(s, std::size_t{kBoxWide} * boxes, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kBoxHigh; ++k)
            sum += float_of((i / kBoxedWide * kBoxHigh + k) * kBoxedWide + i % kBoxedWide);
          return sum;
        });
      });

  const unsigned stretched = as_number(n / 8 / kThirdsRow);
  s.run(
      "rows of 6144 stretched from nought to one by clusters of three", 8.0 * kThirdsRow * stretched,
      [&] {
        stretch_rows<<<kThirds * stretched, kThirdThreads>>>(reinterpret_cast<const float4*>(s.in),
                                                             s.vectors());
      },
      [&] {
        return within(s, std::size_t{kThirdsRow} * stretched, 1e-4, [](std::size_t i) {
          const std::size_t first = i / kThirdsRow * kThirdsRow;
          double least = float_of(first), greatest = least;
          for (std::size_t k = first; k < first + kThirdsRow; ++k) {
            least = std::min(least, double{float_of(k)});
            greatest = std::max(greatest, double{float_of(k)});
          }
          return (float_of(i) - least) / (greatest - least);
        });
      });

  const unsigned fillings = as_number(n / 8 / kOfFilling);
  ladder::check(
      cudaFuncSetAttribute(turn_filling, cudaFuncAttributeMaxDynamicSharedMemorySize, kFillingBytes),
      "shared memory");
  s.run(
      "matrices of 192 x 192 turned, one block an SM for its shared memory", 8.0 * kOfFilling * fillings,
      [&] { turn_filling<<<fillings, kFillingThreads, kFillingBytes>>>(s.in, s.out); },
      [&] {
        return floats(s, std::size_t{kOfFilling} * fillings, [](std::size_t i) {
          const std::size_t k = i % kOfFilling;
          return double{float_of(i - k + k % kFillingSide * kFillingSide + k / kFillingSide)};
        });
      });

  const unsigned grid = s.sms * kPartWaveBlocks / 11 * 16;
  s.run(
      "quotients in a chain by one wave and five elevenths", 8.0 * kPartWaveThreads * grid,
      [&] { continued_quotients<<<grid, kPartWaveThreads>>>(s.in, s.out); },
      [&] {
        return floats(s, std::size_t{kPartWaveThreads} * grid, [](std::size_t i) {
          double v = float_of(i);
          for (unsigned k = 0; k < kQuotients; ++k) v = float_of(i) / (v + 0.5);
          return v;
        });
      });
}

}  // namespace held_out_15
