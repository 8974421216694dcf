/// @file
/// What the device says without having been asked, to whoever listens on the client's side.
#pragma once

#include <functional>
#include <string>

#include "simgpu/queue/answer.hpp"

namespace simgpu::device {

struct Unasked {
  /// The client runs a function, during which the stream stands still.
  std::function<void(const queue::Reached&)> reached;
  std::function<void(const queue::Said&)> said;
  std::function<void(const queue::Fault&)> fault;
  std::function<void(const queue::Closed&)> closed = {};

  // --- While client and device are one process: what the device has to know of the program's threads. ---
  /// The host can do nothing in this thread, which waits: lets its other threads act for a moment. @return whether there are any.
  std::function<bool()> give_way = {};
  /// The call of the API in which the host is.
  std::function<std::string()> calling = {};
};

}  // namespace simgpu::device
