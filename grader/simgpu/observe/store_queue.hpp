/// @file
/// Stores of parts of sectors on their way out of an L1: which of them leave it as one.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "simgpu/observe/observer.hpp"
#include "simgpu/observe/patterns.hpp"

namespace simgpu::observe {

/// Stores of one warp to the same sectors, one right after the other, leave the L1 as one: the next finds the last still in the
/// queue. A warp that is alone on its SM merges all of them, to up to 16 lines; what others store meanwhile stands between. So it depends on how
/// many come at once. Of structs written word by word by 64 warps of an SM (H200, fixtures/h200_stores.csv), the part of stores that merged with the
/// one before:
///
/// | lines of a request | each warp behind a load of global memory: they come one by one | behind shared memory: all at once |
/// |---:|---:|---:|
/// | 2, 3, 4 | 0.99, 0.97, 0.95 to 0.98 | 0.78, 0.80, 0.55 to 0.60 |
/// | 5, 6, 7 | 0.61 to 0.67, 0.47 to 0.58, 0.24 | 6: 0.26 to 0.39 |
/// | 8 | 0.13 to 0.31 | 0.02 to 0.07 |
/// | 12 and more | 0.01 to 0.18 | 0 |
///
/// Behind nothing it is as behind shared memory; here as behind global memory, which the clock's costs of stores in parts were set on (rows "stores of 8
/// bytes in rows of 8, by 4" of rows.cu).
///
/// Where as many lines are loaded as are stored, stores are not what is short: of those to five to seven lines two merge with a warp's first, as a rule
/// (chapter 3's records of six words). Of eight lines, three stores: 0.45 of the sectors reach the L2 from "particles of 32 bytes slowed by drag", whose
/// stores follow a division, 0.90 from "structs updated", whose loads stand between; here 0.67.
///
/// Two stores of sixteen bytes a lane merge wherever they stand ("halves made floats, eight a thread"). None across a loop's turns. Approximate.
///
/// So do stores of other warps to the same sectors, if their lines are among the last sixteen: all of them while nothing holds the queue up, of
/// warps that each waited for what they store some five of eight (256 words shuffled by a block, H100: 14.4 M sectors of 33.6 M reach the L2; 24.4
/// with 512 words; none with 2048, and none ever of requests to 32 lines).
class StoreQueue {
 public:
  /// What of a store goes along with stores before.
  struct Merged {
    std::uint32_t sectors = 0;
    std::uint32_t lines = 0;  ///< with those sectors or beside them
  };
  Merged merge(const Access& a, const PatternCost& cost, std::uint64_t first_line) {
    if (!cost.partial) {
      let_pass(cost.lines.size());
      return {};
    }
    const auto lines = static_cast<std::uint32_t>(cost.lines.size());
    parts_ += lines;
    const bool same = a.warp == warp_;
    Merged merged;
    if (lines <= kMostLines) {
      merged.sectors = merge_partial(a, cost.lines, first_line);
      merged.lines = lines * merged.sectors / std::max(1u, cost.sectors);
    } else {
      warp_ = a.warp, count_ = 0;
    }
    if (merged.sectors == 0 && (!same || (lines > kMostLines && lines <= kMostOfOne)))
      merged = merge_with_recent(cost.lines, first_line, same);
    if (merged.lines == 0) remember(cost.lines, first_line);
    return merged;
  }
  /// So many lines are stored to, none of their sectors in part.
  void let_pass(std::uint64_t lines) {
    warp_ = nullptr;
    stored_ += lines;
  }
  /// A warp loads so many lines of global memory: each warp comes back at a time of its own.
  void load(std::size_t lines) {
    crowded_ = false;
    loaded_ += lines;
  }
  /// The warp waits for shared memory: what fills the queue has gone on by then.
  void pause() {
    crowded_ = true;
    if (count_ <= kFewLines) return;
    warp_ = nullptr;
    stored_ += kRecent;
  }

