// expect: wrong_result left_allocated
/// @file
/// Two events are made in each call, and nobody destroys them.
#include "event_timing.cuh"
extern "C" void event_timing_run(const float* in, float* out, std::size_t n, unsigned int passes,
                                 double* milliseconds, double* gigabytes_per_second, cudaStream_t stream) {
  cudaEvent_t a, b;
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  launch_work(in, out, n, passes, stream);
  cudaEventRecord(a, stream);
  launch_work(in, out, n, passes, stream);
  cudaEventRecord(b, stream);
  cudaEventSynchronize(b);
  float ms = 0;
  cudaEventElapsedTime(&ms, a, b);
  *milliseconds = ms;
  *gigabytes_per_second = 8e-6 * static_cast<double>(n) * passes / ms;
}
