/// @file
/// Blocks and clusters that bring and hand on data: complex numbers by a group's copies, boxes of a tensor map made
/// smaller, columns added up in one block's shared memory.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

#include "../bulk.hpp"
#include "../tensor_maps.hpp"
#include "held_out_18.hpp"

namespace held_out_18 {
namespace {

constexpr unsigned kComplexTile = 512, kComplexThreads = 256;
/// The next tile is on its way while one is worked on.
__global__ void __launch_bounds__(kComplexThreads)
    multiply_complex(const float2* a, const float2* b, float2* out, unsigned tiles) {
  __shared__ alignas(16) float2 left[2][kComplexTile], right[2][kComplexTile];
  const auto block = cooperative_groups::this_thread_block();
  const auto fetch = [&](unsigned tile, unsigned to) {
    const std::size_t first = std::size_t{tile} * kComplexTile;
    cooperative_groups::memcpy_async(block, left[to], a + first, sizeof left[to]);
    cooperative_groups::memcpy_async(block, right[to], b + first, sizeof right[to]);
  };
  if (blockIdx.x < tiles) fetch(blockIdx.x, 0);
  unsigned now = 0;
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    if (tile + gridDim.x < tiles) {
      fetch(tile + gridDim.x, 1 - now);
      cooperative_groups::wait_prior<2>(block);
    } else {
      cooperative_groups::wait(block);
    }
    for (unsigned k = threadIdx.x; k < kComplexTile; k += kComplexThreads) {
      const float2 u = left[now][k], v = right[now][k];
      out[std::size_t{tile} * kComplexTile + k] = make_float2(u.x * v.x - u.y * v.y, u.x * v.y + u.y * v.x);
    }
    block.sync();  // the next but one comes to where this one was
    now = 1 - now;
  }
}

constexpr unsigned kPooledWide = 1024, kPooledBoxX = 64, kPooledBoxY = 32, kPooledSide = 4,
                   kPooledX = kPooledBoxX / kPooledSide, kPooledY = kPooledBoxY / kPooledSide,
                   kPooledThreads = kPooledX * kPooledY, kPooledRow = kPooledWide / kPooledSide,
                   kPooledBytes = kPooledBoxX * kPooledBoxY * sizeof(float);
/// A thread has a square.
__global__ void __launch_bounds__(kPooledThreads)
    pool_boxes(const __grid_constant__ CUtensorMap from, float* out) {
  __shared__ alignas(128) float box[kPooledBoxY][kPooledBoxX];
  __shared__ std::uint64_t come;
  const unsigned t = threadIdx.x, x = t % kPooledX, y = t / kPooledX;
  if (t == 0) {
    ladder::init_barrier(&come, 1);
    ladder::publish_barriers();
    const unsigned barrier = ladder::shared_address(&come);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(kPooledBytes)
                 : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
        "[%4];" ::"r"(ladder::shared_address(&box[0][0])),
        "l"(&from), "r"(blockIdx.x * kPooledBoxX), "r"(blockIdx.y * kPooledBoxY), "r"(barrier)
        : "memory");
  }
  __syncthreads();
  ladder::wait_for(&come, 0);
  float sum = 0.0f;
#pragma unroll
  for (unsigned k = 0; k < kPooledSide; ++k) {
    const float4 v = *reinterpret_cast<const float4*>(&box[y * kPooledSide + k][x * kPooledSide]);
    sum += (v.x + v.y) + (v.z + v.w);
  }
  out[std::size_t{blockIdx.y * kPooledY + y} * kPooledRow + blockIdx.x * kPooledX + x] =
      sum * (1.0f / (kPooledSide * kPooledSide));
}

