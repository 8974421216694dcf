/// @file
/// A ladder: one task solved by kernels from slow to fast, timed with events. The same program runs on a real GPU and on the
/// simulated one (an N-th of the size), so that the timing model can be held against hardware: timing/calibration.md.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace ladder {

inline void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

/// The device, and how large a problem it gets.
struct Bench {
  bool simulated = false;
  int sms = 0;
  double slice = 1;              ///< the device is one part in this many of a whole card
  std::size_t array_bytes = 0;   ///< of each large array: 504 MiB on the whole card
  const char* filter = nullptr;  ///< run only cases whose name holds this
  int samples = 1;               ///< timed launches of each case; LADDER_SAMPLES in the environment

  explicit Bench(int argc, char** argv) {
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
    simulated = std::strstr(properties.name, "Simulated") != nullptr;
    sms = properties.multiProcessorCount;
    slice = simulated ? 132.0 / sms : 1.0;
    array_bytes = (std::size_t{504} << 20) / static_cast<std::size_t>(slice);
    if (argc > 1) filter = argv[1];
    const char* wanted = std::getenv("LADDER_SAMPLES");
    samples = wanted != nullptr ? std::max(1, std::atoi(wanted)) : simulated ? 1 : 11;
  }

  bool wants(const std::string& name) const {
    return filter == nullptr || name.find(filter) != std::string::npos;
  }

  /// True if a case whose name begins with @p beginning may be wanted: arrays for none need not be filled.
  bool wants_any_of(const std::string& beginning) const {
    return wants(beginning) || std::string(filter).find(beginning) != std::string::npos;
  }

  template <typename T>
  T* array(std::size_t bytes) const {
    void* pointer = nullptr;
    check(cudaMalloc(&pointer, bytes), "cudaMalloc");
    check(cudaMemset(pointer, 1, bytes), "cudaMemset");
    return static_cast<T*>(pointer);
  }

  /// The file that `--csv FILE` asks for, with its heading, or nullptr. Without a filter before it there is none.
  std::FILE* open_csv(int argc, char** argv, const char* heading) {
    std::FILE* csv = nullptr;
    for (int k = 1; k + 1 < argc; ++k)
      if (std::strcmp(argv[k], "--csv") == 0) csv = std::fopen(argv[k + 1], "w");
    if (argc > 1 && std::strcmp(argv[1], "--csv") == 0) filter = nullptr;
    if (csv != nullptr) std::fprintf(csv, "%s\n", heading);
    return csv;
  }

  /// Of @p launch, between events: the median of `samples`. @param warm launches before those. [s]
  double seconds(const std::string& name, int warm, const std::function<void()>& launch) const {
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin), "cudaEventCreate");
    check(cudaEventCreate(&end), "cudaEventCreate");
    std::vector<float> milliseconds;
    for (int i = 0; i < warm + samples; ++i) {
      check(cudaEventRecord(begin), "cudaEventRecord");
      launch();
      check(cudaGetLastError(), name.c_str());
      check(cudaEventRecord(end), "cudaEventRecord");
      check(cudaEventSynchronize(end), name.c_str());
      float ms = 0;
      check(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
      if (i >= warm) milliseconds.push_back(ms);
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    std::sort(milliseconds.begin(), milliseconds.end());
    return milliseconds[milliseconds.size() / 2] * 1e-3;
  }

  /// Times @p launch and prints its bandwidth as a whole card's. @param bytes that the task must move.
  void run(const std::string& name, double bytes, const std::function<void()>& launch) const {
    if (!wants(name)) return;
    const double time = seconds(name, samples > 1 ? 2 : 1, launch);
    std::printf("%-44s %9.1f GB/s\n", name.c_str(), bytes * slice / time * 1e-9);
    std::fflush(stdout);
  }
};

}  // namespace ladder
