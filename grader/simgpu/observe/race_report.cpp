/// @file
/// See race_report.hpp.
#include "simgpu/observe/race_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace simgpu::observe {
namespace {

const char* does(AccessKind kind) noexcept {
  switch (kind) {
    case AccessKind::load:
      return "reads";
    case AccessKind::store:
      return "writes";
    case AccessKind::atomic:
    case AccessKind::reduction:
      return "updates atomically";
  }
  return "touches";
}

const char* did(AccessKind kind) noexcept {
  switch (kind) {
    case AccessKind::load:
      return "read";
    case AccessKind::store:
      return "wrote";
    case AccessKind::atomic:
    case AccessKind::reduction:
      return "updated atomically";
  }
  return "touched";
}

}  // namespace

Dim3 index_in(const Dim3& extent, std::uint64_t linear) noexcept {
  const std::uint64_t x = extent.x == 0 ? 1 : extent.x, y = extent.y == 0 ? 1 : extent.y;
  return {static_cast<std::uint32_t>(linear % x), static_cast<std::uint32_t>(linear / x % y),
          static_cast<std::uint32_t>(linear / x / y)};
}

std::string text_of(const Dim3& index) {
  return fmt::format("({},{},{})", index.x, index.y, index.z);
}

std::string place_of(const Site& site, const std::string& known_file) {
  if (site.line == 0) return site.name.empty() ? std::string("an unknown line") : "instruction " + site.name;
  if (site.file == known_file || site.file.empty()) return fmt::format("line {}", site.line);
  return fmt::format("{}:{}", site.file.substr(site.file.find_last_of('/') + 1), site.line);
}

void RaceReport::begin_launch(const LaunchInfo& info) {
  launch_ = info;
  index_.clear();
  found_.clear();
}

void RaceReport::add(const Conflict& c) {
  const auto key =
      std::make_tuple(c.now.site->id, c.earlier.site->id, c.memory == Memory::shared, c.same_warp);
  const auto [it, is_new] = index_.emplace(key, found_.size());
  if (is_new) {
    found_.push_back(describe(c));
  } else {
    ++found_[it->second].occurrences;
  }
}

// One mistake shows as several conflicts: A reads what B writes and the other way round, in different warps and in one. A
// race whose two lines are among another's in the same memory is taken to be the same; errors come before warnings.
void RaceReport::finish(Findings& findings) {
  std::stable_partition(found_.begin(), found_.end(), [](const Finding& f) { return !f.warning; });
  std::vector<Finding> distinct;
  const auto within = [](const Finding& inner, const Finding& outer) {
    const auto has = [&](std::uint32_t line) { return line == outer.line || line == outer.other_line; };
    return inner.memory == outer.memory && inner.file == outer.file && inner.line != 0 &&
           inner.other_line != 0 && has(inner.line) && has(inner.other_line);
  };
  for (Finding& f : found_) {
    const auto same = std::find_if(distinct.begin(), distinct.end(), [&](const Finding& d) {
      return within(f, d) || (within(d, f) && d.warning == f.warning);
    });
    if (same == distinct.end()) {
      distinct.push_back(std::move(f));
      continue;
    }
    const std::uint64_t occurrences = same->occurrences + f.occurrences;
    if (!within(f, *same)) *same = std::move(f);
    same->occurrences = occurrences;
  }
  for (Finding& f : distinct) findings.add(std::move(f));
  found_.clear();
  index_.clear();
}

Finding RaceReport::describe(const Conflict& c) const {
  Finding f;
  f.kind = FindingKind::race;
  f.warning = c.same_warp;
  f.kernel = launch_.kernel;
  f.file = c.now.site->file;
  f.line = c.now.site->line;
  f.instruction = c.now.site->name;
  f.block = index_in(launch_.grid, c.now.block);
  f.thread = index_in(launch_.block, c.now.thread);
  f.memory = c.memory;
  f.address = c.address;
  f.other_line = c.earlier.site->line;
  f.other_block = index_in(launch_.grid, c.earlier.block);
  f.other_thread = index_in(launch_.block, c.earlier.thread);

  const std::string word =
      fmt::format("{} word 0x{:x}", c.memory == Memory::shared ? "shared" : "global", c.address);
  const std::string here = place_of(*c.now.site, f.file);
  const std::string there = place_of(*c.earlier.site, f.file);
  const bool same_block = c.now.block == c.earlier.block;
  const std::string me = text_of(f.thread) + (same_block ? "" : " of block " + text_of(f.block));
  const std::string other =
      text_of(f.other_thread) + (same_block ? "" : " of block " + text_of(f.other_block));

  if (c.same_warp && c.now.site == c.earlier.site && c.now.kind != AccessKind::load) {
    f.message =
        fmt::format("Threads {} and {} of one warp both write {} at {}: only one of the values survives.",
                    other, me, word, here);
    return f;
  }
  const std::string facts = fmt::format("Thread {} {} {} at {} that thread {} {} at {}", me, does(c.now.kind),
                                        word, here, other, did(c.earlier.kind), there);
  if (c.same_warp) {
    f.message = facts +
                ", and no __syncwarp() lies between them: that goes well only while the warp runs in "
                "lockstep, which is "
                "not promised.";
  } else if (same_block) {
    f.message = facts + ", and no __syncthreads() lies between them" +
                (c.now.kind == AccessKind::load       ? ": it may get the old value."
                 : c.earlier.kind == AccessKind::load ? ": the other may get the new value too early."
                                                      : ": which of the two values stays is left to chance.");
  } else {
    f.message = facts +
                ", and nothing orders the two blocks: they run in any order, also at the same time. Use an "
                "atomic, or "
                "__threadfence() and an atomic flag, or a second kernel.";
  }
  return f;
}

}  // namespace simgpu::observe
