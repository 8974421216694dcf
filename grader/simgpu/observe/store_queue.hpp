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
/// queue. Seen on an H200 and an H100: full merging of three stores to 3 lines, and of two to 6 or 8 lines; but of seven or eight to so many
/// (structs written word by word) a quarter to a third, since the queue fills: each merge takes two stores more than the one before. None of 16
/// lines, behind a load of shared memory, or across a loop's turns. Approximate: it depends on how busy the queue is.
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
      warp_ = nullptr;
      stored_ += cost.lines.size();
      return {};
    }
    const auto lines = static_cast<std::uint32_t>(cost.lines.size());
    const bool same = a.warp == warp_;
    Merged merged;
    if (lines <= kMostLines) {
      merged.sectors = merge_partial(a.warp, a.site->id, cost.lines, first_line);
      merged.lines = lines * merged.sectors / std::max(1u, cost.sectors);
    } else {
      warp_ = a.warp, count_ = 0;
    }
    if (merged.sectors == 0 && (!same || (lines > kMostLines && lines <= kMostOfOne)))
      merged = merge_with_recent(cost.lines, first_line, same);
    if (merged.lines == 0) remember(cost.lines, first_line);
    return merged;
  }
  /// The warp waits for something else: what fills the queue has gone on by then.
  void pause() {
    if (count_ <= kFewLines) return;
    warp_ = nullptr;
    stored_ += kRecent;
  }

 private:
  std::uint32_t merge_partial(const WarpId* warp, std::uint32_t site, const std::vector<TouchedLine>& lines,
                              std::uint64_t first_line) {
    const bool next = warp == warp_ && site > site_;
    if (!next) merged_ = skipped_ = 0;
    std::uint32_t merged = 0;
    const bool room =
        lines.size() <= kFewLines ? merged_ < kMostMerges : merged_ == 0 || skipped_ >= 2 * merged_ - 1;
    if (next && room) {
      for (const TouchedLine& line : lines)
        for (std::uint32_t i = 0; i < count_; ++i)
          if (lines_[i].line == first_line + line.line)
            merged +=
                static_cast<std::uint32_t>(std::popcount(std::uint32_t{line.sectors} & lines_[i].sectors));
    }
    skipped_ = merged != 0 ? 0 : skipped_ + 1;
    merged_ = merged != 0 ? merged_ + 1 : lines.size() <= kFewLines ? 0 : merged_;
    warp_ = warp;
    site_ = site;
    count_ = static_cast<std::uint32_t>(lines.size());
    for (std::uint32_t i = 0; i < count_; ++i) lines_[i] = {first_line + lines[i].line, lines[i].sectors};
    return merged;
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
    credit_ += !same && distance <= kNear ? kOfNear : kOfOthers;
    if (credit_ < kWhole) return {};
    credit_ -= kWhole;
    return merged;
  }
  void remember(const std::vector<TouchedLine>& lines, std::uint64_t first_line) {
    for (const TouchedLine& line : lines) {
      recent_[stored_ % kRecent] = {first_line + line.line, stored_, line.sectors};
      ++stored_;
    }
  }

  static constexpr std::uint32_t kMostLines = 8, kFewLines = 4, kMostMerges = 7;
  static constexpr std::uint32_t kRecent = 16, kNear = 8, kMostOfOne = 10;
  static constexpr std::uint32_t kOfNear = 5, kOfOthers = 3, kWhole = 8;  // how many of eight merge
  struct Recent {
    std::uint64_t line = ~0ull, at = 0;
    std::uint8_t sectors = 0;
  };
  std::array<Recent, kRecent> recent_{};  // lines stored last in parts
  std::uint64_t stored_ = 0;              // lines in all
  std::uint32_t credit_ = 0;              // eighths of a merge
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
