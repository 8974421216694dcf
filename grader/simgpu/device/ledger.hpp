/// @file
/// What the program asks of the device, in figures: copies by kind, waits of the host, what it said of managed memory and of the
/// L2, events, allocations. The report takes it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simgpu/memory/device_memory.hpp"
#include "simgpu/queue/command.hpp"
#include "simgpu/report/report.hpp"
#include "simgpu/timing/timeline.hpp"

namespace simgpu::device {

struct Place;
class Gpu;

class Ledger {
 public:
  /// By what the host waited for a device.
  enum class Wait : std::uint8_t { copy, stream, event, device };

  /// @param asynchronous the call's form; @param waits the host waits for the copy, whatever its form.
  void copied(const Gpu& gpu, const Place& to, const Place& from, std::uint64_t bytes,
              timing::StreamId stream, bool asynchronous, bool waits);
  void filled(std::uint64_t bytes);
  void launched() { unanswered_ = counted_ = false; }
  void waited(Wait by);
  /// Nobody asked for a wait, and there is one: the host's in a call that frees, or a stream's for a host function.
  void waited_unasked() { unasked_since_copy_ += copied_ ? 1 : 0; }
  /// A stream or event was asked whether it is done. Asking again after "no", with no work given to a device in between, is
  /// waiting: such a run of queries counts as one wait.
  void queried(bool done);
  void prefetched(std::uint64_t address, std::uint64_t bytes, bool to_device);
  /// @param covers no fault is to come: a device was given a mapping
  void advised(std::uint64_t address, std::uint64_t bytes, bool covers);
  /// A kernel's, of managed memory: see ManagedPages::Demand.
  void demanded(std::uint64_t faulted_bytes, std::uint64_t in_place_bytes, std::uint64_t late_bytes) {
    managed_.faulted += faulted_bytes;
    managed_.in_place += in_place_bytes;
    managed_.late += late_bytes;
  }
  /// The host has touched so many bytes' pages that a device had.
  void came_home(std::uint64_t bytes) { managed_.came_home += bytes; }
  /// @param at on the modelled clock.
  void recorded(report::EventReport record, timing::Instant at);
  /// @param kind what made it (Gpu::kind_of)
  void made(const memory::Allocation& allocation, const char* kind);
  void freed(const memory::Allocation& allocation, const char* kind);
  void persisting_limit(std::uint64_t bytes);
  /// A stream or a launch was given a window. @param launches kernels that were launched with it in force
  void window(const Gpu& gpu, const queue::Window& window, std::uint64_t launches = 0);

  /// Puts everything noted since the last call into @p report. @param since the instant at which that report begins.
  void take(const Gpu& gpu, report::Report& report, timing::Instant since);

 private:
  struct CopyGroup {
    report::CopyGroupReport report;
    std::set<timing::StreamId> streams;
  };
  void cover(std::uint64_t begin, std::uint64_t end);

  std::vector<CopyGroup> groups_;
  report::CopyReport copies_;
  report::FillReport fills_;
  report::WaitReport waits_;
  std::uint64_t waits_since_copy_ = 0, unasked_since_copy_ = 0;  ///< since the first copy was begun
  bool copied_ = false, unanswered_ = false, counted_ = false;
  report::ManagedReport managed_;
  std::map<std::uint64_t, std::uint64_t> covered_;  ///< begin to end; apart from each other
  report::EventsReport events_;
  std::map<std::string, report::AllocationKindReport> kinds_;
  report::PersistenceReport persistence_;
};

}  // namespace simgpu::device
