/// @file
/// See turns.hpp.
#include "simgpu/runtime/turns.hpp"

#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "simgpu/runtime/own_thread.hpp"
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
  begin_own_thread([this, &runtime] { run(runtime); });
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
    if (runtime.connection.take_turn()) wanted_ = false;
  }
}

}  // namespace simgpu::runtime
