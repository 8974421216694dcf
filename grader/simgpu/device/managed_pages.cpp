/// @file
/// See managed_pages.hpp. Allocations of managed memory begin at a page's begin and have their pages for themselves.
#include "simgpu/device/managed_pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <set>
#include <string_view>

#include "simgpu/memory/device_memory.hpp"

namespace simgpu::device {
namespace {

constexpr std::uint64_t kSector = 32;
/// Faults so far from each other are not taken together. [bytes]
constexpr std::uint64_t kApart = 32768;

}  // namespace

std::size_t ManagedPages::content_of(const Range& range, const Page& page) {
  const auto at = static_cast<std::size_t>(&page - range.pages.data()) * kPageBytes;
  return std::hash<std::string_view>{}(std::string_view(reinterpret_cast<const char*>(range.host) + at,
                                                        std::min<std::size_t>(kPageBytes, range.bytes - at)));
}

void ManagedPages::give(Range& range, Page& page, int device) {
  page.where = device;
  if (page.read_mostly) page.content = content_of(range, page);
}

void ManagedPages::made(const memory::Allocation& allocation, int where) {
  Range range;
  range.bytes = allocation.bytes;
  range.host = allocation.host;
  range.pages.resize((range.bytes + kPageBytes - 1) / kPageBytes);
  for (Page& page : range.pages) page.where = where;
  range.unknown = where == kUnknown ? range.pages.size() : 0;
  ranges_[allocation.base] = std::move(range);
  recent_ = nullptr;
}

void ManagedPages::freed(std::uint64_t base) {
  ranges_.erase(base);
  recent_ = nullptr;
}

ManagedPages::Range* ManagedPages::range_of(std::uint64_t address) {
  if (recent_ != nullptr && address - recent_base_ < recent_->bytes) return recent_;
  auto next = ranges_.upper_bound(address);
  if (next == ranges_.begin()) return nullptr;
  --next;
  if (address - next->first >= next->second.bytes) return nullptr;
  recent_base_ = next->first;
  recent_ = &next->second;
  return recent_;
}

/// Of pages that both sides map, the system counts the client's touches as well.
void ManagedPages::look(Range& range) {
  if (range.unknown == 0) return;
  std::vector<unsigned char> present(range.pages.size());
  if (::mincore(range.host, range.pages.size() * kPageBytes, present.data()) != 0) return;
  for (std::size_t i = 0; i < present.size(); ++i) {
    if (range.pages[i].where != kUnknown || (present[i] & 1u) == 0) continue;
    range.pages[i].where = kHost;
    --range.unknown;
  }
}

template <typename Do>
void ManagedPages::each_page(std::uint64_t address, std::uint64_t bytes, const Do& one) {
  Range* const range = range_of(address);
  if (range == nullptr || bytes == 0) return;
  look(*range);
  const std::uint64_t first = (address - recent_base_) / kPageBytes;
  const std::uint64_t end = (address - recent_base_ + bytes + kPageBytes - 1) / kPageBytes;
  for (std::uint64_t i = first; i < std::min<std::uint64_t>(end, range->pages.size()); ++i)
    one(*range, range->pages[i]);
}

std::uint64_t ManagedPages::prefetch(std::uint64_t address, std::uint64_t bytes, int where) {
  std::uint64_t moved = 0;
  each_page(address, bytes, [&](Range& range, Page& page) {
    if (page.where == kUnknown) {
      --range.unknown;
    } else if (page.where != where) {
      moved += kPageBytes;
    }
    if (page.where != where) page.arrival = 0;
    give(range, page, where);
    page.turns = 0;
  });
  return moved;
}

void ManagedPages::arrive(std::uint64_t address, std::uint64_t bytes, timing::Instant at) {
  each_page(address, bytes, [&](Range&, Page& page) { page.arrival = std::max(page.arrival, at); });
}

void ManagedPages::map_for(std::uint64_t address, std::uint64_t bytes, int device, bool wanted) {
  if (device < 0 || device >= 32) return;  // the host has its mapping
  const std::uint32_t bit = 1u << static_cast<unsigned>(device);
  each_page(address, bytes, [&](Range&, Page& page) {
    page.mapped_for = wanted ? page.mapped_for | bit : page.mapped_for & ~bit;
  });
}

void ManagedPages::prefer(std::uint64_t address, std::uint64_t bytes, int where) {
  each_page(address, bytes, [&](Range&, Page& page) { page.preferred = where; });
}

void ManagedPages::read_mostly(std::uint64_t address, std::uint64_t bytes, bool wanted) {
  each_page(address, bytes, [&](Range& range, Page& page) {
    page.read_mostly = wanted;
    if (page.where >= 0) give(range, page, page.where);
  });
}

ManagedPages::Homecoming ManagedPages::visited(const queue::Visited& visits, timing::Instant now) {
  Homecoming come;
  std::set<std::uint64_t> begun, written;  // bases of allocations of which something has come
  for (const queue::Visited::Run& run : visits.runs) {
    std::uint64_t bytes = 0;
    each_page(run.address, run.bytes, [&](Range& range, Page& page) {
      if (page.where < 0) return;
      if (page.read_mostly) {
        if (page.content == content_of(range, page)) return;
        const bool first = written.insert(recent_base_).second;
        (first ? come.as_it_is : come.of_a_slice).written += 1;
      } else {
        bytes += kPageBytes;
        if (now - page.moved > kQuick) page.turns = 0;
        page.moved = now;
      }
      come.bytes += kPageBytes;
      come.from = page.where;
      page.where = kHost;
      page.arrival = 0;
    });
    if (bytes == 0) continue;
    const bool first = begun.insert(recent_base_).second;
    const std::uint64_t as_it_is = first ? std::min(bytes, memory::kManagedPiece) : 0;
    (first ? come.as_it_is : come.of_a_slice).runs += 1;
    come.as_it_is.bytes += static_cast<double>(as_it_is);
    come.of_a_slice.bytes += static_cast<double>(bytes - as_it_is);
  }
  return come;
}

void ManagedPages::kernel_begins() {
  for (auto& [base, range] : ranges_) look(range);
}

ManagedPages::Demand ManagedPages::kernel_ends(int device, timing::Instant begun) {
  Demand demand;
  for (auto& [base, range] : ranges_) {
    std::vector<std::uint32_t> faulted;
    for (const std::uint32_t i : range.touched) {
      Page& page = range.pages[i];
      const auto sectors = std::popcount(page.wanted[0]) + std::popcount(page.wanted[1]);
      page.wanted = {0, 0};
      if (page.where == device) {
        demand.arrival = std::max(demand.arrival, page.arrival);
        if (page.arrival > begun) demand.late_bytes += kPageBytes;
      } else if (page.where == kUnknown) {
        --range.unknown;  // its first touch: made here
        give(range, page, device);
      } else if ((page.mapped_for >> static_cast<unsigned>(device) & 1u) != 0 ||
                 page.preferred == page.where || page.turns >= kTurns) {
        demand.in_place_bytes += static_cast<std::uint64_t>(sectors) * kSector;
      } else {
        demand.faulted_bytes += kPageBytes;
        faulted.push_back(i);
        page.turns = begun - page.moved < kQuick ? page.turns + 1 : 0;
        page.moved = begun;
        give(range, page, device);
        page.arrival = 0;
      }
    }
    range.touched.clear();
    std::sort(faulted.begin(), faulted.end());
    for (std::size_t i = 1; i < faulted.size(); ++i)
      demand.fault_runs += faulted[i] - faulted[i - 1] > kApart / kPageBytes ? 1 : 0;
  }
  return demand;
}

void ManagedPages::want(std::uint64_t address, std::uint64_t bytes) {
  if (!memory::is_managed_address(address) || bytes == 0) return;
  Range* const range = range_of(address);
  if (range == nullptr) return;
  const std::uint64_t offset = address - recent_base_;
  const std::uint64_t end = std::min(offset + bytes, range->bytes);
  for (std::uint64_t sector = offset / kSector; sector * kSector < end; ++sector) {
    constexpr std::uint64_t kOfAPage = kPageBytes / kSector;
    const std::uint64_t number = sector / kOfAPage, at = sector % kOfAPage;
    Page& page = range->pages[number];
    if (page.wanted[0] == 0 && page.wanted[1] == 0)
      range->touched.push_back(static_cast<std::uint32_t>(number));
    page.wanted[at / 64] |= 1ull << (at % 64);
  }
}

void ManagedPages::access(const observe::Access& a) {
  if (a.memory != observe::Memory::global) return;
  for (std::uint32_t mask = a.mask; mask != 0; mask &= mask - 1)
    want(a.address[std::countr_zero(mask)], a.bytes);
}

void ManagedPages::texture(const observe::TextureAccess& a) {
  for (std::uint32_t i = 0; i < a.texels; ++i) want(a.place[i], a.bytes);
}

void ManagedPages::bulk_access(const observe::BulkAccess& a) {
  for (std::size_t i = 0; i < a.span_count; ++i) want(a.spans[i].address, a.spans[i].bytes);
}

}  // namespace simgpu::device
