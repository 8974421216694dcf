/// @file
/// See settler.hpp.
#include "simgpu/runtime/settler.hpp"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

#include "simgpu/link/ring.hpp"
#include "simgpu/runtime/closed_pages.hpp"
#include "simgpu/runtime/own_thread.hpp"
#include "simgpu/runtime/state.hpp"

namespace simgpu::runtime {
namespace {

std::atomic<std::uint32_t> wanted{0};  ///< rung by who waits
std::atomic<Runtime*> of{nullptr};     ///< of the process that has the thread

/// Between two looks, should a ring be missed.
constexpr std::chrono::milliseconds kLook{10};

void run(Runtime& runtime) {
  for (std::uint32_t seen = 0;;) {
    link::sleep_on(wanted, seen, std::chrono::seconds(1));
    const std::uint32_t now = wanted;
    if (now == seen) continue;
    seen = now;
    const std::lock_guard lock(runtime.mutex);
    if (closed_ahead()) runtime.connection.idle();
  }
}

}  // namespace

void begin_settler(Runtime& runtime) {
  if (of != nullptr) return;
  of = &runtime;
  pthread_atfork(nullptr, nullptr, [] { of = nullptr; });
  wait_for_opening_by(wait_until_settled);
  begin_own_thread([&runtime] { run(runtime); });
}

bool wait_until_settled() noexcept {
  Runtime* const runtime = of;
  if (runtime == nullptr || runtime->mutex.is_mine()) return false;
  while (closed_ahead()) {
    link::ring(wanted);
    wait_for_opening(kLook);
  }
  return true;
}

}  // namespace simgpu::runtime
