/// @file
/// Model caches: an L1 for each SM and one L2, both of 128-byte lines with four 32-byte sectors and hashed sets. What an H200
/// showed is in timing/calibration.md.
///
/// - L1: four ways, replaced by the tree form of "least recently used". Loads allocate sectors. Stores write through; they take
///   a line's place, but the line holds nothing new. Empty at each launch.
/// - L2: 16 ways, least recently used, write-back, in two halves. Each line has its home in one of them; an SM that sits at the
///   other half reads through that one, which keeps a copy of its own, while the home soon gives its place away. A read miss fetches a granule of 64 bytes from DRAM.
///   Stores go home. They fetch nothing: a partly written sector keeps a mask of its bytes, and the rest is fetched only if it is
///   read, or written back before it is complete. A set keeps up to kMostDirty lines to be written back; beyond that, one of
///   them is written back, and stays.
/// - Lines loaded or stored with an evict-first hint leave before all others of their set.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "simgpu/observe/arrivals.hpp"
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
  std::int64_t isolated =
      0;  ///< accesses to one 64-byte half of a line and not, while L2 holds it, to the other
  std::uint64_t row_openings = 0;  ///< writes of such a half to a row of DRAM that no recent one went to
};

/// Which rows of DRAM parts of lines were stored to of late. Approximate: a row is 8 kB of addresses (channels lie side by side
/// in it), and what a line's write-back finds is taken to be what its first store found, since DRAM's queues put neighbours together.
class DramRows {
 public:
  /// @return whether the line's row was not among the recent ones.
  bool opens(std::uint32_t tag) noexcept {
    const std::uint32_t row = tag / kLinesOfRow + 1;
    std::uint32_t& open = recent_[(row * 0x9E37'79B1u) >> 24];
    if (open == row) return false;
    open = row;
    return true;
  }
  void clear() noexcept { recent_.fill(0); }

 private:
  static constexpr std::uint32_t kLinesOfRow = 64;
  std::array<std::uint32_t, 256> recent_{};  // 3,072 banks of a whole card's six stacks
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
  std::uint16_t far_row = 0;                       // bit w: what way w has to write back opens a row
  std::uint16_t unwritten = 0;                     // bit w: way w has something to be written back

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

  // Takes the way that goes first, and uses it: with no hint about any it is the last in `order`, and becomes the first of it.
  std::uint32_t take_victim() noexcept {
    if (evict_first == 0) [[likely]] {
      order = std::rotl(order, 4);
      return static_cast<std::uint32_t>(order & 15);
    }
    const std::uint32_t way = victim();
    use(way);
    return way;
  }

  // Makes the latest used way one of the oldest: kShortStay others come, and it goes.
  void age() noexcept {
    constexpr std::uint32_t kShortStay = 4;
    constexpr std::uint64_t kYounger = (1ull << 4 * (kWays - kShortStay + 1)) - 1;
    const std::uint64_t way = order & 15;
    order = (order & ~kYounger) | (order & kYounger) >> 4 | way << 4 * (kWays - kShortStay);
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

  bool is_unwritten(std::uint32_t way) const noexcept {
    return (unwritten >> way & 1) != 0;
  }
  void to_be_written(std::uint32_t way) noexcept {
    unwritten = static_cast<std::uint16_t>(unwritten | 1u << way);
  }
  void written(std::uint32_t way) noexcept {
    unwritten = static_cast<std::uint16_t>(unwritten & ~(1u << way));
    dirty[way] = partial[way] = 0;
  }

  void write_back_opens(std::uint32_t way, bool row) noexcept {
    const auto bit = static_cast<std::uint16_t>(1u << way);
    far_row = static_cast<std::uint16_t>(row ? far_row | bit : far_row & ~bit);
  }

  void mark(std::uint32_t way, bool goes_first) noexcept {
    if (evict_first == 0 && !goes_first) [[likely]]
      return;
    const auto bit = static_cast<std::uint16_t>(1u << way);
    evict_first = static_cast<std::uint16_t>(goes_first ? evict_first | bit : evict_first & ~bit);
  }
};

// One set of the L1.
struct alignas(32) L1Set {
  static constexpr std::uint32_t kL1Ways = 4;
  std::array<std::uint32_t, kL1Ways> tag{};
  std::array<Arrival, kL1Ways> came{};  // of loads from global memory: when they were asked for
  std::array<std::uint8_t, kL1Ways> valid{};
  std::uint8_t older = 0;  // bit 0: which pair of ways was used longer ago; bits 1, 2: which way of each pair
  std::uint8_t evict_first = 0;  // bit w: way w goes first

  // @return the way that holds the line, or kL1Ways.
  std::uint32_t find(std::uint32_t wanted) const noexcept {
#if defined(__SSE2__)
    const __m128i equal = _mm_cmpeq_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(tag.data())),
                                          _mm_set1_epi32(static_cast<int>(wanted)));
    const auto hits = static_cast<std::uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(equal)));
    return hits != 0 ? static_cast<std::uint32_t>(std::countr_zero(hits)) : kL1Ways;
#else
    for (std::uint32_t w = 0; w < kL1Ways; ++w) {
      if (tag[w] == wanted) return w;
    }
    return kL1Ways;
#endif
  }

  // The other pair is older now, and the other way of this pair: the bits of `older` that change, a byte for each way, and what they become.
  void use(std::uint32_t way) noexcept {
    constexpr std::uint32_t kChange = 0x0505'0303, kBecome = 0x0004'0103;
    older = static_cast<std::uint8_t>((older & ~(kChange >> 8 * way)) | (kBecome >> 8 * way & 7));
  }

  // The older way of the older pair, for each value of `older`.
  std::uint32_t victim() const noexcept {
    if (evict_first != 0) [[unlikely]]
      return static_cast<std::uint32_t>(std::countr_zero(evict_first));
    return 0x3130'2120u >> 4 * older & 3;
  }

  // The line's way, taken from another line if need be, and now the latest used.
  std::uint32_t acquire(std::uint32_t wanted, bool goes_first) noexcept {
    std::uint32_t way = find(wanted);
    if (way == kL1Ways) {
      way = victim();
      tag[way] = wanted;
      valid[way] = 0;
    }
    use(way);
    if (evict_first != 0 || goes_first) [[unlikely]]
      evict_first =
          static_cast<std::uint8_t>(goes_first ? evict_first | 1u << way : evict_first & ~(1u << way));
    return way;
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
  bool empty() const noexcept { return count_ == 0; }

  /// Loads sectors of a line, and holds them from then on.
  /// @return the sectors that were there already.
  std::uint8_t load(std::uint32_t tag, std::uint8_t sectors, bool evict_first) noexcept {
    Arrival* came = nullptr;
    return load(tag, sectors, evict_first, came);
  }
  /// The same. @param[out] came when the line was asked for, for the caller to look at or to set; left alone if there is no cache.
  std::uint8_t load(std::uint32_t tag, std::uint8_t sectors, bool evict_first, Arrival*& came) noexcept {
    if (empty()) return 0;
    detail::L1Set& set = look_up(tag);
    const std::uint32_t way = set.acquire(tag, evict_first);
    const std::uint8_t hit = set.valid[way] & sectors;
    set.valid[way] |= sectors;
    came = &set.came[way];
    return hit;
  }

  /// A store on its way to L2: the line takes a place here, but holds nothing that it did not hold before.
  void store(std::uint32_t tag, bool evict_first) noexcept {
    if (!empty()) look_up(tag).acquire(tag, evict_first);
  }

  /// Forgets sectors of a line (atomics are done in the L2, and uncached loads want the L2's value).
  void drop(std::uint32_t tag, std::uint8_t sectors) noexcept;

 private:
  // With four ways, neighbouring lines have to be spread evenly: they go round the sets one after the other. Each kRounds
  // rounds begin at a place of their own, so that lines with a large stride between them do not meet in a few sets.
  detail::L1Set& set_of(std::uint32_t tag) noexcept {
    auto run = static_cast<std::uint32_t>(std::uint64_t{tag} * reciprocal_ >> 32);
    std::uint32_t at = tag - run * count_;
    if (at >= count_) [[unlikely]]
      at += count_, --run;  // the reciprocal is rounded up
    at += static_cast<std::uint32_t>(std::uint64_t{run / kRounds * 0x9E37'79B1u} * count_ >> 32);
    return sets_[at < count_ ? at : at - count_];
  }
  // The same, and tells the host's caches that those of the next lines will be looked at: they are in its line behind, as a rule.
  [[gnu::always_inline]] detail::L1Set& look_up(std::uint32_t tag) noexcept {
    detail::L1Set& set = set_of(tag);
    __builtin_prefetch(&set + 2, 1);
    return set;
  }
  static constexpr std::uint32_t kRounds = 16;
  std::vector<detail::L1Set> sets_;
  std::uint32_t count_ = 0;       // of sets
  std::uint64_t reciprocal_ = 0;  // of their number, times 2^32
};

/// One half of the L2, in front of its half of DRAM.
class L2Half {
 public:
  explicit L2Half(std::uint64_t bytes);

  /// @return the sectors that were held already.
  std::uint8_t load(std::uint32_t tag, std::uint8_t sectors, bool evict_first, DramTraffic& dram) noexcept {
    detail::CacheSet& set = sets_[set_of(tag)];
    const std::uint32_t way = acquire(set, tag, evict_first, dram);
    const std::uint8_t hit = set.valid[way] & sectors;
    if (hit != sectors) fetch(set, way, static_cast<std::uint8_t>(sectors & ~hit), dram);
    return hit;
  }

  /// Like load(), of a line whose home is @p home.
  std::uint8_t load_through(L2Half& home, std::uint32_t tag, std::uint8_t sectors, bool evict_first,
                            DramTraffic& dram) noexcept;

  /// Tells the host's caches that this line's set will be looked at. Always inline, as those that call it: a compiler takes a function that
  /// does no more than this for one without effect, and leaves out its calls.
  [[gnu::always_inline]] void expect(std::uint32_t tag) const noexcept {
    const detail::CacheSet& set = sets_[set_of(tag)];
    __builtin_prefetch(&set.tag);
    __builtin_prefetch(&set.valid, 1);
  }

  /// Stores the touched bytes of a line; `line.line` is not looked at.
  void store(std::uint32_t tag, const TouchedLine& line, bool evict_first, DramTraffic& dram) noexcept;

  /// Reads and modifies sectors in place.
  std::uint8_t atomic(std::uint32_t tag, std::uint8_t sectors, DramTraffic& dram) noexcept;

  /// Writes back all that is dirty; what was held stays held.
  void flush(DramTraffic& dram) noexcept;
  /// Forgets a line without writing it back: something else wrote that memory.
  void invalidate(std::uint32_t tag) noexcept;
  /// Empties the cache without writing back.
  void clear() noexcept;

  std::uint64_t lines() const noexcept { return sets_.size() * detail::kWays; }

 private:
  std::uint32_t set_of(std::uint32_t tag) const noexcept { return detail::set_of(tag, count_); }
  static std::uint32_t acquire(detail::CacheSet& set, std::uint32_t tag, bool evict_first,
                               DramTraffic& dram) noexcept {
    const std::uint32_t way = set.find(tag);
    if (way == detail::kWays) return replace(set, tag, evict_first, dram);
    set.use(way);
    set.mark(way, evict_first);
    return way;
  }
  // A line that is not there takes another one's way.
  static std::uint32_t replace(detail::CacheSet& set, std::uint32_t tag, bool evict_first,
                               DramTraffic& dram) noexcept {
    const std::uint32_t way = set.take_victim();
    if (set.is_unwritten(way)) write_back(set, way, dram);
    set.tag[way] = tag;
    set.valid[way] = 0;
    set.mark(way, evict_first);
    return way;
  }
  static void fetch(detail::CacheSet& set, std::uint32_t way, std::uint8_t missing,
                    DramTraffic& dram) noexcept;
  static void write_back(detail::CacheSet& set, std::uint32_t way, DramTraffic& dram) noexcept;

  void limit_dirty(detail::CacheSet& set, std::uint32_t latest, DramTraffic& dram) noexcept;

  DramRows rows_;
  std::uint32_t turn_ = 0;  // whose line is written back early
  std::uint32_t count_;     // of sets
  std::vector<detail::CacheSet> sets_;
  // Bytes written of partly held sectors, by set and way; meaningful where `partial` says so.
  std::vector<std::array<std::uint32_t, kSectorsPerLine>> written_;
};

/// The L2.
class L2Cache {
 public:
  /// @param bytes of both halves together.
  explicit L2Cache(std::uint64_t bytes) : halves_{L2Half(bytes / 2), L2Half(bytes / 2)} {}

  /// Reads sectors of a line for an SM of half @p side.
  /// @return the sectors that were held already, in either half.
  std::uint8_t load(std::uint32_t tag, std::uint8_t sectors, bool evict_first, std::uint32_t side,
                    DramTraffic& dram) noexcept {
    const std::uint32_t home = home_of(tag);
    return side % 2 == home ? halves_[home].load(tag, sectors, evict_first, dram)
                            : halves_[home ^ 1].load_through(halves_[home], tag, sectors, evict_first, dram);
  }
  /// Tells the host's caches that this line will be looked at by an SM of half @p side.
  [[gnu::always_inline]] void expect(std::uint32_t tag, std::uint32_t side) const noexcept {
    const std::uint32_t home = home_of(tag);
    halves_[home].expect(tag);
    if (side % 2 != home) halves_[home ^ 1].expect(tag);
  }
  /// ... or stored to.
  [[gnu::always_inline]] void expect_at_home(std::uint32_t tag) const noexcept {
    halves_[home_of(tag)].expect(tag);
  }
  /// See L2Half.
  void store(std::uint32_t tag, const TouchedLine& line, bool evict_first, DramTraffic& dram) noexcept {
    halves_[home_of(tag)].store(tag, line, evict_first, dram);
  }
  std::uint8_t atomic(std::uint32_t tag, std::uint8_t sectors, DramTraffic& dram) noexcept {
    return halves_[home_of(tag)].atomic(tag, sectors, dram);
  }
  void flush(DramTraffic& dram) noexcept {
    for (L2Half& half : halves_) half.flush(dram);
  }
  void invalidate(std::uint32_t tag) noexcept {
    for (L2Half& half : halves_) half.invalidate(tag);
  }
  void clear() noexcept {
    for (L2Half& half : halves_) half.clear();
  }
  std::uint64_t lines() const noexcept { return halves_[0].lines() + halves_[1].lines(); }

 private:
  static std::uint32_t home_of(std::uint32_t tag) noexcept { return (tag * 0x85EB'CA6Bu) >> 31; }
  std::array<L2Half, 2> halves_;
};

}  // namespace simgpu::observe
