/// @file
/// See host_guard.hpp.
#include "simgpu/device/host_guard.hpp"
#include "simgpu/memory/shared_pages.hpp"

#include <algorithm>

namespace simgpu::device {
namespace {

/// Memory that host and device have at one address.
bool is_shared(std::uint64_t address) noexcept {
  return address >= memory::kPinnedBase && address < memory::kDeviceBase;
}

}  // namespace

void HostGuard::add(Id id, const observe::ByteSet& bytes, bool written) {
  std::vector<queue::Closed::Range>& ranges = closed_.ranges;
  bytes.each_run([&](std::uint64_t begin, std::uint64_t end) {
    // What more work uses stays open.
    if (!is_shared(begin) || ranges.size() >= queue::Closed::kMostRanges) return;
    const memory::Allocation* const allocation = memory_.find(begin);
    if (allocation == nullptr || !allocation->live) return;
    // An allocation of both sides has its pages for itself: what lies beyond its end is nobody's.
    const std::uint64_t first = (begin + memory::kHostPage - 1) / memory::kHostPage * memory::kHostPage;
    const std::uint64_t last = end >= allocation->end()
                                   ? (end + memory::kHostPage - 1) / memory::kHostPage * memory::kHostPage
                                   : end / memory::kHostPage * memory::kHostPage;
    if (first >= last) return;
    const auto same = std::find_if(ranges.begin(), ranges.end(), [&](const queue::Closed::Range& range) {
      return range.begin == first && range.end == last;
    });
    if (same == ranges.end()) {
      ranges.push_back({id, first, last, written});
    } else if (written || !same->written) {
      *same = {id, first, last, written};  // the last to use it says most
    }
  });
}

bool HostGuard::close(Id id, const observe::Touched& touched) {
  if (!hears_) return false;
  add(id, touched.reads, false);
  add(id, touched.writes, true);
  const bool any = std::any_of(closed_.ranges.begin(), closed_.ranges.end(),
                               [&](const queue::Closed::Range& range) { return range.id == id; });
  if (any) changed();
  return any;
}

void HostGuard::open(Id id) {
  if (std::erase_if(closed_.ranges, [&](const auto& range) { return range.id == id; }) > 0) changed();
}

void HostGuard::open_all() {
  if (closed_.ranges.empty()) return;
  closed_.ranges.clear();
  changed();
}

void HostGuard::forget(std::uint64_t address, std::uint64_t bytes) {
  const auto meets = [&](const queue::Closed::Range& range) {
    return range.begin < address + bytes && address < range.end;
  };
  if (std::erase_if(closed_.ranges, meets) > 0) changed();
}

void HostGuard::suspend() {
  if (suspended_++ == 0 && !memory_.has_own_view()) open_for_now();
}

void HostGuard::resume() {
  if (--suspended_ == 0 && changed_) changed();
}

void HostGuard::open_for_now() {
  if (!any_said_) return;
  say({});
  changed_ = true;
}

void HostGuard::changed() {
  changed_ = suspended_ > 0;
  if (!changed_ && (any_said_ || !closed_.ranges.empty())) say(closed_);
}

void HostGuard::say(const queue::Closed& now) {
  any_said_ = !now.ranges.empty();
  hears_(now);
}

}  // namespace simgpu::device
