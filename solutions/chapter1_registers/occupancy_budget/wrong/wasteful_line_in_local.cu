// expect: wasteful|too_slow local_memory
/// @file
/// occupancy_budget: an echo for many channels. The one file of this exercise that is edited and handed in; the
/// contract is in occupancy_budget.cuh, the task in README.md.
#include "occupancy_budget.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;
constexpr int delay = echo_delay;

/// Right, with few registers and many warps: the place in the line counts while the kernel runs, so the line is an
/// array with addresses, in local memory. There is no spill, and a stack frame.
/// Launch contract: one-dimensional grid of at least channels threads.
__global__ void occupancy_budget_kernel(float* data, std::size_t samples, std::size_t channels) {
  const std::size_t channel = std::size_t{blockIdx.x} * block_threads + threadIdx.x;
  if (channel >= channels) return;
  float line[delay] = {};
  int place = 0;
  for (std::size_t t = 0; t < samples; ++t) {
    const std::size_t i = t * channels + channel;
    line[place] = with_echo(data[i], line[place]);
    data[i] = line[place];
    if (++place == delay) place = 0;
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
