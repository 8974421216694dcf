/// @file
/// See race_report.hpp.
#include "simgpu/observe/race_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "simgpu/observe/shared_names.hpp"

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

/// @return how a sentence ends that tells of two threads of one block which nothing orders; nothing if @p c is another sort of conflict.
std::string what_may_come(const Conflict& c) {
  if (c.sort != Conflict::Sort::plain || c.now.copy || c.earlier.copy || c.same_warp ||
      c.now.block != c.earlier.block)
    return {};
  return c.now.kind == AccessKind::load       ? "it may get the old value."
         : c.earlier.kind == AccessKind::load ? "the other may get the new value too early."
                                              : "which of the two values stays is left to chance.";
}

std::string word_of(const LaunchInfo& launch, const Conflict& c) {
  return c.memory == Memory::shared ? shared_element(launch, *c.now.site, c.address)
                                    : fmt::format("global word 0x{:x}", c.address);
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
  named_ = mbarriers_ = false;
  index_.clear();
  found_.clear();
  read_there_.clear();
  written_there_.clear();
}

void RaceReport::add(const Conflict& c) {
  const auto key =
      std::make_tuple(c.now.site->id, c.earlier.site->id, c.memory == Memory::shared, c.same_warp, c.sort);
  const auto [it, is_new] = index_.emplace(key, found_.size());
  if (is_new) {
    Finding f = describe(c);
    const Rank rank = f.warning ? Rank::warning : c.same_warp ? Rank::of_one_warp : Rank::error;
    const bool plain = c.sort == Conflict::Sort::plain && !c.now.copy && !c.earlier.copy;
    std::string facts = plain ? facts_of(c, f) : std::string();
    const Line line{c.now.site->file, c.now.site->line};
    if (line.second != 0 && line == Line{c.earlier.site->file, c.earlier.site->line}) {
      const bool one_reads = c.now.kind == AccessKind::load || c.earlier.kind == AccessKind::load;
      if (plain && one_reads) read_there_.insert(line);
      if (c.now.site == c.earlier.site && c.now.kind == AccessKind::store &&
          c.sort != Conflict::Sort::may_have_ended)
        written_there_.insert(line);
    }
    found_.push_back({std::move(f), rank, what_may_come(c), std::move(facts)});
  } else {
    ++found_[it->second].finding.occurrences;
  }
  if (c.both_write) written_there_.insert({c.now.site->file, c.now.site->line});
}

// One mistake shows as several conflicts: A reads what B writes and the other way round, in different warps and in one. A
// race whose two lines are among another's in the same memory is taken to be the same; those between warps come first, then
// those within one, then warnings.
void RaceReport::finish(Findings& findings) {
  std::stable_sort(found_.begin(), found_.end(),
                   [](const Found& a, const Found& b) { return a.rank < b.rank; });
  std::vector<Found> distinct;
  const auto within = [](const Finding& inner, const Finding& outer) {
    const auto has = [&](std::uint32_t line) { return line == outer.line || line == outer.other_line; };
    return inner.memory == outer.memory && inner.file == outer.file && inner.line != 0 &&
           inner.other_line != 0 && has(inner.line) && has(inner.other_line);
  };
  for (Found& f : found_) {
    const auto same = std::find_if(distinct.begin(), distinct.end(), [&](const Found& d) {
      return within(f.finding, d.finding) || (within(d.finding, f.finding) && d.rank == f.rank);
    });
    if (same == distinct.end()) {
      distinct.push_back(std::move(f));
      continue;
    }
    const std::uint64_t occurrences = same->finding.occurrences + f.finding.occurrences;
    if (!within(f.finding, same->finding)) *same = std::move(f);
    same->finding.occurrences = occurrences;
  }
  for (Found& f : distinct) {
    const Line line{f.finding.file, f.finding.line};
    // Of different blocks, the message names atomics anyway, and what a lock lacks.
    const bool of_block = f.rank == Rank::of_one_warp || !f.ending.empty();
    if (of_block && !f.facts.empty() && f.finding.line == f.finding.other_line &&
        read_there_.count(line) != 0 && written_there_.count(line) != 0)
      f.finding.message =
          f.facts +
          ", and both threads read, change and write it: an update gets lost, whatever barrier "
          "you put there. Use an atomic operation, such as atomicAdd().";
    else if (!f.ending.empty())
      f.finding.message += no_barrier() + f.ending;
    findings.add(std::move(f.finding));
  }
  found_.clear();
  index_.clear();
}

std::string RaceReport::no_barrier() const {
  if (!named_ && !mbarriers_) return ", and no __syncthreads() lies between them: ";
  std::string text = ", and nothing orders the two: no __syncthreads()";
  if (named_) text += ", no named barrier (bar.sync with a number) that both come to";
  if (mbarriers_) text += ", no mbarrier (cuda::barrier) that one arrives at and the other waits for";
  return text + "; so ";
}

std::string RaceReport::facts_of(const Conflict& c, const Finding& f) const {
  const std::string word = word_of(launch_, c);
  const bool same_block = c.now.block == c.earlier.block;
  const std::string me = text_of(f.thread) + (same_block ? "" : " of block " + text_of(f.block));
  const std::string other =
      text_of(f.other_thread) + (same_block ? "" : " of block " + text_of(f.other_block));
  const auto who = [](const RaceParty& p, const std::string& name) {
    return (p.copy ? "bulk copy of thread " : "thread ") + name;
  };
  std::string facts = fmt::format("{} {} {} at {} that {} {} at {}", who(c.now, me), does(c.now.kind), word,
                                  place_of(*c.now.site, f.file),
                                  c.earlier.copy ? "the " + who(c.earlier, other) : who(c.earlier, other),
                                  did(c.earlier.kind), place_of(*c.earlier.site, f.file));
  facts[0] = static_cast<char>(facts[0] - 'a' + 'A');
  return facts;
}

