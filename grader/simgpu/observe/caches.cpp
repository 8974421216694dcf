/// @file
/// See caches.hpp.
#include "simgpu/observe/caches.hpp"

#include <algorithm>

namespace simgpu::observe {
namespace {

using detail::CacheSet;
using detail::kWays;

// Of the 16 lines of a set. An H200 that writes the same 40 MB again and again writes 30 % of it back each time, of 64 MB 69 %.
constexpr int kMostDirty = 10;
constexpr std::uint64_t kGranuleBytes = 64;  // two sectors: what one DRAM access brings

std::uint32_t sets_for(std::uint64_t bytes, std::uint32_t ways) noexcept {
  return static_cast<std::uint32_t>(bytes / (std::uint64_t{kLineBytes} * ways));
}

// The sectors that come along when these are fetched.
std::uint8_t with_neighbours(std::uint32_t sectors) noexcept {
  return static_cast<std::uint8_t>(((sectors & 3) != 0 ? 3 : 0) | ((sectors & 12) != 0 ? 12 : 0));
}

// Number of 64-byte granules that hold at least one of these sectors.
std::uint32_t granules(std::uint32_t sectors) noexcept {
  return static_cast<std::uint32_t>((sectors & 3) != 0) + static_cast<std::uint32_t>((sectors & 12) != 0);
}

// Ways in a mask of 16. See count_sectors() for what std::popcount would be here.
int count_ways(std::uint32_t mask) noexcept {
  mask -= mask >> 1 & 0x5555;
  mask = (mask & 0x3333) + (mask >> 2 & 0x3333);
  mask = (mask + (mask >> 4)) & 0x0F0F;
  return static_cast<int>((mask + (mask >> 8)) & 0x1F);
}

}  // namespace

std::uint64_t l1_bytes_beside(std::uint64_t shared_bytes, std::uint64_t blocks,
                              std::uint64_t total_bytes) noexcept {
  constexpr std::array<std::uint64_t, 10> kSteps = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};  // KiB
  constexpr std::uint64_t kReserved = 1024;  // of each block, by the system
  const std::uint64_t wanted = (shared_bytes + kReserved) * blocks;
  std::uint64_t taken = kSteps.back() * 1024;
  for (const std::uint64_t step : kSteps) {
    if (step * 1024 >= wanted) {
      taken = step * 1024;
      break;
    }
  }
  return total_bytes - std::min(total_bytes, taken);
}

void L1Cache::reset(std::uint64_t bytes) {
  // An odd number of sets: lines at a stride that is a power of two go round all of them.
  const std::uint32_t count = sets_for(bytes, detail::L1Set::kL1Ways);
  count_ = count == 0 ? 0 : (count - 1) | 1;
  sets_.assign(count_, detail::L1Set{});
  reciprocal_ = count_ == 0 ? 0 : ((std::uint64_t{1} << 32) + count_ - 1) / count_;
}

void L1Cache::drop(std::uint32_t tag, std::uint8_t sectors) noexcept {
  if (empty()) return;
  detail::L1Set& set = set_of(tag);
  const std::uint32_t way = set.find(tag);
  if (way != detail::L1Set::kL1Ways) set.valid[way] &= static_cast<std::uint8_t>(~sectors);
}

L2Half::L2Half(std::uint64_t bytes)
    : count_(std::max(1u, sets_for(bytes, kWays))), sets_(count_), written_(sets_.size() * kWays) {}

void L2Half::fetch(CacheSet& set, std::uint32_t way, std::uint8_t missing, DramTraffic& dram) noexcept {
  if (missing == kAllSectors) [[likely]] {
    dram.read_bytes += kLineBytes;
    set.valid[way] = kAllSectors;
    set.dirty[way] |= set.partial[way];
    set.partial[way] = 0;
    return;
  }
  dram.read_bytes += kGranuleBytes * granules(missing);
  const std::uint8_t fetched = with_neighbours(missing);
  if (granules(missing) == 1) dram.isolated += (set.valid[way] & ~fetched) == 0 ? 1 : -1;
  set.valid[way] |= fetched;
  // Partly written sectors are complete now, and still have to be written back.
  const std::uint8_t completed = set.partial[way] & fetched;
  set.dirty[way] |= completed;
  set.partial[way] &= static_cast<std::uint8_t>(~completed);
}

std::uint8_t L2Half::load_through(L2Half& home, std::uint32_t tag, std::uint8_t sectors, bool evict_first,
                                  DramTraffic& dram) noexcept {
  CacheSet& there = home.sets_[home.set_of(tag)];
#if defined(__SSE2__)
  _mm_prefetch(reinterpret_cast<const char*>(&there), _MM_HINT_T0);  // most likely it is needed
  _mm_prefetch(reinterpret_cast<const char*>(&there) + 64, _MM_HINT_T0);
#endif
  CacheSet& set = sets_[set_of(tag)];
  const std::uint32_t way = acquire(set, tag, evict_first, dram);
  const std::uint8_t hit = set.valid[way] & sectors;
  if (hit == sectors) return hit;
  const auto wanted = static_cast<std::uint8_t>(sectors & ~hit);
  set.valid[way] |= with_neighbours(wanted);
  std::uint32_t place = there.find(tag);
  if (place == kWays) {
    place = replace(there, tag, false, dram);
    there.age();
  }
  const auto missing = static_cast<std::uint8_t>(wanted & ~there.valid[place]);
  if (missing != 0) fetch(there, place, missing, dram);
  return static_cast<std::uint8_t>(sectors & ~missing);
}

