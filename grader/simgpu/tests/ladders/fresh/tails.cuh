/// @file
/// Tails, and SMs with few warps. Part of fresh.cu.
#pragma once

#include "fresh.cuh"

namespace {

__host__ __device__ __forceinline__ float settled(float v, int rounds) {
#pragma unroll 4
  for (int k = 0; k < rounds; ++k) v = v * 0.75f + 0.125f;
  return v;
}
__global__ void __launch_bounds__(256) long_chains(const float* in, float* out, int rounds) {
  out[global_index()] = settled(in[global_index()], rounds);
}
/// The median of each block's 16384 values, by halving 24 times.
__global__ void __launch_bounds__(1024) medians(const unsigned* in, unsigned* out, std::size_t n) {
  const std::size_t base = blockIdx.x * std::size_t{16384} % (n - 16384) + threadIdx.x;
  unsigned v[16];
#pragma unroll
  for (int k = 0; k < 16; ++k) v[k] = in[base + k * 1024];
  unsigned low = 0;
#pragma unroll 1
  for (int bit = 31; bit >= 8; --bit) {
    const unsigned at = low | 1u << bit;
    int below = 0;
#pragma unroll
    for (int k = 0; k < 16; ++k) below += v[k] < at;
    __shared__ int parts[32];
    below = __reduce_add_sync(~0u, below);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = below;
    __syncthreads();
    const int all = __reduce_add_sync(~0u, parts[threadIdx.x % 32]);
    __syncthreads();
    if (all <= 8192) low = at;
  }
  if (threadIdx.x == 0) out[blockIdx.x] = low;
}
/// A state machine over a table that takes half of an SM's shared memory.
__global__ void __launch_bounds__(128) run_machines(const unsigned* rules, unsigned* out, int steps) {
  extern __shared__ unsigned table[];
  for (unsigned k = threadIdx.x; k < 24576; k += 128) table[k] = place_of(rules[k], 24576);
  __syncthreads();
  unsigned at = threadIdx.x * 190;
#pragma unroll 1
  for (int k = 0; k < steps; ++k) at = table[at];
  out[global_index()] = at;
}

void Fresh::tails() {
  // What they move does not matter, how long they last does.
  run(
      "two waves and a half of chains", 8.0 * 256 * sms * 20,
      [&] { long_chains<<<sms * 20, 256>>>(in, out, 2048); },
      [&] { return each(std::size_t{256} * sms * 20, [&](std::size_t i) { return near(value(i), 0.5); }); });
  run(
      "medians, one block an SM", 4.0 * 16384 * sms, [&] { medians<<<sms, 1024>>>(words, numbers, n); },
      [&] {
        const unsigned got = number(0);
        std::size_t below = 0, above = 0;
        for (std::size_t i = 0; i < 16384; ++i) below += word_of(i) < got, above += word_of(i) < got + 256;
        return below <= 8192 && above > 8192;
      });
  run(
      "machines in half of shared memory", 4.0 * 128 * sms * 4 * 512,
      [&] {
        cudaFuncSetAttribute(run_machines, cudaFuncAttributeMaxDynamicSharedMemorySize, 24576 * 4);
        run_machines<<<sms * 4, 128, 24576 * 4>>>(words, numbers, 512);
      },
      [&] {
        return each(std::size_t{128} * sms * 4, [&](std::size_t i) {
          return number(i) == end_of_chain(static_cast<unsigned>(i % 128) * 190, 24576, 512);
        });
      });
  run(
      "machines in half of shared memory, one block an SM", 4.0 * 128 * sms * 4096,
      [&] {
        cudaFuncSetAttribute(run_machines, cudaFuncAttributeMaxDynamicSharedMemorySize, 24576 * 4);
        run_machines<<<sms, 128, 24576 * 4>>>(words, numbers, 4096);
      },
      [&] { return number(5) == end_of_chain(5 * 190, 24576, 4096); });
}

}  // namespace
