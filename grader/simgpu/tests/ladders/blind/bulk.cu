/// @file
/// Bulk copies: rings between a warp that asks and warps that use, copies that no thread touches, a tile with its edges.
#include "../bulk.hpp"

#include "blind.hpp"

namespace blind {
namespace {

__device__ __forceinline__ void arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(ladder::shared_address(barrier)) : "memory");
}
constexpr unsigned kStages = 4, kChunk = 2048;

/// Warp 0 fills a ring of four buffers of 8 kB, four warps empty it.
__global__ void __launch_bounds__(160) roots_by_consumers(const float* in, float* out, std::size_t chunks) {
  __shared__ alignas(128) float ring[kStages][kChunk];
  __shared__ std::uint64_t full[kStages], empty[kStages];
  if (threadIdx.x == 0) {
    for (unsigned s = 0; s < kStages; ++s)
      ladder::init_barrier(&full[s], 1), ladder::init_barrier(&empty[s], 128);
    ladder::publish_barriers();
  }
  __syncthreads();
  unsigned at = 0, phase = 0;
  const auto next = [&] {
    if (++at == kStages) at = 0, phase ^= 1;
  };
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0)
      for (std::size_t c = blockIdx.x; c < chunks; c += gridDim.x, next()) {
        ladder::wait_for(&empty[at], phase ^ 1);
        ladder::bulk_load(ring[at], in + c * kChunk, kChunk * 4, &full[at]);
      }
    return;
  }
  const unsigned mine = threadIdx.x - 32;
  for (std::size_t c = blockIdx.x; c < chunks; c += gridDim.x, next()) {
    ladder::wait_for(&full[at], phase);
    float4 v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) v[k] = reinterpret_cast<const float4*>(ring[at])[mine + 128 * k];
    arrive(&empty[at]);
#pragma unroll
    for (int k = 0; k < 4; ++k)
      reinterpret_cast<float4*>(out + c * kChunk)[mine + 128 * k] =
          make_float4(sqrtf(v[k].x), sqrtf(v[k].y), sqrtf(v[k].z), sqrtf(v[k].w));
  }
}
/// A warp a block; what comes in bulk goes out in bulk, through three buffers of 16 kB.
__global__ void __launch_bounds__(32) pass_through(const float* in, float* out, std::size_t chunks) {
  extern __shared__ __align__(128) float buffers[];
  __shared__ std::uint64_t full[3];
  if (threadIdx.x != 0) return;
  for (int s = 0; s < 3; ++s) ladder::init_barrier(&full[s], 1);
  ladder::publish_barriers();
  const auto load = [&](unsigned slot, std::size_t c) {
    if (c < chunks) ladder::bulk_load(buffers + slot * 4096, in + c * 4096, 16384, &full[slot]);
  };
  load(0, blockIdx.x), load(1, blockIdx.x + gridDim.x);
  unsigned at = 0, phase = 0;
  for (std::size_t c = blockIdx.x; c < chunks; c += gridDim.x) {
    ladder::wait_for(&full[at], phase);
    ladder::bulk_store(out + c * 4096, buffers + at * 4096, 16384);
    // The buffer before this one is free when its store has read it.
    asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
    load((at + 2) % 3, c + 2 * std::size_t{gridDim.x});
    if (++at == 3) at = 0, phase ^= 1;
  }
  ladder::wait_until_stored();
}
/// The mean of 65 neighbours by sums of eight; a block's line and both edges come in one request.
__global__ void __launch_bounds__(256) mean_of_65(const float* in, float* out, std::size_t n) {
  __shared__ alignas(128) float line[1024 + 64];
  __shared__ float eights[1024 + 64];
  __shared__ std::uint64_t full;
  const std::size_t first = blockIdx.x * std::size_t{1024};
  if (first + 1024 + 64 > n) return;
  if (threadIdx.x == 0) {
    ladder::init_barrier(&full, 1);
    ladder::publish_barriers();
    ladder::bulk_load(line, in + first, sizeof line, &full);
  }
  __syncthreads();
  ladder::wait_for(&full, 0);
  for (unsigned k = threadIdx.x; k < 1024 + 57; k += 256) {
    float sum = 0;
#pragma unroll
    for (int d = 0; d < 8; ++d) sum += line[k + d];
    eights[k] = sum;
  }
  __syncthreads();
  for (unsigned k = threadIdx.x; k < 1024; k += 256) {
    float sum = line[k + 64];
#pragma unroll
    for (int d = 0; d < 64; d += 8) sum += eights[k + d];
    out[first + k] = sum * (1.0f / 65);
  }
}

}  // namespace

void bulk(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "roots by consumers of a ring", 2 * s.one,
      [&] { roots_by_consumers<<<s.sms * 3, 160>>>(s.in, s.out, n / kChunk); },
      [&] {
        return Set::each(n, [&](std::size_t i) { return Set::near(s.value(i), std::sqrt(float_of(i))); });
      });
  s.run(
      "in and out in bulk", 2 * s.one,
      [&] {
        cudaFuncSetAttribute(pass_through, cudaFuncAttributeMaxDynamicSharedMemorySize, 49152);
        pass_through<<<s.sms * 4, 32, 49152>>>(s.in, s.out, n / 4096);
      },
      [&] { return Set::each(n, [&](std::size_t i) { return s.value(i) == float_of(i); }); });
  s.run(
      "mean of 65, lines in bulk", 2 * s.one,
      [&] { mean_of_65<<<static_cast<unsigned>(n / 1024), 256>>>(s.in, s.out, n); },
      [&] {
        return Set::each(n - 2048, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = i; k <= i + 64; ++k) sum += float_of(k);
          return Set::near(s.value(i), sum / 65);
        });
      });
}

}  // namespace blind
