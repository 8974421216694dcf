/// @file
/// The lock of the API. Calls nest, and a call in which the host waits lets other threads in meanwhile.
#pragma once

#include <pthread.h>

#include <atomic>
#include <mutex>

namespace simgpu::runtime {

class ApiMutex {
 public:
  void lock() {
    mutex_.lock();
    took();
  }
  bool try_lock() {
    if (!mutex_.try_lock()) return false;
    took();
    return true;
  }
  void unlock() {
    if (--depth_ == 0) held_ = false;
    mutex_.unlock();
  }
  /// Whether the calling thread holds it. Async-signal-safe.
  bool is_mine() const noexcept { return held_ && ::pthread_equal(owner_, ::pthread_self()) != 0; }
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
  void took() {
    if (++depth_ > 1) return;
    owner_ = ::pthread_self();
    held_ = true;
  }

  std::recursive_mutex mutex_;
  int depth_ = 0;  ///< of the thread that holds it
  std::atomic<pthread_t> owner_{};
  std::atomic<bool> held_{false};
};

}  // namespace simgpu::runtime