constexpr unsigned kStackedCluster = 8, kStackedColumns = 256, kStackedRows = 64;
constexpr std::size_t kOfStacked = std::size_t{kStackedCluster} * kStackedRows * kStackedColumns;
/// A block adds up its rows, and then to what the first block of its cluster holds.
__global__ void __cluster_dims__(kStackedCluster, 1, 1) __launch_bounds__(kStackedColumns)
    add_up_columns(const float* in, float* out) {
  __shared__ float columns[kStackedColumns];
  const auto cluster = cooperative_groups::this_cluster();
  const unsigned t = threadIdx.x;
  columns[t] = 0.0f;
  cluster.sync();
  const float* own = in + std::size_t{blockIdx.x} * kStackedRows * kStackedColumns;
  float sum = 0.0f;
#pragma unroll 8
  for (unsigned row = 0; row < kStackedRows; ++row) sum += own[row * kStackedColumns + t];
  atomicAdd(cluster.map_shared_rank(columns, 0) + t, sum);
  cluster.sync();
  if (cluster.block_rank() == 0)
    out[std::size_t{blockIdx.x / kStackedCluster} * kStackedColumns + t] = columns[t];
}

}  // namespace

void blocks(Set& s) {
  const std::size_t n = s.n;
  const unsigned tiles = as_number(n / 16 / kComplexTile);
  s.run(
      "complex numbers multiplied in tiles of 512 that a group copies, the next one meanwhile",
      24.0 * kComplexTile * tiles,
      [&] {
        multiply_complex<<<s.sms * 4, kComplexThreads>>>(reinterpret_cast<const float2*>(s.in),
                                                         reinterpret_cast<const float2*>(s.other),
                                                         reinterpret_cast<float2*>(s.out), tiles);
      },
      [&] {
        return near_everywhere(s, 2 * std::size_t{kComplexTile} * tiles, 1e-5, [](std::size_t i) {
          const std::size_t at = i / 2 * 2;
          const double ux = float_of(at), uy = float_of(at + 1), vx = other_of(at), vy = other_of(at + 1);
          return i % 2 == 0 ? ux * vx - uy * vy : ux * vy + uy * vx;
        });
      });

  const unsigned pooled = as_number(n / 4 / kPooledWide / kPooledBoxY * kPooledBoxY);
  CUtensorMap from;
  const cuuint64_t sizes[2] = {kPooledWide, pooled}, apart[1] = {kPooledWide * sizeof(float)};
  const cuuint32_t box[2] = {kPooledBoxX, kPooledBoxY};
  const bool made = ladder::make_tensor_map(&from, s.in, sizes, apart, box);
  s.run(
      "means of squares of 4 x 4 of a picture, boxes of 64 x 32 of a tensor map",
      (4.0 + 4.0 / (kPooledSide * kPooledSide)) * kPooledWide * pooled,
      [&] {
        if (made)
          pool_boxes<<<dim3(kPooledWide / kPooledBoxX, pooled / kPooledBoxY), kPooledThreads>>>(from, s.out);
      },
      [&] {
        return near_everywhere(s, std::size_t{kPooledRow} * (pooled / kPooledSide), 1e-5, [](std::size_t i) {
          const std::size_t first = i / kPooledRow * kPooledSide * kPooledWide + i % kPooledRow * kPooledSide;
          double sum = 0;
          for (std::size_t k = 0; k < kPooledSide * kPooledSide; ++k)
            sum += float_of(first + k / kPooledSide * kPooledWide + k % kPooledSide);
          return sum / (kPooledSide * kPooledSide);
        });
      });

  const unsigned stacked = as_number(n / 4 / kOfStacked);
  s.run(
      "columns of 512 x 256 added up in the shared memory of the first of eight blocks",
      4.0 * real(kOfStacked) * stacked + 4.0 * kStackedColumns * stacked,
      [&] { add_up_columns<<<kStackedCluster * stacked, kStackedColumns>>>(s.in, s.out); },
      [&] {
        return near_everywhere(s, std::size_t{kStackedColumns} * stacked, 1e-5, [](std::size_t i) {
          const std::size_t first = i / kStackedColumns * kOfStacked + i % kStackedColumns;
          double sum = 0;
          for (std::size_t k = first; k < first + kOfStacked; k += kStackedColumns) sum += float_of(k);
          return sum;
        });
      });
}

}  // namespace held_out_18
