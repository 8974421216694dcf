/// @file
/// event_timing: how long work on a stream takes, by events on that stream. The one file of this exercise that is edited
/// and handed in; the contract is in event_timing.cuh, the task in README.md.
#include "event_timing.cuh"

// >>> your code
#include <algorithm>

namespace {

/// A point on a stream's time line.
class mark {
 public:
  mark() { cudaEventCreate(&event_); }
  ~mark() { cudaEventDestroy(event_); }
  mark(const mark&) = delete;
  mark& operator=(const mark&) = delete;
  void set(cudaStream_t stream) { cudaEventRecord(event_, stream); }
  void wait() const { cudaEventSynchronize(event_); }
  /// @return milliseconds from this mark to a later one; both have been waited for.
  float until(const mark& later) const {
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, event_, later.event_);
    return milliseconds;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

constexpr int launches = 5;  // odd: the median is one of them

}  // namespace

extern "C" void event_timing_run(const float* in, float* out, std::size_t n, unsigned int passes,
                                 double* milliseconds, double* gigabytes_per_second, cudaStream_t stream) {
  // Mark k ends launch k - 1 and begins launch k: all is queued before anybody waits, so the device never idles in between.
  mark marks[launches + 1];
  launch_work(in, out, n, passes, stream);  // warms up
  marks[0].set(stream);
  for (int k = 1; k <= launches; ++k) {
    launch_work(in, out, n, passes, stream);
    marks[k].set(stream);
  }
  marks[launches].wait();

  float times[launches];
  for (int k = 0; k < launches; ++k) times[k] = marks[k].until(marks[k + 1]);
  std::nth_element(times, times + launches / 2, times + launches);
  *milliseconds = times[launches / 2];

  const double bytes_a_pass = static_cast<double>(n) * (sizeof *in + sizeof *out);
  const double seconds = *milliseconds * 1e-3;
  *gigabytes_per_second = bytes_a_pass * passes / seconds * 1e-9;
}
// <<< your code
