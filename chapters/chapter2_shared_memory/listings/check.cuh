/// @file
/// What every listing of this lesson does around its kernel: memory on the device, copies, and
/// a look at every error. It stands here so that the listings themselves hold little more than
/// what the lesson is about.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

/// Ends the program with the error's name if a CUDA call failed. A listing that goes on after
/// an error checks nothing.
inline void must(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorName(error));
  std::exit(1);
}

/// An array on the device, of as many elements as the host's.
template <typename T>
class device_array {
 public:
  explicit device_array(std::size_t count) : count_(count) {
    must(cudaMalloc(&data_, count * sizeof(T)), "cudaMalloc");
  }
  explicit device_array(const std::vector<T>& host) : device_array(host.size()) {
    must(cudaMemcpy(data_, host.data(), count_ * sizeof(T), cudaMemcpyHostToDevice),
         "copy to the device");
  }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() { cudaFree(data_); }

  T* data() { return data_; }

  /// What the device holds now. Also the place where a launch that failed, or a kernel that
  /// did, is noticed.
  std::vector<T> to_host() const {
    must(cudaGetLastError(), "launch");
    std::vector<T> host(count_);
    must(cudaMemcpy(host.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost),
         "copy to the host");
    return host;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

/// A row of floats in which no two neighbours are alike, with signs and a zero: a wrong index
/// shows.
inline std::vector<float> different_values(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(i * 7919 % 10007) - 5003.0f;
  return values;
}

/// Prints the verdict; the listing's exit code.
inline int verdict(const char* what, bool right) {
  std::printf("%s: %s\n", what, right ? "right" : "WRONG");
  return right ? 0 : 1;
}
