/// @file
/// See closed_pages.hpp. The table that the signal handler reads is written under a sequence number: odd while it changes.
#include "simgpu/runtime/closed_pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>

#include "simgpu/memory/shared_pages.hpp"
#include "simgpu/runtime/host_fault.hpp"

namespace simgpu::runtime {
namespace {

using Range = queue::Closed::Range;
constexpr std::size_t kMostRanges = queue::Closed::kMostRanges, kMostTouches = 64;

struct Slot {
  std::atomic<std::uint64_t> id, begin, end;
  std::atomic<bool> written;
  std::atomic<bool> opened;  ///< by a touch
};
struct Seen {
  std::atomic<std::uint64_t> id, address;
  std::atomic<bool> writes;
  std::atomic<bool> complete;
};
std::atomic<std::uint32_t> sequence{0};
std::atomic<std::size_t> closed_count{0};
Slot closed[kMostRanges];
std::atomic<std::size_t> seen_count{0};
Seen seen[kMostTouches];
std::atomic<bool> ever_closed{false};
/// The last fault that found nothing closed: where, and in which state of the table.
std::atomic<std::uint64_t> tried{0};

/// What the table says, for the only thread that changes it: it holds the lock of the API.
std::vector<Range>& now_closed() {
  static auto* const ranges = new std::vector<Range>;
  return *ranges;
}

void set_access(std::uint64_t begin, std::uint64_t end, int access) noexcept {
  ::mprotect(reinterpret_cast<void*>(begin), end - begin, access);
}

bool meets(const Range& a, const Range& b) {
  return a.begin < b.end && b.begin < a.end;
}

void publish(const std::vector<Range>& ranges, const std::vector<bool>& kept) {
  ++sequence;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    closed[i].id = ranges[i].id;
    closed[i].begin = ranges[i].begin;
    closed[i].end = ranges[i].end;
    closed[i].written = ranges[i].written;
    closed[i].opened = kept[i] && closed[i].opened;
  }
  closed_count = ranges.size();
  ++sequence;
}

/// Whether it is live memory of both sides: what pages may be closed or opened.
bool may_change(const Range& range, const Allocations& known) {
  const memory::Allocation* const a = known.find(range.begin);
  return a != nullptr && a->live && range.begin < range.end &&
         range.end <= (a->end() + memory::kHostPage - 1) / memory::kHostPage * memory::kHostPage &&
         (a->kind == memory::AllocationKind::pinned || a->kind == memory::AllocationKind::managed);
}

}  // namespace

void close_pages(const queue::Closed& now, const Allocations& known) {
  std::vector<Range>& before = now_closed();
  std::vector<Range> after;
  if (!now.ranges.empty() && host_faults_come_here()) {
    std::copy_if(now.ranges.begin(), now.ranges.end(), std::back_inserter(after),
                 [&](const Range& range) { return after.size() < kMostRanges && may_change(range, known); });
  }
  if (before.empty() && after.empty()) return;
  // Most often nothing, or everything, has changed: who stands in the same place and says the same stays as it is.
  std::vector<bool> kept(after.size());
  std::vector<Range> changed;
  for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
    if (i < before.size() && i < after.size() && before[i].begin == after[i].begin &&
        before[i].end == after[i].end && before[i].written == after[i].written &&
        (before[i].id == after[i].id || !closed[i].opened)) {
      kept[i] = true;
      continue;
    }
    if (i < before.size()) {
      // What has been freed meanwhile stays closed for good.
      if (may_change(before[i], known)) set_access(before[i].begin, before[i].end, PROT_READ | PROT_WRITE);
      changed.push_back(before[i]);
    }
    if (i < after.size()) changed.push_back(after[i]);
  }
  publish(after, kept);
  ever_closed = ever_closed || !after.empty();
  // Others may use the same pages; where work writes, nobody may read.
  for (const bool written : {false, true}) {
    for (std::size_t i = 0; i < after.size(); ++i) {
      const Range& range = after[i];
      if (range.written != written || closed[i].opened) continue;
      if (kept[i] && std::none_of(changed.begin(), changed.end(),
                                  [&](const Range& other) { return meets(range, other); }))
        continue;
      set_access(range.begin, range.end, written ? PROT_NONE : PROT_READ);
    }
  }
  before = std::move(after);
}

bool open_for_host(std::uint64_t address, bool writes) noexcept {
  if (!ever_closed) return false;
  for (;;) {
    const std::uint32_t then = sequence.load();
    if (then % 2 != 0) continue;  // another thread changes it, for some instructions
    Slot* hit = nullptr;
    std::uint64_t id = 0, begin = 0, end = 0;
    const std::size_t count = std::min(closed_count.load(), kMostRanges);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t from = closed[i].begin.load(), to = closed[i].end.load();
      if (address < from || address >= to || (!writes && !closed[i].written.load())) continue;
      // The last work to use it says most.
      hit = &closed[i];
      id = closed[i].id.load();
      begin = from;
      end = to;
    }
    if (sequence.load() != then) continue;
    if (hit == nullptr) {
      // Opened by another thread meanwhile? Then the instruction goes through when it is tried again. What faults there once more,
      // with the same table, has a fault of its own.
      if (address < memory::kPinnedBase || address >= memory::kDeviceBase) return false;
      const std::uint64_t now = address ^ std::uint64_t{then} << 48;
      return tried.exchange(now) != now;
    }
    set_access(begin, end, PROT_READ | PROT_WRITE);
    hit->opened = true;
    if (const std::size_t place = seen_count.fetch_add(1); place < kMostTouches) {
      seen[place].id = id;
      seen[place].address = address;
      seen[place].writes = writes;
      seen[place].complete = true;
    }
    return true;
  }
}

std::vector<queue::Touched> take_touches() {
  std::vector<queue::Touched> touches;
  const std::size_t count = std::min(seen_count.load(), kMostTouches);
  if (count == 0) return touches;
  for (std::size_t i = 0; i < count; ++i) {
    if (seen[i].complete.exchange(false)) touches.push_back({seen[i].id, seen[i].address, seen[i].writes});
  }
  seen_count = 0;
  return touches;
}

}  // namespace simgpu::runtime
