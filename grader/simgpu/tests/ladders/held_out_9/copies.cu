/// @file
/// Copies under way: tiles multiplied by themselves reversed while the next come, lines of 4 kB brought in
/// bulk and held against themselves at eight lags, matrices turned by clusters of four blocks.
#include <cooperative_groups.h>

#include <cuda/pipeline>

#include "../bulk.hpp"
#include "held_out_9.hpp"

namespace held_out_9 {
namespace {

constexpr unsigned kReversed = 1024;
/// Two tiles are under way, or one is being worked on.
__global__ void __launch_bounds__(256) by_themselves_reversed(const float* in, float* out, unsigned tiles) {
  __shared__ alignas(16) float tile[2][kReversed];
  const unsigned t = threadIdx.x;
  auto pipe = cuda::make_pipeline();
  const auto ask = [&](unsigned of, unsigned stage) {
    pipe.producer_acquire();
    if (of < tiles)
      cuda::memcpy_async(&tile[stage][4 * t], in + of * std::size_t{kReversed} + 4 * t,
                         cuda::aligned_size_t<16>(16), pipe);
    pipe.producer_commit();
  };
  ask(blockIdx.x, 0);
  unsigned stage = 0;
  for (unsigned k = blockIdx.x; k < tiles; k += gridDim.x, stage ^= 1) {
    ask(k + gridDim.x, stage ^ 1);
    cuda::pipeline_consumer_wait_prior<1>(pipe);
    __syncthreads();
#pragma unroll
    for (unsigned j = t; j < kReversed; j += 256)
      out[k * std::size_t{kReversed} + j] = tile[stage][j] * tile[stage][kReversed - 1 - j];
    pipe.consumer_release();
    __syncthreads();
  }
}

constexpr unsigned kLagged = 1024, kLags = 8;
/// Lags are 1, 2, 4 to 128; a line goes on at its other end.
__global__ void __launch_bounds__(128) lines_against_themselves(const float* in, float* out) {
  __shared__ alignas(128) float line[kLagged];
  __shared__ float of_warp[4][kLags];
  __shared__ std::uint64_t come;
  const unsigned t = threadIdx.x;
  if (t == 0) {
    ladder::init_barrier(&come, 1);
    ladder::publish_barriers();
    ladder::bulk_load(line, in + blockIdx.x * std::size_t{kLagged}, sizeof line, &come);
  }
  __syncthreads();
  ladder::wait_for(&come, 0);
  float sum[kLags] = {};
#pragma unroll
  for (unsigned k = t; k < kLagged; k += 128) {
    const float here = line[k];
#pragma unroll
    for (unsigned lag = 0; lag < kLags; ++lag) sum[lag] += here * line[(k + (1u << lag)) % kLagged];
  }
#pragma unroll
  for (unsigned lag = 0; lag < kLags; ++lag) {
    for (int d = 16; d > 0; d /= 2) sum[lag] += __shfl_down_sync(~0u, sum[lag], d);
    if (t % 32 == 0) of_warp[t / 32][lag] = sum[lag];
  }
  __syncthreads();
  if (t < kLags)
    out[blockIdx.x * kLags + t] = (of_warp[0][t] + of_warp[1][t]) + (of_warp[2][t] + of_warp[3][t]);
}

namespace groups = cooperative_groups;
constexpr unsigned kTurnedSide = 128, kBlocksOfMatrix = 4, kRowsOfBand = kTurnedSide / kBlocksOfMatrix;
/// Each block reads a band of rows and writes as many rows of the matrix that is turned.
__global__ void __cluster_dims__(kBlocksOfMatrix, 1, 1) __launch_bounds__(256)
    turned_by_clusters(const float* in, float* out) {
  __shared__ float band[kRowsOfBand][kTurnedSide + 1];
  const groups::cluster_group cluster = groups::this_cluster();
  const unsigned rank = cluster.block_rank(), lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::size_t matrix = blockIdx.x / kBlocksOfMatrix * std::size_t{kTurnedSide * kTurnedSide};
  for (unsigned k = threadIdx.x; k < kRowsOfBand * kTurnedSide; k += 256)
    band[k / kTurnedSide][k % kTurnedSide] = in[matrix + rank * kRowsOfBand * kTurnedSide + k];
  cluster.sync();
  for (unsigned from = 0; from < kBlocksOfMatrix; ++from) {
    const float* its = cluster.map_shared_rank(&band[0][0], from);
#pragma unroll
    for (unsigned k = warp; k < kRowsOfBand; k += 8) {
      const unsigned column = rank * kRowsOfBand + k;
      out[matrix + column * kTurnedSide + from * kRowsOfBand + lane] = its[lane * (kTurnedSide + 1) + column];
    }
  }
  cluster.sync();
}

}  // namespace

void copies(Set& s) {
  const std::size_t n = s.n;
  const unsigned tiles = as_number(n / 8 / kReversed);
  s.run(
      "tiles by themselves reversed, the next on their way", 8.0 * kReversed * tiles,
      [&] { by_themselves_reversed<<<s.sms * 4, 256>>>(s.in, s.out, tiles); },
      [&] {
        return floats(s, std::size_t{kReversed} * tiles, [](std::size_t i) {
          const std::size_t base = i / kReversed * kReversed;
          return double{float_of(i)} * float_of(base + kReversed - 1 - (i - base));
        });
      });
  const unsigned lines = as_number(n / 8 / kLagged);
  s.run(
      "lines of 4 kB against themselves at eight lags, in bulk", 4.0 * (kLagged + kLags) * lines,
      [&] { lines_against_themselves<<<lines, 128>>>(s.in, s.out); },
      [&] {
        return floats(s, std::size_t{kLags} * lines, [](std::size_t i) {
          const std::size_t base = i / kLags * kLagged;
          double sum = 0;
          for (std::size_t k = 0; k < kLagged; ++k)
            sum +=
                double{float_of(base + k)} * float_of(base + (k + (std::size_t{1} << i % kLags)) % kLagged);
          return sum;
        });
      });
  constexpr std::size_t kMatrix = kTurnedSide * kTurnedSide;
  const unsigned matrices = as_number(n / 8 / kMatrix);
  s.run(
      "matrices of 128 x 128 turned by clusters of four", 8.0 * kMatrix * matrices,
      [&] { turned_by_clusters<<<matrices * kBlocksOfMatrix, 256>>>(s.in, s.out); },
      [&] {
        return floats(s, kMatrix * matrices, [&](std::size_t i) {
          const std::size_t at = i % kMatrix;
          return double{float_of(i - at + at % kTurnedSide * kTurnedSide + at / kTurnedSide)};
        });
      });
}

}  // namespace held_out_9
