/// @file
/// See race_knowledge.hpp.
#include "simgpu/observe/race_knowledge.hpp"

#include <algorithm>

namespace simgpu::observe {
namespace {

std::uint64_t key_of(std::uint32_t block, std::uint32_t warp) noexcept {
  return std::uint64_t{block} << 8 | warp;
}
std::uint64_t key_of(const Knowledge::Entry& e) noexcept {
  return key_of(e.block, e.warp);
}
// Works for iterators and constant ones.
template <class Entries>
auto first_of(Entries& entries, std::uint64_t key) noexcept {
  return std::lower_bound(entries.begin(), entries.end(), key,
                          [](const Knowledge::Entry& e, std::uint64_t k) { return key_of(e) < k; });
}

}  // namespace

std::uint32_t Knowledge::lanes(std::uint32_t block, std::uint32_t warp, Time clock) const noexcept {
  if (clock < everything_) return kAllLanes;
  std::uint32_t known = 0;
  const auto look = [&](std::uint64_t key) {
    for (auto e = first_of(entries_, key); e != entries_.end() && key_of(*e) == key; ++e)
      if (clock < e->until) known |= e->lanes;
  };
  look(key_of(block, warp));
  if (warp < kCopies) look(key_of(block, kAllWarps));
  return known;
}

bool Knowledge::includes(const Knowledge& other) const noexcept {
  return other.everything_ <= everything_ &&
         std::all_of(other.entries_.begin(), other.entries_.end(),
                     [&](const Entry& e) { return (e.lanes & ~lanes(e.block, e.warp, e.until - 1)) == 0; });
}

void Knowledge::add(Entry entry) {
  if (entry.until <= everything_) return;
  const std::uint64_t key = key_of(entry);
  auto e = first_of(entries_, key);
  while (e != entries_.end() && key_of(*e) == key) {
    if (e->until == entry.until) {
      entry.lanes |= e->lanes;
      e = entries_.erase(e);
    } else if (e->until > entry.until) {
      entry.lanes &= ~e->lanes;
      if (entry.lanes == 0) return;
      ++e;
    } else if ((e->lanes &= ~entry.lanes) == 0) {
      e = entries_.erase(e);
    } else {
      ++e;
    }
  }
  entries_.insert(e, entry);
  if (entries_.size() > kMostEntries) shorten();
}

void Knowledge::join(const Knowledge& other) {
  if (other.everything_ > everything_) {
    everything_ = other.everything_;
    std::erase_if(entries_, [&](const Entry& e) { return e.until <= everything_; });
  }
  for (const Entry& e : other.entries_) add(e);
}

void Knowledge::forget(std::uint32_t block, Time time) {
  std::erase_if(entries_, [&](const Entry& e) {
    return e.block == block && e.until <= time && (e.warp < kCopies || e.warp == kAllWarps);
  });
}

void Knowledge::forget_warp(std::uint32_t block, std::uint32_t warp) {
  std::erase_if(entries_, [&](const Entry& e) { return e.block == block && e.warp == warp; });
}

void Knowledge::shorten() {
  for (const Entry& e : entries_) everything_ = std::max(everything_, e.until);
  entries_.clear();
}

Known joined(const Known& a, const Known& b, std::size_t most) {
  if (!b || a == b || (a && a->includes(*b))) return a;
  if (!a || b->includes(*a)) return b;
  auto both = std::make_shared<Knowledge>(*a);
  both->join(*b);
  both->limit(most);
  return both;
}

}  // namespace simgpu::observe