void L2Half::write_back(CacheSet& set, std::uint32_t way, DramTraffic& dram) noexcept {
  const auto sectors = static_cast<std::uint32_t>(set.dirty[way] | set.partial[way]);
  if (set.dirty[way] == kAllSectors) [[likely]] {  // none of them in part
    dram.write_bytes += kLineBytes;
    set.written(way);
    return;
  }
  dram.write_bytes += std::uint64_t{kSectorBytes} * count_sectors(sectors);
  // The bytes that nobody wrote have to be fetched first. By the sector: this agrees better with what an H200
  // reads when every thread walks and writes a chunk of its own.
  dram.read_bytes += std::uint64_t{kSectorBytes} * count_sectors(set.partial[way]);
  dram.isolated += granules(sectors) == 1;
  dram.isolated += granules(set.partial[way]) == 1;
  dram.row_openings += granules(sectors) == 1 ? set.far_row >> way & 1 : 0;
  set.valid[way] |= set.partial[way];
  set.written(way);
}

void L2Half::store(std::uint32_t tag, const TouchedLine& line, bool evict_first, DramTraffic& dram) noexcept {
  const std::uint32_t s = set_of(tag);
  CacheSet& set = sets_[s];
  const std::uint32_t way = acquire(set, tag, evict_first, dram);
  const bool clean = !set.is_unwritten(way);
  set.to_be_written(way);
  if (line.sectors == kAllSectors && line.partial == 0) [[likely]] {
    set.valid[way] = set.dirty[way] = kAllSectors;
    set.partial[way] = 0;
    if (clean) limit_dirty(set, way, dram);
    return;
  }
  if (clean && granules(line.sectors) == 1) set.write_back_opens(way, rows_.opens(tag));
  const auto whole = static_cast<std::uint8_t>(line.sectors & (~line.partial | set.valid[way]));
  set.valid[way] |= whole;
  set.dirty[way] |= whole;
  set.partial[way] &= static_cast<std::uint8_t>(~whole);
  auto rest = static_cast<std::uint32_t>(line.sectors & ~whole);
  for (; rest != 0; rest &= rest - 1) {
    const auto sector = static_cast<std::uint32_t>(std::countr_zero(rest));
    const auto bit = static_cast<std::uint8_t>(1u << sector);
    std::uint32_t& bytes = written_[s * kWays + way][sector];
    if ((set.partial[way] & bit) == 0) bytes = 0;
    bytes |= line.bytes[sector];
    if (bytes == ~0u) {
      set.valid[way] |= bit;
      set.dirty[way] |= bit;
      set.partial[way] &= static_cast<std::uint8_t>(~bit);
    } else {
      set.partial[way] |= bit;
    }
  }
  if (clean) limit_dirty(set, way, dram);
}

void L2Half::limit_dirty(CacheSet& set, std::uint32_t latest, DramTraffic& dram) noexcept {
  std::uint32_t ways = set.unwritten;
  if (count_ways(ways) <= kMostDirty) return;
  ways &= ~(1u << latest);
  turn_ = turn_ * 1664525u + 1013904223u;  // any of them: hardware shows no order
  for (std::uint32_t skip = (turn_ >> 16) % static_cast<std::uint32_t>(kMostDirty); skip > 0; --skip)
    ways &= ways - 1;
  write_back(set, static_cast<std::uint32_t>(std::countr_zero(ways)), dram);
}

std::uint8_t L2Half::atomic(std::uint32_t tag, std::uint8_t sectors, DramTraffic& dram) noexcept {
  const std::uint8_t held = load(tag, sectors, false, dram);
  CacheSet& set = sets_[set_of(tag)];
  const std::uint32_t way = set.find(tag);
  if (!set.is_unwritten(way)) set.write_back_opens(way, rows_.opens(tag));
  set.to_be_written(way);
  set.dirty[way] |= sectors;
  return held;
}

void L2Half::flush(DramTraffic& dram) noexcept {
  for (CacheSet& set : sets_) {
    for (std::uint32_t ways = set.unwritten; ways != 0; ways &= ways - 1)
      write_back(set, static_cast<std::uint32_t>(std::countr_zero(ways)), dram);
  }
}

void L2Half::invalidate(std::uint32_t tag) noexcept {
  CacheSet& set = sets_[set_of(tag)];
  const std::uint32_t way = set.find(tag);
  if (way == kWays) return;
  set.valid[way] = 0;
  set.written(way);
  set.mark(way, true);  // an empty way is the next to be used
}

void L2Half::clear() noexcept {
  std::fill(sets_.begin(), sets_.end(), CacheSet{});
}

}  // namespace simgpu::observe
