/// @file
/// Carries commands out. All that it knows of who sent them is what the commands say; whether the client was allowed to send them is
/// judged before (queue/session.hpp, and as long as both sides are one process the client's own checks).
#pragma once

#include <cstdint>
#include <functional>

#include "simgpu/device/gpu.hpp"
#include "simgpu/device/place.hpp"
#include "simgpu/device/status.hpp"
#include "simgpu/queue/command.hpp"

namespace simgpu::device {

/// What the device says unasked.
struct Answers {
  /// A stream has come to a marker: the client runs a function, during which the stream stands still.
  std::function<void(std::uint64_t token)> reached;
  /// A kernel has been stopped, and why.
  std::function<void(const observe::Findings&)> fault;
};

class Executor {
 public:
  Executor(Gpu& gpu, Answers answers) : gpu_(gpu), answers_(std::move(answers)) {}

  /// Carries out work of a stream. What it does not know, or cannot do, changes nothing.
  Status carry_out(const queue::Work& work);

 private:
  Status carry_out(const queue::Launch& command, const Stream& stream);
  Status carry_out(const queue::Copy& command, const Stream& stream);
  Status carry_out(const queue::Set& command, const Stream& stream);
  Status carry_out(const queue::Record& command, const Stream& stream);
  Status carry_out(const queue::Wait& command, const Stream& stream);
  Status carry_out(const queue::Marker& command, const Stream& stream);
  Status carry_out(const queue::Move& command, const Stream& stream);

  /// @return nothing if @p place is in no allocation although it says so.
  std::optional<Place> find(const queue::Place& place) const;

  Gpu& gpu_;
  Answers answers_;
};

}  // namespace simgpu::device
