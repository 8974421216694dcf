// expect: wrong_result
/// @file
/// event_timing: how long work on a stream takes, by events on that stream. The one file of this exercise that is edited
/// and handed in; the contract is in event_timing.cuh, the task in README.md.
#include "event_timing.cuh"

// >>> your code
#include <chrono>

// The host's clock with waits, and two events for show. On a card it comes near when the work is long; the simulated GPU's time is
// modelled, and no watch of the host knows it.
extern "C" void event_timing_run(const float* in, float* out, std::size_t n, unsigned int passes,
                                 double* milliseconds, double* gigabytes_per_second, cudaStream_t stream) {
  cudaEvent_t before = nullptr, after = nullptr;
  cudaEventCreate(&before);
  cudaEventCreate(&after);
  launch_work(in, out, n, passes, stream);
  cudaStreamSynchronize(stream);
  const auto begun = std::chrono::steady_clock::now();
  cudaEventRecord(before, stream);
  launch_work(in, out, n, passes, stream);
  cudaEventRecord(after, stream);
  cudaStreamSynchronize(stream);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  cudaEventDestroy(before);
  cudaEventDestroy(after);
  *milliseconds = took.count() * 1e3;
  *gigabytes_per_second = 8.0 * static_cast<double>(n) * passes / took.count() / 1e9;
}
// <<< your code
