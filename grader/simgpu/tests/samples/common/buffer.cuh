/// @file
/// Device memory that frees itself, to and from a vector.
#pragma once

#include <utility>
#include <vector>

#include "check.cuh"

template <typename T>
class Buffer {
 public:
  explicit Buffer(std::size_t count) : count_(count) { CHECK(cudaMalloc(&data_, count * sizeof(T))); }
  explicit Buffer(const std::vector<T>& from) : Buffer(from.size()) {
    CHECK(cudaMemcpy(data_, from.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Buffer() { cudaFree(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void clear() { CHECK(cudaMemset(data_, 0, count_ * sizeof(T))); }
  std::vector<T> host() const {
    std::vector<T> to(count_);
    CHECK(cudaMemcpy(to.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
  }
  friend void swap(Buffer& a, Buffer& b) { std::swap(a.data_, b.data_); }
  operator T*() const { return data_; }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};
