/// @file
/// See closed_pages.hpp. The table that the signal handler reads is written under a sequence number: odd while it changes.
#include "simgpu/runtime/closed_pages.hpp"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstring>
#include <utility>

#include "simgpu/link/ring.hpp"
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
std::atomic<bool> ever_closed{false}, closes_own{false};  ///< at all; memory that the program has registered
/// The last fault that found nothing closed: where, and in which state of the table.
std::atomic<std::uint64_t> tried{0};

/// What is closed ahead; the first `ahead_count` of them. `ahead` is a futex word: 1 while anything is.
constexpr std::size_t kMostAhead = 32;
/// To close and to open pages that have been touched costs some 25 ns each: beyond this an answer comes sooner. [bytes]
constexpr std::uint64_t kMostBytesAhead = 16ull << 20;
struct Ahead {
  std::atomic<std::uint64_t> begin, end;
};
Ahead ahead_ranges[kMostAhead];
std::atomic<std::size_t> ahead_count{0};
std::atomic<std::uint32_t> ahead{0};
std::atomic<bool (*)() noexcept> wait_for_answer{nullptr};

/// What the table says, for the only thread that changes it: it holds the lock of the API.
std::vector<Range>& now_closed() {
  static auto* const ranges = new std::vector<Range>;
  return *ranges;
}

void set_access(std::uint64_t begin, std::uint64_t end, int access) noexcept {
  ::mprotect(reinterpret_cast<void*>(begin), end - begin, access);
}

/// Whether it is closed ahead as a whole: open_ahead() will look at the table.
bool is_ahead(const Range& range) {
  return std::any_of(ahead_ranges, ahead_ranges + ahead_count.load(),
                     [&](const Ahead& each) { return range.begin >= each.begin && range.end <= each.end; });
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

std::uint64_t behind(std::uint64_t begin, std::uint64_t bytes) {
  return (begin + bytes + memory::kHostPage - 1) / memory::kHostPage * memory::kHostPage;
}

/// A child of fork() has nobody who would open what is closed ahead.
void open_in_child() noexcept {
  for (std::size_t i = 0; i < ahead_count; ++i)
    set_access(ahead_ranges[i].begin, ahead_ranges[i].end, PROT_READ | PROT_WRITE);
  ahead_count = 0;
  ahead = 0;
}

/// Remembers pinned memory to which a parameter may point. @return false if one points beside all memory: nobody knows what is meant; or
/// into memory that the program has registered, which is not closed ahead.
bool look_for_addresses(std::span<const std::byte> parameters, Allocations& known) {
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= parameters.size(); ++at) {
    std::uint64_t value = 0;
    std::memcpy(&value, parameters.data() + at, sizeof value);
    if (known.is_registered(value)) return false;
    if (value < memory::kPinnedBase || value >= memory::kDeviceBase) continue;
    const memory::Allocation* const a = known.find(value);
    if (a == nullptr) return false;
    if (a->live) known.reached(a->base);
  }
  return true;
}

/// For the library itself, which looks at what a call was given, and for a function of the program's within a call.
bool open_page_ahead(std::uint64_t address) noexcept {
  for (std::size_t i = 0; i < ahead_count; ++i) {
    if (address < ahead_ranges[i].begin || address >= ahead_ranges[i].end) continue;
    const std::uint64_t page = address / memory::kHostPage * memory::kHostPage;
    set_access(page, page + memory::kHostPage, PROT_READ | PROT_WRITE);
    return true;
  }
  return false;
}

/// Whether it is live memory of both sides: what pages may be closed or opened. Of registered memory those that hold nothing else.
bool may_change(const Range& range, const Allocations& known) {
  const memory::Allocation* const a = known.find(range.begin);
  if (a != nullptr && a->kind == memory::AllocationKind::registered)
    return a->live && range.begin < range.end && range.end <= a->end();
  return a != nullptr && a->live && range.begin < range.end &&
         range.end <= (a->end() + memory::kHostPage - 1) / memory::kHostPage * memory::kHostPage &&
         (a->kind == memory::AllocationKind::pinned || a->kind == memory::AllocationKind::managed);
}

}  // namespace

