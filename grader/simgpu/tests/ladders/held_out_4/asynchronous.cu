/// @file
/// Copies under way while others work: rows by eight bytes, rows by number in bulk, tiles by a tensor map,
/// sums added in bulk.
#include <cuda_pipeline.h>

#include "../bulk.hpp"
#include "../tensor_maps.hpp"
#include "held_out_4.hpp"

namespace held_out_4 {
namespace {

constexpr unsigned kRow = 512, kRows = 32, kRing = 4;
/// Each row with the next one, blended; two more are under way.
__global__ void __launch_bounds__(256) blended(const float* in, float* out) {
  __shared__ alignas(16) float2 ring[kRing][kRow / 2];
  const std::size_t base = blockIdx.x * std::size_t{kRow * kRows};
  const unsigned t = threadIdx.x;
  const auto fetch = [&](unsigned r) {
    if (r <= kRows) __pipeline_memcpy_async(&ring[r % kRing][t], in + base + r * kRow + 2 * t, 8);
    __pipeline_commit();
  };
  fetch(0), fetch(1), fetch(2);
  for (unsigned r = 0; r < kRows; ++r) {
    __pipeline_wait_prior(1);
    __syncthreads();
    fetch(r + 3);
    const float2 a = ring[r % kRing][t], b = ring[(r + 1) % kRing][(t + 1) % (kRow / 2)];
    *reinterpret_cast<float2*>(out + base + r * kRow + 2 * t) =
        make_float2(0.5f * (a.x + b.x), 0.5f * (a.y + b.y));
  }
}
constexpr unsigned kLine = 256, kLines = 8;
/// A block brings eight lines of 1 kB, from wherever they are.
__global__ void __launch_bounds__(128)
    lines_by_number(const unsigned* which, const float* in, float* out, unsigned count) {
  __shared__ alignas(128) float lines[kLines * kLine];
  __shared__ std::uint64_t full;
  const std::size_t first = blockIdx.x * std::size_t{kLines};
  if (threadIdx.x == 0) {
    ladder::init_barrier(&full, kLines);
    ladder::publish_barriers();
    for (unsigned k = 0; k < kLines; ++k)
      ladder::bulk_load(lines + k * kLine, in + place_of(which[first + k], count) * std::size_t{kLine},
                        kLine * 4, &full);
  }
  __syncthreads();
  ladder::wait_for(&full, 0);
#pragma unroll
  for (unsigned k = 0; k < kLines * kLine / 128; ++k)
    out[first * kLine + k * 128 + threadIdx.x] = 2.0f * lines[k * 128 + threadIdx.x] + 1.0f;
}
constexpr unsigned kWidth = 1024;
/// Boxes of 32 x 32, written along their columns.
__global__ void __launch_bounds__(256)
    turned_boxes(const __grid_constant__ CUtensorMap map, float* out, unsigned height) {
  __shared__ alignas(128) float box[32][32];
  __shared__ std::uint64_t full;
  const unsigned t = threadIdx.y * 32 + threadIdx.x;
  if (t == 0) {
    ladder::init_barrier(&full, 1);
    ladder::publish_barriers();
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(ladder::shared_address(&full)),
        "r"(4096)
        : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
        "[%4];" ::"r"(ladder::shared_address(box)),
        "l"(&map), "r"(blockIdx.x * 32), "r"(blockIdx.y * 32), "r"(ladder::shared_address(&full))
        : "memory");
  }
  __syncthreads();
  ladder::wait_for(&full, 0);
  for (unsigned r = threadIdx.y; r < 32; r += 8)
    out[(blockIdx.x * 32 + r) * std::size_t{height} + blockIdx.y * 32 + threadIdx.x] = box[threadIdx.x][r];
}
/// A block adds up 32 rows of 1024; the copy engine adds that to the others'.
__global__ void __launch_bounds__(256) sums_in_bulk(const float4* in, float* out) {
  __shared__ alignas(128) float4 sums[256];
  const float4* rows = in + blockIdx.x * std::size_t{32 * 256};
  float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 8
  for (unsigned r = 0; r < 32; ++r) {
    const float4 v = rows[r * 256 + threadIdx.x];
    sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
  }
  sums[threadIdx.x] = sum;
  ladder::publish_stores();
  __syncthreads();
  if (threadIdx.x != 0) return;
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(out),
               "r"(ladder::shared_address(sums)), "r"(4096)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  ladder::wait_until_read();
}
/// False where the driver makes none.
bool make_map(CUtensorMap* map, float* image, std::size_t height) {
  return ladder::make_tensor_map<2>(map, image, {kWidth, height}, {kWidth * 4}, {32, 32});
}

}  // namespace

void asynchronous(Set& s) {
  const std::size_t n = s.n, blocks = n / 8 / (kRow * kRows);
  s.run(
      "rows blended with the next, by eight bytes", 8.0 * kRow * kRows * real(blocks),
      [&] { blended<<<as_number(blocks), 256>>>(s.in, s.out); },
      [&] {
        return floats(s, kRow * kRows * blocks, [](std::size_t i) {
          return 0.5 * (double{float_of(i)} + float_of(i / kRow * kRow + kRow + (i % kRow + 2) % kRow));
        });
      });
  const unsigned count = as_number(n / 2 / kLine), wanted = as_number(n / 16 / kLine);
  s.run(
      "lines of 1 kB by number in bulk", (8.0 * kLine + 4) * wanted,
      [&] { lines_by_number<<<wanted / kLines, 128>>>(s.words, s.in, s.out, count); },
      [&] {
        return floats(s, wanted * std::size_t{kLine}, [&](std::size_t i) {
          return 2.0 * float_of(place_of(word_of(i / kLine), count) * std::size_t{kLine} + i % kLine) + 1;
        });
      });
  const unsigned height = as_number(n / 16 / kWidth / 32 * 32);
  CUtensorMap map;
  const bool made = make_map(&map, s.in, height);
  s.run(
      "boxes of a tensor map turned", 8.0 * kWidth * height,
      [&] {
        if (made) turned_boxes<<<dim3(kWidth / 32, height / 32), dim3(32, 8)>>>(map, s.out, height);
      },
      [&] {
        return within(s, kWidth * std::size_t{height}, 0,
                      [&](std::size_t i) { return double{float_of(i % height * kWidth + i / height)}; });
      });
  const unsigned chunks = as_number(n / 8 / 1024 / 32);
  s.run(
      "sums of 1024 columns added in bulk", 4.0 * 32 * 1024 * chunks,
      [&] { sums_in_bulk<<<chunks, 256>>>(reinterpret_cast<float4*>(s.in), s.out); },
      [&] {
        return floats(s, 1024, [&](std::size_t c) {
          double sum = 0;
          for (std::size_t r = 0; r < chunks * std::size_t{32}; ++r) sum += float_of(r * 1024 + c);
          return sum;
        });
      });
}

}  // namespace held_out_4