Finding RaceReport::describe(const Conflict& c) const {
  Finding f;
  using Sort = Conflict::Sort;
  f.kind = c.sort == Sort::same_value ? FindingKind::same_value_race : FindingKind::race;
  f.warning =
      c.sort == Sort::one_instruction || c.sort == Sort::same_value || c.sort == Sort::presumed ||
      (c.sort == Sort::read_only && c.now.block == c.earlier.block && c.now.thread == c.earlier.thread);
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

  const std::string word = word_of(launch_, c);
  const std::string here = place_of(*c.now.site, f.file);
  const std::string there = place_of(*c.earlier.site, f.file);
  const bool same_block = c.now.block == c.earlier.block;
  const std::string me = text_of(f.thread) + (same_block ? "" : " of block " + text_of(f.block));
  const std::string other =
      text_of(f.other_thread) + (same_block ? "" : " of block " + text_of(f.other_block));

  if (c.sort == Sort::one_instruction) {
    f.message =
        fmt::format("Threads {} and {} of one warp both write {} at {}: only one of the values survives.",
                    other, me, word, here);
    return f;
  }
  if (c.sort == Sort::same_value) {
    f.message = fmt::format(
        "Thread {} and thread {} both write the same value to {}, at {}, and nothing orders them: the value "
        "is right whoever comes last, but it is a race all the same. Let one thread write it, or use an "
        "atomic{}.",
        other, me, word, there == here ? here : there + " and " + here,
        same_block || c.memory == Memory::shared
            ? ""
            : "; or, if each block was to write a part of its own, see whether blockIdx is missing from the "
              "index");
    return f;
  }
  // The same mistakes by the same names where they show in this run's order: then the access itself is told of, and ends the launch.
  if (c.sort == Sort::not_made_yet) {
    f.kind = FindingKind::illegal_instruction;
    f.passed = true;
    f.message = fmt::format(
        "Thread {} uses at {} the mbarrier ({}) that thread {} initialises at {}, and nothing orders the "
        "two: it may come "
        "before the initialisation, or find half of it. Put {} between the initialisation and the first use.",
        me, here, word, other, there,
        !same_block   ? "a cluster.sync()"
        : c.same_warp ? "a __syncwarp(), or a __syncthreads() where other warps take part too,"
                      : "a __syncthreads()");
    return f;
  }
  if (c.sort == Sort::no_proxy_fence) {
    f.kind = FindingKind::missing_fence;
    f.message = facts_of(c, f) +
                " in the same kernel, with no proxy fence in between: the copy engine may read old values. "
                "Every writing thread "
                "has to execute fence.proxy.async after its stores and before the barrier.";
    return f;
  }
  if (c.sort == Sort::may_have_ended) {
    f.kind = FindingKind::out_of_bounds;
    f.passed = true;
    f.other_line = 0;
    f.message = fmt::format(
        "Thread {} {} {} of block {} at {}, and nothing keeps that block from ending before: its shared "
        "memory ends with "
        "it. Let the blocks of the cluster meet behind the last such access (cluster.sync()).",
        me, does(c.now.kind), word, text_of(f.other_block), here);
    return f;
  }
  const std::string facts = facts_of(c, f);
  if (c.sort == Sort::presumed) {
    f.message = facts +
                ": an atomic announces it, but no __threadfence() follows that atomic on this side, so older "
                "values may be "
                "read. Put one behind the atomic, as well as before it.";
  } else if (c.sort == Sort::read_only) {
    f.message =
        facts +
        " in the same kernel, by the way for data that no thread of it writes (textures, __ldg(), const "
        "__restrict__ pointers): the old value may come, whatever lies between. Read it by an ordinary "
        "load, or in a second kernel.";
  } else if (c.sort == Sort::narrow_scope) {
    f.message = facts +
                ": both are atomic, but one of them only for its own block or cluster (its scope), to which "
                "the other does "
                "not belong. Give both the scope of the device.";
  } else if (c.now.copy || c.earlier.copy) {
    f.message =
        facts + (c.earlier.copy
                     ? ", and that copy has not been waited for in a way that this thread knows of: wait "
                       "for its mbarrier, or for its group (not only for its reads), and then order "
                       "the two as you would two threads."
                     : ", and nothing orders the two: the copy engine takes part in races like a thread. "
                       "Order the threads before one of them begins the copy.");
  } else if (c.same_warp) {
    f.message = facts +
                ", and no __syncwarp() lies between them: the lanes of a warp do not run in lockstep, so put "
                "one there, or a __syncthreads() where other warps take part too.";
  } else if (same_block) {
    f.message = facts;  // finish() says which barrier may be missing
  } else if (c.memory == Memory::shared) {
    f.message =
        facts +
        ", and nothing orders the two blocks of the cluster, of which a __syncthreads() orders one alone: "
        "put a cluster.sync() between the two.";
  } else {
    f.message =
        facts +
        ", and nothing orders the two blocks: they run in any order, also at the same time. Use an "
        "atomic, or "
        "__threadfence() and an atomic flag (with a fence on the reader's side, too), or a second kernel.";
  }
  return f;
}

}  // namespace simgpu::observe
