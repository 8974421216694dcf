/// @file
/// Copies under way: two vectors through two stages, tiles that a block brings together, two buffers filled
/// in bulk, boxes of a volume taken and put by tensor maps.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

#include <cuda/barrier>

#include "../bulk.hpp"
#include "../tensor_maps.hpp"
#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

namespace cg = cooperative_groups;

/// Tiles of 256 x 4 words; a thread reads what it asked for.
__global__ void __launch_bounds__(256)
    saxpy_by_stages(float a, const float4* x, const float4* y, float4* out, unsigned tiles) {
  __shared__ float4 xs[2][256], ys[2][256];
  const unsigned t = threadIdx.x;
  const auto fetch = [&](unsigned tile, unsigned stage) {
    if (tile < tiles) {
      __pipeline_memcpy_async(&xs[stage][t], x + tile * std::size_t{256} + t, 16);
      __pipeline_memcpy_async(&ys[stage][t], y + tile * std::size_t{256} + t, 16);
    }
    __pipeline_commit();
  };
  fetch(blockIdx.x, 0);
  for (unsigned tile = blockIdx.x, stage = 0; tile < tiles; tile += gridDim.x, stage ^= 1) {
    fetch(tile + gridDim.x, stage ^ 1);
    __pipeline_wait_prior(1);
    const float4 p = xs[stage][t], q = ys[stage][t];
    out[tile * std::size_t{256} + t] =
        make_float4(a * p.x + q.x, a * p.y + q.y, a * p.z + q.z, a * p.w + q.w);
  }
}
constexpr unsigned kTile = 2048;
__global__ void __launch_bounds__(256) tiles_back_to_front(const float* in, float* out) {
  __shared__ alignas(16) float tile[kTile];
  const auto block = cg::this_thread_block();
  const std::size_t base = blockIdx.x * std::size_t{kTile};
  cg::memcpy_async(block, tile, in + base, cuda::aligned_size_t<16>(kTile * 4));
  cg::wait(block);
  for (unsigned k = threadIdx.x; k < kTile; k += 256) out[base + k] = tile[kTile - 1 - k];
}
constexpr unsigned kPart = 1024;
/// Parts of 4 kB of two vectors; what is added is stored in bulk from a third place.
__global__ void __launch_bounds__(128)
    add_in_bulk(const float* a, const float* b, float* out, unsigned parts) {
  __shared__ alignas(128) float as[2][kPart], bs[2][kPart], sums[kPart];
  __shared__ std::uint64_t full[2];
  const unsigned t = threadIdx.x;
  if (t == 0) {
    ladder::init_barrier(&full[0], 2), ladder::init_barrier(&full[1], 2);
    ladder::publish_barriers();
  }
  __syncthreads();
  const auto fetch = [&](unsigned part, unsigned stage) {
    if (t != 0 || part >= parts) return;
    ladder::bulk_load(as[stage], a + part * std::size_t{kPart}, kPart * 4, &full[stage]);
    ladder::bulk_load(bs[stage], b + part * std::size_t{kPart}, kPart * 4, &full[stage]);
  };
  fetch(blockIdx.x, 0);
  unsigned round = 0;
  for (unsigned part = blockIdx.x; part < parts; part += gridDim.x, ++round) {
    const unsigned stage = round % 2;
    fetch(part + gridDim.x, stage ^ 1);
    ladder::wait_for(&full[stage], round / 2 % 2);
    if (t == 0) ladder::wait_until_read();
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < kPart; k += 128) sums[k + t] = as[stage][k + t] + bs[stage][k + t];
    ladder::publish_stores();
    __syncthreads();
    if (t == 0) ladder::bulk_store(out + part * std::size_t{kPart}, sums, kPart * 4);
  }
  if (t == 0) ladder::wait_until_stored();
}
constexpr unsigned kSide = 128, kBox[3] = {32, 8, 4};
__global__ void __launch_bounds__(256)
    scale_boxes(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to, float by) {
  __shared__ alignas(128) float box[kBox[0] * kBox[1] * kBox[2]];
  __shared__ std::uint64_t full;
  const unsigned t = threadIdx.x, x = blockIdx.x * kBox[0], y = blockIdx.y * kBox[1],
                 z = blockIdx.z * kBox[2];
  if (t == 0) {
    ladder::init_barrier(&full, 1);
    ladder::publish_barriers();
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(ladder::shared_address(&full)),
        "r"(4096)
        : "memory");
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, "
        "%4}], "
        "[%5];" ::"r"(ladder::shared_address(box)),
        "l"(&from), "r"(x), "r"(y), "r"(z), "r"(ladder::shared_address(&full))
        : "memory");
  }
  __syncthreads();
  ladder::wait_for(&full, 0);
#pragma unroll
  for (unsigned k = 0; k < 1024; k += 256) box[k + t] *= by;
  ladder::publish_stores();
  __syncthreads();
  if (t != 0) return;
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(&to),
               "r"(x), "r"(y), "r"(z), "r"(ladder::shared_address(box))
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  ladder::wait_until_stored();
}
/// False where the driver makes none.
bool make_map(CUtensorMap* map, float* volume, std::size_t depth) {
  return ladder::make_tensor_map<3>(map, volume, {kSide, kSide, depth}, {kSide * 4, kSide * kSide * 4}, kBox,
                                    CU_TENSOR_MAP_L2_PROMOTION_L2_128B);
}

}  // namespace

void asynchronous(Set& s) {
  const std::size_t n = s.n, m = n / 8;
  const unsigned tiles = as_number(m / 1024);
  s.run(
      "saxpy through two stages", 12.0 * 1024 * tiles,
      [&] {
        saxpy_by_stages<<<s.sms * 4, 256>>>(0.75f, reinterpret_cast<float4*>(s.in),
                                            reinterpret_cast<float4*>(s.other), s.vectors(), tiles);
      },
      [&] {
        return floats(s, tiles * std::size_t{1024},
                      [](std::size_t i) { return 0.75 * float_of(i) + other_of(i); });
      });
  s.run(
      "tiles brought by a block, back to front", 8.0 * real(m),
      [&] { tiles_back_to_front<<<as_number(m / kTile), 256>>>(s.in, s.out); },
      [&] {
        return floats(s, m / kTile * kTile, [](std::size_t i) {
          return double{float_of(i / kTile * kTile + kTile - 1 - i % kTile)};
        });
      });
  s.run(
      "vectors added in bulk through two buffers", 12.0 * kPart * tiles,
      [&] { add_in_bulk<<<s.sms * 4, 128>>>(s.in, s.other, s.out, tiles); },
      [&] {
        return floats(s, tiles * std::size_t{kPart},
                      [](std::size_t i) { return double{float_of(i)} + other_of(i); });
      });
  const unsigned depth = as_number(m / (kSide * kSide) / kBox[2] * kBox[2]);
  CUtensorMap from, to;
  const bool made = make_map(&from, s.in, depth) && make_map(&to, s.out, depth);
  s.run(
      "boxes of a volume scaled by tensor maps", 8.0 * kSide * kSide * depth,
      [&] {
        if (made)
          scale_boxes<<<dim3(kSide / kBox[0], kSide / kBox[1], depth / kBox[2]), 256>>>(from, to, 3.0f);
      },
      [&] {
        return floats(s, std::size_t{kSide} * kSide * depth, [](std::size_t i) { return 3.0 * float_of(i); });
      });
}

}  // namespace held_out_5
