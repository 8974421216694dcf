/// @file
/// See turns.hpp.
#include "simgpu/runtime/turns.hpp"

#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "simgpu/runtime/state.hpp"

namespace simgpu::runtime {
namespace {

using std::chrono::microseconds;
/// Between two looks. While the program makes calls they give kernels their turn, in an order that is the same in each run; only
/// after so long without any does this thread.
constexpr microseconds kQuiet{20'000};
constexpr microseconds kQuick{200};

}  // namespace

void Turns::watch(Runtime& runtime) {
  ++calls_;
  wanted_ = true;
  wanted_.notify_one();
  if (started_) return;
  started_ = true;
  // What still waits when the program ends must not run while that is being taken down.
  std::atexit([] {
    Runtime& all = Runtime::get();
    const std::lock_guard lock(all.mutex);
    all.connection.end_all();
  });
  // Signals are for the program's own threads.
  sigset_t all, before;
  sigfillset(&all);
  sigdelset(&all, SIGSEGV);  // but this one: pages that are closed to the host are opened in its handler
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([this, &runtime] { run(runtime); }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Turns::run(Runtime& runtime) {
  std::uint64_t seen = 0;
  for (bool quiet = false;;) {
    wanted_.wait(false);
    std::this_thread::sleep_for(quiet ? kQuick : kQuiet);
    const std::uint64_t now = calls_;
    quiet = now == seen;
    seen = now;
    if (!quiet || !runtime.mutex.try_lock()) continue;
    const std::lock_guard lock(runtime.mutex, std::adopt_lock);
    runtime.connection.pump();
    if (runtime.connection.idle()) wanted_ = false;
  }
}

}  // namespace simgpu::runtime
