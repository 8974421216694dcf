/// @file
/// Model caches: an L1 for each SM and one L2, both of 128-byte lines with four 32-byte sectors, 16 ways,
/// least recently used, with hashed sets.
///
/// - L1: loads allocate sectors; stores write through and allocate nothing (local memory: they do); empty at
/// each launch.
/// - L2: write-back. A read miss fetches a granule of 64 bytes from DRAM. Stores fetch nothing: a partly
/// written sector keeps
///   a mask of its bytes, and the rest is fetched only if it is read, or evicted before it is complete.
/// - Lines loaded or stored with an evict-first hint leave before all others of their set.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "simgpu/observe/coalescing.hpp"

namespace simgpu::observe {

/// A line's name inside the caches: its address / 128 folded to 32 bits. Lines of one terabyte-sized range
/// never collide.
constexpr std::uint32_t line_tag(std::uint64_t line) noexcept {
  return static_cast<std::uint32_t>(line) ^ (static_cast<std::uint32_t>(line >> 32) * 0x9E3779B9u);
}

/// Bytes that went to and from DRAM.
struct DramTraffic {
  std::uint64_t read_bytes = 0, write_bytes = 0;
};

namespace detail {

inline constexpr std::uint32_t kWays = 16;

// One set. Bit s of valid/dirty/partial of a way is about sector s: held in full; to be written back; held in
// part.
struct alignas(64) CacheSet {
  std::array<std::uint32_t, kWays> tag{};
  std::array<std::uint8_t, kWays> valid{}, dirty{}, partial{};
  std::uint64_t order = 0xFEDC'BA98'7654'3210ull;  // ways by use, latest in the lowest nibble
  std::uint16_t evict_first = 0;                   // bit w: way w goes first

  // @return the way that holds the line, or kWays.
  std::uint32_t find(std::uint32_t wanted) const noexcept {
#if defined(__SSE2__)
    const __m128i key = _mm_set1_epi32(static_cast<int>(wanted));
    const auto* tags = reinterpret_cast<const __m128i*>(tag.data());
    const __m128i low = _mm_packs_epi32(_mm_cmpeq_epi32(_mm_load_si128(tags), key),
                                        _mm_cmpeq_epi32(_mm_load_si128(tags + 1), key));
    const __m128i high = _mm_packs_epi32(_mm_cmpeq_epi32(_mm_load_si128(tags + 2), key),
                                         _mm_cmpeq_epi32(_mm_load_si128(tags + 3), key));
    const auto hits = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
    return hits != 0 ? static_cast<std::uint32_t>(std::countr_zero(hits)) : kWays;
#else
    for (std::uint32_t w = 0; w < kWays; ++w) {
      if (tag[w] == wanted) return w;
    }
    return kWays;
#endif
  }

  // Position of a way in `order`, in bits.
  std::uint32_t position(std::uint32_t way) const noexcept {
    const std::uint64_t x = order ^ (way * 0x1111'1111'1111'1111ull);  // its nibble becomes zero
    const std::uint64_t zero = (x - 0x1111'1111'1111'1111ull) & ~x & 0x8888'8888'8888'8888ull;
    return static_cast<std::uint32_t>(std::countr_zero(zero)) & ~3u;
  }

  void use(std::uint32_t way) noexcept {
    if ((order & 15) == way) return;
    const std::uint32_t p = position(way);
    const std::uint64_t younger = order & ((1ull << p) - 1);
    const std::uint64_t older = order & ~((16ull << p) - 1);
    order = older | (younger << 4) | way;
  }

  std::uint32_t victim() const noexcept {
    if (evict_first != 0) {
      for (std::uint32_t p = 64; p != 0; p -= 4) {
        const auto way = static_cast<std::uint32_t>(order >> (p - 4) & 15);
        if ((evict_first >> way & 1) != 0) return way;
      }
    }
    return static_cast<std::uint32_t>(order >> 60);
  }

  void mark(std::uint32_t way, bool goes_first) noexcept {
    const auto bit = static_cast<std::uint16_t>(1u << way);
    evict_first = static_cast<std::uint16_t>(goes_first ? evict_first | bit : evict_first & ~bit);
  }
};

// Spreads neighbouring lines evenly over any number of sets.
inline std::uint32_t set_of(std::uint32_t tag, std::uint32_t sets) noexcept {
  const std::uint32_t hash = tag * 0x9E37'79B1u;
  return static_cast<std::uint32_t>(std::uint64_t{hash} * sets >> 32);
}

}  // namespace detail

/// What is left for L1 beside the shared memory of the resident blocks. An SM of compute capability 9.0 sets
/// shared memory apart in steps, and each block takes a kilobyte more than it asked for.
/// @param shared_bytes of one block; @param total_bytes L1 and shared memory of an SM. [bytes]
std::uint64_t l1_bytes_beside(std::uint64_t shared_bytes, std::uint64_t blocks,
                              std::uint64_t total_bytes) noexcept;

/// The L1 of one SM.
class L1Cache {
 public:
  /// Empties the cache and sets its size. [bytes]
  void reset(std::uint64_t bytes);

