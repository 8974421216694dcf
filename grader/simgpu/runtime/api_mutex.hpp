/// @file
/// The lock of the API. Calls nest, and a call in which the host waits lets other threads in meanwhile.
#pragma once

#include <mutex>

namespace simgpu::runtime {

class ApiMutex {
 public:
  void lock() {
    mutex_.lock();
    ++depth_;
  }
  bool try_lock() {
    if (!mutex_.try_lock()) return false;
    ++depth_;
    return true;
  }
  void unlock() {
    --depth_;
    mutex_.unlock();
  }
  /// The calling thread, which holds the lock, gives it up however often it has taken it. @return how often.
  int release() {
    const int depth = depth_;
    for (int i = 0; i < depth; ++i) unlock();
    return depth;
  }
  /// ... and takes it again.
  void retake(int depth) {
    for (int i = 0; i < depth; ++i) lock();
  }

 private:
  std::recursive_mutex mutex_;
  int depth_ = 0;  ///< of the thread that holds it
};

}  // namespace simgpu::runtime
