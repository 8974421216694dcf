// expect: wrong_result
/// @file
/// occupancy_budget: an echo for many channels. The one file of this exercise that is edited and handed in; the
/// contract is in occupancy_budget.cuh, the task in README.md.
#include "occupancy_budget.cuh"

// >>> your code
#include <cuda_fp16.h>

constexpr unsigned int block_threads = 256;
constexpr int delay = echo_delay;

/// Wrong: two outputs share a register, in half precision. Twice the warps, and a quarter of the digits.
/// Launch contract: one-dimensional grid of at least channels threads.
__global__ void occupancy_budget_kernel(float* data, std::size_t samples, std::size_t channels) {
  const std::size_t channel = std::size_t{blockIdx.x} * block_threads + threadIdx.x;
  if (channel >= channels) return;
  __half2 line[delay / 2];
#pragma unroll
  for (int k = 0; k < delay / 2; ++k) line[k] = __float2half2_rn(0.0f);
  for (std::size_t first = 0; first < samples; first += delay) {
#pragma unroll
    for (int k = 0; k < delay; k += 2) {
      const std::size_t i = (first + k) * channels + channel;
      float low = __low2float(line[k / 2]), high = __high2float(line[k / 2]);
      if (first + k < samples) data[i] = low = with_echo(data[i], low);
      if (first + k + 1 < samples) data[i + channels] = high = with_echo(data[i + channels], high);
      line[k / 2] = __floats2half2_rn(low, high);
    }
  }
}

extern "C" void occupancy_budget_run(float* data, std::size_t samples, std::size_t channels,
                                     cudaStream_t stream) {
  if (samples == 0 || channels == 0) return;
  const std::size_t blocks = (channels + block_threads - 1) / block_threads;
  occupancy_budget_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(data, samples,
                                                                                           channels);
}
// <<< your code
