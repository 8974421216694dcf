/// @file
/// A stopwatch of two events.
#pragma once

#include "check.cuh"

class GpuTimer {
 public:
  GpuTimer() {
    CHECK(cudaEventCreate(&start_));
    CHECK(cudaEventCreate(&stop_));
  }
  ~GpuTimer() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }
  void start(cudaStream_t stream = nullptr) { CHECK(cudaEventRecord(start_, stream)); }
  void stop(cudaStream_t stream = nullptr) { CHECK(cudaEventRecord(stop_, stream)); }
  float milliseconds() {
    float value = 0;
    CHECK(cudaEventSynchronize(stop_));
    CHECK(cudaEventElapsedTime(&value, start_, stop_));
    return value;
  }

 private:
  cudaEvent_t start_{}, stop_{};
};
