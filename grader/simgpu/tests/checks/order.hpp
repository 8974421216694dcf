/// @file
/// What the programs about the order of threads share. For each rule there is a sound program (sound_...) and at least one
/// that is wrong by one line; the rest of them is the same code. A sound one checks its own result, so that it can be run on
/// hardware, too: `order_warps --sound` runs all of the file and ends with 0 if all were right (run_sound.sh: of all files).
///
/// As for the other wrong programs, a line that a finding must name ends with `//! MARK`, the other side of a race with `//~ MARK`.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

/// Device memory that starts as zeros, and goes with the object.
template <typename T>
class Array {
 public:
  explicit Array(int count) : count_(count) {
    cudaMalloc(&data_, count * sizeof(T));
    cudaMemset(data_, 0, count * sizeof(T));
  }
  ~Array() { cudaFree(data_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  operator T*() const { return data_; }
  std::vector<T> values() const {
    std::vector<T> all(count_);
    cudaMemcpy(all.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost);
    return all;
  }
  /// @return whether value i is right(i), for all i.
  template <typename Right>
  bool is(Right right) const {
    const std::vector<T> all = values();
    for (int i = 0; i < count_; ++i)
      if (all[i] != static_cast<T>(right(i))) return false;
    return true;
  }

 private:
  T* data_ = nullptr;
  int count_;
};

/// Two streams and an event, that go with the object once the device is done.
struct Streams {
  explicit Streams(unsigned flags = cudaStreamNonBlocking) {
    cudaStreamCreateWithFlags(&a, flags);
    cudaStreamCreateWithFlags(&b, flags);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  }
  ~Streams() {
    cudaDeviceSynchronize();
    cudaEventDestroy(event);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
  }
  cudaStream_t a, b;
  cudaEvent_t event;
};

struct Case {
  const char* name;
  bool (*run)();  ///< @return whether the result is right
};

inline bool is_sound(const Case& c) {
  return std::strncmp(c.name, "sound_", 6) == 0;
}

/// Runs a case, and says the error that the runtime shows in the end, by number.
inline bool passes(const Case& c) {
  const bool right = c.run();
  const cudaError_t launched = cudaGetLastError(), ran = cudaDeviceSynchronize();
  const cudaError_t error = launched != cudaSuccess ? launched : ran;
  std::printf("error %d\n", static_cast<int>(error));
  return right && error == cudaSuccess;
}

template <int count>
int run_cases(const Case (&cases)[count], int argc, char** argv) {
  const std::string what = argc == 2 ? argv[1] : "";
  bool good = true, any = false;
  for (const Case& c : cases) {
    if (what != c.name && !(what == "--sound" && is_sound(c))) continue;
    any = true;
    const bool right = passes(c);
    if (is_sound(c)) {
      std::printf("%s: %s\n", c.name, right ? "right" : "WRONG");
      good &= right;
    }
  }
  if (any) return good ? 0 : 1;
  for (const Case& c : cases) std::printf("%s\n", c.name);
  return 2;
}

#define CASE(name) \
  { #name, name }