  /// Loads sectors of a line, and holds them from then on.
  /// @return the sectors that were there already.
  std::uint8_t load(std::uint32_t tag, std::uint8_t sectors, bool evict_first) noexcept {
    if (sets_.empty()) return 0;
    detail::CacheSet& set = sets_[detail::set_of(tag, static_cast<std::uint32_t>(sets_.size()))];
    std::uint32_t way = set.find(tag);
    if (way == detail::kWays) {
      way = set.victim();
      set.tag[way] = tag;
      set.valid[way] = 0;
    }
    set.use(way);
    if (((set.evict_first >> way & 1) != 0) != evict_first) set.mark(way, evict_first);
    const std::uint8_t hit = set.valid[way] & sectors;
    set.valid[way] |= sectors;
    return hit;
  }

  /// Forgets sectors of a line (atomics are done in the L2, and uncached loads want the L2's value).
  void drop(std::uint32_t tag, std::uint8_t sectors) noexcept;

 private:
  std::vector<detail::CacheSet> sets_;
};

/// The L2 in front of DRAM.
class L2Cache {
 public:
  explicit L2Cache(std::uint64_t bytes);

  /// @return the sectors that were held already.
  std::uint8_t load(std::uint32_t tag, std::uint8_t sectors, bool evict_first, DramTraffic& dram) noexcept {
    const std::uint32_t s = detail::set_of(tag, static_cast<std::uint32_t>(sets_.size()));
    const std::uint32_t way = acquire(s, tag, evict_first, dram);
    detail::CacheSet& set = sets_[s];
    const std::uint8_t hit = set.valid[way] & sectors;
    if (hit != sectors) fetch(set, way, static_cast<std::uint8_t>(sectors & ~hit), dram);
    return hit;
  }

  /// Tells the host's caches that this line's set will be looked at.
  void expect(std::uint32_t tag) const noexcept {
    __builtin_prefetch(&sets_[detail::set_of(tag, static_cast<std::uint32_t>(sets_.size()))].tag);
  }

  /// Stores the touched bytes of a line; `line.line` is not looked at.
  void store(std::uint32_t tag, const TouchedLine& line, bool evict_first, DramTraffic& dram) noexcept;

  /// Reads and modifies sectors in place.
  void atomic(std::uint32_t tag, std::uint8_t sectors, DramTraffic& dram) noexcept;

  /// Writes back all that is dirty; what was held stays held.
  void flush(DramTraffic& dram) noexcept;
  /// Forgets a line without writing it back: something else wrote that memory.
  void invalidate(std::uint32_t tag) noexcept;
  /// Empties the cache without writing back.
  void clear() noexcept;

  std::uint64_t lines() const noexcept { return sets_.size() * detail::kWays; }

 private:
  std::uint32_t acquire(std::uint32_t s, std::uint32_t tag, bool evict_first, DramTraffic& dram) noexcept {
    detail::CacheSet& set = sets_[s];
    std::uint32_t way = set.find(tag);
    if (way == detail::kWays) {
      way = set.victim();
      if ((set.dirty[way] | set.partial[way]) != 0) write_back(set, way, dram);
      set.tag[way] = tag;
      set.valid[way] = 0;
    }
    set.use(way);
    if (((set.evict_first >> way & 1) != 0) != evict_first) set.mark(way, evict_first);
    return way;
  }
  static void fetch(detail::CacheSet& set, std::uint32_t way, std::uint8_t missing,
                    DramTraffic& dram) noexcept;
  static void write_back(detail::CacheSet& set, std::uint32_t way, DramTraffic& dram) noexcept;

  std::vector<detail::CacheSet> sets_;
  // Bytes written of partly held sectors, by set and way; meaningful where `partial` says so.
  std::vector<std::array<std::uint32_t, kSectorsPerLine>> written_;
};

}  // namespace simgpu::observe
