/// @file
/// See copy_calls.hpp.
#include "simgpu/timing/copy_calls.hpp"

#include <algorithm>

namespace simgpu::timing {
namespace {

/// Of pageable memory so much may wait in the driver's buffers for its turn, while the host fills them on. [bytes of a whole card]
constexpr double kStagedBytes = 1 << 20;

double engine_seconds(const Device& device, const CopyCall& copy) {
  const auto bytes = static_cast<double>(copy.bytes);
  const double seconds = copy.rows > 1 ? copy_rows_seconds(device, copy.path, bytes, copy.rows)
                                       : copy_seconds(device, copy.path, bytes);
  return copy.node && copy.path == CopyPath::device_to_device
             ? node_seconds(device, seconds, kCopyStartSeconds)
             : seconds;
}

/// The host writes the bytes into a buffer of the driver's, from which they go on.
Instant up_from_pageable(Timeline& timeline, const Device& device, StreamId stream, const CopyCall& copy) {
  if (copy.waits) timeline.host_wait(timeline.due(stream));
  const Instant called = timeline.host_now();
  double seconds = engine_seconds(device, copy);
  const double filling = seconds - kCopyStartSeconds;
  const Instant filled = called + device.host.pageable_call + filling;
  const bool beside_commands = copy.bytes <= kBesideCommandsBytes;
  if (beside_commands) {
    timeline.wait(stream, filled);  // only then do they go
  } else {
    // While what is before it in the stream still runs, the host fills buffers on: the link empties them faster.
    const double ahead = std::min(static_cast<double>(copy.bytes), kStagedBytes / device.slice);
    const double least = filling - moving_seconds(device, copy.path, ahead) +
                         moving_seconds(device, CopyPath::pinned_to_device, ahead);
    seconds = kCopyStartSeconds + std::max(least, filled - timeline.next_begin(stream, Engine::copy_in));
  }
  const Instant end = timeline.enqueue(stream, Engine::copy_in, seconds, 1.0, "copy", copy.bytes);
  timeline.host_until(beside_commands ? filled : std::max(filled, end - kCopyStartSeconds));
  if (copy.waits && !beside_commands) timeline.host_wait(end);
  return end;
}

Instant down_to_pageable(Timeline& timeline, const Device& device, StreamId stream, const CopyCall& copy) {
  const Instant end =
      timeline.enqueue(stream, Engine::copy_out, engine_seconds(device, copy), 1.0, "copy", copy.bytes);
  timeline.host_spend(device.host.link_down_call);
  timeline.host_wait(end);
  timeline.host_spend(device.host.pageable_return);
  return end;
}

Instant of_page_locked(Timeline& timeline, const Device& device, StreamId stream, const CopyCall& copy) {
  const Engine engine = engine_of(copy.path);
  const Instant end = timeline.enqueue(stream, engine, engine_seconds(device, copy), 1.0, "copy", copy.bytes);
  timeline.host_spend(engine == Engine::copy_in ? device.host.link_up_call : device.host.link_down_call);
  if (copy.waits) timeline.host_wait(end);
  return end;
}

}  // namespace

Engine engine_of(CopyPath path) noexcept {
  switch (path) {
    case CopyPath::pinned_to_device:
    case CopyPath::pageable_to_device:
      return Engine::copy_in;
    case CopyPath::device_to_pinned:
    case CopyPath::device_to_pageable:
      return Engine::copy_out;
    case CopyPath::device_to_device:
    case CopyPath::peer:
      return Engine::copy_device;
    case CopyPath::host_to_host:
      break;
  }
  return Engine::none;
}

Instant call_copy(Timeline& timeline, const Device& device, StreamId stream, const CopyCall& copy) {
  if (copy.node)
    return timeline.enqueue(stream, engine_of(copy.path), engine_seconds(device, copy), 1.0, "copy",
                            copy.bytes);
  switch (copy.path) {
    case CopyPath::pageable_to_device:
      return up_from_pageable(timeline, device, stream, copy);
    case CopyPath::device_to_pageable:
      return down_to_pageable(timeline, device, stream, copy);
    case CopyPath::pinned_to_device:
    case CopyPath::device_to_pinned:
      return of_page_locked(timeline, device, stream, copy);
    case CopyPath::host_to_host:
    case CopyPath::device_to_device:  // even the plain call returns before the copy is done
    case CopyPath::peer:
      break;
  }
  const Instant end =
      timeline.enqueue(stream, engine_of(copy.path), engine_seconds(device, copy), 1.0, "copy", copy.bytes);
  timeline.host_spend(device.host.copy_call);
  if (copy.path == CopyPath::host_to_host) timeline.host_until(end);
  if (copy.path == CopyPath::peer && copy.waits) timeline.host_wait(end);
  return end;
}

}  // namespace simgpu::timing
