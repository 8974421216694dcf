// expect: wasteful|too_slow repeated_loads
/// @file
/// occupancy_budget: an echo for many channels. The one file of this exercise that is edited and handed in; the
/// contract is in occupancy_budget.cuh, the task in README.md.
#include "occupancy_budget.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;
constexpr int delay = echo_delay;

/// Right, and hardly any registers: what is to echo is read back. So three floats move where two would do.
/// Launch contract: grid of at least channels threads in x, of delay blocks in y.
__global__ void occupancy_budget_kernel(float* data, std::size_t samples, std::size_t channels) {
  const std::size_t channel = std::size_t{blockIdx.x} * block_threads + threadIdx.x;
  if (channel >= channels) return;
  for (std::size_t t = blockIdx.y; t < samples; t += delay) {
    const std::size_t i = t * channels + channel;
    data[i] = with_echo(data[i], t < delay ? 0.0f : data[i - delay * channels]);
  }
}

extern "C" void occupancy_budget_run(float* data, std::size_t samples, std::size_t channels,
                                     cudaStream_t stream) {
  if (samples == 0 || channels == 0) return;
  const dim3 blocks(static_cast<unsigned int>((channels + block_threads - 1) / block_threads), delay);
  occupancy_budget_kernel<<<blocks, block_threads, 0, stream>>>(data, samples, channels);
}
// <<< your code
