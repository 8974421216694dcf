/// @file
/// Calls of the host, timed one mechanism a line: what calls.cu and copies.cu are made of.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace timed_calls {

/// As short a kernel as one that writes.
static __global__ void small(unsigned* out) {
  if (threadIdx.x == 0) out[blockIdx.x] += 1;
}

inline void must(cudaError_t error, const char* doing) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "calls: %s: %s\n", doing, cudaGetErrorString(error));
  std::exit(1);
}

/// Seconds of one turn, between an event before the first call and one behind a wait for the device.
class Calls {
 public:
  /// @param only rows whose names hold it
  Calls(const char* csv, std::string only)
      : csv_(csv ? std::fopen(csv, "w") : nullptr), only_(std::move(only)) {
    must(cudaEventCreate(&begin_), "event");
    must(cudaEventCreate(&end_), "event");
    if (csv_) std::fprintf(csv_, "call,seconds\n");
  }
  ~Calls() {
    if (csv_) std::fclose(csv_);
  }
  /// The median of @p samples runs of @p all, whose turns are counted in @p turns.
  void time(const std::string& name, int turns, const std::function<void()>& all, int samples = 7) {
    if (name.find(only_) == std::string::npos) return;
    std::vector<double> seconds;
    for (int k = 0; k < samples + 2; ++k) {
      must(cudaDeviceSynchronize(), "synchronise");
      must(cudaEventRecord(begin_), "begin");
      all();
      must(cudaDeviceSynchronize(), name.c_str());  // for streams that do not wait for the events' one
      must(cudaEventRecord(end_), "end");
      must(cudaEventSynchronize(end_), "end");
      float milliseconds = 0;
      must(cudaEventElapsedTime(&milliseconds, begin_, end_), "elapsed");
      if (k >= 2) seconds.push_back(milliseconds * 1e-3 / turns);
    }
    std::sort(seconds.begin(), seconds.end());
    const double median = seconds[seconds.size() / 2];
    std::printf("%-60s %9.2f us\n", name.c_str(), median * 1e6);
    if (csv_) std::fprintf(csv_, "\"%s\",%.9f\n", name.c_str(), median);
    std::fflush(stdout);
  }

 private:
  std::FILE* csv_;
  std::string only_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

}  // namespace timed_calls
