/// @file
/// Copies under way: rows by a vector through four stages, boxes whose edges a tensor map fills in.
#include <cuda_pipeline.h>

#include "../bulk.hpp"
#include "../tensor_maps.hpp"
#include "held_out_7.hpp"

namespace held_out_7 {
namespace {

constexpr unsigned kColumns = 512, kRows = 32, kStages = 4;

/// A block goes down 32 rows; a thread has four columns.
__global__ void __launch_bounds__(128) rows_through_stages(const float4* matrix, const float4* x, float* y) {
  __shared__ float4 rows[kStages][128];
  __shared__ float parts[kRows][4];
  const unsigned t = threadIdx.x;
  const float4* mine = matrix + blockIdx.x * std::size_t{kRows * kColumns / 4} + t;
  const float4 weight = x[t];
#pragma unroll
  for (unsigned r = 0; r < kStages - 1; ++r) {
    __pipeline_memcpy_async(&rows[r][t], mine + r * (kColumns / 4), sizeof(float4));
    __pipeline_commit();
  }
  for (unsigned r = 0; r < kRows; ++r) {
    const unsigned next = r + kStages - 1;
    if (next < kRows)
      __pipeline_memcpy_async(&rows[next % kStages][t], mine + next * (kColumns / 4), sizeof(float4));
    __pipeline_commit();
    __pipeline_wait_prior(kStages - 1);
    const float4 v = rows[r % kStages][t];
    float sum = v.x * weight.x + v.y * weight.y + v.z * weight.z + v.w * weight.w;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (t % 32 == 0) parts[r][t / 32] = sum;
  }
  __syncthreads();
  if (t < kRows) y[blockIdx.x * kRows + t] = parts[t][0] + parts[t][1] + parts[t][2] + parts[t][3];
}

constexpr unsigned kWide = 1024, kTileWide = 32, kTileHigh = 16, kBoxWide = 40, kBoxHigh = 18;
/// Five points; the map has noughts beyond the picture.
__global__ void __launch_bounds__(256)
    five_of_boxes(const __grid_constant__ CUtensorMap picture, float* out) {
  __shared__ alignas(128) float box[kBoxHigh][kBoxWide];
  __shared__ std::uint64_t full;
  const int x0 = blockIdx.x * kTileWide, y0 = blockIdx.y * kTileHigh;
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    ladder::init_barrier(&full, 1);
    ladder::publish_barriers();
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(ladder::shared_address(&full)),
        "r"(static_cast<unsigned>(sizeof box))
        : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
        "[%4];" ::"r"(ladder::shared_address(box)),
        "l"(&picture), "r"(x0 - 4), "r"(y0 - 1), "r"(ladder::shared_address(&full))
        : "memory");
  }
  __syncthreads();
  ladder::wait_for(&full, 0);
  const unsigned x = threadIdx.x + 4;
  for (unsigned y = threadIdx.y + 1; y <= kTileHigh; y += 8)
    out[(y0 + y - 1) * std::size_t{kWide} + x0 + threadIdx.x] =
        4.0f * box[y][x] - box[y - 1][x] - box[y + 1][x] - box[y][x - 1] - box[y][x + 1];
}
/// False where the driver makes none.
bool make_map(CUtensorMap* map, float* picture, std::size_t high) {
  return ladder::make_tensor_map<2>(map, picture, {kWide, high}, {kWide * 4}, {kBoxWide, kBoxHigh});
}

}  // namespace

void asynchronous(Set& s) {
  const std::size_t n = s.n;
  const unsigned blocks = as_number(n / 4 / (kRows * kColumns));
  s.run(
      "rows of 2 kB by a vector through four stages", 4.0 * (kColumns + 1) * kRows * blocks,
      [&] {
        rows_through_stages<<<blocks, 128>>>(reinterpret_cast<const float4*>(s.in),
                                             reinterpret_cast<const float4*>(s.other), s.out);
      },
      [&] {
        return floats(s, std::size_t{kRows} * blocks, [](std::size_t r) {
          double sum = 0;
          for (std::size_t c = 0; c < kColumns; ++c) sum += double{float_of(r * kColumns + c)} * other_of(c);
          return sum;
        });
      });
  const unsigned high = as_number(n / 8 / kWide / kTileHigh * kTileHigh);
  CUtensorMap map{};
  const bool made = make_map(&map, s.in, high);
  s.run(
      "five points of boxes whose edges a map fills in", 8.0 * kWide * high,
      [&] {
        if (made) five_of_boxes<<<dim3(kWide / kTileWide, high / kTileHigh), dim3(32, 8)>>>(map, s.out);
      },
      [&] {
        return within(s, std::size_t{kWide} * high, 1e-3, [high](std::size_t i) {
          const std::size_t x = i % kWide, y = i / kWide;
          double sum = 4.0 * float_of(i);
          if (x > 0) sum -= float_of(i - 1);
          if (x + 1 < kWide) sum -= float_of(i + 1);
          if (y > 0) sum -= float_of(i - kWide);
          if (y + 1 < high) sum -= float_of(i + kWide);
          return sum;
        });
      });
}

}  // namespace held_out_7
