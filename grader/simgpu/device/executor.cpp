/// @file
/// Work of streams but launches; those are in launch.cpp, other commands in requests.cpp.
#include "simgpu/device/executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <variant>

#include "simgpu/observe/traffic.hpp"
#include "simgpu/observe/uninitialised.hpp"
#include "simgpu/timing/copy_calls.hpp"
#include "simgpu/timing/links.hpp"

namespace simgpu::device {
namespace {

timing::CopyPath path_of(const Place& to, const Place& from) {
  using timing::CopyPath;
  const bool to_device = to.on_device() || to.managed();
  const bool from_device = from.on_device() || from.managed();
  if (to_device && from_device) return to.device == from.device ? CopyPath::device_to_device : CopyPath::peer;
  if (to_device) return from.pinned() ? CopyPath::pinned_to_device : CopyPath::pageable_to_device;
  if (from_device) return to.pinned() ? CopyPath::device_to_pinned : CopyPath::device_to_pageable;
  return CopyPath::host_to_host;
}

void move_bytes(Gpu& gpu, const Place& to, const Place& from, std::uint64_t to_address,
                std::uint64_t from_address, const queue::Shape& shape) {
  for (std::size_t z = 0; z < shape.depth; ++z) {
    for (std::size_t y = 0; y < shape.height; ++y) {
      const std::size_t to_offset = z * shape.to_slice + y * shape.to_pitch;
      const std::size_t from_offset = z * shape.from_slice + y * shape.from_pitch;
      std::memmove(to.bytes + to_offset, from.bytes + from_offset, shape.width);
      if (to.pageable()) continue;
      if (from.pageable()) {
        gpu.uninitialised->mark_initialised(to_address + to_offset, shape.width);
      } else {
        gpu.uninitialised->copy_state(to_address + to_offset, from_address + from_offset, shape.width);
      }
    }
  }
  if (to.pageable()) return;
  for (const auto& unit : gpu.units) unit->traffic->invalidate_l2(to_address, shape.to_extent());
}

// What nobody wrote and the host is given: a warning, since a result may be there in part, and its reader knows which.
void look_for_unwritten(Gpu& gpu, const Place& from, std::uint64_t from_address, const queue::Shape& shape,
                        const char* call) {
  if (!gpu.settings.checks.uninitialised || !from.on_device()) return;
  if (gpu.findings.any_error()) return;  // what is in memory then follows from that
  for (std::size_t z = 0; z < shape.depth; ++z) {
    for (std::size_t y = 0; y < shape.height; ++y) {
      const std::uint64_t row = from_address + z * shape.from_slice + y * shape.from_pitch;
      const auto barren = gpu.uninitialised->first_barren(row, shape.width);
      if (!barren) continue;
      observe::Finding finding;
      finding.kind = observe::FindingKind::uninitialised_read;
      finding.warning = true;
      finding.address = *barren;
      finding.message = fmt::format(
          "{} brings {} bytes of device memory to the host, and byte {} of an allocation of {} bytes, like "
          "those around it, was never written, "
          "or with what was never written itself. cudaMalloc does not clear memory. Write all of it first, "
          "or copy what is written.",
          call, shape.bytes(), *barren - from.allocation->base, from.allocation->bytes);
      gpu.findings.add(std::move(finding));
      return;
    }
  }
}

void fill_row(std::byte* row, const queue::Set& command) {
  if (command.unit == 1) {
    std::memset(row, static_cast<int>(command.value), command.shape.width);
    return;
  }
  for (std::size_t x = 0; x < command.shape.width; x += command.unit)
    std::memcpy(row + x, &command.value, command.unit);
}

}  // namespace

Status Executor::carry_out(const queue::Work& work) {
  const queue::Id id = std::visit([](const auto& command) { return command.stream; }, work);
  const Stream* const stream = gpu_.stream(id);
  if (stream == nullptr) return Status::invalid_resource_handle;
  if (idle() || acting_) return carry_out_now(work, *stream);
  return stand_in_line(work, *stream);
}

Status Executor::carry_out_now(const queue::Work& work, const Stream& stream) {
  return std::visit(
      [&](const auto& command) {
        using T = std::decay_t<decltype(command)>;
        if constexpr (std::is_same_v<T, queue::Record> || std::is_same_v<T, queue::Wait> ||
                      std::is_same_v<T, queue::Move>) {
          return carry_out(command, stream);
        } else {  // what touches memory, or lets the program do so
          const StreamChecks::Inside inside(gpu_.stream_checks);
          return carry_out(command, stream);
        }
      },
      work);
}

bool Executor::host_waits_for(const queue::Copy& copy) const {
  const auto to = find(copy.to), from = find(copy.from);
  if (!to || !from) return false;
  const timing::CopyPath path = path_of(*to, *from);
  return (copy.waits && path != timing::CopyPath::device_to_device) ||
         path == timing::CopyPath::device_to_pageable || path == timing::CopyPath::host_to_host;
}

std::vector<int> Executor::holds_up(const queue::Copy& copy, const Stream& stream) const {
  const auto to = find(copy.to), from = find(copy.from);
  if (!copy.waits || !to || !from) return {};
  std::vector<int> devices{stream.device};
  for (const Place& place : {*to, *from})
    if (place.on_device() && std::find(devices.begin(), devices.end(), place.device) == devices.end())
      devices.push_back(place.device);
  return devices.size() > 1 ? devices : std::vector<int>{};
}

std::optional<Place> Executor::find(const queue::Place& place) const {
  Place found;
  if (place.kind == queue::Place::Kind::staging) {
    // In one process the pages of the program itself stand for those that stage them.
    found.bytes = reinterpret_cast<std::byte*>(place.address);
    found.valid = true;
    return found;
  }
  found.allocation = gpu_.memory.find(place.address);
  if (found.allocation == nullptr) return std::nullopt;
  found.bytes = found.allocation->host + (place.address - found.allocation->base);
  if (const Facts* facts = gpu_.facts_of(*found.allocation)) found.device = facts->device;
  return found;
}

Status Executor::carry_out(const queue::Copy& command, const Stream& stream) {
  const auto to_place = find(command.to), from_place = find(command.from);
  if (!to_place || !from_place) return Status::invalid_value;
  const Place &to = *to_place, &from = *from_place;
  const std::uint64_t to_address = command.to.address, from_address = command.from.address;
  const queue::Shape& shape = command.shape;
  const timing::CopyPath path = path_of(to, from);
  const std::vector<int> held_up = holds_up(command, stream);
  for (const int device : held_up) {
    gpu_.unit(stream.device).timeline.wait(stream.id, gpu_.unit(device).timeline.all_done());
    gpu_.stream_checks.wait_for_device(stream, device);
  }
  if (command.waits && path == timing::CopyPath::pageable_to_device) gpu_.stream_checks.host_waits(stream);
  gpu_.stream_checks.copy_begins(to, from, to_address, from_address, shape);
  move_bytes(gpu_, to, from, to_address, from_address, shape);
  if (!shape.empty() && !to.on_device() && !to.managed())
    look_for_unwritten(gpu_, from, from_address, shape, queue::name_of_call(command.call));
  timing::Timeline& timeline = gpu_.unit(stream.device).timeline;
  const bool rows = shape.height > 1 && (shape.to_pitch != shape.width || shape.from_pitch != shape.width);
  const timing::Instant end =
      timing::call_copy(timeline, gpu_.card, stream.id,
                        {.path = path,
                         .bytes = shape.bytes(),
                         .rows = rows ? static_cast<double>(shape.height * shape.depth) : 1,
                         .waits = command.waits,
                         .node = gpu_.stream_checks.in_graph()});
  // The host has staged what was pageable when the call returns, even an asynchronous one. Within the device even the plain call returns
  // before the copy is done.
  const bool staged = path == timing::CopyPath::pageable_to_device ||
                      path == timing::CopyPath::device_to_pageable || path == timing::CopyPath::host_to_host;
  const bool waits = command.waits && path != timing::CopyPath::device_to_device;
  // A call that copies from pageable memory waits for the stream first, and then until the bytes are in the driver's buffer. Their way
  // into the device's memory may last longer: a kernel in a stream that does not wait for this one overtook it on an H200.
  const bool known = (waits || staged) && path != timing::CopyPath::pageable_to_device;
  gpu_.stream_checks.copied(stream, queue::name_of_call(command.call), to, from, to_address, from_address,
                            shape, known);
  for (const int device : held_up) {
    for (const auto& [id, other] : gpu_.streams)
      if (other.device == device) gpu_.unit(device).timeline.wait(other.id, end);
    gpu_.stream_checks.device_waits(device, stream);
  }
  const bool for_device = waits || (staged && path != timing::CopyPath::host_to_host);
  gpu_.ledger.copied(gpu_, to, from, shape.bytes(), stream.id, !command.waits, for_device);
  return Status::success;
}

Status Executor::carry_out(const queue::Set& command, const Stream& stream) {
  const bool known_unit = command.unit == 1 || command.unit == 2 || command.unit == 4;
  const memory::Allocation* const allocation = gpu_.memory.find(command.address);
  if (!known_unit || allocation == nullptr) return Status::invalid_value;
  std::byte* const start = allocation->host + (command.address - allocation->base);
  const queue::Shape& shape = command.shape;
  // Of no bytes it takes its place in the stream, and touches nothing.
  if (!shape.empty()) {
    gpu_.stream_checks.filled(stream, queue::name_of_call(command.call), command.address, shape);
    for (std::size_t z = 0; z < shape.depth; ++z) {
      for (std::size_t y = 0; y < shape.height; ++y) {
        const std::size_t offset = z * shape.to_slice + y * shape.to_pitch;
        fill_row(start + offset, command);
        gpu_.written(command.address + offset, shape.width);
      }
    }
  }
  const std::uint64_t bytes = shape.empty() ? 0 : shape.bytes();
  const timing::HostCosts& host = gpu_.card.host;
  const bool apart = !shape.empty() && shape.height > 1 && shape.to_pitch != shape.width;
  // Planes that do not lie side by side are filled one by one, each by a launch of its own: 3.3 us on an H200, however small.
  const bool by_planes = !shape.empty() && shape.depth > 1 && shape.to_slice != shape.height * shape.to_pitch;
  const double planes = by_planes ? static_cast<double>(shape.depth) : 1;
  double seconds =
      planes * timing::fill_seconds(gpu_.card, static_cast<double>(bytes) / planes,
                                    apart ? static_cast<double>(shape.height * shape.depth) / planes : 1);
  const double plane_calls = planes * host.fill_plane * gpu_.card.slice;
  if (by_planes) seconds = std::max(seconds, plane_calls);
  if (gpu_.stream_checks.in_graph())
    seconds = timing::node_seconds(gpu_.card, seconds, timing::kFillStartSeconds);
  gpu_.unit(stream.device)
      .timeline.enqueue(stream.id, timing::Engine::copy_device, seconds, 1.0, "memset", bytes);
  const bool few = static_cast<double>(bytes) <= host.fill_call_bytes;
  host_calls(stream, by_planes ? plane_calls
                     : few     ? host.fill_call + host.fill_call_byte * static_cast<double>(bytes)
                               : host.launch_call);
  gpu_.ledger.filled(bytes);
  return Status::success;
}

/// A call takes the host's time, whatever the device does meanwhile. What a graph sends is no call of the host.
void Executor::host_calls(const Stream& stream, double seconds) {
  if (!gpu_.stream_checks.in_graph()) gpu_.unit(stream.device).timeline.host_spend(seconds);
}

Status Executor::carry_out(const queue::Record& command, const Stream& stream) {
  timing::Timeline& timeline = gpu_.unit(stream.device).timeline;
  Event& event = gpu_.events[command.event];
  event.device = stream.device;
  if (command.event >= queue::kOwnEvents) {
    event.instant = timeline.tail(stream.id);
    event.order = gpu_.stream_checks.record(stream);
    return Status::success;
  }
  host_calls(stream, gpu_.card.host.event_call);
  event.instant = timeline.record(stream.id);
  event.order = gpu_.stream_checks.record(stream);
  gpu_.ledger.recorded({.event = command.event - 1,
                        .device = static_cast<std::uint32_t>(stream.device),
                        .stream = stream.id,
                        .operations_before = timeline.operation_count()},
                       event.instant);
  return Status::success;
}

Status Executor::carry_out(const queue::Wait& command, const Stream& stream) {
  const auto event = gpu_.events.find(command.event);
  if (event == gpu_.events.end()) return Status::success;
  if (command.event < queue::kOwnEvents) host_calls(stream, gpu_.card.host.event_call);
  gpu_.unit(stream.device).timeline.wait(stream.id, event->second.instant);
  gpu_.stream_checks.wait(stream, event->second.order);
  return Status::success;
}

Status Executor::carry_out(const queue::Marker& command, const Stream& stream) {
  if (command.own) {
    unasked_.reached({command.token});
    return Status::success;
  }
  // A thread of the host has to wake up for it.
  gpu_.unit(stream.device).timeline.enqueue(stream.id, timing::Engine::none, gpu_.card.host.host_function);
  gpu_.stream_checks.host_function(stream);
  gpu_.ledger.waited_unasked();
  const StreamChecks::HostActs acts(gpu_.stream_checks);
  unasked_.reached({command.token});
  return Status::success;
}

Status Executor::carry_out(const queue::Move& command, const Stream& stream) {
  const bool in = command.place != queue::Move::kHost;
  gpu_.ledger.prefetched(command.address, command.bytes, in);
  const std::uint64_t moved = gpu_.managed_pages.prefetch(
      command.address, command.bytes, in ? static_cast<int>(command.place) : ManagedPages::kHost);
  timing::Timeline& timeline = gpu_.unit(stream.device).timeline;
  if (moved == 0) {  // it takes its place in the stream all the same
    timeline.enqueue(stream.id, timing::Engine::none, 0);
    return Status::success;
  }
  timeline.enqueue(stream.id, timing::Engine::none, gpu_.card.host.prefetch_start);
  timeline.enqueue(stream.id, in ? timing::Engine::copy_in : timing::Engine::copy_out,
                   timing::prefetch_seconds(gpu_.card, static_cast<double>(moved)), 1.0, "prefetch", moved);
  gpu_.managed_pages.arrive(command.address, command.bytes, timeline.record(stream.id));
  return Status::success;
}

}  // namespace simgpu::device
