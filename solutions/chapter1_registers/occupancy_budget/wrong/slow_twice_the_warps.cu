// expect: too_slow
/// @file
/// occupancy_budget: an echo for many channels. The one file of this exercise that is edited and handed in; the
/// contract is in occupancy_budget.cuh, the task in README.md.
#include "occupancy_budget.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;
constexpr int delay = echo_delay;
constexpr int own = 80;  // of the delay's 160 places, those that a thread looks after; divides delay

/// Right, with twice the warps of the starter, and still four bytes a thread on their way.
/// Launch contract: grid of at least channels threads in x, of delay / own blocks in y.
__global__ void occupancy_budget_kernel(float* data, std::size_t samples, std::size_t channels) {
  const std::size_t channel = std::size_t{blockIdx.x} * block_threads + threadIdx.x;
  if (channel >= channels) return;
  float line[own] = {};
  for (std::size_t first = std::size_t{blockIdx.y} * own; first < samples; first += delay) {
    float* const place = data + first * channels + channel;
#pragma unroll
    for (int k = 0; k < own; ++k) {
      if (first + k < samples) {
        line[k] = with_echo(place[k * channels], line[k]);
        place[k * channels] = line[k];
      }
    }
  }
}

extern "C" void occupancy_budget_run(float* data, std::size_t samples, std::size_t channels,
                                     cudaStream_t stream) {
  if (samples == 0 || channels == 0) return;
  const dim3 blocks(static_cast<unsigned int>((channels + block_threads - 1) / block_threads), delay / own);
  occupancy_budget_kernel<<<blocks, block_threads, 0, stream>>>(data, samples, channels);
}
// <<< your code
