// expect: pass
/// @file
/// occupancy_budget: an echo for many channels. The one file of this exercise that is edited and handed in; the
/// contract is in occupancy_budget.cuh, the task in README.md.
#include "occupancy_budget.cuh"

// >>> your code
constexpr unsigned int block_threads = 64;
constexpr int delay = echo_delay;
constexpr int in_flight = 16;

/// The line of each thread in shared memory, sixteen samples on their way: as few warps as with registers, and as
/// many bytes a warp. On a stream of its own that is joined to the given one.
__global__ void echo_with_shared_line(float* data, std::size_t samples, std::size_t channels) {
  alignas(16) __shared__ float lines[delay][block_threads];
  const std::size_t channel = std::size_t{blockIdx.x} * block_threads + threadIdx.x;
  if (channel >= channels) return;
  for (int k = 0; k < delay; ++k) lines[k][threadIdx.x] = 0.0f;
  int place = 0;
  for (std::size_t first = 0; first < samples; first += in_flight) {
    float sample[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k)
      sample[k] = first + k < samples ? data[(first + k) * channels + channel] : 0.0f;
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      float& earlier = lines[place + k][threadIdx.x];
      earlier = with_echo(sample[k], earlier);
      if (first + k < samples) data[(first + k) * channels + channel] = earlier;
    }
    place = (place + in_flight) % delay;
  }
}

extern "C" void occupancy_budget_run(float* data, std::size_t samples, std::size_t channels,
                                     cudaStream_t stream) {
  if (samples == 0 || channels == 0) return;
  static cudaStream_t own = nullptr;
  static cudaEvent_t begun = nullptr, done = nullptr;
  if (!own) {
    cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&begun, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  }
  cudaEventRecord(begun, stream);
  cudaStreamWaitEvent(own, begun, 0);
  echo_with_shared_line<<<static_cast<unsigned int>((channels + block_threads - 1) / block_threads),
                          block_threads, 0, own>>>(data, samples, channels);
  cudaEventRecord(done, own);
  cudaStreamWaitEvent(stream, done, 0);
}
// <<< your code