 private:
  std::uint32_t merge_partial(const Access& a, const std::vector<TouchedLine>& lines,
                              std::uint64_t first_line) {
    const bool next = a.warp == warp_ && a.site->id > site_;
    if (!next) merged_ = skipped_ = 0;
    std::uint32_t merged = 0;
    if (next && has_room(lines.size(), a.bytes)) {
      for (const TouchedLine& line : lines)
        for (std::uint32_t i = 0; i < count_; ++i)
          if (lines_[i].line == first_line + line.line)
            merged +=
                static_cast<std::uint32_t>(std::popcount(std::uint32_t{line.sectors} & lines_[i].sectors));
    }
    skipped_ = merged != 0 ? 0 : skipped_ + 1;
    merged_ = merged != 0 ? merged_ + 1 : lines.size() <= kFewLines ? 0 : merged_;
    warp_ = a.warp;
    site_ = a.site->id;
    count_ = static_cast<std::uint32_t>(lines.size());
    for (std::uint32_t i = 0; i < count_; ++i) lines_[i] = {first_line + lines[i].line, lines[i].sectors};
    return merged;
  }

  /// Is the latest store of a warp still there when its next one to so many lines comes?
  bool has_room(std::size_t lines, std::uint32_t bytes) {
    const bool few = lines <= kFewLines, in_turn = merged_ == 0 || skipped_ >= 2 * merged_ - 1;
    if (bytes >= kWide) return few || in_turn;
    if (!few && !crowded_ && 2 * loaded_ >= parts_)
      return merged_ < kMostMerges && (lines < kMostLines ? take(credit_of_one_, kOfLoaded) : in_turn);
    return take(credit_of_one_, (crowded_ ? kOfCrowd : kOfApart)[lines]);
  }
  /// @return true @p of_sixteen times of sixteen.
  static bool take(std::uint32_t& credit, std::uint32_t of_sixteen) {
    credit += of_sixteen;
    if (credit < 16) return false;
    credit -= 16;
    return true;
  }

  Merged merge_with_recent(const std::vector<TouchedLine>& lines, std::uint64_t first_line, bool same) {
    if (lines.size() > kRecent) return {};
    Merged merged;
    std::uint64_t distance = 0;
    for (const TouchedLine& line : lines) {
      std::uint64_t nearest = kRecent + 1;
      std::uint32_t there = 0;
      for (const Recent& r : recent_)
        if (r.line == first_line + line.line && stored_ - r.at <= kRecent) {
          nearest = std::min(nearest, stored_ - r.at);
          there |= r.sectors;
        }
      if (nearest > kRecent) continue;
      merged.lines += 1;
      merged.sectors += static_cast<std::uint32_t>(std::popcount(line.sectors & there));
      distance = std::max(distance, nearest);
    }
    if (merged.lines == 0) return {};
    return take(credit_, !same && distance <= kNear ? kOfNear : kOfOthers) ? merged : Merged{};
  }
  void remember(const std::vector<TouchedLine>& lines, std::uint64_t first_line) {
    for (const TouchedLine& line : lines) {
      recent_[stored_ % kRecent] = {first_line + line.line, stored_, line.sectors};
      ++stored_;
    }
  }

  static constexpr std::uint32_t kMostLines = 8, kFewLines = 4, kMostMerges = 2;
  static constexpr std::uint32_t kWide = 16;  // bytes of a lane
  static constexpr std::uint32_t kRecent = 16, kNear = 8, kMostOfOne = 10;
  /// How many of sixteen stores merge: with the same warp's, by the lines of a request, and where as many lines are loaded; with other warps' a few lines
  /// before, and further.
  static constexpr std::array<std::uint32_t, kMostLines + 1> kOfApart = {16, 16, 16, 16, 16, 10, 8, 4, 3},
                                                             kOfCrowd = {16, 16, 13, 12, 10, 7, 5, 2, 1};
  static constexpr std::uint32_t kOfLoaded = 13, kOfNear = 10, kOfOthers = 6;
  struct Recent {
    std::uint64_t line = ~0ull, at = 0;
    std::uint8_t sectors = 0;
  };
  std::array<Recent, kRecent> recent_{};  // lines stored last in parts
  std::uint64_t stored_ = 0;              // lines in all
  std::uint32_t credit_ = 0;              // sixteenths of a merge with other warps' stores
  std::uint32_t credit_of_one_ = 0;       // ... with its own
  std::uint64_t loaded_ = 0, parts_ = 0;  // lines that were loaded, and stored in parts
  bool crowded_ = false;                  // do a block's warps come here all at once?
  struct Held {
    std::uint64_t line;
    std::uint8_t sectors;
  };
  const WarpId* warp_ = nullptr;
  std::uint32_t site_ = 0, count_ = 0;
  std::uint32_t merged_ = 0, skipped_ = 0;  // stores in a row that merged; since the last that did
  std::array<Held, kMostLines> lines_{};
};

}  // namespace simgpu::observe
