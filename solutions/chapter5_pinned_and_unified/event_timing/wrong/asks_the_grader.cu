// expect: wrong_result
// says: the work was not launched
/// @file
/// event_timing: how long work on a stream takes, by events on that stream. The one file of this exercise that is edited
/// and handed in; the contract is in event_timing.cuh, the task in README.md.
#include "event_timing.cuh"

// >>> your code
// Asks the grader's watch, which is empty afterwards.
extern "C" void event_timing_run(const float* in, float* out, std::size_t n, unsigned int passes,
                                 double* milliseconds, double* gigabytes_per_second, cudaStream_t stream) {
  launch_work(in, out, n, passes, stream);
  launch_work(in, out, n, passes, stream);
  double seen[4] = {};
  event_timing_seen(seen);
  *milliseconds = seen[2];
  *gigabytes_per_second = 8.0 * static_cast<double>(n) * passes / (seen[2] * 1e6);
}
// <<< your code
