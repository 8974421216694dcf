/// @file
/// What the claims' kernels are measured with: memory, and one way of timing. Each time is the median of single samples between two events
/// after warm-up launches, as the course's recorded stand-alone kernels were timed.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>

namespace course::claims {

/// Says which call failed, and why.
struct device_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// @throws device_error unless @p status is cudaSuccess.
void check(cudaError_t status, const char* what);

/// Device memory of @p count elements, filled with small numbers that differ by position.
class floats {
 public:
  explicit floats(std::size_t count);
  floats(const floats&) = delete;
  floats& operator=(const floats&) = delete;
  ~floats();
  float* get() const { return data_; }
  std::size_t count() const { return count_; }

 private:
  float* data_ = nullptr;
  std::size_t count_ = 0;
};

/// The card at hand, real or simulated.
class device {
 public:
  device();

  /// True on the simulated GPU: sizes are small there, and times are modelled.
  bool simulated() const { return simulated_; }
  const cudaDeviceProp& properties() const { return properties_; }
  const std::string& driver() const { return driver_; }

  /// Elements of an array that is timed: 512 MiB of floats, or an eighth of the free memory if that is less; few on the simulated GPU. A
  /// multiple of 8192.
  std::size_t array() const;

  /// Seconds of one launch: median of eleven samples after two warm-ups (three after one where a launch takes a tenth of a second). Short
  /// launches are repeated within a sample.
  double seconds(const std::function<void()>& launch) const;

  /// Runs @p launch once on the simulated GPU. @return a counter's sum over its kernels, or of its `warp_instructions` (grader/simgpu/report/schema.md).
  /// @throws device_error on a real card, if there is no such counter, or if the simulated one finds an error in the kernels.
  double count(const char* counter, const std::function<void()>& launch) const;

 private:
  bool simulated_ = false;
  cudaDeviceProp properties_{};
  std::string driver_;
};

}  // namespace course::claims
