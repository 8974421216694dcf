/// @file
/// See host_guard.hpp.
#include "simgpu/device/host_guard.hpp"
#include "simgpu/memory/shared_pages.hpp"

#include <algorithm>

namespace simgpu::device {
namespace {

constexpr std::uint64_t page_from(std::uint64_t address) noexcept {
  return (address + memory::kHostPage - 1) / memory::kHostPage * memory::kHostPage;
}
constexpr std::uint64_t page_to(std::uint64_t address) noexcept {
  return address / memory::kHostPage * memory::kHostPage;
}

/// A structure or a few values in memory of both sides, of which work uses some. Around memory that the program has registered lies more of
/// the program's.
bool is_small(const memory::Allocation& allocation) noexcept {
  return allocation.kind != memory::AllocationKind::registered && allocation.bytes <= memory::kHostPage &&
         allocation.base % memory::kHostPage == 0;
}

}  // namespace

bool HostGuard::touched(Id id, std::uint64_t address, bool writes) {
  const memory::Allocation* const allocation = memory_.find(address);
  const bool used =
      allocation == nullptr || !is_small(*allocation) ||
      std::any_of(parts_.begin(), parts_.end(), [&](const queue::Closed::Range& part) {
        return part.id == id && address >= part.begin && address < part.end && (writes || part.written);
      });
  open(id);
  return used;
}

void HostGuard::add(Id id, const observe::ByteSet& bytes, bool written) {
  std::vector<queue::Closed::Range>& ranges = closed_.ranges;
  bytes.each_run([&](std::uint64_t begin, std::uint64_t end) {
    // What more work uses stays open.
    if (memory::is_device_address(begin) || ranges.size() >= queue::Closed::kMostRanges) return;
    const memory::Allocation* const allocation = memory_.find(begin);
    if (allocation == nullptr || !allocation->live) return;
    // An allocation of both sides has its pages for itself: what lies beyond its end is nobody's. Around memory that the program has
    // registered lies more of the program's.
    const bool alone = allocation->kind != memory::AllocationKind::registered;
    std::uint64_t first = page_from(begin);
    std::uint64_t last = alone && end >= allocation->end() ? page_from(end) : page_to(end);
    const bool small = is_small(*allocation);
    if (small) first = page_to(begin), last = first + memory::kHostPage;
    if (first >= last) return;
    const auto same = std::find_if(ranges.begin(), ranges.end(), [&](const queue::Closed::Range& range) {
      return range.begin == first && range.end == last;
    });
    if (same == ranges.end()) {
      ranges.push_back({id, first, last, written});
    } else if (written || !same->written) {
      *same = {id, first, last, written};  // the last to use it says most
      std::erase_if(parts_, [&](const auto& part) { return page_to(part.begin) == first && part.id != id; });
    } else if (same->id != id) {
      return;
    }
    if (small) parts_.push_back({id, begin, end, written});
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
  std::erase_if(parts_, [&](const auto& part) { return part.id == id; });
  if (std::erase_if(closed_.ranges, [&](const auto& range) { return range.id == id; }) > 0) changed();
}

void HostGuard::open_all() {
  parts_.clear();
  if (closed_.ranges.empty()) return;
  closed_.ranges.clear();
  changed();
}

void HostGuard::forget(std::uint64_t address, std::uint64_t bytes) {
  const auto meets = [&](const queue::Closed::Range& range) {
    return range.begin < address + bytes && address < range.end;
  };
  std::erase_if(parts_, meets);
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
  if (now.ranges.empty() && !any_said_) return;
  any_said_ = !now.ranges.empty();
  hears_(now);
}

}  // namespace simgpu::device
