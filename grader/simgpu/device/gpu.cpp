/// @file
/// See gpu.hpp.
#include "simgpu/device/gpu.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "simgpu/observe/races.hpp"
#include "simgpu/observe/traffic.hpp"
#include "simgpu/observe/uninitialised.hpp"
#include "simgpu/report/files.hpp"

namespace simgpu::device {

using memory::AllocationKind;

Unit::Unit(const timing::Device& card) : timeline(card) {}
Unit::~Unit() = default;

Gpu::Gpu(const timing::Device& chosen, const memory::SharedPages* pages)
    : card(chosen), memory(chosen.memory_bytes, pages) {
  races = std::make_unique<observe::Races>(findings);
  uninitialised = std::make_unique<observe::Uninitialised>(memory, findings);
}
Gpu::~Gpu() = default;

void Gpu::add_unit() {
  const int index = static_cast<int>(units.size());
  auto made = std::make_unique<Unit>(card);
  made->traffic =
      std::make_unique<observe::Traffic>(observe::TrafficConfig{.l1_shared_bytes = card.l1_and_shared_bytes,
                                                                .l2_bytes = card.l2_bytes,
                                                                .slice = card.slice,
                                                                .memory = &memory});
  stream_checks.device_added(index);
  units.push_back(std::move(made));
  streams[queue::kLegacyStreams + static_cast<queue::Id>(index)] = {.device = index};
}

void Gpu::drop_last_unit() {
  units.pop_back();
  streams.erase(queue::kLegacyStreams + static_cast<queue::Id>(units.size()));
}

const Stream* Gpu::stream(queue::Id id) const {
  const auto it = streams.find(id);
  return it == streams.end() ? nullptr : &it->second;
}

void Gpu::make_stream(const queue::MakeStream& wish) {
  using Kind = queue::MakeStream::Kind;
  const Stream made{.device = static_cast<int>(wish.device),
                    .id = wish.id,
                    .blocking = wish.kind != Kind::non_blocking,
                    .of_thread = wish.kind == Kind::of_thread};
  streams[wish.id] = made;
  ++own_streams_;
  unit(made.device).timeline.add_stream(made.id, made.blocking);
  stream_checks.stream_added(made);
}

void Gpu::drop_stream(queue::Id id) {
  const auto it = streams.find(id);
  if (it == streams.end()) return;
  unit(it->second.device).timeline.remove_stream(it->second.id);
  stream_checks.stream_removed(it->second);
  streams.erase(it);
  --own_streams_;
}

const memory::Allocation* Gpu::allocate(std::size_t bytes, AllocationKind kind, Facts known,
                                        std::uint64_t align) {
  const memory::Allocation* allocation = memory.allocate(bytes, kind, align);
  if (allocation == nullptr) return nullptr;
  if (kind == AllocationKind::pinned || kind == AllocationKind::managed) stream_checks.shares_memory();
  if (kind == AllocationKind::managed) managed_pages.made(*allocation);
  facts[allocation->base] = known;
  ledger.made(*allocation, kind_of(*allocation));
  return allocation;
}

void Gpu::adopted(const memory::Allocation& allocation, int device) {
  facts[allocation.base] = {.device = device};
  ledger.made(allocation, kind_of(allocation));
}

bool Gpu::release(std::uint64_t base) {
  const memory::Allocation* allocation = memory.find(base);
  if (allocation == nullptr || allocation->base != base || !allocation->live) return false;
  const std::uint64_t bytes = allocation->bytes;
  stream_checks.released(base, bytes);
  if (!memory.free(base)) return false;
  if (facts_of(*allocation) != nullptr) ledger.freed(*allocation, kind_of(*allocation));
  uninitialised->forget(base, bytes);
  for (const auto& unit : units) unit->traffic->invalidate_l2(base, bytes);
  facts.erase(base);
  managed_pages.freed(base);
  return true;
}

void Gpu::reset(int device) {
  stream_checks.host_waits_for_device(device);
  std::vector<std::uint64_t> mine;
  for (const auto& [base, known] : facts)
    if (known.device == device) mine.push_back(base);
  for (const std::uint64_t base : mine) release(base);
  Unit& one = unit(device);
  one.heap_bytes = 0;
  one.heap_limit = kHeapDefault;
  one.pools = {};
  one.stopped = Status::success;
  one.traffic->clear_l2();
}

const Facts* Gpu::facts_of(const memory::Allocation& allocation) const {
  const auto it = facts.find(allocation.base);
  return it == facts.end() ? nullptr : &it->second;
}

const char* Gpu::kind_of(const memory::Allocation& allocation) const {
  switch (allocation.kind) {
    case AllocationKind::global:
    case AllocationKind::constant:
      return "variable";
    case AllocationKind::pinned:
      return "pinned";
    case AllocationKind::registered:
      return "registered";
    case AllocationKind::managed:
      return "managed";
    case AllocationKind::device:
      break;
  }
  const Facts* const known = facts_of(allocation);
  if (known == nullptr) return "device";
  switch (known->origin) {
    case Facts::Origin::array:
      return "array";
    case Facts::Origin::heap:
      return "heap";
    case Facts::Origin::graph:
      return "graph";
    case Facts::Origin::pool:
      return "pool";
    case Facts::Origin::plain:
      break;
  }
  return "device";
}

void Gpu::written(std::uint64_t address, std::uint64_t bytes) {
  uninitialised->mark_initialised(address, bytes);
  for (const auto& unit : units) unit->traffic->invalidate_l2(address, bytes);
}

report::Report Gpu::take_report(report::ClientPart client) {
  report::Report report;
  report.device.name = fmt::format("Simulated {}, 1/{} slice", card.name, card.slice);
  report.device.sm_count = card.sm_count;
  report.device.slice = card.slice;
  report.device.clock_hz = card.clock_hz;
  report.device.l2_bytes = card.l2_bytes;
  report.device.dram_bytes_per_second = card.dram_peak();
  report.device.copy_bytes_per_second = card.copy_ceiling();
  report.launches = std::exchange(launches, {});
  report.findings = findings.all();
  findings.clear();
  report.device_count = static_cast<std::uint32_t>(units.size());
  ledger.take(*this, report, last_report_);
  timing::Instant now = 0;
  for (const auto& unit : units) now = std::max(now, unit->timeline.all_done());
  report.elapsed_seconds = now - last_report_;
  for (std::size_t d = 0; d < units.size(); ++d) {
    std::uint64_t omitted = 0;
    for (timing::Operation& op : units[d]->timeline.take_operations(omitted)) {
      report.timeline.operations.push_back({static_cast<std::uint32_t>(d), op.stream,
                                            std::string(timing::name_of(op.engine)), std::move(op.name),
                                            op.bytes, op.begin - last_report_, op.end - last_report_});
    }
    report.timeline.omitted += omitted;
  }
  last_report_ = now;
  report::add(report, std::move(client));
  return report;
}

std::size_t Gpu::write_last_report(report::ClientPart client, std::string_view wish) {
  report::Report report = take_report(std::move(client));
  // A program that has met a fault can free nothing any more.
  const bool stopped = std::any_of(units.begin(), units.end(),
                                   [](const auto& unit) { return unit->stopped != Status::success; });
  if (settings.checks.leaks && !stopped) report::add_leaks(report);
  report::write_files(report, wish);
  return report::errors_of(report);
}

}  // namespace simgpu::device
