/// @file
/// Runs kernels that stand still when the program makes no calls: a host that has raised a flag may spin on the answer. And host
/// functions that are due then; a device in a process of its own gives kernels their turn itself, but functions are the client's.
///
/// Kernels have their turn in calls of the API. A thread of the device's looks now and then whether the program makes any, and if it
/// has made none for a while takes the lock and gives them a turn. It exists only in programs in which a kernel has stood still.
#pragma once

#include <atomic>
#include <cstdint>

namespace simgpu::runtime {

class Runtime;

class Turns {
 public:
  /// A call is about to return, and something stands still. Begins the thread if there is none.
  void watch(Runtime& runtime);

 private:
  void run(Runtime& runtime);

  std::atomic<std::uint64_t> calls_{0};
  std::atomic<bool> wanted_{false};
  bool started_ = false;
};

}  // namespace simgpu::runtime
