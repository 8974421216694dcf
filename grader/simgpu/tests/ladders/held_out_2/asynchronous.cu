/// @file
/// Copies to shared memory under way while the block works: two buffers by cp.async, bulk copies of lines, the pipeline by hand.
#include <cuda_pipeline.h>

#include "../bulk.hpp"
#include "held_out_2.hpp"

namespace held_out_2 {
namespace {

constexpr unsigned kLine = 2048;  ///< words of a copy

/// What a line's words give.
__device__ __forceinline__ void work(const float* line, float* out) {
  for (unsigned k = threadIdx.x; k < kLine; k += 256) {
    float v = line[k];
#pragma unroll
    for (int r = 0; r < 8; ++r) v = v * 0.5f + line[(k + 64 * r) % kLine];
    out[k] = v;
  }
}
/// Loads through registers, between two barriers.
__global__ void __launch_bounds__(256) lines_by_loads(const float* in, float* out, unsigned lines) {
  __shared__ float line[kLine];
  for (unsigned l = blockIdx.x; l < lines; l += gridDim.x) {
    for (unsigned k = threadIdx.x; k < kLine; k += 256) line[k] = in[l * std::size_t{kLine} + k];
    __syncthreads();
    work(line, out + l * std::size_t{kLine});
    __syncthreads();
  }
}
__global__ void __launch_bounds__(256) lines_by_two_buffers(const float* in, float* out, unsigned lines) {
  __shared__ alignas(16) float line[2][kLine];
  const auto ask = [&](unsigned l, unsigned which) {
    if (l < lines)
      for (unsigned k = threadIdx.x * 4; k < kLine; k += 1024)
        __pipeline_memcpy_async(&line[which][k], in + l * std::size_t{kLine} + k, 16);
    __pipeline_commit();
  };
  unsigned which = 0;
  ask(blockIdx.x, 0);
  for (unsigned l = blockIdx.x; l < lines; l += gridDim.x, which ^= 1) {
    ask(l + gridDim.x, which ^ 1);
    __pipeline_wait_prior(1);
    __syncthreads();
    work(line[which], out + l * std::size_t{kLine});
    __syncthreads();
  }
}
__global__ void __launch_bounds__(256) lines_by_bulk(const float* in, float* out, unsigned lines) {
  __shared__ alignas(128) float line[2][kLine];
  __shared__ std::uint64_t full[2];
  if (threadIdx.x == 0) {
    ladder::init_barrier(&full[0], 1), ladder::init_barrier(&full[1], 1);
    ladder::publish_barriers();
  }
  __syncthreads();
  const auto ask = [&](unsigned l, unsigned which) {
    if (threadIdx.x == 0 && l < lines)
      ladder::bulk_load(line[which], in + l * std::size_t{kLine}, kLine * 4, &full[which]);
  };
  ask(blockIdx.x, 0);
  unsigned turn = 0;
  for (unsigned l = blockIdx.x; l < lines; l += gridDim.x, ++turn) {
    ask(l + gridDim.x, (turn + 1) % 2);
    ladder::wait_for(&full[turn % 2], turn / 2 % 2);
    work(line[turn % 2], out + l * std::size_t{kLine});
    __syncthreads();
  }
}
/// No work at all: lines go in and out by the unit that copies.
__global__ void __launch_bounds__(32) lines_passed_on(const float* in, float* out, unsigned lines) {
  __shared__ alignas(128) float line[kLine];
  __shared__ std::uint64_t full;
  if (threadIdx.x != 0) return;
  ladder::init_barrier(&full, 1);
  ladder::publish_barriers();
  unsigned phase = 0;
  for (unsigned l = blockIdx.x; l < lines; l += gridDim.x, phase ^= 1) {
    ladder::bulk_load(line, in + l * std::size_t{kLine}, kLine * 4, &full);
    ladder::wait_for(&full, phase);
    ladder::bulk_store(out + l * std::size_t{kLine}, line, kLine * 4);
    ladder::wait_until_read();
  }
  ladder::wait_until_stored();
}

}  // namespace

void asynchronous(Set& s) {
  const std::size_t m = s.n / 8;
  const auto lines = static_cast<unsigned>(m / kLine);
  const auto right = [&] {
    return floats(s, m, [](std::size_t i) {
      double v = float_of(i);
      for (std::size_t r = 0; r < 8; ++r) v = v * 0.5 + float_of(i / kLine * kLine + (i + 64 * r) % kLine);
      return v;
    });
  };
  s.run(
      "lines by loads", s.one / 4, [&] { lines_by_loads<<<s.sms * 4, 256>>>(s.in, s.out, lines); }, right);
  s.run(
      "lines by two buffers", s.one / 4,
      [&] { lines_by_two_buffers<<<s.sms * 4, 256>>>(s.in, s.out, lines); }, right);
  s.run(
      "lines by bulk copies", s.one / 4, [&] { lines_by_bulk<<<s.sms * 4, 256>>>(s.in, s.out, lines); },
      right);
  s.run(
      "lines passed on in bulk", s.one / 4, [&] { lines_passed_on<<<s.sms * 8, 32>>>(s.in, s.out, lines); },
      [&] {
        return floats(
            s, m, [](std::size_t i) { return float_of(i); }, 0);
      });
}

}  // namespace held_out_2