void close_pages(const queue::Closed& now, Allocations& known) {
  std::vector<Range>& before = now_closed();
  std::vector<Range> after;
  if (!now.ranges.empty() && host_faults_come_here()) {
    std::copy_if(now.ranges.begin(), now.ranges.end(), std::back_inserter(after),
                 [&](const Range& range) { return after.size() < kMostRanges && may_change(range, known); });
  }
  if (before.empty() && after.empty()) return;
  for (const Range& range : after) {
    const memory::Allocation& allocation = *known.find(range.begin);
    known.reached(allocation.base);
    if (allocation.kind == memory::AllocationKind::registered) closes_own = true;
  }
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
      if (!is_ahead(before[i]) && may_change(before[i], known))
        set_access(before[i].begin, before[i].end, PROT_READ | PROT_WRITE);
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
      if (range.written != written || closed[i].opened || is_ahead(range)) continue;
      if (kept[i] && std::none_of(changed.begin(), changed.end(),
                                  [&](const Range& other) { return meets(range, other); }))
        continue;
      set_access(range.begin, range.end, written ? PROT_NONE : PROT_READ);
    }
  }
  before = std::move(after);
}

bool close_ahead(std::span<const std::byte> parameters, Allocations& known) {
  if (!look_for_addresses(parameters, known) || known.registered_in_reach() || !host_faults_come_here())
    return false;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> wanted;
  std::uint64_t bytes = 0;
  for (const auto& [begin, size] : known.in_common()) {
    if (!memory::is_managed_address(begin) && !known.in_reach(begin)) continue;
    if (wanted.size() == kMostAhead || (bytes += size) > kMostBytesAhead) return false;
    if (size > 0) wanted.emplace_back(begin, behind(begin, size));
  }
  if (wanted.empty()) return true;
  static const int child = ::pthread_atfork(nullptr, nullptr, open_in_child);
  static_cast<void>(child);
  // First the word, so that who faults meanwhile knows why.
  ahead = 1;
  ever_closed = true;
  for (const auto& [begin, end] : wanted) {
    const std::size_t count = ahead_count;
    const bool there = std::any_of(ahead_ranges, ahead_ranges + count,
                                   [&, first = begin](const Ahead& each) { return each.begin == first; });
    if (there) continue;
    if (count == kMostAhead) return false;
    ahead_ranges[count].begin = begin;
    ahead_ranges[count].end = end;
    ahead_count = count + 1;
    set_access(begin, end, PROT_NONE);
  }
  return true;
}

void wait_for_opening_by(bool (*wait)() noexcept) noexcept {
  wait_for_answer = wait;
}

void open_ahead(const Allocations& known) {
  if (ahead == 0) return;
  const std::vector<Range>& table = now_closed();
  for (std::size_t i = 0; i < ahead_count; ++i) {
    const Range whole{0, ahead_ranges[i].begin, ahead_ranges[i].end, true};
    if (!may_change(whole, known)) continue;  // freed meanwhile
    std::vector<std::size_t> inside;
    for (std::size_t k = 0; k < table.size(); ++k)
      if (meets(table[k], whole)) inside.push_back(k);
    set_access(whole.begin, whole.end, PROT_READ | PROT_WRITE);
    for (const bool written : {false, true})
      for (const std::size_t k : inside)
        if (table[k].written == written && !closed[k].opened)
          set_access(table[k].begin, table[k].end, written ? PROT_NONE : PROT_READ);
  }
  ahead_count = 0;
  ++sequence;  // a fault that was met by what is open now is another one
  ++sequence;
  ahead = 0;
  ::syscall(SYS_futex, &ahead, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

bool closed_ahead() noexcept {
  return ahead != 0;
}

void wait_for_opening(std::chrono::nanoseconds most) noexcept {
  link::sleep_on(ahead, 1, most);
}

bool open_for_host(std::uint64_t address, bool writes) noexcept {
  if (!ever_closed) return false;
  if (ahead != 0 && address >= memory::kPinnedBase && address < memory::kDeviceBase) {
    const auto wait = wait_for_answer.load();
    if ((wait == nullptr || !wait()) && open_page_ahead(address)) return true;
  }
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
      if (!closes_own && (address < memory::kPinnedBase || address >= memory::kDeviceBase)) return false;
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
