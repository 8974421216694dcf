// expect: pass
/// @file
/// Sound in another style: ten launches between two events, and the mean of them; the stream is waited for.
#include "event_timing.cuh"

#include <cstdio>

extern "C" void event_timing_run(const float* in, float* out, std::size_t n, unsigned int passes,
                                 double* milliseconds, double* gigabytes_per_second, cudaStream_t stream) {
  constexpr int launches = 10;
  cudaEvent_t events[2];
  for (cudaEvent_t& event : events) cudaEventCreateWithFlags(&event, cudaEventBlockingSync);
  launch_work(in, out, n, passes, stream);
  cudaEventRecordWithFlags(events[0], stream, cudaEventRecordDefault);
  for (int k = 0; k < launches; ++k) launch_work(in, out, n, passes, stream);
  cudaEventRecordWithFlags(events[1], stream, cudaEventRecordDefault);
  cudaStreamSynchronize(stream);
  float all = 0;
  cudaEventElapsedTime(&all, events[0], events[1]);
  for (const cudaEvent_t event : events) cudaEventDestroy(event);
  *milliseconds = all / launches;
  *gigabytes_per_second = 8e-6 * static_cast<double>(n) * passes / *milliseconds;
  std::printf("%.4f ms, %.1f GB/s\n", *milliseconds, *gigabytes_per_second);
}
