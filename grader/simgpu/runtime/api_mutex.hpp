/// @file
/// The lock of the API. Calls nest, and a call in which the host waits lets other threads in meanwhile.
#pragma once

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <utility>

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

  // --- fork(): what another thread was in the middle of, the child would find half done, and the lock taken for good. ---
  /// Before it: takes the lock, unless who has it waits for longer than anybody should.
  void before_fork() {
    if ((forking_ = mutex_.try_lock_for(kMostForFork))) took();
  }
  void after_fork() {
    if (std::exchange(forking_, false)) unlock();
  }
  /// In the child: taken as often as the thread that forked had taken it. A mutex that was taken belongs to a thread of the parent's.
  void after_fork_in_child() {
    const int depth = std::exchange(forking_, false) ? depth_ - 1 : 0;
    new (&mutex_) std::recursive_timed_mutex;
    depth_ = 0;
    held_ = false;
    retake(depth);
  }

 private:
  static constexpr std::chrono::seconds kMostForFork{1};

  void took() {
    if (++depth_ > 1) return;
    owner_ = ::pthread_self();
    held_ = true;
  }

  std::recursive_timed_mutex mutex_;
  bool forking_ = false;  ///< the lock was taken for it
  int depth_ = 0;         ///< of the thread that holds it
  std::atomic<pthread_t> owner_{};
  std::atomic<bool> held_{false};
};

}  // namespace simgpu::runtime
