/// @file
/// See ledger.hpp.
#include "simgpu/device/ledger.hpp"

#include <algorithm>

#include "simgpu/device/gpu.hpp"
#include "simgpu/device/place.hpp"
#include "simgpu/memory/textures.hpp"

namespace simgpu::device {
namespace {

using memory::AllocationKind;

/// Lists that a program could make as long as it likes end here.
constexpr std::size_t kMostRecords = 1000, kMostWindows = 100;

const char* word(queue::Window::Hold hold) {
  switch (hold) {
    case queue::Window::Hold::streaming:
      return "streaming";
    case queue::Window::Hold::persisting:
      return "persisting";
    case queue::Window::Hold::normal:
      break;
  }
  return "normal";
}

/// What a side of a copy is, for the program: page-locked memory is one kind, however it came to be so.
std::string side(const Gpu& gpu, const Place& place) {
  if (place.pageable()) return "pageable";
  if (place.pinned()) return "pinned";
  if (place.managed()) return "managed";
  const std::string kind = gpu.kind_of(*place.allocation);
  return kind == "array" || kind == "variable" ? kind : "device";
}

std::optional<std::uint32_t> device_of(const Place& place) {
  if (!place.on_device()) return std::nullopt;
  return static_cast<std::uint32_t>(place.device);
}

std::string direction(const Place& to, const Place& from) {
  const bool in = to.on_device() || to.managed(), out = from.on_device() || from.managed();
  if (in && out)
    return to.on_device() && from.on_device() && to.device != from.device ? "peer" : "device to device";
  return in ? "host to device" : out ? "device to host" : "host to host";
}

bool same_group(const report::CopyGroupReport& a, const report::CopyGroupReport& b) {
  return a.direction == b.direction && a.from == b.from && a.to == b.to && a.from_device == b.from_device &&
         a.to_device == b.to_device && a.asynchronous == b.asynchronous;
}

}  // namespace

void Ledger::copied(const Gpu& gpu, const Place& to, const Place& from, std::uint64_t bytes,
                    timing::StreamId stream, bool asynchronous, bool waits) {
  report::CopyGroupReport key;
  key.direction = direction(to, from);
  key.from = side(gpu, from);
  key.to = side(gpu, to);
  key.from_device = device_of(from);
  key.to_device = device_of(to);
  key.asynchronous = asynchronous;
  auto group = std::find_if(groups_.begin(), groups_.end(),
                            [&](const CopyGroup& each) { return same_group(each.report, key); });
  if (group == groups_.end()) group = groups_.insert(groups_.end(), CopyGroup{key, {}});
  ++group->report.copies;
  group->report.bytes += bytes;
  group->report.in_own_stream += stream != 0 ? 1 : 0;
  group->streams.insert(stream);
  if (key.direction == "peer") copies_.peer_bytes += bytes;
  std::uint64_t& sum = key.direction == "host to device"   ? copies_.host_to_device_bytes
                       : key.direction == "device to host" ? copies_.device_to_host_bytes
                       : key.direction == "host to host"   ? copies_.host_to_host_bytes
                                                           : copies_.device_to_device_bytes;
  sum += bytes;
  launched();
  waits_.between_copies = waits_since_copy_;
  waits_.unasked_between_copies = unasked_since_copy_;
  copied_ = true;
  if (waits) waited(Wait::copy);
}

void Ledger::filled(std::uint64_t bytes) {
  ++fills_.calls;
  fills_.bytes += bytes;
  launched();
}

void Ledger::waited(Wait by) {
  ++waits_.total;
  if (copied_) ++waits_since_copy_;
  switch (by) {
    case Wait::copy:
      ++waits_.by_copy;
      break;
    case Wait::stream:
      ++waits_.by_stream;
      break;
    case Wait::event:
      ++waits_.by_event;
      break;
    case Wait::device:
      ++waits_.by_device;
      break;
  }
}

void Ledger::queried(bool done) {
  if (unanswered_ && !counted_) {
    ++waits_.total;
    ++waits_.by_queries;
    if (copied_) ++waits_since_copy_;
    counted_ = true;
  }
  if (!done) unanswered_ = true;
}

void Ledger::cover(std::uint64_t begin, std::uint64_t end) {
  auto next = covered_.lower_bound(begin);
  if (next != covered_.begin() && std::prev(next)->second >= begin) --next;
  while (next != covered_.end() && next->first <= end) {
    begin = std::min(begin, next->first);
    end = std::max(end, next->second);
    next = covered_.erase(next);
  }
  covered_[begin] = end;
}

void Ledger::prefetched(std::uint64_t address, std::uint64_t bytes, bool to_device) {
  (to_device ? managed_.prefetched_to_device : managed_.prefetched_to_host) += bytes;
  if (to_device) cover(address, address + bytes);
}

void Ledger::advised(std::uint64_t address, std::uint64_t bytes, bool covers) {
  managed_.advised += bytes;
  if (covers) cover(address, address + bytes);
}

void Ledger::recorded(report::EventReport record, timing::Instant at) {
  ++events_.recorded;
  if (events_.records.size() == kMostRecords) return;
  record.seconds = at;
  events_.records.push_back(record);
}

void Ledger::made(const memory::Allocation& allocation, const char* kind) {
  report::AllocationKindReport& entry = kinds_[kind];
  ++entry.made_count;
  entry.made_bytes += allocation.bytes;
}

void Ledger::freed(const memory::Allocation& allocation, const char* kind) {
  report::AllocationKindReport& entry = kinds_[kind];
  ++entry.freed_count;
  entry.freed_bytes += allocation.bytes;
}

void Ledger::persisting_limit(std::uint64_t bytes) {
  persistence_.limit_bytes = std::max(persistence_.limit_bytes, bytes);
}

void Ledger::window(const Gpu& gpu, const queue::Window& window, std::uint64_t launches) {
  report::WindowReport report;
  report.set_by = window.set_by == queue::Window::SetBy::launch ? "launch" : "stream";
  if (const memory::Allocation* allocation = gpu.memory.find(window.address)) {
    report.allocation = allocation->id;
    report.offset = window.address - allocation->base;
  }
  report.bytes = window.bytes;
  report.hit_ratio = static_cast<double>(window.hit_ratio);
  report.hit = word(window.hit);
  report.miss = word(window.miss);
  const auto is_it = [&](const report::WindowReport& other) {
    return other.set_by == report.set_by && other.allocation == report.allocation &&
           other.offset == report.offset && other.bytes == report.bytes &&
           other.hit_ratio == report.hit_ratio && other.hit == report.hit && other.miss == report.miss;
  };
  std::vector<report::WindowReport>& all = persistence_.windows;
  auto known = std::find_if(all.begin(), all.end(), is_it);
  if (known == all.end()) {
    if (all.size() == kMostWindows) return;
    known = all.insert(all.end(), std::move(report));
  }
  known->launches += launches;
}

void Ledger::take(const Gpu& gpu, report::Report& report, timing::Instant since) {
  for (CopyGroup& group : groups_) {
    group.report.streams = group.streams.size();
    copies_.groups.push_back(std::move(group.report));
  }
  report.copies = std::move(copies_);
  report.fills = fills_;
  report.host_waits = waits_;
  report.managed = managed_;
  for (const auto& [begin, end] : covered_) report.managed.covered += end - begin;
  report.events = std::move(events_);
  for (report::EventReport& record : report.events.records) record.seconds -= since;
  report.persistence = std::move(persistence_);

  for (const auto& [base, facts] : gpu.facts) {
    const memory::Allocation* allocation = gpu.memory.find(base);
    if (allocation == nullptr) continue;
    report::AllocationKindReport& kind = kinds_[gpu.kind_of(*allocation)];
    ++kind.live_count;
    kind.live_bytes += allocation->bytes;
    ++report.allocations.live_count;
    report.allocations.live_bytes += allocation->bytes;
    report.allocations.largest_live_bytes =
        std::max<std::uint64_t>(report.allocations.largest_live_bytes, allocation->bytes);
    if (allocation->kind == AllocationKind::pinned || allocation->kind == AllocationKind::registered)
      report.allocations.page_locked_bytes += allocation->bytes;
  }
  for (auto& [name, kind] : kinds_) {
    kind.kind = name;
    report.allocations.kinds.push_back(std::move(kind));
  }
  report.live.texture_objects = gpu.memory.textures().texture_count();
  report.live.surface_objects = gpu.memory.textures().surface_count();
  *this = Ledger{};
}

}  // namespace simgpu::device
