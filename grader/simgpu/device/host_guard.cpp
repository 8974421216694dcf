/// @file
/// See host_guard.hpp. The table that the signal handler reads is written under a sequence number: odd while it changes.
#include "simgpu/device/host_guard.hpp"

#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>

#include "simgpu/device/host_fault.hpp"

namespace simgpu::device {
namespace {

constexpr std::uint64_t kPage = 4096;
/// Ranges that are closed at a time; what more work uses stays open.
constexpr std::size_t kMostRanges = 256;
constexpr std::size_t kMostTouches = 64;

struct Closed {
  std::atomic<std::uint64_t> id, begin, end;
  std::atomic<bool> written;
};
struct Seen {
  std::atomic<std::uint64_t> id, address;
  std::atomic<bool> writes;
  std::atomic<bool> complete;
};
std::atomic<std::uint32_t> sequence{0};
std::atomic<std::size_t> closed_count{0};
Closed closed[kMostRanges];
std::atomic<std::size_t> seen_count{0};
Seen seen[kMostTouches];

/// Memory that host and device have at one address.
bool is_shared(std::uint64_t address) noexcept {
  return address >= memory::kPinnedBase && address < memory::kDeviceBase;
}

void set_access(std::uint64_t begin, std::uint64_t end, int access) noexcept {
  ::mprotect(reinterpret_cast<void*>(begin), end - begin, access);
}

}  // namespace

bool open_for_host(std::uint64_t address, bool writes) noexcept {
  if (!is_shared(address)) return false;
  for (;;) {
    const std::uint32_t before = sequence.load();
    if (before % 2 != 0) continue;  // another thread is in the runtime, for some instructions
    bool hit = false;
    std::uint64_t id = 0, begin = 0, end = 0;
    const std::size_t count = std::min(closed_count.load(), kMostRanges);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t from = closed[i].begin.load(), to = closed[i].end.load();
      if (address < from || address >= to || (!writes && !closed[i].written.load())) continue;
      // The last work to use it says most.
      hit = true;
      id = closed[i].id.load();
      begin = from;
      end = to;
    }
    if (sequence.load() != before) continue;
    if (!hit) {
      // Opened by another thread meanwhile? Then the instruction goes through when it is tried again; else it faults again, and
      // the count of tries in vain ends it.
      static std::atomic<std::uint64_t> last{0};
      static std::atomic<int> tries{0};
      if (last.exchange(address) != address) tries = 0;
      return count > 0 && tries++ < 2;
    }
    set_access(begin, end, PROT_READ | PROT_WRITE);
    if (const std::size_t place = seen_count.fetch_add(1); place < kMostTouches) {
      seen[place].id = id;
      seen[place].address = address;
      seen[place].writes = writes;
      seen[place].complete = true;
    }
    return true;
  }
}

void HostGuard::add(Id id, const observe::ByteSet& bytes, bool written) {
  bytes.each_run([&](std::uint64_t begin, std::uint64_t end) {
    if (!is_shared(begin) || ranges_.size() >= kMostRanges) return;
    const memory::Allocation* const allocation = memory_.find(begin);
    if (allocation == nullptr || !allocation->live) return;
    // An allocation of both sides has its pages for itself: what lies beyond its end is nobody's.
    const std::uint64_t first = (begin + kPage - 1) / kPage * kPage;
    const std::uint64_t last =
        end >= allocation->end() ? (end + kPage - 1) / kPage * kPage : end / kPage * kPage;
    if (first >= last) return;
    const auto same = std::find_if(ranges_.begin(), ranges_.end(), [&](const Range& range) {
      return range.begin == first && range.end == last;
    });
    if (same == ranges_.end()) {
      ranges_.push_back({id, first, last, written});
    } else if (written || !same->written) {
      *same = {id, first, last, written};  // the last to use it says most
    }
  });
}

bool HostGuard::close(Id id, const observe::Touched& touched) {
  if (!host_faults_come_here()) return false;
  add(id, touched.reads, false);
  add(id, touched.writes, true);
  if (std::none_of(ranges_.begin(), ranges_.end(), [&](const Range& range) { return range.id == id; }))
    return false;
  if (suspended_ == 0) {
    publish();
    protect(true);
  }
  return true;
}

void HostGuard::open(Id id) {
  const auto gone = std::stable_partition(ranges_.begin(), ranges_.end(),
                                          [&](const Range& range) { return range.id != id; });
  if (gone == ranges_.end()) return;
  if (suspended_ == 0) {
    for (auto it = gone; it != ranges_.end(); ++it) set_access(it->begin, it->end, PROT_READ | PROT_WRITE);
  }
  ranges_.erase(gone, ranges_.end());
  if (suspended_ == 0) {
    publish();
    protect(true);  // others may use the same pages
  }
}

void HostGuard::forget(std::uint64_t address, std::uint64_t bytes) {
  const auto meets = [&](const Range& range) { return range.begin < address + bytes && address < range.end; };
  if (std::none_of(ranges_.begin(), ranges_.end(), meets)) return;
  suspend();
  std::erase_if(ranges_, meets);
  publish();
  resume();
}

void HostGuard::open_all() {
  if (ranges_.empty()) return;
  if (suspended_ == 0) protect(false);
  ranges_.clear();
  publish();
}

void HostGuard::suspend() {
  if (suspended_++ == 0 && !ranges_.empty()) protect(false);
}

void HostGuard::resume() {
  if (--suspended_ != 0 || ranges_.empty()) return;
  publish();
  protect(true);
}

void HostGuard::publish() {
  ++sequence;
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    closed[i].id = ranges_[i].id;
    closed[i].begin = ranges_[i].begin;
    closed[i].end = ranges_[i].end;
    closed[i].written = ranges_[i].written;
  }
  closed_count = ranges_.size();
  ++sequence;
}

void HostGuard::protect(bool close) {
  if (!close) {
    for (const Range& range : ranges_) set_access(range.begin, range.end, PROT_READ | PROT_WRITE);
    return;
  }
  for (const bool written : {false, true}) {
    for (const Range& range : ranges_)
      if (range.written == written) set_access(range.begin, range.end, written ? PROT_NONE : PROT_READ);
  }
}

std::vector<HostGuard::Touch> HostGuard::take() {
  std::vector<Touch> touches;
  const std::size_t count = std::min(seen_count.load(), kMostTouches);
  if (count == 0) return touches;
  for (std::size_t i = 0; i < count; ++i) {
    if (!seen[i].complete.exchange(false)) continue;
    touches.push_back({seen[i].id, seen[i].address, seen[i].writes});
    // One touch of each piece of work says enough.
    std::erase_if(ranges_, [&](const Range& range) {
      if (range.id != seen[i].id) return false;
      if (suspended_ == 0) set_access(range.begin, range.end, PROT_READ | PROT_WRITE);
      return true;
    });
  }
  seen_count = 0;
  if (suspended_ == 0) {
    publish();
    protect(true);
  }
  return touches;
}

}  // namespace simgpu::device
